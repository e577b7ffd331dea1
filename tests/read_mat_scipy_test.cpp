// Our decoder of MAT files of version 5 beside scipy's: many kinds of variables, made by scipy and
// byte by byte, must give what scipy.io.loadmat gives.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "python.hpp"
#include "read/readers.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_error;
using sfg::testing::expect_python_succeeds;
using sfg::testing::TemporaryFolder;

/// Writes files NAME.mat, and NAME.txt with what scipy reads from them: rows and columns of X, its
/// values row by row, then the texts, one per line. `names` lists them.
constexpr const char* kCommon = R"(
import numpy as np, scipy.io, scipy.sparse, struct, zlib
names = []

def expect(name, texts=None):
    names.append(name)
    x = scipy.io.loadmat(name + '.mat')['X']
    x = np.asarray(x.todense() if scipy.sparse.issparse(x) else x)
    with open(name + '.txt', 'w', encoding='utf-8') as out:
        print(*x.shape, file=out)
        for value in x.astype(float).ravel(): print(repr(float(value)), file=out)
        if texts is not None: print('texts', *texts, sep='\n', file=out)

def finish():
    with open('names', 'w') as out: print(*names, sep='\n', file=out)
)";

void compare(const TemporaryFolder& folder, const std::string& name) {
  const InputBytes input(folder / (name + ".mat"), 0);
  const RawTable table = read_mat(input, {}, {});
  const auto* sparse = std::get_if<SparseMatrix>(&table.matrix);
  const DenseMatrix matrix =
      sparse != nullptr ? to_dense(*sparse) : std::get<DenseMatrix>(table.matrix);
  std::ifstream expected(folder / (name + ".txt"));
  Index n_rows = 0;
  Index n_columns = 0;
  expected >> n_rows >> n_columns;
  ASSERT_EQ(matrix.n_samples(), n_rows);
  ASSERT_EQ(matrix.n_features(), n_columns);
  for (Index i = 0; i < n_rows; ++i) {
    for (Index j = 0; j < n_columns; ++j) {
      std::string value;
      expected >> value;
      EXPECT_EQ(matrix(i, j), std::stod(value)) << i << ", " << j;
    }
  }
  std::string line;
  std::vector<std::string> texts;
  // The end of the last number's line, and the word "texts".
  std::getline(expected, line);
  std::getline(expected, line);
  while (std::getline(expected, line)) texts.push_back(line);
  EXPECT_EQ(table.column_names, texts);
}

void compare_all(const TemporaryFolder& folder) {
  std::ifstream names(folder / "names");
  std::string name;
  int n_files = 0;
  while (std::getline(names, name)) {
    SCOPED_TRACE(name);
    compare(folder, name);
    ++n_files;
  }
  EXPECT_GT(n_files, 0);
}

TEST(Mat5BesideScipy, what_scipy_saves_is_read_the_same) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, std::string(kCommon) + R"(
rng = np.random.default_rng(1)
kinds = ['f8', 'f4', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'bool', '>f8', '>i2']
others = {'A': [[1., 2.]], 's': {'field': np.eye(3), 'text': 'abc'}, 'cube': np.zeros((2, 2, 2)),
          'z': np.array([[1j]]), 'cells': np.array([np.eye(2), 'x'], dtype=object)}
for packed in (False, True):
    for kind in kinds:
        for shape in ((2, 2), (3, 5), (1, 3), (40, 300)):
            x = rng.integers(0, 100, shape) if kind[-2] in 'iu' else rng.normal(size=shape) * 5
            name = f"dense-{kind.replace('>', 'b')}-{shape[0]}-{packed}"
            scipy.io.savemat(name + '.mat', {'X': x.astype(kind), **others}, do_compression=packed)
            expect(name)
    for kind in ('f8', 'bool', 'f4', 'i4', 'u1'):
        for density in (0, 0.3, 1):
            x = scipy.sparse.random(7, 9, density, 'csc', random_state=2)
            x.data = np.ceil(x.data * 10)
            name = f'sparse-{kind}-{density}-{packed}'
            scipy.io.savemat(name + '.mat', {'X': x.astype(kind)}, do_compression=packed)
            expect(name)
    lists = {
        'plain': ['a', 'bc', 'def'], 'letters': ['gr\u00fc\u00df', '\u03b1 \u03b2', '\U0001f9ec'],
        'empty': ['', 'b', ''], 'long': ['x' * 70000, 'y', 'z'],
    }
    for kind, texts in lists.items():
        for form in ('row', 'column'):
            cells = np.empty((1, 3) if form == 'row' else (3, 1), dtype=object)
            cells.ravel()[:] = texts
            name = f'cells-{kind}-{form}-{packed}'
            scipy.io.savemat(name + '.mat', {'X': np.eye(3), 'names': cells}, do_compression=packed)
            expect(name, texts)
        if kind != 'long':
            name = f'rows-{kind}-{packed}'
            scipy.io.savemat(name + '.mat', {'X': np.eye(3), 'names': np.array(texts)},
                             do_compression=packed)
            expect(name, texts)
finish()
)");
  compare_all(folder);
}

/// MATLAB stores numbers in the smallest type that holds them, texts in several encodings, and
/// files in the byte order of the machine.
constexpr const char* kEncoder = R"(
class Encoder:
    def __init__(self, order, packed):
        self.order, self.packed = order, packed
        self.name = f"{'big' if order == '>' else 'little'}-{'packed' if packed else 'plain'}"
    def element(self, kind, data):
        if 0 < len(data) <= 4:
            return struct.pack(self.order + 'I', len(data) << 16 | kind) + data.ljust(4, b'\0')
        return struct.pack(self.order + 'II', kind, len(data)) + data + bytes(-len(data) % 8)
    def numbers(self, kind, dtype, values):
        return self.element(kind, np.asarray(values).astype(self.order + dtype).tobytes())
    def array(self, array_class, shape, name, data, flags=0, nzmax=0):
        order = self.order
        head = struct.pack(order + 'IIII', 6, 8, array_class | flags, nzmax)
        head += struct.pack(order + 'II', 5, 4 * len(shape)) + struct.pack(order + f'{len(shape)}i', *shape)
        head += bytes(-len(head) % 8)
        contents = head + self.element(1, name.encode()) + data
        return struct.pack(order + 'II', 14, len(contents)) + contents
    def save(self, what, *arrays):
        name = f'{what}-{self.name}'
        mark = struct.pack(self.order + 'H', 0x100) + (b'IM' if self.order == '<' else b'MI')
        out = b'MATLAB 5.0 MAT-file'.ljust(124) + mark
        for array in arrays:
            if self.packed:
                array = zlib.compress(array)
                array = struct.pack(self.order + 'II', 15, len(array)) + array
            out += array
        open(name + '.mat', 'wb').write(out)
        return name

encoders = [Encoder(order, packed) for order in '<>' for packed in (False, True)]
)";

TEST(Mat5BesideScipy, what_matlab_may_write_is_read_the_same) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, std::string(kCommon) + kEncoder + R"(
storages = {'i1': 1, 'u1': 2, 'i2': 3, 'u2': 4, 'i4': 5, 'u4': 6, 'f4': 7, 'f8': 9, 'i8': 12, 'u8': 13}
for e in encoders:
    for dtype, kind in storages.items():
        values = [1, 0, 3, 100, 5, 6]
        small = e.array(6, (2, 3), 'X', e.numbers(kind, dtype, values))
        expect(e.save(f'double-as-{dtype}', small, e.array(6, (1, 1), 'unused', e.numbers(2, 'u1', [1]))))
        # Four items of a byte, two of two bytes: they stand inside the tag.
        few = 4 if dtype[1] == '1' else 2
        expect(e.save(f'few-{dtype}', e.array(6, (2, few // 2), 'X', e.numbers(kind, dtype, values[:few]))))
    identity = e.array(6, (3, 3), 'X', e.numbers(2, 'u1', np.eye(3).ravel()))
    starts = e.numbers(5, 'i4', [0, 1, 1, 3])
    # Room for two entries more than there are.
    rows = e.numbers(5, 'i4', [2, 0, 1, 0, 0])
    values = e.numbers(9, 'f8', [1.5, -2, 3, 0, 0])
    expect(e.save('sparse', e.array(5, (4, 3), 'X', rows + starts + values, nzmax=5)))
    truths = e.numbers(2, 'u1', [1, 1, 1])
    rows = e.numbers(5, 'i4', [2, 0, 1])
    expect(e.save('sparse-logical', e.array(5, (4, 3), 'X', rows + starts + truths, 0x200, 3)))
    none = e.numbers(5, 'i4', [0]) + e.numbers(5, 'i4', [0, 0, 0, 0]) + e.element(9, b'')
    expect(e.save('sparse-empty', e.array(5, (4, 3), 'X', none, nzmax=1)))
    wide = 'utf-16-le' if e.order == '<' else 'utf-16-be'
    widest = 'utf-32-le' if e.order == '<' else 'utf-32-be'
    texts = ['a', 'gr\u00fcn', '\u03b1\u03b2\u03b3']
    for kind, codec in ((4, wide), (16, 'utf-8'), (17, wide), (18, widest)):
        cells = [e.array(4, (1, len(t)), '', e.element(kind, t.encode(codec))) for t in texts]
        name = e.save(f'cells-{kind}', identity, e.array(1, (1, 3), 'names', b''.join(cells)))
        found = scipy.io.loadmat(name + '.mat', uint16_codec=wide)['names'].ravel()
        assert [str(cell[0]) for cell in found] == texts, found
        expect(name, texts)
        columns = ''.join('abc' + 'd\u00fc ' + 'e  ')
        rows = e.array(4, (3, 3), 'names', e.element(kind, columns.encode(codec)))
        expect(e.save(f'rows-{kind}', identity, rows), ['ade', 'b\u00fc', 'c'])
    for kind in (1, 2):
        cells = [e.array(4, (1, len(t)), '', e.element(kind, t)) for t in (b'a', b'long text', b'c')]
        expect(e.save(f'bytes-{kind}', identity, e.array(1, (3, 1), 'names', b''.join(cells))),
               ['a', 'long text', 'c'])
finish()
)");
  compare_all(folder);
}

TEST(Mat5BesideScipy, bytes_that_are_no_utf8_are_latin_1) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, std::string(kCommon) + kEncoder + R"(
e = encoders[0]
cells = [e.array(4, (1, len(t)), '', e.element(2, t)) for t in (b'gr\xfcn', 'gr\u00fcn'.encode())]
e.save('latin', e.array(6, (1, 2), 'X', e.numbers(2, 'u1', [1, 2])),
       e.array(1, (1, 2), 'names', b''.join(cells)))
)");
  const InputBytes input(folder / "latin-little-plain.mat", 0);
  EXPECT_EQ(read_mat(input, {}, {}).column_names,
            (std::vector<std::string>{"gr\xc3\xbcn", "gr\xc3\xbcn"}));
}

TEST(Mat4BesideScipy, what_scipy_saves_is_read_the_same) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, std::string(kCommon) + R"(
x = np.arange(6.).reshape(2, 3)
scipy.io.savemat('dense.mat', {'X': x}, format='4'); expect('dense')
scipy.io.savemat('sparse.mat', {'X': scipy.sparse.csc_matrix(x)}, format='4'); expect('sparse')
scipy.io.savemat('rows.mat', {'names': np.array(['abc', 'd', 'ef']), 'X': x}, format='4')
expect('rows', ['abc', 'd', 'ef'])
open('big.mat', 'wb').write(struct.pack('>5i', 1000, 1, 2, 0, 2) + b'X\0' + struct.pack('>2d', 1, 7))
expect('big')
finish()
)");
  compare_all(folder);
}

TEST(Mat4BesideScipy, files_that_promise_more_than_they_hold_are_refused) {
  SFG_NEED_PYTHON(python, "struct");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import struct
def save(name, head, data): open(name, 'wb').write(struct.pack('<5i', *head) + b'X\0' + data)
save('short.mat', (0, 1 << 30, 1 << 30, 0, 2), b'12345678')
save('size.mat', (2, 1, 3, 0, 2), struct.pack('<3d', 1e300, 2, 0))
save('entry.mat', (2, 2, 3, 0, 2), struct.pack('<6d', 9, 2, 1, 2, 1, 0))
open('after.mat', 'wb').write(struct.pack('<5i', 0, 1, 1, 0, 2) + b'X\0' + struct.pack('<d', 1) + b'rest')
)");
  for (const char* name : {"short.mat", "size.mat", "entry.mat", "after.mat"}) {
    const InputBytes input(folder / name, 0);
    expect_error(ErrorCode::malformed_input, {name, "version 4"},
                 [&] { (void)read_mat(input, {}, {}); });
  }
}

// Every byte of a small file in turn: an error of ours or a table, never anything else. Nothing
// here is caught by a process of its own.
TEST(Mat5BesideScipy, no_damaged_byte_does_harm) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io");
  const TemporaryFolder folder(sfg::testing::fast_place());
  expect_python_succeeds(python, folder, R"(
import numpy as np, scipy.io, scipy.sparse
names = np.array(['a', 'b\u00fc', 'c'], dtype=object)
scipy.io.savemat('dense.mat', {'X': np.eye(3), 'names': names, 'Y': [1, 2, 3], 's': {'f': 1}})
scipy.io.savemat('sparse.mat', {'X': scipy.sparse.eye(3).tocsc(), 'names': np.array(['a', 'bb', 'c'])})
)");
  sfg::RunContext run;
  run.memory_limit = std::size_t{1} << 24U;
  for (const char* name : {"dense.mat", "sparse.mat"}) {
    const std::string bytes = sfg::testing::read_file(folder / name);
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      for (const int change : {0x01, 0x10, 0x80, 0xFF}) {
        std::string damaged = bytes;
        damaged[place] = static_cast<char>(damaged[place] ^ change);
        const InputBytes input(folder.write("damaged.mat", damaged), 0);
        try {
          (void)read_mat(input, {}, run);
        } catch (const Error& error) {
          const int status = exit_status(error.code());
          EXPECT_TRUE(status == 4 || status == 5 || status == 8) << place << error.what();
        }
      }
    }
  }
}

}  // namespace
}  // namespace sfg::detail

#ifdef SFG_WITH_HDF5

#include <gtest/gtest.h>

#include <limits>

#include "hdf5_maker.hpp"
#include "helpers.hpp"
#include "python.hpp"
#include "raw_table.hpp"
#include "read/readers.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::dense;
using sfg::testing::expect_error;
using sfg::testing::expect_python_succeeds;
using sfg::testing::Extents;
using sfg::testing::Hdf5Maker;
using sfg::testing::make_labelled;
using sfg::testing::read_file;
using sfg::testing::sparse;
using sfg::testing::TemporaryFolder;

const std::vector<double> kSix{1, 2, 3, 4, 5, 6};

TEST(ReadH5ad, dense_rows_are_samples) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad").numbers("X", H5T_NATIVE_DOUBLE, {2, 3}, kSix);
  const DenseMatrix matrix = dense(read_h5ad(folder / "a.h5ad", {}, {}));
  ASSERT_EQ(matrix.n_samples(), 2);
  ASSERT_EQ(matrix.n_features(), 3);
  EXPECT_EQ(matrix(0, 2), 3);
  EXPECT_EQ(matrix(1, 0), 4);
}

TEST(ReadH5ad, chunks_of_any_shape_give_the_same_table) {
  constexpr hsize_t kRows = 301;
  constexpr hsize_t kColumns = 77;
  std::vector<std::int32_t> values(kRows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  const TemporaryFolder folder;
  for (const Extents& chunk :
       {Extents{}, Extents{1, 77}, Extents{301, 1}, Extents{10, 20}, Extents{301, 77}}) {
    Hdf5Maker(folder / "a.h5ad").numbers("X", H5T_NATIVE_INT32, {kRows, kColumns}, values, chunk);
    const DenseMatrix matrix = dense(read_h5ad(folder / "a.h5ad", {}, {}));
    ASSERT_EQ(matrix.n_samples(), static_cast<Index>(kRows));
    for (Index row = 0; row < matrix.n_samples(); ++row) {
      for (Index column = 0; column < matrix.n_features(); ++column) {
        ASSERT_EQ(matrix(row, column), row * 77 + column);
      }
    }
  }
}

TEST(ReadH5ad, a_vector_is_one_feature) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad").numbers("X", H5T_NATIVE_DOUBLE, {6}, kSix, {4});
  const DenseMatrix matrix = dense(read_h5ad(folder / "a.h5ad", {}, {}));
  EXPECT_EQ(matrix.n_samples(), 6);
  EXPECT_EQ(matrix(5, 0), 6);
}

TEST(ReadH5ad, compressed_rows_and_columns_stay_sparse) {
  const TemporaryFolder folder;
  // [[0, 7, 0], [5, 0, 0]]; rows unsorted and with a stored zero.
  Hdf5Maker(folder / "r.h5ad").sparse("csr_matrix", 2, 3, {0, 2, 3}, {2, 1, 0}, {0, 7, 5});
  Hdf5Maker(folder / "c.h5ad").sparse("csc_matrix", 2, 3, {0, 1, 2, 2}, {1, 0}, {5, 7});
  Hdf5Maker(folder / "old.h5ad")
      .group("X")
      .text_attribute("X", "h5sparse_format", "csr")
      .shape_attribute("X", "h5sparse_shape", 2, 3)
      .numbers<std::int32_t>("X/indptr", H5T_NATIVE_INT32, {3}, {0, 1, 2})
      .numbers<std::uint8_t>("X/indices", H5T_NATIVE_UINT8, {2}, {1, 0})
      .numbers<std::int16_t>("X/data", H5T_NATIVE_INT16, {2}, {7, 5});
  for (const char* name : {"r.h5ad", "c.h5ad", "old.h5ad"}) {
    const SparseMatrix matrix = sparse(read_h5ad(folder / name, {}, {}));
    EXPECT_EQ(matrix.n_samples, 2);
    EXPECT_EQ(matrix.n_features, 3);
    EXPECT_EQ(matrix.starts, (std::vector<Offset>{0, 1, 2, 2})) << name;
    EXPECT_EQ(matrix.rows, (std::vector<Index>{1, 0})) << name;
    EXPECT_EQ(matrix.values, (std::vector<double>{5, 7})) << name;
  }
}

TEST(ReadH5ad, broken_sparse_matrices_are_refused_with_their_place) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5ad";
  const auto refuse = [&](std::initializer_list<std::string_view> words) {
    expect_error(ErrorCode::malformed_input, words, [&] { (void)read_h5ad(path, {}, {}); });
  };
  Hdf5Maker(path).sparse("csr_matrix", 2, 3, {0, 1, 2}, {0, 3}, {1, 2});
  refuse({"a.h5ad: 'X'", "row 2", "column 4 of 3"});
  Hdf5Maker(path).sparse("csr_matrix", 2, 3, {0, 1, 2}, {0, -1}, {1, 2});
  refuse({"row 2", "column 0 of 3"});
  Hdf5Maker(path).sparse("csc_matrix", 2, 3, {0, 1, 2, 2}, {0, 2}, {1, 2});
  refuse({"column 2", "row 3 of 2"});
  Hdf5Maker(path).sparse("csr_matrix", 2, 3, {0, 2, 2}, {1, 1}, {1, 2});
  refuse({"row 1, column 2", "twice"});
  Hdf5Maker(path).sparse("csr_matrix", 2, 3, {0, 3, 2}, {0, 1}, {1, 2});
  refuse({"starts fall after row 2"});
  Hdf5Maker(path).sparse("csr_matrix", 2, 3, {0, 1, 9}, {0, 1}, {1, 2});
  refuse({"9 entries"});
  Hdf5Maker(path).sparse("csr_matrix", 2, 3, {0, 2}, {0, 1}, {1, 2});
  refuse({"2 starts for 2 rows"});
  Hdf5Maker(path).sparse("csr_matrix", 2, 3, {0, 1, 2}, {0, 1}, {1, 2, 3});
  refuse({"2 indices and 3 values"});
  Hdf5Maker(path).sparse("coo", 2, 3, {0, 1, 2}, {0, 1}, {1, 2});
  refuse({"'X'", "encoding-type"});
  Hdf5Maker(path).sparse("csr_matrix", -2, 3, {0, 1, 2}, {0, 1}, {1, 2});
  refuse({"a.h5ad"});
  Hdf5Maker(path).group("X").text_attribute("X", "encoding-type", "csr_matrix");
  refuse({"'X'", "'shape'"});
  Hdf5Maker(path)
      .group("X")
      .text_attribute("X", "encoding-type", "csr_matrix")
      .shape_attribute("X", "shape", 2, 2);
  refuse({"'X'", "no dataset 'data'"});
  Hdf5Maker(path)
      .group("X")
      .text_attribute("X", "encoding-type", "csr_matrix")
      .shape_attribute("X", "shape", 1, 3)
      .numbers<double>("X/indptr", H5T_NATIVE_DOUBLE, {2}, {0, 1})
      .numbers<std::int32_t>("X/indices", H5T_NATIVE_INT32, {1}, {0})
      .numbers<double>("X/data", H5T_NATIVE_DOUBLE, {1}, {1});
  refuse({"'X/indptr'", "whole numbers"});
}

TEST(ReadH5ad, indices_beyond_32_bits_do_not_wrap_around) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad")
      .group("X")
      .text_attribute("X", "encoding-type", "csr_matrix")
      .shape_attribute("X", "shape", 1, 3)
      .numbers<std::int64_t>("X/indptr", H5T_NATIVE_INT64, {2}, {0, 1})
      .numbers<std::int64_t>("X/indices", H5T_NATIVE_INT64, {1}, {std::int64_t{1} << 32})
      .numbers<double>("X/data", H5T_NATIVE_DOUBLE, {1}, {1});
  expect_error(ErrorCode::malformed_input, {"row 1", "of 3"},
               [&] { (void)read_h5ad(folder / "a.h5ad", {}, {}); });
}

TEST(ReadH5ad, names_come_from_the_index_of_obs_and_var) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad")
      .numbers("X", H5T_NATIVE_DOUBLE, {2, 3}, kSix)
      .group("obs")
      .fixed_texts("obs/index", 4, H5T_STR_SPACEPAD, "c1  c  2")
      .group("var")
      .text_attribute("var", "_index", "gene")
      .texts("var/gene", {"a", "\xce\xb1", ""})
      .texts("var/_index", {"no", "no", "no"});
  const RawTable table = read_h5ad(folder / "a.h5ad", {}, {});
  EXPECT_EQ(table.row_names, (std::vector<std::string>{"c1", "c  2"}));
  EXPECT_EQ(table.column_names, (std::vector<std::string>{"a", "\xce\xb1", ""}));
}

TEST(ReadH5ad, names_that_do_not_fit_are_refused) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad")
      .numbers("X", H5T_NATIVE_DOUBLE, {2, 3}, kSix)
      .group("var")
      .texts("var/_index", {"a", "b"});
  expect_error(ErrorCode::malformed_input, {"a.h5ad", "(var)", "3", "2"},
               [&] { (void)read_h5ad(folder / "a.h5ad", {}, {}); });
}

TEST(ReadH5ad, tables_of_old_versions_are_one_dataset_with_fields) {
  struct Line {
    char index[4];
    std::int8_t group;
  };
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 4);
  const hid_t line = H5Tcreate(H5T_COMPOUND, sizeof(Line));
  H5Tinsert(line, "index", offsetof(Line, index), text);
  H5Tinsert(line, "group", offsetof(Line, group), H5T_NATIVE_INT8);
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad")
      .numbers("X", H5T_NATIVE_DOUBLE, {2, 3}, kSix)
      .numbers<Line>("obs", line, {2}, {{"c1", 1}, {"c2", 0}})
      .numbers<Line>("var", line, {3}, {{"a", 0}, {"b", 0}, {"ccc", 0}})
      .group("uns")
      .texts("uns/group_categories", {"x", "y"});
  H5Tclose(line);
  H5Tclose(text);
  ReadOptions options;
  options.labels = "group";
  const RawTable table = read_h5ad(folder / "a.h5ad", options, {});
  EXPECT_EQ(table.row_names, (std::vector<std::string>{"c1", "c2"}));
  EXPECT_EQ(table.column_names, (std::vector<std::string>{"a", "b", "ccc"}));
  ASSERT_TRUE(table.labels.has_value());
  EXPECT_EQ(table.labels->values, (std::vector<std::string>{"y", "x"}));
}

TEST(ReadH5ad, labels_are_a_column_of_obs) {
  const TemporaryFolder folder;
  make_labelled(folder / "a.h5ad");
  using Texts = std::vector<std::string>;
  const std::pair<const char*, Texts> expected[] = {{"text", {"b", "a", "b"}},
                                                    {"number", {"1", "2.5", ""}},
                                                    {"category", {"v", "", "u"}},
                                                    {"old", {"q", "p", "q"}},
                                                    {"masked", {"7", "", "9"}}};
  for (const auto& [name, values] : expected) {
    ReadOptions options;
    options.labels = name;
    const RawTable table = read_h5ad(folder / "a.h5ad", options, {});
    ASSERT_TRUE(table.labels.has_value()) << name;
    EXPECT_EQ(table.labels->name, name);
    EXPECT_EQ(table.labels->values, values) << name;
  }
}

TEST(ReadH5ad, labels_that_are_no_column_are_left_to_the_caller) {
  const TemporaryFolder folder;
  make_labelled(folder / "a.h5ad");
  for (const char* name : {"", "absent", "labels.txt", "category/codes", "../X", ".", "/X"}) {
    ReadOptions options;
    options.labels = name;
    EXPECT_FALSE(read_h5ad(folder / "a.h5ad", options, {}).labels.has_value()) << name;
  }
}

TEST(ReadH5ad, broken_label_columns_are_refused) {
  const TemporaryFolder folder;
  make_labelled(folder / "a.h5ad");
  ReadOptions options;
  options.labels = "broken";
  expect_error(ErrorCode::malformed_input, {"'obs/broken'", "line 2", "category 2", "only 2"},
               [&] { (void)read_h5ad(folder / "a.h5ad", options, {}); });
  options.labels = "other";
  expect_error(ErrorCode::malformed_input, {"'obs/other'"},
               [&] { (void)read_h5ad(folder / "a.h5ad", options, {}); });
  options.labels = "short";
  expect_error(ErrorCode::inconsistent_input, {"'short'", "2 labels", "3 samples"},
               [&] { (void)read_h5ad(folder / "a.h5ad", options, {}); });
}

TEST(ReadH5ad, a_missing_matrix_is_told_with_what_is_there) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad").group("layers").group("obs");
  expect_error(ErrorCode::malformed_input, {"a.h5ad", "no matrix 'X'", "layers, obs"},
               [&] { (void)read_h5ad(folder / "a.h5ad", {}, {}); });
}

TEST(ReadH5ad, text_and_cubes_are_no_matrix) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad").texts("X", {"a", "b"});
  expect_error(ErrorCode::malformed_input, {"'X'", "save it as float64"},
               [&] { (void)read_h5ad(folder / "a.h5ad", {}, {}); });
  Hdf5Maker(folder / "b.h5ad").numbers("X", H5T_NATIVE_DOUBLE, {1, 2, 3}, kSix);
  expect_error(ErrorCode::malformed_input, {"'X'", "3 dimensions"},
               [&] { (void)read_h5ad(folder / "b.h5ad", {}, {}); });
}

TEST(ReadH5ad, sizes_that_were_never_written_are_refused_before_allocation) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5ad";
  for (const Extents& chunk : {Extents{}, Extents{1000, 1000}}) {
    Hdf5Maker(path).numbers<double>("X", H5T_NATIVE_DOUBLE, {1000000, 1000000}, {}, chunk);
    expect_error(ErrorCode::malformed_input, {"'X'", "8.0 TB"},
                 [&] { (void)read_h5ad(path, {}, {}); });
  }
  Hdf5Maker(path)
      .group("X")
      .text_attribute("X", "encoding-type", "csr_matrix")
      .shape_attribute("X", "shape", 1000000000000, 3);
  expect_error(ErrorCode::malformed_input, {"a.h5ad"}, [&] { (void)read_h5ad(path, {}, {}); });
}

TEST(ReadH5ad, the_memory_limit_is_kept) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "a.h5ad")
      .numbers<std::int8_t>("X", H5T_NATIVE_INT8, {100, 10}, std::vector<std::int8_t>(1000),
                            {100, 10});
  sfg::RunContext run;
  run.memory_limit = 7999;
  expect_error(ErrorCode::over_memory, {"a.h5ad: 'X'"},
               [&] { (void)read_h5ad(folder / "a.h5ad", {}, run); });
}

TEST(ReadH5ad, damaged_heaps_of_texts_are_refused) {
  const TemporaryFolder folder;
  make_labelled(folder / "a.h5ad");
  const std::string bytes = read_file(folder / "a.h5ad");
  const std::size_t heap = bytes.find("GCOL");
  ASSERT_NE(heap, std::string::npos);
  // Size of the heap, then of the first text: the highest bytes of each.
  for (const std::size_t place : {heap + 15, heap + 31}) {
    std::string damaged = bytes;
    damaged[place] = '\x7f';
    const auto path = folder.write("b.h5ad", damaged);
    expect_error(ErrorCode::malformed_input, {"b.h5ad", "heap of texts at byte"},
                 [&] { (void)read_h5ad(path, {}, {}); });
  }
}

TEST(ReadH5ad, data_in_other_files_are_refused) {
  const TemporaryFolder folder;
  Hdf5Maker(folder / "other.h5ad").numbers("X", H5T_NATIVE_DOUBLE, {2, 3}, kSix);
  {
    const Hdf5Maker file(folder / "a.h5ad");
    H5Lcreate_external((folder / "other.h5ad").c_str(), "/X", file.id(), "X", H5P_DEFAULT,
                       H5P_DEFAULT);
  }
  expect_error(ErrorCode::malformed_input, {"a.h5ad: 'X'", "another file"},
               [&] { (void)read_h5ad(folder / "a.h5ad", {}, {}); });
}

TEST(ReadH5ad, files_of_other_kinds_and_truncations_are_refused) {
  const TemporaryFolder folder;
  for (const char* contents : {"", "a,b\n1,2\n", "\x89HDF\r\n\x1a\n"}) {
    const auto path = folder.write("no.h5ad", contents);
    expect_error(ErrorCode::malformed_input, {"no.h5ad"}, [&] { (void)read_h5ad(path, {}, {}); });
  }
  expect_error(ErrorCode::cannot_read, {"absent.h5ad"},
               [&] { (void)read_h5ad(folder / "absent.h5ad", {}, {}); });
  make_labelled(folder / "a.h5ad");
  const std::string bytes = read_file(folder / "a.h5ad");
  for (std::size_t size = 0; size < bytes.size(); size += 101) {
    const auto path = folder.write("cut.h5ad", bytes.substr(0, size));
    expect_error(ErrorCode::malformed_input, {"cut.h5ad"}, [&] { (void)read_h5ad(path, {}, {}); });
  }
}

TEST(H5adWithPython, we_read_what_h5py_writes) {
  SFG_NEED_PYTHON(python, "numpy, h5py, scipy.sparse");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import h5py, numpy as np, scipy.sparse as sp
a = np.arange(12).reshape(3, 4)
def annotate(f):
    obs = f.create_group('obs'); obs.attrs['_index'] = 'cell'
    obs['cell'] = np.array(['c1', 'c2', 'c3'], dtype=h5py.string_dtype())
    obs['flag'] = np.array([True, False, True])
    c = obs.create_group('type'); c.attrs['encoding-type'] = 'categorical'
    c['codes'] = np.array([0, 1, 0], dtype=np.int8)
    c['categories'] = np.array(['T', 'B'], dtype=h5py.string_dtype())
    var = f.create_group('var'); var.attrs['_index'] = '_index'
    var['_index'] = np.array([b'g1', b'g2', b'g3', b'g4'])
for t in ['f2', 'f4', '>f8', 'u1', 'i8', '?']:
    with h5py.File('dense_' + t.replace('?', 'b') + '.h5ad', 'w') as f:
        f.create_dataset('X', data=a.astype(t), compression='gzip', shuffle=True)
        annotate(f)
for form in ['csr', 'csc']:
    with h5py.File('sparse_' + form + '.h5ad', 'w') as f:
        m = sp.csr_matrix(a.astype('f4')).asformat(form)
        g = f.create_group('X'); g.attrs['encoding-type'] = form + '_matrix'; g.attrs['shape'] = m.shape
        for k in ['data', 'indices', 'indptr']: g.create_dataset(k, data=getattr(m, k), compression='gzip')
        annotate(f)
)");
  std::size_t n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".h5ad") continue;
    ++n_files;
    ReadOptions options;
    options.labels = "type";
    const RawTable table = read_h5ad(entry.path(), options, {});
    const bool is_sparse = std::holds_alternative<SparseMatrix>(table.matrix);
    const DenseMatrix matrix = is_sparse ? to_dense(sparse(table)) : dense(table);
    const bool is_boolean = entry.path().filename() == "dense_b.h5ad";
    for (Index row = 0; row < 3; ++row) {
      for (Index column = 0; column < 4; ++column) {
        const Index value = row * 4 + column;
        EXPECT_EQ(matrix(row, column), is_boolean ? std::min(value, 1) : value) << entry.path();
      }
    }
    EXPECT_EQ(table.row_names, (std::vector<std::string>{"c1", "c2", "c3"}));
    EXPECT_EQ(table.column_names, (std::vector<std::string>{"g1", "g2", "g3", "g4"}));
    EXPECT_EQ(table.labels->values, (std::vector<std::string>{"T", "B", "T"}));
    options.labels = "flag";
    EXPECT_EQ(read_h5ad(entry.path(), options, {}).labels->values,
              (std::vector<std::string>{"TRUE", "FALSE", "TRUE"}));
  }
  EXPECT_EQ(n_files, 8U);
}

TEST(H5adWithPython, a_filter_that_is_missing_is_named) {
  SFG_NEED_PYTHON(python, "numpy, h5py");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import h5py
with h5py.File('a.h5', 'w') as f:
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_chunk((9, 9))
    made.set_filter(32999, h5py.h5z.FLAG_OPTIONAL)
    space = h5py.h5s.create_simple((9, 9))
    h5py.h5d.create(f.id, b'X', h5py.h5t.IEEE_F64LE, space, made)
)");
  expect_error(ErrorCode::cannot_read, {"a.h5: 'X'", "number 32999", "gzip"},
               [&] { (void)read_h5ad(folder / "a.h5", {}, {}); });
}

}  // namespace
}  // namespace sfg::detail

#endif

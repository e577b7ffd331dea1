#ifdef SFG_WITH_MAT

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>

#include "helpers.hpp"
#include "mat_maker.hpp"
#include "python.hpp"
#include "raw_table.hpp"
#include "read/readers.hpp"
#include "write/mat.hpp"
#include "write/writers.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::dense;
using sfg::testing::expect_error;
using sfg::testing::expect_python_succeeds;
using sfg::testing::read_file;
using sfg::testing::read_mat;
using sfg::testing::small_dataset;
using sfg::testing::sparse;
using sfg::testing::TemporaryFolder;

RC_GTEST_PROP(WriteMat, what_is_written_reads_back, ()) {
  const auto n_rows = *rc::gen::inRange<Index>(1, 30);
  const auto n_columns = *rc::gen::inRange<Index>(1, 6);
  const bool is_sparse = *rc::gen::arbitrary<bool>();
  Dataset dataset;
  DenseMatrix matrix(n_rows, n_columns);
  for (Index i = 0; i < n_rows * n_columns; ++i) {
    matrix.data()[i] = *rc::gen::weightedElement<double>({{3, 0.0}, {1, 1.5}, {1, -1e300}});
  }
  dataset.matrix = matrix;
  if (is_sparse) dataset.matrix = to_sparse(matrix);
  dataset.feature_names = generated_names(n_columns);
  std::vector<std::string> labels;
  for (Index i = 0; i < n_rows; ++i) {
    labels.push_back(*rc::gen::element<std::string>("1", "2", "-0.5", "1e300"));
  }
  if (*rc::gen::arbitrary<bool>()) labels[0] = "text";
  dataset.labels = Labels{"Y", labels};
  const TemporaryFolder folder;
  const auto version = *rc::gen::element(MatVersion::v5, MatVersion::v73);
  write_mat_version(dataset, folder / "a.mat", version);
  const RawTable table = read_mat(folder / "a.mat", {}, {});
  RC_ASSERT(std::holds_alternative<SparseMatrix>(table.matrix) == is_sparse);
  const DenseMatrix back = is_sparse ? to_dense(sparse(table)) : dense(table);
  RC_ASSERT(back.n_samples() == n_rows);
  RC_ASSERT(back.n_features() == n_columns);
  RC_ASSERT(std::equal(back.data(), back.data() + n_rows * n_columns, matrix.data()));
  RC_ASSERT(table.labels.has_value());
  RC_ASSERT(table.labels->values.size() == labels.size());
  RC_ASSERT(table.column_names.empty());
}

TEST(WriteMat, different_labels_of_equal_value_stay_texts) {
  const TemporaryFolder folder;
  Dataset dataset = small_dataset();
  dataset.labels->values = {"1", "01", "1.0"};
  write_mat(dataset, folder / "a.mat");
  EXPECT_EQ(read_mat(folder / "a.mat", {}, {}).labels->values, dataset.labels->values);
}

TEST(WriteMat, equal_data_give_equal_files) {
  const TemporaryFolder folder;
  write_mat(small_dataset(), folder / "a.mat");
  write_mat(small_dataset(), folder / "b.mat");
  EXPECT_EQ(read_file(folder / "a.mat"), read_file(folder / "b.mat"));
}

TEST(WriteMat, files_that_cannot_be_written_are_told) {
  const TemporaryFolder folder;
  for (const MatVersion version : {MatVersion::v5, MatVersion::v73}) {
    expect_error(ErrorCode::cannot_write, {"absent/a.mat"},
                 [&] { write_mat_version(small_dataset(), folder / "absent/a.mat", version); });
  }
  expect_error(ErrorCode::cannot_write, {"/dev/null", "ordinary files"},
               [] { write_mat(small_dataset(), "/dev/null"); });
}

/// While it lives, files cannot grow beyond a size, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t largest_file) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before_;
    limit.rlim_cur = largest_file;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(WriteMat, a_full_disk_is_noticed) {
  const TemporaryFolder folder;
  Dataset dataset = small_dataset();
  DenseMatrix matrix(1000, 2);
  for (Index i = 0; i < 2000; ++i) matrix.data()[i] = std::sin(i);
  dataset.matrix = matrix;
  dataset.labels.reset();
  // Version 5 only: HDF5 crashes at the end of the program after it could not write.
  for (const rlim_t size : {0, 200, 5000, 10000}) {
    expect_error(ErrorCode::cannot_write, {"a.mat"}, [&] {
      const FullDisk full(size);
      write_mat_version(dataset, folder / "a.mat", MatVersion::v5);
    });
  }
}

TEST(WriteMat, large_tables_use_version_73) {
  Dataset dataset = small_dataset();
  EXPECT_EQ(mat_version_for(dataset), MatVersion::v5);
  SparseMatrix huge;
  huge.starts = {0, 200000000};
  dataset.matrix = huge;
  EXPECT_EQ(mat_version_for(dataset), MatVersion::v73);
}

TEST(MatWithPython, scipy_reads_what_we_write) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io");
  const TemporaryFolder folder;
  Dataset dataset = small_dataset();
  // scipy cannot read characters that take two UTF-16 units.
  dataset.feature_names[1] = "\xce\xb2";
  write_mat(dataset, folder / "dense.mat");
  dataset.matrix = SparseMatrix{3, 2, {0, 1, 2}, {2, 0}, {5, 7}};
  dataset.labels->values = {"1", "2", "1"};
  write_mat(dataset, folder / "sparse.mat");
  expect_python_succeeds(python, folder, R"(
import scipy.io, numpy as np
m = scipy.io.loadmat('dense.mat')
assert np.array_equal(m['X'], 0.1 * np.arange(6).reshape(2, 3).T)
assert [str(c[0]) for c in m['feature_names'][0]] == ['gene \u03b1', '\u03b2'], m['feature_names']
assert m['Y'].shape == (3, 1) and m['Y'][2, 0][0] == 'long label', m['Y']
m = scipy.io.loadmat('sparse.mat')
assert m['X'].toarray().tolist() == [[0, 7], [0, 0], [5, 0]]
assert m['Y'].tolist() == [[1], [2], [1]]
)");
}

TEST(MatWithPython, we_read_what_scipy_writes) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io, scipy.sparse");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import numpy as np, scipy.io as io, scipy.sparse as sp
a = np.arange(12).reshape(3, 4)
names = np.array(['a', 'b', '\u03b1', 'dd'], dtype=object)
for packed in [False, True]:
    p = '_packed.mat' if packed else '_plain.mat'
    y = np.array([[1], [2], [1]], dtype=np.uint8)
    io.savemat('dense' + p, dict(X=a, Y=y, names=names), do_compression=packed)
    io.savemat('float' + p, dict(X=sp.csc_matrix(a.astype(np.float32)), Y=y, names=names), do_compression=packed)
    io.savemat('sparse' + p, dict(X=sp.csc_matrix(a), Y=y, names=names), do_compression=packed)
    io.savemat('bool' + p, dict(X=sp.csc_matrix(a > 5), Y=y, names=names), do_compression=packed)
)");
  for (const std::string packing : {"_plain.mat", "_packed.mat"}) {
    for (const std::string kind : {"dense", "float", "sparse", "bool"}) {
      const RawTable table = read_mat(folder / (kind + packing), {}, {});
      const DenseMatrix matrix = kind == "dense" ? dense(table) : to_dense(sparse(table));
      for (Index row = 0; row < 3; ++row) {
        for (Index column = 0; column < 4; ++column) {
          const Index value = row * 4 + column;
          EXPECT_EQ(matrix(row, column), kind == "bool" ? (value > 5 ? 1 : 0) : value) << kind;
        }
      }
      EXPECT_EQ(table.labels->values, (std::vector<std::string>{"1", "2", "1"}));
      EXPECT_EQ(table.column_names, (std::vector<std::string>{"a", "b", "\xce\xb1", "dd"}));
    }
  }
}

}  // namespace
}  // namespace sfg::detail

#endif

#include "core/symmetric_eigen.hpp"

#include <algorithm>

#include "core/lapack.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Only the wanted ones, by relatively robust representations.
std::optional<SymmetricEigen> find_some(DenseMatrix matrix, int first, Index count) {
  const int n = matrix.n_samples();
  const int last = first + count - 1;
  const double unused = 0;
  const double as_exact_as_possible = 0;
  SymmetricEigen result;
  result.values.resize(static_cast<std::size_t>(n));
  result.vectors = DenseMatrix(n, count);
  std::vector<int> support(2 * static_cast<std::size_t>(count));
  int found = 0;
  int info = 0;
  const auto call = [&](double* work, int work_size, int* integers, int integers_size) {
    dsyevr_("V", "I", "U", &n, matrix.data(), &n, &unused, &unused, &first, &last,
            &as_exact_as_possible, &found, result.values.data(), result.vectors.data(), &n,
            support.data(), work, &work_size, integers, &integers_size, &info);
  };
  double best_work = 0;
  int best_integers = 0;
  call(&best_work, -1, &best_integers, -1);
  std::vector<double> work(static_cast<std::size_t>(best_work));
  std::vector<int> integers(static_cast<std::size_t>(best_integers));
  call(work.data(), static_cast<int>(work.size()), integers.data(),
       static_cast<int>(integers.size()));
  if (info != 0 || found != count) return std::nullopt;
  result.values.resize(static_cast<std::size_t>(count));
  return result;
}

/// All of them by divide and conquer: faster than one by one.
std::optional<SymmetricEigen> find_all(DenseMatrix matrix) {
  const int n = matrix.n_samples();
  int info = 0;
  SymmetricEigen result;
  result.values.resize(static_cast<std::size_t>(n));
  const auto call = [&](double* work, int work_size, int* integers, int integers_size) {
    dsyevd_("V", "U", &n, matrix.data(), &n, result.values.data(), work, &work_size, integers,
            &integers_size, &info);
  };
  double best_work = 0;
  int best_integers = 0;
  call(&best_work, -1, &best_integers, -1);
  std::vector<double> work(static_cast<std::size_t>(best_work));
  std::vector<int> integers(static_cast<std::size_t>(best_integers));
  call(work.data(), static_cast<int>(work.size()), integers.data(),
       static_cast<int>(integers.size()));
  if (info != 0) return std::nullopt;
  result.vectors = std::move(matrix);
  return result;
}

/// By the QR algorithm: slow, and fails on nothing that is finite.
std::optional<SymmetricEigen> find_surely(DenseMatrix matrix, int first, Index count) {
  const int n = matrix.n_samples();
  int info = 0;
  constexpr int kBlock = 64;
  std::vector<double> values(static_cast<std::size_t>(n));
  std::vector<double> work(static_cast<std::size_t>(n) * kBlock);
  const auto work_size = static_cast<int>(work.size());
  dsyev_("V", "U", &n, matrix.data(), &n, values.data(), work.data(), &work_size, &info);
  if (info != 0) return std::nullopt;
  SymmetricEigen result;
  const Index start = first - 1;
  result.values.assign(values.begin() + start, values.begin() + start + count);
  result.vectors = DenseMatrix(n, count);
  std::copy_n(matrix.column(start).data(),
              static_cast<std::size_t>(n) * static_cast<std::size_t>(count), result.vectors.data());
  return result;
}

}  // namespace

std::optional<SymmetricEigen> symmetric_eigen(DenseMatrix matrix, Eigenvalues which, Index count) {
  if (count < 1) return SymmetricEigen{};
  const SingleThreadedBlas single_threaded;
  // LAPACK counts from 1.
  const int first = which == Eigenvalues::smallest ? 1 : matrix.n_samples() - count + 1;
  auto result = count == matrix.n_samples() ? find_all(matrix) : find_some(matrix, first, count);
  return result ? result : find_surely(std::move(matrix), first, count);
}

}  // namespace sfg::detail

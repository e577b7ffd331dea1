#include <algorithm>

#include "cluster/eigen_solvers.hpp"

// LAPACK comes with OpenBLAS, its C header does not.
extern "C" {
void dsyevr_(const char* job, const char* range, const char* triangle, const int* n, double* a,
             const int* leading, const double* lowest, const double* highest, const int* first,
             const int* last, const double* tolerance, int* n_found, double* values,
             double* vectors, const int* vectors_leading, int* support, double* work,
             const int* work_size, int* int_work, const int* int_work_size, int* info);
void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* leading,
            double* values, double* work, const int* work_size, int* info);
}

namespace sfg::detail {

namespace {

/// LAPACK's own advice: (block size + 6) n, with blocks of 64.
constexpr int kWorkFactor = 70;
constexpr int kIntWorkFactor = 10;

/// Columns of rising eigenvalues, the last `count` of them, turned round.
EigenPairs largest_first(const std::vector<double>& values, const double* vectors, int n,
                         int n_found, int count) {
  EigenPairs pairs;
  for (int k = n_found - 1; k >= n_found - count; --k) {
    pairs.values.push_back(values[static_cast<std::size_t>(k)]);
    const double* column = vectors + static_cast<std::ptrdiff_t>(k) * n;
    pairs.vectors.emplace_back(column, column + n);
  }
  return pairs;
}

/// Only the wanted ones, by relatively robust representations.
std::optional<EigenPairs> some_eigenpairs(DenseMatrix a, int count) {
  const int n = a.n_samples();
  const int first = n - count + 1;
  const double unused = 0;
  const double most_accurate = 0;
  int n_found = 0;
  int info = 0;
  std::vector<double> values(static_cast<std::size_t>(n));
  std::vector<double> vectors(static_cast<std::size_t>(n) * static_cast<std::size_t>(count));
  std::vector<int> support(2 * static_cast<std::size_t>(count));
  std::vector<double> work(static_cast<std::size_t>(n) * kWorkFactor);
  std::vector<int> int_work(static_cast<std::size_t>(n) * kIntWorkFactor);
  const auto work_size = static_cast<int>(work.size());
  const auto int_work_size = static_cast<int>(int_work.size());
  dsyevr_("V", "I", "L", &n, a.data(), &n, &unused, &unused, &first, &n, &most_accurate, &n_found,
          values.data(), vectors.data(), &n, support.data(), work.data(), &work_size,
          int_work.data(), &int_work_size, &info);
  if (info != 0 || n_found != count) return std::nullopt;
  return largest_first(values, vectors.data(), n, n_found, count);
}

/// All of them by the QR algorithm: slow, and fails on nothing.
std::optional<EigenPairs> all_eigenpairs(DenseMatrix a, int count) {
  const int n = a.n_samples();
  int info = 0;
  std::vector<double> values(static_cast<std::size_t>(n));
  std::vector<double> work(static_cast<std::size_t>(n) * kWorkFactor);
  const auto work_size = static_cast<int>(work.size());
  dsyev_("V", "L", &n, a.data(), &n, values.data(), work.data(), &work_size, &info);
  if (info != 0) return std::nullopt;
  return largest_first(values, a.data(), n, n, count);
}

}  // namespace

std::optional<EigenPairs> dense_eigenpairs(const NormalisedAffinity& matrix, Index count) {
  DenseMatrix a = matrix.dense();
  std::optional<EigenPairs> pairs = some_eigenpairs(a, count);
  return pairs ? pairs : all_eigenpairs(std::move(a), count);
}

}  // namespace sfg::detail

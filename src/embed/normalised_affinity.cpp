#include "embed/normalised_affinity.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/disjoint_sets.hpp"
#include "core/kernels.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

constexpr Index kIsolated = -1;
/// Rows of a dense product that one thread does at a time: fixed, and so many that starting a
/// thread pays.
constexpr Index kRowsAtOnce = 512;

std::vector<double> row_sums(const Affinity& affinity) {
  const Index n = affinity.n_samples();
  std::vector<double> sums(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const auto column = std::holds_alternative<DenseMatrix>(affinity.weights)
                            ? std::get<DenseMatrix>(affinity.weights).column(i)
                            : std::get<SparseMatrix>(affinity.weights).column_values(i);
    double sum = affinity.constant * n;
    for (const double weight : column) sum += weight;
    sums[i] = sum;
  }
  return sums;
}

}  // namespace

NormalisedAffinity::NormalisedAffinity(const Affinity& affinity, const RunContext& run)
    : affinity_(affinity),
      run_(run),
      n_(affinity.n_samples()),
      degree_(row_sums(affinity)),
      scaled_(degree_.size()) {
  for (const double degree : degree_) {
    scale_.push_back(degree > 0 ? 1 / std::sqrt(degree) : 0);
    n_active_ += degree > 0 ? 1 : 0;
  }
  find_components();
  shares_.resize(static_cast<std::size_t>(n_components_));
}

void NormalisedAffinity::find_components() {
  DisjointSets sets(n_);
  for (Index j = 0; j < n_; ++j) {
    if (affinity_.constant > 0) {
      sets.join(0, j);
    } else if (const auto* sparse = std::get_if<SparseMatrix>(&affinity_.weights)) {
      for (const Index i : sparse->column_rows(j)) sets.join(i, j);
    } else {
      const auto column = std::get<DenseMatrix>(affinity_.weights).column(j);
      for (Index i = 0; i < j; ++i) {
        if (column[i] > 0) sets.join(i, j);
      }
    }
  }
  std::vector<Index> size(degree_.size(), 0);
  std::vector<double> weight(degree_.size(), 0);
  for (Index i = 0; i < n_; ++i) {
    if (degree_[i] <= 0) continue;
    const auto root = static_cast<std::size_t>(sets.root(i));
    ++size[root];
    weight[root] += degree_[i];
  }
  std::vector<Index> roots(degree_.size());
  std::iota(roots.begin(), roots.end(), Index{0});
  std::ranges::stable_sort(roots, [&](Index a, Index b) { return size[a] > size[b]; });
  std::vector<Index> number(degree_.size(), kIsolated);
  for (const Index root : roots) {
    if (size[root] == 0) break;
    number[root] = n_components_++;
  }
  for (Index i = 0; i < n_; ++i) {
    const auto root = static_cast<std::size_t>(sets.root(i));
    component_of_.push_back(number[root]);
    component_vector_.push_back(number[root] == kIsolated ? 0
                                                          : std::sqrt(degree_[i] / weight[root]));
  }
}

void NormalisedAffinity::multiply_plain(const double* in, double* out) const {
  const auto n = static_cast<std::size_t>(n_);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    scaled_[i] = scale_[i] * in[i];
    sum += scaled_[i];
  }
  if (const auto* dense = std::get_if<DenseMatrix>(&affinity_.weights)) {
    const Index n_parts = (n_ + kRowsAtOnce - 1) / kRowsAtOnce;
    parallel_for(run_, {}, n_parts, [&](std::int64_t part) {
      const Index begin = static_cast<Index>(part) * kRowsAtOnce;
      const Index count = std::min(kRowsAtOnce, n_ - begin);
      cblas_dgemv(CblasColMajor, CblasTrans, n_, count, 1.0, dense->column(begin).data(), n_,
                  scaled_.data(), 1, 0.0, out + begin, 1);
    });
  } else {
    const auto& sparse = std::get<SparseMatrix>(affinity_.weights);
    for (Index i = 0; i < n_; ++i) {
      const auto others = sparse.column_rows(i);
      const auto weights = sparse.column_values(i);
      double product = 0;
      for (std::size_t e = 0; e < others.size(); ++e) {
        product += weights[e] * scaled_[others[e]];
      }
      out[i] = product;
    }
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = scale_[i] * (out[i] + affinity_.constant * sum);
}

void NormalisedAffinity::multiply(const double* in, double* out) const {
  check_stop(run_);
  multiply_plain(in, out);
  // The vectors of eigenvalue 1 do not overlap: one pass for the products with all of them.
  const auto n = static_cast<std::size_t>(n_);
  std::ranges::fill(shares_, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (component_of_[i] != kIsolated) {
      shares_[component_of_[i]] += component_vector_[i] * in[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (component_of_[i] == kIsolated) {
      out[i] = kPushedTo * in[i];
    } else {
      out[i] += (kPushedTo - 1) * component_vector_[i] * shares_[component_of_[i]];
    }
  }
  for (const Known& known : known_) {
    add_multiple(known.factor * dot(known.vector.data(), in, n), known.vector.data(), out, n);
  }
}

void NormalisedAffinity::push_away(std::span<const double> vector, double value) {
  known_.push_back({{vector.begin(), vector.end()}, kPushedTo - value});
}

double NormalisedAffinity::residual(std::span<const double> vector, double value) const {
  std::vector<double> image(vector.size());
  multiply_plain(vector.data(), image.data());
  add_multiple(-value, vector.data(), image.data(), image.size());
  return std::sqrt(dot(image.data(), image.data(), image.size()));
}

DenseMatrix NormalisedAffinity::dense() const {
  DenseMatrix result(n_, n_);
  if (const auto* sparse = std::get_if<SparseMatrix>(&affinity_.weights)) {
    for (Index j = 0; j < n_; ++j) {
      const auto others = sparse->column_rows(j);
      const auto weights = sparse->column_values(j);
      for (std::size_t e = 0; e < others.size(); ++e) result(others[e], j) = weights[e];
    }
  } else {
    result = std::get<DenseMatrix>(affinity_.weights);
  }
  for (Index j = 0; j < n_; ++j) {
    const auto column = result.column(j);
    const auto b = static_cast<std::size_t>(j);
    for (std::size_t a = 0; a < column.size(); ++a) {
      column[a] = scale_[a] * (column[a] + affinity_.constant) * scale_[b];
      if (component_of_[a] == component_of_[b] && component_of_[a] != kIsolated) {
        column[a] += (kPushedTo - 1) * component_vector_[a] * component_vector_[b];
      }
    }
    if (component_of_[b] == kIsolated) column[b] = kPushedTo;
    for (const Known& known : known_) {
      add_multiple(known.factor * known.vector[b], known.vector.data(), column.data(),
                   column.size());
    }
  }
  return result;
}

}  // namespace sfg::detail

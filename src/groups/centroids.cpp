#include "groups/centroids.hpp"

#include <algorithm>
#include <utility>

#include "core/kernels.hpp"

namespace sfg::detail {

namespace {

/// Groups of one are columns of the data; larger ones have a column of their own, which a union
/// takes over from its parts. There are never more than d / 2 of these.
class DenseCentroids final : public Centroids {
 public:
  explicit DenseCentroids(const DenseMatrix& matrix)
      : Centroids(matrix.n_features()),
        matrix_(matrix),
        means_(static_cast<std::size_t>(matrix.n_features())) {}

  void expand(Index group, double* out) const override {
    std::copy_n(mean(group), matrix_.n_samples(), out);
  }

 protected:
  [[nodiscard]] Distance distance(Index a, Index b) const override {
    const auto [to, to_negated] =
        squared_distances(mean(a), mean(b), static_cast<std::size_t>(matrix_.n_samples()));
    return {std::min(to, to_negated), to_negated < to};
  }

  void combine(Index a, Index b, double factor_a, double factor_b) override {
    const double* left = mean(a);
    const double* right = mean(b);
    auto& own = means_[a];
    auto& other = means_[b];
    std::vector<double> result = std::move(own.empty() ? other : own);
    result.resize(static_cast<std::size_t>(matrix_.n_samples()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = factor_a * left[i] + factor_b * right[i];
    }
    own = std::move(result);
    other = {};
  }

 private:
  [[nodiscard]] const double* mean(Index group) const noexcept {
    const auto& own = means_[group];
    return own.empty() ? matrix_.column(group).data() : own.data();
  }

  const DenseMatrix& matrix_;
  std::vector<std::vector<double>> means_;
};

/// mu = stored entries - shift in every row. The entries of a union are those of its parts: all
/// groups together never hold more than the data.
class SparseCentroids final : public Centroids {
 public:
  explicit SparseCentroids(const UnitFeatures& features)
      : Centroids(features.n_features()),
        matrix_(std::get<SparseMatrix>(features.matrix)),
        shift_(features.shift),
        means_(static_cast<std::size_t>(features.n_features())) {
    shift_.resize(means_.size(), 0.0);
  }

  void expand(Index group, double* out) const override {
    std::fill_n(out, matrix_.n_samples, -shift(group));
    const Entries entries = stored(group);
    for (std::size_t k = 0; k < entries.rows.size(); ++k) out[entries.rows[k]] += entries.values[k];
  }

 protected:
  [[nodiscard]] Distance distance(Index a, Index b) const override {
    SquaredDistances sum{0, 0};
    const double difference = shift(a) - shift(b);
    const double total = shift(a) + shift(b);
    Index n_stored = 0;
    for_each_row(a, b, [&](Index, double left, double right) {
      const double apart = (left - right) - difference;
      const double together = (left + right) - total;
      sum.to += apart * apart;
      sum.to_negated += together * together;
      ++n_stored;
    });
    const double n_rest = matrix_.n_samples - n_stored;
    sum.to += n_rest * difference * difference;
    sum.to_negated += n_rest * total * total;
    return {std::min(sum.to, sum.to_negated), sum.to_negated < sum.to};
  }

  void combine(Index a, Index b, double factor_a, double factor_b) override {
    Mean result;
    for_each_row(a, b, [&](Index row, double left, double right) {
      result.rows.push_back(row);
      result.values.push_back(factor_a * left + factor_b * right);
    });
    shift_[a] = factor_a * shift(a) + factor_b * shift(b);
    means_[a] = std::move(result);
    means_[b] = {};
  }

 private:
  struct Mean {
    std::vector<Index> rows;
    std::vector<double> values;
  };
  struct Entries {
    std::span<const Index> rows;
    std::span<const double> values;
  };

  [[nodiscard]] double shift(Index group) const noexcept { return shift_[group]; }
  [[nodiscard]] Entries stored(Index group) const noexcept {
    const auto& own = means_[group];
    if (!own.rows.empty()) return {own.rows, own.values};
    return {matrix_.column_rows(group), matrix_.column_values(group)};
  }

  /// body(row, entry of a or 0, entry of b or 0) for every row that is stored in one of them.
  template <typename Body>
  void for_each_row(Index a, Index b, const Body& body) const {
    const Entries left = stored(a);
    const Entries right = stored(b);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < left.rows.size() || j < right.rows.size()) {
      if (j == right.rows.size() || (i < left.rows.size() && left.rows[i] < right.rows[j])) {
        body(left.rows[i], left.values[i], 0.0);
        ++i;
      } else if (i == left.rows.size() || right.rows[j] < left.rows[i]) {
        body(right.rows[j], 0.0, right.values[j]);
        ++j;
      } else {
        body(left.rows[i], left.values[i], right.values[j]);
        ++i;
        ++j;
      }
    }
  }

  const SparseMatrix& matrix_;
  std::vector<double> shift_;
  std::vector<Mean> means_;
};

}  // namespace

std::unique_ptr<Centroids> Centroids::make(const UnitFeatures& features) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    return std::make_unique<DenseCentroids>(*dense);
  }
  return std::make_unique<SparseCentroids>(features);
}

double Centroids::cost(Index a, Index b) const {
  return size(a) * size(b) / (size(a) + size(b)) * distance(a, b).square;
}

void Centroids::merge(Index a, Index b) {
  if (a > b) std::swap(a, b);
  const double total = size(a) + size(b);
  const double sign = distance(a, b).negated ? -1.0 : 1.0;
  combine(a, b, size(a) / total, sign * size(b) / total);
  size_[a] = total;
}

}  // namespace sfg::detail

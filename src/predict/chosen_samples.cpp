// Long tables through a choice of their samples.
#include <algorithm>
#include <numeric>

#include "core/random.hpp"
#include "sfg/predict.hpp"

namespace sfg {

namespace {

DenseMatrix rows_of(const DenseMatrix& all, std::span<const Index> samples) {
  DenseMatrix chosen(static_cast<Index>(samples.size()), all.n_features());
  for (Index f = 0; f < all.n_features(); ++f) {
    const auto from = all.column(f);
    const auto to = chosen.column(f);
    for (std::size_t k = 0; k < samples.size(); ++k) to[k] = from[samples[k]];
  }
  return chosen;
}

SparseMatrix rows_of(const SparseMatrix& all, std::span<const Index> samples) {
  std::vector<Index> place(static_cast<std::size_t>(all.n_samples), -1);
  for (std::size_t k = 0; k < samples.size(); ++k) place[samples[k]] = static_cast<Index>(k);
  SparseMatrix chosen;
  chosen.n_samples = static_cast<Index>(samples.size());
  chosen.n_features = all.n_features;
  std::vector<Index> rows;
  std::vector<double> values;
  for (Index f = 0; f < all.n_features; ++f) {
    const auto old_rows = all.column_rows(f);
    const auto old_values = all.column_values(f);
    for (std::size_t k = 0; k < old_rows.size(); ++k) {
      if (place[old_rows[k]] < 0) continue;
      rows.push_back(place[old_rows[k]]);
      values.push_back(old_values[k]);
    }
    chosen.starts.push_back(static_cast<Offset>(rows.size()));
  }
  chosen.rows = std::move(rows);
  chosen.values = std::move(values);
  return chosen;
}

/// Gaps of the chosen samples, by their new numbers.
std::shared_ptr<const Gaps> rows_of(const std::shared_ptr<const Gaps>& all, Index n_features,
                                    std::span<const Index> samples) {
  if (all == nullptr) return nullptr;
  auto chosen = std::make_shared<Gaps>();
  for (Index f = 0; f < n_features; ++f) {
    for (const Index row : all->of(f)) {
      const auto found = std::ranges::lower_bound(samples, row);
      if (found == samples.end() || *found != row) continue;
      chosen->rows.push_back(static_cast<Index>(found - samples.begin()));
    }
    chosen->close();
  }
  return chosen;
}

}  // namespace

UnitFeatures at_most_samples(const UnitFeatures& centred, Index most, const RunContext& run) {
  if (centred.n_samples() <= most) return view_of(centred);
  std::vector<Index> samples(static_cast<std::size_t>(centred.n_samples()));
  std::iota(samples.begin(), samples.end(), Index{0});
  detail::Random random(run.seed);
  samples = detail::random_choice(samples, static_cast<std::size_t>(most), random);
  Matrix chosen = std::visit([&](const auto& matrix) -> Matrix { return rows_of(matrix, samples); },
                             centred.matrix);
  // Ascending samples keep sparse rows ascending.
  UnitFeatures result = normalise(std::move(chosen), {Centering::mean}, run);
  result.gaps = rows_of(centred.gaps, centred.n_features(), samples);
  return result;
}

}  // namespace sfg

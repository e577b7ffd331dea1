#include "normalise/permuted.hpp"

#include <algorithm>
#include <numeric>

namespace sfg::detail {

namespace {

/// Every column's values in a random order of the samples.
void permute_samples(UnitFeatures& features, Random& random) {
  std::vector<Index> place(static_cast<std::size_t>(features.n_samples()));
  std::iota(place.begin(), place.end(), Index{0});
  for (Index f = 0; f < features.n_features(); ++f) {
    if (auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
      auto column = dense->column(f);
      shuffle(column, random);
      continue;
    }
    auto& sparse = std::get<SparseMatrix>(features.matrix);
    shuffle(place, random);
    const auto first = static_cast<std::size_t>(sparse.starts[f]);
    const std::size_t count = sparse.column_rows(f).size();
    std::vector<std::pair<Index, double>> entries(count);
    for (std::size_t k = 0; k < count; ++k) {
      entries[k] = {place[sparse.rows[first + k]], sparse.values[first + k]};
    }
    std::ranges::sort(entries);
    for (std::size_t k = 0; k < count; ++k) {
      sparse.rows[first + k] = entries[k].first;
      sparse.values[first + k] = entries[k].second;
    }
  }
}

}  // namespace

UnitFeatures permuted(const UnitFeatures& features, std::span<const Index> chosen, Random& random) {
  UnitFeatures result = select_features(features, chosen);
  result.gaps = nullptr;  // they are in other places now, and nobody asks
  permute_samples(result, random);
  return result;
}

}  // namespace sfg::detail

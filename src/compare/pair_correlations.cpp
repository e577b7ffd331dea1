#include "compare/pair_correlations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

RunContext PairCorrelations::while_held(RunContext run) const {
  run.memory_held += sizeof(float) * values_.size();
  return run;
}

void PairCorrelations::require(int n_matrices, const RunContext& run) {
  const auto d = static_cast<double>(size());
  const int missing = values_.empty() ? n_matrices : n_matrices - 1;
  require_memory(sizeof(float) * d * d * missing, run,
                 fmt::format("a table of all pairs of {} features", size()),
                 "raise {memory_limit}");
  if (values_.empty()) find(run);
}

std::size_t PairCorrelations::place(Index feature) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(features_, feature) - features_.begin());
}

void PairCorrelations::find(const RunContext& run) {
  constexpr std::size_t kPairTile = 256;
  const SingleThreadedBlas single_threaded;
  const std::size_t d = size();
  values_.resize(d * d);
  const std::span<const Index> all(features_);
  const std::size_t n_tiles = (d + kPairTile - 1) / kPairTile;
  parallel_for(run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t tile) {
    FeatureProducts products(centred_);
    std::vector<double> block(kPairTile * kPairTile);
    const std::size_t first = static_cast<std::size_t>(tile) * kPairTile;
    const auto columns = all.subspan(first, std::min(kPairTile, d - first));
    // A tile and those after it; the mirror image of a pair is the same number.
    for (std::size_t start = first; start < d; start += kPairTile) {
      const auto rows = all.subspan(start, std::min(kPairTile, d - start));
      products(rows, columns, block.data());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const double r = std::min(1.0, std::fabs(block[c * rows.size() + k]));
          values_[(first + c) * d + start + k] = static_cast<float>(r);
          values_[(start + k) * d + first + c] = static_cast<float>(r);
        }
      }
    }
  });
  for (std::size_t k = 0; k < d; ++k) values_[k * d + k] = 1;
}

}  // namespace sfg::detail

#include "groups/medoid_scores.hpp"

#include <algorithm>

#include "core/kernels.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Members whose products are found at once.
constexpr std::size_t kMedoidTile = 128;
/// Below this many products a call of BLAS is not worth its overhead.
constexpr std::size_t kFewProducts = 16;

std::span<const Index> tile_of(std::span<const Index> members, std::size_t first) {
  return members.subspan(first, std::min(kMedoidTile, members.size() - first));
}

double& score_of(std::vector<double>& scores, Index feature) {
  return scores[feature];
}

}  // namespace

/// Products of pairs cost |A||B|n; the sum of outer products of all members (|A|+|B|) n^2 twice.
bool MedoidScores::is_large(std::size_t left, std::size_t right) const noexcept {
  const double pairs = static_cast<double>(left) * static_cast<double>(right);
  const double both = static_cast<double>(left) + static_cast<double>(right);
  return std::holds_alternative<DenseMatrix>(features_.matrix) &&
         pairs > 2 * both * features_.n_samples();
}

void MedoidScores::join(std::span<const Index> left, std::span<const Index> right,
                        std::vector<double>& scores) {
  if (left.size() * right.size() <= kFewProducts) {
    for (const Index i : left) {
      for (const Index j : right) {
        const double product = inner_product(features_, i, j);
        score_of(scores, i) += product * product;
        score_of(scores, j) += product * product;
      }
    }
    return;
  }
  block_.resize(kMedoidTile * kMedoidTile);
  for (std::size_t i = 0; i < left.size(); i += kMedoidTile) {
    const auto rows = tile_of(left, i);
    for (std::size_t j = 0; j < right.size(); j += kMedoidTile) {
      const auto columns = tile_of(right, j);
      products_(rows, columns, block_.data());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        double sum = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
          const double product = block_[c * rows.size() + r];
          score_of(scores, rows[r]) += product * product;
          sum += product * product;
        }
        score_of(scores, columns[c]) += sum;
      }
    }
  }
}

void MedoidScores::whole(std::span<const Index> members, std::vector<double>& scores) {
  for (const Index member : members) score_of(scores, member) = 0;
  block_.resize(kMedoidTile * kMedoidTile);
  for (std::size_t i = 0; i < members.size(); i += kMedoidTile) {
    const auto rows = tile_of(members, i);
    for (std::size_t j = 0; j < members.size(); j += kMedoidTile) {
      const auto columns = tile_of(members, j);
      products_(rows, columns, block_.data());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
          const double product = block_[c * rows.size() + r];
          score_of(scores, rows[r]) += product * product;
        }
      }
    }
  }
}

void medoid_scores_of_large(const UnitFeatures& features, std::span<const Index> members,
                            const RunContext& run, std::vector<double>& scores) {
  // Chunks are the same for every number of threads, and so is the order of their sums.
  constexpr std::size_t kChunk = 4096;
  const std::size_t n_chunks = (members.size() + kChunk - 1) / kChunk;
  const auto chunk_of = [&](std::int64_t chunk) {
    const std::size_t first = static_cast<std::size_t>(chunk) * kChunk;
    return members.subspan(first, std::min(kChunk, members.size() - first));
  };
  std::vector<std::vector<double>> parts(n_chunks);
  parallel_for(run, {}, static_cast<std::int64_t>(n_chunks), [&](std::int64_t chunk) {
    parts[chunk] = outer_products(features, chunk_of(chunk));
  });
  std::vector<double> outer = std::move(parts.front());
  for (std::size_t k = 1; k < n_chunks; ++k) {
    add_multiple(1.0, parts[k].data(), outer.data(), outer.size());
    parts[k] = {};
  }
  parallel_for(run, {}, static_cast<std::int64_t>(n_chunks), [&](std::int64_t chunk) {
    const auto own = chunk_of(chunk);
    std::vector<double> forms(own.size());
    quadratic_forms(features, own, outer.data(), forms.data());
    for (std::size_t k = 0; k < own.size(); ++k) score_of(scores, own[k]) = forms[k];
  });
}

}  // namespace sfg::detail

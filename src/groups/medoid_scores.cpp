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
  const bool fewer_left = left.size() < right.size();
  if (by_sample_ != nullptr &&
      is_faster_by_sample(fewer_left ? left : right, fewer_left ? right : left)) {
    join_by_sample(left, right, scores);
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

/// Entries that are looked at: those of all samples that the few have entries in, against those of
/// the many for each of the few.
bool MedoidScores::is_faster_by_sample(std::span<const Index> few,
                                       std::span<const Index> many) const {
  const auto& sparse = std::get<SparseMatrix>(features_.matrix);
  std::size_t by_sample = 0;
  for (const Index feature : few) {
    for (const Index row : sparse.column_rows(feature)) {
      by_sample += by_sample_->column_rows(row).size();
    }
  }
  std::size_t by_feature = 0;
  for (const Index feature : many) by_feature += sparse.column_rows(feature).size();
  return by_sample < few.size() * by_feature;
}

/// Samples come in ascending order, as they do in FeatureProducts: the same sums.
void MedoidScores::multiply_by_sample(Index feature, std::span<const Index> many,
                                      bool many_are_left) {
  const auto& sparse = std::get<SparseMatrix>(features_.matrix);
  const auto n = static_cast<double>(sparse.n_samples);
  row_.assign(many.size(), 0.0);
  if (!features_.shift.empty()) {
    const double own = features_.shift[feature];
    for (std::size_t k = 0; k < many.size(); ++k) {
      const double other = features_.shift[many[k]];
      row_[k] = many_are_left ? -(n * own) * other : -(n * other) * own;
    }
  }
  const auto rows = sparse.column_rows(feature);
  const auto values = sparse.column_values(feature);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto features = by_sample_->column_rows(rows[r]);
    const auto entries = by_sample_->column_values(rows[r]);
    for (std::size_t k = 0; k < features.size(); ++k) {
      if (const Index place = place_[features[k]]; place >= 0)
        row_[place] += values[r] * entries[k];
    }
  }
}

void MedoidScores::join_by_sample(std::span<const Index> left, std::span<const Index> right,
                                  std::vector<double>& scores) {
  const bool many_are_left = left.size() >= right.size();
  const auto many = many_are_left ? left : right;
  const auto few = many_are_left ? right : left;
  place_.resize(features_.kind.size(), -1);
  for (std::size_t k = 0; k < many.size(); ++k) place_[many[k]] = static_cast<Index>(k);
  for (std::size_t start = 0; start < few.size(); start += kMedoidTile) {
    sums_.assign(many.size(), 0.0);
    for (const Index feature : tile_of(few, start)) {
      multiply_by_sample(feature, many, many_are_left);
      // Sums in the order of join: over a tile of the left ones at a time.
      double& own = score_of(scores, feature);
      for (std::size_t first = 0; first < many.size(); first += kMedoidTile) {
        const std::size_t last = std::min(first + kMedoidTile, many.size());
        double sum = many_are_left ? 0.0 : own;
        for (std::size_t k = first; k < last; ++k) {
          const double square = row_[k] * row_[k];
          sum += square;
          (many_are_left ? score_of(scores, many[k]) : sums_[k]) += square;
        }
        own = many_are_left ? own + sum : sum;
      }
    }
    if (many_are_left) continue;
    for (std::size_t k = 0; k < many.size(); ++k) score_of(scores, many[k]) += sums_[k];
  }
  for (const Index feature : many) place_[feature] = -1;
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

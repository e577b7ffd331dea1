#include "groups/medoid_scores.hpp"

#include <algorithm>

namespace sfg::detail {

namespace {

/// Members whose products are found at once.
constexpr std::size_t kTile = 128;
/// Below this many products a call of BLAS is not worth its overhead.
constexpr std::size_t kFewProducts = 16;

std::span<const Index> tile_of(std::span<const Index> members, std::size_t first) {
  return members.subspan(first, std::min(kTile, members.size() - first));
}

double& score_of(std::vector<double>& scores, Index feature) {
  return scores[static_cast<std::size_t>(feature)];
}

}  // namespace

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
  // Products of pairs cost |A||B|n; the sum of outer products of all members (|A|+|B|) n^2 twice.
  const double pairs = static_cast<double>(left.size()) * static_cast<double>(right.size());
  const double both = static_cast<double>(left.size()) + static_cast<double>(right.size());
  if (std::holds_alternative<DenseMatrix>(features_.matrix) &&
      pairs > 2 * both * features_.n_samples()) {
    // The parts stand side by side in one array (MergeTree).
    from_outer_products({left.data(), left.size() + right.size()}, scores);
    return;
  }
  block_.resize(kTile * kTile);
  for (std::size_t i = 0; i < left.size(); i += kTile) {
    const auto rows = tile_of(left, i);
    for (std::size_t j = 0; j < right.size(); j += kTile) {
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
  const bool dense = std::holds_alternative<DenseMatrix>(features_.matrix);
  if (dense && members.size() > 4 * static_cast<std::size_t>(features_.n_samples())) {
    from_outer_products(members, scores);
    return;
  }
  block_.resize(kTile * kTile);
  for (std::size_t i = 0; i < members.size(); i += kTile) {
    const auto rows = tile_of(members, i);
    for (std::size_t j = 0; j < members.size(); j += kTile) {
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

/// sum_l <f_j, f_l>^2 = f_j' (sum_l f_l f_l') f_j, for groups of more members than samples.
void MedoidScores::from_outer_products(std::span<const Index> members,
                                       std::vector<double>& scores) {
  const std::vector<double> outer = outer_products(features_, members);
  std::vector<double> forms(members.size());
  quadratic_forms(features_, members, outer.data(), forms.data());
  for (std::size_t k = 0; k < members.size(); ++k) score_of(scores, members[k]) = forms[k];
}

}  // namespace sfg::detail

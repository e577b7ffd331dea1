#include "sfg/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "score/contingency.hpp"
#include "sfg/dataset.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// Labels as numbers from 0, in the order of the labels.
struct Codes {
  std::vector<Index> values;
  Index n_classes = 0;
};

template <typename Label>
Codes encode(std::span<const Label> labels) {
  std::map<Label, Index> codes;
  for (const Label& label : labels) codes.emplace(label, 0);
  Codes result;
  for (auto& [label, code] : codes) code = result.n_classes++;
  for (const Label& label : labels) result.values.push_back(codes.at(label));
  return result;
}

/// H = -sum p ln p of counts that add up to n.
double entropy(std::span<const Index> counts, double n) {
  double sum = 0;
  for (const Index count : counts) {
    const double share = count / n;
    if (count > 0) sum -= share * std::log(share);
  }
  return sum;
}

/// I(A; B) / max(H(A), H(B)), I = H(A) + H(B) - H(A, B).
double normalised_information(const detail::Contingency& table, double n) {
  // As many pairs as classes and clusters: each class is one cluster. Said without logarithms, so
  // that it is 1 and not nearly 1.
  const auto n_pairs = static_cast<Index>(table.counts.size());
  if (n_pairs == table.n_rows() && n_pairs == table.n_columns()) return 1;
  const double of_rows = entropy(table.row_sums, n);
  const double of_columns = entropy(table.column_sums, n);
  const double larger = std::max(of_rows, of_columns);
  if (table.n_rows() == 1 || table.n_columns() == 1) return 0;
  const double information = of_rows + of_columns - entropy(table.counts, n);
  return std::clamp(information / larger, 0.0, 1.0);
}

void require_equal_lengths(std::size_t n_a, std::size_t n_b) {
  if (n_a == n_b) return;
  throw Error(ErrorCode::inconsistent_input,
              fmt::format("there are {} labels on one side and {} on the other; both must label "
                          "the same samples",
                          n_a, n_b));
}

LabelScores score(const Codes& a, const Codes& b) {
  require_equal_lengths(a.values.size(), b.values.size());
  if (a.values.empty()) {
    throw Error(ErrorCode::degenerate_data, "there are no labels to compare");
  }
  const auto table = detail::count_pairs(a.values, b.values, a.n_classes, b.n_classes);
  const auto n = static_cast<double>(a.values.size());
  LabelScores scores;
  scores.nmi = normalised_information(table, n);
  scores.acc = static_cast<double>(detail::largest_matching(table)) / n;
  scores.n_samples = static_cast<Index>(a.values.size());
  scores.n_classes_a = a.n_classes;
  scores.n_classes_b = b.n_classes;
  return scores;
}

bool is_unknown(const std::string& label) {
  return is_missing_label(label);
}

bool is_unknown(Index) {
  return false;
}

/// The scores of the samples that have a label on both sides.
template <typename A, typename B>
LabelScores score_known(std::span<const A> a, std::span<const B> b) {
  require_equal_lengths(a.size(), b.size());
  std::vector<A> known_a;
  std::vector<B> known_b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_unknown(a[i]) || is_unknown(b[i])) continue;
    known_a.push_back(a[i]);
    known_b.push_back(b[i]);
  }
  if (known_a.empty() && !a.empty()) {
    throw Error(ErrorCode::degenerate_data,
                "no sample has a label: all are empty, NA or nan, so there is nothing to compare");
  }
  LabelScores scores =
      score(encode(std::span<const A>(known_a)), encode(std::span<const B>(known_b)));
  scores.n_unlabelled = static_cast<Index>(a.size() - known_a.size());
  return scores;
}

}  // namespace

LabelScores score_labels(std::span<const std::string> a, std::span<const std::string> b) {
  return score_known(a, b);
}

LabelScores score_labels(std::span<const Index> a, std::span<const Index> b) {
  return score(encode(a), encode(b));
}

LabelScores score_labels(std::span<const std::string> classes, std::span<const Index> clusters) {
  return score_known(classes, clusters);
}

}  // namespace sfg

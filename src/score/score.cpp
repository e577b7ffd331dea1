#include "sfg/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "score/contingency.hpp"
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

LabelScores score(const Codes& a, const Codes& b) {
  if (a.values.size() != b.values.size()) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("there are {} labels on one side and {} on the other; both must label "
                            "the same samples",
                            a.values.size(), b.values.size()));
  }
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

}  // namespace

LabelScores score_labels(std::span<const std::string> a, std::span<const std::string> b) {
  return score(encode(a), encode(b));
}

LabelScores score_labels(std::span<const Index> a, std::span<const Index> b) {
  return score(encode(a), encode(b));
}

LabelScores score_labels(std::span<const std::string> classes, std::span<const Index> clusters) {
  return score(encode(classes), encode(clusters));
}

}  // namespace sfg

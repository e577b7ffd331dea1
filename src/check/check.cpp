#include "sfg/check.hpp"

#include <algorithm>
#include <unordered_map>

#include "check/column_facts.hpp"
#include "core/missing_words.hpp"
#include "sfg/normalise.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

/// Shares of missing cells from which on, and up to which, comparing by common samples is advised.
constexpr double kFewGaps = 0.01;
constexpr double kManyGaps = 0.5;

using detail::ColumnFacts;

ColumnKind kind_of(const ColumnFacts& facts) {
  if (facts.n_finite == 0) return ColumnKind::empty;
  if (facts.n_different == 1) return ColumnKind::constant;
  if (facts.n_different == 2) return ColumnKind::flag;
  return facts.is_whole ? ColumnKind::whole : ColumnKind::number;
}

ColumnKind kind_of(TextKind kind) {
  switch (kind) {
    case TextKind::category:
      return ColumnKind::category;
    case TextKind::name:
      return ColumnKind::name;
    case TextKind::date:
      return ColumnKind::date;
    case TextKind::time:
      return ColumnKind::time;
    case TextKind::text:
      break;
  }
  return ColumnKind::text;
}

/// A code for missing values makes a tail of its own: it has to go first.
Taming taming_of(const ColumnFacts& facts, const std::vector<MissingCode>& codes) {
  const bool has_code = std::ranges::any_of(codes, [&](const MissingCode& code) {
    return code.value == facts.low || code.value == facts.high;
  });
  if (!facts.has_heavy_tails() || has_code) return Taming::none;
  return facts.low >= 0 ? Taming::log : Taming::rank;
}

CheckedColumn check_feature(const Dataset& dataset, Index feature,
                            const std::vector<MissingCode>& codes) {
  const ColumnFacts facts = detail::facts_of(dataset.matrix, feature);
  CheckedColumn column;
  column.name = dataset.feature_names[feature];
  column.kind = kind_of(facts);
  column.n_missing = facts.n_missing;
  column.is_id = detail::looks_like_id(dataset.matrix, feature, facts, column.name);
  column.taming = column.is_id ? Taming::none : taming_of(facts, codes);
  return column;
}

CheckedColumn check_text(const TextColumn& text) {
  CheckedColumn column;
  column.name = text.name;
  column.kind = kind_of(text.kind);
  column.n_missing = std::ranges::count_if(
      text.values, [](const std::string& value) { return detail::is_missing_word(value); });
  if (column.n_missing == static_cast<Offset>(text.values.size())) column.kind = ColumnKind::empty;
  return column;
}

void mark_copies(const Dataset& dataset, std::vector<CheckedColumn>& columns) {
  std::unordered_map<std::size_t, std::vector<Index>> by_hash;
  for (Index feature = 0; feature < n_features(dataset.matrix); ++feature) {
    const auto kind = columns[feature].kind;
    if (kind == ColumnKind::constant || kind == ColumnKind::empty) continue;
    auto& same = by_hash[detail::hash_of(dataset.matrix, feature)];
    for (const Index other : same) {
      if (!detail::are_equal(dataset.matrix, feature, other)) continue;
      columns[feature].copy_of = other;
      break;
    }
    if (columns[feature].copy_of < 0) same.push_back(feature);
  }
}

/// More features than this take longer than a look should.
constexpr std::size_t kMostForEquations = 1000;
/// Fewer samples per feature let chance make equations.
constexpr std::size_t kSamplesPerFeature = 4;

/// One in so many samples has to have values in all features that are looked at.
constexpr std::size_t kOneCompleteIn = 2;

/// Features that can be part of an equation: that vary, are no copy and no id. Fewest gaps first.
std::vector<Index> fit_for_equations(const TableCheck& check) {
  std::vector<Index> features;
  for (Index feature = 0; feature < check.n_features; ++feature) {
    const CheckedColumn& column = check.columns[feature];
    const bool varies = column.kind != ColumnKind::constant && column.kind != ColumnKind::empty;
    if (varies && column.copy_of < 0 && !column.is_id) features.push_back(feature);
  }
  std::ranges::stable_sort(features, {},
                           [&](Index feature) { return check.columns[feature].n_missing; });
  return features;
}

/// A part of the table without gaps.
struct CompletePart {
  std::vector<Index> features;
  std::vector<Index> samples;
};

/// All features without gaps; those with some as long as enough samples are left.
CompletePart complete_part(const Dataset& dataset, const TableCheck& check) {
  const auto n = static_cast<std::size_t>(check.n_samples);
  CompletePart part;
  std::vector<bool> has_gap(n, false);
  for (const Index feature : fit_for_equations(check)) {
    if (check.columns[feature].n_missing > 0) {
      std::vector<bool> with_it = has_gap;
      detail::mark_gaps(dataset.matrix, feature, with_it);
      const auto n_left = static_cast<std::size_t>(std::ranges::count(with_it, false));
      const bool is_enough =
          kOneCompleteIn * n_left >= n && n_left >= kSamplesPerFeature * (part.features.size() + 1);
      if (!is_enough) continue;
      has_gap = std::move(with_it);
    }
    part.features.push_back(feature);
  }
  std::ranges::sort(part.features);
  for (std::size_t i = 0; i < n; ++i) {
    if (!has_gap[i]) part.samples.push_back(static_cast<Index>(i));
  }
  return part;
}

void find_equations_in(const Dataset& dataset, TableCheck& check, const RunContext& run) {
  if (fit_for_equations(check).size() > kMostForEquations) return;
  const CompletePart part = complete_part(dataset, check);
  const auto& features = part.features;
  if (features.size() < 2 || part.samples.size() < kSamplesPerFeature * features.size()) return;
  Dataset complete;
  complete.matrix = select_features(dataset.matrix, features);
  NormaliseOptions centred;
  centred.centering = Centering::mean;
  check.equations = find_equations(
      normalise(select_samples(complete, part.samples).matrix, centred, run), {}, {}, run);
  for (Equation& equation : check.equations) {
    equation.feature = features[equation.feature];
    for (Term& term : equation.combination.terms) term.feature = features[term.feature];
  }
  check.n_equation_samples = static_cast<Index>(part.samples.size());
}

/// Ranks tame everything; logarithms keep sizes, and counts stay sparse.
std::vector<Transform> taming_transforms(const TableCheck& check, const Matrix& matrix) {
  const auto is_heavy = [](const CheckedColumn& column) { return column.taming != Taming::none; };
  if (std::ranges::none_of(check.columns, is_heavy)) return {};
  const bool no_negative = survey(matrix).lowest >= 0;
  return no_negative ? std::vector{Transform::rank, Transform::log1p}
                     : std::vector{Transform::rank};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

/// Whether cells are missing in a number for which means would bend correlations, and that leaves
/// samples in which two features have values.
bool has_moderate_gaps(const TableCheck& check) {
  double n_missing = 0;
  double n_cells = 0;
  for (Index feature = 0; feature < check.n_features; ++feature) {
    const CheckedColumn& column = check.columns[feature];
    if (column.kind == ColumnKind::empty || column.is_id) continue;
    n_missing += static_cast<double>(column.n_missing);
    n_cells += check.n_samples;
  }
  const bool is_moderate =
      n_missing >= kFewGaps * n_cells && n_missing <= kManyGaps * n_cells && n_cells > 0;
  return is_moderate && check.n_samples > kFewestCommon;
}

void add_advice(TableCheck& check) {
  if (check.is_turned) check.advice.emplace_back("features_in_rows", "true");
  std::vector<std::string> ids;
  for (const CheckedColumn& column : check.columns) {
    if (column.is_id) ids.push_back(column.name);
  }
  if (!ids.empty() && !check.is_turned) check.advice.emplace_back("sample_ids", joined(ids));
  std::vector<std::string> codes;
  for (const MissingCode& code : check.codes) codes.push_back(format_number(code.value));
  if (!codes.empty()) check.advice.emplace_back("na_values", joined(codes));
  if (has_moderate_gaps(check)) {
    check.advice.emplace_back("missing", choice_name(Missing::pairwise));
  }
}

}  // namespace

TableCheck check_table(const Dataset& dataset, const RunContext& run) {
  TableCheck check;
  check.n_samples = n_samples(dataset.matrix);
  check.n_features = n_features(dataset.matrix);
  check.codes = find_missing_codes(dataset.matrix);
  for (Index feature = 0; feature < check.n_features; ++feature) {
    check.columns.push_back(check_feature(dataset, feature, check.codes));
  }
  mark_copies(dataset, check.columns);
  find_equations_in(dataset, check, run);
  for (const TextColumn& text : dataset.texts) check.columns.push_back(check_text(text));
  check.is_turned = looks_turned(dataset);
  check.transforms = taming_transforms(check, dataset.matrix);
  add_advice(check);
  return check;
}

}  // namespace sfg

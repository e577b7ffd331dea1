#include "sfg/check.hpp"

#include <algorithm>
#include <unordered_map>

#include "check/column_facts.hpp"
#include "core/missing_words.hpp"
#include "sfg/normalise.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

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

/// Features that can be part of an equation: that vary, have no gap, are no copy and no id.
std::vector<Index> fit_for_equations(const TableCheck& check) {
  std::vector<Index> features;
  for (Index feature = 0; feature < check.n_features; ++feature) {
    const CheckedColumn& column = check.columns[feature];
    const bool varies = column.kind != ColumnKind::constant && column.kind != ColumnKind::empty;
    if (varies && column.n_missing == 0 && column.copy_of < 0 && !column.is_id) {
      features.push_back(feature);
    }
  }
  return features;
}

std::vector<Equation> equations_of(const Dataset& dataset, const TableCheck& check,
                                   const RunContext& run) {
  const auto features = fit_for_equations(check);
  const auto n = static_cast<std::size_t>(check.n_samples);
  if (features.size() < 2 || features.size() > kMostForEquations ||
      n < kSamplesPerFeature * features.size()) {
    return {};
  }
  NormaliseOptions centred;
  centred.centering = Centering::mean;
  auto equations = find_equations(
      normalise(select_features(dataset.matrix, features), centred, run), {}, {}, run);
  for (Equation& equation : equations) {
    equation.feature = features[equation.feature];
    for (Term& term : equation.combination.terms) term.feature = features[term.feature];
  }
  return equations;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
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
  check.equations = equations_of(dataset, check, run);
  for (const TextColumn& text : dataset.texts) check.columns.push_back(check_text(text));
  check.is_turned = looks_turned(dataset);
  add_advice(check);
  return check;
}

}  // namespace sfg

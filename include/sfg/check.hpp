#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/equations.hpp"
#include "sfg/run_context.hpp"
#include "sfg/survey.hpp"
#include "sfg/transform.hpp"

namespace sfg {

/// What a column is.
enum class ColumnKind {
  number,
  whole,     ///< whole numbers
  flag,      ///< two values
  constant,  ///< one value throughout
  empty,     ///< no value at all
  category,
  name,
  date,
  time,
  text,
};
template <>
inline constexpr auto kChoices<ColumnKind> =
    std::array{Choice{ColumnKind::number, "number"}, Choice{ColumnKind::whole, "whole"},
               Choice{ColumnKind::flag, "flag"},     Choice{ColumnKind::constant, "constant"},
               Choice{ColumnKind::empty, "empty"},   Choice{ColumnKind::category, "category"},
               Choice{ColumnKind::name, "name"},     Choice{ColumnKind::date, "date"},
               Choice{ColumnKind::time, "time"},     Choice{ColumnKind::text, "text"}};

/// What could make a feature with heavy tails tamer: a few of its values lie so far out that they
/// decide every correlation.
enum class Taming { none, log, rank };
template <>
inline constexpr auto kChoices<Taming> =
    std::array{Choice{Taming::none, "none"}, Choice{Taming::log, "log", "no value is negative"},
               Choice{Taming::rank, "rank"}};

struct CheckedColumn {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  Offset n_missing = 0;  ///< cells that are missing or infinite
  bool is_id = false;    ///< whole numbers that all differ: in steps of one, or called an id
  Taming taming = Taming::none;
  Index copy_of = -1;  ///< the first column that is equal in every cell
};

/// All that one look at a table finds.
struct TableCheck {
  Index n_samples = 0;
  Index n_features = 0;
  std::vector<CheckedColumn> columns;  ///< the features, then the texts
  std::vector<MissingCode> codes;
  bool is_turned = false;  ///< rows look like features
  /// Features that are exact sums of others, copies aside. Looked for where there are at least
  /// four samples for each feature; features with gaps take part as long as half of the samples
  /// have values in all of them.
  std::vector<Equation> equations;
  Index n_equation_samples = 0;  ///< samples without gaps in which the equations were looked for
  /// Scales that tame heavy tails, best first; none where there are none to tame.
  std::vector<Transform> transforms;
  /// Options that the findings speak for, by name: {"na_values", "-200"}.
  std::vector<std::pair<std::string, std::string>> advice;
};

/// Looks at every column. Never throws for data: whatever was read can be checked. O(n d), and
/// O(n d^2) for equations, which are left out for more than 1000 features. Throws interrupted.
[[nodiscard]] TableCheck check_table(const Dataset& dataset, const RunContext& run = {});

}  // namespace sfg

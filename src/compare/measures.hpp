#pragma once

#include <array>
#include <optional>

#include "sfg/compare.hpp"

namespace sfg::detail {

/// A column of the table: its name in files, and where it is.
struct CompareMeasure {
  const char* name;
  std::optional<double> (*value)(const CompareRow&);
};

inline constexpr std::array kCompareMeasures{
    CompareMeasure{"nmi", [](const CompareRow& row) { return row.nmi; }},
    CompareMeasure{"acc", [](const CompareRow& row) { return row.acc; }},
    CompareMeasure{"nmi_kmeans", [](const CompareRow& row) { return row.nmi_kmeans; }},
    CompareMeasure{"acc_kmeans", [](const CompareRow& row) { return row.acc_kmeans; }},
    CompareMeasure{"nmi_mean", [](const CompareRow& row) { return row.nmi_mean; }},
    CompareMeasure{"accuracy_1nn", [](const CompareRow& row) { return row.accuracy_1nn; }},
    CompareMeasure{"accuracy_5nn", [](const CompareRow& row) { return row.accuracy_5nn; }},
    CompareMeasure{"accuracy_linear", [](const CompareRow& row) { return row.accuracy_linear; }},
    CompareMeasure{"accuracy", [](const CompareRow& row) { return row.accuracy; }},
    CompareMeasure{"neighbour_overlap",
                   [](const CompareRow& row) { return std::optional(row.neighbour_overlap); }},
    CompareMeasure{"mean_best_r2",
                   [](const CompareRow& row) { return std::optional(row.mean_best_r2); }},
    CompareMeasure{"redundancy",
                   [](const CompareRow& row) { return std::optional(row.redundancy); }},
    CompareMeasure{"r2cv_mean", [](const CompareRow& row) { return std::optional(row.r2cv_mean); }},
    CompareMeasure{"r2cv_q10", [](const CompareRow& row) { return std::optional(row.r2cv_q10); }},
};

/// Answers that have a number of features of their own, and no rank.
[[nodiscard]] constexpr bool has_own_number(Competitor competitor) noexcept {
  return competitor == Competitor::all || competitor == Competitor::default_answer;
}

}  // namespace sfg::detail

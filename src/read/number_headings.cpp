// Do the numbers of a first row look like headings of the columns below them?
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "read/header_rule.hpp"

namespace sfg::detail {

namespace {

using Cells = std::vector<const FirstCell*>;

/// Steps between decimals such as 400.1, 400.2 differ by rounding.
constexpr double kStepTolerance = 1e-6;
/// Any two numbers are in order, so few of them say little. Three in equal steps are a sign; in
/// mere order six are: one row in 360 is by chance.
constexpr std::size_t kFewestInSteps = 3;
constexpr std::size_t kFewestInOrder = 6;
/// Rows below that have to be without order before order means something.
constexpr std::size_t kFewestRowsInOrder = 5;
/// One in so many rows below may be in equal steps by chance.
constexpr std::size_t kStepsByChance = 20;
/// Whole numbers over decimals are names from here on (ids, years, wavelengths); smaller ones may
/// be the state in which a simulation starts.
constexpr double kSmallestName = 100;
/// Numbers so many times larger than all below are no measurements of the same kind.
constexpr double kFarLarger = 10;

double step_of(const Cells& cells) {
  return cells[1]->value.value - cells[0]->value.value;
}

bool all_values(const Cells& cells) {
  return std::ranges::all_of(cells, [](const FirstCell* cell) {
    return cell->value.is_value() && std::isfinite(cell->value.value);
  });
}

bool in_equal_steps(const Cells& cells) {
  if (cells.size() < 2 || !all_values(cells)) return false;
  const double step = step_of(cells);
  if (step == 0) return false;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const double other = cells[i]->value.value - cells[i - 1]->value.value;
    if (std::abs(other - step) > kStepTolerance * std::abs(step)) return false;
  }
  return true;
}

bool in_order(const Cells& cells) {
  if (!all_values(cells)) return false;
  const auto value = [](const FirstCell* cell) { return cell->value.value; };
  return std::ranges::adjacent_find(cells, std::greater_equal{}, value) == cells.end() ||
         std::ranges::adjacent_find(cells, std::less_equal{}, value) == cells.end();
}

bool all_differ(const Cells& cells) {
  std::set<double> seen;
  return std::ranges::all_of(
      cells, [&](const FirstCell* cell) { return seen.insert(cell->value.value).second; });
}

bool all_whole(const Cells& cells) {
  return std::ranges::none_of(cells, &FirstCell::has_point);
}

template <typename Test>
std::size_t count_rows(const std::vector<Cells>& rows, Test test) {
  return static_cast<std::size_t>(std::ranges::count_if(rows, test));
}

/// Counted from 0 or 1, as programs number columns.
bool is_count(const Cells& cells) {
  const double first = cells.front()->value.value;
  return (first == 0 || first == 1) && step_of(cells) == 1;
}

/// Equal steps over rows without: 0,1,2,3; 400,402,404; 2001,2002,2003.
NumberHeadings judge_steps(const Cells& headings, const std::vector<Cells>& rows) {
  if (headings.size() < kFewestInSteps || !in_equal_steps(headings)) return NumberHeadings::no;
  const std::size_t n_even = count_rows(rows, in_equal_steps);
  if (2 * n_even >= rows.size()) return NumberHeadings::no;
  const bool is_long = headings.size() > kFewestInSteps || is_count(headings);
  return is_long && n_even * kStepsByChance <= rows.size() ? NumberHeadings::yes
                                                           : NumberHeadings::perhaps;
}

/// Order over rows without: wavelengths in uneven steps, years with gaps.
NumberHeadings judge_order(const Cells& headings, const std::vector<Cells>& rows) {
  constexpr std::size_t kFewestForNote = 4;
  if (headings.size() < kFewestForNote || !in_order(headings)) return NumberHeadings::no;
  if (count_rows(rows, in_order) > 0) return NumberHeadings::no;
  return headings.size() >= kFewestInOrder && rows.size() >= kFewestRowsInOrder
             ? NumberHeadings::yes
             : NumberHeadings::perhaps;
}

/// Whole numbers over decimals: 1007,1053 over 7.1,8.2. Programs write all numbers of a column in
/// one way.
bool are_whole_over_decimals(const Cells& headings, const std::vector<Cells>& rows) {
  const bool enough = rows.size() >= 2 || headings.size() >= kFewestInSteps;
  const bool are_names = all_whole(headings) && std::ranges::all_of(headings, [](const auto* cell) {
                           return cell->value.value >= kSmallestName;
                         });
  return enough && are_names && std::ranges::all_of(rows, [](const Cells& row) {
           return std::ranges::all_of(
               row, [](const FirstCell* cell) { return cell->is_missing() || cell->has_point; });
         });
}

/// Outside each column by more than its width: ids over counts.
bool are_far_outside(const Cells& headings, const std::vector<Cells>& rows) {
  double largest = 0;
  double smallest_heading = std::numeric_limits<double>::infinity();
  bool outside_each = rows.size() >= kFewestRowsInOrder && headings.size() >= kFewestInSteps;
  for (std::size_t j = 0; j < headings.size(); ++j) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Cells& row : rows) {
      if (!row[j]->value.is_value()) continue;
      low = std::min(low, row[j]->value.value);
      high = std::max(high, row[j]->value.value);
    }
    const double heading = headings[j]->value.value;
    smallest_heading = std::min(smallest_heading, std::abs(heading));
    largest = std::max({largest, std::abs(low), std::abs(high)});
    const double distance = std::max(low - heading, heading - high);
    outside_each = outside_each && low <= high && distance > high - low;
  }
  return outside_each || (rows.size() >= 2 && smallest_heading > kFarLarger * largest);
}

}  // namespace

NumberHeadings judge_number_headings(const Cells& headings, const std::vector<Cells>& rows) {
  if (headings.size() < 2 || rows.empty() || !all_values(headings) || !all_differ(headings)) {
    return NumberHeadings::no;
  }
  const auto by_order = std::max(judge_steps(headings, rows), judge_order(headings, rows));
  if (by_order == NumberHeadings::yes || are_whole_over_decimals(headings, rows) ||
      (all_whole(headings) && are_far_outside(headings, rows))) {
    return NumberHeadings::yes;
  }
  return by_order;
}

}  // namespace sfg::detail

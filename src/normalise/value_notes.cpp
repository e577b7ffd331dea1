// What the numbers of a table may mean: codes for missing values, rows that are features.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "sfg/survey.hpp"

namespace sfg {

namespace {

/// Codes are far from zero: -1 and 0 are values in many tables.
constexpr double kNearestCode = 9;
/// Rows per column, and rows, from which a table may have its features in rows.
constexpr double kRowsPerColumn = 5;
constexpr Index kFewestRows = 100;
/// Columns whose spreads differ by less than this factor may be measurements of one kind.
constexpr double kAlike = 4;

/// One end of a feature's values.
struct End {
  double value;
  double next;  ///< the nearest other value
  Offset count = 0;

  template <typename Before>
  void take(double x, Before before) {
    if (x == value) {
      ++count;
    } else if (before(x, value)) {
      next = value;
      value = x;
      count = 1;
    } else if (before(x, next)) {
      next = x;
    }
  }
};

struct Ends {
  End low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  End high{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
};

Ends ends_of(std::span<const double> column) {
  Ends ends;
  for (const double x : column) {
    if (!std::isfinite(x)) continue;
    ends.low.take(x, std::less<>{});
    ends.high.take(x, std::greater<>{});
  }
  return ends;
}

/// 99, -999, 9999.
bool is_nines(double value) {
  const std::string text = format_number(std::abs(value));
  return text.size() > 1 && text.find_first_not_of('9') == std::string::npos;
}

bool is_code(const End& end, double rest_width, bool is_only_negative) {
  const bool is_whole = std::abs(end.value) >= kNearestCode && end.value == std::round(end.value);
  const bool is_apart = is_only_negative || std::abs(end.value - end.next) > rest_width;
  return end.count > 1 && is_whole && std::isfinite(end.next) && is_apart;
}

double spread_of(std::span<const double> column) {
  double mean = 0;
  double squares = 0;
  double n = 0;
  for (const double x : column) {
    if (!std::isfinite(x)) continue;
    n += 1;
    const double change = x - mean;
    mean += change / n;
    squares += change * (x - mean);
  }
  return n > 0 ? std::sqrt(squares / n) : 0;
}

}  // namespace

std::vector<MissingCode> find_missing_codes(const Matrix& matrix) {
  const auto* dense = std::get_if<DenseMatrix>(&matrix);
  if (dense == nullptr) return {};
  std::map<double, MissingCode> found;
  const auto add = [&](const End& end) {
    MissingCode& code = found[end.value];
    code.value = end.value;
    ++code.n_features;
    code.n_cells += end.count;
  };
  for (Index feature = 0; feature < dense->n_features(); ++feature) {
    const Ends ends = ends_of(dense->column(feature));
    const bool is_only_negative = ends.low.value < 0 && ends.low.next >= 0;
    if (ends.low.value < 0 &&
        is_code(ends.low, ends.high.value - ends.low.next, is_only_negative)) {
      add(ends.low);
    }
    if (is_nines(ends.high.value) && is_code(ends.high, ends.high.next - ends.low.value, false)) {
      add(ends.high);
    }
  }
  std::vector<MissingCode> codes;
  for (const auto& [value, code] : found) {
    if (code.n_features > 1 || is_nines(value)) codes.push_back(code);
  }
  std::ranges::stable_sort(codes, std::greater<>{}, &MissingCode::n_cells);
  return codes;
}

bool looks_turned(const Dataset& dataset) {
  const auto* dense = std::get_if<DenseMatrix>(&dataset.matrix);
  if (dense == nullptr || dataset.sample_names.empty() || !dataset.texts.empty()) return false;
  const Index n = dense->n_samples();
  const Index d = dense->n_features();
  if (d < 3 || n < kFewestRows || n < kRowsPerColumn * d || dataset.labels) return false;
  double narrow = std::numeric_limits<double>::infinity();
  double wide = 0;
  for (Index feature = 0; feature < d; ++feature) {
    const double spread = spread_of(dense->column(feature));
    narrow = std::min(narrow, spread);
    wide = std::max(wide, spread);
  }
  return narrow > 0 && wide < kAlike * narrow;
}

std::vector<Note> notes_on_values(const Dataset& dataset) {
  std::vector<Note> notes;
  for (const MissingCode& code : find_missing_codes(dataset.matrix)) {
    const std::string value = format_number(code.value);
    notes.push_back(
        {Note::About::values,
         fmt::format("{} stands apart in {} feature{} ({} cells) and may mean that a "
                     "value is missing",
                     value, code.n_features, code.n_features == 1 ? "" : "s", code.n_cells),
         {"na_values", "if so, add {na_values=" + value + "}"}});
  }
  if (looks_turned(dataset)) {
    notes.push_back({Note::About::values,
                     fmt::format("rows are taken for samples, though {} named rows over {} columns "
                                 "that are alike look like features",
                                 n_samples(dataset.matrix), n_features(dataset.matrix)),
                     {"features_in_rows", "if so, add {features_in_rows=true}"}});
  }
  return notes;
}

}  // namespace sfg

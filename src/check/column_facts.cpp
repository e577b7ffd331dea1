#include "check/column_facts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

namespace sfg::detail {

namespace {

/// Above this kurtosis the tails are heavy.
constexpr double kHeavyKurtosis = 15;
/// Fewer values than this have no tails to speak of.
constexpr Offset kFewestForTails = 20;
/// Counts over so short a range (bathrooms, children) have no tail that a logarithm could shorten.
constexpr double kShortCount = 20;
/// Fewer rows than this may all differ by chance.
constexpr Offset kFewestForIds = 10;

struct Stored {
  std::span<const double> values;
  std::span<const Index> rows;  ///< empty: all rows
  Offset n_zeros = 0;           ///< cells that are not stored
};

Stored stored_of(const Matrix& matrix, Index feature) {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) return {dense->column(feature), {}, 0};
  const auto& sparse = std::get<SparseMatrix>(matrix);
  const auto values = sparse.column_values(feature);
  return {values, sparse.column_rows(feature),
          static_cast<Offset>(sparse.n_samples) - static_cast<Offset>(values.size())};
}

/// Keeps up to two different values and knows of more.
class FewValues {
 public:
  void take(double value) {
    if (count_ > 2) return;
    for (int k = 0; k < count_; ++k) {
      if (values_[static_cast<std::size_t>(k)] == value) return;
    }
    if (count_ < 2) values_[static_cast<std::size_t>(count_)] = value;
    ++count_;
  }
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  std::array<double, 2> values_{};
  int count_ = 0;
};

double kurtosis_of(const Stored& column, double n) {
  double mean = 0;
  for (const double x : column.values) mean += std::isfinite(x) ? x / n : 0;
  double second = 0;
  double fourth = 0;
  const auto add = [&](double x, double times) {
    const double square = (x - mean) * (x - mean);
    second += times * square / n;
    fourth += times * square * square / n;
  };
  for (const double x : column.values) {
    if (std::isfinite(x)) add(x, 1);
  }
  add(0, static_cast<double>(column.n_zeros));
  const double ratio = fourth / (second * second);
  return std::isfinite(ratio) ? ratio : 0;
}

/// "id", "ID", "PID", "sample_id", "Order", "No.", "index": what ids are called.
bool is_called_id(const std::string& name) {
  std::string lower;
  for (const char c : name) {
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  constexpr std::array<std::string_view, 10> kNames{"id",  "ids", "order",  "index", "no",
                                                    "no.", "nr",  "number", "row",   "unnamed: 0"};
  const bool ends_as_id = lower.ends_with("_id") || lower.ends_with(" id") ||
                          lower.ends_with(".id") || name.ends_with("ID") || name.ends_with("Id");
  return ends_as_id || std::ranges::find(kNames, lower) != kNames.end();
}

}  // namespace

bool ColumnFacts::has_heavy_tails() const noexcept {
  const bool is_short_count = is_whole && high - low < kShortCount;
  return n_finite >= kFewestForTails && !is_short_count && kurtosis > kHeavyKurtosis;
}

ColumnFacts facts_of(const Matrix& matrix, Index feature) {
  const Stored column = stored_of(matrix, feature);
  ColumnFacts facts;
  FewValues different;
  const auto take = [&](double x) {
    facts.low = std::min(facts.low, x);
    facts.high = std::max(facts.high, x);
    facts.is_whole = facts.is_whole && x == std::round(x);
    different.take(x);
  };
  for (const double x : column.values) {
    if (!std::isfinite(x)) {
      ++facts.n_missing;
      continue;
    }
    ++facts.n_finite;
    take(x);
  }
  if (column.n_zeros > 0) take(0);
  facts.n_finite += column.n_zeros;
  facts.n_different = different.count();
  if (facts.n_different > 2) {
    facts.kurtosis = kurtosis_of(column, static_cast<double>(facts.n_finite));
  }
  return facts;
}

bool looks_like_id(const Matrix& matrix, Index feature, const ColumnFacts& facts,
                   const std::string& name) {
  const Stored column = stored_of(matrix, feature);
  if (!facts.is_whole || facts.n_missing > 0 || facts.n_finite < kFewestForIds) return false;
  if (column.n_zeros > 1 || facts.n_different <= 2) return false;
  const bool in_steps = facts.high - facts.low == static_cast<double>(facts.n_finite - 1);
  if (!in_steps && !is_called_id(name)) return false;
  std::vector<double> values(column.values.begin(), column.values.end());
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

void mark_gaps(const Matrix& matrix, Index feature, std::vector<bool>& has_gap) {
  const Stored column = stored_of(matrix, feature);
  for (std::size_t k = 0; k < column.values.size(); ++k) {
    if (std::isfinite(column.values[k])) continue;
    has_gap[column.rows.empty() ? k : static_cast<std::size_t>(column.rows[k])] = true;
  }
}

std::size_t hash_of(const Matrix& matrix, Index feature) {
  const Stored column = stored_of(matrix, feature);
  constexpr std::size_t kPrime = 1099511628211U;
  std::size_t hash = 14695981039346656037U;
  const auto add = [&](std::size_t word) {
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29U;
  };
  for (const double x : column.values) {
    // Equal cells have equal bits here: one NaN, one zero.
    add(std::isnan(x) ? 1 : std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x));
  }
  for (const Index row : column.rows) add(static_cast<std::size_t>(row));
  return hash;
}

bool are_equal(const Matrix& matrix, Index a, Index b) {
  const Stored left = stored_of(matrix, a);
  const Stored right = stored_of(matrix, b);
  return std::ranges::equal(left.rows, right.rows) &&
         std::ranges::equal(left.values, right.values, [](double x, double y) {
           return x == y || (std::isnan(x) && std::isnan(y));
         });
}

}  // namespace sfg::detail

#include "select/information.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Bits of a sum of k log2 k: it fits 64 bits with a sign.
constexpr int kSumBits = 61;
/// Features that a worker measures at a time.
constexpr std::size_t kMeasuredAtOnce = 64;

double n_log_n(double n) {
  return n > 0 ? n * std::log2(n) : 0.0;
}

std::vector<std::int32_t> counts_of(const CodedVariable& variable) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(variable.n_values), 0);
  for (const std::uint16_t code : variable.codes) ++counts[code];
  return counts;
}

}  // namespace

std::size_t first_of_largest(std::span<const double> values) {
  const double largest = *std::ranges::max_element(values);
  return static_cast<std::size_t>(
      std::ranges::find_if(values, [&](double value) { return !is_larger(largest, value); }) -
      values.begin());
}

Information::Information(const Matrix& features, Index n_bins, const RunContext& run)
    : codes_(features, n_bins, run) {
  const double largest = std::max(1.0, n_log_n(codes_.n_samples()));
  unit_ = std::ldexp(1.0, std::min(kSumBits - std::ilogb(largest) - 1, 52));
  for (Index k = 0; k <= codes_.n_samples(); ++k) {
    k_log_k_.push_back(std::llround(n_log_n(k) * unit_));
  }
  sums_.resize(static_cast<std::size_t>(codes_.n_features()));
  const CodedVariable nothing{
      std::vector<std::uint16_t>(static_cast<std::size_t>(codes_.n_samples()), 0), 1};
  const auto all = counts_of(nothing);
  parallel_for(run, {}, codes_.n_features(), [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    std::vector<std::int32_t> counts(static_cast<std::size_t>(codes_.n_values(feature)));
    codes_.count_joint(feature, nothing, all, counts);
    sums_[item] = sum_over(counts);
  });
}

std::int64_t Information::sum_over(std::span<const std::int32_t> counts) const noexcept {
  std::int64_t sum = 0;
  for (const std::int32_t count : counts) sum += k_log_k_[count];
  return sum;
}

void Information::measure(Measure what, const CodedVariable& variable,
                          std::span<const Index> features, std::span<double> measured,
                          const RunContext& run) const {
  const std::vector<std::int32_t> counts = counts_of(variable);
  const std::int64_t total = k_log_k_.back();
  const std::int64_t own = sum_over(counts);
  const double n = codes_.n_samples();
  std::vector<std::vector<std::int32_t>> tables(static_cast<std::size_t>(worker_count(run)));
  const std::size_t n_blocks = (features.size() + kMeasuredAtOnce - 1) / kMeasuredAtOnce;
  const auto work = [&](std::int64_t block, int worker) {
    auto& table = tables[worker];
    const std::size_t begin = static_cast<std::size_t>(block) * kMeasuredAtOnce;
    for (std::size_t k = begin; k < std::min(features.size(), begin + kMeasuredAtOnce); ++k) {
      const Index feature = features[k];
      table.resize(static_cast<std::size_t>(codes_.n_values(feature)) * counts.size());
      codes_.count_joint(feature, variable, counts, table);
      const auto shared = static_cast<double>(total - sums_[feature] - own + sum_over(table));
      const auto both = static_cast<double>(total - sums_[feature] + (total - own));
      if (what == Measure::mutual_information) {
        measured[k] = std::max(0.0, shared / (n * unit_));
      } else {
        measured[k] = both > 0 ? std::max(0.0, 2 * shared / both) : 0.0;
      }
    }
  };
  parallel_for_workers(run, {}, static_cast<std::int64_t>(n_blocks), work);
}

CodedVariable coded_target(const Target& target, Index n_bins) {
  if (target.kind == TargetKind::numbers) return coded(target.values, n_bins);
  CodedVariable variable;
  variable.n_values = target.n_classes;
  for (const double value : target.values) {
    variable.codes.push_back(static_cast<std::uint16_t>(value));
  }
  return variable;
}

std::vector<double> relevances(const Information& information, const CodedVariable& target,
                               const RunContext& run) {
  std::vector<Index> all(static_cast<std::size_t>(information.codes().n_features()));
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<double> found(all.size());
  information.measure(Information::Measure::symmetric_uncertainty, target, all, found, run);
  return found;
}

}  // namespace sfg::detail

#include "sfg/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

/// Sum of squares about the mean of a batch that is rounding, as a share of that about zero.
constexpr double kNoSpreadInBatch = 1e-24;

/// One feature over one batch.
struct BatchSums {
  double n = 0;
  double mean = 0;
  double about_mean = 0;
  double about_zero = 0;
};

/// Means first: sums of squares of large values about zero would lose the small differences.
void measure(std::span<const double> values, const std::vector<Index>& batch_of,
             std::vector<BatchSums>& sums) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    BatchSums& own = sums[batch_of[i]];
    own.n += 1;
    own.mean += (values[i] - own.mean) / own.n;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    BatchSums& own = sums[batch_of[i]];
    const double rest = values[i] - own.mean;
    own.about_mean += rest * rest;
    own.about_zero += values[i] * values[i];
  }
}

void adjust(std::span<double> values, const std::vector<Index>& batch_of, BatchAdjustment how,
            std::vector<BatchSums>& sums) {
  std::ranges::fill(sums, BatchSums{});
  measure(values, batch_of, sums);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const BatchSums& own = sums[batch_of[i]];
    if (own.about_mean <= kNoSpreadInBatch * own.about_zero) {
      values[i] = 0;
      continue;
    }
    values[i] -= own.mean;
    if (how == BatchAdjustment::scale) values[i] /= std::sqrt(own.about_mean / own.n);
  }
}

}  // namespace

Batches read_batches(const Labels& labels, Index n_samples) {
  const auto named = fmt::format("the batches '{}'", escaped(labels.name));
  if (static_cast<Index>(labels.values.size()) != n_samples) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("{} have {} values for {} samples: give one per sample", named,
                            labels.values.size(), n_samples));
  }
  std::map<std::string, Index> sizes;
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    if (is_missing_label(labels.values[i])) {
      throw Error(ErrorCode::malformed_input,
                  fmt::format("{} do not say where sample {} belongs", named, i + 1), "",
                  {"batch", "name its batch, or leave the sample out"});
    }
    ++sizes[labels.values[i]];
  }
  Batches batches{labels.name, {}, {}};
  std::map<std::string, Index> number_of;
  std::string single;
  Index n_single = 0;
  for (const auto& [value, size] : sizes) {
    number_of[value] = batches.count();
    batches.names.push_back(value);
    if (size > 1) continue;
    ++n_single;
    if (n_single <= 5) single += fmt::format("{}'{}'", single.empty() ? "" : ", ", escaped(value));
  }
  if (n_single > 0) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("{}: {} of {} ha{} one sample only ({}{}), and nothing is left of a "
                            "sample without its batch's mean",
                            named, n_single, batches.count(), n_single == 1 ? "s" : "ve", single,
                            n_single > 5 ? ", ..." : ""),
                "", {"batch", "join them with others, or leave the samples out"});
  }
  for (const std::string& value : labels.values) batches.batch_of.push_back(number_of[value]);
  return batches;
}

void adjust_within_batches(Matrix& matrix, const Batches& batches, BatchAdjustment how,
                           const RunContext& run) {
  if (batches.count() < 2) return;
  if (const auto* sparse = std::get_if<SparseMatrix>(&matrix)) {
    const double bytes =
        static_cast<double>(sparse->n_samples) * sparse->n_features * sizeof(double);
    detail::require_memory(
        bytes, run,
        fmt::format("centring {} features of {} samples within batches, which makes a sparse table "
                    "dense,",
                    sparse->n_features, sparse->n_samples),
        "raise {memory_limit}, or leave out {batch}");
    matrix = to_dense(*sparse);
  }
  auto& dense = std::get<DenseMatrix>(matrix);
  dense.own();
  std::vector<std::vector<BatchSums>> sums(static_cast<std::size_t>(detail::worker_count(run)));
  detail::parallel_for_workers(run, {}, dense.n_features(), [&](std::int64_t item, int worker) {
    sums[worker].resize(static_cast<std::size_t>(batches.count()));
    adjust(dense.column(static_cast<Index>(item)), batches.batch_of, how, sums[worker]);
  });
}

}  // namespace sfg

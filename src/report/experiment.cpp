#include "sfg/experiment.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include "core/fingerprint.hpp"
#include "core/shares.hpp"
#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "report/cell_scorer.hpp"
#include "report/kept_sets.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

using detail::Shares;

/// n x n matrices that a clustering or a selection holds at its worst: the affinity, its normalised
/// copy, and the eigenvectors of the dense solver.
constexpr double kSquareMatrices = 3;

Index count_classes(const Dataset& dataset) {
  if (!dataset.labels) {
    throw Error(ErrorCode::invalid_option, "no classes are known, so clusters cannot be scored",
                dataset.source, {"labels", "say where they are with {labels}"});
  }
  const Index count = n_classes(*dataset.labels);
  if (count < 2) {
    throw Error(ErrorCode::degenerate_data,
                "all samples are of one class, so every clustering would be right", dataset.source,
                {"labels", "give other {labels}"});
  }
  return count;
}

/// What one cell needs beside the data.
double bytes_of_cell(const Dataset& dataset) {
  const double n = n_samples(dataset.matrix);
  return sizeof(double) * kSquareMatrices * n * n + static_cast<double>(memory_of(dataset.matrix));
}

/// Cells of the kept sets: by set, the one of all its features first, then one per size.
class CellTable {
 public:
  CellTable(const detail::KeptSets& kept, const ExperimentOptions& options,
            const ExperimentCheckpoint& checkpoint)
      : kept_(kept), options_(options), checkpoint_(checkpoint) {
    for (const auto& set : kept.sets) {
      detail::Fingerprint fingerprint;
      fingerprint.add(std::span<const Index>(set));
      fingerprints_.push_back(fingerprint.value());
      cells_.emplace_back(options.sizes.size() + 1);
    }
  }

  /// Looks up what is remembered; what is not has to be computed.
  void recall() {
    for (std::size_t set = 0; set < cells_.size(); ++set) {
      for (std::size_t row = 0; row < cells_[set].size(); ++row) {
        if (!is_possible(set, row)) continue;
        auto known = checkpoint_.find ? checkpoint_.find(key(set, row)) : std::nullopt;
        if (known) {
          cells_[set][row] = std::move(*known);
        } else {
          missing_.emplace_back(set, row);
        }
      }
    }
  }

  [[nodiscard]] const std::vector<std::pair<std::size_t, std::size_t>>& missing() const noexcept {
    return missing_;
  }

  void put(std::size_t set, std::size_t row, const ExperimentCell& cell) {
    const std::lock_guard lock(mutex_);
    cells_[set][row] = cell;
    if (checkpoint_.keep) checkpoint_.keep(key(set, row), cell);
  }

  [[nodiscard]] ExperimentColumn column(std::optional<double> theta, std::size_t set) const {
    const auto& cells = cells_[set];
    return {theta,
            static_cast<Index>(kept_.sets[set].size()),
            cells.front(),
            {cells.begin() + 1, cells.end()}};
  }

 private:
  /// Row 0 is the clustering by all kept features.
  [[nodiscard]] bool is_possible(std::size_t set, std::size_t row) const {
    return row == 0 || options_.sizes[row - 1] <= static_cast<Index>(kept_.sets[set].size());
  }
  [[nodiscard]] CellKey key(std::size_t set, std::size_t row) const {
    return {static_cast<Index>(kept_.sets[set].size()), fingerprints_[set],
            row == 0 ? 0 : options_.sizes[row - 1]};
  }

  const detail::KeptSets& kept_;
  const ExperimentOptions& options_;
  const ExperimentCheckpoint& checkpoint_;
  std::vector<std::uint64_t> fingerprints_;
  std::vector<std::vector<ExperimentCell>> cells_;
  std::vector<std::pair<std::size_t, std::size_t>> missing_;
  std::mutex mutex_;
};

/// By kept set, then by size: what is selected. Only for sets with a cell that needs it.
using Selections = std::vector<std::vector<std::vector<Index>>>;

Selections select_where_needed(const detail::KeptSets& kept, const CellTable& table,
                               const detail::CellScorer& scorer, const Shares& shares) {
  Selections selections(kept.sets.size());
  std::set<std::size_t> needed;
  for (const auto& [set, row] : table.missing()) {
    if (row > 0) needed.insert(set);
  }
  const std::vector<std::size_t> sets(needed.begin(), needed.end());
  detail::parallel_for(shares.outer, "select", static_cast<std::int64_t>(sets.size()),
                       [&](std::int64_t item) {
                         const std::size_t set = sets[item];
                         selections[set] = scorer.select(kept.sets[set], shares.inner);
                       });
  return selections;
}

void cluster_missing(const detail::KeptSets& kept, const Selections& selections,
                     const detail::CellScorer& scorer, const Shares& shares, CellTable& table) {
  const auto missing = table.missing();
  detail::parallel_for(
      shares.outer, "cluster", static_cast<std::int64_t>(missing.size()), [&](std::int64_t item) {
        const auto& [set, row] = missing[item];
        const auto& features = row == 0 ? kept.sets[set] : selections[set][row - 1];
        table.put(set, row,
                  features.empty() ? ExperimentCell{} : scorer.score(features, shares.inner));
      });
}

}  // namespace

ExperimentResult experiment(const Dataset& dataset, const ExperimentOptions& options,
                            const RunContext& run, const ExperimentCheckpoint& checkpoint) {
  check(options);
  ExperimentResult result;
  result.name = dataset.source;
  result.n_samples = n_samples(dataset.matrix);
  result.n_features = n_features(dataset.matrix);
  result.n_classes = count_classes(dataset);
  const detail::KeptSets kept = detail::kept_sets_of(dataset, options, run, result);

  // Around all cells, so that none of them switches threads of BLAS on for the others.
  const detail::SingleThreadedBlas single_threaded;
  detail::Stopwatch watch(result.seconds);
  CellTable table(kept, options, checkpoint);
  table.recall();
  if (!table.missing().empty()) {
    const detail::CellScorer scorer(dataset, options, result.n_classes, run);
    const Shares shares =
        detail::share_out(run, scorer.bytes() + memory_of(dataset.matrix), bytes_of_cell(dataset));
    const Selections selections = select_where_needed(kept, table, scorer, shares);
    watch.stage_done("select");
    cluster_missing(kept, selections, scorer, shares, table);
    watch.stage_done("cluster");
  }
  for (std::size_t g = 0; g < options.groupings.size(); ++g) {
    ExperimentTable one{options.groupings[g], options.sizes, {table.column({}, 0)}};
    for (std::size_t k = 0; k < options.thetas.size(); ++k) {
      one.columns.push_back(table.column(options.thetas[k], kept.set_of[g][k]));
    }
    result.tables.push_back(std::move(one));
  }
  return result;
}

}  // namespace sfg

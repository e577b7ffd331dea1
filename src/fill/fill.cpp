#include "sfg/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/memory.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "predict/ridge_on_few.hpp"
#include "sfg/graph.hpp"
#include "sfg/normalise.hpp"

namespace sfg {

namespace {

using detail::RidgeOnFew;

/// What is tried: the few nearest know copies, more of them what is spread out.
constexpr std::array<Index, 3> kNeighbourCounts{5, 10, 20};
constexpr std::array kFillRidges{0.001, 0.01, 0.1, 1.0};
/// Features that the choice is made by: a random choice where there are more.
constexpr std::size_t kTunedByGaps = 300;
/// Rounds in which the neighbours are looked for: the first knows the table with means in its gaps,
/// where correlations are too small.
constexpr int kRoundsOfSearch = 2;

struct FillChoice {
  std::size_t count = 0;
  double ridge = 0;
};

/// Values of the gaps of one feature, in the order of its rows.
void write_values(Matrix& matrix, Index feature, std::span<const Index> rows,
                  const double* values) {
  if (auto* dense = std::get_if<DenseMatrix>(&matrix)) {
    for (std::size_t k = 0; k < rows.size(); ++k) dense->column(feature)[rows[k]] = values[k];
    return;
  }
  auto& sparse = std::get<SparseMatrix>(matrix);
  const auto stored = sparse.column_rows(feature);
  const auto begin = static_cast<std::size_t>(sparse.starts[feature]);
  for (std::size_t k = 0, at = 0; k < rows.size(); ++at) {
    if (stored[at] == rows[k]) sparse.values[begin + at] = values[k++];
  }
}

class Filling {
 public:
  Filling(Matrix& matrix, const Gaps& gaps, const RunContext& run)
      : matrix_(matrix), gaps_(gaps), run_(run) {
    run_.progress = nullptr;
    for (Index i = 0; i < n_features(matrix); ++i) {
      if (!gaps.of(i).empty()) filled_.push_back(i);
    }
  }

  [[nodiscard]] FillReport fill();

 private:
  struct Neighbours {
    std::vector<Index> features;  ///< nearest first
  };

  void fill_with_means();
  [[nodiscard]] std::vector<Neighbours> find_neighbours(const UnitFeatures& unit) const;
  [[nodiscard]] FillChoice choose(const UnitFeatures& unit,
                                  const std::vector<Neighbours>& neighbours, double& r2) const;
  [[nodiscard]] double fill_again(const UnitFeatures& unit,
                                  const std::vector<Neighbours>& neighbours,
                                  const FillChoice& choice);
  template <typename Use>
  void with_regression(const UnitFeatures& unit, Index feature, const Neighbours& neighbours,
                       const Use& use) const;

  Matrix& matrix_;
  const Gaps& gaps_;
  RunContext run_;
  std::vector<Index> filled_;  ///< features with gaps, ascending
};

void Filling::fill_with_means() {
  const FillValues means = fill_values(matrix_, filled_);
  for (std::size_t k = 0; k < filled_.size(); ++k) {
    const auto rows = gaps_.of(filled_[k]);
    const std::vector<double> values(rows.size(), means.mean[k]);
    write_values(matrix_, filled_[k], rows, values.data());
  }
}

std::vector<Filling::Neighbours> Filling::find_neighbours(const UnitFeatures& unit) const {
  const FeatureGraph graph = nearest_graph(unit, {kNeighbourCounts.back()}, run_);
  std::vector<Neighbours> nearest;
  for (const Index feature : filled_) {
    const auto features = graph.neighbours_of(feature);
    const auto weights = graph.weights_of(feature);
    std::vector<std::size_t> order(features.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t k) { return std::fabs(weights[k]); });
    Neighbours& own = nearest.emplace_back();
    for (const std::size_t k : order) own.features.push_back(features[k]);
  }
  return nearest;
}

/// use(regression) on the neighbours of a feature, if it has any.
template <typename Use>
void Filling::with_regression(const UnitFeatures& unit, Index feature, const Neighbours& neighbours,
                              const Use& use) const {
  if (neighbours.features.empty()) return;
  const auto n = static_cast<std::size_t>(unit.n_samples());
  std::vector<double> room((neighbours.features.size() + 1) * n);
  std::vector<const double*> columns;
  for (const Index one : neighbours.features) {
    double* column = room.data() + (columns.size() + 1) * n;
    detail::expand(unit, one, column);
    columns.push_back(column);
  }
  detail::expand(unit, feature, room.data());
  RidgeOnFew regression(room.data(), columns, gaps_.of(feature), n);
  use(regression, room.data());
}

FillChoice Filling::choose(const UnitFeatures& unit, const std::vector<Neighbours>& neighbours,
                           double& r2) const {
  std::vector<std::size_t> places(filled_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  detail::Random random(run_.seed);
  const auto tuned = detail::random_choice(places, kTunedByGaps, random);
  constexpr std::size_t kChoices = kNeighbourCounts.size() * kFillRidges.size();
  std::vector<std::array<double, kChoices>> found(tuned.size());
  detail::parallel_for(run_, {}, static_cast<std::int64_t>(tuned.size()), [&](std::int64_t item) {
    found[item].fill(0.0);
    const Neighbours& own = neighbours[tuned[item]];
    with_regression(unit, filled_[tuned[item]], own, [&](RidgeOnFew& one, const double*) {
      std::size_t c = 0;
      for (const Index most : kNeighbourCounts) {
        const auto count = std::min(static_cast<std::size_t>(most), own.features.size());
        for (const double ridge : kFillRidges) {
          const double own_r2 = one.solve(count, ridge) ? one.left_out_r2() : -1.0;
          found[item][c++] = std::clamp(own_r2, -1.0, 1.0);
        }
      }
    });
  });
  FillChoice best;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < kChoices; ++c) {
    double total = 0;
    for (const auto& one : found) total += one[c];
    if (total <= highest) continue;
    highest = total;
    best = {static_cast<std::size_t>(kNeighbourCounts[c / kFillRidges.size()]),
            kFillRidges[c % kFillRidges.size()]};
  }
  r2 = highest / static_cast<double>(tuned.size());
  return best;
}

/// One round; by how much it changed the filled cells, in deviations.
double Filling::fill_again(const UnitFeatures& unit, const std::vector<Neighbours>& neighbours,
                           const FillChoice& choice) {
  const auto n = static_cast<std::size_t>(unit.n_samples());
  std::vector<double> changes(filled_.size(), 0.0);
  detail::parallel_for(run_, {}, static_cast<std::int64_t>(filled_.size()), [&](std::int64_t item) {
    const Index feature = filled_[item];
    const Neighbours& own = neighbours[item];
    const auto rows = gaps_.of(feature);
    with_regression(unit, feature, own, [&](RidgeOnFew& one, double* column) {
      if (!one.solve(std::min(choice.count, own.features.size()), choice.ridge)) return;
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (std::size_t i = 0, next = 0; i < n; ++i) {
        if (next < rows.size() && static_cast<std::size_t>(rows[next]) == i) {
          ++next;
          continue;
        }
        low = std::min(low, column[i]);
        high = std::max(high, column[i]);
      }
      std::vector<double> values;
      for (const Index row : rows) {
        const double value = std::clamp(one.at(static_cast<std::size_t>(row)), low, high);
        const double change = value - column[row];
        changes[item] += change * change;
        values.push_back(unit.mean[feature] +
                         std::ldexp(value * unit.norm[feature], unit.norm_exponent[feature]));
      }
      // Others look at `unit`, a copy: nobody sees a half-filled column.
      write_values(matrix_, feature, rows, values.data());
    });
  });
  const double sum = std::accumulate(changes.begin(), changes.end(), 0.0);
  return std::sqrt(sum * static_cast<double>(n) / static_cast<double>(gaps_.rows.size()));
}

FillReport Filling::fill() {
  FillReport report;
  report.n_cells = static_cast<Offset>(gaps_.rows.size());
  fill_with_means();
  if (n_features(matrix_) < 2 || n_samples(matrix_) < 2) return report;
  std::vector<Neighbours> neighbours;
  FillChoice choice;
  report.converged = false;
  double last_change = std::numeric_limits<double>::infinity();
  bool falls = true;
  while (!report.converged && falls && report.n_rounds < kMostFillRounds) {
    detail::check_stop(run_);
    const UnitFeatures unit = normalise(matrix_, {Centering::mean}, run_);
    if (report.n_rounds < kRoundsOfSearch) {
      neighbours = find_neighbours(unit);
      choice = choose(unit, neighbours, report.left_out_r2);
    }
    const double change = fill_again(unit, neighbours, choice);
    const bool is_settled = ++report.n_rounds > kRoundsOfSearch;
    report.converged = is_settled && change < kFillTolerance;
    falls = !is_settled || change < last_change;
    last_change = change;
  }
  report.n_neighbours = static_cast<Index>(choice.count);
  report.ridge = choice.ridge;
  return report;
}

}  // namespace

FillReport fill_gaps(Matrix& matrix, const Gaps& gaps, const RunContext& run) {
  const detail::SingleThreadedBlas single_threaded;
  detail::require_memory(2 * static_cast<double>(memory_of(matrix)), run, "filling in the gaps",
                         "raise {memory_limit}, or give {missing=mean}");
  std::visit([](auto& held) { held.own(); }, matrix);
  return Filling(matrix, gaps, detail::while_holding(matrix, run)).fill();
}

}  // namespace sfg

#include "sfg/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sfg/error.hpp"

namespace sfg {

namespace {

/// Angles above the limit by no more than this (in degrees) still pass: rounding must not decide.
constexpr double kAngleTie = 1e-9;

/// The residual is orthogonal to the reconstruction: sin^2(angle) = |q|^2, as |f| = 1.
double angle_in_degrees(double residual) {
  const double square = std::clamp(residual, 0.0, 1.0);
  return std::atan2(std::sqrt(square), std::sqrt(1 - square)) * 180 / std::numbers::pi;
}

}  // namespace

std::span<const Index> FeatureGraph::neighbours_of(Index i) const noexcept {
  const auto row = static_cast<std::size_t>(i);
  return {neighbours.data() + starts[row], static_cast<std::size_t>(starts[row + 1] - starts[row])};
}

std::span<const double> FeatureGraph::weights_of(Index i) const noexcept {
  const auto row = static_cast<std::size_t>(i);
  return {weights.data() + starts[row], static_cast<std::size_t>(starts[row + 1] - starts[row])};
}

void check(const GraphOptions& options) {
  check_fields(options);
}

FeatureGraph build_graph(const Representations& representations, const GraphOptions& options) {
  check(options);
  FeatureGraph graph;
  graph.starts = representations.starts;
  graph.neighbours.resize(representations.atoms.size());
  graph.weights.resize(representations.atoms.size());
  graph.status = representations.status;
  std::vector<std::size_t> order;
  for (Index i = 0; i < representations.n_targets(); ++i) {
    const auto atoms = representations.atoms_of(i);
    const auto coefficients = representations.coefficients_of(i);
    order.resize(atoms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t k) { return atoms[k]; });
    const auto start = static_cast<std::size_t>(graph.starts[i]);
    for (std::size_t k = 0; k < order.size(); ++k) {
      graph.neighbours[start + k] = atoms[order[k]];
      graph.weights[start + k] = coefficients[order[k]];
    }
    const double angle = angle_in_degrees(representations.residual[i]);
    graph.angle.push_back(angle);
    graph.failed.push_back(angle > options.max_angle + kAngleTie ? 1 : 0);
  }
  return graph;
}

GraphFigures figures_of(const FeatureGraph& graph) {
  GraphFigures figures;
  figures.mean_atoms =
      static_cast<double>(graph.n_edges()) / std::max<Index>(1, graph.n_features());
  for (std::size_t i = 1; i < graph.starts.size(); ++i) {
    figures.max_atoms = std::max(figures.max_atoms, graph.starts[i] - graph.starts[i - 1]);
  }
  figures.n_failed = static_cast<Index>(std::ranges::count(graph.failed, std::uint8_t{1}));
  return figures;
}

}  // namespace sfg

// What a pursuit will cost, from the sizes and a few sampled targets.
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "normalise/fewer_samples.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "pursuit/plan.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

/// Targets of the smaller and of the larger sample, for each worker: their difference is free of
/// what a run costs before its first target and after its last, when places stay empty.
constexpr Index kFew = 200;
constexpr Index kMany = 500;

/// A sample of targets that were represented, and how long that took.
struct Timed {
  double seconds = 0;
  std::vector<Index> targets;
  Representations found;

  [[nodiscard]] double mean_atoms() const {
    return static_cast<double>(found.atoms.size()) / std::max<Index>(1, found.n_targets());
  }
};

Timed time_sample(const UnitFeatures& features, const PursuitOptions& options, Index count,
                  const RunContext& run) {
  Timed timed;
  timed.targets = detail::evenly_spaced(count, features.n_features());
  const detail::PursuitProblem problem{features, features, options, timed.targets};
  const auto start = std::chrono::steady_clock::now();
  timed.found = detail::pursue_sample(problem, run);
  timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return timed;
}

/// Scattering a residual takes as many products as there are entries in its rows: those of the
/// target and of the atoms so far.
double sparse_multiply_adds(const UnitFeatures& features, const Timed& sample) {
  UnitFeatures converted;
  const auto& matrix =
      std::get<SparseMatrix>(detail::in_engine_form(features, Engine::sparse, converted).matrix);
  const auto n = static_cast<std::size_t>(matrix.n_samples);
  std::vector<double> row_size(n, 0.0);
  for (const Index row : matrix.rows) row_size[row] += 1;
  std::vector<std::size_t> seen_by(n, 0);
  double total = 0;
  for (std::size_t item = 0; item < sample.targets.size(); ++item) {
    double entries = 0;  // in the rows so far
    const auto add_rows_of = [&](Index feature) {
      for (const Index row : matrix.column_rows(feature)) {
        auto& seen = seen_by[row];
        if (std::exchange(seen, item + 1) <= item) entries += row_size[row];
      }
    };
    add_rows_of(sample.targets[item]);
    for (const Index atom : sample.found.atoms_of(static_cast<Index>(item))) {
      total += entries;
      add_rows_of(atom);
    }
  }
  return total * features.n_features() / std::max(1.0, static_cast<double>(sample.targets.size()));
}

/// Products of numbers that all targets take, from those of the sample.
double multiply_adds(const UnitFeatures& features, Engine engine, double passes,
                     const Timed& sample) {
  const double d = features.n_features();
  const double n = features.n_samples();
  switch (engine) {
    case Engine::sparse:
      return sparse_multiply_adds(features, sample);
    case Engine::gram: {
      const double t = sample.mean_atoms();
      return d * d * (n / 2 + t * (t + 3) / 2);  // one triangle, then 2, 3, ... t + 1 columns
    }
    case Engine::stream:
    case Engine::automatic:
      break;
  }
  return passes * d * d * n;
}

}  // namespace

PursuitEstimate estimate_pursuit(const UnitFeatures& features, const PursuitOptions& options,
                                 const RunContext& run) {
  check(options);
  if (options.engine != Engine::sparse && detail::fewer_samples_pay(features)) {
    return estimate_pursuit(detail::fewer_samples(features, run), options,
                            detail::while_holding(features.matrix, run));
  }
  PursuitEstimate estimate;
  estimate.plan = detail::plan_pursuit({features, features, options}, run);
  RunContext quiet = run;
  quiet.progress = nullptr;
  // The stream engine stands in for the Gram matrix, which would have to be made first.
  PursuitOptions sampled = options;
  if (estimate.plan.engine == Engine::gram) sampled.engine = Engine::stream;
  const Index workers = detail::worker_count(run);
  const Timed few = time_sample(features, sampled, kFew * workers, quiet);
  const Timed many = time_sample(features, sampled, kMany * workers, quiet);
  const double d = features.n_features();
  const double n_few = few.found.n_targets();
  const double n_many = many.found.n_targets();
  estimate.mean_atoms = many.mean_atoms();
  estimate.candidates_per_step = many.found.candidates_per_step;
  // What a target costs: from the difference, or (if the clock is too coarse for that) at most.
  const double difference = (many.seconds - few.seconds) / std::max(1.0, n_many - n_few);
  const double at_most = many.seconds / std::max(1.0, n_many);
  constexpr double kTrusted = 0.2;
  const double each = difference > kTrusted * at_most ? difference : at_most;
  // In the whole run the first products serve two targets each; in a sample they do not.
  const bool symmetric =
      estimate.plan.engine == Engine::stream && options.method == PursuitMethod::omp;
  const double passes = std::max(0.5, estimate.mean_atoms - (symmetric ? 0.5 : 0.0));
  const double share = passes / std::max(passes, estimate.mean_atoms);
  estimate.seconds = std::min(many.seconds, at_most * d) + each * share * std::max(0.0, d - n_many);
  estimate.multiply_adds = multiply_adds(features, estimate.plan.engine, passes, many);
  return estimate;
}

}  // namespace sfg

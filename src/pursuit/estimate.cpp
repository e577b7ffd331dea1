// What a pursuit will cost, from the sizes and a few sampled targets.
#include <algorithm>
#include <chrono>

#include "core/threads.hpp"
#include "pursuit/fewer_samples.hpp"
#include "pursuit/plan.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

/// Targets of the smaller and of the larger sample, for each worker: their difference is free of
/// what a run costs before its first target and after its last, when places stay empty.
constexpr Index kFew = 200;
constexpr Index kMany = 500;

struct Timed {
  double seconds = 0;
  Representations found;
};

Timed time_sample(const UnitFeatures& features, const PursuitOptions& options, Index count,
                  const Run& run) {
  const detail::PursuitProblem problem{features, features, options,
                                       detail::evenly_spaced(count, features.n_features())};
  Timed timed;
  const auto start = std::chrono::steady_clock::now();
  timed.found = detail::pursue_sample(problem, run);
  timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return timed;
}

}  // namespace

PursuitEstimate estimate_pursuit(const UnitFeatures& features, const PursuitOptions& options,
                                 const Run& run) {
  check(options);
  if (detail::fewer_samples_pay(features, options)) {
    return estimate_pursuit(detail::fewer_samples(features, run), options,
                            detail::beside(features.matrix, run));
  }
  PursuitEstimate estimate;
  estimate.plan = detail::plan_pursuit({features, features, options}, run);
  Run quiet = run;
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
  estimate.mean_atoms = static_cast<double>(many.found.atoms.size()) / std::max(1.0, n_many);
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
  estimate.multiply_adds = passes * d * static_cast<double>(n_stored(features.matrix));
  return estimate;
}

}  // namespace sfg

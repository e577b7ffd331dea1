#include "pursuit/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/memory.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "pursuit/engines/stream/screen_store.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr double kDoubleBytes = sizeof(double);
constexpr double kEntryBytes = sizeof(double) + sizeof(Index);
/// Below this share of nonzero entries the sparse engine does less work than a dense product.
constexpr double kSparseDensity = 0.03;
/// Residuals that are screened together: enough to use each panel often while it is in the cache.
constexpr Index kScreenBlock = 96;
/// The same for OLS, which keeps two numbers for every feature and target under way.
constexpr Index kRatioBlock = 12;
/// Below this many samples there is too little to gain from fewer bits.
constexpr Index kFewestInt8Samples = 32;
/// Fewer samples than this, and a product with the data costs less than looking it up.
constexpr Index kFewestGramSamples = 200;
/// Vectors over the samples of a target under way: residual, scratch and a few directions; long
/// representations are rare.
constexpr double kSampleVectors = 10;
/// Result of a target: a few atoms with their coefficients, twice while they are gathered.
constexpr double kResultBytes = 160;
/// A list of first candidates, in the log of a worker and gathered.
constexpr double kFirstBytes = 200;

double feature_bytes(const UnitFeatures& features) {
  constexpr double kOtherBytes = 40;  // mean, norm, kind, hash, name
  return static_cast<double>(memory_of(features.matrix)) + kOtherBytes * features.n_features();
}

/// The data by samples; and by features, if they are dense so far.
double sparse_bytes(const UnitFeatures& features) {
  const bool dense = std::holds_alternative<DenseMatrix>(features.matrix);
  return (dense ? 2 : 1) * kEntryBytes * static_cast<double>(n_sparse_entries(features));
}

bool sparse_pays(const UnitFeatures& features) {
  if (std::holds_alternative<SparseMatrix>(features.matrix)) return true;
  const Offset most = fewest_dense_entries(n_stored(features.matrix));
  return n_sparse_entries(features, most) < most;
}

/// Bytes of an engine's own tables.
double engine_bytes(const PursuitPlan& plan, const PursuitProblem& problem) {
  const double d = problem.dictionary.n_features();
  const double n = problem.dictionary.n_samples();
  switch (plan.engine) {
    case Engine::gram:
      return sizeof(float) * d * d;
    case Engine::sparse:
      return sparse_bytes(problem.dictionary);
    case Engine::stream:
    case Engine::automatic:
      break;
  }
  const double dense =  // a sparse matrix is made dense first
      std::holds_alternative<DenseMatrix>(problem.dictionary.matrix) ? 0 : kDoubleBytes * n * d;
  return dense + ScreenStore::bytes(n, d, fastest_tile_kernel(plan.screen)) +
         (problem.options.method == PursuitMethod::omp && problem.own_targets() ? kFirstBytes * d
                                                                                : 0);
}

/// Bytes of the targets under way in all workers.
double block_bytes(const PursuitPlan& plan, const PursuitProblem& problem, int workers) {
  const double d = problem.dictionary.n_features();
  const double n = problem.dictionary.n_samples();
  const bool ratio = problem.options.method == PursuitMethod::ols;
  const double product = plan.engine == Engine::sparse ? sizeof(double) : sizeof(float);
  const bool screened = plan.engine == Engine::stream && !ratio;
  const double per_feature = (screened ? 0 : product) + (ratio ? 2 * kDoubleBytes : 0);
  return (per_feature * d + kSampleVectors * kDoubleBytes * n) * plan.block * workers;
}

/// The precision to screen in: few bits where the processor is fast at them.
Screen choose_screen(const PursuitProblem& problem) {
  // Few bits say too little about the small differences that OLS divides by.
  if (problem.options.method == PursuitMethod::ols) return Screen::f32;
  if (problem.options.screen != Screen::automatic) return problem.options.screen;
  const bool fast =
      fastest_tile_kernel(Screen::int8).speed > fastest_tile_kernel(Screen::f32).speed;
  return fast && problem.dictionary.n_samples() >= kFewestInt8Samples ? Screen::int8 : Screen::f32;
}

PursuitPlan plan_for(Engine engine, const PursuitProblem& problem, const RunContext& run) {
  PursuitPlan plan;
  plan.engine = engine;
  if (engine == Engine::stream) {
    plan.screen = choose_screen(problem);
    plan.kernel = fastest_tile_kernel(plan.screen).name;
    plan.block = problem.options.method == PursuitMethod::ols ? kRatioBlock : kScreenBlock;
    plan.block = std::min(plan.block, std::max<Index>(1, problem.n_targets()));
  }
  plan.held_bytes = static_cast<double>(run.memory_held) + feature_bytes(problem.dictionary) +
                    (problem.own_targets() ? 0 : feature_bytes(problem.targets));
  plan.engine_bytes = engine_bytes(plan, problem);
  plan.block_bytes = block_bytes(plan, problem, worker_count(run));
  plan.result_bytes = kResultBytes * problem.n_targets();
  return plan;
}

[[noreturn]] void refuse(const PursuitPlan& plan, double limit) {
  throw Error(ErrorCode::over_memory,
              fmt::format("the {} engine needs {} of memory ({} of it for the data), but the limit "
                          "is {}",
                          choice_name(plan.engine), format_bytes(plan.bytes()),
                          format_bytes(plan.held_bytes), format_bytes(limit)),
              "", {"memory_limit", "raise {memory_limit} or lower {threads}"});
}

}  // namespace

Offset fewest_dense_entries(Offset n_stored) {
  return static_cast<Offset>(kSparseDensity * static_cast<double>(n_stored));
}

PursuitPlan plan_pursuit(const PursuitProblem& problem, const RunContext& run) {
  const Matrix& dictionary = problem.dictionary.matrix;
  const Engine asked = problem.options.engine;
  Engine engine = asked;
  if (asked == Engine::automatic) {
    engine = sparse_pays(problem.dictionary) ? Engine::sparse : Engine::stream;
  }
  // There is no Gram matrix between two different sets of features.
  if (asked == Engine::gram && !problem.own_targets()) engine = Engine::stream;
  PursuitPlan plan = plan_for(engine, problem, run);
  const double limit = memory_limit(run, plan.held_bytes);
  // Fewer targets at a time before giving up.
  while (plan.bytes() > limit && plan.block > 1) {
    plan.block /= 2;
    plan.block_bytes = block_bytes(plan, problem, worker_count(run));
  }
  if (plan.bytes() > limit) refuse(plan, limit);
  if (plan.screen == Screen::int8 && problem.options.screen == Screen::automatic) {
    for (const Screen other : {Screen::bf16, Screen::f32}) {
      PursuitPlan alternative = plan;
      alternative.screen = other;
      alternative.engine_bytes = engine_bytes(alternative, problem);
      if (alternative.bytes() <= limit) plan.other_screens.push_back(other);
    }
  }
  if (asked == Engine::automatic && engine == Engine::stream && problem.own_targets() &&
      n_samples(dictionary) >= kFewestGramSamples) {
    plan.gram_fits = plan_for(Engine::gram, problem, run).bytes() + plan.engine_bytes <= limit;
  }
  return plan;
}

std::vector<Index> evenly_spaced(Index count, Index n) {
  std::vector<Index> chosen;
  const std::int64_t possible = std::min(count, n);
  for (std::int64_t k = 0; k < possible; ++k)
    chosen.push_back(static_cast<Index>(k * n / possible));
  return chosen;
}

std::vector<Index> trial_sample(const PursuitProblem& problem) {
  constexpr Index kTrialTargets = 24;
  constexpr Index kMostTrialTargets = 192;
  constexpr Index kFewestTargets = 2000;
  /// Few targets of many atoms decide what engine is fastest: a sample should meet them.
  constexpr Index kTargetsPerTrial = 100;
  if (problem.sampled() || problem.n_targets() < kFewestTargets) return {};
  const Index count =
      std::clamp(problem.n_targets() / kTargetsPerTrial, kTrialTargets, kMostTrialTargets);
  return evenly_spaced(count, problem.targets.n_features());
}

/// Nanoseconds of a step for each sample: the products with all features, then the candidates,
/// whose columns come from far away. The cost of one and the share that bf16 leaves are those of
/// 20,000 points of smooth curves, docs/PERFORMANCE.md.
Screen screen_after_trial(const Representations& trial, const PursuitPlan& plan, Index n_features) {
  constexpr double kCandidate = 0.7;
  const auto cost = [&](Screen screen) {
    // bf16 is off by about a fifth of int8. That leaves less than half of the candidates even where
    // features lie close together like the points of a smooth curve; f32 leaves hardly any.
    const double share = screen == Screen::int8 ? 1 : screen == Screen::bf16 ? 0.5 : 0;
    return n_features / fastest_tile_kernel(screen).speed +
           kCandidate * share * trial.candidates_per_step;
  };
  Screen best = plan.screen;
  for (const Screen other : plan.other_screens) {
    if (cost(other) < cost(best)) best = other;
  }
  return best;
}

/// By target of t atoms: t - 1/2 passes over the data, or the share of the Gram matrix and
/// t (t + 3) / 2 of its columns. Their mean is not that of the mean t: a few targets of many atoms
/// take most of the columns. Products are as fast as the processor's kernels; columns come from
/// memory, whatever the processor can compute.
EngineCosts engine_costs(const Representations& sample, Screen screen, Index n_samples) {
  /// Share of its kernel's speed that a pursuit reaches with all else it does.
  constexpr double kKernelShare = 0.75;
  /// An entry of the Gram matrix: made (memory that is new to the process, the mirrored half),
  /// read.
  constexpr double kNewEntry = 1.0;
  constexpr double kColumnEntry = 0.35;
  const Index n_targets = std::max<Index>(1, sample.n_targets());
  double passes = 0;
  double columns = 0;
  for (Index target = 0; target < sample.n_targets(); ++target) {
    const auto t = static_cast<double>(sample.atoms_of(target).size());
    passes += std::max(0.5, t - 0.5);
    columns += t * (t + 3) / 2;
  }
  const auto product = [](Screen precision) {
    return 1 / (kKernelShare * fastest_tile_kernel(precision).speed);
  };
  return {passes / n_targets * n_samples * product(screen),
          0.5 * n_samples * product(Screen::f32) + kNewEntry + kColumnEntry * columns / n_targets};
}

bool gram_pays(const Representations& trial, const PursuitPlan& plan, Index n_samples) {
  /// Gigabytes for a few per cent of the time are a bad bargain.
  constexpr double kWorthItsMemory = 0.8;
  const EngineCosts costs = engine_costs(trial, plan.screen, n_samples);
  return costs.gram < kWorthItsMemory * costs.stream;
}

PursuitPlan with_gram(PursuitPlan plan) {
  plan.engine = Engine::gram;
  plan.block = 1;
  return plan;
}

PursuitPlan plan_after_trial(const PursuitProblem& problem, PursuitPlan plan,
                             const Representations& trial) {
  const Index n_samples = problem.dictionary.n_samples();
  if (plan.gram_fits && problem.most_targets() && gram_pays(trial, plan, n_samples)) {
    return with_gram(std::move(plan));
  }
  plan.screen = screen_after_trial(trial, plan, problem.dictionary.n_features());
  return plan;
}

}  // namespace sfg::detail

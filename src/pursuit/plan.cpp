#include "pursuit/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "pursuit/screen.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr double kDoubleBytes = sizeof(double);
/// Below this share of nonzero entries the sparse engine does less work than a dense product.
constexpr double kSparseDensity = 0.03;
/// A block of products should stay in the second-level cache and yet feed a matrix product.
constexpr double kBlockBytes = 8e6;
constexpr Index kSmallestBlock = 8;
constexpr Index kLargestBlock = 64;
/// Residuals that are screened together: enough to use each panel often while it is in the cache.
constexpr Index kScreenBlock = 96;
/// Above this many samples a product with the data costs more than one row of the Gram matrix per
/// atom.
constexpr Index kGramSamples = 600;
/// Below this many samples there is too little to gain from fewer bits.
constexpr Index kFewestInt8Samples = 32;
/// 255 * 127 * n must stay below 2^31.
constexpr Index kMostInt8Samples = 60'000;
/// Share of the free memory that a Gram matrix may take when no limit is set.
constexpr double kGramShare = 0.5;

/// Bytes of an engine's tables and of the workers' blocks.
double bytes_needed(const PursuitPlan& plan, const PursuitProblem& problem, int workers) {
  const double d = problem.dictionary.n_features();
  const double n = problem.dictionary.n_samples();
  const bool screened = plan.screen != Screen::f64;
  // Vectors over the features that a target needs: products, and for OLS two that are kept.
  const double feature_vectors =
      screened ? 0.0 : (problem.options.method == PursuitMethod::ols ? 3.0 : 1.0);
  // Residual and a few directions; long representations are rare.
  constexpr double kSampleVectors = 8;
  double bytes = kDoubleBytes * (feature_vectors * d + kSampleVectors * n) * plan.block * workers;
  if (plan.engine == Engine::gram) bytes += kDoubleBytes * d * d;
  if (plan.engine == Engine::sparse) {
    bytes +=
        (kDoubleBytes + sizeof(Index)) * static_cast<double>(n_stored(problem.dictionary.matrix));
  }
  if (screened) {
    bytes += CandidateScreen::store_bytes(n, d, fastest_tile_kernel(plan.screen));
  }
  return bytes;
}

/// The precision to screen in: few bits where the processor is fast at them.
Screen choose_screen(const PursuitProblem& problem) {
  const Screen asked = problem.options.screen;
  // The ratio that OLS compares has no bound from products alone.
  if (problem.options.method == PursuitMethod::ols) return Screen::f64;
  const Index n = problem.dictionary.n_samples();
  if (asked == Screen::int8 && n > kMostInt8Samples) return Screen::f32;
  if (asked != Screen::automatic) return asked;
  const bool fast = fastest_tile_kernel(Screen::int8).name != "int8 portable";
  return fast && n >= kFewestInt8Samples && n <= kMostInt8Samples ? Screen::int8 : Screen::f32;
}

PursuitPlan plan_for(Engine engine, const PursuitProblem& problem, int workers) {
  PursuitPlan plan;
  plan.engine = engine;
  if (engine == Engine::stream) {
    plan.screen = choose_screen(problem);
    const double fitting =
        kBlockBytes / (kDoubleBytes * std::max<Index>(1, problem.dictionary.n_features()));
    plan.block = plan.screen != Screen::f64
                     ? kScreenBlock
                     : std::clamp(static_cast<Index>(fitting), kSmallestBlock, kLargestBlock);
  }
  plan.bytes = bytes_needed(plan, problem, workers);
  return plan;
}

}  // namespace

PursuitPlan plan_pursuit(const PursuitProblem& problem, const Run& run) {
  const Matrix& dictionary = problem.dictionary.matrix;
  const Engine asked = problem.options.engine;
  const int workers = worker_count(run);
  const double data_bytes =
      kDoubleBytes *
      static_cast<double>(n_stored(dictionary) +
                          (problem.own_targets() ? 0 : n_stored(problem.targets.matrix)));
  const double limit = run.memory_limit == 0 ? kGramShare * static_cast<double>(available_memory())
                                             : static_cast<double>(run.memory_limit) - data_bytes;

  PursuitPlan plan = plan_for(Engine::stream, problem, workers);
  if (asked == Engine::sparse ||
      (asked == Engine::automatic && (std::holds_alternative<SparseMatrix>(dictionary) ||
                                      density(dictionary) < kSparseDensity))) {
    plan = plan_for(Engine::sparse, problem, workers);
  } else if (asked != Engine::stream && problem.own_targets()) {
    // There is no Gram matrix between two different sets of features.
    const PursuitPlan gram = plan_for(Engine::gram, problem, workers);
    const bool pays = n_samples(dictionary) > kGramSamples || plan.screen == Screen::f64;
    if (asked == Engine::gram || (pays && gram.bytes <= limit)) plan = gram;
  }
  if (run.memory_limit != 0 && plan.bytes > limit) {
    throw Error(ErrorCode::over_memory,
                fmt::format("the {} engine needs {} of memory, the limit is {}: raise --memory or "
                            "use fewer --threads",
                            engine_name(plan.engine), format_bytes(plan.bytes + data_bytes),
                            format_bytes(static_cast<double>(run.memory_limit))));
  }
  return plan;
}

}  // namespace sfg::detail

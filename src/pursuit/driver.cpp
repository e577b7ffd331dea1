// Represents every target: hands blocks of targets to the workers, asks the scorer for products,
// lets each target take its step, and gathers the results in the order of the targets.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "core/threads.hpp"
#include "pursuit/plan.hpp"
#include "pursuit/scorer.hpp"
#include "pursuit/target_pursuit.hpp"
#include "sfg/error.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

using namespace detail;

struct TargetResult {
  std::vector<Index> atoms;
  std::vector<double> coefficients;
  double residual = 1;
  PursuitStatus status = PursuitStatus::no_direction;
};

/// What one worker needs for a block of targets; kept from block to block.
template <typename Space>
struct Workspace {
  std::vector<TargetPursuit<Space>> pursuits;
  std::vector<TargetPursuit<Space>*> active;
  std::vector<Query> queries;
  std::vector<double> products;
};

/// Takes all pursuits of a block to their ends, step by step together.
template <typename Space>
void run_block(Workspace<Space>& work, Scorer& scorer, int worker, std::size_t d) {
  while (!work.active.empty()) {
    work.queries.clear();
    for (auto* pursuit : work.active) work.queries.push_back(pursuit->query());
    work.products.resize(d * work.active.size());
    scorer.products(work.queries, worker, work.products.data());
    for (std::size_t b = 0; b < work.active.size(); ++b) {
      const double error_bound = scorer.error_bound(work.queries[b]);
      work.active[b]->step({work.products.data() + b * d, d}, error_bound);
    }
    std::erase_if(work.active, [](const auto* pursuit) { return pursuit->finished(); });
  }
}

template <typename Space>
std::vector<TargetResult> pursue_all(const PursuitProblem& problem, const PursuitPlan& plan,
                                     Scorer& scorer, const Run& run) {
  const auto d = static_cast<std::size_t>(problem.dictionary.n_features());
  const Index n_targets = problem.targets.n_features();
  std::vector<TargetResult> results(static_cast<std::size_t>(n_targets));
  std::vector<Workspace<Space>> workspaces(static_cast<std::size_t>(worker_count(run)));
  const std::int64_t n_blocks = (n_targets + plan.block - 1) / plan.block;
  parallel_for_workers(run, "pursuit", n_blocks, [&](std::int64_t block, int worker) {
    auto& work = workspaces[static_cast<std::size_t>(worker)];
    if (work.pursuits.empty()) {
      work.pursuits.reserve(static_cast<std::size_t>(plan.block));
      for (Index b = 0; b < plan.block; ++b) {
        work.pursuits.emplace_back(problem.dictionary, problem.targets, problem.options);
      }
    }
    const auto first = static_cast<Index>(block * plan.block);
    const Index count = std::min(plan.block, n_targets - first);
    for (Index b = 0; b < count; ++b) {
      auto& pursuit = work.pursuits[static_cast<std::size_t>(b)];
      pursuit.start(first + b, problem.own_targets() ? first + b : -1);
      if (!pursuit.finished()) work.active.push_back(&pursuit);
    }
    run_block(work, scorer, worker, d);
    for (Index b = 0; b < count; ++b) {
      const auto& pursuit = work.pursuits[static_cast<std::size_t>(b)];
      auto& result = results[static_cast<std::size_t>(first + b)];
      result.atoms = pursuit.atoms();
      pursuit.fit().coefficients(result.coefficients);
      result.status = pursuit.status();
      if (result.status != PursuitStatus::no_direction) {
        result.residual = pursuit.fit().residual_square();
      }
    }
  });
  return results;
}

Representations gather(std::vector<TargetResult>&& results, Engine engine) {
  Representations all;
  all.engine = engine;
  for (TargetResult& result : results) {
    all.atoms.insert(all.atoms.end(), result.atoms.begin(), result.atoms.end());
    all.coefficients.insert(all.coefficients.end(), result.coefficients.begin(),
                            result.coefficients.end());
    all.starts.push_back(static_cast<Offset>(all.atoms.size()));
    all.residual.push_back(result.residual);
    all.status.push_back(result.status);
    result = {};
  }
  return all;
}

/// The features in the form that an engine works on.
const UnitFeatures& as_sparse(const UnitFeatures& features, UnitFeatures& converted) {
  const auto* dense = std::get_if<DenseMatrix>(&features.matrix);
  if (dense == nullptr) return features;
  // A centred dense matrix has few zeros; it stays right (shift 0), only slower.
  converted = features;
  converted.matrix = to_sparse(*dense);
  return converted;
}

const UnitFeatures& as_dense(const UnitFeatures& features, UnitFeatures& converted) {
  const auto* sparse = std::get_if<SparseMatrix>(&features.matrix);
  if (sparse == nullptr) return features;
  converted = features;
  DenseMatrix dense = to_dense(*sparse);
  for (std::size_t k = 0; k < features.shift.size(); ++k) {
    for (double& value : dense.column(static_cast<Index>(k))) value -= features.shift[k];
  }
  converted.matrix = std::move(dense);
  converted.shift.clear();
  return converted;
}

std::unique_ptr<Scorer> make_scorer(Engine engine, const UnitFeatures& dictionary, const Run& run) {
  switch (engine) {
    case Engine::gram:
      return make_gram_scorer(dictionary, run);
    case Engine::sparse:
      return make_sparse_scorer(dictionary, run);
    case Engine::stream:
    case Engine::automatic:
      break;
  }
  return make_stream_scorer(dictionary, run);
}

Representations pursue_with_plan(const PursuitProblem& problem, const Run& run) {
  check(problem.options);
  const PursuitPlan plan = plan_pursuit(problem, run);
  const auto convert = plan.engine == Engine::sparse ? as_sparse : as_dense;
  UnitFeatures converted_dictionary;
  UnitFeatures converted_targets;
  const UnitFeatures& dictionary = convert(problem.dictionary, converted_dictionary);
  const UnitFeatures& targets =
      problem.own_targets() ? dictionary : convert(problem.targets, converted_targets);
  const PursuitProblem converted{targets, dictionary, problem.options};
  const auto scorer = make_scorer(plan.engine, dictionary, run);
  const auto pursue_in =
      plan.engine == Engine::sparse ? pursue_all<SparseSpace> : pursue_all<DenseSpace>;
  return gather(pursue_in(converted, plan, *scorer, run), plan.engine);
}

}  // namespace

std::span<const Index> Representations::atoms_of(Index target) const noexcept {
  const auto i = static_cast<std::size_t>(target);
  return {atoms.data() + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
}

std::span<const double> Representations::coefficients_of(Index target) const noexcept {
  const auto i = static_cast<std::size_t>(target);
  return {coefficients.data() + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
}

void check(const PursuitOptions& options) {
  if (!(options.epsilon > 0 && options.epsilon < 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("epsilon must be between 0 and 1, not {}", options.epsilon));
  }
  if (options.max_atoms < 1) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("max-atoms must be at least 1, not {}", options.max_atoms));
  }
}

Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                       const Run& run) {
  return pursue_with_plan({features, features, options}, run);
}

Representations pursue(const UnitFeatures& targets, const UnitFeatures& dictionary,
                       const PursuitOptions& options, const Run& run) {
  return pursue_with_plan({targets, dictionary, options}, run);
}

}  // namespace sfg

#include "pursuit/near_pursuit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/line.hpp"
#include "core/memory.hpp"
#include "core/threads.hpp"
#include "normalise/fewer_samples.hpp"
#include "pursuit/engines/candidate_finder.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "pursuit/run_targets.hpp"

namespace sfg::detail {

namespace {

/// Targets that share the products of the features near them.
constexpr std::size_t kFewestTogether = 32;
constexpr std::size_t kMostTogether = 512;

/// Some targets and the features near one of them, in the order of the line; targets that are no
/// atoms come last.
struct NearBlock {
  std::vector<Index> features;    ///< of the table
  std::vector<Index> targets;     ///< among these features, ascending
  std::vector<std::size_t> item;  ///< of each target: its number in the problem
  std::vector<Run> near;          ///< by feature of the block: its atoms among them
};

class NearPursuit {
 public:
  NearPursuit(const UnitFeatures& features, const NearProblem& problem,
              const PursuitOptions& options, const EarlyEnd& early)
      : features_(features),
        options_(options),
        early_(early),
        atoms_(problem.atoms, &problem.window),
        problem_(problem),
        order_(problem.targets.size()),
        is_atom_(static_cast<std::size_t>(features.n_features()), 0) {
    for (const Index atom : problem.atoms) is_atom_[atom] = 1;
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t item) {
      return problem.window.place_of(problem.targets[item]);
    });
    std::size_t widest = 0;
    for (const Index target : problem.targets) {
      widest = std::max(widest, atoms_.near(target).size());
    }
    together_ = std::clamp(widest / 2, kFewestTogether, kMostTogether);
  }

  [[nodiscard]] Representations run(const RunContext& run) const;

 private:
  [[nodiscard]] std::size_t n_blocks() const { return (order_.size() + together_ - 1) / together_; }
  [[nodiscard]] std::vector<Index> targets_of(std::size_t number) const;
  [[nodiscard]] NearBlock block(std::size_t number) const;
  [[nodiscard]] Representations describe(const NearBlock& block, const RunContext& run) const;
  void require_room(const RunContext& run) const;
  [[nodiscard]] Representations gathered(const std::vector<NearBlock>& blocks,
                                         const std::vector<Representations>& found) const;

  const UnitFeatures& features_;
  const PursuitOptions& options_;
  const EarlyEnd& early_;
  Line atoms_;
  const NearProblem& problem_;
  std::vector<std::size_t> order_;  ///< of the targets along the line
  std::vector<char> is_atom_;
  std::size_t together_ = 1;
};

std::vector<Index> NearPursuit::targets_of(std::size_t number) const {
  const std::size_t first = number * together_;
  std::vector<Index> targets;
  for (std::size_t k = first; k < std::min(first + together_, order_.size()); ++k) {
    targets.push_back(problem_.targets[order_[k]]);
  }
  return targets;
}

NearBlock NearPursuit::block(std::size_t number) const {
  const std::vector<Index> targets = targets_of(number);
  const Run run = atoms_.near_any(targets);
  const auto atoms = atoms_.features().subspan(run.first, run.size());
  NearBlock block;
  block.features.assign(atoms.begin(), atoms.end());
  const auto place = [&](Index feature) { return problem_.window.place_of(feature); };
  std::vector<std::pair<Index, std::size_t>> numbered;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    auto local = static_cast<Index>(block.features.size());
    if (is_atom_[targets[k]] != 0) {
      const auto own = std::ranges::lower_bound(atoms, place(targets[k]), {}, place);
      local = static_cast<Index>(own - atoms.begin());
    } else {
      block.features.push_back(targets[k]);
    }
    numbered.emplace_back(local, order_[number * together_ + k]);
  }
  std::ranges::sort(numbered);
  block.near.resize(block.features.size());
  for (const auto& [local, item] : numbered) {
    block.targets.push_back(local);
    block.item.push_back(item);
    const Run near = atoms_.near(problem_.targets[item]);
    block.near[local] = {near.first - run.first, near.end - run.first};
  }
  return block;
}

/// One block, by one thread.
Representations NearPursuit::describe(const NearBlock& block, const RunContext& run) const {
  const UnitFeatures chosen = select_features(features_, block.features);
  UnitFeatures converted;
  const UnitFeatures& local = in_engine_form(chosen, Engine::gram, converted);
  EarlyEnd early = early_;
  if (!early.doubtful.empty()) {
    early.doubtful.assign(block.features.size(), 0);
    for (std::size_t k = 0; k < block.targets.size(); ++k) {
      early.doubtful[block.targets[k]] = early_.doubtful[block.item[k]];
    }
  }
  PursuitProblem problem{local, local, options_, block.targets, PursuitProblem::Part::rest};
  if (!early.doubtful.empty()) problem.early = &early;
  // The Gram matrix finds repeated features like all others.
  const Duplicates none{std::vector<Index>(block.features.size(), -1)};
  PursuitPlan plan;
  plan.engine = Engine::gram;
  const auto finder = make_gram_finder(local, run, block.near);
  Representations found = run_targets(problem, none, plan, *finder, run);
  for (Index& atom : found.atoms) atom = block.features[atom];
  return found;
}

/// The features, and in each thread those of a block with their products.
void NearPursuit::require_room(const RunContext& run) const {
  std::size_t most = 0;
  for (std::size_t number = 0; number < n_blocks(); ++number) {
    const std::vector<Index> targets = targets_of(number);
    most = std::max(most, atoms_.near_any(targets).size() + targets.size());
  }
  const auto width = static_cast<double>(most);
  const double n = features_.n_samples();
  const double of_thread = 2 * sizeof(double) * n * width + sizeof(float) * width * width;
  const double results = 24.0 * static_cast<double>(problem_.targets.size()) *
                         std::min<double>(options_.max_atoms, width);
  require_memory(
      static_cast<double>(memory_of(features_.matrix)) + worker_count(run) * of_thread + results,
      run, fmt::format("describing features by up to {} near ones", most),
      "raise {memory_limit}, lower {threads} or choose a narrower {window}");
}

Representations NearPursuit::gathered(const std::vector<NearBlock>& blocks,
                                      const std::vector<Representations>& found) const {
  struct Place {
    std::size_t block;
    Index row;
  };
  std::vector<Place> places(problem_.targets.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t k = 0; k < blocks[b].item.size(); ++k) {
      places[blocks[b].item[k]] = {b, static_cast<Index>(k)};
    }
  }
  Representations all;
  all.engine = Engine::gram;
  for (const Place& place : places) {
    const Representations& part = found[place.block];
    const auto atoms = part.atoms_of(place.row);
    const auto coefficients = part.coefficients_of(place.row);
    all.atoms.insert(all.atoms.end(), atoms.begin(), atoms.end());
    all.coefficients.insert(all.coefficients.end(), coefficients.begin(), coefficients.end());
    all.starts.push_back(static_cast<Offset>(all.atoms.size()));
    all.residual.push_back(part.residual[place.row]);
    all.status.push_back(part.status[place.row]);
  }
  return all;
}

Representations NearPursuit::run(const RunContext& run) const {
  require_room(run);
  RunContext alone = run;
  alone.threads = 1;
  alone.progress = nullptr;
  const SingleThreadedBlas single_threaded;
  std::vector<NearBlock> blocks(n_blocks());
  std::vector<Representations> found(n_blocks());
  parallel_for(run, "pursuit", static_cast<std::int64_t>(n_blocks()), [&](std::int64_t number) {
    blocks[number] = block(static_cast<std::size_t>(number));
    found[number] = describe(blocks[number], alone);
    blocks[number].features = {};
    blocks[number].near = {};
  });
  return gathered(blocks, found);
}

}  // namespace

Representations pursue_near(const UnitFeatures& features, const NearProblem& problem,
                            const PursuitOptions& options, const RunContext& run,
                            const EarlyEnd& early) {
  check(options);
  return NearPursuit(features, problem, options, early).run(run);
}

Representations pursue_near(const UnitFeatures& features, const Window& window,
                            const PursuitOptions& options, const RunContext& run,
                            const EarlyEnd& early) {
  std::vector<Index> all(static_cast<std::size_t>(features.n_features()));
  std::iota(all.begin(), all.end(), Index{0});
  const NearProblem problem{all, all, window};
  // As without a window, to the last digit.
  if (options.engine != Engine::sparse && fewer_samples_pay(features)) {
    return pursue_near(fewer_samples(features, run), problem, options,
                       while_holding(features.matrix, run), early);
  }
  return pursue_near(features, problem, options, run, early);
}

}  // namespace sfg::detail

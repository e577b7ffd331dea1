#include "pursuit/checkpoint/blocks.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "core/fingerprint.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace detail {

namespace {

/// Enough that a block costs nothing, few enough that little is lost with the last one.
constexpr std::size_t kTargetsPerBlock = 32;

/// Four chains side by side: a multiplication need not wait for the one before it.
std::uint64_t hash_of(std::span<const double> values) {
  std::uint64_t chains[4] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < values.size(); ++i) {
    chains[i % 4] = mix(chains[i % 4], std::bit_cast<std::uint64_t>(values[i]));
  }
  return mix(mix(chains[0], chains[1]), mix(chains[2], chains[3]));
}

std::uint64_t hash_of_column(const UnitFeatures& features, Index k) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    return hash_of(dense->column(k));
  }
  const auto& sparse = std::get<SparseMatrix>(features.matrix);
  std::uint64_t hash = hash_of(sparse.column_values(k));
  for (const Index row : sparse.column_rows(k)) hash = mix(hash, static_cast<std::uint64_t>(row));
  return hash;
}

/// Which descriptions end early decides what they are.
std::string early_in_words(const EarlyEnd* early) {
  if (early == nullptr) return {};
  std::uint64_t hash = mix(std::bit_cast<std::uint64_t>(early->enough),
                           static_cast<std::uint64_t>(early->most_atoms));
  for (const char doubtful : early->doubtful) {
    hash = mix(hash, static_cast<std::uint64_t>(doubtful));
  }
  return fmt::format(", early ends {:016x}", hash);
}

std::string options_in_words(const PursuitOptions& options, Engine engine) {
  return fmt::format("{}, epsilon {}, at most {} atoms, last atom {}, {} sums",
                     options.method == PursuitMethod::omp ? "omp" : "ols",
                     format_number(options.epsilon), options.max_atoms,
                     options.last_atom == LastAtom::keep ? "kept" : "dropped",
                     engine == Engine::sparse ? "sparse" : "dense");
}

void append(Representations& all, const FinishedTarget& finished) {
  all.atoms.insert(all.atoms.end(), finished.atoms.begin(), finished.atoms.end());
  all.coefficients.insert(all.coefficients.end(), finished.coefficients.begin(),
                          finished.coefficients.end());
  all.starts.push_back(static_cast<Offset>(all.atoms.size()));
  all.residual.push_back(finished.residual);
  all.status.push_back(finished.status);
}

FinishedTarget item_of(const Representations& all, Index item) {
  const auto i = static_cast<std::size_t>(item);
  return {item, all.status[i], all.residual[i], all.atoms_of(item), all.coefficients_of(item)};
}

}  // namespace

std::vector<std::uint64_t> hashes_of(const UnitFeatures& features, const RunContext& run) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(features.n_features()));
  parallel_for(run, {}, features.n_features(), [&](std::int64_t k) {
    hashes[k] = hash_of_column(features, static_cast<Index>(k));
  });
  return hashes;
}

PursuitKey key_of(const PursuitProblem& problem, const PursuitPlan& plan, const RunContext& run) {
  return key_of(problem, plan, hashes_of(problem.dictionary, run));
}

PursuitKey key_of(const PursuitProblem& problem, const PursuitPlan& plan,
                  std::span<const std::uint64_t> hashes) {
  Fingerprint fingerprint;
  fingerprint.add(hashes);
  fingerprint.add(std::span<const double>(problem.dictionary.shift));
  fingerprint.add(std::span<const FeatureKind>(problem.dictionary.kind));
  return {problem.dictionary.n_samples(), problem.dictionary.n_features(), fingerprint.value(),
          options_in_words(problem.options, plan.engine) + early_in_words(problem.early)};
}

void append(TargetBlock& all, const TargetBlock& block) {
  for (std::size_t k = 0; k < block.targets.size(); ++k) {
    all.targets.push_back(block.targets[k]);
    append(all.representations, item_of(block.representations, static_cast<Index>(k)));
  }
}

void BlockKeeper::add(const FinishedTarget& finished, int worker) {
  TargetBlock& block = blocks_[worker];
  block.targets.push_back(finished.target);
  append(block.representations, finished);
  if (block.targets.size() >= kTargetsPerBlock) hand_over(worker);
}

void BlockKeeper::hand_over(int worker) {
  TargetBlock block = std::exchange(blocks_[worker], {});
  if (block.targets.empty()) return;
  const std::lock_guard lock(mutex_);
  checkpoint_.keep(key_, block);
}

void BlockKeeper::hand_over_all() {
  for (std::size_t worker = 0; worker < blocks_.size(); ++worker) {
    hand_over(static_cast<int>(worker));
  }
}

KnownTargets::KnownTargets(std::vector<TargetBlock> blocks, const PursuitKey& key)
    : key_(key), places_(static_cast<std::size_t>(key.n_features)) {
  blocks_.reserve(blocks.size());
  for (TargetBlock& block : blocks) add(std::move(block));
}

void KnownTargets::add(TargetBlock block) {
  const auto check = [](bool holds) {
    if (holds) return;
    throw Error(ErrorCode::inconsistent_input,
                "the checkpoint does not fit this pursuit; start over without it");
  };
  check(fits(block, key_));
  for (std::size_t k = 0; k < block.targets.size(); ++k) {
    Place& place = places_[block.targets[k]];
    check(place.block < 0);
    place = {static_cast<Index>(blocks_.size()), static_cast<Index>(k)};
  }
  blocks_.push_back(std::move(block));
}

std::vector<Index> KnownTargets::left() const {
  std::vector<Index> targets;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].block < 0) targets.push_back(static_cast<Index>(i));
  }
  return targets;
}

std::size_t KnownTargets::bytes() const noexcept {
  std::size_t bytes = places_.size() * sizeof(Place);
  for (const TargetBlock& block : blocks_) {
    constexpr std::size_t kPerTarget = sizeof(Index) + sizeof(Offset) + sizeof(double) + 1;
    bytes += block.targets.size() * kPerTarget +
             block.representations.atoms.size() * (sizeof(Index) + sizeof(double));
  }
  return bytes;
}

Representations KnownTargets::merged_with(Representations found) const {
  if (empty()) return found;
  Representations all;
  all.engine = found.engine;
  all.screen = found.screen;
  all.candidates_per_step = found.candidates_per_step;
  Index n_found = 0;
  for (const Place& place : places_) {
    append(all, place.block < 0 ? item_of(found, n_found++)
                                : item_of(blocks_[place.block].representations, place.item));
  }
  return all;
}

Representations KnownTargets::take_all() {
  Representations all;
  std::size_t n_atoms = 0;
  std::vector<std::size_t> n_left;
  for (const TargetBlock& block : blocks_) {
    n_atoms += block.representations.atoms.size();
    n_left.push_back(block.targets.size());
  }
  all.starts.reserve(places_.size() + 1);
  all.residual.reserve(places_.size());
  all.status.reserve(places_.size());
  all.atoms.reserve(n_atoms);
  all.coefficients.reserve(n_atoms);
  for (const Place& place : places_) {
    if (place.block < 0) throw Error(ErrorCode::internal, "a target was never represented");
    const auto b = static_cast<std::size_t>(place.block);
    append(all, item_of(blocks_[b].representations, place.item));
    if (--n_left[b] == 0) blocks_[b] = {};
  }
  return all;
}

}  // namespace detail

}  // namespace sfg

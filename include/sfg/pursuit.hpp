#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// Which atom joins a representation next.
enum class PursuitMethod {
  omp,  ///< largest |<f_j, q>|: orthogonal matching pursuit, what the paper's numbers come from
  ols,  ///< largest drop of |q|^2: orthogonal least squares, what the paper's Algorithm 1 says
};
template <>
inline constexpr auto kChoices<PursuitMethod> = std::array{
    Choice{PursuitMethod::omp, "omp", "the feature that correlates most with what is left"},
    Choice{PursuitMethod::ols, "ols", "the feature that explains most of what is left"}};

/// How the products <f_j, q> are found. Every engine gives the same representations.
enum class Engine {
  automatic,  ///< sparse below 3 % nonzero entries; else stream, or gram if it fits and pays
  gram,       ///< from the matrix of all inner products: 4 d^2 bytes
  stream,     ///< from the data, a block of targets at a time
  sparse,     ///< from the nonzero entries only
};
template <>
inline constexpr auto kChoices<Engine> =
    std::array{Choice{Engine::automatic, "auto", "the fastest that fits into memory"},
               Choice{Engine::gram, "gram", "from all correlations at once: 4 d^2 bytes"},
               Choice{Engine::stream, "stream", "from the data, a block of features at a time"},
               Choice{Engine::sparse, "sparse", "from the nonzero entries only"}};

/// Precision in which the streaming engine looks for candidates; the winner is always found in
/// float64 from the data, so that the answer is the same.
enum class Screen {
  automatic,  ///< int8 where the processor is fast at it and the lists of candidates stay short
  int8,
  bf16,
  f32,
};
template <>
inline constexpr auto kChoices<Screen> = std::array{
    Choice{Screen::automatic, "auto", "the fastest on this processor"},
    Choice{Screen::int8, "int8"}, Choice{Screen::bf16, "bf16"}, Choice{Screen::f32, "f32"}};

/// Whether the atom that gained less than epsilon, and so ended the pursuit, stays.
enum class LastAtom { keep, drop };
template <>
inline constexpr auto kChoices<LastAtom> =
    std::array{Choice{LastAtom::keep, "keep", "it stays (the paper's results)"},
               Choice{LastAtom::drop, "drop", "it goes"}};

struct PursuitOptions {
  PursuitMethod method = PursuitMethod::omp;
  /// Stop when an atom lowers the squared residual by less than this; in (0, 1).
  double epsilon = 0.01;
  /// Most atoms of one representation; at least 1.
  int max_atoms = 100;
  LastAtom last_atom = LastAtom::keep;
  Engine engine = Engine::automatic;
  Screen screen = Screen::automatic;
};

template <OptionsOf<PursuitOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"pursuit", "Which feature joins a description next"}, options.method);
  visit({"epsilon", "End a description when its next feature gains less than this", between(0, 1)},
        options.epsilon);
  visit({"max_atoms", "Most features in one description", at_least(1)}, options.max_atoms);
  visit({"last_atom", "What becomes of the feature whose small gain ended a description"},
        options.last_atom);
  visit({"engine", "How descriptions are found: the same answer at another speed"}, options.engine);
  visit({"screen", "Precision of the stream engine's first look: the same answer"}, options.screen);
}

/// Why a pursuit ended.
enum class PursuitStatus : std::uint8_t {
  small_gain,         ///< the last atom gained less than epsilon
  exact,              ///< nothing is left of the residual
  reached_max_atoms,  ///< max_atoms atoms are in
  stalled,            ///< no further atom correlates with the residual
  no_direction,       ///< the target is empty or constant
};
template <>
inline constexpr auto kChoices<PursuitStatus> = std::array{
    Choice{PursuitStatus::small_gain, "small_gain"}, Choice{PursuitStatus::exact, "exact"},
    Choice{PursuitStatus::reached_max_atoms, "reached_max_atoms"},
    Choice{PursuitStatus::stalled, "stalled"}, Choice{PursuitStatus::no_direction, "no_direction"}};

/// f_i ~ sum_k coefficient_k f_(atom_k) for every target i, all in compressed rows.
struct Representations {
  std::vector<Offset> starts{0};     ///< target i owns entries [starts[i], starts[i+1])
  std::vector<Index> atoms;          ///< in the order in which they were chosen
  std::vector<double> coefficients;  ///< of unit features
  std::vector<double> residual;      ///< |f_i - sum|^2, in [0, 1]
  std::vector<PursuitStatus> status;
  Engine engine = Engine::automatic;  ///< the one that was used
  std::string screen = "none";        ///< kernel that the stream engine screened with: "int8 avx2"
  double candidates_per_step = 0;     ///< rescored in float64, on average; screened stream only

  [[nodiscard]] Index n_targets() const noexcept { return static_cast<Index>(status.size()); }
  [[nodiscard]] std::span<const Index> atoms_of(Index target) const noexcept;
  [[nodiscard]] std::span<const double> coefficients_of(Index target) const noexcept;
};

/// Descriptions that may end early: most of the time of a pursuit goes into describing noise. A
/// doubtful target whose first atom explains less than `enough` gets `most_atoms` at the most, and
/// it ends when two atoms in a row explain less than `least_share` of what was left before them.
struct EarlyEnd {
  std::vector<char> doubtful;  ///< by target; empty: none is
  double enough = 0;
  int most_atoms = 8;
  double least_share = 0;
};

/// How the pursuit of all targets will be carried out.
struct PursuitPlan {
  Engine engine = Engine::stream;
  Screen screen = Screen::automatic;
  std::string kernel = "none";  ///< of the stream engine: "int8 avx2"
  Index block = 1;              ///< targets that are under way together in one worker
  bool gram_fits = false;       ///< the Gram matrix may be used instead, if a trial says it pays
  std::vector<Screen> other_screens = {};  ///< likewise; they fit the memory too
  double held_bytes = 0;                   ///< the data, as they are in memory already
  double engine_bytes = 0;                 ///< tables of the engine
  double block_bytes = 0;                  ///< targets under way in all workers
  double result_bytes = 0;

  [[nodiscard]] double bytes() const noexcept {
    return held_bytes + engine_bytes + block_bytes + result_bytes;
  }
};

/// A plan, and what a few sampled targets say about the time it will take.
struct PursuitEstimate {
  PursuitPlan plan;
  double mean_atoms = 0;
  double candidates_per_step = 0;
  double multiply_adds = 0;  ///< to find the atoms; refitting and rescoring come on top
  double seconds = 0;
};

/// Throws invalid_option for a value out of its range.
void check(const PursuitOptions& options);

/// What pursue() would do, from the sizes and a few sampled targets. Throws as pursue() does.
[[nodiscard]] PursuitEstimate estimate_pursuit(const UnitFeatures& features,
                                               const PursuitOptions& options,
                                               const RunContext& run = {});

/// Represents every feature by the others (the paper's equation 3 and Algorithm 1).
/// Ties: among atoms whose score is within 1e-9 of the best the lowest index wins, so that the
/// answer does not depend on threads, engine or blocking. An atom in the span of the chosen ones
/// is never added. Throws over_memory, interrupted, invalid_option.
[[nodiscard]] Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                                     const RunContext& run = {});

/// The same of some features only (ascending), by all the others; in the order given.
[[nodiscard]] Representations pursue_some(const UnitFeatures& features,
                                          const std::vector<Index>& targets,
                                          const PursuitOptions& options,
                                          const RunContext& run = {});

/// The same by the features of another set.
[[nodiscard]] Representations pursue_some(const UnitFeatures& features,
                                          const std::vector<Index>& targets,
                                          const UnitFeatures& dictionary,
                                          const PursuitOptions& options,
                                          const RunContext& run = {});

/// Represents each target by features of another set (same samples, same centring).
[[nodiscard]] Representations pursue(const UnitFeatures& targets, const UnitFeatures& dictionary,
                                     const PursuitOptions& options, const RunContext& run = {},
                                     const EarlyEnd& early = {});

}  // namespace sfg

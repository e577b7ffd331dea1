#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run.hpp"

namespace sfg {

/// Which atom joins a representation next.
enum class PursuitMethod {
  omp,  ///< largest |<f_j, q>|: orthogonal matching pursuit, what the paper's numbers come from
  ols,  ///< largest drop of |q|^2: orthogonal least squares, what the paper's Algorithm 1 says
};

/// How the products <f_j, q> are found. Every engine gives the same representations.
enum class Engine {
  automatic,  ///< sparse below 3 % nonzero entries, else gram if it fits the memory, else stream
  gram,       ///< from the matrix of all inner products: 8 d^2 bytes
  stream,     ///< from the data, a block of targets at a time
  sparse,     ///< from the nonzero entries only
};

/// Whether the atom that gained less than epsilon, and so ended the pursuit, stays.
enum class LastAtom { keep, drop };

struct PursuitOptions {
  PursuitMethod method = PursuitMethod::omp;
  /// Stop when an atom lowers the squared residual by less than this; in (0, 1).
  double epsilon = 0.01;
  /// Most atoms of one representation; at least 1.
  int max_atoms = 100;
  LastAtom last_atom = LastAtom::keep;
  Engine engine = Engine::automatic;
};

/// Why a pursuit ended.
enum class PursuitStatus : std::uint8_t {
  small_gain,         ///< the last atom gained less than epsilon
  exact,              ///< nothing is left of the residual
  reached_max_atoms,  ///< max_atoms atoms are in
  stalled,            ///< no further atom correlates with the residual
  no_direction,       ///< the target is empty or constant
};

/// "small_gain", "exact", ...
[[nodiscard]] std::string status_name(PursuitStatus status);

/// f_i ~ sum_k coefficient_k f_(atom_k) for every target i, all in compressed rows.
struct Representations {
  std::vector<Offset> starts{0};     ///< target i owns entries [starts[i], starts[i+1])
  std::vector<Index> atoms;          ///< in the order in which they were chosen
  std::vector<double> coefficients;  ///< of unit features
  std::vector<double> residual;      ///< |f_i - sum|^2, in [0, 1]
  std::vector<PursuitStatus> status;
  Engine engine = Engine::automatic;  ///< the one that was used

  [[nodiscard]] Index n_targets() const noexcept { return static_cast<Index>(status.size()); }
  [[nodiscard]] std::span<const Index> atoms_of(Index target) const noexcept;
  [[nodiscard]] std::span<const double> coefficients_of(Index target) const noexcept;
};

/// Throws invalid_option for a value out of its range.
void check(const PursuitOptions& options);

/// Represents every feature by the others (the paper's equation 3 and Algorithm 1).
/// Ties: among atoms whose score is within 1e-9 of the best the lowest index wins, so that the
/// answer does not depend on threads, engine or blocking. An atom in the span of the chosen ones
/// is never added. Throws over_memory, interrupted, invalid_option.
[[nodiscard]] Representations pursue(const UnitFeatures& features, const PursuitOptions& options,
                                     const Run& run = {});

/// Represents each target by features of another set (same samples, same centring).
[[nodiscard]] Representations pursue(const UnitFeatures& targets, const UnitFeatures& dictionary,
                                     const PursuitOptions& options, const Run& run = {});

/// "gram", "stream", "sparse", "auto" and back; engine_from_name throws invalid_option.
[[nodiscard]] std::string engine_name(Engine engine);
[[nodiscard]] Engine engine_from_name(const std::string& name);

}  // namespace sfg

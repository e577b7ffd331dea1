#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pursuit/engines/stream/tile.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/omp/orthogonal_fit.hpp"
#include "sfg/pursuit.hpp"

// A scorer finds <f_k, v> for every feature k and many vectors v at once, to within an error bound
// it states. It decides nothing: the driver rescores every possible winner in float64 from the
// data.
namespace sfg::detail {

/// A vector whose products with all features are wanted: v itself and v as a sum of features.
struct Query {
  const SampleVector* vector = nullptr;
  std::span<const Index> rows;  ///< samples of the vector's entries; empty: all of them
  Index target = -1;            ///< v = target_weight * f_target + sum_l weights_l f_atoms_l
  double target_weight = 0;
  std::span<const Index> atoms;
  std::span<const double> weights;
};

template <typename Value>
class Scorer {
 public:
  virtual ~Scorer() = default;

  /// products[b * n_features + k] ~ <f_k, v_b>, off by at most error_bounds[b]. Repeated features
  /// may have 0. Calls with different workers may run at once.
  virtual void products(std::span<const Query> queries, int worker, Value* products,
                        double* error_bounds) = 0;
};

/// From the Gram matrix G = F'F (float, 4 d^2 bytes): <f_k, v> = sum_l a_l G_(k, j_l).
[[nodiscard]] std::unique_ptr<Scorer<float>> make_gram_scorer(const UnitFeatures& features,
                                                              const RunContext& run);
/// From the data in the precision of a kernel; a screen whose values are all wanted.
[[nodiscard]] std::unique_ptr<Scorer<float>> make_screen_scorer(const UnitFeatures& dictionary,
                                                                const Duplicates& duplicates,
                                                                const TileKernel& kernel,
                                                                const RunContext& run);
/// From the nonzero entries of the vector's rows, scattered into a dense row of scores.
[[nodiscard]] std::unique_ptr<Scorer<double>> make_sparse_scorer(const UnitFeatures& dictionary,
                                                                 const Duplicates& duplicates,
                                                                 const RunContext& run);

}  // namespace sfg::detail

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// How features are judged without labels. All look at how well a feature follows the shape of the
/// data that a graph of similar samples describes.
enum class SelectMethod {
  mcfs,       ///< multi-cluster feature selection (Cai, Zhang, He 2010)
  laplacian,  ///< Laplacian score (He, Cai, Niyogi 2005)
  spec,       ///< spectral feature selection (Zhao, Liu 2007)
  fsasl,      ///< adaptive structure learning (Du, Shen 2015)
};

[[nodiscard]] std::string select_method_name(SelectMethod method);
[[nodiscard]] SelectMethod select_method_from_name(const std::string& name);

/// What MCFS does to the coefficients of a response before it compares them with other responses'.
enum class CoefficientScale {
  as_they_are,  ///< the textbook's
  unit_length,  ///< divided by their Euclidean norm (the paper's experiments)
};

/// What MCFS does with features that correlate equally with what is left of a response.
enum class TiedFeatures {
  optimal,     ///< the lasso's own answer: copies share a coefficient (ridge), or the first has it
  one_by_one,  ///< one per step, as if there were no tie (the paper's experiments)
};

/// SPEC's ranking function; L = I - D^-1/2 W D^-1/2, f = D^1/2 x / |D^1/2 x|, e = the trivial
/// eigenvector, proportional to D^1/2 1. Small values are good.
enum class SpecRanking {
  phi_1,  ///< f'L f: likes features that are nearly constant
  phi_2,  ///< f'L f / (1 - (f'e)^2): the constant part is taken out of both
};

/// Weights of FSASL's terms as shares of their natural size, so that they do not depend on the
/// scale and the number of samples and features.
struct FsaslOptions {
  /// Of the size at which no sample is represented by others any more; > 0.
  double alpha = 0.1;
  /// Of the local structure against the global one; >= 0.
  double beta = 1;
  /// Of the sparsity of the rows of W against the structure; > 0.
  double gamma = 0.1;
  int max_rounds = 30;      ///< at least 1
  double tolerance = 1e-3;  ///< ends when the objective falls by a smaller share; >= 0
};

struct SelectOptions {
  SelectMethod method = SelectMethod::mcfs;
  /// Numbers of features wanted; each at least 1.
  std::vector<Index> sizes{10, 20, 50, 100};
  /// Nearest neighbours of each sample in the graph of the samples; 0: all samples, and SPEC
  /// defaults to that (kMethodsOwn).
  static constexpr Index kMethodsOwn = -1;
  Index neighbours = kMethodsOwn;
  /// MCFS: eigenvectors that are regressed on. FSASL: columns of W. At least 1; the textbooks take
  /// the number of clusters.
  Index responses = 5;
  /// MCFS: weight of the squared coefficients, >= 0.
  double ridge = 0;
  CoefficientScale coefficient_scale = CoefficientScale::as_they_are;
  TiedFeatures tied_features = TiedFeatures::optimal;
  SpecRanking spec_ranking = SpecRanking::phi_2;
  FsaslOptions fsasl;
};

/// MCFS as the paper's experiments ran it: 5 neighbours, 5 responses, ridge 0.001, coefficients of
/// unit length, tied features one by one.
[[nodiscard]] SelectOptions paper_selection(std::vector<Index> sizes);

/// Which scores are good.
enum class ScoreOrder { largest_first, smallest_first };

/// How the computation ended.
enum class SelectStatus {
  done,
  few_responses,       ///< fewer eigenvectors than asked for: the others carry nothing
  eigenmap_inexact,    ///< the eigenvectors are not as exact as they should be
  path_incomplete,     ///< MCFS: a regression path ended early among ties
  reached_max_rounds,  ///< FSASL: the objective still falls
  stalled,             ///< FSASL: a round lost too many digits to lower the objective
};

[[nodiscard]] std::string status_name(SelectStatus status);

struct Selection {
  Index n_selected = 0;
  std::vector<Index> features;  ///< best first; equal scores: lowest index first
  std::vector<double> scores;   ///< of these features, at this size
};

struct SelectResult {
  SelectMethod method = SelectMethod::mcfs;
  SelectStatus status = SelectStatus::done;
  /// One per size asked for; nothing where that is more than there are features.
  std::vector<std::optional<Selection>> selections;
  /// By feature. MCFS has scores for each size; these are the largest possible size's (all
  /// features', if none is possible). Infinite: the method cannot judge the feature, it comes last.
  std::vector<double> scores;
  ScoreOrder order = ScoreOrder::largest_first;
  Index neighbours = 0;           ///< as used; 0: all samples
  Index responses = 0;            ///< as used; 0: none
  std::vector<double> objective;  ///< FSASL: after each round, never rising
};

/// Throws invalid_option for a value out of its range.
void check(const SelectOptions& options);

/// The best features by one of the methods, for every size at once. The features are taken as they
/// are: of unit length and not centred is what the paper does. Dense or sparse; memory for the
/// graph of the samples (n^2 numbers without neighbours, and for FSASL) and two numbers per feature
/// and response. The answer does not depend on the number of threads. Throws invalid_option,
/// degenerate_data (fewer than three samples, nothing but zeros), over_memory.
[[nodiscard]] SelectResult select_best(const UnitFeatures& features, const SelectOptions& options,
                                       const RunContext& run = {});

}  // namespace sfg

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"
#include "sfg/select_method.hpp"
#include "sfg/target.hpp"

namespace sfg {

/// What MCFS does to the coefficients of a response before it compares them with other responses'.
enum class CoefficientScale {
  as_they_are,  ///< the textbook's
  unit_length,  ///< divided by their Euclidean norm (the paper's experiments)
};
template <>
inline constexpr auto kChoices<CoefficientScale> =
    std::array{Choice{CoefficientScale::as_they_are, "as-they-are", "the textbook's"},
               Choice{CoefficientScale::unit_length, "unit-length", "the paper's"}};

/// What MCFS does with features that correlate equally with what is left of a response.
enum class TiedFeatures {
  optimal,     ///< the lasso's own answer: copies share a coefficient (ridge), or the first has it
  one_by_one,  ///< one per step, as if there were no tie (the paper's experiments)
};
template <>
inline constexpr auto kChoices<TiedFeatures> =
    std::array{Choice{TiedFeatures::optimal, "optimal", "the lasso's own answer"},
               Choice{TiedFeatures::one_by_one, "one-by-one", "the paper's"}};

/// SPEC's ranking function; L = I - D^-1/2 W D^-1/2, f = D^1/2 x / |D^1/2 x|, e = the trivial
/// eigenvector, proportional to D^1/2 1. Small values are good.
enum class SpecRanking {
  phi_1,  ///< f'L f: likes features that are nearly constant
  phi_2,  ///< f'L f / (1 - (f'e)^2): the constant part is taken out of both
};
template <>
inline constexpr auto kChoices<SpecRanking> =
    std::array{Choice{SpecRanking::phi_1, "phi1", "likes features that are nearly constant"},
               Choice{SpecRanking::phi_2, "phi2", "takes the constant part out"}};

/// Weights of FSASL's terms as shares of their natural size, so that they do not depend on the
/// scale and the number of samples and features.
struct FsaslOptions {
  /// Of the size at which no sample is represented by others any more; > 0.
  double alpha = 0.1;
  /// Of the local structure against the global one; >= 0.
  double beta = 1;
  /// Of the sparsity of the rows of W against the structure; > 0.
  double gamma = 0.1;
  int max_iter = 30;  ///< rounds, at least 1
  double tol = 1e-3;  ///< ends when the objective falls by a smaller share; >= 0
};

template <OptionsOf<FsaslOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"alpha", "fsasl: sparsity of the samples' representations, as a share", above(0)},
        options.alpha);
  visit({"beta", "fsasl: weight of the local structure", at_least(0)}, options.beta);
  visit({"gamma", "fsasl: sparsity over the features, as a share", above(0)}, options.gamma);
  visit({"max_iter", "fsasl: most rounds", at_least(1)}, options.max_iter);
  visit({"tol", "fsasl: end when the objective falls by a smaller share", at_least(0)},
        options.tol);
}

struct SelectOptions {
  SelectMethod method = SelectMethod::mcfs;
  /// Numbers of features wanted; each at least 1. None for FCBF and FAST: all that they keep.
  std::vector<Index> sizes{10, 20, 50, 100};
  /// Nearest neighbours of each sample in the graph of the samples; 0: all samples. Not given: 5,
  /// and all samples for SPEC.
  std::optional<Index> n_neighbors = {};
  /// MCFS: eigenvectors that are regressed on. FSASL: columns of W. At least 1; the textbooks take
  /// the number of clusters.
  Index n_responses = 5;
  /// MCFS: weight of the squared coefficients, >= 0.
  double ridge = 0;
  CoefficientScale coefficient_scale = CoefficientScale::as_they_are;
  TiedFeatures tied_features = TiedFeatures::optimal;
  SpecRanking spec_ranking = SpecRanking::phi_2;
  FsaslOptions fsasl = {};
  InformationOptions information = {};
  RedundancyOptions redundancy = {};
};

template <OptionsOf<SelectOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"method", "How features are judged"}, options.method);
  visit({"sizes", "Numbers of features to select", at_least(1)}, options.sizes);
  visit({"n_neighbors", "Nearest neighbours of each sample (auto: 5; all for spec)", at_least(0),
         "all"},
        options.n_neighbors);
  visit({"n_responses", "mcfs: eigenvectors that features are regressed on; fsasl: dimensions",
         at_least(1)},
        options.n_responses);
  visit({"ridge", "mcfs: weight of the squared coefficients", at_least(0)}, options.ridge);
  visit({"coefficient_scale", "mcfs: what responses are compared by"}, options.coefficient_scale);
  visit({"tied_features", "mcfs: features that correlate equally"}, options.tied_features);
  visit({"spec_ranking", "spec: its ranking function"}, options.spec_ranking);
  visit_fields(options.fsasl, visit);
  visit_fields(options.information, visit);
  visit_fields(options.redundancy, visit);
}

/// Whether the features are judged by labels: these selectors need a target.
[[nodiscard]] bool needs_labels(const SelectOptions& options) noexcept;
/// Whether the method itself says how many features there are (FCBF, FAST).
[[nodiscard]] bool has_own_size(SelectMethod method) noexcept;

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
  reached_max_rounds,  ///< FSASL: the objective still falls; GRM, MRSF: not exact enough yet
  stalled,             ///< FSASL: a round lost too many digits to lower the objective
  few_features,        ///< FCBF, FAST: fewer than asked for remain; these are all
};
template <>
inline constexpr auto kChoices<SelectStatus> =
    std::array{Choice{SelectStatus::done, "done"},
               Choice{SelectStatus::few_responses, "few-responses"},
               Choice{SelectStatus::eigenmap_inexact, "eigenmap-inexact"},
               Choice{SelectStatus::path_incomplete, "path-incomplete"},
               Choice{SelectStatus::reached_max_rounds, "reached-max-rounds"},
               Choice{SelectStatus::stalled, "stalled"},
               Choice{SelectStatus::few_features, "few-features"}};

struct Selection {
  Index n_selected = 0;
  /// Best first (mRMR: in the order of the picks); equal scores: lowest index first.
  std::vector<Index> features;
  std::vector<double> scores;  ///< of these features, at this size
};

/// A feature that FCBF or FAST leaves out.
struct Superseded {
  Index feature = 0;
  Index by = -1;         ///< the feature that makes it redundant; -1: it is not relevant
  double between = 0;    ///< symmetric uncertainty of the two; 0 without the other
  double relevance = 0;  ///< symmetric uncertainty of the feature and the class
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
  Index n_neighbors = 0;            ///< as used; 0: all samples
  Index n_responses = 0;            ///< as used; 0: none
  std::vector<double> objective;    ///< FSASL: after each round, never rising
  std::vector<Superseded> removed;  ///< FCBF, FAST: by feature
  std::string labels_note;          ///< how the labels were taken; empty where none are needed
};

/// Throws invalid_option for a value out of its range, or no size.
void check(const SelectOptions& options);

/// The best features by one of the methods, for every size at once. The features are taken as they
/// are: of unit length and not centred is what the paper does. Dense or sparse; memory for the
/// graph of the samples (n^2 numbers without neighbours, and for FSASL) and two numbers per feature
/// and response. The answer does not depend on the number of threads. Throws invalid_option,
/// degenerate_data (fewer than three samples, nothing but zeros), over_memory.
[[nodiscard]] SelectResult select_best(const UnitFeatures& features, const SelectOptions& options,
                                       const RunContext& run = {});
/// The same for the methods that need labels, over the samples whose label is known; others look at
/// the features alone. Without a target such a method throws invalid_option; with fewer than five
/// known samples degenerate_data.
[[nodiscard]] SelectResult select_best(const UnitFeatures& features, const Target& target,
                                       const SelectOptions& options, const RunContext& run = {});

}  // namespace sfg

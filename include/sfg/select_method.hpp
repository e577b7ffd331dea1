#pragma once

#include "sfg/options.hpp"

// Which selector judges the features, and the options of those that look at labels or at
// redundancy.
namespace sfg {

/// How features are judged.
enum class SelectMethod {
  mcfs,       ///< multi-cluster feature selection (Cai, Zhang, He 2010)
  laplacian,  ///< Laplacian score (He, Cai, Niyogi 2005)
  spec,       ///< spectral feature selection (Zhao, Liu 2007)
  fsasl,      ///< adaptive structure learning (Du, Shen 2015)
  mrmr,       ///< minimum redundancy, maximum relevance (Peng, Long, Ding 2005); labels
  fcbf,       ///< fast correlation-based filter, Markov blankets (Yu, Liu 2004); labels
  fast,       ///< clusters of a minimum spanning tree (Song, Ni, Wang 2013); labels
  grm,        ///< global redundancy minimisation of scores (Wang, Nie, Huang 2015)
  mrsf,       ///< minimum redundancy spectral selection (Zhao, Wang, Liu 2010)
  sparsity,   ///< sparsity score (Liu, Zhang 2012)
};
template <>
inline constexpr auto kChoices<SelectMethod> =
    std::array{Choice{SelectMethod::mcfs, "mcfs", "multi-cluster feature selection"},
               Choice{SelectMethod::laplacian, "laplacian", "Laplacian score"},
               Choice{SelectMethod::spec, "spec", "spectral feature selection"},
               Choice{SelectMethod::fsasl, "fsasl", "adaptive structure learning"},
               Choice{SelectMethod::mrmr, "mrmr", "minimum redundancy, maximum relevance; labels"},
               Choice{SelectMethod::fcbf, "fcbf", "fast correlation-based filter; labels"},
               Choice{SelectMethod::fast, "fast", "clusters of a spanning tree; labels"},
               Choice{SelectMethod::grm, "grm", "global redundancy minimisation of scores"},
               Choice{SelectMethod::mrsf, "mrsf", "minimum redundancy spectral selection"},
               Choice{SelectMethod::sparsity, "sparsity", "sparsity score"}};

/// What mRMR maximises at each pick, with S the picks so far:
///   difference: relevance - mean redundancy with S;  quotient: relevance / that mean.
/// Of discrete features both are mutual information; of continuous ones the relevance is F, the
/// statistic of a one-way analysis of variance (numbers as labels: of their regression), and the
/// redundancy is |r|.
enum class MrmrScheme { mid, miq, fcd, fcq };
template <>
inline constexpr auto kChoices<MrmrScheme> =
    std::array{Choice{MrmrScheme::mid, "mid", "information, difference"},
               Choice{MrmrScheme::miq, "miq", "information, quotient"},
               Choice{MrmrScheme::fcd, "fcd", "F and correlation, difference"},
               Choice{MrmrScheme::fcq, "fcq", "F and correlation, quotient"}};

/// Selectors that compare features with labels by information.
struct InformationOptions {
  /// Bins of equal frequency for features (and numbers as labels) with many different values; those
  /// with few are taken as they are. 2 to 255.
  Index n_bins = 5;
  MrmrScheme mrmr_scheme = MrmrScheme::mid;
  /// Added to the mean redundancy of quotients, >= 0. Peng's program adds 0.0001.
  double quotient_floor = 0;
  /// FCBF and FAST leave out features whose symmetric uncertainty with the class is not above this.
  double min_relevance = 0;
};

template <OptionsOf<InformationOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit(
      {"n_bins", "mrmr, fcbf, fast: bins for features with many different values", within(2, 255)},
      options.n_bins);
  visit({"mrmr_scheme", "mrmr: what each pick maximises"}, options.mrmr_scheme);
  visit({"quotient_floor", "mrmr: added to the mean redundancy that relevance is divided by",
         at_least(0)},
        options.quotient_floor);
  visit({"min_relevance",
         "fcbf, fast: leave out features whose symmetric uncertainty with the class is not above "
         "this",
         within(0, 1)},
        options.min_relevance);
}

/// What MRSF regresses on the features.
enum class SpectralTargets { similarity, labels };
template <>
inline constexpr auto kChoices<SpectralTargets> =
    std::array{Choice{SpectralTargets::similarity, "similarity", "eigenvectors of similar samples"},
               Choice{SpectralTargets::labels, "labels", "the classes"}};

/// Selectors that weigh how much features say the same.
struct RedundancyOptions {
  /// Whose scores GRM refines.
  SelectMethod base_method = SelectMethod::laplacian;
  /// Of redundancy against scores, which GRM scales to [0, 1]; > 0.
  double redundancy_weight = 1;
  SpectralTargets spectral_targets = SpectralTargets::similarity;
  /// Sparsity score: of the weight at which no sample is represented by others; > 0, below 1.
  double sparsity = 0.1;
};

template <OptionsOf<RedundancyOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({.name = "base_method", .help = "grm: whose scores it refines", .without = "mrmr fast grm"},
        options.base_method);
  visit({"redundancy_weight", "grm: of redundancy against scores", above(0)},
        options.redundancy_weight);
  visit({"spectral_targets", "mrsf: what is regressed on the features"}, options.spectral_targets);
  visit({"sparsity", "sparsity: weight of the coefficients' sum, as a share", between(0, 1)},
        options.sparsity);
}

}  // namespace sfg

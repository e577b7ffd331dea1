#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/competitors.hpp"
#include "sfg/dataset.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// Shares of the features that are kept where nothing else is asked for.
inline constexpr std::array kUsualShares{0.5, 0.25, 0.1, 0.05, 0.02};

struct CompareOptions {
  std::vector<double> shares = {};       ///< of the features that vary, to keep; in (0, 1)
  std::vector<Index> n_features = {};    ///< numbers of features to keep, beside the shares
  std::vector<Competitor> methods = {};  ///< none: all of them
  int n_random = 5;                      ///< random subsets
  int n_seeds = 5;                       ///< of k-means and of the divisions into folds
  int n_folds = 5;                       ///< of the classifiers
  Index n_certified = 500;  ///< features whose held-out R^2 is found, the same for all; random
  /// Samples of text are compared by tf-idf and cosine, others by unit columns and distance.
  bool text = false;
};

template <OptionsOf<CompareOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"shares",
         "Shares of the features to keep (0.5,0.25,0.1,0.05,0.02 unless {n_features} is given)",
         between(0, 1)},
        options.shares);
  visit({"n_features", "Numbers of features to keep", at_least(1)}, options.n_features);
  visit({"methods", "Which ways to keep features are compared (every one if not given)"},
        options.methods);
  visit({"n_random", "Random subsets to average over", at_least(1)}, options.n_random);
  visit({"n_seeds", "Seeds of k-means, and divisions into folds, to average over", at_least(1)},
        options.n_seeds);
  visit({"n_folds", "Parts of the samples, each classified by the others", at_least(2)},
        options.n_folds);
  visit({"n_certified", "Features whose held-out R2 is found", at_least(1)}, options.n_certified);
  visit({"text", "Word counts: compare samples by tf-idf and cosine"}, options.text);
}

/// What a competitor reaches with a number of features.
struct CompareRow {
  Competitor competitor;
  double share = 0;  ///< as asked for; of `all`, `default` and numbers: of the features that vary
  Index n_kept = 0;
  bool reached = false;  ///< it can keep exactly so many; without it there is nothing below
  std::string reason;    ///< why it is not reached
  /// Held-out R^2 of removed features (HeldOutSummary); 1 if there are none.
  double r2cv_mean = 0;
  double r2cv_q10 = 0;
  double mean_best_r2 = 0;       ///< as in Reduction
  double redundancy = 0;         ///< mean r2 of two kept features; 0 for one alone
  double neighbour_overlap = 0;  ///< of the samples' 10 nearest by kept and by all features
  /// Of spectral clustering, mean and standard deviation over seeds (and subsets); with labels.
  std::optional<double> nmi, nmi_std, acc, acc_std;
  /// The same of k-means on z-scored columns; the mean NMI of the two ways.
  std::optional<double> nmi_kmeans, acc_kmeans, nmi_mean;
  /// Shares of samples that classifiers get right, cross-validated (classify()); their mean.
  std::optional<double> accuracy_1nn, accuracy_5nn, accuracy_linear, accuracy;
  /// What it is ranked by: with labels the mean of `accuracy` and `nmi_mean`, without labels that
  /// of `neighbour_overlap` and `r2cv_mean` (not below 0).
  double score = 0;
  int rank = 0;  ///< among the methods that keep as many features, from 1; equal scores share one
};

struct CompareResult {
  std::string source;
  Index n_samples = 0;
  Index n_features = 0;
  Index n_regular = 0;                     ///< features that vary: only these take part
  Index n_classes = 0;                     ///< that are told apart; 0 without labels
  Index n_classified = 0;                  ///< samples that are classified
  std::string labels_note;                 ///< what was assumed about the labels; may be empty
  std::optional<double> nmi_all, acc_all;  ///< with all features
  /// Seconds that each method took to choose, for all its numbers of features together.
  StageSeconds selection_seconds;
  std::vector<CompareRow> rows;  ///< `all`, `default`, then by share, then by competitor
};

/// Throws invalid_option for a value out of its range.
void check(const CompareOptions& options);

/// Every competitor at equal numbers of kept features. Features that do not vary take no part. A
/// method that needs more memory than there is, or cannot keep so many features, is a row with the
/// reason. Features are chosen on all samples, without the labels except by chooses_by_labels();
/// classifiers are then cross-validated on the z-scored columns. The same answer for any number of
/// threads.
[[nodiscard]] CompareResult compare(const Dataset& dataset, const CompareOptions& options,
                                    const RunContext& run = {});

/// Differences below this are noise: a hundredth, or two samples more or less.
[[nodiscard]] double noise_of(const CompareResult& result);

/// A method over all sizes of all inputs: means of what its rows say.
struct CompareMean {
  Competitor competitor;
  double score = 0;
  std::optional<double> accuracy, nmi_mean;
  double neighbour_overlap = 0;
  double r2cv_mean = 0;
};

/// The methods that reach every size that `compact` reaches (all, if it takes no part), best score
/// first; equal scores in the order of Competitor. An input counts once.
[[nodiscard]] std::vector<CompareMean> ranking(const std::vector<CompareResult>& results);

/// What came out, in a few plain sentences: who is best in what, by how much more than `compact`,
/// whoever that is, and what the default answer keeps of all features. Over several sizes and
/// inputs it is the mean of those methods that reach all of them.
[[nodiscard]] std::string verdict(const std::vector<CompareResult>& results);

/// One competitor minus another in one measure.
struct PairedDifference {
  Competitor first;
  Competitor second;
  std::string measure;
  Index n_pairs = 0;   ///< inputs (or shares, if there is one input)
  double mean = 0;     ///< over these
  double error = 0;    ///< standard error of the mean; 0 for fewer than two pairs
  Index n_higher = 0;  ///< pairs in which the first is higher
  Index n_lower = 0;
};

/// Compact minus each other one, and cover minus compact, in every measure; the default answer
/// minus all features. An input counts once, with the mean over the shares that both reach; for one
/// input its shares are the pairs.
[[nodiscard]] std::vector<PairedDifference> paired_differences(
    const std::vector<CompareResult>& results);

}  // namespace sfg

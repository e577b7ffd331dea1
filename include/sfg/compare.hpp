#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// Ways to choose which features to keep.
enum class Competitor {
  compact,           ///< Ward's agglomeration along the edges of the pursuit's graph
  cover,             ///< greedy cover
  components,        ///< the paper's: components of its graph, in-degree
  knn_ward,          ///< compact groups on the graph of the 10 largest |r|
  random,            ///< mean over several random subsets
  pearson_index,     ///< in order of the columns: drop what correlates with a kept one
  pearson_variance,  ///< the same, highest variance first
  variance,          ///< highest variance
};

template <>
inline constexpr auto kChoices<Competitor> =
    std::array{Choice{Competitor::compact, "compact"},
               Choice{Competitor::cover, "cover"},
               Choice{Competitor::components, "components"},
               Choice{Competitor::knn_ward, "knn-ward"},
               Choice{Competitor::random, "random"},
               Choice{Competitor::pearson_index, "pearson"},
               Choice{Competitor::pearson_variance, "pearson-variance"},
               Choice{Competitor::variance, "variance"}};

struct CompareOptions {
  std::vector<double> shares{0.5, 0.25, 0.1, 0.05, 0.02};  ///< of features to keep, in (0, 1)
  int n_random = 5;                                        ///< random subsets
  int n_seeds = 5;                                         ///< of k-means
  Index n_certified = 500;  ///< features whose held-out R^2 is found, the same for all; random
  /// Samples of text are compared by tf-idf and cosine, others by unit columns and distance.
  bool text = false;
};

template <OptionsOf<CompareOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"shares", "Shares of the features to keep", between(0, 1)}, options.shares);
  visit({"n_random", "Random subsets to average over", at_least(1)}, options.n_random);
  visit({"n_seeds", "Seeds of k-means to average over", at_least(1)}, options.n_seeds);
  visit({"n_certified", "Features whose held-out R2 is found", at_least(1)}, options.n_certified);
  visit({"text", "Word counts: compare samples by tf-idf and cosine"}, options.text);
}

/// What a competitor reaches with a number of features.
struct CompareRow {
  Competitor competitor;
  double share = 0;
  Index n_kept = 0;
  bool reached = false;  ///< it can keep exactly so many; without it there is nothing below
  double r2cv_mean = 0;  ///< held-out R^2 of removed features
  double r2cv_q10 = 0;
  double mean_r2 = 0;            ///< of removed features with the nearest kept one
  double neighbour_overlap = 0;  ///< of the samples' 10 nearest by kept and by all features
  /// Of spectral clustering, mean and standard deviation over seeds (and subsets); with labels.
  std::optional<double> nmi, nmi_sd, acc, acc_sd;
};

struct CompareResult {
  std::string source;
  Index n_samples = 0;
  Index n_features = 0;
  std::optional<double> nmi_all, acc_all;  ///< with all features
  std::vector<CompareRow> rows;            ///< by share, then by competitor
};

/// Throws invalid_option for a value out of its range.
void check(const CompareOptions& options);

/// Every competitor at equal numbers of kept features. Features that do not vary take no part.
[[nodiscard]] CompareResult compare(const Dataset& dataset, const CompareOptions& options,
                                    const RunContext& run = {});

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

/// Compact minus each other one, and cover minus compact, in every measure. An input counts once,
/// with the mean over the shares that both reach; for one input its shares are the pairs.
[[nodiscard]] std::vector<PairedDifference> paired_differences(
    const std::vector<CompareResult>& results);

}  // namespace sfg

#pragma once

#include "sfg/options.hpp"

namespace sfg {

/// Ways to choose which features to keep.
enum class Competitor {
  all,                ///< every feature that varies
  default_answer,     ///< what reduce() keeps with its default options, at its own number
  compact,            ///< Ward's agglomeration along the edges of the pursuit's graph
  cover,              ///< greedy cover
  components,         ///< the paper's: components of its graph, in-degree
  knn_ward,           ///< compact groups on the graph of the 10 largest |r|
  random,             ///< mean over several random subsets
  pearson_index,      ///< in order of the columns: drop what correlates with a kept one
  pearson_variance,   ///< the same, highest variance first
  variance,           ///< highest variance
  column_subset,      ///< forward greedy: least squares of all features on the kept ones, ridge 1
  pivoted_qr,         ///< QR with column pivoting; anew on the rest when the rank is used up
  facility_location,  ///< forward greedy: sum of r2 with the nearest kept one
  k_medoids,          ///< from there, alternating between groups and their medoids
  ward,               ///< Ward's linkage of 1 - |r| over all pairs, medoids
  mcfs,               ///< select_best(), with its defaults
  laplacian,
  spec,
  fsasl,
  mrsf,
  sparsity,
  grm,
  mrmr,  ///< this and the next two choose by the labels
  fcbf,
  fast,
};

template <>
inline constexpr auto kChoices<Competitor> = std::array{
    Choice{Competitor::all, "all", "every feature that varies"},
    Choice{Competitor::default_answer, "default",
           "what reduce keeps by default, at its own number"},
    Choice{Competitor::compact, "compact"},
    Choice{Competitor::cover, "cover"},
    Choice{Competitor::components, "components", "the paper's groups"},
    Choice{Competitor::knn_ward, "knn-ward", "compact groups on the 10 largest |r|"},
    Choice{Competitor::random, "random"},
    Choice{Competitor::pearson_index, "pearson",
           "in order of columns, drop what correlates with a kept one"},
    Choice{Competitor::pearson_variance, "pearson-variance", "the same, highest variance first"},
    Choice{Competitor::variance, "variance"},
    Choice{Competitor::column_subset, "column-subset",
           "forward greedy for the least squares of all features"},
    Choice{Competitor::pivoted_qr, "pivoted-qr"},
    Choice{Competitor::facility_location, "facility-location",
           "forward greedy for r2 with the nearest kept one"},
    Choice{Competitor::k_medoids, "k-medoids", "groups and medoids in turn, by r2"},
    Choice{Competitor::ward, "ward", "Ward's linkage of 1 - |r| over all pairs"},
    Choice{Competitor::mcfs, "mcfs"},
    Choice{Competitor::laplacian, "laplacian"},
    Choice{Competitor::spec, "spec"},
    Choice{Competitor::fsasl, "fsasl"},
    Choice{Competitor::mrsf, "mrsf"},
    Choice{Competitor::sparsity, "sparsity"},
    Choice{Competitor::grm, "grm", "global redundancy minimisation of Laplacian scores"},
    Choice{Competitor::mrmr, "mrmr", "chooses by the labels"},
    Choice{Competitor::fcbf, "fcbf", "chooses by the labels"},
    Choice{Competitor::fast, "fast", "chooses by the labels"}};

/// Whether it sees the labels by which it is then judged.
[[nodiscard]] constexpr bool chooses_by_labels(Competitor competitor) noexcept {
  return competitor == Competitor::mrmr || competitor == Competitor::fcbf ||
         competitor == Competitor::fast;
}

}  // namespace sfg

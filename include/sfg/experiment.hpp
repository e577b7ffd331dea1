#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sfg/cluster.hpp"
#include "sfg/dataset.hpp"
#include "sfg/graph.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/run_context.hpp"
#include "sfg/select.hpp"

// The paper's experiment on one data set with known classes: how well the samples still cluster
// when redundant features are gone, and when MCFS selects among what remains.
namespace sfg {

/// How many eigenvectors MCFS regresses on.
enum class ResponseCount {
  as_given,  ///< SelectOptions::n_responses
  classes,   ///< as many as there are classes: the textbook's
};

struct ExperimentOptions {
  /// Columns of the tables besides "none": in (0, 1), none twice.
  std::vector<double> thetas = SweepOptions{}.thetas;
  /// Rows of the tables: numbers of features that are selected, each at least 1, none twice.
  std::vector<Index> sizes{10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60};
  /// components: the paper's groups at theta. compact: as many groups as these have at that theta,
  /// so that the two compare at equal numbers of features. There is no cover here.
  std::vector<GroupingKind> groupings{GroupingKind::components};
  int n_seeds = 10;  ///< of k-means: RunContext::seed, RunContext::seed + 1, ...; at least 1
  /// Samples are compared by tf-idf and cosine instead of unit columns and distance.
  bool text = false;
  /// Graph and representatives of the paper's groups; theta is that of the column.
  ComponentOptions components;
  /// Graph of the compact ones; as many groups as the others have.
  CompactOptions compact;
  /// The selector; its sizes are not looked at.
  SelectOptions select;
  ResponseCount responses = ResponseCount::classes;
  /// The clustering; the number of clusters is that of the classes. Text has a clustering of its
  /// own (clustering_of()) and takes n_init alone from here.
  SpectralOptions spectral;
};

template <OptionsOf<ExperimentOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"thetas", "Columns of the tables: thetas of the paper's groups", between(0, 1)},
        options.thetas);
  visit({"sizes", "Rows of the tables: numbers of features that are selected", at_least(1)},
        options.sizes);
  visit({"selector", "Which selector chooses among the features that are kept"},
        options.select.method);
  visit({.name = "groupings",
         .help = "Tables: compact groups are as many as the paper's components at that theta",
         .without = "cover pairwise"},
        options.groupings);
  visit(kSeedsText, options.n_seeds);
  visit(kInitText, options.spectral.kmeans.n_init);
  visit({"text", "Word counts: compare samples by tf-idf and cosine"}, options.text);
}

/// Every convention of the paper's published tables: out-degree, its MCFS, its spectral clustering.
[[nodiscard]] ExperimentOptions paper_experiment();

/// The clustering of an experiment: as given, for text the textbook's on cosine-knn.
[[nodiscard]] SpectralOptions clustering_of(const ExperimentOptions& options);

/// Mean and standard deviation over the seeds.
struct ExperimentScores {
  double nmi = 0;
  double nmi_std = 0;
  double acc = 0;
  double acc_std = 0;
};

/// One clustering of the samples.
struct ExperimentCell {
  /// Nothing where there are not enough features, or where these have no clustering (all zero).
  std::optional<ExperimentScores> scores;
  EigenStatus status = EigenStatus::converged;
  Index n_empty = 0;  ///< samples whose values are all zero: nothing tells where they belong
};

struct ExperimentColumn {
  std::optional<double> theta;  ///< nothing: all features, the baseline
  Index n_kept = 0;
  ExperimentCell spectral;               ///< by all that is kept
  std::vector<ExperimentCell> selected;  ///< by what is selected among it, one per size
};

/// One table; the first column is the baseline, which is the same for every grouping.
struct ExperimentTable {
  GroupingKind grouping = GroupingKind::components;
  std::vector<Index> sizes;
  std::vector<ExperimentColumn> columns;
};

struct ExperimentResult {
  std::string name;  ///< of the data set; Dataset::source unless the caller changes it
  Index n_samples = 0;
  Index n_features = 0;
  Index n_classes = 0;
  std::vector<double> angles;  ///< of the paper's representations, in degrees, by feature
  double max_angle = 0;        ///< above which a representation fails
  PermutationCheck permutation;
  std::vector<ExperimentTable> tables;  ///< in the order of the groupings
  StageSeconds seconds;                 ///< graph, groups, select, cluster
};

/// A score of a clustering: its names, and where it is.
struct ExperimentMeasure {
  const char* title;
  const char* key;
  double ExperimentScores::*mean;
  double ExperimentScores::*deviation;
};
inline constexpr std::array kExperimentMeasures{
    ExperimentMeasure{"NMI", "nmi", &ExperimentScores::nmi, &ExperimentScores::nmi_std},
    ExperimentMeasure{"ACC", "acc", &ExperimentScores::acc, &ExperimentScores::acc_std}};

/// A cell by its row: 0 is the clustering by all that is kept, k that by the k-th size.
[[nodiscard]] inline const ExperimentCell& cell_of(const ExperimentColumn& column,
                                                   std::size_t row) {
  return row == 0 ? column.spectral : column.selected[row - 1];
}

/// Which clustering a cell is: by the features kept, and how many of them are selected.
struct CellKey {
  Index n_kept = 0;
  std::uint64_t kept = 0;  ///< fingerprint of the kept features
  Index n_selected = 0;    ///< 0: all that are kept

  auto operator<=>(const CellKey&) const = default;
};

/// For callers that keep cells from one run to the next, or show them as they come.
struct ExperimentCheckpoint {
  /// A cell that is known already; then it is not computed. May be empty.
  std::function<std::optional<ExperimentCell>(const CellKey&)> find;
  /// A cell that was computed; from any thread, never two at once. May be empty.
  std::function<void(const CellKey&, const ExperimentCell&)> keep;
};

/// Throws invalid_option for a value out of its range.
void check(const ExperimentOptions& options);

/// All tables of one data set. One graph for all thetas, one selection path for all sizes of a kept
/// set, one eigenmap for all seeds; equal kept sets are worked on once. Cells are shared out over
/// the threads as far as memory allows. The answer does not depend on the number of threads, nor on
/// the checkpoint. Throws invalid_option (no classes), degenerate_data (one class),
/// over_memory, interrupted.
[[nodiscard]] ExperimentResult experiment(const Dataset& dataset, const ExperimentOptions& options,
                                          const RunContext& run = {},
                                          const ExperimentCheckpoint& checkpoint = {});

/// Whether a cell reaches the baseline, rounded as the tables show it.
[[nodiscard]] bool reaches(double value, double baseline);

/// All tables as text: CSV has a line per cell, Markdown and LaTeX a table for each of NMI and ACC
/// with the cells that reach the baseline in bold. Names are escaped.
[[nodiscard]] std::string tables_to_csv(const std::vector<ExperimentResult>& results);
[[nodiscard]] std::string tables_to_markdown(const std::vector<ExperimentResult>& results);
[[nodiscard]] std::string tables_to_latex(const std::vector<ExperimentResult>& results);

/// SVG in the arrangement of the paper: a column per data set, NMI, ACC and number of kept features
/// against theta, the values of all features as a dashed line. Names are escaped.
[[nodiscard]] std::string spectral_figure(const std::vector<ExperimentResult>& results);
/// SVG: how many representations have which angle, a panel per data set.
[[nodiscard]] std::string angle_figure(const std::vector<ExperimentResult>& results);

}  // namespace sfg

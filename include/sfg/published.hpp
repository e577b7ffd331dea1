#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sfg/experiment.hpp"

// Tables of a paper beside our own.
namespace sfg {

/// The tables of one data set: rows are numbers of selected features, columns thetas.
struct PublishedTable {
  std::vector<Index> counts;  ///< kept features, by column
  std::vector<Index> sizes;
  std::vector<std::vector<std::optional<double>>> nmi;  ///< by size and column
  std::vector<std::vector<std::optional<double>>> acc;
};

struct PublishedTables {
  std::vector<std::optional<double>> thetas;  ///< of the columns; nothing: all features
  std::map<std::string, PublishedTable> tables;
};

/// Reads {"theta": ["none", 0.9, ...], "datasets": {NAME: {"counts": [...], "n_selected": [...],
/// "nmi": [[...], ...], "acc": [[...], ...]}}}; null where there is no figure, other keys are left
/// aside. Throws cannot_read, malformed_input with the place.
[[nodiscard]] PublishedTables read_published(const std::filesystem::path& path);

/// One figure of ours and of the paper.
struct PublishedCell {
  std::optional<double> theta;
  Index n_selected = 0;
  double ours_nmi = 0;
  double published_nmi = 0;
  double ours_acc = 0;
  double published_acc = 0;
};

/// Mean absolute differences over some cells.
struct PublishedDifference {
  Index n_cells = 0;
  double nmi = 0;
  double acc = 0;
};

struct PublishedComparison {
  std::string name;                ///< of our data set
  std::string published_name;      ///< of the paper's
  std::vector<Index> ours_counts;  ///< kept features where both have the theta
  std::vector<Index> published_counts;
  std::vector<PublishedCell> cells;   ///< where both have scores
  PublishedDifference baseline;       ///< cells of all features
  PublishedDifference after_removal;  ///< cells at the thetas
  double ours_share_at_baseline = 0;  ///< NMI after removal reaches its own baseline, in two digits
  double published_share_at_baseline = 0;
};

/// The published table of a data set: of its name, whatever the case; else the only one with as
/// many features. Then the cells that both have, of the paper's grouping (components). Nothing if
/// there is no such table.
[[nodiscard]] std::optional<PublishedComparison> compare_with_published(
    const ExperimentResult& result, const PublishedTables& published);

/// Every cell as "ours / published", with the mean differences above.
[[nodiscard]] std::string comparison_to_markdown(const PublishedComparison& comparison);

}  // namespace sfg

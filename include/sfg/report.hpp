#pragma once

#include <optional>
#include <string>

#include "sfg/dataset.hpp"
#include "sfg/experiment.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// In which order the features of an image walk through its pixels.
enum class PixelOrder {
  columns,  ///< down the first column first, as MATLAB stores a matrix
  rows,     ///< along the first row first, as NumPy does
};

/// Features that are the pixels of an image.
struct ImageShape {
  Index height = 0;
  Index width = 0;
  PixelOrder order = PixelOrder::rows;
};

/// "32x32" (height x width). Throws invalid_option.
[[nodiscard]] ImageShape image_shape_from_text(const std::string& text);

struct ReportOptions {
  /// The page opens with this grouping, compact or components, at its level.
  MethodOptions method;
  /// The other one, which is there too. Not given: other_grouping() of the first.
  std::optional<GroupingOptions> other;
  std::optional<ImageShape> image;
  /// With known classes: how well the samples still cluster, at every theta.
  std::optional<ExperimentOptions> scores;
  std::string title;    ///< what the data are called
  std::string created;  ///< date and time, for people
  /// Words of the command line that would reduce these data: the file and how it is read, and how
  /// it is grouped. Shown as a command to copy; none without a file.
  std::string input_words;
  std::string group_words;
};

struct Report {
  MethodResult method;  ///< of ReportOptions::method
  std::string html;     ///< one file that needs no other and no network
};

/// The grouping that a page shows beside the one asked for: descriptions are found in the same way,
/// what belongs to the other grouping is as usual.
[[nodiscard]] GroupingOptions other_grouping(const GroupingOptions& grouping);

/// Scores as a page shows them: both groupings, a few selections, few seeds; compared as `method`
/// does.
[[nodiscard]] ExperimentOptions usual_scores(const MethodOptions& method);

/// Whether this build has the page: it is built with Node.
[[nodiscard]] bool report_is_possible() noexcept;

/// Throws invalid_option for what the page cannot show, and cannot_write if this build has no page.
/// For callers that want to know before they read a large file; make_report does so itself.
void check(const ReportOptions& options);

/// The interactive page: both hierarchies, to be cut at any level in the browser, with the graph,
/// the groups and the reasons. With a memory its two pursuits go on where earlier ones were cut
/// off.
[[nodiscard]] Report make_report(const Dataset& dataset, const ReportOptions& options,
                                 const RunContext& run = {},
                                 const PursuitCheckpoint& checkpoint = {});

}  // namespace sfg

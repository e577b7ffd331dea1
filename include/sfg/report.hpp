#pragma once

#include <array>
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

template <>
inline constexpr auto kChoices<PixelOrder> =
    std::array{Choice{PixelOrder::columns, "columns", "down the first column first"},
               Choice{PixelOrder::rows, "rows", "along the first row first"}};

/// Features that are the pixels of an image.
struct ImageShape {
  Index height = 0;
  Index width = 0;
  PixelOrder order = PixelOrder::rows;
};

/// "32x32" (height x width). Throws invalid_option.
[[nodiscard]] ImageShape image_shape_from_text(const std::string& text);

struct ReportOptions {
  /// The page opens with this grouping at its level: compact, cover or components.
  MethodOptions method;
  /// The other one, which is there too. Not given: other_grouping() of the first.
  std::optional<GroupingOptions> other;
  /// Height and width, as in "32x32", if the features are the pixels of an image; else empty.
  std::string image = {};
  /// Not given: columns for data of a MAT file, else rows.
  std::optional<PixelOrder> pixel_order = {};
  std::string title = {};    ///< what the data are called; empty: as their file
  std::string created = {};  ///< date and time, for people
  /// How long the stages took. Left out, pages of equal data and options are equal.
  bool shows_seconds = true;
  /// Whether values of some samples are in the page, as points of scatter plots.
  bool values = true;
  /// How well the samples still cluster, at every theta. Not given: where classes are known.
  std::optional<bool> scores = {};
  int n_seeds = 3;
  bool text = false;
  /// Words of the command line that would reduce these data: the file and how it is read, and how
  /// it is grouped. Shown as a command to copy; none without a file.
  std::string input_words = {};
  std::string group_words = {};
};

template <OptionsOf<ReportOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({.name = "image",
         .help = "Features are the pixels of an image of this size",
         .form = "HEIGHTxWIDTH"},
        options.image);
  visit({"pixel_order",
         "How features walk through {image}: columns for MAT files, else rows, if it is not given"},
        options.pixel_order);
  visit({"title", "What the page calls the data, if not as their file"}, options.title);
  visit({"values", "Show values of some samples as scatter plots; else the page has none of them"},
        options.values);
  visit({"scores", "With known classes: show how well samples still cluster, which takes time"},
        options.scores);
  visit(kSeedsText, options.n_seeds);
  visit({"text", "Word counts: compare samples by tf-idf and cosine"}, options.text);
}

struct Report {
  MethodResult method;  ///< of ReportOptions::method
  std::string html;     ///< one file that needs no other and no network
};

/// The grouping that a page shows beside the one asked for: descriptions are found in the same way,
/// what belongs to the other grouping is as usual.
[[nodiscard]] GroupingOptions other_grouping(const GroupingOptions& grouping);

/// The experiment whose scores a page shows: both groupings, a few selections; features are
/// compared as the method does.
[[nodiscard]] ExperimentOptions scores_of(const ReportOptions& options);

/// Whether this build has the page: it is built with Node.
[[nodiscard]] bool report_is_possible() noexcept;

/// Throws invalid_option for what the page cannot show, and cannot_write if this build has no page.
/// For callers that want to know before they read a large file; make_report does so itself.
void check(const ReportOptions& options);

/// The interactive page: two hierarchies, to be cut at any level in the browser, with the graph,
/// the groups, the reasons, values of some samples, and every level as the automatic choice judges
/// it. With a checkpoint its two pursuits go on where earlier ones were cut off.
[[nodiscard]] Report make_report(const Dataset& dataset, const ReportOptions& options,
                                 const RunContext& run = {},
                                 const PursuitCheckpoint& checkpoint = {});

}  // namespace sfg

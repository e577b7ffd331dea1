// The interactive page: two hierarchies and the graph behind them, as data for web/.
#include "sfg/report.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "core/threads.hpp"
#include "report/page.hpp"
#include "report/page_document.hpp"
#include "sfg/error.hpp"
#include "sfg/version.hpp"

namespace sfg {

namespace {

using nlohmann::ordered_json;

[[noreturn]] void refuse_page(const std::string& message) {
  throw Error(ErrorCode::invalid_option, message);
}

/// MATLAB walks down columns, everybody else along rows.
PixelOrder pixel_order_of(const ReportOptions& options, const Dataset& dataset) {
  return options.pixel_order.value_or(dataset.format == Format::mat ? PixelOrder::columns
                                                                    : PixelOrder::rows);
}

std::string title_of(const ReportOptions& options, const Dataset& dataset) {
  if (!options.title.empty()) return options.title;
  const std::string file = std::filesystem::path(dataset.source).filename().string();
  return file.empty() ? "data" : file;
}

void check_image(const ImageShape& shape, Index n_features) {
  if (static_cast<std::int64_t>(shape.height) * shape.width == n_features) return;
  throw Error(
      ErrorCode::inconsistent_input,
      fmt::format("an image of {} x {} has {} pixels, but the data have {} features", shape.height,
                  shape.width, static_cast<std::int64_t>(shape.height) * shape.width, n_features));
}

detail::PageLevels levels_of(const MethodOptions& options, const MethodResult& result,
                             const UnitFeatures& centred, const RunContext& run) {
  if (const auto* sequence = std::get_if<CoverSequence>(&result.hierarchy)) {
    return detail::pick_lists(*sequence, result.apart, centred, run);
  }
  return detail::level_tree(result.hierarchy, result.graph,
                            representative_of(options.grouping, options.keep), centred, run);
}

/// For the picture, which shows the data as they are.
std::vector<double> means_of(const Dataset& dataset, MethodOptions options, const RunContext& run) {
  options.transform = Transform::none;
  return comparable_features(dataset, options, run).mean;
}

/// For the picture of a spectrum, on the scale that the features are compared on.
ordered_json means_document(const UnitFeatures& centred, detail::PageData& data) {
  std::vector<float> means;
  for (const double mean : centred.mean) means.push_back(detail::as_float(mean));
  return data.add(std::span<const float>(means));
}

/// Scores cluster the data as they are: on another scale they would be of other groups.
bool shows_scores(const ReportOptions& options, const Dataset& dataset) {
  const bool usual = dataset.labels.has_value() && options.method.transform == Transform::none;
  return options.scores.value_or(usual);
}

ordered_json document_of(const Dataset& dataset, const ReportOptions& options) {
  return {{"version", version()},
          {"title", title_of(options, dataset)},
          {"created", options.created},
          {"inputWords", options.input_words},
          {"groupWords", options.group_words},
          {"nSamples", n_samples(dataset.matrix)},
          {"nFeatures", n_features(dataset.matrix)},
          {"names", dataset.feature_names}};
}

}  // namespace

ImageShape image_shape_from_text(const std::string& text) {
  ImageShape shape;
  const char* end = text.data() + text.size();
  const auto height = std::from_chars(text.data(), end, shape.height);
  if (height.ec == std::errc() && height.ptr != end && *height.ptr == 'x') {
    const auto width = std::from_chars(height.ptr + 1, end, shape.width);
    if (width.ec == std::errc() && width.ptr == end && shape.height > 0 && shape.width > 0) {
      return shape;
    }
  }
  refuse_page(fmt::format("an image is given as HEIGHTxWIDTH, for example 32x32, not '{}'", text));
}

GroupingOptions other_grouping(const GroupingOptions& grouping) {
  const PursuitOptions* pursuit = pursuit_of(grouping);
  const auto with_pursuit = [&](auto other) -> GroupingOptions {
    if (pursuit != nullptr) other.pursuit = *pursuit;
    return other;
  };
  if (std::holds_alternative<ComponentOptions>(grouping)) return with_pursuit(CompactOptions{});
  return with_pursuit(ComponentOptions{});
}

ExperimentOptions scores_of(const ReportOptions& options) {
  const GroupingOptions& grouping = options.method.grouping;
  ExperimentOptions scores;
  scores.sizes = {10, 20, 30, 40, 50, 60};
  scores.groupings = {GroupingKind::components, GroupingKind::compact};
  scores.n_seeds = options.n_seeds;
  scores.text = options.text;
  if (const PursuitOptions* pursuit = pursuit_of(grouping)) {
    scores.components.pursuit = *pursuit;
    scores.compact.pursuit = *pursuit;
  }
  if (const auto* components = std::get_if<ComponentOptions>(&grouping)) {
    scores.components.graph = components->graph;
  }
  scores.components.n_permutations = 0;
  return scores;
}

bool report_is_possible() noexcept {
  return !detail::page().before.empty();
}

void check(const ReportOptions& options) {
  if (!report_is_possible()) {
    throw Error(ErrorCode::cannot_write,
                "this build has no report page; install nodejs and npm, then build again");
  }
  if (std::holds_alternative<PairwiseOptions>(options.method.grouping)) {
    refuse_page("the page shows levels of compact, cover and components; pairwise has only one");
  }
  const auto* components = std::get_if<ComponentOptions>(&options.method.grouping);
  if (components != nullptr && components->representative == RepresentativeRule::medoid) {
    refuse_page(
        "the page shows the paper's groups at every theta, with representatives that follow from "
        "the graph alone; choose a rule other than medoid");
  }
  const RepresentativeRule rule = representative_rule(options.method.grouping);
  if (is_scored(rule) || !avoided(options.method.grouping).empty()) {
    refuse_page(fmt::format(
        "the page shows groups at every level, and {} is chosen at one level only; leave "
        "it out, or use 'sfg reduce'",
        is_scored(rule) ? "the member with the best " + choice_name(rule)
                        : "who is kept in place of features to avoid"));
  }
  check_fields(options);
  if (!options.image.empty()) static_cast<void>(image_shape_from_text(options.image));
  if (options.image.empty() && options.pixel_order) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"pixel_order", "{pixel_order} says how an {image} lies: give both"});
  }
  if (options.method.transform != Transform::none && options.scores.value_or(false)) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"scores",
                 "{scores} clusters the data as they are: leave it out, or leave out "
                 "{transformation}"});
  }
  check(options.method);
  check(scores_of(options));
}

Report make_report(const Dataset& dataset, const ReportOptions& options, const RunContext& run,
                   const PursuitCheckpoint& checkpoint) {
  check(options);
  if (options.scores.value_or(false) && !dataset.labels) {
    throw Error(ErrorCode::invalid_option, "no classes are known, so there is nothing to score by",
                dataset.source,
                {"scores", "say where they are with {labels}, or leave out {scores}"});
  }
  std::optional<ImageShape> image;
  if (!options.image.empty()) {
    image = image_shape_from_text(options.image);
    image->order = pixel_order_of(options, dataset);
    check_image(*image, n_features(dataset.matrix));
  }
  MethodOptions own_options = options.method;
  own_options.judged = Judged::every_one;
  MethodOptions other_options = own_options;
  other_options.grouping = options.other.value_or(other_grouping(options.method.grouping));
  Report report;
  report.method = reduce(dataset, own_options, run, checkpoint);
  const MethodResult other = reduce(dataset, other_options, run, checkpoint);

  const UnitFeatures centred = comparable_features(dataset, own_options, run);
  const RunContext run_with_data = detail::while_holding(dataset.matrix, run);
  const auto levels = levels_of(own_options, report.method, centred, run_with_data);
  const auto other_levels = levels_of(other_options, other, centred, run_with_data);
  const detail::PageValues values =
      options.values ? detail::page_values(centred, run.seed) : detail::PageValues{};
  detail::PageData data;
  ordered_json document = document_of(dataset, options);
  document["views"] = {
      detail::view_document({own_options, report.method, levels, centred, values}, data),
      detail::view_document({other_options, other, other_levels, centred, values}, data),
  };
  if (!values.samples.empty()) {
    document["values"] = detail::values_document(values, dataset.labels, data);
    document["means"] = means_document(centred, data);
  }
  if (!options.shows_seconds) {
    for (ordered_json& view : document["views"]) view["run"]["seconds"] = ordered_json::array();
  }
  if (dataset.labels) {
    document["labels"] = {{"name", dataset.labels->name}, {"nClasses", n_classes(*dataset.labels)}};
  }
  if (image)
    document["image"] = detail::image_document(*image, means_of(dataset, own_options, run), data);
  if (shows_scores(options, dataset)) {
    const ExperimentOptions scores = scores_of(options);
    document["scores"] =
        detail::scores_document(experiment(dataset, scores, run_with_data), scores);
  }
  report.html =
      std::string(detail::page().before) + data.text(document) + std::string(detail::page().after);
  return report;
}

}  // namespace sfg

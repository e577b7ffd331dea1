#pragma once

#include <variant>

#include "report/level_tree.hpp"
#include "report/page_data.hpp"
#include "report/page_values.hpp"
#include "report/pick_lists.hpp"
#include "sfg/report.hpp"

namespace sfg::detail {

/// All levels of a view.
using PageLevels = std::variant<LevelTree, PickLists>;

/// One grouping of the page.
struct PageView {
  const MethodOptions& options;
  const MethodResult& result;
  const PageLevels& levels;
  const UnitFeatures& centred;
  const PageValues& values;
};

/// A view as the page reads it: graph, hierarchy, and what the run decided.
[[nodiscard]] nlohmann::ordered_json view_document(const PageView& view, PageData& data);

/// Values of some samples, and their classes where these are known.
[[nodiscard]] nlohmann::ordered_json values_document(const PageValues& values,
                                                     const std::optional<Labels>& labels,
                                                     PageData& data);

/// The features as pixels, with their means as a picture.
[[nodiscard]] nlohmann::ordered_json image_document(const ImageShape& shape,
                                                    const std::vector<double>& means,
                                                    PageData& data);

/// Scores at every theta, one table per grouping.
[[nodiscard]] nlohmann::ordered_json scores_document(const ExperimentResult& result,
                                                     const ExperimentOptions& options);

}  // namespace sfg::detail

#pragma once

#include <string>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/predict.hpp"

// Results as pictures: SVG in the page's words and colours. `name` is that of the data. Names are
// escaped and shortened to fit. The same result gives the same text.
namespace sfg {

/// A reduction: what became of the features, how far it could go (compact and cover: the levels
/// that were tried; components: the number kept at each theta), the largest groups, and how well
/// the removed features are predicted. Parts without anything to show are left out.
[[nodiscard]] std::string reduction_figure(const std::string& name,
                                           const std::vector<std::string>& feature_names,
                                           const MethodOptions& options,
                                           const MethodResult& result);

/// Every level of sweep_levels().
[[nodiscard]] std::string levels_figure(const std::string& name, const MethodResult& result);

/// Every level of sweep(): features kept, the mean r^2 where it is known, and the largest group.
[[nodiscard]] std::string thetas_figure(const std::string& name, Index n_features,
                                        const std::vector<SweepLevel>& levels);

/// How many features the others know how well, beside what chance reaches (values of
/// predictability_by_chance()).
[[nodiscard]] std::string predictability_figure(const std::string& name,
                                                const UnitFeatures& centred,
                                                const Predictability& known,
                                                const std::vector<double>& by_chance);

}  // namespace sfg

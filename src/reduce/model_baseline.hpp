#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "sfg/model.hpp"

namespace sfg::detail {

/// The part of a model file that says what is normal.
[[nodiscard]] nlohmann::json baseline_to_json(const Baseline& baseline);

/// Reads it into the model, whose reduction is there already. `check` throws for what is no good.
void read_baseline(const nlohmann::json& value,
                   const std::function<void(bool good, const std::string& fault)>& check,
                   Model& model);

}  // namespace sfg::detail

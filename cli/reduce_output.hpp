#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "options.hpp"

// What `sfg reduce` shows and writes.
namespace sfg::cli {

/// One name per line.
[[nodiscard]] std::string kept_text(const Model& model);
/// feature, representative, r2, held_out_r2, combination, combination_r2_in_sample of every removed
/// feature.
[[nodiscard]] std::string removed_tsv(const Model& model);
/// group, feature, role, representative, r2 of every feature.
[[nodiscard]] std::string groups_tsv(const Model& model);

/// feature, stands_for, weight of every kept feature.
[[nodiscard]] std::string weights_tsv(const Model& model);

/// The summary for people.
[[nodiscard]] std::string reduce_summary(const Dataset& dataset, const MethodOptions& options,
                                         const MethodResult& result);
/// The document for programs (without seconds and memory).
[[nodiscard]] nlohmann::ordered_json reduce_json(const Dataset& dataset,
                                                 const MethodOptions& options,
                                                 const MethodResult& result);

/// What was planted against what was found: a table with a sentence to each surprise.
[[nodiscard]] std::string truth_summary(const TruthReport& report);
[[nodiscard]] nlohmann::ordered_json truth_json(const TruthReport& report);

}  // namespace sfg::cli

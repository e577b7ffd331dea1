#pragma once

#include <string>

#include "console.hpp"
#include "sfg/sfg.hpp"

// What `sfg reduce` shows to people.
namespace sfg::cli {

/// What is kept, what was lost, and the largest groups.
[[nodiscard]] std::string reduce_summary(const Dataset& dataset, const MethodOptions& options,
                                         const MethodResult& result);

/// Where fewer features are kept than were asked for: why; else nothing.
[[nodiscard]] std::string too_few_note(const Dataset& dataset, const MethodOptions& options,
                                       const MethodResult& result);

/// What was planted against what was found: a table with a sentence to each surprise.
[[nodiscard]] std::string truth_summary(const TruthReport& report);

}  // namespace sfg::cli

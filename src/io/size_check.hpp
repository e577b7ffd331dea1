#pragma once

#include <string>

#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Throws malformed_input if rows or columns are negative or above the range of Index, over_memory
/// if `bytes_per_entry * entries` is above the run's memory limit (or above what the machine has,
/// if there is no limit), before anything is allocated. `what` starts the message ("X.npy").
void check_size(const std::string& what, double rows, double columns, double entries,
                double bytes_per_entry, const RunContext& run);

}  // namespace sfg::detail

#pragma once

#include <functional>
#include <string>

#include "read/readers.hpp"

namespace sfg::detail {

/// Runs a reader in a child process and hands back its table, or throws what it threw. matio and
/// libhdf5 crash on some damaged files: a child that ends early is malformed_input (over_memory if
/// it was killed), and `name` starts the message. The child may take the run's memory limit, or
/// what the machine has; while it hands a table over, pages leave it as they arrive here, so that
/// the table is in memory once.
///
/// The child comes from fork(): other threads of this process do not exist in it. The reader gets a
/// run without progress and stop, which are this process's affair.
[[nodiscard]] RawTable read_in_child(const std::string& name, const RunContext& run,
                                     const std::function<RawTable(const RunContext& run)>& reader);

}  // namespace sfg::detail

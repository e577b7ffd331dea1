#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sfg/run_context.hpp"

namespace sfg {

/// Lets this process survive that another one cuts a file short while it is being read: reading
/// throws cannot_read then, where a process without this ends by SIGBUS. Takes the signal for the
/// whole process (faults elsewhere go on to the handler before), which is why a program calls it at
/// its start and the library never does.
void guard_mapped_files();

/// The lines of a text file without line ends, blank lines left out ("-" is standard input). The
/// run's memory limit and stop hold.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path,
                                                  const RunContext& run = {});

/// Labels, one per line: a blank line is a sample without one.
[[nodiscard]] std::vector<std::string> read_labels(const std::filesystem::path& path,
                                                   const RunContext& run = {});
/// Leaves out blank lines at the end that are no samples: while there are more than `n_wanted`.
void drop_blank_end(std::vector<std::string>& labels, std::size_t n_wanted);

}  // namespace sfg

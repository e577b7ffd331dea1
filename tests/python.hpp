#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "helpers.hpp"

// Cross-checks against numpy, scipy and h5py where they are installed.
namespace sfg::testing {

/// A Python that has these modules ("numpy, scipy"), nothing if there is none.
inline std::optional<std::string> find_python(const std::string& modules) {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    const std::string command = python + " -c 'import " + modules + "' > /dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return python;
  }
  return std::nullopt;
}

/// Runs a script inside the folder; it must end without an error (an assert that fails is one).
inline void expect_python_succeeds(const std::string& python, const TemporaryFolder& folder,
                                   const std::string& script) {
  folder.write("script.py", script);
  const std::string command =
      "cd '" + folder.path().string() + "' && " + python + " script.py > output.txt 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(folder / "output.txt");
}

}  // namespace sfg::testing

/// Skips the test where Python or one of the modules is missing.
#define SFG_NEED_PYTHON(python, modules)                                  \
  const auto python##_found = sfg::testing::find_python(modules);         \
  if (!python##_found) GTEST_SKIP() << "no Python with " modules " here"; \
  const std::string& python = *python##_found

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "sfg/dataset.hpp"
#include "sfg/error.hpp"
#include "sfg/grouping.hpp"
#include "sfg/run_context.hpp"

namespace sfg::testing {

/// Where files of tests that wait for the disk very often should be: in memory, if there is such a
/// place.
inline std::filesystem::path fast_place() {
  const std::filesystem::path memory = "/dev/shm";
  return access(memory.c_str(), W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

/// A folder of its own for one test, gone when the test ends.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& above = std::filesystem::temp_directory_path()) {
    std::string pattern = (above / "sfg-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "cannot make a temporary folder";
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

  /// Writes a file into the folder and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view contents) const {
    const auto path = path_ / name;
    std::ofstream out(path, std::ios::binary);
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    return path;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The call must throw sfg::Error with this code and all of these words in its message.
inline void expect_error(ErrorCode code, std::initializer_list<std::string_view> words,
                         const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(exit_status(error.code()), exit_status(code)) << error.what();
    for (const auto word : words) {
      EXPECT_NE(std::string_view(error.what()).find(word), std::string_view::npos)
          << "message: " << error.what() << "\nlacks: " << word;
    }
  }
}

/// A grouping that reduces to a level.
inline GroupingOptions with_level(GroupingKind kind, const LevelOptions& level) {
  if (kind == GroupingKind::cover) return CoverOptions{.level = level};
  return CompactOptions{.level = level};
}

/// The matrix as a table, with made-up names.
inline Dataset table_of(DenseMatrix matrix) {
  Dataset dataset;
  dataset.feature_names = generated_names(matrix.n_features());
  dataset.matrix = std::move(matrix);
  return dataset;
}

inline RunContext with_threads(int threads) {
  RunContext run;
  run.threads = threads;
  return run;
}

}  // namespace sfg::testing

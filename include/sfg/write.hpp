#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sfg/dataset.hpp"

namespace sfg {

/// What to do when an output file is already there.
enum class Existing { refuse, replace };

/// Files that appear all together or not at all: each is written under a temporary name beside its
/// place and renamed by commit(). Whatever was not committed is removed again.
class OutputFiles {
 public:
  explicit OutputFiles(Existing existing) : existing_(existing) {}
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// Announces an output and returns the temporary path to write it to. Throws cannot_write at once
  /// if the file exists (and is not to be replaced) or its folder cannot be written to, so that a
  /// long computation never ends in that message.
  [[nodiscard]] std::filesystem::path stage(const std::filesystem::path& target);

  /// stage() and write a text in one go.
  void add_text(const std::filesystem::path& target, const std::string& text);

  /// Flushes every staged file to disk and renames it. Throws cannot_write; then all files are as
  /// they were before, as far as the file system lets them be put back (the message tells).
  void commit();

 private:
  void discard() noexcept;

  struct Staged {
    std::filesystem::path temporary;
    std::filesystem::path target;
  };
  Existing existing_;
  std::vector<Staged> staged_;
};

/// Writes a table to `path` as it is (no temporary name: see OutputFiles), "-" for standard output
/// where the format is text. Numbers keep every digit (shortest text that reads back the same).
/// CSV/TSV: sample names and labels as columns. MAT: X, Y, feature_names. NPY: the matrix alone.
/// Matrix Market: the matrix alone, coordinate if sparse, array if dense. svmlight: labels (0 where
/// there are none). Throws cannot_write, or inconsistent_input where a format cannot hold the data
/// (text labels in svmlight).
void write_dataset(const Dataset& dataset, const std::filesystem::path& path, Format format);

/// The usual ending of a format's files, with the dot.
[[nodiscard]] std::string format_extension(Format format);

}  // namespace sfg

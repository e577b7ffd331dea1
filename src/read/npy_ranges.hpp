#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "io/input_bytes.hpp"
#include "io/npy.hpp"
#include "sfg/matrix.hpp"
#include "sfg/read.hpp"

namespace sfg::detail {

/// A table of numbers that is read by ranges of features, so that several processes can each read
/// their own: an npy file as it lies on the disk.
class NpyRanges {
 public:
  /// Whether read_dataset() would make just these numbers of the file, by what is known without
  /// opening it.
  [[nodiscard]] static bool can_read(const std::filesystem::path& path, const ReadOptions& options);

  /// Throws what read_dataset() throws for a file that cannot be opened or is no table of numbers.
  NpyRanges(const std::filesystem::path& path, const ReadOptions& options, const RunContext& run);

  /// Whether the file is read as it lies there, which can_read() cannot know: not if it is packed.
  [[nodiscard]] bool is_as_it_lies() const noexcept { return input_.is_plain_file(); }
  [[nodiscard]] Index n_samples() const noexcept { return n_samples_; }
  [[nodiscard]] Index n_features() const noexcept { return n_features_; }
  /// Tells whether files at different places are copies of one another: by their size, their header
  /// and some thousand places spread over their numbers. Two that differ elsewhere only look alike.
  [[nodiscard]] std::uint64_t fingerprint() const;

  /// `count` features from `first` on. Throws cannot_read if the file changes meanwhile.
  [[nodiscard]] DenseMatrix read(Index first, Index count, const RunContext& run) const;

 private:
  InputBytes input_;
  NpyHeader header_;
  bool by_feature_ = false;  ///< the numbers of a feature follow one another in the file
  Index n_samples_ = 0;
  Index n_features_ = 0;
};

}  // namespace sfg::detail

#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/record_file.hpp"

namespace sfg::detail {

/// Finished results on disk, so that an interrupted run can go on: records below a header that says
/// what they are about.
class ResultJournal {
 public:
  /// Opens the file or makes it. Throws cannot_write, also if another run has it open.
  ResultJournal(std::filesystem::path path, std::string header);

  /// The records of an earlier run, none if there was none; a damaged end is dropped. Nothing if
  /// the file is about something else: it is as it was.
  [[nodiscard]] std::optional<std::vector<std::string>> recall();
  /// Begins anew, whatever the file holds.
  void begin();
  /// Throws inconsistent_input: the file is about another one of `what` ("experiment").
  [[noreturn]] void refuse(std::string_view what) const;

  void append(std::string_view record) { file_.append(record); }
  void remove() noexcept { file_.remove(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.path(); }
  /// Bytes of a damaged end that were dropped.
  [[nodiscard]] std::size_t n_dropped() const noexcept { return n_dropped_; }

 private:
  RecordFile file_;
  std::string header_;
  std::size_t n_dropped_ = 0;
};

}  // namespace sfg::detail

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "sfg/dataset.hpp"
#include "sfg/journal.hpp"
#include "sfg/stability.hpp"

namespace sfg {

/// Finished repeats on disk, so that an interrupted run can go on: records with the options and the
/// data's fingerprint, then one per repeat, as JSON. How many repeats there are to be is no part of
/// it: more can follow.
class StabilityJournal {
 public:
  /// Opens the file or makes it. `options` are those that change a repeat (stability_key()); if the
  /// file has other ones, or other data, it is refused (inconsistent_input) or begun anew. Throws
  /// cannot_write, also if another run has it open.
  StabilityJournal(std::filesystem::path path, const std::string& options, const Dataset& dataset,
                   ForeignJournal foreign);
  ~StabilityJournal();
  StabilityJournal(StabilityJournal&&) noexcept;
  StabilityJournal& operator=(StabilityJournal&&) noexcept;

  /// Recalls and keeps, as long as the journal lives.
  [[nodiscard]] StabilityCheckpoint checkpoint();

  /// Repeats that were there when it was opened.
  [[nodiscard]] std::size_t n_recalled() const noexcept;
  /// Bytes of a damaged end that were dropped.
  [[nodiscard]] std::size_t n_dropped() const noexcept;

  /// Removes the file: everything is in its place.
  void finish() noexcept;

 private:
  class Records;
  std::unique_ptr<Records> records_;
};

}  // namespace sfg

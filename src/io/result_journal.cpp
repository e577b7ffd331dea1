#include "io/result_journal.hpp"

#include <fmt/format.h>

#include "sfg/error.hpp"

namespace sfg::detail {

ResultJournal::ResultJournal(std::filesystem::path path, std::string header)
    : file_(std::move(path)), header_(std::move(header)) {}

std::optional<std::vector<std::string>> ResultJournal::recall() {
  RecordFile::Contents contents = file_.read();
  if (contents.records.empty()) {
    if (!contents.ends_before(header_)) return std::nullopt;
    begin();
    return std::vector<std::string>{};
  }
  if (contents.records.front() != header_) return std::nullopt;
  n_dropped_ = contents.text.size() - contents.end();
  file_.cut(contents.end());
  contents.records.erase(contents.records.begin());
  return std::move(contents.records);
}

void ResultJournal::begin() {
  file_.cut(0);
  file_.append(header_);
}

void ResultJournal::refuse(std::string_view what) const {
  throw Error(
      ErrorCode::inconsistent_input,
      fmt::format("was left behind by another {} (other options, or another version of sfg)", what),
      file_.path().string(),
      {"overwrite", "remove it, give another {output}, or add {overwrite=true} to start over"});
}

}  // namespace sfg::detail

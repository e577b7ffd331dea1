// The journal of an experiment. No mutation keeps a checksum right, so that the records come as
// lines without and get theirs here; an input that begins with a blank is taken as it is.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "io/record_file.hpp"
#include "memory_file.hpp"
#include "sfg/error.hpp"
#include "sfg/experiment_journal.hpp"

namespace {

/// What a run has written that has nothing to tell yet.
std::string header(const sfg::fuzz::MemoryFile& file) {
  file.set(nullptr, 0);
  const sfg::ExperimentJournal journal(file.path(), "options", sfg::ForeignJournal::refuse);
  std::ifstream written(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(written), {}};
}

std::string with_checksums(std::string_view text, std::string result) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    result += sfg::detail::RecordFile::framed(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("journal");
  static const std::string first = header(file);
  const sfg::fuzz::OneSecond limit;
  std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!text.starts_with(' ')) text = with_checksums(text, first);
  file.set(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  try {
    sfg::ExperimentJournal journal(file.path(), "options", sfg::ForeignJournal::refuse);
    static_cast<void>(journal.cells_of("data", {}));
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}

// The journal of an experiment. No mutation keeps a checksum right, so that the lines come without
// and get theirs here; an input that begins with a blank is taken as it is.
#include <fmt/format.h>

#include <string_view>

#include "core/fingerprint.hpp"
#include "memory_file.hpp"
#include "report/journal.hpp"
#include "sfg/error.hpp"

namespace {

std::string with_checksums(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    const auto line = text.substr(0, end);
    sfg::detail::Fingerprint fingerprint;
    fingerprint.add(line);
    result += fmt::format("{:016x} {}\n", fingerprint.value(), line);
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("journal");
  const sfg::fuzz::OneSecond limit;
  std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!text.starts_with(' ')) text = with_checksums(text);
  file.set(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  try {
    sfg::detail::Journal journal(file.path(), "options", sfg::detail::ForeignJournal::refuse);
    static_cast<void>(journal.cells_of("data", {}));
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}

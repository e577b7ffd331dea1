// The journal of a graph. No mutation keeps a checksum right, so that the input is a header to
// which records come with two bytes for the length of each; an input that begins with a blank is
// taken as it is.
#include <algorithm>
#include <string>
#include <string_view>

#include "io/record_file.hpp"
#include "memory_file.hpp"
#include "sfg/error.hpp"
#include "sfg/journal.hpp"
#include "sfg/version.hpp"

namespace {

using sfg::detail::RecordFile;

/// As a run writes it that has nothing to tell yet.
std::string header() {
  return R"({"format":"sfg-graph-journal","sfg_version":")" + std::string(sfg::version()) +
         R"(","version":1})";
}

std::string with_checksums(std::string_view bytes) {
  std::string result = RecordFile::framed(header());
  while (bytes.size() >= 2) {
    const auto low = static_cast<unsigned char>(bytes[0]);
    const auto high = static_cast<unsigned char>(bytes[1]);
    bytes.remove_prefix(2);
    const std::size_t length = std::min<std::size_t>(low + 256U * high, bytes.size());
    result += RecordFile::framed(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return result;
}

/// What the journal promises of the blocks that it gives.
void recall(const std::filesystem::path& path) {
  sfg::PursuitJournal journal(path, {.old = sfg::OldJournal::go_on});
  const sfg::PursuitKey key{4, 3, 0xff, "omp"};
  for (const sfg::TargetBlock& block : journal.checkpoint().find(key)) {
    if (!sfg::fits(block, key)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("checkpoint");
  const sfg::fuzz::OneSecond limit;
  std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!text.starts_with(' ')) text = with_checksums(text);
  file.set(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  try {
    recall(file.path());
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}

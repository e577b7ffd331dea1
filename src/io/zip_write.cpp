#include <fmt/format.h>

#include <limits>
#include <new>

#include "core/text.hpp"
#include "io/zip.hpp"
#include "io/zip_handles.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// 1 January 1980, the first day that a zip archive can name, and midnight.
constexpr zip_uint16_t kFixedDate = 0x21;
constexpr zip_uint16_t kFixedTime = 0;

/// The end record alone. libzip writes no file for an archive without members.
constexpr std::string_view kEmptyArchive{"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22};

[[noreturn]] void fail(zip_error_t& error) {
  if (zip_error_code_zip(&error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  throw Error(ErrorCode::cannot_write,
              fmt::format("zip archive: it cannot be made: {}", zip_error_strerror(&error)));
}

void check_name(const std::string& name) {
  const bool fits = name.size() <= std::numeric_limits<zip_uint16_t>::max() &&
                    name.find('\0') == std::string::npos;
  if (fits) return;
  throw Error(ErrorCode::cannot_write,
              fmt::format("zip archive: a member's name of {} bytes cannot be written: it may have "
                          "65535 and no NUL",
                          name.size()));
}

void add_member(zip_t* archive, const std::string& name, const std::string& contents) {
  check_name(name);
  constexpr int kWeKeepTheBytes = 0;
  ZipSource source(zip_source_buffer(archive, contents.data(), contents.size(), kWeKeepTheBytes));
  if (!source) fail(*zip_get_error(archive));
  const zip_int64_t added = zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_GUESS);
  if (added < 0) {
    if (zip_error_code_zip(zip_get_error(archive)) != ZIP_ER_EXISTS) fail(*zip_get_error(archive));
    throw Error(ErrorCode::cannot_write,
                fmt::format("zip archive: the member '{}' is given twice", escaped(name)));
  }
  // The archive has it now.
  static_cast<void>(source.release());
  const auto place = static_cast<zip_uint64_t>(added);
  if (zip_set_file_compression(archive, place, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, place, kFixedTime, kFixedDate, 0) != 0) {
    fail(*zip_get_error(archive));
  }
}

/// The bytes that libzip wrote into a buffer of its own.
std::string contents_of(zip_source_t* source) {
  zip_stat_t status;
  if (zip_source_stat(source, &status) != 0 || zip_source_open(source) != 0) {
    fail(*zip_source_error(source));
  }
  std::string bytes(status.size, '\0');
  const zip_int64_t n_read = zip_source_read(source, bytes.data(), bytes.size());
  if (n_read < 0 || static_cast<zip_uint64_t>(n_read) != status.size) {
    fail(*zip_source_error(source));
  }
  zip_source_close(source);
  return bytes;
}

}  // namespace

std::string write_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  if (members.empty()) return std::string(kEmptyArchive);
  ZipError error;
  const ZipSource target(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!target) fail(error);
  ZipArchive archive(zip_open_from_source(target.get(), ZIP_TRUNCATE, &error));
  if (!archive) fail(error);
  // The archive frees its source; the bytes are fetched from it afterwards.
  zip_source_keep(target.get());
  for (const auto& [name, contents] : members) add_member(archive.get(), name, contents);
  if (zip_close(archive.get()) != 0) fail(*zip_get_error(archive.get()));
  static_cast<void>(archive.release());
  return contents_of(target.get());
}

}  // namespace sfg::detail

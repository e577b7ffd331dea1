#pragma once

#include <zip.h>

#include <memory>

// What libzip hands out, owned.
namespace sfg::detail {

struct ZipDeleter {
  /// Nothing is written: an archive that is to be kept is closed by zip_close().
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipArchive = std::unique_ptr<zip_t, ZipDeleter>;
using ZipSource = std::unique_ptr<zip_source_t, ZipDeleter>;
using ZipFile = std::unique_ptr<zip_file_t, ZipDeleter>;

/// Where libzip says what went wrong.
struct ZipError : zip_error_t {
  ZipError() { zip_error_init(this); }
  ~ZipError() { zip_error_fini(this); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
};

}  // namespace sfg::detail

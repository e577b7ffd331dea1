#include "sfg/write.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

#include "io/gzip.hpp"
#include "sfg/error.hpp"
#include "sfg/read.hpp"
#include "write/writers.hpp"

namespace sfg {

namespace {

bool is_text_format(Format format) {
  return format == Format::csv || format == Format::tsv || format == Format::matrix_market ||
         format == Format::svmlight;
}

void write_to_stream(const Dataset& dataset, Format format, std::ostream& out) {
  switch (format) {
    case Format::tsv:
      return detail::write_delimited(dataset, '\t', out);
    case Format::matrix_market:
      return detail::write_matrix_market(dataset, out);
    case Format::svmlight:
      return detail::write_svmlight(dataset, out);
    case Format::npy:
      return detail::write_npy(dataset, out);
    case Format::csv:
    case Format::automatic:
    case Format::mat:
    case Format::h5ad:
      break;
  }
  detail::write_delimited(dataset, ',', out);
}

[[noreturn]] void refuse(const std::string& name, std::string_view what, int error_number) {
  const auto reason = error_number == 0
                          ? std::string()
                          : fmt::format(": {}", std::generic_category().message(error_number));
  throw Error(ErrorCode::cannot_write,
              fmt::format("{}: {}{}; check the folder, its permissions and the space left", name,
                          what, reason));
}

void write_packed(const Dataset& dataset, Format format, std::ostream& out) {
  // As the program gzip does.
  constexpr int kUsualLevel = 6;
  detail::GzipBuffer buffer(out, kUsualLevel);
  std::ostream packing(&buffer);
  write_to_stream(dataset, format, packing);
  buffer.finish();
}

void write_file(const Dataset& dataset, const std::filesystem::path& path, Format format,
                Compression compression) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) refuse(path.string(), "cannot be opened for writing", errno);
  errno = 0;
  if (compression == Compression::gzip) {
    write_packed(dataset, format, out);
  } else {
    write_to_stream(dataset, format, out);
  }
  out.flush();
  if (!out) refuse(path.string(), "writing failed", errno);
  out.close();
  if (!out) refuse(path.string(), "closing failed", errno);
}

void check_writable(const std::filesystem::path& path, Format format, Compression compression) {
  if (format == Format::h5ad) {
    throw Error(
        ErrorCode::invalid_option,
        "sfg reads h5ad files but does not write them; write csv, tsv, npy, mat, mtx or svmlight");
  }
  if (path == "-" && !is_text_format(format)) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("{} files cannot go to standard output; name a file, or write csv, tsv, "
                    "mtx or svmlight",
                    choice_name(format)));
  }
  if (format == Format::mat && compression == Compression::gzip) {
    throw Error(ErrorCode::invalid_option, "MAT files are packed inside; leave out .gz",
                path.string());
  }
}

}  // namespace

Compression compression_from_path(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (ending == ".gz") return Compression::gzip;
  for (const char* other : {".bz2", ".xz", ".zst", ".lz4", ".z", ".zip", ".7z"}) {
    if (ending == other) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("sfg packs by gzip only, not {}; write .gz, or leave it out and pack "
                              "the file afterwards",
                              ending),
                  path.string());
    }
  }
  return Compression::none;
}

void write_dataset(const Dataset& dataset, const std::filesystem::path& path, Format format) {
  write_dataset(dataset, path, format, compression_from_path(path));
}

void write_dataset(const Dataset& dataset, const std::filesystem::path& path, Format format,
                   Compression compression) {
  if (format == Format::automatic) format = format_from_path(path);
  if (format == Format::automatic) format = Format::csv;
  check_writable(path, format, compression);
  if (format == Format::mat) {
    detail::write_mat(dataset, path);
  } else if (path == "-") {
    write_to_stream(dataset, format, std::cout);
    if (!std::cout.flush()) refuse("standard output", "writing failed", 0);
  } else {
    write_file(dataset, path, format, compression);
  }
}

std::string format_extension(Format format) {
  return fmt::format(".{}", choice_name(format == Format::automatic ? Format::csv : format));
}

Format writable_format(const Dataset& dataset) {
  const bool sparse = std::holds_alternative<SparseMatrix>(dataset.matrix);
  if (dataset.format != Format::h5ad && dataset.format != Format::automatic) return dataset.format;
  return sparse ? Format::matrix_market : Format::csv;
}

}  // namespace sfg

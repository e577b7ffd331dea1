#include "write/mat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "core/text.hpp"
#include "core/unicode.hpp"
#include "io/hdf5.hpp"
#include "io/input_bytes.hpp"
#include "io/mat5_archive.hpp"
#include "sfg/error.hpp"
#include "write/writers.hpp"

#ifdef SFG_WITH_MAT
#include <matio.h>
#endif

namespace sfg::detail {

#ifdef SFG_WITH_MAT

namespace {

/// Bytes that a variable of version 5 may have, with room for its headers.
constexpr double kMostBytesV5 = 2.0e9;
/// Bytes of a text in a cell besides its characters.
constexpr double kBytesPerCell = 64;
constexpr double kBytesPerCharacter = 2;

/// matio goes back and forth in its file, and its own failure to create one is not told why.
void create_empty(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorCode::cannot_write, fmt::format("{}: {}", path.string(), reason));
  };
  errno = 0;
  std::ofstream created(path, std::ios::binary | std::ios::trunc);
  created.close();
  if (!created) {
    fail(fmt::format("cannot be created: {}; check the folder and its permissions",
                     std::generic_category().message(errno)));
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    fail("MAT files are written to ordinary files only; give the path of one");
  }
}

class MatWriter {
 public:
  MatWriter(const std::filesystem::path& path, MatVersion version) : name_(path.string()) {
    // matio's own header has the time in it; equal data should give equal files.
    const bool is_v5 = version == MatVersion::v5;
    const char* header =
        is_v5 ? "MATLAB 5.0 MAT-file, written by sfg" : "MATLAB 7.3 MAT-file, written by sfg";
    file_.reset(Mat_CreateVer(path.c_str(), header, is_v5 ? MAT_FT_MAT5 : MAT_FT_MAT73));
    if (!file_) fail("it cannot be created");
  }

  void write_dense(const char* name, const double* values, std::size_t rows, std::size_t columns) {
    std::size_t extents[] = {rows, columns};
    // matio only reads from the pointer but takes it without const.
    write(create(name, MAT_C_DOUBLE, MAT_T_DOUBLE, extents, const_cast<double*>(values),
                 MAT_F_DONT_COPY_DATA));
  }

  void write_sparse(const char* name, const SparseMatrix& sparse) {
    const auto n_stored = sparse.n_stored();
    if (n_stored > std::numeric_limits<std::uint32_t>::max()) {
      fail(fmt::format("the sparse matrix has {} entries, the format holds 2^32", n_stored));
    }
    std::vector<mat_uint32_t> rows(sparse.rows.begin(), sparse.rows.end());
    std::vector<mat_uint32_t> starts(sparse.starts.begin(), sparse.starts.end());
    mat_sparse_t data{};
    data.nzmax = data.nir = data.ndata = static_cast<mat_uint32_t>(n_stored);
    data.njc = static_cast<mat_uint32_t>(starts.size());
    data.ir = rows.data();
    data.jc = starts.data();
    data.data = const_cast<double*>(sparse.values.data());
    std::size_t extents[] = {static_cast<std::size_t>(sparse.n_samples),
                             static_cast<std::size_t>(sparse.n_features)};
    write(create(name, MAT_C_SPARSE, MAT_T_DOUBLE, extents, &data, MAT_F_DONT_COPY_DATA));
  }

  void write_texts(const char* name, const std::vector<std::string>& texts, std::size_t rows,
                   std::size_t columns) {
    std::size_t extents[] = {rows, columns};
    Variable cells = create(name, MAT_C_CELL, MAT_T_CELL, extents, nullptr, 0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      // The cell array owns its cells.
      Mat_VarSetCell(cells.get(), static_cast<int>(i), text(texts[i]).release());
    }
    write(std::move(cells));
  }

  void close() {
    if (Mat_Close(file_.release()) != 0) fail("closing it failed: the disk may be full");
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::cannot_write, fmt::format("{}: {}", name_, reason));
  }

 private:
  struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  struct FreeVariable {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
  };
  using Variable = std::unique_ptr<matvar_t, FreeVariable>;

  Variable create(const char* name, matio_classes kind, matio_types type, std::size_t (&extents)[2],
                  void* data, int options) const {
    Variable variable(Mat_VarCreate(name, kind, type, 2, extents, data, options));
    if (!variable) fail("a variable cannot be made: memory may be short");
    return variable;
  }

  [[nodiscard]] Variable text(const std::string& text) const {
    const std::u16string units = encode_utf16(decode_utf8(text));
    std::size_t extents[] = {units.empty() ? 0U : 1U, units.size()};
    return create(nullptr, MAT_C_CHAR, MAT_T_UTF16, extents, const_cast<char16_t*>(units.data()),
                  0);
  }

  void write(Variable variable) {
    if (Mat_VarWrite(file_.get(), variable.get(), MAT_COMPRESSION_ZLIB) != 0) {
      fail(fmt::format("writing the variable {} failed: the disk may be full",
                       variable->name != nullptr ? variable->name : ""));
    }
  }

  std::string name_;
  std::unique_ptr<mat_t, CloseFile> file_;
};

/// The labels as numbers, if all are numbers and no two different texts are the same number.
std::optional<std::vector<double>> numeric_labels(const std::vector<std::string>& labels) {
  std::vector<double> numbers;
  numbers.reserve(labels.size());
  std::map<double, std::string_view> seen;
  for (const std::string& label : labels) {
    const auto number = parse_number(label);
    if (!number || *number != *number) return std::nullopt;
    if (seen.try_emplace(*number, label).first->second != label) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

void write_labels(const std::vector<std::string>& labels, MatWriter& writer) {
  if (const auto numbers = numeric_labels(labels)) {
    writer.write_dense("Y", numbers->data(), numbers->size(), 1);
  } else {
    writer.write_texts("Y", labels, labels.size(), 1);
  }
}

double cell_bytes(const std::vector<std::string>& texts) {
  double bytes = 0;
  for (const std::string& text : texts) {
    bytes += kBytesPerCell + kBytesPerCharacter * static_cast<double>(text.size());
  }
  return bytes;
}

/// matio does not notice everything that can go wrong: what was written must read back whole.
void check_written(const std::filesystem::path& path) {
  try {
    const InputBytes input(path, 0);
    const Mat5Archive checked(input.name(), input.bytes());
  } catch (const Error& error) {
    throw Error(
        ErrorCode::cannot_write,
        fmt::format("{}: writing failed, the disk may be full ({})", path.string(), error.what()));
  }
}

/// Bytes of the largest variable.
double largest_variable(const Dataset& dataset) {
  double bytes = 0;
  if (const auto* sparse = std::get_if<SparseMatrix>(&dataset.matrix)) {
    bytes = static_cast<double>(sparse->n_stored()) * (sizeof(double) + sizeof(Index)) +
            static_cast<double>(sparse->starts.size()) * sizeof(Index);
  } else {
    bytes = static_cast<double>(n_stored(dataset.matrix)) * sizeof(double);
  }
  if (dataset.labels) bytes = std::max(bytes, cell_bytes(dataset.labels->values));
  return std::max(bytes, cell_bytes(dataset.feature_names));
}

/// HDF5 does not survive a full disk, so that there should be room before it starts.
void check_room(const std::filesystem::path& path, double bytes) {
  std::error_code unknown;
  const auto space = std::filesystem::space(path, unknown);
  if (unknown || bytes <= static_cast<double>(space.available)) return;
  throw Error(ErrorCode::cannot_write,
              fmt::format("{}: needs {}, but its disk has {} left; make room or write elsewhere",
                          path.string(), format_bytes(bytes),
                          format_bytes(static_cast<double>(space.available))));
}

}  // namespace

MatVersion mat_version_for(const Dataset& dataset) {
  return largest_variable(dataset) > kMostBytesV5 ? MatVersion::v73 : MatVersion::v5;
}

void write_mat_version(const Dataset& dataset, const std::filesystem::path& path,
                       MatVersion version) {
  // matio writes version 7.3 through HDF5.
  const QuietHdf5 quiet;
  create_empty(path);
  if (version == MatVersion::v73) check_room(path, largest_variable(dataset));
  MatWriter writer(path, version);
  if (const auto* sparse = std::get_if<SparseMatrix>(&dataset.matrix)) {
    writer.write_sparse("X", *sparse);
  } else {
    const auto& dense = std::get<DenseMatrix>(dataset.matrix);
    writer.write_dense("X", dense.data(), static_cast<std::size_t>(dense.n_samples()),
                       static_cast<std::size_t>(dense.n_features()));
  }
  if (dataset.labels) write_labels(dataset.labels->values, writer);
  if (dataset.name_source == NameSource::file) {
    writer.write_texts("feature_names", dataset.feature_names, 1, dataset.feature_names.size());
  }
  writer.close();
  if (version == MatVersion::v5) check_written(path);
}

void write_mat(const Dataset& dataset, const std::filesystem::path& path) {
  write_mat_version(dataset, path, mat_version_for(dataset));
}

#else

void write_mat(const Dataset&, const std::filesystem::path& path) {
  throw Error(ErrorCode::cannot_read,
              "built without writing of MAT files; install libmatio-dev and build again",
              path.string());
}

#endif

}  // namespace sfg::detail

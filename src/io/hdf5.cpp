#ifdef SFG_WITH_HDF5

#include "io/hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/text.hpp"
#include "io/hdf5_heap.hpp"
#include "io/hdf5_lzf.hpp"
#include "io/input_bytes.hpp"
#include "io/size_check.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Deflate cannot shrink data more than this: a dataset that claims more was never written.
constexpr double kLargestChunkRatio = 1032;

Hdf5Handle type_of(const Hdf5Node& dataset) {
  Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (!type.valid()) throw_damaged(dataset.what);
  return type;
}

/// Throws cannot_read for a filter that is not installed. Returns whether all filters are of the
/// kind that never shrinks data more than deflate does.
bool check_filters(const Hdf5Node& dataset, hid_t creation) {
  constexpr H5Z_filter_t kLzf = 32000;
  constexpr std::array kCommon{H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32, kLzf};
  bool all_common = true;
  const int n_filters = H5Pget_nfilters(creation);
  for (int i = 0; i < n_filters; ++i) {
    std::array<char, 64> name{};
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t n_values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &n_values, nullptr,
                       name.size() - 1, name.data(), &config);
    if (filter < 0) throw_damaged(dataset.what);
    if (H5Zfilter_avail(filter) <= 0) {
      throw Error(
          ErrorCode::cannot_read,
          fmt::format("{}: is packed by the filter '{}' (number {}), which is not installed "
                      "here: save it with gzip",
                      dataset.what, escaped(name.data()), filter));
    }
    all_common = all_common && std::ranges::find(kCommon, filter) != kCommon.end();
  }
  return all_common;
}

/// Chunks that the dataset is cut into, 0 if it is not.
double chunk_count(const Hdf5Node& dataset, hid_t creation, const std::vector<hsize_t>& extents) {
  if (H5Pget_layout(creation) != H5D_CHUNKED) return 0;
  std::vector<hsize_t> chunk(extents.size());
  const int rank = static_cast<int>(chunk.size());
  // HDF5 reads for ever where chunks have fewer dimensions than the dataset.
  if (H5Pget_chunk(creation, rank, chunk.data()) != rank) throw_damaged(dataset.what);
  double count = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const hsize_t length = std::max<hsize_t>(chunk[axis], 1);
    count *= std::ceil(static_cast<double>(extents[axis]) / static_cast<double>(length));
  }
  return count;
}

void check_claim(const Hdf5Node& dataset, const std::vector<hsize_t>& extents) {
  auto claimed_bytes = static_cast<double>(H5Tget_size(type_of(dataset).id()));
  for (const hsize_t extent : extents) claimed_bytes *= static_cast<double>(extent);

  const Hdf5Handle creation(H5Dget_create_plist(dataset.id()), H5Pclose);
  if (!creation.valid()) throw_damaged(dataset.what);
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: its data lie in other files, which are not read: save it in one "
                            "file",
                            dataset.what));
  }
  const bool all_common = check_filters(dataset, creation.id());
  const double ratio = layout == H5D_CHUNKED ? kLargestChunkRatio : 1;
  const auto stored = static_cast<double>(H5Dget_storage_size(dataset.id()));
  // However well it is packed, a chunk takes a byte.
  if ((all_common && claimed_bytes > stored * ratio) ||
      chunk_count(dataset, creation.id(), extents) > stored) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: claims {} of data but the file holds {}: it was never wholly "
                            "written, save it again",
                            dataset.what, format_bytes(claimed_bytes), format_bytes(stored)));
  }
}

/// Number of items of a vector (1 for a single item).
std::size_t checked_length(const Hdf5Node& dataset, double bytes_per_item, const RunContext& run) {
  const auto extents = checked_extents(dataset);
  if (extents.size() > 1) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: has {} dimensions, expected one: save it again", dataset.what,
                            extents.size()));
  }
  const hsize_t length = extents.empty() ? 1 : extents[0];
  check_size(dataset.what, 1, 1, static_cast<double>(length), bytes_per_item, run);
  return static_cast<std::size_t>(length);
}

template <typename Value>
std::vector<Value> read_vector(const Hdf5Node& dataset, hid_t memory_type, const RunContext& run) {
  std::vector<Value> values(checked_length(dataset, sizeof(Value), run));
  if (!values.empty() &&
      H5Dread(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    throw_damaged(dataset.what);
  }
  return values;
}

void require_integers(const Hdf5Node& dataset) {
  if (H5Tget_class(type_of(dataset).id()) == H5T_INTEGER) return;
  throw Error(
      ErrorCode::malformed_input,
      fmt::format("{}: holds something other than whole numbers: save it again", dataset.what));
}

}  // namespace

bool Hdf5Node::is_dataset() const {
  return H5Iget_type(id()) == H5I_DATASET;
}

bool Hdf5Node::is_group() const {
  const H5I_type_t type = H5Iget_type(id());
  return type == H5I_GROUP || type == H5I_FILE;
}

void throw_damaged(const std::string& what) {
  // Where the disk failed, libhdf5 leaves what the system said.
  if (errno == EIO) {
    throw Error(ErrorCode::cannot_read, fmt::format("{}: reading failed: {}; check the disk", what,
                                                    std::generic_category().message(errno)));
  }
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: cannot be read: the file is damaged or cut short: copy or save it "
                          "again",
                          what));
}

Hdf5Handle open_hdf5(const std::filesystem::path& path) {
  const InputBytes input(path, 0);
  if (!input.is_plain_file()) {
    throw Error(ErrorCode::cannot_read,
                fmt::format("{}: HDF5 files are read from unpacked files only: unpack it first",
                            input.name()));
  }
  errno = 0;
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    if (errno == EIO) throw_damaged(input.name());
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: not an HDF5 file: check the format", input.name()));
  }
  check_hdf5_heaps(input.name(), input.bytes());
  register_lzf();
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) throw_damaged(input.name());
  return file;
}

std::optional<Hdf5Node> find_node(const Hdf5Node& parent, const std::string& name) {
  if (name.empty() || name == "." || name.find('/') != std::string::npos) return std::nullopt;
  if (name.find('\0') != std::string::npos || !parent.is_group()) return std::nullopt;
  if (H5Lexists(parent.id(), name.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  Hdf5Node node;
  // "data.h5ad: 'var'" becomes "data.h5ad: 'var/_index'".
  node.what =
      parent.what.ends_with('\'')
          ? fmt::format("{}/{}'", parent.what.substr(0, parent.what.size() - 1), escaped(name))
          : fmt::format("{}: '{}'", parent.what, escaped(name));
  H5L_info_t link;
  if (H5Lget_info(parent.id(), name.c_str(), &link, H5P_DEFAULT) < 0) throw_damaged(node.what);
  if (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: lies in another file, which is not read: save it in one file", node.what));
  }
  node.handle = Hdf5Handle(H5Oopen(parent.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
  if (!node.handle.valid()) throw_damaged(node.what);
  return node;
}

std::vector<std::string> member_names(const Hdf5Node& group) {
  constexpr hsize_t kMostNames = 1000;
  H5G_info_t info;
  if (H5Gget_info(group.id(), &info) < 0) throw_damaged(group.what);
  std::vector<std::string> names;
  for (hsize_t i = 0; i < std::min(info.nlinks, kMostNames); ++i) {
    const auto get_name = [&](char* target, std::size_t size) {
      return H5Lget_name_by_idx(group.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, target, size,
                                H5P_DEFAULT);
    };
    const ssize_t length = get_name(nullptr, 0);
    if (length < 0) throw_damaged(group.what);
    std::string name(static_cast<std::size_t>(length) + 1, '\0');
    if (get_name(name.data(), name.size()) < 0) throw_damaged(group.what);
    name.pop_back();
    names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::vector<std::int64_t>> integer_attribute(const Hdf5Node& node,
                                                           const std::string& name) {
  constexpr hssize_t kMostValues = 32;
  if (H5Aexists(node.id(), name.c_str()) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen(node.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (!type.valid() || H5Tget_class(type.id()) != H5T_INTEGER || count < 0 || count > kMostValues) {
    return std::nullopt;
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  if (count > 0 && H5Aread(attribute.id(), H5T_NATIVE_INT64, values.data()) < 0) {
    throw_damaged(fmt::format("{}, attribute '{}'", node.what, name));
  }
  return values;
}

std::vector<hsize_t> checked_extents(const Hdf5Node& dataset) {
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (!space.valid() || rank < 0 || H5Sget_simple_extent_type(space.id()) == H5S_NULL) {
    throw_damaged(dataset.what);
  }
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr) < 0) {
    throw_damaged(dataset.what);
  }
  check_claim(dataset, extents);
  return extents;
}

std::vector<double> read_doubles(const Hdf5Node& dataset, const RunContext& run) {
  const Hdf5Handle type = type_of(dataset);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    return read_vector<double>(dataset, H5T_NATIVE_DOUBLE, run);
  }
  if (kind == H5T_ENUM && H5Tget_size(type.id()) == 1) {
    // Booleans: an enumeration of one byte.
    const auto bytes = read_vector<std::int8_t>(dataset, type.id(), run);
    return {bytes.begin(), bytes.end()};
  }
  throw Error(
      ErrorCode::malformed_input,
      fmt::format("{}: holds something other than numbers: save it as float64", dataset.what));
}

std::vector<std::int64_t> read_int64s(const Hdf5Node& dataset, const RunContext& run) {
  require_integers(dataset);
  return read_vector<std::int64_t>(dataset, H5T_NATIVE_INT64, run);
}

std::vector<std::int32_t> read_int32s(const Hdf5Node& dataset, const RunContext& run) {
  require_integers(dataset);
  return read_vector<std::int32_t>(dataset, H5T_NATIVE_INT32, run);
}

}  // namespace sfg::detail

#endif

#ifdef SFG_WITH_HDF5

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "core/text.hpp"
#include "io/hdf5.hpp"
#include "io/size_check.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// A buffer of items whose variable-length texts were allocated by HDF5.
class ItemBuffer {
 public:
  ItemBuffer(std::size_t count, hid_t type, hid_t space)
      : item_size_(H5Tget_size(type)), type_(type), space_(space), bytes_(count * item_size_) {}
  ~ItemBuffer() {
    // Does nothing for types without variable-length parts.
    if (!bytes_.empty()) H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, bytes_.data());
  }
  ItemBuffer(const ItemBuffer&) = delete;
  ItemBuffer& operator=(const ItemBuffer&) = delete;

  [[nodiscard]] char* data() { return bytes_.data(); }
  [[nodiscard]] const char* item(std::size_t i) const { return bytes_.data() + i * item_size_; }

 private:
  std::size_t item_size_;
  hid_t type_;
  hid_t space_;
  std::vector<char> bytes_;
};

std::string fixed_text(const char* bytes, std::size_t size, H5T_str_t padding) {
  std::string_view text(bytes, size);
  if (padding != H5T_STR_SPACEPAD) return std::string(text.substr(0, text.find('\0')));
  const auto last = text.find_last_not_of(' ');
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

template <typename Value>
Value value_at(const char* bytes) {
  Value value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// The type to read items as; invalid for kinds that have no text.
Hdf5Handle memory_type_for(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return {H5Tcopy(type), H5Tclose};
    case H5T_INTEGER:
      return {H5Tcopy(H5Tget_sign(type) == H5T_SGN_NONE ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64),
              H5Tclose};
    case H5T_FLOAT:
      return {H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose};
    case H5T_ENUM:
      return {H5Tget_native_type(type, H5T_DIR_DEFAULT), H5Tclose};
    default:
      return {};
  }
}

std::string item_text(const char* item, hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING: {
      if (H5Tis_variable_str(type) <= 0) {
        return fixed_text(item, H5Tget_size(type), H5Tget_strpad(type));
      }
      const char* text = value_at<const char*>(item);
      return text == nullptr ? std::string() : std::string(text);
    }
    case H5T_INTEGER:
      return H5Tget_sign(type) == H5T_SGN_NONE ? fmt::format("{}", value_at<std::uint64_t>(item))
                                               : fmt::format("{}", value_at<std::int64_t>(item));
    case H5T_FLOAT: {
      // A missing value is an empty text, as in a CSV file.
      const auto value = value_at<double>(item);
      return std::isnan(value) ? std::string() : format_number(value);
    }
    default: {
      constexpr std::size_t kLongestName = 256;
      std::string name(kLongestName, '\0');
      if (H5Tenum_nameof(type, item, name.data(), name.size()) < 0) return {};
      name.resize(std::strlen(name.c_str()));
      return name;
    }
  }
}

/// The type of the items, or of one field of them.
Hdf5Handle field_type(const Hdf5Node& dataset, hid_t type, const std::string& field) {
  if (field.empty()) return {H5Tcopy(type), H5Tclose};
  const int member =
      H5Tget_class(type) == H5T_COMPOUND ? H5Tget_member_index(type, field.c_str()) : -1;
  if (member < 0) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: has no field '{}': save it again", dataset.what, escaped(field)));
  }
  return {H5Tget_member_type(type, static_cast<unsigned>(member)), H5Tclose};
}

}  // namespace

std::optional<std::string> text_attribute(const Hdf5Node& node, const std::string& name) {
  if (H5Aexists(node.id(), name.c_str()) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen(node.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  if (!type.valid() || H5Tget_class(type.id()) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space.id()) != 1) {
    return std::nullopt;
  }
  ItemBuffer buffer(1, type.id(), space.id());
  if (H5Aread(attribute.id(), type.id(), buffer.data()) < 0) {
    throw_damaged(fmt::format("{}, attribute '{}'", node.what, name));
  }
  return item_text(buffer.item(0), type.id());
}

std::vector<std::string> read_texts(const Hdf5Node& dataset, const std::string& field,
                                    const RunContext& run) {
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (!type.valid()) throw_damaged(dataset.what);
  const Hdf5Handle item_type = memory_type_for(field_type(dataset, type.id(), field).id());
  const auto extents = checked_extents(dataset);
  if (!item_type.valid() || extents.size() != 1) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: is not a list of texts or numbers: save it again", dataset.what));
  }
  Hdf5Handle memory_type(H5Tcopy(item_type.id()), H5Tclose);
  if (!field.empty()) {
    memory_type = Hdf5Handle(H5Tcreate(H5T_COMPOUND, H5Tget_size(item_type.id())), H5Tclose);
    H5Tinsert(memory_type.id(), field.c_str(), 0, item_type.id());
  }
  const auto item_bytes = static_cast<double>(H5Tget_size(memory_type.id()) + sizeof(std::string));
  check_size(dataset.what, 1, 1, static_cast<double>(extents[0]), item_bytes, run);

  const auto count = static_cast<std::size_t>(extents[0]);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  ItemBuffer buffer(count, memory_type.id(), space.id());
  if (count > 0 &&
      H5Dread(dataset.id(), memory_type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0) {
    throw_damaged(dataset.what);
  }
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(item_text(buffer.item(i), item_type.id()));
  }
  return texts;
}

}  // namespace sfg::detail

#endif

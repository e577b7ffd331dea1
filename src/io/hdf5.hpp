#pragma once

#ifdef SFG_WITH_HDF5

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sfg/run_context.hpp"

// The little of HDF5 that the readers need, with handles that close themselves.
namespace sfg::detail {

/// While it lives, HDF5 keeps its error messages to itself; our own exceptions tell what is wrong.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// A handle of HDF5 with the function that closes it.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  [[nodiscard]] hid_t id() const noexcept { return id_; }
  [[nodiscard]] bool valid() const noexcept { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

/// A dataset or a group of a file that is open, with the words for messages.
struct Hdf5Node {
  std::string what;  ///< "data.h5ad: 'var/_index'"
  Hdf5Handle handle;

  [[nodiscard]] hid_t id() const noexcept { return handle.id(); }
  [[nodiscard]] bool is_dataset() const;
  [[nodiscard]] bool is_group() const;
};

/// Opens a file for reading. Throws cannot_read (not there, no permission) or malformed_input.
[[nodiscard]] Hdf5Handle open_hdf5(const std::filesystem::path& path);

/// The member of a group, nothing if there is none. Names with '/' are no member's name.
[[nodiscard]] std::optional<Hdf5Node> find_node(const Hdf5Node& parent, const std::string& name);

/// Names of the members of a group, in order of the alphabet.
[[nodiscard]] std::vector<std::string> member_names(const Hdf5Node& group);

/// A text attribute, nothing if there is none or it is no single text.
[[nodiscard]] std::optional<std::string> text_attribute(const Hdf5Node& node,
                                                        const std::string& name);
/// An attribute that is a list of whole numbers, nothing if there is none.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integer_attribute(const Hdf5Node& node,
                                                                         const std::string& name);

/// Lengths of a dataset's dimensions. Throws malformed_input for one that claims far more data than
/// the file can hold.
[[nodiscard]] std::vector<hsize_t> checked_extents(const Hdf5Node& dataset);

/// Whole vectors. Numbers outside the range of the result become its smallest or largest value.
/// Throws malformed_input if the dataset has more than one dimension or another kind of items.
[[nodiscard]] std::vector<double> read_doubles(const Hdf5Node& dataset, const RunContext& run);
[[nodiscard]] std::vector<std::int64_t> read_int64s(const Hdf5Node& dataset, const RunContext& run);
[[nodiscard]] std::vector<std::int32_t> read_int32s(const Hdf5Node& dataset, const RunContext& run);

/// A vector of texts, numbers or booleans as texts; `field` names the member of a compound type to
/// read (empty: the items themselves).
[[nodiscard]] std::vector<std::string> read_texts(const Hdf5Node& dataset, const std::string& field,
                                                  const RunContext& run);

/// "damaged" in the words that every failing HDF5 call gets.
[[noreturn]] void throw_damaged(const std::string& what);

}  // namespace sfg::detail

#else

namespace sfg::detail {

/// Nothing to keep quiet in a build without HDF5.
struct QuietHdf5 {
  ~QuietHdf5() {}
};

}  // namespace sfg::detail

#endif

#pragma once

// Debian keeps the headers of the serial version in a folder of their own.
#if __has_include(<hdf5.h>)
#include <hdf5.h>
#else
#include <hdf5/serial/hdf5.h>
#endif

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace sfg::testing {

using Extents = std::vector<hsize_t>;

/// Makes HDF5 files for the tests; paths like "var/_index" need their group first.
class Hdf5Maker {
 public:
  explicit Hdf5Maker(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Hdf5Maker() { H5Fclose(file_); }
  Hdf5Maker(const Hdf5Maker&) = delete;
  Hdf5Maker& operator=(const Hdf5Maker&) = delete;

  Hdf5Maker& group(const std::string& path) {
    H5Gclose(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return *this;
  }

  template <typename Value>
  Hdf5Maker& numbers(const std::string& path, hid_t type, const Extents& extents,
                     const std::vector<Value>& values, const Extents& chunk = {}) {
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunk.empty()) {
      H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_deflate(creation, 6);
    }
    const hid_t data =
        H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Pclose(creation);
    H5Sclose(space);
    return *this;
  }

  Hdf5Maker& texts(const std::string& path, const std::vector<std::string>& texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    numbers(path, type, {texts.size()}, pointers);
    H5Tclose(type);
    return *this;
  }

  Hdf5Maker& fixed_texts(const std::string& path, std::size_t size, H5T_str_t padding,
                         const std::string& bytes) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_strpad(type, padding);
    numbers(path, type, {bytes.size() / size}, std::vector<char>(bytes.begin(), bytes.end()));
    H5Tclose(type);
    return *this;
  }

  Hdf5Maker& text_attribute(const std::string& path, const char* name, const char* text) {
    const hid_t object = H5Oopen(file_, path.c_str(), H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, &text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(object);
    return *this;
  }

  Hdf5Maker& shape_attribute(const std::string& path, const char* name, std::int64_t rows,
                             std::int64_t columns) {
    const hid_t object = H5Oopen(file_, path.c_str(), H5P_DEFAULT);
    const hsize_t two = 2;
    const std::int64_t shape[] = {rows, columns};
    const hid_t space = H5Screate_simple(1, &two, nullptr);
    const hid_t attribute =
        H5Acreate2(object, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT64, shape);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(object);
    return *this;
  }

  /// X as a group of compressed rows or columns.
  Hdf5Maker& sparse(const char* format, std::int64_t rows, std::int64_t columns,
                    const std::vector<std::int64_t>& starts,
                    const std::vector<std::int32_t>& indices, const std::vector<float>& values) {
    group("X").text_attribute("X", "encoding-type", format);
    shape_attribute("X", "shape", rows, columns);
    numbers("X/indptr", H5T_NATIVE_INT64, {starts.size()}, starts);
    numbers("X/indices", H5T_NATIVE_INT32, {indices.size()}, indices);
    return numbers("X/data", H5T_NATIVE_FLOAT, {values.size()}, values);
  }

  [[nodiscard]] hid_t id() const { return file_; }

 private:
  hid_t file_;
};

/// A file with columns of all kinds in obs.
inline void make_labelled(const std::filesystem::path& path) {
  Hdf5Maker(path)
      .numbers("X", H5T_NATIVE_DOUBLE, {3, 2}, std::vector<double>{1, 2, 3, 4, 5, 6})
      .group("obs")
      .texts("obs/text", {"b", "a", "b"})
      .numbers<double>("obs/number", H5T_NATIVE_DOUBLE, {3},
                       {1, 2.5, std::numeric_limits<double>::quiet_NaN()})
      .numbers<std::int32_t>("obs/short", H5T_NATIVE_INT32, {2}, {1, 2})
      .group("obs/category")
      .numbers<std::int8_t>("obs/category/codes", H5T_NATIVE_INT8, {3}, {1, -1, 0})
      .texts("obs/category/categories", {"u", "v"})
      .group("obs/broken")
      .numbers<std::int8_t>("obs/broken/codes", H5T_NATIVE_INT8, {3}, {1, 2, 0})
      .texts("obs/broken/categories", {"u", "v"})
      .group("obs/other")
      .group("obs/__categories")
      .texts("obs/__categories/old", {"p", "q"})
      .numbers<std::int8_t>("obs/old", H5T_NATIVE_INT8, {3}, {1, 0, 1})
      .group("obs/masked")
      .numbers<std::int64_t>("obs/masked/values", H5T_NATIVE_INT64, {3}, {7, 8, 9})
      .numbers<std::int8_t>("obs/masked/mask", H5T_NATIVE_INT8, {3}, {0, 1, 0});
}

}  // namespace sfg::testing

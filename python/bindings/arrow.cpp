#include "arrow.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "sfg/error.hpp"

// --- the Arrow C data interface: three structs whose layout is fixed for good
// ----------------------- https://arrow.apache.org/docs/format/CDataInterface.html,
// CStreamInterface.html
extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace sfg::python {

namespace {

constexpr const char* kCapsuleName = "arrow_array_stream";
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::malformed_input, message);
}

/// Something that the producer gave us and wants back.
template <typename Struct>
class Held {
 public:
  Held() = default;
  ~Held() { reset(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Held(Held&& other) noexcept : value_(std::exchange(other.value_, {})) {}
  Held& operator=(Held&&) = delete;

  Struct* operator->() { return &value_; }
  [[nodiscard]] const Struct& get() const { return value_; }
  Struct* empty_place() {
    reset();
    return &value_;
  }
  [[nodiscard]] bool is_released() const { return value_.release == nullptr; }

 private:
  void reset() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = {};
  }
  Struct value_{};
};

bool bit_at(const void* bits, std::int64_t place) {
  const auto byte = static_cast<const std::uint8_t*>(bits)[place / 8];
  return ((byte >> (place % 8)) & 1) != 0;
}

/// Copies a column's values into doubles.
using Reader = void (*)(const void* values, std::int64_t first, std::int64_t count, double* out);

template <typename Value>
void read_numbers(const void* values, std::int64_t first, std::int64_t count, double* out) {
  const Value* from = static_cast<const Value*>(values) + first;
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<double>(from[i]);
}

void read_bits(const void* values, std::int64_t first, std::int64_t count, double* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = bit_at(values, first + i) ? 1 : 0;
}

/// A column of nulls only.
void read_nothing(const void*, std::int64_t, std::int64_t count, double* out) {
  std::fill_n(out, count, kMissing);
}

Reader reader_for(const ArrowSchema& column) {
  const std::string_view format = column.format;
  const bool plain = format.size() == 1 && column.dictionary == nullptr;
  switch (plain ? format.front() : '?') {
    case 'n':
      return read_nothing;
    case 'b':
      return read_bits;
    case 'c':
      return read_numbers<std::int8_t>;
    case 'C':
      return read_numbers<std::uint8_t>;
    case 's':
      return read_numbers<std::int16_t>;
    case 'S':
      return read_numbers<std::uint16_t>;
    case 'i':
      return read_numbers<std::int32_t>;
    case 'I':
      return read_numbers<std::uint32_t>;
    case 'l':
      return read_numbers<std::int64_t>;
    case 'L':
      return read_numbers<std::uint64_t>;
    case 'f':
      return read_numbers<float>;
    case 'g':
      return read_numbers<double>;
    default:
      break;
  }
  refuse(
      fmt::format("column '{}' of the table holds no numbers (Arrow type '{}'): leave it out or "
                  "encode it",
                  column.name == nullptr ? "" : column.name, format));
}

/// Rows `array.offset + first ...` of one column of one batch.
void read_column(const ArrowArray& array, std::int64_t first, std::int64_t count, Reader reader,
                 double* out) {
  const std::int64_t start = array.offset + first;
  if (count == 0) return;
  if (reader == &read_nothing) {
    reader(nullptr, start, count, out);
    return;
  }
  if (array.n_buffers < 2 || array.buffers[1] == nullptr) refuse("the Arrow table has no values");
  reader(array.buffers[1], start, count, out);
  const void* valid = array.buffers[0];
  if (valid == nullptr || array.null_count == 0) return;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!bit_at(valid, start + i)) out[i] = kMissing;
  }
}

/// A table that arrives in batches of rows.
class Table {
 public:
  explicit Table(ArrowArrayStream& stream) : stream_(stream) {
    check(stream_.get_schema(&stream_, schema_.empty_place()));
    if (std::string_view(schema_.get().format) != "+s") {
      refuse("X is a single Arrow column: a table with one column per feature is needed");
    }
    for (std::int64_t k = 0; k < schema_.get().n_children; ++k) {
      const ArrowSchema& column = *schema_.get().children[k];
      names_.emplace_back(column.name == nullptr ? "" : column.name);
      readers_.push_back(reader_for(column));
    }
    take_batches();
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Fills a samples x features array in Fortran order.
  [[nodiscard]] py::array_t<double> values() const {
    const auto n = static_cast<py::ssize_t>(n_rows_);
    const auto d = static_cast<py::ssize_t>(names_.size());
    py::array_t<double, py::array::f_style> result({n, d});
    std::int64_t row = 0;
    for (const auto& batch : batches_) {
      const ArrowArray& rows = batch.get();
      for (std::size_t k = 0; k < readers_.size(); ++k) {
        read_column(*rows.children[k], rows.offset, rows.length, readers_[k],
                    result.mutable_data() + static_cast<std::int64_t>(k) * n_rows_ + row);
      }
      row += rows.length;
    }
    return result;
  }

 private:
  void take_batches() {
    for (;;) {
      Held<ArrowArray> batch;
      check(stream_.get_next(&stream_, batch.empty_place()));
      if (batch.is_released()) return;
      if (batch.get().n_children != static_cast<std::int64_t>(readers_.size())) {
        refuse("a batch of the Arrow table has another number of columns than its schema");
      }
      if (batch.get().null_count > 0) refuse("whole rows of the Arrow table are missing");
      n_rows_ += batch.get().length;
      batches_.push_back(std::move(batch));
    }
  }

  void check(int status) {
    if (status == 0) return;
    const char* reason = stream_.get_last_error(&stream_);
    refuse(fmt::format("the Arrow table cannot be read: {}",
                       reason == nullptr ? std::strerror(status) : reason));
  }

  ArrowArrayStream& stream_;
  Held<ArrowSchema> schema_;
  std::vector<std::string> names_;
  std::vector<Reader> readers_;
  std::vector<Held<ArrowArray>> batches_;
  std::int64_t n_rows_ = 0;
};

}  // namespace

py::tuple arrow_table(const py::capsule& capsule) {
  if (capsule.name() == nullptr || std::string_view(capsule.name()) != kCapsuleName) {
    throw py::type_error("an Arrow stream is needed (a capsule named arrow_array_stream)");
  }
  auto* stream = capsule.get_pointer<ArrowArrayStream>();
  if (stream->release == nullptr) throw py::value_error("the Arrow stream has been read already");
  const Table table(*stream);
  return py::make_tuple(table.values(), table.names());
}

}  // namespace sfg::python

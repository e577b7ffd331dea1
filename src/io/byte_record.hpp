#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

// Numbers as the bytes they have in memory: for records and messages that stay on machines of one
// kind.
namespace sfg::detail {

template <typename Value>
void add_values(std::string& record, std::span<const Value> values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  record.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

template <typename Value>
void add_value(std::string& record, const Value& value) {
  add_values(record, std::span<const Value>(&value, 1));
}

/// Takes numbers from the front of a record. The caller has checked its length.
class ByteReader {
 public:
  explicit ByteReader(std::string_view record) : next_(record.data()) {}

  template <typename Value>
  void take(std::span<Value> values) {
    if (values.empty()) return;
    std::memcpy(values.data(), next_, values.size_bytes());
    next_ += values.size_bytes();
  }
  template <typename Value>
  [[nodiscard]] Value take() {
    Value value;
    take(std::span<Value>(&value, 1));
    return value;
  }

 private:
  const char* next_;
};

}  // namespace sfg::detail

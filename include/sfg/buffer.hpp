#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace sfg {

/// The numbers of a matrix: in memory of its own or, only to look at, in the caller's, so that
/// large data need not be copied to be worked on. Whoever changes something changes a copy: the
/// caller's memory is never written to. That first change copies everything, and no other thread
/// may use the buffer meanwhile: own() does it beforehand.
template <typename Value>
class Buffer {
 public:
  using value_type = Value;
  using const_iterator = const Value*;

  Buffer() = default;
  explicit Buffer(std::size_t size) : owned_(size) {}
  Buffer(std::vector<Value> values) : owned_(std::move(values)) {}
  Buffer(std::initializer_list<Value> values) : owned_(values) {}
  /// `values` must stay as they are for as long as the buffer, or one moved from it, is used.
  [[nodiscard]] static Buffer borrow(std::span<const Value> values) {
    Buffer buffer;
    if (!values.empty()) buffer.borrowed_ = values;
    return buffer;
  }

  /// A copy owns its numbers.
  Buffer(const Buffer& other) : owned_(other.begin(), other.end()) {}
  Buffer& operator=(const Buffer& other) {
    if (this != &other) *this = Buffer(other);
    return *this;
  }
  Buffer(Buffer&& other) noexcept
      : owned_(std::move(other.owned_)), borrowed_(std::exchange(other.borrowed_, {})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    owned_ = std::move(other.owned_);
    borrowed_ = std::exchange(other.borrowed_, {});
    return *this;
  }
  ~Buffer() = default;

  [[nodiscard]] bool is_borrowed() const noexcept { return borrowed_.data() != nullptr; }

  [[nodiscard]] std::size_t size() const noexcept {
    return is_borrowed() ? borrowed_.size() : owned_.size();
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const Value* data() const noexcept {
    return is_borrowed() ? borrowed_.data() : owned_.data();
  }
  [[nodiscard]] const Value* begin() const noexcept { return data(); }
  [[nodiscard]] const Value* end() const noexcept { return data() + size(); }
  [[nodiscard]] const Value& operator[](std::size_t i) const noexcept { return data()[i]; }

  [[nodiscard]] Value* data() { return own().data(); }
  [[nodiscard]] Value* begin() { return data(); }
  [[nodiscard]] Value* end() { return data() + size(); }
  [[nodiscard]] Value& operator[](std::size_t i) { return own()[i]; }
  void push_back(const Value& value) { own().push_back(value); }
  void reserve(std::size_t size) { own().reserve(size); }
  void resize(std::size_t size) { own().resize(size); }
  void append(std::span<const Value> values) {
    own().insert(owned_.end(), values.begin(), values.end());
  }

  /// The numbers in memory of the buffer's own, for changes of any kind.
  std::vector<Value>& own() {
    if (is_borrowed()) *this = Buffer(std::as_const(*this));
    return owned_;
  }

  friend bool operator==(const Buffer& a, const Buffer& b) { return std::ranges::equal(a, b); }

 private:
  std::vector<Value> owned_;
  std::span<const Value> borrowed_;  ///< takes the place of owned_ unless its data() is null
};

}  // namespace sfg

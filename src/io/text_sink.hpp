#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "sfg/matrix.hpp"

// What the writers of text formats share.
namespace sfg::detail {

/// Collects text and hands it to a stream in large pieces; flush() sends the rest.
class TextSink {
 public:
  explicit TextSink(std::ostream& out) : out_(out), buffer_(kBufferBytes) {}
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  void add(char c);
  void add(std::string_view text);
  /// The shortest text that reads back the same; NaN, Inf and -Inf as R and Python know them.
  void add_number(double value);
  void add_integer(Offset value);
  void flush();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
  static constexpr std::size_t kNumberBytes = 32;
  void make_room(std::size_t n_bytes);

  std::ostream& out_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

/// Calls body(sample, values of all features) for every sample in order, without a dense copy of
/// the whole matrix.
void for_each_row(const Matrix& matrix,
                  const std::function<void(Index sample, std::span<const double> values)>& body);

}  // namespace sfg::detail

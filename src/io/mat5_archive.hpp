#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/mat5_elements.hpp"

namespace sfg::detail {

/// A MAT file of version 5 (and 7, which is 5 with compressed variables), in either byte order.
/// Making one walks through the whole file and keeps nothing but the heads: every element must be
/// complete, every compressed one must unpack, and every array must have as many items as its
/// dimensions say. So a damaged file is refused whichever of its variables is wanted, and nobody
/// takes memory for what is not there. Throws malformed_input.
class Mat5Archive {
 public:
  struct Variable {
    Mat5Head head;
    std::uint64_t unpacked_bytes = 0;
    std::size_t place = 0;     ///< of its element in the file
    std::string_view element;  ///< as the file has it, without its tag
    Packing packing = Packing::plain;
  };

  /// `bytes` must stay as long as this object.
  Mat5Archive(std::string name, std::string_view bytes);

  [[nodiscard]] const std::vector<Variable>& variables() const noexcept { return variables_; }

  /// Calls `use` with the data of a variable, its head behind them.
  using Use = std::function<void(Mat5Elements& elements)>;
  void open(std::size_t number, const Use& use) const;

 private:
  [[nodiscard]] std::uint32_t number_at(std::size_t place) const;
  /// The variable that starts at a place.
  [[nodiscard]] Variable locate(std::size_t place) const;
  [[noreturn]] void fail(std::size_t number, std::size_t place, const std::string& reason) const;

  std::string name_;
  std::string_view bytes_;
  ByteOrder order_ = ByteOrder::native;
  std::vector<Variable> variables_;
};

}  // namespace sfg::detail

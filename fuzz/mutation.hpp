#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

// Mutators that know a format change what is inside and put it together again, so that checksums,
// sizes and brackets are right and the change gets past them.
namespace sfg::fuzz {

/// libFuzzer's own changes.
inline std::string mutated(std::string text, std::size_t most) {
  const std::size_t size = text.size();
  most = std::max(most, size);
  text.resize(most);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, most));
  return text;
}

inline std::size_t below(std::mt19937& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

/// What LLVMFuzzerCustomMutator does with `change`, a function from the text to the changed one.
/// Where there is no more room, and one time in eight, the bytes change without regard to what
/// they mean.
template <typename Change>
std::size_t mutate(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed,
                   const Change& change) {
  std::mt19937 random(seed);
  constexpr std::size_t kOneIn = 8;
  if (below(random, kOneIn) > 0) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const std::string changed = change(text, random);
    if (!changed.empty() && changed.size() <= most) {
      std::memcpy(bytes, changed.data(), changed.size());
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(bytes, size, most);
}

}  // namespace sfg::fuzz

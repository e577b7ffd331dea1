#pragma once

#include "io/zip.hpp"
#include "mutation.hpp"
#include "sfg/error.hpp"

namespace sfg::fuzz {

/// One array of an archive changes, goes, or takes the bytes or the name of another.
inline std::string changed_npz(std::string_view text, std::mt19937& random) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  constexpr std::size_t kMostOfArray = 4096;
  try {
    auto members = detail::read_zip("npz", text, kMostBytes);
    if (members.empty()) return {};
    const auto drawn = [&] {
      return std::next(members.begin(), static_cast<int>(below(random, members.size())));
    };
    const auto one = drawn();
    const auto other = drawn();
    switch (below(random, 8)) {
      case 0:
        members.erase(one);
        break;
      case 1:
        one->second = other->second;
        break;
      case 2:
        members[mutated(one->first, 32)] = one->second;
        break;
      default:
        one->second = mutated(one->second, kMostOfArray);
    }
    return detail::write_zip({members.begin(), members.end()});
  } catch (const Error&) {
    return {};
  }
}

}  // namespace sfg::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return sfg::fuzz::mutate(bytes, size, most, seed, sfg::fuzz::changed_npz);
}

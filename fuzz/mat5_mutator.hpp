#pragma once

#include <zlib.h>

#include <vector>

#include "io/mat5_elements.hpp"
#include "mutation.hpp"

namespace sfg::fuzz {

constexpr std::size_t kMat5HeaderBytes = 128;

/// Elements as src/io/mat5_elements.hpp describes them; data of up to 4 bytes inside the tag.
struct Mat5Element {
  std::uint32_t type = 0;
  std::string data;
  bool is_small = false;
};

inline std::size_t up_to_tag(std::size_t size) {
  return (size + detail::kMat5TagSize - 1) / detail::kMat5TagSize * detail::kMat5TagSize;
}

/// The elements that stand side by side; what is no element ends them.
inline std::vector<Mat5Element> mat5_elements(std::string_view bytes) {
  std::vector<Mat5Element> elements;
  while (bytes.size() >= detail::kMat5TagSize) {
    std::uint32_t words[2];
    std::memcpy(words, bytes.data(), sizeof words);
    const std::uint32_t small_size = words[0] >> 16U;
    if (small_size > 0) {
      if (small_size > 4) break;
      elements.push_back({words[0] & 0xffffU, std::string(bytes.substr(4, small_size)), true});
      bytes.remove_prefix(detail::kMat5TagSize);
      continue;
    }
    bytes.remove_prefix(detail::kMat5TagSize);
    if (words[1] > bytes.size()) break;
    elements.push_back({words[0], std::string(bytes.substr(0, words[1])), false});
    const bool is_packed = words[0] == static_cast<std::uint32_t>(detail::Mat5Type::compressed);
    bytes.remove_prefix(std::min(bytes.size(), is_packed ? words[1] : up_to_tag(words[1])));
  }
  return elements;
}

inline std::string mat5_bytes(const std::vector<Mat5Element>& elements) {
  std::string bytes;
  for (const Mat5Element& element : elements) {
    const auto size = static_cast<std::uint32_t>(element.data.size());
    const bool is_small = element.is_small && size <= 4;
    const std::uint32_t words[] = {is_small ? element.type | size << 16U : element.type, size};
    const bool is_packed = element.type == static_cast<std::uint32_t>(detail::Mat5Type::compressed);
    bytes.append(reinterpret_cast<const char*>(words), is_small ? 4 : 8);
    bytes += element.data;
    if (!is_packed) bytes.append(up_to_tag(bytes.size()) - bytes.size(), '\0');
  }
  return bytes;
}

inline std::string inflated(const std::string& packed) {
  std::string bytes(std::size_t{1} << 16U, '\0');
  uLongf size = bytes.size();
  const auto* from = reinterpret_cast<const Bytef*>(packed.data());
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, from, packed.size()) != Z_OK) {
    return {};
  }
  return bytes.substr(0, size);
}

inline std::string deflated(const std::string& bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return packed.substr(0, size);
}

/// One element changes, at any depth, and everything around it still fits.
inline std::string changed_elements(std::string_view bytes, std::mt19937& random) {
  std::vector<Mat5Element> elements = mat5_elements(bytes);
  if (elements.empty()) return {};
  constexpr std::size_t kMostOfElement = 1024;
  const std::size_t at = below(random, elements.size());
  Mat5Element& one = elements[at];
  const auto type = static_cast<detail::Mat5Type>(one.type);
  std::string inner;
  if (type == detail::Mat5Type::compressed) {
    inner = changed_elements(inflated(one.data), random);
    if (!inner.empty()) one.data = deflated(inner);
  } else if (type == detail::Mat5Type::matrix) {
    inner = changed_elements(one.data, random);
    if (!inner.empty()) one.data = inner;
  }
  if (inner.empty()) {
    switch (below(random, 6)) {
      case 0:
        one.type = static_cast<std::uint32_t>(below(random, 19));
        break;
      case 1:
        elements.push_back(one);
        break;
      case 2:
        elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 3:
        one.is_small = !one.is_small;
        break;
      default:
        one.data = mutated(one.data, kMostOfElement);
    }
  }
  return mat5_bytes(elements);
}

inline std::string changed_mat5(std::string_view text, std::mt19937& random) {
  if (text.size() <= kMat5HeaderBytes) return {};
  const std::string elements = changed_elements(text.substr(kMat5HeaderBytes), random);
  return elements.empty() ? std::string()
                          : std::string(text.substr(0, kMat5HeaderBytes)) + elements;
}

}  // namespace sfg::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return sfg::fuzz::mutate(bytes, size, most, seed, sfg::fuzz::changed_mat5);
}

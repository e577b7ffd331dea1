#include "embed/nearest_lists.hpp"

#include <algorithm>
#include <cmath>

namespace sfg::detail {

namespace {

/// A list takes so many more before it is sorted out: few, since its limit falls only then.
constexpr std::size_t kUnsorted = 16;

double tie_at(double key, double scale) noexcept {
  return kNeighbourTie * (scale + std::fabs(key));
}

}  // namespace

std::vector<Near> nearest_of(std::span<const Near> all, Index count, double scale) {
  const auto wanted = static_cast<std::size_t>(std::max<Index>(count, 0));
  if (all.size() <= wanted) return {all.begin(), all.end()};
  if (wanted == 0) return {};
  std::vector<double> keys;
  keys.reserve(all.size());
  for (const Near& near : all) keys.push_back(near.key);
  std::ranges::nth_element(keys, keys.begin() + (count - 1));
  const double last = keys[wanted - 1];
  const double tie = tie_at(last, scale);
  auto n_tied = static_cast<std::ptrdiff_t>(wanted);
  for (const Near& near : all) n_tied -= near.key < last - tie ? 1 : 0;
  std::vector<Near> chosen;
  chosen.reserve(wanted);
  for (const Near& near : all) {
    if (near.key < last - tie) {
      chosen.push_back(near);
    } else if (near.key <= last + tie && n_tied > 0) {
      chosen.push_back(near);
      --n_tied;
    }
  }
  return chosen;
}

NearestLists::NearestLists(Index n_samples, Index count, std::vector<double> scales)
    : count_(count), scales_(std::move(scales)), lists_(static_cast<std::size_t>(n_samples)) {
  for (List& list : lists_) list.full = static_cast<std::size_t>(count_) + kUnsorted;
}

double NearestLists::list_bytes(Index count) noexcept {
  return sizeof(List) + sizeof(Near) * (static_cast<double>(count) + kUnsorted);
}

void NearestLists::offer(Index sample, Near other) {
  if (!(other.key <= limit(sample, other.index))) return;
  List& list = lists_[sample];
  if (list.held.empty()) list.held.reserve(list.full);
  list.held.push_back(other);
  if (list.held.size() >= list.full) settle(list, scales_[sample]);
}

void NearestLists::settle(List& list, double scale) const {
  std::vector<Near>& held = list.held;
  std::ranges::sort(held, {}, &Near::index);
  // Those that fewer than `count` others of lower index are as near as.
  std::vector<double> lowest;
  lowest.reserve(static_cast<std::size_t>(count_) + 1);
  std::erase_if(held, [&](const Near& near) {
    const bool all_there = lowest.size() == static_cast<std::size_t>(count_);
    if (all_there && near.key >= lowest.front()) return true;
    lowest.push_back(near.key);
    std::ranges::push_heap(lowest);
    if (all_there) {
      std::ranges::pop_heap(lowest);
      lowest.pop_back();
    }
    return false;
  });
  if (lowest.size() == static_cast<std::size_t>(count_)) {
    const double last = lowest.front();
    list.below = std::nextafter(last, -std::numeric_limits<double>::infinity());
    list.tied = last + tie_at(last, scale);
    std::erase_if(held, [&](const Near& near) { return near.key > list.tied; });
    list.highest = -1;
    for (const Near& near : held) {
      if (near.key <= last) list.highest = std::max(list.highest, near.index);
    }
  }
  list.full = std::max(list.full, held.size() + kUnsorted);
}

std::vector<Near> NearestLists::chosen(Index sample) const {
  std::vector<Near> held = lists_[sample].held;
  std::ranges::sort(held, {}, &Near::index);
  return nearest_of(held, count_, scales_[sample]);
}

}  // namespace sfg::detail

#include "pursuit/checkpoint/block_record.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "io/byte_record.hpp"

namespace sfg::detail {

namespace {

// Layout, in the order and the bytes of memory: pursuit, number of targets, number of atoms, all as
// std::uint32_t; targets; starts without the first (std::uint32_t); residuals; statuses; atoms;
// coefficients.

template <typename Value>
std::vector<Value> take_values(ByteReader& reader, std::size_t n) {
  std::vector<Value> values(n);
  reader.take(std::span<Value>(values));
  return values;
}

constexpr std::size_t kFrontBytes = 3 * sizeof(std::uint32_t);
constexpr std::size_t kTargetBytes =
    sizeof(Index) + sizeof(std::uint32_t) + sizeof(double) + sizeof(PursuitStatus);
constexpr std::size_t kAtomBytes = sizeof(Index) + sizeof(double);

}  // namespace

std::string block_record(const TargetBlock& block, std::uint32_t pursuit) {
  const Representations& all = block.representations;
  std::string record;
  record.reserve(kFrontBytes + kTargetBytes * block.targets.size() + kAtomBytes * all.atoms.size());
  add_value(record, pursuit);
  add_value(record, static_cast<std::uint32_t>(block.targets.size()));
  add_value(record, static_cast<std::uint32_t>(all.atoms.size()));
  add_values(record, std::span<const Index>(block.targets));
  for (std::size_t k = 1; k < all.starts.size(); ++k) {
    add_value(record, static_cast<std::uint32_t>(all.starts[k]));
  }
  add_values(record, std::span<const double>(all.residual));
  add_values(record, std::span<const PursuitStatus>(all.status));
  add_values(record, std::span<const Index>(all.atoms));
  add_values(record, std::span<const double>(all.coefficients));
  return record;
}

std::optional<NumberedBlock> block_from_record(std::string_view record) {
  if (record.size() < kFrontBytes) return std::nullopt;
  ByteReader reader(record);
  const auto front = take_values<std::uint32_t>(reader, 3);
  const std::size_t n_targets = front[1];
  const std::size_t n_atoms = front[2];
  if (record.size() != kFrontBytes + kTargetBytes * n_targets + kAtomBytes * n_atoms) {
    return std::nullopt;
  }
  NumberedBlock numbered;
  numbered.pursuit = front[0];
  numbered.block.targets = take_values<Index>(reader, n_targets);
  Representations& all = numbered.block.representations;
  for (const std::uint32_t start : take_values<std::uint32_t>(reader, n_targets)) {
    all.starts.push_back(static_cast<Offset>(start));
  }
  all.residual = take_values<double>(reader, n_targets);
  all.status = take_values<PursuitStatus>(reader, n_targets);
  all.atoms = take_values<Index>(reader, n_atoms);
  all.coefficients = take_values<double>(reader, n_atoms);
  return numbered;
}

}  // namespace sfg::detail

namespace sfg {

bool fits(const TargetBlock& block, const PursuitKey& key) {
  const Representations& all = block.representations;
  const auto n = block.targets.size();
  if (all.starts.size() != n + 1 || all.residual.size() != n || all.status.size() != n) {
    return false;
  }
  if (all.starts.front() != 0 || all.coefficients.size() != all.atoms.size() ||
      all.starts.back() != static_cast<Offset>(all.atoms.size()) ||
      !std::ranges::is_sorted(all.starts)) {
    return false;
  }
  const auto is_feature = [&](Index k) { return k >= 0 && k < key.n_features; };
  return std::ranges::all_of(block.targets, is_feature) &&
         std::ranges::all_of(all.atoms, is_feature) &&
         std::ranges::all_of(all.coefficients, [](double c) { return std::isfinite(c); }) &&
         std::ranges::all_of(all.residual, [](double r) { return std::isfinite(r); }) &&
         std::ranges::all_of(all.status,
                             [](PursuitStatus s) { return s <= PursuitStatus::no_direction; });
}

}  // namespace sfg

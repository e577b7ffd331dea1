#include "groups/cover_lists.hpp"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/kernels.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Features that are compared with as many others at once.
constexpr std::size_t kListTile = 256;
/// Features whose lists are counted to tell how long all will be.
constexpr std::size_t kCountedLists = 256;
/// Products that are looked at together: most hold nothing of interest.
constexpr std::size_t kGlance = 16;
/// More than any correlation.
constexpr float kNeverListed = 4;

std::size_t tiles_of(std::size_t n_features) noexcept {
  return (n_features + kListTile - 1) / kListTile;
}

/// Lowest |r| in float that may be above b in double, by feature.
std::vector<float> lowest_looks(const FloatFeatures& rounded, const std::vector<double>& b,
                                const std::vector<char>& is_open) {
  std::vector<float> lowest(b.size(), kNeverListed);
  const double error = rounded.product_error();
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (is_open[i] == 0) continue;
    // Rounded down, so that a comparison in float leaves out nothing.
    lowest[i] = std::nextafter(static_cast<float>(std::sqrt(b[i]) - error), -kNeverListed);
  }
  return lowest;
}

/// out[t * n_columns + k] = <row t, column k>
void float_products(const FloatFeatures& rounded, const float* rows, std::size_t n_rows,
                    const float* columns, std::size_t n_columns, float* out) {
  const auto stride = static_cast<int>(rounded.stride());
  cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(n_columns),
              static_cast<int>(n_rows), stride, 1.0F, columns, stride, rows, stride, 0.0F, out,
              static_cast<int>(n_columns));
}

/// Whether one of kGlance products may be in a list of either side.
bool any_reaches(const float* products, const float* lowest, float lowest_of_row) noexcept {
  int any = 0;
  for (std::size_t k = 0; k < kGlance; ++k) {
    any |= static_cast<int>(std::fabs(products[k]) >= std::min(lowest[k], lowest_of_row));
  }
  return any != 0;
}

}  // namespace

/// Entries of both features of each pair, tile by tile.
class CoverLists::Search {
 public:
  Search(const UnitFeatures& features, const FloatFeatures& rounded, const std::vector<double>& b,
         const std::vector<char>& is_open)
      : data_(std::get<DenseMatrix>(features.matrix)),
        rounded_(rounded),
        b_(b),
        is_open_(is_open),
        n_(static_cast<std::size_t>(features.n_samples())),
        lowest_(lowest_looks(rounded, b, is_open)) {}

  /// Of the pairs of a feature of one tile and one of another, or of the same tile.
  [[nodiscard]] std::vector<Entry> entries(std::size_t row_tile, std::size_t column_tile) const {
    const std::size_t first_row = row_tile * kListTile;
    const std::size_t first = column_tile * kListTile;
    const std::size_t n_rows = std::min(kListTile, b_.size() - first_row);
    const std::size_t width = std::min(kListTile, b_.size() - first);
    std::vector<float> products(n_rows * width);
    float_products(rounded_, rounded_.column(first_row), n_rows, rounded_.column(first), width,
                   products.data());
    std::vector<Entry> found;
    for (std::size_t t = 0; t < n_rows; ++t) {
      const std::size_t row = first_row + t;
      if (is_open_[row] == 0) continue;
      const float* of_row = products.data() + t * width;
      const std::size_t count = row_tile == column_tile ? t + 1 : width;
      for (std::size_t start = 0; start < count; start += kGlance) {
        const bool whole = start + kGlance <= count;
        if (whole && !any_reaches(of_row + start, lowest_.data() + first + start, lowest_[row])) {
          continue;
        }
        for (std::size_t k = start; k < std::min(count, start + kGlance); ++k) {
          add(row, first + k, std::fabs(of_row[k]), found);
        }
      }
    }
    return {found.begin(), found.end()};
  }

 private:
  void add(std::size_t row, std::size_t column, float look, std::vector<Entry>& found) const {
    if (look < std::min(lowest_[row], lowest_[column]) || is_open_[column] == 0) return;
    const auto i = static_cast<Index>(row);
    const auto j = static_cast<Index>(column);
    const double r = dot(data_.column(i).data(), data_.column(j).data(), n_);
    const double r2 = r * r;
    if (r2 > b_[column]) found.push_back({i, j, r2});
    if (row != column && r2 > b_[row]) found.push_back({j, i, r2});
  }

  const DenseMatrix& data_;
  const FloatFeatures& rounded_;
  const std::vector<double>& b_;
  const std::vector<char>& is_open_;
  std::size_t n_;
  std::vector<float> lowest_;
};

double CoverLists::tile_bytes(const RunContext& run) {
  return sizeof(float) * static_cast<double>(kListTile * kListTile) * worker_count(run);
}

double CoverLists::expected_entries(const FloatFeatures& rounded, const std::vector<double>& b,
                                    const std::vector<char>& is_open, const RunContext& run) {
  std::vector<std::size_t> open;
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (is_open[j] != 0) open.push_back(j);
  }
  if (open.empty()) return 0;
  const std::vector<float> lowest = lowest_looks(rounded, b, is_open);
  const std::size_t n_counted = std::min(kCountedLists, open.size());
  std::vector<float> counted(n_counted * rounded.stride());
  for (std::size_t k = 0; k < n_counted; ++k) {
    std::copy_n(rounded.column(open[k * open.size() / n_counted]), rounded.stride(),
                counted.data() + k * rounded.stride());
  }
  std::vector<std::size_t> counts(tiles_of(b.size()), 0);
  parallel_for(run, {}, static_cast<std::int64_t>(counts.size()), [&](std::int64_t tile) {
    const std::size_t first = static_cast<std::size_t>(tile) * kListTile;
    const std::size_t width = std::min(kListTile, b.size() - first);
    std::vector<float> products(n_counted * width);
    float_products(rounded, counted.data(), n_counted, rounded.column(first), width,
                   products.data());
    std::size_t count = 0;
    for (std::size_t k = 0; k < products.size(); ++k) {
      count += static_cast<std::size_t>(std::fabs(products[k]) >= lowest[first + k % width]);
    }
    counts[static_cast<std::size_t>(tile)] = count;
  });
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  return static_cast<double>(total) * static_cast<double>(open.size()) /
         static_cast<double>(n_counted);
}

std::optional<CoverLists> CoverLists::make(const UnitFeatures& features,
                                           const FloatFeatures& rounded,
                                           const std::vector<double>& b,
                                           const std::vector<char>& is_open,
                                           std::size_t most_entries, const RunContext& run) {
  const Search search(features, rounded, b, is_open);
  const std::size_t n_tiles = tiles_of(b.size());
  // Place of a pair of tiles: so the order of entries does not depend on who found them.
  std::vector<std::vector<Entry>> entries(n_tiles * (n_tiles + 1) / 2);
  std::atomic<std::size_t> n_entries = 0;
  parallel_for(run, {}, static_cast<std::int64_t>(n_tiles), [&](std::int64_t item) {
    // The longest first.
    const std::size_t row_tile = n_tiles - 1 - static_cast<std::size_t>(item);
    for (std::size_t tile = 0; tile <= row_tile && n_entries <= most_entries; ++tile) {
      check_stop(run);
      auto& found = entries[row_tile * (row_tile + 1) / 2 + tile];
      found = search.entries(row_tile, tile);
      n_entries += found.size();
    }
  });
  if (n_entries > most_entries) return {};
  return CoverLists(std::move(entries), b.size());
}

CoverLists::CoverLists(std::vector<std::vector<Entry>> entries, std::size_t n_features)
    : starts_(n_features + 1, 0) {
  for (const auto& some : entries) {
    for (const Entry& entry : some) ++starts_[static_cast<std::size_t>(entry.list) + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  features_.resize(starts_.back());
  r2_.resize(starts_.back());
  ends_.assign(starts_.begin(), starts_.end() - 1);
  for (auto& some : entries) {
    for (const Entry& entry : some) {
      const std::size_t at = ends_[entry.list]++;
      features_[at] = entry.feature;
      r2_[at] = entry.r2;
    }
    std::vector<Entry>().swap(some);
  }
}

double CoverLists::gain(Index feature, const std::vector<double>& b) {
  double sum = 0;
  std::size_t left = starts_[feature];
  for (std::size_t at = left; at < ends_[feature]; ++at) {
    const double more = r2_[at] - b[features_[at]];
    if (more <= 0) continue;
    sum += more;
    features_[left] = features_[at];
    r2_[left] = r2_[at];
    ++left;
  }
  ends_[feature] = left;
  return sum;
}

void CoverLists::cover(Index feature, std::vector<double>& b) const {
  for (std::size_t at = starts_[feature]; at < ends_[feature]; ++at) {
    double& covered = b[features_[at]];
    covered = std::max(covered, std::min(1.0, r2_[at]));
  }
}

}  // namespace sfg::detail

#include "sfg/neighbours.hpp"

#include <cblas.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "sfg/normalise.hpp"

namespace sfg {

namespace {

/// Features that are normalised at once.
constexpr std::size_t kNeighbourTile = 256;
/// Queries that one worker handles at once.
constexpr std::size_t kQueryBlock = 64;
/// Most entries of the table of products: queries are left out of larger ones.
constexpr std::size_t kMostProducts = std::size_t{1} << 23;

/// Samples as columns: entry (feature, query).
std::vector<double> rows_of(const DenseMatrix& tile, std::span<const Index> queries) {
  const auto width = static_cast<std::size_t>(tile.n_features());
  std::vector<double> rows(width * queries.size());
  for (std::size_t f = 0; f < width; ++f) {
    const auto column = tile.column(static_cast<Index>(f));
    for (std::size_t q = 0; q < queries.size(); ++q) {
      rows[q * width + f] = column[queries[q]];
    }
  }
  return rows;
}

/// products(., q) += factor * x_q * column, for the stored entries of a column.
void add_sparse_column(std::span<const Index> rows, std::span<const double> values,
                       double factor_of_query, double* products) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    products[rows[k]] += factor_of_query * values[k];
  }
}

/// The entry of a sparse column in a row.
double entry(std::span<const Index> rows, std::span<const double> values, Index row) {
  const auto found = std::ranges::lower_bound(rows, row);
  if (found == rows.end() || *found != row) return 0;
  return values[found - rows.begin()];
}

void add_tile(const UnitFeatures& tile, std::span<const Index> queries, double factor,
              double* products) {
  const auto n = static_cast<std::size_t>(tile.n_samples());
  if (const auto* dense = std::get_if<DenseMatrix>(&tile.matrix)) {
    const std::vector<double> rows = rows_of(*dense, queries);
    const auto width = static_cast<int>(dense->n_features());
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(n),
                static_cast<int>(queries.size()), width, factor, dense->data(), static_cast<int>(n),
                rows.data(), width, 1.0, products, static_cast<int>(n));
    return;
  }
  const auto& sparse = std::get<SparseMatrix>(tile.matrix);
  for (Index f = 0; f < sparse.n_features; ++f) {
    const auto rows = sparse.column_rows(f);
    const auto values = sparse.column_values(f);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const double own = entry(rows, values, queries[q]);
      if (own != 0) add_sparse_column(rows, values, factor * own, products + q * n);
    }
  }
}

void add_squares(const UnitFeatures& tile, double factor, std::vector<double>& squares) {
  for (Index f = 0; f < tile.n_features(); ++f) {
    if (const auto* dense = std::get_if<DenseMatrix>(&tile.matrix)) {
      const auto column = dense->column(f);
      for (std::size_t i = 0; i < column.size(); ++i) squares[i] += factor * column[i] * column[i];
    } else {
      const auto& sparse = std::get<SparseMatrix>(tile.matrix);
      const auto rows = sparse.column_rows(f);
      const auto values = sparse.column_values(f);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        squares[rows[k]] += factor * values[k] * values[k];
      }
    }
  }
}

Index neighbours_of(Index n_samples, const NeighbourOptions& options) {
  const Index half = std::max<Index>(1, (n_samples - 1) / 2);
  return std::min(options.n_neighbours, half);
}

}  // namespace

double chance_overlap(Index n_samples, const NeighbourOptions& options) {
  if (n_samples < 2) return 1;
  return static_cast<double>(neighbours_of(n_samples, options)) / (n_samples - 1);
}

SampleNeighbours::SampleNeighbours(const UnitFeatures& centred, const NeighbourOptions& options,
                                   const RunContext& run)
    : SampleNeighbours(centred, regular_features(centred), options, run) {}

SampleNeighbours::SampleNeighbours(const UnitFeatures& centred, std::span<const Index> all,
                                   const NeighbourOptions& options, const RunContext& run)
    : features_(centred), n_samples_(static_cast<std::size_t>(centred.n_samples())) {
  n_neighbours_ = static_cast<std::size_t>(neighbours_of(centred.n_samples(), options));
  std::vector<Index> samples(n_samples_);
  std::iota(samples.begin(), samples.end(), Index{0});
  const std::size_t most =
      std::min(static_cast<std::size_t>(options.most_queries), kMostProducts / n_samples_);
  detail::Random random(run.seed);
  queries_ = detail::random_choice(samples, std::max<std::size_t>(1, most), random);
  std::vector<double> products(n_samples_ * queries_.size(), 0.0);
  std::vector<double> squares(n_samples_, 0.0);
  add_products(all, 1.0, run, products, squares);
  reference_ = nearest(products, squares, run);
}

/// Sparse columns are not centred here: a shift of all samples changes no distance.
void SampleNeighbours::add_products(std::span<const Index> features, double factor,
                                    const RunContext& run, std::vector<double>& products,
                                    std::vector<double>& squares) const {
  const detail::SingleThreadedBlas single_threaded;
  const std::size_t n_blocks = (queries_.size() + kQueryBlock - 1) / kQueryBlock;
  for (std::size_t first = 0; first < features.size(); first += kNeighbourTile) {
    const UnitFeatures tile = select_features(
        features_, features.subspan(first, std::min(kNeighbourTile, features.size() - first)));
    add_squares(tile, factor, squares);
    detail::parallel_for(run, {}, static_cast<std::int64_t>(n_blocks), [&](std::int64_t block) {
      const std::size_t begin = static_cast<std::size_t>(block) * kQueryBlock;
      const std::size_t count = std::min(kQueryBlock, queries_.size() - begin);
      add_tile(tile, std::span(queries_).subspan(begin, count), factor,
               products.data() + begin * n_samples_);
    });
  }
}

std::vector<Index> SampleNeighbours::nearest(const std::vector<double>& products,
                                             const std::vector<double>& squares,
                                             const RunContext& run) const {
  std::vector<Index> result(queries_.size() * n_neighbours_);
  const auto workers = static_cast<std::size_t>(detail::worker_count(run));
  std::vector<std::vector<std::pair<double, Index>>> workspace(workers);
  const std::size_t n_blocks = (queries_.size() + kQueryBlock - 1) / kQueryBlock;
  detail::parallel_for_workers(
      run, {}, static_cast<std::int64_t>(n_blocks), [&](std::int64_t block, int worker) {
        auto& others = workspace[worker];
        const std::size_t begin = static_cast<std::size_t>(block) * kQueryBlock;
        const std::size_t end = std::min(begin + kQueryBlock, queries_.size());
        for (std::size_t q = begin; q < end; ++q) {
          // |x_i - x_q|^2 up to |x_q|^2, which all have in common.
          others.clear();
          for (std::size_t i = 0; i < n_samples_; ++i) {
            if (static_cast<Index>(i) == queries_[q]) continue;
            others.emplace_back(squares[i] - 2 * products[q * n_samples_ + i],
                                static_cast<Index>(i));
          }
          const auto last = others.begin() + static_cast<std::ptrdiff_t>(n_neighbours_);
          std::nth_element(others.begin(), last - 1, others.end());
          const std::size_t place = q * n_neighbours_;
          for (std::size_t k = 0; k < n_neighbours_; ++k) result[place + k] = others[k].second;
          const auto own = result.begin() + static_cast<std::ptrdiff_t>(place);
          std::sort(own, own + static_cast<std::ptrdiff_t>(n_neighbours_));
        }
      });
  return result;
}

double SampleNeighbours::share_in_common(const std::vector<Index>& nearest) const {
  std::size_t common = 0;
  for (std::size_t place = 0; place < nearest.size(); place += n_neighbours_) {
    const auto own = std::span(nearest).subspan(place, n_neighbours_);
    const auto reference = std::span(reference_).subspan(place, n_neighbours_);
    for (const Index sample : own) common += std::ranges::binary_search(reference, sample) ? 1 : 0;
  }
  return static_cast<double>(common) / static_cast<double>(nearest.size());
}

double SampleNeighbours::overlap(std::span<const Index> kept, const RunContext& run) const {
  return Changing(*this, kept, run).overlap();
}

SampleNeighbours::Changing::Changing(const SampleNeighbours& all, std::span<const Index> features,
                                     const RunContext& run)
    : all_(all),
      run_(run),
      features_(features.begin(), features.end()),
      products_(all.n_samples_ * all.queries_.size(), 0.0),
      squares_(all.n_samples_, 0.0) {
  std::ranges::sort(features_);
  change(features_, 1.0);
}

void SampleNeighbours::Changing::turn_to(std::span<const Index> features) {
  std::vector<Index> added;
  std::vector<Index> gone;
  std::ranges::set_difference(features, features_, std::back_inserter(added));
  std::ranges::set_difference(features_, features, std::back_inserter(gone));
  change(added, 1.0);
  change(gone, -1.0);
  features_.assign(features.begin(), features.end());
}

void SampleNeighbours::Changing::change(std::span<const Index> features, double factor) {
  all_.add_products(features, factor, run_, products_, squares_);
}

double SampleNeighbours::Changing::overlap() const {
  return all_.share_in_common(all_.nearest(products_, squares_, run_));
}

}  // namespace sfg

// Cells without a value, and correlations over the samples that have one.
#include "sfg/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/kernels.hpp"
#include "normalise/observed_products.hpp"
#include "sfg/normalise.hpp"

namespace sfg {

namespace {

/// Variation of a unit feature over the common samples below which differences of sums would be
/// mostly rounding: then the sums are made anew.
constexpr double kLittleVariation = 1e-3;
/// Share of the sum of squares over the common samples that is rounding: the feature is constant.
constexpr double kNoCommonVariation = 1e-24;

/// Sums of two features over some samples.
struct PairSums {
  double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  void add(double left, double right) {
    n += 1;
    a += left;
    b += right;
    aa += left * left;
    bb += right * right;
    ab += left * right;
  }
};

/// visit(sample) for every sample of two ascending lists, once.
template <typename Visit>
void visit_united(std::span<const Index> a, std::span<const Index> b, const Visit& visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool takes_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
    const Index sample = takes_a ? a[i] : b[j];
    if (i < a.size() && a[i] == sample) ++i;
    if (j < b.size() && b[j] == sample) ++j;
    visit(sample);
  }
}

/// Means first, then sums about them.
double plain_correlation(const double* a, const double* b, std::span<const Index> gaps_a,
                         std::span<const Index> gaps_b, Index n_samples) {
  std::vector<Index> without;
  std::ranges::set_union(gaps_a, gaps_b, std::back_inserter(without));
  PairSums sums;
  std::size_t next = 0;
  const auto visit_common = [&](const auto& visit) {
    next = 0;
    for (Index i = 0; i < n_samples; ++i) {
      if (next < without.size() && without[next] == i) {
        ++next;
      } else {
        visit(a[i], b[i]);
      }
    }
  };
  visit_common([&](double left, double right) { sums.add(left, right); });
  PairSums about_mean;
  visit_common([&](double left, double right) {
    about_mean.add(left - sums.a / sums.n, right - sums.b / sums.n);
  });
  const bool varies =
      about_mean.aa > kNoCommonVariation * sums.aa && about_mean.bb > kNoCommonVariation * sums.bb;
  return varies ? about_mean.ab / std::sqrt(about_mean.aa * about_mean.bb) : 0.0;
}

/// r over the samples that both have: sums over all samples are known (0, 1 and the product), those
/// over the others are taken off.
double correlation(const double* a, const double* b, std::span<const Index> gaps_a,
                   std::span<const Index> gaps_b, Index n_samples, double product) {
  if (gaps_a.empty() && gaps_b.empty()) return product;
  PairSums gone;
  visit_united(gaps_a, gaps_b, [&](Index sample) { gone.add(a[sample], b[sample]); });
  const double n = static_cast<double>(n_samples) - gone.n;
  if (n < kFewestCommon) return 0;
  const double aa = 1 - gone.aa - gone.a * gone.a / n;
  const double bb = 1 - gone.bb - gone.b * gone.b / n;
  const double ab = product - gone.ab - gone.a * gone.b / n;
  const double r = std::min(aa, bb) < kLittleVariation
                       ? plain_correlation(a, b, gaps_a, gaps_b, n_samples)
                       : ab / std::sqrt(aa * bb);
  return std::clamp(r, -1.0, 1.0);
}

std::span<const double> stored_values_of(const Matrix& matrix, Index feature) {
  const auto* dense = std::get_if<DenseMatrix>(&matrix);
  return dense != nullptr ? dense->column(feature)
                          : std::get<SparseMatrix>(matrix).column_values(feature);
}

}  // namespace

std::shared_ptr<const Gaps> find_gaps(const Matrix& matrix) {
  auto gaps = std::make_shared<Gaps>();
  const auto* sparse = std::get_if<SparseMatrix>(&matrix);
  for (Index feature = 0; feature < n_features(matrix); ++feature) {
    const auto values = stored_values_of(matrix, feature);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isfinite(values[k])) continue;
      gaps->rows.push_back(sparse != nullptr ? sparse->column_rows(feature)[k]
                                             : static_cast<Index>(k));
    }
    gaps->close();
  }
  return gaps->rows.empty() ? nullptr : gaps;
}

std::shared_ptr<const Gaps> select_features(const std::shared_ptr<const Gaps>& gaps,
                                            std::span<const Index> chosen) {
  if (gaps == nullptr) return nullptr;
  auto some = std::make_shared<Gaps>();
  for (const Index feature : chosen) {
    const auto rows = gaps->of(feature);
    some->rows.insert(some->rows.end(), rows.begin(), rows.end());
    some->close();
  }
  return some->rows.empty() ? nullptr : some;
}

double observed_correlation(const UnitFeatures& centred, Index a, Index b) {
  const double product = inner_product(centred, a, b);
  if (centred.gaps == nullptr) return product;
  const auto gaps_a = centred.gaps->of(a);
  const auto gaps_b = centred.gaps->of(b);
  if (gaps_a.empty() && gaps_b.empty()) return product;
  const Index n = centred.n_samples();
  if (const auto* dense = std::get_if<DenseMatrix>(&centred.matrix)) {
    return correlation(dense->column(a).data(), dense->column(b).data(), gaps_a, gaps_b, n,
                       product);
  }
  std::vector<double> columns(2 * static_cast<std::size_t>(n));
  detail::expand(centred, a, columns.data());
  detail::expand(centred, b, columns.data() + n);
  return correlation(columns.data(), columns.data() + n, gaps_a, gaps_b, n, product);
}

namespace detail {

ObservedProducts::Columns ObservedProducts::columns_of(std::span<const Index> chosen,
                                                       std::vector<double>& room) const {
  Columns columns;
  const auto* dense = std::get_if<DenseMatrix>(&features_.matrix);
  const auto n = static_cast<std::size_t>(features_.n_samples());
  if (dense == nullptr) room.resize(n * chosen.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (dense != nullptr) {
      columns.push_back(dense->column(chosen[k]).data());
    } else {
      expand(features_, chosen[k], room.data() + k * n);
      columns.push_back(room.data() + k * n);
    }
  }
  return columns;
}

void ObservedProducts::operator()(std::span<const Index> left, std::span<const Index> right,
                                  double* out) {
  products_(left, right, out);
  if (features_.gaps == nullptr) return;
  const Columns columns_left = columns_of(left, left_room_);
  const Columns columns_right = columns_of(right, right_room_);
  for (std::size_t j = 0; j < right.size(); ++j) {
    const auto gaps = features_.gaps->of(right[j]);
    for (std::size_t i = 0; i < left.size(); ++i) {
      double& r = out[j * left.size() + i];
      r = correlation(columns_left[i], columns_right[j], features_.gaps->of(left[i]), gaps,
                      features_.n_samples(), r);
    }
  }
}

}  // namespace detail

}  // namespace sfg

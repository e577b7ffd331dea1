#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/gaps.hpp"
#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// What to do with cells that are missing (NaN) or infinite.
enum class Missing {
  refuse,        ///< throw, with their number and the first place
  mean,          ///< put the mean of the feature's other values there
  median,        ///< put their median there
  drop_feature,  ///< leave the feature out
  drop_sample,   ///< leave the sample out
  pairwise,      ///< leave them: two features are compared by the samples that both have
};
template <>
inline constexpr auto kChoices<Missing> =
    std::array{Choice{Missing::refuse, "refuse", "they are an error"},
               Choice{Missing::mean, "mean", "put the mean of the feature's other values there"},
               Choice{Missing::median, "median", "put their median there"},
               Choice{Missing::drop_feature, "drop-feature", "leave the feature out"},
               Choice{Missing::drop_sample, "drop-sample", "leave the sample out"},
               Choice{Missing::pairwise, "pairwise",
                      "leave them: features are compared by the samples that both have"}};

struct MissingOptions {
  /// A table with gaps is the rule, so a run goes on and says what it did.
  Missing missing = Missing::mean;
};

template <OptionsOf<MissingOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"missing", "What to do about missing or infinite values"}, options.missing);
}

/// What resolve_missing() did.
struct MissingReport {
  Offset n_cells = 0;                ///< cells that were not finite
  std::vector<std::string> dropped;  ///< features left out
  Index n_dropped_samples = 0;
  std::vector<std::string> filled_features;     ///< features with cells filled in
  std::vector<std::string> features_with_gaps;  ///< pairwise: those that keep them
};

/// Makes every cell finite, or (pairwise) every gap NaN. A feature without any finite value is left
/// out: there is nothing to put there; with pairwise one with fewer than kFewestCommon of them.
/// Throws malformed_input (refuse), degenerate_data (no feature or no sample left).
MissingReport resolve_missing(Dataset& dataset, Missing policy);

/// What missing cells of new data are filled with: one number per feature, from the data that a
/// model was made from.
struct FillValues {
  std::vector<double> mean;
  std::vector<double> median;
};

/// Mean and median of the finite values of these features; 0 where a feature has none.
[[nodiscard]] FillValues fill_values(const Matrix& matrix, std::span<const Index> features);

/// As resolve_missing() with mean or median, from these values, one per feature of the data.
MissingReport fill_missing(Dataset& dataset, std::span<const double> values);

/// Whether the mean of a feature is taken off before it is scaled.
enum class Centering {
  none,  ///< the paper's: inner products are cosines
  mean,  ///< inner products are Pearson correlations
};

struct NormaliseOptions {
  Centering centering = Centering::none;
};

/// What a feature is good for.
enum class FeatureKind : std::uint8_t {
  regular,
  empty,     ///< all zero: no direction, takes no part in the graph
  constant,  ///< one value throughout; only told apart with Centering::mean
  apart,     ///< varies, but takes no part in groups: unshared, or an exact sum of others
};

/// Tables with a lower density are mostly zero.
inline constexpr double kMostlyZero = 0.05;

/// Features of unit length, f_k = (x_k - mean_k) / norm_k (SPEC: |f_k|_2 = 1); zero where the
/// feature is not regular.
struct UnitFeatures {
  /// Dense: f_k itself. Sparse: x_k / norm_k, and f_k = column_k - shift_k in every row.
  Matrix matrix;
  std::vector<double> shift;  ///< one per feature if the matrix is sparse and centred, else none
  std::vector<double> mean;   ///< 0 without centring
  /// norm_k = norm[k] * 2^norm_exponent[k]: it may be outside the range of a double.
  std::vector<double> norm;
  std::vector<int> norm_exponent;
  std::vector<FeatureKind> kind;
  double density = 1;  ///< share of the data's cells that are not zero
  /// Cells of the matrix that were filled in, and are evidence of nothing; null: none.
  std::shared_ptr<const Gaps> gaps = nullptr;

  /// Word counts and the like, whether they are stored so or not: most cells say nothing.
  [[nodiscard]] bool is_mostly_zero() const noexcept { return density < kMostlyZero; }
  [[nodiscard]] Index n_samples() const noexcept { return sfg::n_samples(matrix); }
  [[nodiscard]] Index n_features() const noexcept { return sfg::n_features(matrix); }
};

/// Scales every feature to unit length (the paper's normalisation). O(stored entries), memory of
/// one copy of the data. The answer does not depend on the number of threads.
[[nodiscard]] UnitFeatures normalise(const Matrix& matrix, const NormaliseOptions& options,
                                     const RunContext& run = {});
/// As above, in the memory of the matrix.
[[nodiscard]] UnitFeatures normalise(Matrix&& matrix, const NormaliseOptions& options,
                                     const RunContext& run = {});

/// The features in the order given.
[[nodiscard]] UnitFeatures select_features(const UnitFeatures& features,
                                           std::span<const Index> chosen);

/// The same numbers without a copy; only what is said about each feature is copied, so that it can
/// be changed. Must not outlive the features.
[[nodiscard]] UnitFeatures view_of(const UnitFeatures& features);

/// Features that have a direction and take part in groups, ascending.
[[nodiscard]] std::vector<Index> regular_features(const UnitFeatures& features);

/// log2 of a feature's norm, which may itself be outside the range of a double.
[[nodiscard]] double log_norm(const UnitFeatures& features, Index feature);

/// <f_a, f_b>: cosine, or Pearson correlation if centred.
[[nodiscard]] double inner_product(const UnitFeatures& features, Index a, Index b);

/// Pearson correlation of two centred features over the samples in which both have values; 0 with
/// fewer than kFewestCommon of these, or no variation in them.
[[nodiscard]] double observed_correlation(const UnitFeatures& centred, Index a, Index b);

/// Throws degenerate_data unless there are at least two samples, two features, and two values in
/// some feature: otherwise there is nothing to compare.
void require_comparable(const Dataset& dataset);

}  // namespace sfg

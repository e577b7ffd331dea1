#include "pursuit/omp/duplicates.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sfg::detail {
namespace {

/// A few values on few samples: many features are equal, some with the other sign.
UnitFeatures drawn_features() {
  const auto n_samples = *rc::gen::inRange<Index>(1, 4);
  const auto n_features = *rc::gen::inRange<Index>(1, 30);
  UnitFeatures features;
  DenseMatrix matrix(n_samples, n_features);
  for (Index k = 0; k < n_features; ++k) {
    for (double& value : matrix.column(k)) value = *rc::gen::inRange(-1, 2);
    features.kind.push_back(*rc::gen::arbitrary<bool>() ? FeatureKind::regular
                                                        : FeatureKind::empty);
  }
  features.matrix = std::move(matrix);
  return features;
}

RC_GTEST_PROP(Duplicates, values_decide_whatever_the_hashes_say, ()) {
  const UnitFeatures features = drawn_features();
  const auto& matrix = std::get<DenseMatrix>(features.matrix);
  const auto equal = [&](std::span<const FeaturePair> pairs) {
    std::vector<char> are_equal;
    for (const auto& [first, second] : pairs) {
      are_equal.push_back(equal_up_to_sign(matrix.column(first), matrix.column(second)) ? 1 : 0);
    }
    return are_equal;
  };
  const std::vector<std::uint64_t> all_alike(features.kind.size(), 7);
  const auto expected = find_duplicates(features, {}).twin;
  RC_ASSERT(find_duplicates(all_alike, features.kind, equal).twin == expected);
  RC_ASSERT(find_duplicates(hashes_up_to_sign(features, {}), features.kind, equal).twin ==
            expected);
}

TEST(Duplicates, the_twin_is_the_lowest_equal_feature_with_either_sign) {
  UnitFeatures features;
  features.matrix = DenseMatrix(2, 5, Buffer<double>{1, 2, 3, 4, -1, -2, 1, 2, 3, 4});
  features.kind.assign(5, FeatureKind::regular);
  features.kind[4] = FeatureKind::empty;
  EXPECT_EQ(find_duplicates(features, {}).twin, (std::vector<Index>{2, -1, 0, 0, -1}));
}

}  // namespace
}  // namespace sfg::detail

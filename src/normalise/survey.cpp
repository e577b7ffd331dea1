#include "sfg/survey.hpp"

#include <algorithm>
#include <cmath>

namespace sfg {

namespace {

void look_at(double value, double& low, double& high, Survey& found) {
  if (std::isnan(value)) {
    ++found.missing;
  } else if (std::isinf(value)) {
    ++found.infinite;
  } else {
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

}  // namespace

Survey survey(const Matrix& matrix) {
  Survey found;
  for (Index feature = 0; feature < n_features(matrix); ++feature) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    const Offset bad_before = found.missing + found.infinite;
    if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) {
      for (const double value : dense->column(feature)) look_at(value, low, high, found);
    } else {
      const auto& sparse = std::get<SparseMatrix>(matrix);
      const auto values = sparse.column_values(feature);
      for (const double value : values) look_at(value, low, high, found);
      if (static_cast<Index>(values.size()) < sparse.n_samples) look_at(0, low, high, found);
    }
    const bool all_good = bad_before == found.missing + found.infinite;
    if (all_good && low == high) ++(low == 0 ? found.empty : found.constant);
    found.lowest = std::min(found.lowest, low);
    found.highest = std::max(found.highest, high);
  }
  return found;
}

}  // namespace sfg

#include "pursuit/engine_form.hpp"

#include <utility>

namespace sfg::detail {

namespace {

const UnitFeatures& as_sparse(const UnitFeatures& features, UnitFeatures& converted) {
  const auto* dense = std::get_if<DenseMatrix>(&features.matrix);
  if (dense == nullptr) return features;
  // A centred dense matrix has few zeros; it stays right (shift 0), only slower.
  converted = features;
  converted.matrix = to_sparse(*dense);
  return converted;
}

const UnitFeatures& as_dense(const UnitFeatures& features, UnitFeatures& converted) {
  const auto* sparse = std::get_if<SparseMatrix>(&features.matrix);
  if (sparse == nullptr) return features;
  converted = features;
  DenseMatrix dense = to_dense(*sparse);
  for (std::size_t k = 0; k < features.shift.size(); ++k) {
    for (double& value : dense.column(static_cast<Index>(k))) value -= features.shift[k];
  }
  converted.matrix = std::move(dense);
  converted.shift.clear();
  return converted;
}

}  // namespace

const UnitFeatures& in_engine_form(const UnitFeatures& features, Engine engine,
                                   UnitFeatures& converted) {
  return engine == Engine::sparse ? as_sparse(features, converted) : as_dense(features, converted);
}

}  // namespace sfg::detail

#include "sfg/pipeline.hpp"

namespace sfg {

Model make_model(const Dataset& dataset, const MethodOptions& options, const MethodResult& result,
                 Missing missing, const RunContext& run) {
  const Reduction& reduction = result.reduction;
  return {dataset.feature_names,
          dataset.name_source,
          reduction,
          result.graph.description,
          missing,
          fill_values(dataset.matrix, reduction.kept),
          options.transform,
          find_baseline(dataset, reduction, options.transform, options.reduce.max_terms, run)};
}

}  // namespace sfg

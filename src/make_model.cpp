#include "sfg/pipeline.hpp"

namespace sfg {

Model make_model(const Dataset& dataset, const MethodOptions& options, const MethodResult& result,
                 Missing missing, const RunContext& run) {
  const Reduction& reduction = result.reduction;
  // Rows are judged by combinations as they stand: not by those that hold within batches, nor
  // where the rows that they came from have gaps.
  const bool is_plain = !dataset.batch && find_gaps(dataset.matrix) == nullptr;
  return {dataset.feature_names,
          dataset.name_source,
          reduction,
          result.graph.description,
          missing,
          fill_values(dataset.matrix, reduction.kept),
          options.transform,
          is_plain
              ? find_baseline(dataset, reduction, options.transform, options.reduce.max_terms, run)
              : Baseline{},
          dataset.batch ? dataset.batch->name : ""};
}

}  // namespace sfg

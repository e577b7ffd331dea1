#pragma once

#include <array>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/matrix.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

// Samples that were measured together: a plate, a site, a day. What differs between batches and not
// within them makes features alike that have nothing else in common. So every feature is centred
// within each batch before it is compared with any other.
namespace sfg {

/// What is done to each feature within a batch.
enum class BatchAdjustment {
  centre,  ///< its mean over the batch is taken off
  scale,   ///< and what is left is divided by its standard deviation over the batch
};
template <>
inline constexpr auto kChoices<BatchAdjustment> =
    std::array{Choice{BatchAdjustment::centre, "centre", "its mean over the batch is taken off"},
               Choice{BatchAdjustment::scale, "scale",
                      "and it is divided by its standard deviation over the batch"}};

inline constexpr FieldText kBatchAdjustmentText{
    "batch_adjustment", "With {batch}: what is done to each feature within a batch"};

struct Batches {
  std::string name;
  std::vector<Index> batch_of;  ///< by sample
  std::vector<std::string> names;

  [[nodiscard]] Index count() const noexcept { return static_cast<Index>(names.size()); }
};

/// Which samples belong together, in the order of their names. Throws inconsistent_input (not one
/// value per sample), malformed_input (a sample without one), degenerate_data (a batch of one
/// sample: nothing is left of it).
[[nodiscard]] Batches read_batches(const Labels& labels, Index n_samples);

/// Takes what differs between batches off every feature, over the cells that have values. A feature
/// that is constant within a batch is 0 there. One batch changes nothing. Sparse data become dense,
/// since their zeros do not stay: throws over_memory where that does not fit.
void adjust_within_batches(Matrix& matrix, const Batches& batches, BatchAdjustment how,
                           const RunContext& run = {});

}  // namespace sfg

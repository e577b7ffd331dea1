#pragma once

#include "read/readers.hpp"

// Which columns of a table become features: those that the options name, without those that they
// leave out, and on request the categories of columns that are not numbers.
namespace sfg::detail {

/// `columns` and `drop`, where the reader of the format has not seen to them. Throws
/// inconsistent_input for names that are not there.
void choose_features(const std::string& source, const ReadOptions& options, RawTable& table);

/// `encode`: for every value of a category a feature "column=value" of 0 and 1. A missing value has
/// 0 in all of them. The texts stay. Throws over_memory.
void encode_texts(const std::string& source, const ReadOptions& options, const RunContext& run,
                  RawTable& table);

}  // namespace sfg::detail

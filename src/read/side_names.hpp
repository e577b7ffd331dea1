#pragma once

#include <filesystem>

#include "read/readers.hpp"

namespace sfg::detail {

/// Names for a Matrix Market file from the files beside it, where there are as many as rows or
/// columns. Beside [PREFIX]matrix.mtx: [PREFIX]features.tsv or genes.tsv (rows) and barcodes.tsv
/// (columns), as 10x writes them; beside NAME.mtx: NAME.features.txt and NAME.samples.txt. All of
/// them may be packed (".gz").
void add_side_names(const std::filesystem::path& path, const ReadOptions& options, RawTable& table);

}  // namespace sfg::detail

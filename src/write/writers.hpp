#pragma once

#include <filesystem>
#include <ostream>

#include "sfg/dataset.hpp"

// One writer per format; write.cpp opens the file, checks the stream and chooses.
namespace sfg::detail {

void write_delimited(const Dataset& dataset, char separator, std::ostream& out);
void write_matrix_market(const Dataset& dataset, std::ostream& out);
void write_svmlight(const Dataset& dataset, std::ostream& out);
void write_npy(const Dataset& dataset, std::ostream& out);
/// matio opens files by path.
void write_mat(const Dataset& dataset, const std::filesystem::path& path);

}  // namespace sfg::detail

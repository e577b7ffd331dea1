#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/files.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

struct ReadOptions {
  /// `automatic` goes by the file name's ending (".csv.gz" counts as csv), then by the first bytes.
  Format input_format = Format::automatic;
  /// Whether the first line of a CSV or TSV file names the columns. Not given: the first line is a
  /// header if any of its cells (the sample-id column aside) is not a number.
  std::optional<bool> header = {};
  /// The file has features as rows and samples as columns (gene tables, 10x matrices).
  bool features_in_rows = false;
  /// Name of the label column or variable in the file, or path of a file with one label per line.
  std::string labels = {};
  /// Heading of the column with sample names. Empty: the first column, if its cells are not
  /// numbers.
  std::string sample_ids = {};
  /// MAT: name of the variable that holds the matrix. Empty: X, then fea, then the only matrix.
  std::string variable = {};
  /// Equal feature names are told apart by _2, _3, ... instead of refused.
  bool suffix_duplicates = false;
};

template <OptionsOf<ReadOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"input_format", "Format of the input, if its name does not tell"}, options.input_format);
  visit({"header", "The first line of a CSV or TSV file names the columns"}, options.header);
  visit({"features_in_rows", "Rows are features, columns are samples"}, options.features_in_rows);
  visit({.name = "labels",
         .help = "Label column or variable, or a file with one label per line",
         .form = "NAME|FILE"},
        options.labels);
  visit({"sample_ids", "Heading of the column with sample names"}, options.sample_ids);
  visit({"variable", "MAT: the variable that holds the matrix"}, options.variable);
  visit({"suffix_duplicates", "Tell equal feature names apart by _2, _3, ..."},
        options.suffix_duplicates);
}

/// Reads a table. Missing cells ("", NA, NaN, null, "?") become NaN; infinities stay: see
/// resolve_missing() for what happens to them. `path` "-" is standard input.
/// Throws cannot_read, malformed_input (with line and column), inconsistent_input (duplicate
/// names, labels that do not fit), over_memory (size fields beyond the memory limit of `run`; where
/// there is none, a file up to 64 KiB may take 64 MiB, and 4 KiB more for every further byte).
/// MAT and h5ad files are read in a child process (fork), since the libraries that read them may
/// crash on damaged ones.
[[nodiscard]] Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options,
                                   const RunContext& run = {});

/// The format that a file name's ending stands for, `automatic` if none.
[[nodiscard]] Format format_from_path(const std::filesystem::path& path);

}  // namespace sfg

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/files.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// What becomes of columns that are not numbers.
enum class Encoding { none, onehot };
template <>
inline constexpr auto kChoices<Encoding> =
    std::array{Choice{Encoding::none, "none", "they stay beside the features"},
               Choice{Encoding::onehot, "onehot",
                      "a feature of 0 and 1 for every value of a column with few values"}};

/// How to read a file. What is not given is guessed from the file, and Dataset::notes says what was
/// taken where a file could also mean something else.
struct ReadOptions {
  /// `automatic` goes by the file name's ending (".csv.gz" counts as csv), then by the first bytes.
  /// Packed files (gzip, bzip2, xz, zstd, lz4, zip) are unpacked on the way.
  Format input_format = Format::automatic;
  /// Whether the first line of a CSV or TSV file names the columns. src/read/header_rule.hpp has
  /// the rule by which this is found out.
  std::optional<bool> header = {};
  /// The file has features as rows and samples as columns (gene tables, 10x matrices).
  bool features_in_rows = false;
  /// Name of the label column or variable in the file, or path of a file with one label per line.
  std::string labels = {};
  /// Headings of columns that identify samples: the first holds their names, further ones stay
  /// beside the features. None: the first column, if its cells are texts that all differ.
  std::vector<std::string> sample_ids = {};
  /// Headings of the features to take, all others are left out. "nm*" are all that start so.
  std::vector<std::string> columns = {};
  /// Headings of columns to leave out.
  std::vector<std::string> drop = {};
  Encoding encode = Encoding::none;
  /// CSV: one character, "tab" or "space". Empty: comma, semicolon, tab, bar or blanks, whichever
  /// cuts the first lines into equal numbers of cells.
  std::string sep = {};
  /// CSV: "." or ",". Empty: by the numbers of the first lines.
  std::string decimal = {};
  /// Cells that mean "missing" beside the usual words; numbers are compared by value.
  std::vector<std::string> na_values = {};
  /// CSV: lines that start with this are left out.
  std::string comment = {};
  /// MAT: name of the variable that holds the matrix. Empty: X, then fea, then the only matrix. Zip
  /// and npz archives: name of the file or array in them. Empty: the only one.
  std::string variable = {};
  /// h5ad: name of the layer to read instead of X; "raw" is the matrix that was set aside, with its
  /// own features.
  std::string layer = {};
  /// Equal feature names are told apart by _2, _3, ... instead of refused.
  bool suffix_duplicates = false;

  // What the program knows and no user has to say of every table; not in the list below.
  /// Name of the column or variable that says which samples were measured together, or path of a
  /// file with one such name per line: Dataset::batch.
  std::string batch = {};
  /// Names that are expected, those of a model: a first line that holds them is a header.
  std::vector<std::string> known_names = {};
  /// A table without any column of numbers is read too: with texts, and no feature.
  bool allow_no_features = false;
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
  visit({"sample_ids", "Columns that identify samples: the first holds their names"},
        options.sample_ids);
  visit({"columns", "Take only these columns as features; nm* are all that start so"},
        options.columns);
  visit({"drop", "Leave these columns out"}, options.drop);
  visit({"encode", "What to make of columns that are not numbers"}, options.encode);
  visit({"sep", "CSV: what separates cells, one character, 'tab' or 'space'"}, options.sep);
  visit({"decimal", "CSV: decimal mark, . or ,"}, options.decimal);
  visit({"na_values", "Further cells that mean 'missing', such as -200,9999"}, options.na_values);
  visit({"comment", "CSV: leave out lines that start with this"}, options.comment);
  visit({"variable", "MAT: the variable that holds the matrix; zip, npz: the file or array"},
        options.variable);
  visit({"layer", "h5ad: the layer to read instead of X; raw is the matrix set aside"},
        options.layer);
  visit({"suffix_duplicates", "Tell equal feature names apart by _2, _3, ..."},
        options.suffix_duplicates);
}

/// Reads a table. Missing cells ("", NA, NaN, null, "?", "-", `#DIV/0!`) become NaN; infinities
/// stay: see resolve_missing() for what happens to them. Columns that are not numbers become
/// Dataset::texts; Dataset::notes says what was assumed. `path` "-" is standard input.
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

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/note.hpp"
#include "sfg/options.hpp"

namespace sfg {

/// File formats that sfg reads; all but h5ad can also be written.
enum class Format { automatic, csv, tsv, npy, mat, matrix_market, svmlight, h5ad };
template <>
inline constexpr auto kChoices<Format> =
    std::array{Choice{Format::automatic, "auto", "by its name, then by its first bytes"},
               Choice{Format::csv, "csv"},
               Choice{Format::tsv, "tsv"},
               Choice{Format::npy, "npy"},
               Choice{Format::mat, "mat"},
               Choice{Format::matrix_market, "mtx", "Matrix Market"},
               Choice{Format::svmlight, "svmlight"},
               Choice{Format::h5ad, "h5ad", "AnnData"}};

/// What a class label is called and its value for each sample, as text ("1", "lymphoma").
struct Labels {
  std::string name;
  std::vector<std::string> values;
};

/// How many different values there are; missing ones are no class.
[[nodiscard]] Index n_classes(const Labels& labels);

/// Whether a label says that the class is not known: empty, NA, N/A, nan, null, None, `<NA>`, NaT
/// or
/// "?". Such samples belong to no class.
[[nodiscard]] bool is_missing_label(std::string_view label) noexcept;

/// What a column holds that is not numbers.
enum class TextKind {
  category,  ///< few different values
  name,      ///< every value once
  date,
  time,
  text,  ///< anything else
};
template <>
inline constexpr auto kChoices<TextKind> = std::array{
    Choice{TextKind::category, "category"}, Choice{TextKind::name, "name"},
    Choice{TextKind::date, "date"}, Choice{TextKind::time, "time"}, Choice{TextKind::text, "text"}};

/// A column that is not numbers: no feature, but it stays beside them.
struct TextColumn {
  std::string name;
  TextKind kind = TextKind::text;
  std::vector<std::string> values;  ///< one per sample, as the file has them
};

/// Whether names stood in the file or were made up ("f0", "f1", ...).
enum class NameSource { file, generated };

/// A table with everything that its file said about it.
struct Dataset {
  Matrix matrix;
  std::vector<std::string> feature_names;  ///< one per feature, always, all different
  NameSource name_source = NameSource::generated;
  std::vector<std::string> sample_names;  ///< one per sample, or none
  std::string sample_column;              ///< heading of the sample names, if there was one
  std::optional<Labels> labels;
  std::optional<Labels> batch;    ///< samples that were measured together, if that was asked for
  std::vector<TextColumn> texts;  ///< columns that are not numbers, in the order of the file
  /// By feature: cells that were missing before resolve_missing() filled them in; empty: none.
  std::vector<Offset> n_missing;
  std::vector<Note> notes;            ///< what was assumed when it was read
  Format format = Format::automatic;  ///< format of the file it came from
  std::string source;                 ///< path as given, "-" for standard input
};

/// "f0", "f1", ...: names of features for files that have none.
[[nodiscard]] std::vector<std::string> generated_names(Index n_features);

/// The data set with only these features, in this order; samples and labels stay.
[[nodiscard]] Dataset select_features(const Dataset& dataset, std::span<const Index> features);

/// The data set with only these samples, ascending, some of them several times; features stay.
[[nodiscard]] Dataset select_samples(const Dataset& dataset, std::span<const Index> samples);

}  // namespace sfg

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
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

/// How many different values there are.
[[nodiscard]] Index n_classes(const Labels& labels);

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
  Format format = Format::automatic;  ///< format of the file it came from
  std::string source;                 ///< path as given, "-" for standard input
};

/// "f0", "f1", ...: names of features for files that have none.
[[nodiscard]] std::vector<std::string> generated_names(Index n_features);

/// The data set with only these features, in this order; samples and labels stay.
[[nodiscard]] Dataset select_features(const Dataset& dataset, std::span<const Index> features);

}  // namespace sfg

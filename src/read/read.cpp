// From a path to a Dataset: the format is found, its reader called, and the table turned so that
// features are columns with names.
#include "sfg/read.hpp"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "core/text.hpp"
#include "io/file_memory.hpp"
#include "io/text_source.hpp"
#include "read/child.hpp"
#include "read/feature_choice.hpp"
#include "read/formats.hpp"
#include "read/names.hpp"
#include "read/other_kinds.hpp"
#include "read/path_of_bytes.hpp"
#include "read/readers.hpp"
#include "read/side_names.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

using detail::in_quotes;
using detail::InputBytes;
using detail::RawTable;

using PathReader = RawTable (*)(const std::filesystem::path&, const ReadOptions&,
                                const RunContext&);

/// Calls a reader that hands the file to a library of others, in a process of its own. Its messages
/// name the input, not a temporary file.
RawTable read_apart(const InputBytes& input, const std::filesystem::path& path, PathReader reader,
                    const ReadOptions& options, const RunContext& run) {
  // The temporary file is this process's affair: the other one may not come to its end.
  const detail::PathOfBytes file(input, path);
  try {
    return detail::read_in_child(input.name(), run, [&](const RunContext& child_run) {
      return reader(file.path(), options, child_run);
    });
  } catch (const Error& error) {
    if (file.path() == path) throw;
    const auto renamed = [&](std::string text) {
      const auto place = text.find(file.path().string());
      if (place != std::string::npos) {
        text.replace(place, file.path().string().size(), input.name());
      }
      return text;
    };
    throw Error(error.code(), renamed(error.fault()), renamed(error.where()), error.hint());
  }
}

RawTable read_table(const InputBytes& input, const std::filesystem::path& path, Format format,
                    const ReadOptions& options, const RunContext& run) {
  switch (format) {
    case Format::npy:
      return detail::read_npy(input, run);
    case Format::mat:
      if (!detail::is_mat73(input.bytes())) return detail::read_mat(input, options, run);
      return read_apart(input, path, detail::read_mat73, options, run);
    case Format::h5ad:
      return read_apart(input, path, detail::read_h5ad, options, run);
    case Format::svmlight:
      return detail::read_svmlight(input, run);
    case Format::matrix_market: {
      auto table = detail::read_matrix_market(input, run);
      if (path != "-") detail::add_side_names(path, options, table);
      return table;
    }
    case Format::csv:
    case Format::tsv:
    case Format::automatic:
      break;
  }
  return detail::read_delimited(input, format, options, run);
}

/// Swaps rows and columns of a table that has its features in rows.
void turn(const std::string& name, const RunContext& run, RawTable& table) {
  const auto rows = static_cast<double>(n_samples(table.matrix));
  const auto columns = static_cast<double>(n_features(table.matrix));
  // Both copies count against a limit; against free memory only the one still to be made.
  const double n_copies = run.memory_limit > 0 ? 2 : 1;
  const bool is_dense = std::holds_alternative<DenseMatrix>(table.matrix);
  const double entry_bytes = sizeof(double) + (is_dense ? 0 : sizeof(Index));
  detail::check_size(name, rows, columns, n_copies * static_cast<double>(n_stored(table.matrix)),
                     entry_bytes, run);
  table.matrix = transpose(table.matrix);
  std::swap(table.row_names, table.column_names);
  table.row_heading.clear();
}

std::optional<Labels> find_labels(const InputBytes& input, const std::filesystem::path& path,
                                  const ReadOptions& options, std::optional<Labels> in_file,
                                  const RunContext& run) {
  if (options.labels.empty() || (in_file && in_file->name == detail::trimmed(options.labels))) {
    return in_file;
  }
  const std::filesystem::path label_path = options.labels;
  std::error_code ignored;
  const auto status = std::filesystem::status(label_path, ignored);
  if (label_path != "-" && (!exists(status) || is_directory(status))) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("labels {}: the input has no column, row or variable of that name, and "
                            "there is no file of that path",
                            in_quotes(options.labels)),
                input.name(), {"labels", "check {labels}"});
  }
  if (label_path == "-" && path == "-") {
    throw Error(ErrorCode::invalid_option,
                "table and labels cannot both come from standard input; put one into a file");
  }
  return Labels{label_path.stem().string(), read_labels(label_path, run)};
}

/// The batches that were asked for: a column or variable of the table, or a file.
std::optional<Labels> find_batch(const InputBytes& input, const std::filesystem::path& path,
                                 const ReadOptions& options, RawTable& table,
                                 const std::optional<Labels>& labels, const RunContext& run) {
  if (options.batch.empty()) return std::nullopt;
  if (table.batch) return std::move(table.batch);
  const std::string name(detail::trimmed(options.batch));
  if (labels && labels->name == name) return labels;
  const auto text = std::ranges::find(table.texts, name, &TextColumn::name);
  if (text != table.texts.end()) {
    Labels batch{text->name, std::move(text->values)};
    table.texts.erase(text);
    return batch;
  }
  ReadOptions as_labels;
  as_labels.labels = options.batch;
  try {
    return find_labels(input, path, as_labels, std::nullopt, run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::inconsistent_input) throw;
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("batches {}: the input has no column or variable of that name, and "
                            "there is no file of that path",
                            in_quotes(options.batch)),
                input.name(), {"batch", "check {batch}"});
  }
}

void check_label_count(const InputBytes& input, const ReadOptions& options,
                       const Dataset& dataset) {
  const auto n_wanted = static_cast<std::size_t>(n_samples(dataset.matrix));
  if (!dataset.labels || dataset.labels->values.size() == n_wanted) return;
  throw Error(ErrorCode::inconsistent_input,
              fmt::format("{} has {} labels, but {} has {} samples; give one label per sample",
                          options.labels.empty() ? in_quotes(dataset.labels->name) : options.labels,
                          dataset.labels->values.size(), input.name(), n_wanted));
}

void check_shape(const InputBytes& input, const ReadOptions& options, const RawTable& table) {
  const Index n_rows = n_samples(table.matrix);
  const Index n_columns = n_features(table.matrix);
  const bool has_features = n_columns > 0 || (options.allow_no_features && !table.texts.empty());
  if (n_rows == 0 || !has_features) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the table is empty ({} x {}); it needs a sample and a feature at "
                            "least",
                            input.name(), n_rows, n_columns));
  }
  const auto fits = [](const std::vector<std::string>& names, Index count) {
    return names.empty() || names.size() == static_cast<std::size_t>(count);
  };
  if (!fits(table.row_names, n_rows) || !fits(table.column_names, n_columns)) {
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("{}: {} row names and {} column names do not fit a {} x {} table", input.name(),
                    table.row_names.size(), table.column_names.size(), n_rows, n_columns));
  }
}

Dataset to_dataset(const InputBytes& input, const std::filesystem::path& path,
                   const ReadOptions& options, const RunContext& run, RawTable table) {
  check_shape(input, options, table);
  if (options.features_in_rows) turn(input.name(), run, table);
  detail::choose_features(input.name(), options, table);
  auto batch = find_batch(input, path, options, table, table.labels, run);
  if (batch) drop_blank_end(batch->values, static_cast<std::size_t>(n_samples(table.matrix)));
  detail::encode_texts(input.name(), options, run, table);
  Dataset dataset;
  const Index n_columns = n_features(table.matrix);
  detail::check_size(input.name(), n_samples(table.matrix), n_columns, n_columns,
                     sizeof(std::string), run);
  dataset.name_source = table.column_names.empty() ? NameSource::generated : NameSource::file;
  dataset.feature_names =
      table.column_names.empty()
          ? generated_names(n_columns)
          : detail::settle_feature_names(input.name(), std::move(table.column_names), options);
  dataset.matrix = std::move(table.matrix);
  dataset.sample_names = std::move(table.row_names);
  for (auto& name : dataset.sample_names) name = std::string(detail::trimmed(name));
  dataset.sample_column = std::move(table.row_heading);
  dataset.texts = std::move(table.texts);
  dataset.notes = std::move(table.notes);
  dataset.batch = std::move(batch);
  dataset.labels = find_labels(input, path, options, std::move(table.labels), run);
  if (dataset.labels) {
    drop_blank_end(dataset.labels->values, static_cast<std::size_t>(n_samples(dataset.matrix)));
  }
  check_label_count(input, options, dataset);
  return dataset;
}

bool is_text(Format format) {
  return format == Format::csv || format == Format::tsv || format == Format::svmlight;
}

/// `called` tells the format by its ending: the path, or the name of a file in an archive.
Dataset read_input(const InputBytes& input, const std::filesystem::path& path,
                   const std::filesystem::path& called, const ReadOptions& options,
                   const RunContext& run) {
  auto format = options.input_format;
  if (format == Format::automatic) format = format_from_path(called);
  if (format == Format::automatic) format = detail::format_from_bytes(input.bytes());
  if (is_text(format)) detail::refuse_other_kinds(input);
  if (format == Format::svmlight && options.features_in_rows) {
    throw Error(ErrorCode::invalid_option, "svmlight files have samples in rows", input.name(),
                {"features_in_rows", "leave out {features_in_rows=true}"});
  }
  if (format != Format::h5ad && !options.layer.empty()) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("only h5ad files have layers, this is {}", choice_name(format)),
                input.name(), {"layer", "leave out {layer}"});
  }
  const auto read = [&](const RunContext& limited) {
    return to_dataset(input, path, options, limited,
                      read_table(input, path, format, options, limited));
  };
  auto dataset = detail::use_unchanged(
      input, [&] { return detail::use_with_file_limit(run, input.given_size(), read); });
  dataset.format = format;
  dataset.source = path.string();
  return dataset;
}

}  // namespace

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options,
                     const RunContext& run) {
  try {
    const InputBytes input(path, run);
    if (!detail::is_zip(input.bytes())) return read_input(input, path, path, options, run);
    return detail::use_unchanged(input, [&] {
      const auto member = detail::table_in_zip(input, options, run);
      return read_input(*member, path, member->name(), options, run);
    });
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::over_memory, "the table does not fit into memory", path.string(),
                {"", "use a larger machine or a sparse file"});
  }
}

}  // namespace sfg

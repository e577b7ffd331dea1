#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/equations.hpp"
#include "sfg/model.hpp"
#include "sfg/output_files.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/select.hpp"
#include "sfg/stability.hpp"

namespace sfg {

/// Writes a table to `path` as it is (no temporary name: see OutputFiles), "-" for standard output
/// where the format is text. Numbers keep every digit (shortest text that reads back the same).
/// CSV/TSV: sample names and labels as columns. MAT: X, Y, feature_names. NPY: the matrix alone.
/// Matrix Market: the matrix alone, coordinate if sparse, array if dense. svmlight: labels (0 where
/// there are none). Throws cannot_write, or inconsistent_input where a format cannot hold the data
/// (text labels in svmlight). Packed as the ending of `path` says.
void write_dataset(const Dataset& dataset, const std::filesystem::path& path, Format format);

/// How the bytes of an output are packed.
enum class Compression { none, gzip };

/// As above, packed as told, whatever the path: a temporary name says nothing. MAT files are packed
/// inside and not again.
void write_dataset(const Dataset& dataset, const std::filesystem::path& path, Format format,
                   Compression compression);

/// ".gz" is gzip. Throws invalid_option for endings of other packed files.
[[nodiscard]] Compression compression_from_path(const std::filesystem::path& path);

/// The usual ending of a format's files, with the dot.
[[nodiscard]] std::string format_extension(Format format);

/// The data set's own format if it can be written, else Matrix Market (sparse) or CSV (dense).
[[nodiscard]] Format writable_format(const Dataset& dataset);

// --- tables of results: one line each, tabs between columns, a heading, names escaped ------------

/// Names of the kept features, one per line, without a heading.
[[nodiscard]] std::string kept_to_text(const Model& model);
/// feature, representative, r2, held_out_r2, combination, combination_r2_in_sample, reason,
/// certificate, best_kept, best_kept_r2 of every removed feature.
[[nodiscard]] std::string removed_to_tsv(const Model& model);
/// group, feature, role, representative, r2 of every feature.
[[nodiscard]] std::string groups_to_tsv(const Model& model);
/// feature, stands_for, weight of every kept feature.
[[nodiscard]] std::string weights_to_tsv(const Model& model);
/// feature, equation, n_terms, residual of every equation.
[[nodiscard]] std::string equations_to_tsv(const std::vector<Equation>& equations,
                                           const std::vector<std::string>& feature_names,
                                           Transform transform = Transform::none);
/// theta, threshold, n_kept, largest_group, mean_r2 of every level.
[[nodiscard]] std::string sweep_to_tsv(const std::vector<SweepLevel>& levels);
/// The levels of sweep_levels(), from fine to coarse.
[[nodiscard]] std::string levels_to_tsv(const MethodResult& result);
/// n_selected, rank, feature, score of every selected feature.
[[nodiscard]] std::string selections_to_tsv(const SelectResult& result,
                                            const std::vector<std::string>& feature_names);
/// feature, kept, stable, kept_share, family_share, family_chance, representative, group_size,
/// group_stability, pairs_together of every feature that is kept of all samples or in a repeat.
[[nodiscard]] std::string stability_to_tsv(const StabilityResult& result,
                                           const std::vector<std::string>& feature_names);
/// What FCBF or FAST left out, and for which feature: `feature`, `removed_by` (empty: it is not
/// relevant), `uncertainty_between`, `relevance`.
[[nodiscard]] std::string superseded_to_tsv(const SelectResult& result,
                                            const std::vector<std::string>& feature_names);
/// Cluster numbers, one per line, without a heading.
[[nodiscard]] std::string clusters_to_text(const std::vector<Index>& labels);

}  // namespace sfg

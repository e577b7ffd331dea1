#pragma once

#include <string>
#include <vector>

#include "console.hpp"
#include "options.hpp"
#include "sfg/sfg.hpp"

namespace sfg::cli {

/// What an experiment gave.
struct ExperimentOutcome {
  std::vector<ExperimentResult> results;
  std::vector<PublishedComparison> comparisons;
  double seconds_to_read = 0;
};

/// The tables of one data set for people.
[[nodiscard]] std::string experiment_summary(const ExperimentResult& result);

/// Ours, published and the difference for every cell, then the mean differences.
[[nodiscard]] std::string comparison_summary(const PublishedComparison& comparison);

/// Remarks on what a reader of the tables should know.
void note_oddities(const ExperimentResult& result, Console& console);

/// Whether figures are also written as PNG.
enum class PngFigures { write, leave_out };

/// The files of an experiment: PREFIX.json, .csv, .md, .tex, .spectral.svg, .angles.svg, the last
/// two also as .png, and .log.
class ExperimentFiles {
 public:
  /// Throws at once what could only be thrown after hours (see OutputFiles::stage).
  ExperimentFiles(const OutputOptions& output, PngFigures png);

  /// All of them, or none.
  void write(const ExperimentOutcome& outcome, const nlohmann::ordered_json& document,
             const std::string& log) const;

  [[nodiscard]] std::string journal() const { return output_.path + ".journal"; }

 private:
  [[nodiscard]] std::string place(const char* ending) const { return output_.path + ending; }

  OutputOptions output_;
  PngFigures png_;
};

}  // namespace sfg::cli

// A table typed in a test: written to a file, read as sfg reads it, and what it says of itself.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "helpers.hpp"
#include "sfg/read.hpp"

namespace sfg::testing {

inline Dataset read_text(std::string_view text, const ReadOptions& options = {},
                         std::string_view name = "x.csv", const RunContext& run = {}) {
  const TemporaryFolder folder;
  return read_dataset(folder.write(name, text), options, run);
}

inline double value_at(const Dataset& dataset, Index sample, Index feature) {
  return std::get<DenseMatrix>(dataset.matrix)(sample, feature);
}

// Each of `words` stands somewhere in the notes of the table.
inline void expect_note(const Dataset& dataset, std::initializer_list<std::string_view> words) {
  std::string all;
  for (const Note& note : dataset.notes) all += note.text + "; " + note.hint.advice + "\n";
  for (const auto word : words) EXPECT_NE(all.find(word), std::string::npos) << all << word;
}

}  // namespace sfg::testing

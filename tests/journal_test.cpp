#include "sfg/experiment_journal.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "helpers.hpp"
#include "sfg/fingerprint.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_error;
using sfg::testing::read_file;
using sfg::testing::TemporaryFolder;

Dataset small(double value) {
  Dataset dataset;
  DenseMatrix matrix(2, 2);
  matrix(0, 0) = value;
  dataset.matrix = matrix;
  dataset.labels = Labels{"class", {"a", "b"}};
  return dataset;
}

const CellKey kKey{58, 0xfedcba9876543210U, 10};
const ExperimentCell kCell{ExperimentScores{0.1, 0.2, 1.0 / 3, 0}, EigenStatus::converged, 4};
const CellKey kOtherKey{58, 0xfedcba9876543210U, 20};
const ExperimentCell kNoScores{std::nullopt, EigenStatus::not_converged, 0};

class JournalFile : public ::testing::Test {
 protected:
  TemporaryFolder folder_{sfg::testing::fast_place()};
  std::filesystem::path path_ = folder_ / "x.journal";

  void write_two_cells() const {
    ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
    const auto memory = journal.cells_of("a \xff name", small(1));
    memory.keep(kKey, kCell);
    memory.keep(kOtherKey, kNoScores);
  }
};

TEST_F(JournalFile, gives_back_the_same_bits) {
  write_two_cells();
  ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
  EXPECT_EQ(journal.n_recalled(), 2U);
  EXPECT_EQ(journal.n_dropped(), 0U);
  const auto memory = journal.cells_of("a \xff name", small(1));
  const auto cell = memory.find(kKey);
  ASSERT_TRUE(cell && cell->scores);
  EXPECT_EQ(cell->scores->nmi, 0.1);
  EXPECT_EQ(cell->scores->acc, 1.0 / 3);
  EXPECT_EQ(cell->n_empty, 4);
  const auto other = memory.find(kOtherKey);
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->scores);
  EXPECT_EQ(other->status, EigenStatus::not_converged);
  EXPECT_FALSE(memory.find({57, kKey.kept, 10}));
}

TEST_F(JournalFile, cut_off_anywhere_keeps_the_whole_lines) {
  write_two_cells();
  const std::string text = read_file(path_);
  for (std::size_t length = 0; length < text.size(); ++length) {
    folder_.write("x.journal", text.substr(0, length));
    {
      ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
      EXPECT_LE(journal.n_recalled(), 1U);
      const auto memory = journal.cells_of("a \xff name", small(1));
      memory.keep(kKey, kCell);
      memory.keep(kOtherKey, kNoScores);
    }
    ExperimentJournal again(path_, "options", ForeignJournal::refuse);
    EXPECT_EQ(again.n_dropped(), 0U);
    EXPECT_TRUE(again.cells_of("a \xff name", small(1)).find(kOtherKey));
  }
}

TEST_F(JournalFile, a_changed_byte_drops_what_follows) {
  write_two_cells();
  std::string text = read_file(path_);
  const std::size_t last_line = text.rfind('\n', text.size() - 2) + 1;
  text[last_line + 30] ^= 1;
  folder_.write("x.journal", text);
  ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
  EXPECT_EQ(journal.n_recalled(), 1U);
  EXPECT_EQ(journal.n_dropped(), text.size() - last_line);
  EXPECT_EQ(read_file(path_), text.substr(0, last_line));
}

TEST_F(JournalFile, of_other_options_is_refused_or_begun_anew) {
  write_two_cells();
  expect_error(ErrorCode::inconsistent_input, {"x.journal", "overwrite"},
               [&] { const ExperimentJournal journal(path_, "others", ForeignJournal::refuse); });
  const ExperimentJournal journal(path_, "others", ForeignJournal::replace);
  EXPECT_EQ(journal.n_recalled(), 0U);
}

TEST_F(JournalFile, of_other_data_is_refused_or_these_are_computed_anew) {
  write_two_cells();
  {
    ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
    expect_error(ErrorCode::inconsistent_input, {"x.journal", "other data"},
                 [&] { static_cast<void>(journal.cells_of("a \xff name", small(2))); });
  }
  {
    ExperimentJournal journal(path_, "options", ForeignJournal::replace);
    EXPECT_FALSE(journal.cells_of("a \xff name", small(2)).find(kKey));
  }
  // The cells of the former data stay away the next time, too.
  ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
  EXPECT_FALSE(journal.cells_of("a \xff name", small(2)).find(kKey));
}

TEST_F(JournalFile, a_file_that_is_none_is_not_touched) {
  for (const std::string text : {"my notes", "my notes\nof yesterday\n"}) {
    folder_.write("x.journal", text);
    expect_error(ErrorCode::inconsistent_input, {"x.journal"}, [&] {
      const ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
    });
    EXPECT_EQ(read_file(path_), text);
  }
}

TEST_F(JournalFile, two_runs_do_not_write_to_one) {
  const ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
  expect_error(ErrorCode::cannot_write, {"x.journal", "another run"},
               [&] { const ExperimentJournal other(path_, "options", ForeignJournal::refuse); });
}

TEST_F(JournalFile, is_gone_when_all_is_done) {
  ExperimentJournal journal(path_, "options", ForeignJournal::refuse);
  journal.finish();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(DataFingerprint, looks_at_values_and_labels) {
  EXPECT_EQ(fingerprint_of(small(1)), fingerprint_of(small(1)));
  EXPECT_NE(fingerprint_of(small(1)), fingerprint_of(small(2)));
  Dataset other = small(1);
  other.labels->values = {"b", "a"};
  EXPECT_NE(fingerprint_of(small(1)), fingerprint_of(other));
}

}  // namespace
}  // namespace sfg::detail

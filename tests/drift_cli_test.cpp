// Relations that new data break, as the command line tells them.
#include <gtest/gtest.h>

#include "drift_tables.hpp"
#include "program.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::station;
using testing::TemporaryFolder;
using testing::with_changed;

class DriftCommand : public ::testing::Test {
 protected:
  DriftCommand() {
    write_dataset(station(200, 1), folder_ / "old.csv", Format::csv);
    write_dataset(station(100, 2), folder_ / "new.csv", Format::csv);
    const auto hotter = [](double x) { return x + 3; };
    write_dataset(with_changed(station(100, 2), "temp_in", hotter, 60), folder_ / "broken.csv",
                  Format::csv);
    folder_.write("keep.txt", "temp_in\npressure\nwind\n");
    EXPECT_EQ(
        program_({"reduce", "old.csv", "--n-features", "3", "--keep", "keep.txt", "-o", "out"})
            .status,
        0);
  }

  [[nodiscard]] ProgramRun apply(const std::string& data, std::vector<std::string> more) const {
    more.insert(more.begin(), {"apply", "out.model.json", data, "-o", "kept.csv", "--force"});
    return program_(more);
  }

  TemporaryFolder folder_;
  Program program_{folder_};
};

TEST_F(DriftCommand, names_the_relation_the_rows_and_the_sensor) {
  const ProgramRun run = apply("broken.csv", {});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("holds no longer in 40 of 100 rows (61, 62, 63, 64, 65, ...)"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("temp_in is in all"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("relations could be checked in 100 rows: "), std::string::npos);
  const auto drift = apply("broken.csv", {"--json"}).json().at("drift");
  EXPECT_EQ(drift.at("suspects")[0].at("features")[0], "temp_in");
  EXPECT_EQ(drift.at("broken").size(), drift.at("suspects")[0].at("n_broken"));
  EXPECT_EQ(drift.at("n_checked"), drift.at("n_relations"));
  EXPECT_TRUE(drift.at("unchecked").is_null());
}

TEST_F(DriftCommand, is_silent_about_clean_rows) {
  const ProgramRun run = apply("new.csv", {"--strict"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("they hold"), std::string::npos) << run.out;
}

TEST_F(DriftCommand, broken_relations_are_exit_code_9_with_strict_and_the_output_is_there) {
  const ProgramRun run = apply("broken.csv", {"--strict", "--json"});
  EXPECT_EQ(run.status, 9);
  EXPECT_FALSE(run.json().at("drift").at("broken").empty());
  EXPECT_NE(run.err.find("hold no longer; kept.csv was written"), std::string::npos) << run.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "kept.csv"));
  EXPECT_NE(program_({"--help"}).out.find("9 relations"), std::string::npos);
}

TEST_F(DriftCommand, can_be_left_out) {
  const ProgramRun run = apply("broken.csv", {"--drift", "ignore", "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(run.json().at("drift").is_null());
  EXPECT_EQ(apply("broken.csv", {"--drift", "ignore", "--strict"}).status, 2);
  EXPECT_EQ(apply("broken.csv", {"--drift", "perhaps"}).status, 2);
}

TEST_F(DriftCommand, kept_columns_alone_are_applied_and_nothing_can_be_checked) {
  EXPECT_EQ(apply("new.csv", {}).status, 0);
  std::filesystem::rename(folder_ / "kept.csv", folder_ / "alone.csv");
  const ProgramRun run = apply("alone.csv", {"--strict"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("No relation was checked: the features that were removed"),
            std::string::npos)
      << run.out;
}

TEST_F(DriftCommand, a_model_of_version_1_is_applied_and_says_that_it_knows_nothing) {
  const auto old = std::filesystem::path(SFG_SOURCE_FOLDER) / "tests/data/version_1.model.json";
  const ProgramRun run = program_({"apply", old.string(), "new.csv", "-o", "kept.csv"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("made by an earlier version"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace sfg

// Tables as people have them, on the command line: notes, gaps, labels, the check of a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "program.hpp"
#include "sampling.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

constexpr const char* kGaps = "a,b,c,city\n1,2,5,x\n2,,1,y\n3,6,7,x\n-1,-2,2,y\n4,inf,1,y\n";

class Tables : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  Program sfg_{folder_};
};

void expect_said(const ProgramRun& run, std::initializer_list<std::string_view> words) {
  for (const auto word : words) {
    EXPECT_NE(run.err.find(word), std::string::npos) << run.err << "lacks: " << word;
  }
}

TEST_F(Tables, gaps_are_filled_with_the_mean_and_said_unless_refused) {
  folder_.write("t.csv", kGaps);
  const ProgramRun run = sfg_({"reduce", "t.csv", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("n_features"), 3);
  expect_said(run, {"2 missing values in 1 features were replaced by the feature's mean",
                    "1 of 4 columns is not numbers", "city", "sfg check"});
  const ProgramRun refused = sfg_({"reduce", "t.csv", "--missing", "refuse"});
  EXPECT_EQ(refused.status, 4);
  expect_said(refused, {"2 missing", "sample 2", "'b'", "--missing"});
}

TEST_F(Tables, columns_that_are_not_numbers_are_in_the_reduced_table) {
  folder_.write("t.csv", kGaps);
  ASSERT_EQ(sfg_({"reduce", "t.csv", "-o", "out", "-q"}).status, 0);
  const std::string table = read_file(folder_ / "out.reduced.csv");
  EXPECT_NE(table.substr(0, table.find('\n')).find("city"), std::string::npos) << table;
  EXPECT_NE(table.find(",x\n"), std::string::npos) << table;
}

TEST_F(Tables, standard_input_is_read_as_the_file_is) {
  folder_.write("t.csv", kGaps);
  const auto file = sfg_({"info", "t.csv", "--json"}).json();
  const auto stream = sfg_({"info", "-", "--json"}, kGaps).json();
  for (const char* key : {"n_samples", "n_features", "missing", "text_columns"}) {
    EXPECT_EQ(file.at(key), stream.at(key)) << key;
  }
}

TEST_F(Tables, numeric_names_survive_reduce_info_and_apply) {
  folder_.write("t.csv", "\"1007\",\"1053\",\"117\"\n1,2,5\n2,4,1\n3,6,7\n-1,-2,2\n");
  ASSERT_EQ(sfg_({"reduce", "t.csv", "--n-features", "2", "-o", "out", "-q"}).status, 0);
  const auto info = sfg_({"info", "out.reduced.csv", "--json"}).json();
  EXPECT_EQ(info.at("n_samples"), 4);
  EXPECT_EQ(info.at("n_features"), 2);
  const ProgramRun applied =
      sfg_({"apply", "out.model.json", "out.reduced.csv", "-o", "again.csv"});
  ASSERT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(read_file(folder_ / "again.csv"), read_file(folder_ / "out.reduced.csv"));
  // Without quotes only the model knows that the first line names the features.
  folder_.write("bare.csv", "1007,117,1053\n1007,5,3\n900,1,8\n1300,200,1100\n");
  ASSERT_EQ(sfg_({"apply", "out.model.json", "bare.csv", "-o", "bare_out.csv"}).status, 0);
}

TEST_F(Tables, missing_labels_are_no_class_and_left_out_of_scores) {
  folder_.write("a.txt", "x\nx\ny\ny\n\nNA\n");
  folder_.write("b.txt", "1\n1\n2\n2\n3\n3\n");
  const ProgramRun run = sfg_({"score", "a.txt", "b.txt", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("n_samples"), 4);
  EXPECT_EQ(run.json().at("n_unlabelled"), 2);
  EXPECT_EQ(run.json().at("n_classes_a"), 2);
  EXPECT_EQ(run.json().at("nmi"), 1);
  expect_said(run, {"2 samples without a label"});
  folder_.write("none.txt", "NA\nnan\n\nNA\n\n?\n");
  EXPECT_EQ(sfg_({"score", "none.txt", "b.txt"}).status, 6);
}

TEST_F(Tables, missing_labels_of_a_column_make_no_cluster) {
  folder_.write("t.csv", "a,b,class\n1,2,x\n1.1,2.1,x\n9,1,y\n9.1,1.1,y\n5,5,\n1.2,2,nan\n");
  const ProgramRun run = sfg_({"cluster", "t.csv", "--labels", "class", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("k"), 2);
  expect_said(run, {"2 samples without a label"});
}

TEST_F(Tables, own_tables_keep_their_labels) {
  folder_.write("t.csv", "a,b,class\n1,2,1\n2,1,2\n9,1,1\n3,3,2\n");
  ASSERT_EQ(sfg_({"convert", "t.csv", "u.csv", "--labels", "class"}).status, 0);
  const auto info = sfg_({"info", "u.csv", "--json"}).json();
  EXPECT_EQ(info.at("n_features"), 2);
  EXPECT_EQ(info.at("labels"), "class");
  EXPECT_EQ(info.at("n_classes"), 2);
}

TEST_F(Tables, check_never_fails_on_a_readable_table) {
  for (const char* text :
       {"a,b\nx,y\nz,y\n", "1\n", "a,a\n1,2\n", "a,b\n1,\n,\n2,\n", "a\n1\n2\n"}) {
    folder_.write("t.csv", text);
    const ProgramRun run = sfg_({"check", "t.csv"});
    EXPECT_EQ(run.status, 0) << text << run.err;
    EXPECT_EQ(sfg_({"check", "t.csv", "--json"}).json().at("command"), "check") << text;
  }
}

TEST_F(Tables, genes_in_rows_are_suspected_once_by_every_command) {
  std::string text = "gene,s1,s2,s3\n";
  for (int i = 0; i < 200; ++i) {
    const auto value = [&](int shift) { return std::to_string((i * 31 + shift) % 97); };
    text += "g" + std::to_string(i) + "," + value(1) + "," + value(5) + "," + value(9) + "\n";
  }
  folder_.write("genes.csv", text);
  for (const char* command : {"info", "reduce"}) {
    const std::string said = sfg_({command, "genes.csv"}).err;
    const auto place = said.find("--features-in-rows");
    ASSERT_NE(place, std::string::npos) << said;
    EXPECT_EQ(said.find("--features-in-rows", place + 1), std::string::npos) << said;
  }
}

TEST_F(Tables, check_suggests_a_command_line_that_works) {
  std::string text = "id,a,b\n";
  for (int i = 0; i < 30; ++i) {
    text += std::to_string(i) +
            (i % 6 == 0 ? ",-999,-999\n" : "," + std::to_string(i * i % 17) + ",2.5\n");
  }
  folder_.write("t.csv", text);
  const auto document = sfg_({"check", "t.csv", "--json"}).json();
  EXPECT_EQ(document.at("command_line"),
            "sfg reduce t.csv --sample-ids=id --na-values=-999 -o out");
  EXPECT_EQ(document.at("missing_codes").at(0).at("value"), -999);
  const auto info = sfg_({"info", "t.csv", "--ids=id", "--na-values", "-999", "--json"}).json();
  EXPECT_EQ(info.at("missing"), 10);
  EXPECT_EQ(info.at("n_features"), 2);
}

class RealTables : public Tables {
 protected:
  static std::string data_file(const std::string& name) {
    return (std::filesystem::path(SFG_TEST_DATA_FOLDER) / name).string();
  }
  void SetUp() override {
    if (!std::filesystem::exists(data_file("AmesHousing.csv"))) {
      GTEST_SKIP() << "no data in " << SFG_TEST_DATA_FOLDER;
    }
  }
};

TEST_F(RealTables, houses_have_39_features_and_43_columns_that_are_not_numbers) {
  const auto document = sfg_({"check", data_file("AmesHousing.csv"), "--json"}).json();
  EXPECT_EQ(document.at("n_samples"), 2930);
  EXPECT_EQ(document.at("n_features"), 39);
  EXPECT_EQ(document.at("columns").size(), 82U);
  EXPECT_EQ(document.at("options").at("sample_ids"), "Order,PID");
  ASSERT_EQ(document.at("equations").size(), 2U);
  EXPECT_EQ(document.at("equations").at(0).at("feature"), "Total Bsmt SF");
  EXPECT_EQ(document.at("equations").at(1).at("feature"), "GrLivArea");
  const ProgramRun run = sfg_({"reduce", data_file("AmesHousing.csv"), "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  expect_said(run, {"43 of 82 columns are not numbers", "MS Zoning"});
}

TEST_F(RealTables, air_quality_has_semicolons_decimal_commas_dates_and_a_code) {
  const ProgramRun run = sfg_({"reduce", data_file("AirQualityUCI.csv"), "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("n_samples"), 9357);
  EXPECT_EQ(run.json().at("n_features"), 13);
  expect_said(run, {"separated by \";\"", "decimal commas", "Date (dates)", "Time (times)",
                    "--na-values -200"});
  const auto document = sfg_({"check", data_file("AirQualityUCI.csv"), "--json"}).json();
  EXPECT_EQ(document.at("options").at("na_values"), "-200");
}

TEST_F(RealTables, spectra_are_825_by_700) {
  const auto document = sfg_({"check", data_file("nir_soil.csv.gz"), "--json"}).json();
  EXPECT_EQ(document.at("n_samples"), 825);
  EXPECT_EQ(document.at("n_features"), 700);
  EXPECT_TRUE(document.at("notes").empty());
}

TEST_F(RealTables, a_few_wavelengths_certify_all_spectra_at_99_percent) {
  // Three quarters of a minute under sanitizers, for code that CertifyAt runs there on small data.
  if (testing::kSampled) GTEST_SKIP() << "CertifyAt looks into the same code";
  const auto document =
      sfg_({"reduce", data_file("nir_soil.csv.gz"), "--certify", "0.99", "--json"}).json();
  EXPECT_LE(document.at("n_kept"), 40);
  EXPECT_TRUE(document.at("certificate").at("all"));
  for (const double r2 : document.at("certificate").at("held_out_r2")) EXPECT_GE(r2, 0.99);
}

/// First cells of the lines of a table with a header.
std::vector<std::string> first_cells(const std::string& text) {
  std::vector<std::string> cells;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) cells.push_back(line.substr(0, line.find('\t')));
  return cells;
}

TEST_F(Tables, the_greenhouse_of_the_demo_loses_what_was_planted_and_nothing_else) {
  const std::filesystem::path examples = SFG_SOURCE_FOLDER "/examples";
  const ProgramRun run = sfg_({"reduce", (examples / "sensors.csv").string(), "-o", "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(first_cells(read_file(folder_ / "out.removed.tsv")),
              ::testing::UnorderedElementsAreArray(
                  first_cells(read_file(examples / "sensors.planted.tsv"))));
  EXPECT_NE(read_file(folder_ / "out.removed.tsv").find("\t1.8*temp_in_c + 32\t"),
            std::string::npos);
  EXPECT_NE(read_file(folder_ / "out.equations.tsv").find("total_w"), std::string::npos);
}

}  // namespace
}  // namespace sfg

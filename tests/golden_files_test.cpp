// What the program says about a small table, against files that are kept (tests/golden/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "program.hpp"

namespace sfg {
namespace {

using nlohmann::json;
using testing::Program;
using testing::read_file;
using testing::TemporaryFolder;

/// Numbers this close, relative to their size or to 1, are the same on another machine.
constexpr double kSameOnOtherMachines = 1e-9;

std::filesystem::path golden_folder() {
  return std::filesystem::path(SFG_SOURCE_FOLDER) / "tests" / "golden";
}

bool is_update() {
  const char* set = std::getenv("SFG_UPDATE_GOLDEN");
  return set != nullptr && std::string_view(set) == "1";
}

bool is_same_number(double want, double found) {
  return std::fabs(want - found) <= kSameOnOtherMachines * std::max(1.0, std::fabs(want));
}

/// Fields that say when, where, by whom and how fast, or describe in words what others say in
/// numbers.
bool is_left_out(const std::string& key) {
  static const std::set<std::string> kLeftOut{
      "seconds", "peak_rss_bytes",      "sfg_version", "schema_version", "input",
      "output",  "description",         "method",      "grouping",       "level",
      "engine",  "candidates_per_step", "screen"};
  return kLeftOut.contains(key);
}

json without_left_out(const json& document) {
  if (document.is_array()) {
    json result = json::array();
    for (const json& item : document) result.push_back(without_left_out(item));
    return result;
  }
  if (!document.is_object()) return document;
  json result = json::object();
  for (const auto& [key, value] : document.items()) {
    if (!is_left_out(key)) result[key] = without_left_out(value);
  }
  return result;
}

/// Everything that is wanted must be there; what is new is no difference.
void expect_same_json(const json& want, const json& found, const std::string& place) {
  if (want.is_object() && found.is_object()) {
    for (const auto& [key, value] : want.items()) {
      if (is_left_out(key)) continue;
      ASSERT_TRUE(found.contains(key)) << place << " lacks " << key;
      expect_same_json(value, found[key], place + "." + key);
    }
  } else if (want.is_array() && found.is_array()) {
    ASSERT_EQ(want.size(), found.size()) << place;
    for (std::size_t k = 0; k < want.size(); ++k) {
      expect_same_json(want[k], found[k], place + "[" + std::to_string(k) + "]");
    }
  } else if (want.is_number_float() && found.is_number()) {
    EXPECT_TRUE(is_same_number(want.get<double>(), found.get<double>()))
        << place << ": " << want << " became " << found;
  } else {
    EXPECT_EQ(want, found) << place;
  }
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::optional<double> number_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nullopt : std::optional(value);
}

void expect_same_table(const std::string& want, const std::string& found, const std::string& name) {
  const auto want_lines = parts_of(want, '\n');
  const auto found_lines = parts_of(found, '\n');
  ASSERT_EQ(want_lines.size(), found_lines.size()) << name;
  for (std::size_t line = 0; line < want_lines.size(); ++line) {
    const auto want_cells = parts_of(want_lines[line], '\t');
    const auto found_cells = parts_of(found_lines[line], '\t');
    ASSERT_EQ(want_cells.size(), found_cells.size()) << name << ", line " << line + 1;
    for (std::size_t cell = 0; cell < want_cells.size(); ++cell) {
      const auto wanted = number_in(want_cells[cell]);
      const auto number = number_in(found_cells[cell]);
      const bool same = wanted && number ? is_same_number(*wanted, *number)
                                         : want_cells[cell] == found_cells[cell];
      EXPECT_TRUE(same) << name << ", line " << line + 1 << ": " << want_cells[cell] << " became "
                        << found_cells[cell];
    }
  }
}

/// Compares a text with its golden file, or makes that file.
void expect_golden(const std::string& name, const std::string& found) {
  const auto path = golden_folder() / (name + ".want");
  const bool is_json = name.ends_with(".json");
  if (is_update()) {
    std::ofstream out(path, std::ios::binary);
    out << (is_json ? without_left_out(json::parse(found)).dump(1) + "\n" : found);
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing: see tests/golden/README.md";
  if (is_json) {
    expect_same_json(json::parse(read_file(path)), json::parse(found), name);
  } else {
    expect_same_table(read_file(path), found, name);
  }
}

/// A run, and the files that it writes; its standard output is JSON.
struct GoldenCase {
  std::string name;
  std::vector<std::string> words;  ///< after the command and the table
  std::vector<std::string> files;
};

const std::vector<std::string> kReduceFiles{"kept.txt", "removed.tsv", "groups.tsv", "weights.tsv",
                                            "model.json"};

GoldenCase golden_reduction(const std::string& name, const std::vector<std::string>& words) {
  GoldenCase result{name, words, {}};
  result.words.insert(result.words.begin(), "reduce");
  result.words.insert(result.words.end(), {"-o", name});
  for (const std::string& file : kReduceFiles) result.files.push_back(name + "." + file);
  return result;
}

class GoldenFiles : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenFiles, are_what_the_program_says) {
  const TemporaryFolder folder;
  const Program program(folder);
  std::vector<std::string> words = GetParam().words;
  words.insert(words.begin() + 1, (golden_folder() / "table.csv").string());
  words.insert(words.end(), {"--labels", "class", "--json", "--quiet"});
  const auto run = program(words);
  ASSERT_EQ(run.status, 0) << run.err;
  expect_golden(GetParam().name + ".json", run.out);
  for (const std::string& file : GetParam().files) expect_golden(file, read_file(folder / file));
}

INSTANTIATE_TEST_SUITE_P(
    Program, GoldenFiles,
    ::testing::Values(golden_reduction("compact", {}),
                      golden_reduction("cover", {"--grouping", "cover"}),
                      golden_reduction("pairwise", {"--max-r2", "0.8"}),
                      golden_reduction("theta", {"--theta", "0.5"}),
                      golden_reduction("ten_features", {"--n-features", "10"}),
                      golden_reduction("certified", {"--grouping", "cover", "--certify", "0.9"}),
                      GoldenCase{"graph", {"graph", "-o", "edges.tsv"}, {"edges.tsv"}},
                      GoldenCase{"sweep", {"sweep"}, {}},
                      GoldenCase{"stability",
                                 {"stability", "--repeats", "10", "-o", "stability"},
                                 {"stability.stability.tsv"}},
                      GoldenCase{"select", {"select", "-m", "5,10"}, {}},
                      GoldenCase{"explain_sum", {"explain", "b+c+d", "--theta", "0.5"}, {}},
                      GoldenCase{"explain_copy", {"explain", "a again", "--grouping", "cover"}, {}},
                      GoldenCase{"explain_kept", {"explain", "noise 1"}, {}}),
    [](const auto& info) { return info.param.name; });

/// The table with column "a", the third one, off by 5 from row 21 on.
std::string drifted_table() {
  std::istringstream lines(read_file(golden_folder() / "table.csv"));
  std::string text;
  std::string line;
  for (int row = 0; std::getline(lines, line); ++row) {
    const auto begin = line.find(',', line.find(',') + 1) + 1;
    const auto end = line.find(',', begin);
    const auto value = number_in(line.substr(begin, end - begin));
    if (row > 20 && value) line.replace(begin, end - begin, std::to_string(*value + 5));
    text += line + "\n";
  }
  return text;
}

TEST(GoldenFiles, what_broken_relations_look_like) {
  const TemporaryFolder folder;
  const Program program(folder);
  folder.write("new.csv", drifted_table());
  const std::string table = (golden_folder() / "table.csv").string();
  ASSERT_EQ(program({"reduce", table, "--labels", "class", "-o", "m"}).status, 0);
  const auto run = program({"apply", "m.model.json", "new.csv", "--labels", "class", "-o", "k.csv",
                            "--json", "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  expect_golden("drift.json", run.out);
}

}  // namespace
}  // namespace sfg

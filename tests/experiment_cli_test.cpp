// 'sfg experiment' as a script sees it: files, JSON, interruptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

class ExperimentCommand : public ::testing::Test {
 protected:
  ExperimentCommand() { folder_.write("faces.csv", table()); }

  /// Two classes; the last features follow the first ones.
  static std::string table() {
    std::string text = "class";
    for (int j = 0; j < 16; ++j) text += ",p" + std::to_string(j);
    text += "\n";
    unsigned state = 12345;
    for (int i = 0; i < 30; ++i) {
      text += i % 2 == 0 ? "x" : "y";
      double values[16];
      for (int j = 0; j < 16; ++j) {
        state = state * 1664525U + 1013904223U;
        const double noise = static_cast<double>(state >> 16U) / 65536;
        values[j] = j < 12 ? 1 + noise + (i % 2 == j % 2 ? 1 : 0) : values[j - 12] + noise / 20;
        text += "," + std::to_string(values[j]);
      }
      text += "\n";
    }
    return text;
  }

  [[nodiscard]] ProgramRun experiment(std::vector<std::string> more) const {
    std::vector<std::string> words{"experiment", "faces.csv", "--labels", "class",
                                   "--preset",   "paper",     "--thetas", "0.6,0.2",
                                   "-m",         "3,6",       "--seeds",  "2"};
    words.insert(words.end(), more.begin(), more.end());
    return sfg_(words);
  }

  /// All files of an experiment but the log, which has the time in it.
  [[nodiscard]] std::string contents(const std::string& prefix) const {
    std::string text;
    for (const std::string& name : sfg_.files()) {
      if (!name.starts_with(prefix + ".") || name.ends_with(".log")) continue;
      text += name.substr(prefix.size()) + "\n" + read_file(folder_ / name);
    }
    return text;
  }

  TemporaryFolder folder_;
  Program sfg_{folder_};
};

TEST_F(ExperimentCommand, clusters_by_what_another_selector_chooses) {
  const auto by = [&](const std::string& selector) {
    const ProgramRun run =
        sfg_({"experiment", "faces.csv", "--labels", "class", "--preset", "paper", "--thetas",
              "0.6", "-m", "1", "--seeds", "2", "--json", "--selector", selector});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.json();
  };
  const auto nmi = [](const auto& document) { return document.at("tables").at(0).at("nmi"); };
  const auto mcfs = by("mcfs");
  const auto mrmr = by("mrmr");
  EXPECT_EQ(mrmr.at("options").at("selector"), "mrmr");
  EXPECT_EQ(nmi(mrmr).at(0), nmi(mcfs).at(0));
  // One feature, which was chosen by the classes.
  EXPECT_GT(nmi(mrmr).at(1).at(0).get<double>(), nmi(mcfs).at(1).at(0).get<double>());
}

TEST_F(ExperimentCommand, prints_one_json_document_with_tables) {
  const ProgramRun run = experiment({"--json", "--grouping", "components,compact"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto document = run.json();
  ASSERT_EQ(document.at("tables").size(), 2U);
  const auto& table = document.at("tables").at(0);
  EXPECT_EQ(table.at("name"), "faces");
  EXPECT_EQ(table.at("theta").dump(), "[\"none\",0.6,0.2]");
  EXPECT_EQ(table.at("n_selected").dump(), "[null,3,6]");
  EXPECT_EQ(table.at("nmi").size(), 3U);
  EXPECT_EQ(table.at("kept"), document.at("tables").at(1).at("kept"));
  EXPECT_EQ(document.at("options").at("components").at("representative"), "out-degree");
  EXPECT_TRUE(document.at("seconds").contains("cluster"));
  EXPECT_TRUE(document.at("output").is_null());
  EXPECT_EQ(sfg_.files(), std::vector<std::string>{"faces.csv"});
}

TEST_F(ExperimentCommand, writes_tables_and_figures_and_no_journal_is_left) {
  const ProgramRun run = experiment({"-o", "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto files = sfg_.files();
  for (const char* ending :
       {".json", ".csv", ".md", ".tex", ".spectral.svg", ".angles.svg", ".log"}) {
    EXPECT_TRUE(std::ranges::count(files, std::string("out") + ending)) << ending;
  }
  EXPECT_FALSE(std::ranges::count(files, "out.journal"));
  const bool with_png = sfg_({"--version", "--json"}).out.find("\"png\"") != std::string::npos;
  EXPECT_EQ(std::ranges::count(files, "out.spectral.png"), with_png ? 1 : 0);
  if (with_png) {
    EXPECT_TRUE(read_file(folder_ / "out.spectral.png").starts_with("\x89PNG\r\n"));
  }
  EXPECT_EQ(experiment({"-o", "out"}).status, 7);
  EXPECT_EQ(experiment({"-o", "out", "--force"}).status, 0);
}

TEST_F(ExperimentCommand, killed_and_resumed_gives_the_same_bytes) {
  ASSERT_EQ(experiment({"-o", "whole", "--no-png"}).status, 0);
  // The journal of all cells is there when a later data set cannot be read.
  folder_.write("other.csv", "a,b\n1,2\n3,4\n5,7\n");
  const ProgramRun failed =
      sfg_({"experiment", "faces.csv", "other.csv", "--labels", "class", "--preset", "paper",
            "--thetas", "0.6,0.2", "-m", "3,6", "--seeds", "2", "-o", "cut", "--no-png"});
  EXPECT_NE(failed.status, 0);
  const std::string journal = read_file(folder_ / "cut.journal");
  ASSERT_FALSE(journal.empty()) << failed.err;
  const std::string expected = contents("whole");
  // As if it had been killed at any moment: after any line, and in the middle of one.
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; (at = journal.find('\n', at)) != std::string::npos; ++at) {
    ends.push_back(at + 1);
    ends.push_back(at + 40);
  }
  for (std::size_t k = 0; k < ends.size(); k += 3) {
    folder_.write("cut.journal", journal.substr(0, ends[k]));
    const ProgramRun resumed = experiment({"-o", "cut", "--no-png", "--force"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(contents("cut"), expected);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "cut.journal"));
  }
}

/// Starts a run that would take days, ends it by a signal as soon as its journal is there, and
/// returns its exit status. Shells have programs in the background ignore SIGINT: `env` undoes
/// that.
int end_by_signal(const TemporaryFolder& folder, const std::string& signal) {
  folder.write("end.sh",
               "cd \"$(dirname \"$0\")\"\nenv --default-signal '" SFG_PROGRAM
               "' experiment faces.csv --labels class --seeds 900000 --replicates 900000 -o out "
               "> /dev/null 2> .stderr &\npid=$!\n"
               "until [ -s out.journal ] || ! kill -0 $pid 2> /dev/null; do :; done\n"
               "kill -" +
                   signal + " $pid\nwait $pid\n");
  const int status = std::system(("bash '" + (folder / "end.sh").string() + "'").c_str());
  std::filesystem::remove(folder / "end.sh");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(ExperimentCommand, interrupted_leaves_its_journal_and_no_other_file) {
  EXPECT_EQ(end_by_signal(folder_, "INT"), 130);
  EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"faces.csv", "out.journal"}));
  EXPECT_NE(read_file(folder_ / ".stderr").find("goes on from out.journal"), std::string::npos);
}

TEST_F(ExperimentCommand, killed_leaves_its_journal_and_no_other_file) {
  EXPECT_EQ(end_by_signal(folder_, "KILL"), 128 + 9);
  EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"faces.csv", "out.journal"}));
}

TEST_F(ExperimentCommand, a_journal_of_other_options_is_refused_unless_forced) {
  folder_.write("out.journal", "something else\n");
  const ProgramRun run = experiment({"-o", "out"});
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("out.journal"), std::string::npos);
  EXPECT_EQ(experiment({"-o", "out", "--force"}).status, 0);
}

TEST_F(ExperimentCommand, compares_with_published_tables) {
  folder_.write("p.json", R"({"theta": ["none", 0.6], "datasets": {"FACES":
      {"counts": [16, 9], "n_selected": [3], "nmi": [[0.5, 0.6]], "acc": [[0.9, 0.8]]}}})");
  const ProgramRun run = experiment({"--compare", "p.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("faces beside FACES as published"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("mean absolute difference"), std::string::npos);
  const auto document = experiment({"--compare", "p.json", "--json"}).json();
  EXPECT_EQ(document.at("comparison").at(0).at("cells").size(), 2U);
}

TEST_F(ExperimentCommand, wrong_usage_and_inputs_are_told_before_any_work) {
  struct Case {
    std::vector<std::string> words;
    int status;
  };
  for (const Case& one : {Case{{"-o", "out.csv"}, 2},
                          {{"--grouping", "cover"}, 2},
                          {{"--grouping", "pairwise"}, 2},
                          {{"-m", "0"}, 2},
                          {{"--seeds", "0"}, 2},
                          {{"faces.csv"}, 2},
                          {{"absent.csv"}, 3},
                          {{"--compare", "absent.json"}, 3},
                          {{"--compare", "faces.csv"}, 4},
                          {{"-o", "absent/out"}, 7}}) {
    const ProgramRun run = experiment(one.words);
    EXPECT_EQ(run.status, one.status) << run.err;
    EXPECT_TRUE(run.out.empty());
    EXPECT_EQ(sfg_.files(), std::vector<std::string>{"faces.csv"});
  }
}

TEST_F(ExperimentCommand, without_classes_says_how_to_give_them) {
  const ProgramRun run = sfg_({"experiment", "faces.csv", "-o", "out"});
  EXPECT_NE(run.status, 0);
  folder_.write("n.csv", "a,b\n1,2\n3,4\n5,7\n");
  const ProgramRun none = sfg_({"experiment", "n.csv"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("--labels"), std::string::npos);
}

}  // namespace
}  // namespace sfg

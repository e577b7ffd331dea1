// The program is killed at many moments and resumed: the result is the same to the byte.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "faults.hpp"
#include "sampling.hpp"

namespace sfg {
namespace {

using testing::and_also;
using testing::FaultyPlace;
using testing::ProgramRun;
using testing::read_file;

/// Kills that one test adds up over its commands.
constexpr int kKills = testing::kSampled ? 10 : 50;

using Words = std::vector<std::string>;

/// A run that is killed in the moment of writing may leave temporary names, nothing else.
std::map<std::string, std::string> without_temporaries(std::map<std::string, std::string> outputs) {
  std::erase_if(outputs, [](const auto& one) { return one.first.find(".tmp-") != one.first.npos; });
  return outputs;
}

class KillAndResume : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        sfg({"synth", "--samples", "40", "--features", "700", "--seed", "3", "-o", "in/data.csv"})
            .status,
        0);
    ASSERT_EQ(sfg({"convert", "in/data.csv", "in/data.mtx"}).status, 0);
  }

  ProgramRun sfg(const Words& words) { return place_.without_fault(words); }

  /// Kills the command at random calls that write, resuming it each time, until it gets through.
  /// `first` is the earliest call: one behind the first block, so that every attempt gets on; each
  /// attempt may get `further`. Returns the number of kills.
  int kill_until_done(const Words& words, int first, int further) {
    for (int kills = 0;; ++kills) {
      if (kills > 200) {
        ADD_FAILURE() << "no progress";
        return kills;
      }
      // Threads and memory change from one attempt to the next, as they may for a user.
      const Words more{"--resume",        "--force",
                       "--journal-after", "0",
                       "--threads",       std::to_string(1 + random_() % 3),
                       "--memory",        random_() % 2 == 0 ? "2G" : "8G"};
      const std::string kind = random_() % 2 == 0 ? "kill" : "torn-write";
      const auto outcome = place_.with_fault(
          and_also(words, more), kind, first + further * kills + static_cast<int>(random_() % 9));
      if (!outcome.happened) {
        EXPECT_EQ(outcome.run.status, 0) << outcome.run.err;
        EXPECT_NE(outcome.run.err.find("not computed again"), std::string::npos) << outcome.run.err;
        return kills;
      }
      EXPECT_NE(outcome.run.status, 0);
    }
  }

  /// What the command writes when nothing happens to it; out/ is empty afterwards.
  std::map<std::string, std::string> undisturbed(const Words& words) {
    place_.clear_outputs();
    const ProgramRun run = sfg(words);
    EXPECT_EQ(run.status, 0) << run.err;
    auto outputs = place_.outputs();
    place_.clear_outputs();
    return outputs;
  }

  FaultyPlace place_;
  std::mt19937 random_{20170917};
};

TEST_F(KillAndResume, fifty_kills_and_the_graph_is_the_same_to_the_byte) {
  int kills = 0;
  const std::vector<Words> commands{
      {"graph", "in/data.csv", "-o", "out/g.npz"},
      {"graph", "in/data.csv", "-o", "out/g.npz", "--engine", "gram"},
      {"graph", "in/data.csv", "-o", "out/g.npz", "--engine", "stream", "--screen", "f32"},
      {"graph", "in/data.mtx", "-o", "out/g.npz", "--engine", "sparse", "--center"},
      {"graph", "in/data.csv", "-o", "out/g.npz", "--pursuit", "ols"},
      {"graph", "in/data.csv", "-o", "out/g.graphml"},
  };
  constexpr std::size_t kStep = testing::kSampled ? 3 : 1;
  for (std::size_t k = 0; k < commands.size(); k += kStep) {
    const Words& words = commands[k];
    SCOPED_TRACE(fmt::format("{}", fmt::join(words, " ")));
    const auto expected = undisturbed(words);
    constexpr int kBehindTheFirstBlock = 5;
    kills += kill_until_done(words, kBehindTheFirstBlock, 0);
    EXPECT_EQ(without_temporaries(place_.outputs()), expected);
  }
  EXPECT_GE(kills, kKills);
  RecordProperty("kills", kills);
}

TEST_F(KillAndResume, a_reduction_is_the_same_to_the_byte) {
  const Words words{"reduce", "in/data.csv", "-o", "out/r"};
  const auto expected = undisturbed(words);
  // Behind the names of the seven outputs, which are tried out first.
  constexpr int kBehindTheFirstBlock = 12;
  constexpr int kFurther = testing::kSampled ? 9 : 3;
  const int kills = kill_until_done(words, kBehindTheFirstBlock, kFurther);
  EXPECT_GE(kills, testing::kSampled ? 2 : 5);
  RecordProperty("kills", kills);
  EXPECT_EQ(without_temporaries(place_.outputs()), expected);
}

/// A report's document without what differs from run to run.
nlohmann::ordered_json without_figures(const ProgramRun& run) {
  auto document = run.json();
  for (const char* key : {"seconds", "peak_rss_bytes", "output_bytes"}) document.erase(key);
  return document;
}

TEST_F(KillAndResume, a_report_of_cover_goes_on_with_the_graph_of_the_papers_groups) {
  const Words words{"report", "in/data.csv",   "--grouping", "cover",
                    "-o",     "out/page.html", "--json"};
  const ProgramRun whole = sfg(words);
  if (whole.err.find("no report page") != std::string::npos) {
    GTEST_SKIP() << "built without the page";
  }
  place_.clear_outputs();
  const Words journal{"--resume", "--journal-after", "0", "--threads", "1"};
  EXPECT_TRUE(place_.with_fault(and_also(words, journal), "torn-write", 12).happened);
  const ProgramRun resumed = sfg(and_also(words, journal));
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("not computed again"), std::string::npos) << resumed.err;
  EXPECT_EQ(without_figures(resumed), without_figures(whole));
}

TEST_F(KillAndResume, a_report_with_its_two_graphs_tells_the_same) {
  const Words words{"report", "in/data.csv", "-o", "out/page.html", "--json"};
  const ProgramRun whole = sfg(words);
  if (whole.err.find("no report page") != std::string::npos) {
    GTEST_SKIP() << "built without the page";
  }
  place_.clear_outputs();
  // The last block of the first graph is the 22nd, the second graph follows.
  const Words journal{"--resume", "--journal-after", "0", "--threads", "1"};
  EXPECT_TRUE(place_.with_fault(and_also(words, journal), "torn-write", 12).happened);
  EXPECT_TRUE(place_.with_fault(and_also(words, journal), "torn-write", 30).happened);
  const ProgramRun resumed = sfg(and_also(words, journal));
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("not computed again"), std::string::npos) << resumed.err;
  EXPECT_EQ(without_figures(resumed), without_figures(whole));
}

TEST_F(KillAndResume, while_it_computes_a_kill_leaves_the_journal_and_nothing_else) {
  for (const Words& words : {Words{"graph", "in/data.csv", "-o", "out/g.npz"},
                             Words{"reduce", "in/data.csv", "-o", "out/g.npz.r"}}) {
    place_.clear_outputs();
    const auto outcome =
        place_.with_fault(and_also(words, {"--journal-after", "0"}), "torn-write", 16);
    ASSERT_TRUE(outcome.happened);
    const auto outputs = place_.outputs();
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_TRUE(outputs.begin()->first.ends_with(".journal"));
  }
}

/// The moment is up to the machine here; what must hold does not depend on it.
TEST_F(KillAndResume, killed_at_any_time_the_graph_is_the_same_to_the_byte) {
  const Words words{"graph", "in/data.csv", "-o", "out/g.npz"};
  const auto expected = undisturbed(words);
  for (int k = 0; k < 12; ++k) {
    const double seconds = 0.005 * static_cast<double>(1 + random_() % 20);
    place_.program().set_environment(fmt::format("timeout -s KILL {:.3f}", seconds));
    const ProgramRun run = place_.program()(and_also(words, {"--resume", "--journal-after", "0"}));
    // Killed between the last rename and the end, it is all there too.
    const auto outputs = without_temporaries(place_.outputs());
    if (run.status == 0 || outputs.contains("g.npz")) {
      EXPECT_EQ(outputs.at("g.npz"), expected.at("g.npz")) << run.err;
      place_.clear_outputs();
    }
  }
  const ProgramRun run = sfg(and_also(words, {"--resume", "--force"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(without_temporaries(place_.outputs()), expected);
}

TEST_F(KillAndResume, an_experiment_goes_on_by_itself) {
  place_.folder().write("in/classes.csv", [] {
    std::string text = "class,a,b,c,d,e,f\n";
    for (int i = 0; i < 24; ++i) {
      text += i % 2 == 0 ? "x" : "y";
      for (int j = 0; j < 6; ++j) text += fmt::format(",{}", (i * (j + 3) + i % 2 * 7) % 11 + 1);
      text += "\n";
    }
    return text;
  }());
  const Words words{
      "experiment", "in/classes.csv", "--labels", "class", "--thetas", "0.7,0.3",  "-m",
      "2,4",        "--seeds",        "2",        "-o",    "out/e",    "--no-png", "--force"};
  const auto expected = undisturbed(words);
  int kills = 0;
  for (int at = 20; at < 200; at += 7) {
    const auto outcome = place_.with_fault(words, at % 2 == 0 ? "kill" : "torn-write", at);
    if (!outcome.happened) break;
    ++kills;
  }
  EXPECT_GE(kills, 5);
  EXPECT_EQ(sfg(words).status, 0);
  EXPECT_EQ(without_temporaries(place_.outputs()), expected);
}

// --- what the user is told
// -------------------------------------------------------------------------

class Resume : public KillAndResume {
 protected:
  /// Leaves out/g.npz.journal behind.
  void cut_off(const Words& words = kGraph) {
    ASSERT_TRUE(place_.with_fault(and_also(words, {"--journal-after", "0"}), "kill", 12).happened);
    ASSERT_EQ(place_.outputs().size(), 1U);
  }
  static inline const Words kGraph{"graph", "in/data.csv", "-o", "out/g.npz"};
};

TEST_F(Resume, says_what_it_did_not_compute_again) {
  cut_off();
  const ProgramRun run = sfg(and_also(kGraph, {"--resume"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("features of an earlier run were not computed again"), std::string::npos)
      << run.err;
}

TEST_F(Resume, of_other_options_or_data_is_refused_and_the_journal_stays) {
  cut_off();
  const std::string journal = read_file(place_.folder() / "out/g.npz.journal");
  const ProgramRun options = sfg(and_also(kGraph, {"--resume", "--epsilon", "0.05"}));
  EXPECT_EQ(options.status, 5) << options.err;
  EXPECT_NE(options.err.find("epsilon 0.01"), std::string::npos) << options.err;
  EXPECT_NE(options.err.find("epsilon 0.05"), std::string::npos) << options.err;
  EXPECT_EQ(sfg(and_also(kGraph, {"--resume", "--center"})).status, 5);
  ASSERT_EQ(sfg({"synth", "--samples", "40", "--features", "700", "--seed", "4", "-o",
                 "in/data.csv", "--force"})
                .status,
            0);
  EXPECT_EQ(sfg(and_also(kGraph, {"--resume"})).status, 5);
  EXPECT_EQ(read_file(place_.folder() / "out/g.npz.journal"), journal);
  const ProgramRun forced = sfg(and_also(kGraph, {"--resume", "--force"}));
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_EQ(place_.outputs().size(), 1U);
}

TEST_F(Resume, a_run_without_it_tells_of_the_journal_begins_anew_and_leaves_it_alone) {
  const auto expected = undisturbed(kGraph);
  cut_off();
  const std::string journal = read_file(place_.folder() / "out/g.npz.journal");
  const ProgramRun run = sfg(and_also(kGraph, {"--journal-after", "0"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("out/g.npz.journal"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("--resume"), std::string::npos) << run.err;
  EXPECT_EQ(read_file(place_.folder() / "out/g.npz.journal"), journal);
  EXPECT_EQ(place_.outputs().at("g.npz"), expected.at("g.npz"));
}

TEST_F(Resume, a_run_with_force_replaces_the_journal) {
  const auto expected = undisturbed(kGraph);
  cut_off();
  const ProgramRun run = sfg(and_also(kGraph, {"--force"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(place_.outputs(), expected);
}

TEST_F(Resume, without_a_journal_says_so_and_begins_anew) {
  const auto expected = undisturbed(kGraph);
  const ProgramRun run = sfg(and_also(kGraph, {"--resume"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("there is no out/g.npz.journal"), std::string::npos) << run.err;
  EXPECT_EQ(place_.outputs(), expected);
}

TEST_F(Resume, of_a_file_that_is_no_journal_is_refused_and_the_file_stays) {
  place_.folder().write("out/g.npz.journal", "my notes\n");
  const ProgramRun run = sfg(and_also(kGraph, {"--resume"}));
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_EQ(read_file(place_.folder() / "out/g.npz.journal"), "my notes\n");
}

TEST_F(Resume, where_there_is_nothing_to_go_on_with_is_wrong_usage) {
  for (const Words& words :
       {Words{"graph", "in/data.csv", "--resume"},
        Words{"graph", "in/data.csv", "--resume", "-o", "-", "--format", "edges"},
        Words{"reduce", "in/data.csv", "--resume", "-o", "out/r", "--grouping", "cover"},
        Words{"reduce", "in/data.csv", "--resume", "-o", "out/r", "--graph", "knn"},
        Words{"sweep", "in/data.csv", "--resume", "-o", "out/s.tsv", "--grouping", "cover"},
        Words{"select", "in/data.csv", "-m", "5", "--resume", "-o", "out/s.tsv"}}) {
    const ProgramRun run = sfg(words);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_NE(run.err.find("--resume"), std::string::npos) << run.err;
  }
}

TEST_F(Resume, sweep_and_select_go_on_too) {
  for (const Words& words :
       {Words{"sweep", "in/data.csv", "-o", "out/s.tsv"},
        Words{"sweep", "in/data.csv", "--grouping", "compact", "-o", "out/s.tsv"},
        Words{"select", "in/data.csv", "-m", "5", "--reduce", "-o", "out/s.tsv"}}) {
    const auto expected = undisturbed(words);
    cut_off(words);
    const ProgramRun run = sfg(and_also(words, {"--resume"}));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.err.find("not computed again"), std::string::npos) << run.err;
    EXPECT_EQ(place_.outputs(), expected);
  }
}

}  // namespace
}  // namespace sfg

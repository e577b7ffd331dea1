// The graph by several processes is the graph by one, to the byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;
using Words = std::vector<std::string>;

Words and_also(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A rank that gets a signal before its call number `at` (see rank_killer.cpp).
struct Fate {
  int rank = -1;
  int at = 1;
  int signal = SIGKILL;
};

class SfgMpi : public ::testing::Test {
 protected:
  /// How the program is started from now on.
  void start_with(int n_ranks, const std::string& exported = "") {
    const std::string line = fmt::format(
        "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 240 '{}' "
        "--oversubscribe --bind-to none --mca btl self,vader "
        "--mca btl_base_warn_component_unused 0 -n {}",
        SFG_MPIRUN, n_ranks);
    mpi_.set_environment(line + exported);
  }

  ProgramRun mpi(int n_ranks, const Words& words, const Fate& fate = {}) {
    const bool is_fated = fate.rank >= 0;
    start_with(n_ranks, !is_fated ? ""
                                  : fmt::format(" -x LD_PRELOAD='{}' -x SFG_KILL_RANK={} -x "
                                                "SFG_KILL_AT={} -x SFG_KILL_SIGNAL={}",
                                                SFG_RANK_KILLER, fate.rank, fate.at, fate.signal));
    return mpi_(and_also(words, {"--threads", "1"}));
  }

  /// The file of one process.
  std::string alone(const Words& words) {
    const ProgramRun run = sfg_(and_also(words, {"-o", "alone.npz", "--force"}));
    EXPECT_EQ(run.status, 0) << run.err;
    return read_file(folder_ / "alone.npz");
  }

  void expect_same(int n_ranks, const Words& words, const std::string& expected) {
    SCOPED_TRACE(fmt::format("{} ranks, {}", n_ranks, fmt::join(words, " ")));
    const ProgramRun run = mpi(n_ranks, and_also(words, {"-o", "team.npz", "--force"}));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(read_file(folder_ / "team.npz") == expected);
  }

  void make_data(const Words& words) {
    const ProgramRun run = sfg_(and_also({"synth", "-o", "data.npy", "--force"}, words));
    ASSERT_EQ(run.status, 0) << run.err;
  }

  void expect_same_for_1_2_and_4_ranks(const std::string& input) {
    const Words graph{"graph", input};
    const std::string expected = alone(graph);
    for (const int n_ranks : {1, 2, 4}) {
      for (const char* how : {"shared", "ring"}) {
        expect_same(n_ranks, and_also(graph, {"--distribute", how}), expected);
      }
    }
  }

  void on_data_set(const std::string& name) {
    const auto path = std::filesystem::path(SFG_TEST_DATA_FOLDER) / name;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
#ifndef SFG_WITH_MAT
    GTEST_SKIP() << "built without MAT support";
#endif
    expect_same_for_1_2_and_4_ranks(path.string());
  }

  TemporaryFolder folder_{testing::fast_place()};
  Program sfg_{folder_};
  Program mpi_{folder_, SFG_MPI_PROGRAM};
  const Words kSmall{"--samples", "40", "--features", "900", "--seed", "3"};
  const Words kGraph{"graph", "data.npy", "-o", "g.npz"};
};

// --- the same file -----------------------------------------------------------------------------

TEST_F(SfgMpi, writes_the_file_of_one_process_for_orlraws10P) {
  on_data_set("orlraws10P.mat");
}

TEST_F(SfgMpi, writes_the_file_of_one_process_for_lymphoma) {
  on_data_set("lymphoma.mat");
}

TEST_F(SfgMpi, writes_the_file_of_one_process_for_twenty_thousand_planted_features) {
  make_data({"--samples", "200",  "--features",     "20000", "--irrelevant", "0",
             "--copies",  "0.15", "--noisy",        "0.35",  "--noise",      "0.1",
             "--empty",   "0",    "--constant",     "0",     "--scaled",     "0.02",
             "--negated", "0.02", "--combinations", "0.3"});
  expect_same_for_1_2_and_4_ranks("data.npy");
}

TEST_F(SfgMpi, writes_the_file_of_one_process_with_every_option_of_the_graph) {
  make_data(kSmall);
  for (const Words& words :
       {Words{"--center"}, Words{"--pursuit", "ols"}, Words{"--engine", "gram"},
        Words{"--engine", "sparse"}, Words{"--screen", "f32", "--max-atoms", "3"},
        Words{"--format", "graphml"}}) {
    const Words graph = and_also({"graph", "data.npy"}, words);
    expect_same(3, graph, alone(graph));
  }
  const Words ring{"graph", "data.npy", "--center", "--screen", "f32", "--epsilon", "0.05"};
  expect_same(3, and_also(ring, {"--distribute", "ring"}), alone(ring));
}

TEST_F(SfgMpi, writes_the_file_of_one_process_for_sparse_data_and_for_many_samples) {
  ASSERT_EQ(sfg_({"synth", "--samples", "300", "--features", "800", "--density", "0.02", "-o",
                  "data.mtx"})
                .status,
            0);
  for (const Words& graph : {Words{"graph", "data.mtx"}, Words{"graph", "data.mtx", "--center"}}) {
    expect_same(3, graph, alone(graph));
  }
  // Up to 512 features with four times as many samples are factorised first.
  make_data({"--samples", "300", "--features", "60"});
  const Words many{"graph", "data.npy"};
  expect_same(2, many, alone(many));
  expect_same(2, and_also(many, {"--distribute", "ring"}), alone(many));
}

TEST_F(SfgMpi, more_ranks_than_features_do_no_harm) {
  folder_.write("few.csv", "a,b,c,d,e\n1,2,0,4,3\n2,4,1,1,5\n3,6,0,2,9\n5,10,2,2,2\n4,8,7,0,1\n");
  const Words graph{"graph", "few.csv"};
  expect_same(7, graph, alone(graph));
  expect_same(7, and_also(graph, {"--distribute", "ring"}), alone(graph));
}

TEST_F(SfgMpi, threads_inside_the_ranks_do_not_change_a_byte) {
  make_data(kSmall);
  const Words graph{"graph", "data.npy"};
  const std::string expected = alone(graph);
  for (const char* how : {"shared", "ring"}) {
    start_with(2);
    const ProgramRun run = mpi_(
        {"graph", "data.npy", "-o", "team.npz", "--force", "--threads", "3", "--distribute", how});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(read_file(folder_ / "team.npz") == expected) << how;
  }
}

// --- how the data are read ---------------------------------------------------------------------

TEST_F(SfgMpi, writes_the_file_of_one_process_whoever_reads_the_table) {
  make_data(kSmall);
  const std::string table = read_file(folder_ / "data.npy");
  std::string gap = table;
  const double nan = std::nan("");
  gap.replace(table.size() - sizeof nan, sizeof nan, reinterpret_cast<const char*>(&nan),
              sizeof nan);
  folder_.write("gap.npy", gap);
  std::string zeros = table;
  std::fill(zeros.begin() + 128 + 8 * 500, zeros.end(), '\0');
  folder_.write("zeros.npy", zeros);
  ASSERT_EQ(sfg_({"synth", "--samples", "700", "--features", "40", "-o", "turned.npy"}).status, 0);
  const std::string in_parts = "in parts";
  for (const auto& [words, how] : std::vector<std::pair<Words, std::string>>{
           {{"data.npy"}, in_parts},
           {{"turned.npy", "--features-in-rows"}, in_parts},
           {{"data.npy", "--center", "--transform", "winsor"}, in_parts},
           {{"data.npy", "--pursuit", "ols"}, in_parts},
           {{"gap.npy"}, "by the first rank: it has gaps"},
           {{"zeros.npy"}, "by the first rank: most of it is zero"},
           {{"data.npy", "--transform", "rank"}, "by the first rank"},
           {{"data.npy", "--drop", "f1"}, "by the first rank"}}) {
    const Words graph = and_also({"graph"}, words);
    const std::string expected = alone(graph);
    const ProgramRun run = mpi(3, and_also(graph, {"-o", "team.npz", "--force", "--json"}));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(read_file(folder_ / "team.npz") == expected)
        << fmt::format("{}", fmt::join(words, " "));
    EXPECT_EQ(run.json()["read"].get<std::string>().substr(0, how.size()), how);
  }
}

TEST_F(SfgMpi, a_value_that_cannot_be_transformed_is_found_in_whichever_part_it_is) {
  make_data(kSmall);
  const Words graph{"graph", "data.npy", "--transform", "sqrt"};
  const ProgramRun one = sfg_(graph);
  const ProgramRun team = mpi(3, graph);
  EXPECT_EQ(team.status, one.status);
  EXPECT_EQ(team.status, 4);
  EXPECT_NE(team.err.find(one.err.substr(one.err.find(':'))), std::string::npos) << team.err;
}

// --- where the data are ------------------------------------------------------------------------

TEST_F(SfgMpi, copies_of_the_data_are_one_per_group_of_ranks) {
  make_data(kSmall);
  const std::string expected = alone({"graph", "data.npy"});
  // What its own ranks have not read themselves.
  constexpr std::int64_t kDataBytes = std::int64_t{8} * 40 * 900 / 4;
  for (const int per_copy : {1, 2, 4}) {
    const ProgramRun run = mpi(4, {"graph", "data.npy", "-o", "team.npz", "--force", "--json",
                                   "--ranks-per-copy", std::to_string(per_copy)});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(read_file(folder_ / "team.npz") == expected);
    const auto ranks = run.json()["ranks"];
    for (int rank = 1; rank < 4; ++rank) {
      const bool gets_a_copy = rank % per_copy == 0;
      const auto received = ranks[rank]["received_bytes"];
      EXPECT_EQ(received.get<std::int64_t>() >= kDataBytes, gets_a_copy) << rank << per_copy;
    }
  }
}

TEST_F(SfgMpi, the_ring_is_taken_where_a_rank_has_no_room_for_its_share) {
  make_data({"--samples", "100", "--features", "3000"});
  const auto plan = [&](const std::string& memory) {
    const ProgramRun run = mpi(4, {"graph", "data.npy", "--dry-run", "--json", "--memory", memory});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.json();
  };
  EXPECT_EQ(plan("100M")["distribution"], "shared");
  const auto ring = plan("2M");
  EXPECT_EQ(ring["distribution"], "ring");
  EXPECT_LE(ring["bytes"].get<double>(), 2e6);
  const ProgramRun refused = mpi(4, {"graph", "data.npy", "--memory", "700K"});
  EXPECT_EQ(refused.status, 8) << refused.err;
  const ProgramRun forced =
      mpi(4, {"graph", "data.npy", "--memory", "2M", "--distribute", "shared", "-o", "g.npz"});
  EXPECT_EQ(forced.status, 8) << forced.err;
}

// --- what moved --------------------------------------------------------------------------------

std::int64_t sum_of(const nlohmann::json& ranks, const char* what) {
  std::int64_t sum = 0;
  for (const auto& rank : ranks) sum += rank[what].get<std::int64_t>();
  return sum;
}

TEST_F(SfgMpi, every_target_is_claimed_once_and_results_cost_what_the_model_says) {
  make_data(kSmall);
  const ProgramRun run = mpi(4, and_also(kGraph, {"--json", "--engine", "sparse"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const auto document = run.json();
  const auto& ranks = document["ranks"];
  ASSERT_EQ(ranks.size(), 4U);
  EXPECT_EQ(sum_of(ranks, "targets"), 900);
  EXPECT_EQ(sum_of(ranks, "claims"), (900 + 31) / 32);
  EXPECT_EQ(sum_of(ranks, "atoms"), document["n_edges"].get<std::int64_t>());
  for (std::size_t rank = 1; rank < 4; ++rank) {
    const auto of = [&](const char* what) { return ranks[rank][what].get<double>(); };
    // docs/SCALING.md: without first atoms a rank sends its results and its claims.
    const double blocks = std::ceil(of("targets") / 32);
    const double model = 17 * of("targets") + 12 * of("atoms") + 12 * blocks + 8 * of("claims");
    EXPECT_NEAR(of("sent_bytes"), model, 0.05 * model + 64) << rank;
  }
}

TEST_F(SfgMpi, the_ring_moves_as_many_bytes_as_the_model_says) {
  make_data({"--samples", "100", "--features", "1200"});
  for (const int n_ranks : {2, 4}) {
    const ProgramRun run =
        mpi(n_ranks, and_also(kGraph, {"--json", "--force", "--distribute", "ring"}));
    ASSERT_EQ(run.status, 0) << run.err;
    const auto document = run.json();
    const auto& ranks = document["ranks"];
    const auto steps = static_cast<double>(sum_of(ranks, "steps"));
    const auto targets = static_cast<double>(sum_of(ranks, "targets"));
    const auto atoms = static_cast<double>(sum_of(ranks, "atoms"));
    EXPECT_GE(steps, atoms);
    // docs/SCALING.md: residuals on their way, mean of forbidden atoms and one winner, results
    // from the ranks but the first, kinds and hashes of the features that these have read.
    const double forbidden = 1 + 0.5 * atoms / targets;
    const double search = (n_ranks - 1) * (8.0 * 100 + 24 + 4 * forbidden) + 24;
    const double results = (17 * targets + 12 * atoms) * (n_ranks - 1) / n_ranks;
    const double hashes = 17.0 * 1200 * (n_ranks - 1) / n_ranks;
    const double model = steps * search + results + hashes;
    EXPECT_NEAR(static_cast<double>(sum_of(ranks, "sent_bytes")), model, 0.05 * model) << n_ranks;
  }
}

// --- ranks that fail ---------------------------------------------------------------------------

TEST_F(SfgMpi, a_killed_rank_ends_the_job_and_another_number_of_ranks_goes_on) {
  make_data(kSmall);
  const std::string expected = alone({"graph", "data.npy"});
  for (const char* how : {"shared", "ring"}) {
    for (const int rank : {0, 2}) {
      SCOPED_TRACE(fmt::format("{}, rank {}", how, rank));
      const Words graph = and_also(kGraph, {"--journal-after", "0", "--distribute", how});
      const ProgramRun killed = mpi(4, graph, {rank, 2, SIGKILL});
      EXPECT_NE(killed.status, 0);
      EXPECT_NE(killed.status, 124) << "it hung";
      EXPECT_NE(killed.err.find(fmt::format("rank {} ", rank)), std::string::npos) << killed.err;
      EXPECT_FALSE(std::filesystem::exists(folder_ / "g.npz"));
      const ProgramRun resumed = mpi(3, and_also(graph, {"--resume"}));
      ASSERT_EQ(resumed.status, 0) << resumed.err;
      EXPECT_TRUE(read_file(folder_ / "g.npz") == expected);
      EXPECT_FALSE(std::filesystem::exists(folder_ / "g.npz.journal"));
      std::filesystem::remove(folder_ / "g.npz");
    }
  }
}

TEST_F(SfgMpi, a_journal_passes_from_several_processes_to_one_and_back) {
  make_data({"--samples", "40", "--features", "2500", "--seed", "3"});
  const std::string expected = alone({"graph", "data.npy"});
  std::filesystem::create_directory(folder_ / "out");
  const Words graph{"graph", "data.npy", "-o", "out/g.npz", "--journal-after", "0"};
  // The first rank is killed at a call that writes: some batches of blocks are on disk.
  start_with(4, " -x LD_PRELOAD='" SFG_INJECTOR
                "' -x SFG_FAULT_KIND=kill -x SFG_FAULT_AT=16 -x SFG_FAULT_FOLDER='" +
                    (folder_ / "out").string() + "'");
  const ProgramRun killed = mpi_(and_also(graph, {"--threads", "1"}));
  ASSERT_NE(killed.status, 0);
  ASSERT_TRUE(std::filesystem::exists(folder_ / "out/g.npz.journal")) << killed.err;
  std::filesystem::copy_file(folder_ / "out/g.npz.journal", folder_ / "kept");
  const ProgramRun one = sfg_(and_also(graph, {"--resume"}));
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.err.find("not computed again"), std::string::npos) << one.err;
  EXPECT_TRUE(read_file(folder_ / "out/g.npz") == expected);
  std::filesystem::rename(folder_ / "kept", folder_ / "out/g.npz.journal");
  const ProgramRun two = mpi(2, and_also(graph, {"--resume", "--force"}));
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_NE(two.err.find("not computed again"), std::string::npos) << two.err;
  EXPECT_TRUE(read_file(folder_ / "out/g.npz") == expected);
}

// It once waited in the collective end of a window for ranks that did not come.
TEST_F(SfgMpi, a_rank_that_gives_up_says_who_it_is_and_ends_the_job) {
  make_data(kSmall);
  for (const char* how : {"shared", "ring"}) {
    const ProgramRun run = mpi(4, and_also(kGraph, {"--distribute", how}), {2, 2, SIGTERM});
    EXPECT_EQ(run.status, 130) << run.err;
    EXPECT_NE(run.err.find("sfg-mpi: rank 2 of 4: interrupted"), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "g.npz"));
  }
}

TEST_F(SfgMpi, exit_codes_are_those_of_sfg) {
  make_data(kSmall);
  EXPECT_EQ(mpi(2, {"graph", "no-such.npy", "-o", "g.npz"}).status, 3);
  EXPECT_EQ(mpi(2, and_also(kGraph, {"--no-such-option"})).status, 2);
  EXPECT_EQ(mpi(2, and_also(kGraph, {"--distribute", "ring", "--pursuit", "ols"})).status, 2);
  folder_.write("g.npz", "mine");
  EXPECT_EQ(mpi(2, kGraph).status, 7);
  EXPECT_EQ(read_file(folder_ / "g.npz"), "mine");
  folder_.write("bad.csv", "a,b\n1,2\n3\n");
  EXPECT_EQ(mpi(2, {"graph", "bad.csv", "-o", "h.npz"}).status, 4);
  const ProgramRun help = mpi(2, {"graph", "--help"});
  EXPECT_EQ(help.status, 0) << help.err;
  EXPECT_NE(help.out.find("--distribute"), std::string::npos);
}

}  // namespace
}  // namespace sfg

// The command line as a script sees it: words in; exit code, streams and files out.
#include <gtest/gtest.h>

#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

/// b = 2 a, c independent.
constexpr const char* kTable = "id,a,b,c,class\ns1,1,2,5,x\ns2,2,4,1,y\ns3,3,6,7,x\ns4,-1,-2,2,y\n";

class CommandLine : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  Program sfg_{folder_};
};

TEST_F(CommandLine, without_words_is_wrong_usage) {
  const ProgramRun run = sfg_({});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("sfg reduce"), std::string::npos);
  EXPECT_TRUE(run.out.empty());
}

TEST_F(CommandLine, help_goes_to_standard_output_with_examples_before_options) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"reduce", "--help"}, {"help", "sweep"}, {"help"}}) {
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, 0);
    EXPECT_TRUE(run.err.empty());
    EXPECT_LT(run.out.find("Examples:"), run.out.find("Options:"));
  }
  EXPECT_EQ(sfg_({"help", "nothing"}).status, 2);
}

#if defined(__x86_64__)
TEST_F(CommandLine, a_processor_that_openblas_does_not_know_gets_kernels_of_its_kind) {
  const auto kernels = [&] { return sfg_({"--version", "--json"}).json().at("blas_kernels"); };
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    EXPECT_NE(kernels(), "Prescott");
  }
  sfg_.set_environment("OPENBLAS_CORETYPE=Prescott");
  EXPECT_EQ(kernels(), "Prescott") << "what the user asks for stays";
}
#endif

TEST_F(CommandLine, version_is_one_line_and_json_on_request) {
  EXPECT_TRUE(sfg_({"--version"}).out.starts_with("sfg "));
  EXPECT_EQ(sfg_({"--version", "--json"}).json().at("name"), "sfg");
}

TEST_F(CommandLine, unknown_options_and_values_are_wrong_usage) {
  folder_.write("t.csv", kTable);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"reduce"},
        {"reduce", "t.csv", "--tetha", "0.5"},
        {"reduce", "t.csv", "--theta", "1.5"},
        {"reduce", "t.csv", "--theta", "much"},
        {"reduce", "t.csv", "--epsilon", "0"},
        {"reduce", "t.csv", "--max-angle", "100"},
        {"reduce", "t.csv", "--max-angle", "10"},
        {"reduce", "t.csv", "--grouping", "heaps"},
        {"reduce", "t.csv", "--grouping", "cover", "--theta", "0.5"},
        {"reduce", "t.csv", "--theta", "0.5", "--n-features", "2"},
        {"reduce", "t.csv", "--max-r2", "0"},
        {"reduce", "t.csv", "--max-r2", "1.1"},
        {"reduce", "t.csv", "--max-r2", "0.8", "--theta", "0.5"},
        {"reduce", "t.csv", "--max-r2", "0.8", "--n-features", "2"},
        {"reduce", "t.csv", "--max-r2", "0.8", "--certify", "0.5"},
        {"reduce", "t.csv", "--max-r2", "0.8", "--representative", "medoid"},
        {"reduce", "t.csv", "--max-r2", "0.8", "--preset", "paper"},
        {"reduce", "t.csv", "--max-r2", "0.8", "--resume", "-o", "out"},
        {"reduce", "t.csv", "--grouping", "compact", "--max-r2", "0.8"},
        {"sweep", "t.csv", "--max-r2", "0.8"},
        {"reduce", "t.csv", "--n-features", "0"},
        {"reduce", "t.csv", "--keep-share", "1.5"},
        {"reduce", "t.csv", "--min-mean-r2", "0"},
        {"reduce", "t.csv", "--certify", "1"},
        {"reduce", "t.csv", "--certify-sample", "few"},
        {"reduce", "t.csv", "--theta", "0.5", "--graph", "knn"},
        {"compare", "t.csv", "--shares", "2"},
        {"reduce", "t.csv", "--pursuit", "lasso"},
        {"reduce", "t.csv", "--memory", "lots"},
        {"reduce", "t.csv", "--threads", "0"},
        {"reduce", "t.csv", "--representative", "priority"},
        {"reduce", "t.csv", "-o", "out.csv"},
        {"convert", "t.csv", "t.unknown"},
        {"graph", "t.csv", "-o", "-"},
        {"frobnicate"}}) {
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_TRUE(run.err.starts_with("sfg: ")) << run.err;
    EXPECT_TRUE(run.out.empty());
    EXPECT_EQ(sfg_.files(), std::vector<std::string>{"t.csv"});
  }
}

TEST_F(CommandLine, reduce_writes_all_its_files_and_one_json_document) {
  folder_.write("t.csv", kTable);
  const ProgramRun run =
      sfg_({"reduce", "t.csv", "--labels", "class", "--theta", "0.5", "-o", "out", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto document = run.json();
  EXPECT_EQ(document.at("n_features"), 3);
  EXPECT_EQ(document.at("n_kept"), 2);
  EXPECT_EQ(document.at("kept"), (std::vector<int>{0, 2}));
  for (const char* key :
       {"n_samples", "groups", "grouping", "theta", "threshold", "representative", "mean_r2",
        "r2_q10", "certified_80", "certified_50", "r2cv_mean", "r2cv_q10", "neighbour_overlap",
        "permutation_check", "weights", "engine", "seconds", "peak_rss_bytes"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_TRUE(document.at("seconds").contains("total"));
  EXPECT_EQ(sfg_.files(),
            (std::vector<std::string>{"out.equations.tsv", "out.groups.tsv", "out.kept.txt",
                                      "out.log", "out.model.json", "out.reduced.csv",
                                      "out.removed.tsv", "out.weights.tsv", "t.csv"}));
  EXPECT_EQ(read_file(folder_ / "out.kept.txt"), "a\nc\n");
  EXPECT_EQ(read_file(folder_ / "out.removed.tsv"),
            "feature\trepresentative\tr2\theld_out_r2\tcombination\tcombination_r2_in_sample\t"
            "reason\tcertificate\tbest_kept\tbest_kept_r2\n"
            "b\ta\t1\t\t2*a\t1\tredundant\tcopy\ta\t1\n");
  EXPECT_EQ(read_file(folder_ / "out.weights.tsv"),
            "feature\tstands_for\tweight\na\t2\t1.41421\nc\t1\t1\n");
  EXPECT_EQ(read_file(folder_ / "out.reduced.csv"),
            "id,a,c,\"class\"\ns1,1,5,\"x\"\ns2,2,1,\"y\"\ns3,3,7,\"x\"\ns4,-1,2,\"y\"\n");
  EXPECT_NE(read_file(folder_ / "out.log").find("theta=0.5"), std::string::npos);
}

TEST_F(CommandLine, the_model_applies_to_reordered_columns_and_explains) {
  folder_.write("t.csv", kTable);
  ASSERT_EQ(sfg_({"reduce", "t.csv", "--labels", "class", "-o", "out", "-q"}).status, 0);
  folder_.write("new.csv", "c,extra,b,a\n7,0,2,1\n8,0,4,2\n");
  const ProgramRun run = sfg_({"apply", "out.model.json", "new.csv", "-o", "new_reduced.csv"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_file(folder_ / "new_reduced.csv"), "a,c\n1,7\n2,8\n");
  EXPECT_EQ(sfg_({"apply", "out.model.json", "t.csv", "--labels", "class", "-o", "same"}).status,
            0);
  EXPECT_EQ(read_file(folder_ / "same.reduced.csv"), read_file(folder_ / "out.reduced.csv"));

  const auto removed = sfg_({"explain", "out.model.json", "b", "--json"}).json();
  EXPECT_EQ(removed.at("role"), "removed");
  EXPECT_EQ(removed.at("representative"), "a");
  EXPECT_EQ(removed.at("combination").at("text"), "2*a");
  EXPECT_NE(sfg_({"explain", "out.model.json", "c"}).out.find("kept"), std::string::npos);
  EXPECT_EQ(sfg_({"explain", "out.model.json", "z"}).status, 5);
  // Without names both sides must have the same number of features.
  folder_.write("bare.csv", "1,2,3,4\n5,6,7,9\n");
  EXPECT_EQ(sfg_({"apply", "out.model.json", "bare.csv", "-o", "x.csv"}).status, 5);
}

TEST_F(CommandLine, graph_and_sweep_agree_with_reduce) {
  ASSERT_EQ(sfg_({"synth", "--samples", "60", "--features", "120", "-o", "p.csv", "-q"}).status, 0);
  ASSERT_EQ(sfg_({"graph", "p.csv", "-o", "g.npz", "-q"}).status, 0);
  const auto from_graph = sfg_({"sweep", "g.npz", "--json"}).json();
  const auto from_data = sfg_({"sweep", "p.csv", "--json"}).json();
  ASSERT_EQ(from_graph.at("levels").size(), 9U);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(from_graph["levels"][k]["n_kept"], from_data["levels"][k]["n_kept"]);
    EXPECT_EQ(from_graph["levels"][k]["threshold"], from_data["levels"][k]["threshold"]);
  }
  const auto reduced = sfg_({"reduce", "p.csv", "--theta", "0.5", "--json"}).json();
  EXPECT_EQ(reduced.at("n_kept"), from_data["levels"][4]["n_kept"]);
  const ProgramRun edges = sfg_({"graph", "p.csv", "--format", "edges", "-o", "-"});
  EXPECT_TRUE(edges.out.starts_with("source\ttarget\tweight\n"));
  EXPECT_EQ(sfg_({"graph", "p.csv", "-o", "g.graphml", "--group-of", "x001"}).status, 0);
  EXPECT_NE(read_file(folder_ / "g.graphml").find("<graphml"), std::string::npos);
  EXPECT_EQ(sfg_({"graph", "p.csv", "-o", "h.graphml", "--group-of", "nobody"}).status, 5);
}

TEST_F(CommandLine, the_same_files_come_out_for_every_number_of_threads) {
  ASSERT_EQ(sfg_({"synth", "--samples", "60", "--features", "150", "-o", "p.csv", "-q"}).status, 0);
  for (const std::string threads : {"1", "2", "5"}) {
    ASSERT_EQ(sfg_({"reduce", "p.csv", "-o", "r" + threads, "--threads", threads, "-q"}).status, 0);
    for (const std::string ending : {".kept.txt", ".removed.tsv", ".model.json", ".reduced.csv"}) {
      EXPECT_EQ(read_file(folder_ / ("r" + threads + ending)),
                read_file(folder_ / ("r1" + ending)));
    }
  }
}

TEST_F(CommandLine, standard_input_and_other_formats_are_read) {
  const ProgramRun run = sfg_({"reduce", "-", "--labels", "class", "--json"}, kTable);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("n_kept"), 2);
  folder_.write("t.csv", kTable);
  for (const std::string format : {"tsv", "npy", "mtx"}) {
    ASSERT_EQ(sfg_({"convert", "t.csv", "t." + format, "--labels", "class"}).status, 0);
    EXPECT_EQ(sfg_({"reduce", "t." + format, "--labels", format == "tsv" ? "class" : "", "--json"})
                  .json()
                  .at("n_kept"),
              2);
  }
  EXPECT_EQ(sfg_({"convert", "t.csv", "-", "--to", "tsv", "--labels", "class"}).out,
            read_file(folder_ / "t.tsv"));
  EXPECT_EQ(sfg_({"convert", "t.csv", "t.svm", "--labels", "class"}).status, 5);
}

TEST_F(CommandLine, info_counts_what_is_in_a_file) {
  folder_.write("t.csv", "a,b,c,d\n1,,0,4\n2,5,0,4\ninf,6,0,4\n");
  const auto document = sfg_({"info", "t.csv", "--json"}).json();
  EXPECT_EQ(document.at("missing"), 1);
  EXPECT_EQ(document.at("infinite"), 1);
  EXPECT_EQ(document.at("empty"), 1);
  EXPECT_EQ(document.at("constant"), 1);
  EXPECT_EQ(document.at("n_features"), 4);
}

TEST_F(CommandLine, protected_features_and_priorities_are_obeyed) {
  folder_.write("t.csv", kTable);
  folder_.write("keep.txt", "b\n");
  folder_.write("bad.txt", "nobody\n");
  const std::vector<std::string> base{"reduce", "t.csv", "--labels", "class", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return sfg_(more);
  };
  EXPECT_EQ(with({"--keep", "keep.txt"}).json().at("kept"), (std::vector<int>{1, 2}));
  EXPECT_EQ(with({"--priority", "keep.txt"}).json().at("kept"), (std::vector<int>{1, 2}));
  EXPECT_EQ(with({"--keep", "bad.txt"}).status, 5);
  EXPECT_EQ(with({"--keep", "none.txt"}).status, 3);
}

struct BadInput {
  std::string name;
  std::string file;
  std::string contents;
  int status;
  std::vector<std::string> words_in_message;
};

class BadInputs : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, end_with_the_documented_code_a_message_and_no_output) {
  const TemporaryFolder folder;
  const Program sfg(folder);
  folder.write(GetParam().file, GetParam().contents);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"reduce", GetParam().file, "-o", "out"},
        {"graph", GetParam().file, "-o", "g.npz"},
        {"sweep", GetParam().file}}) {
    const ProgramRun run = sfg(words);
    EXPECT_EQ(run.status, GetParam().status) << run.err;
    EXPECT_TRUE(run.out.empty());
    EXPECT_TRUE(run.err.starts_with("sfg: "));
    for (const std::string& word : GetParam().words_in_message) {
      EXPECT_NE(run.err.find(word), std::string::npos) << run.err << "lacks: " << word;
    }
    EXPECT_EQ(sfg.files(), std::vector<std::string>{GetParam().file});
  }
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, BadInputs,
    ::testing::Values(
        BadInput{"empty_file", "t.csv", "", 4, {"t.csv", "empty"}},
        BadInput{"ragged", "t.csv", "a,b\n1,2\n3\n", 4, {"t.csv", "line 3"}},
        BadInput{"text_for_numbers", "t.csv", "a,b\n1,2\nx,oops\n", 4, {"line 3", "oops"}},
        BadInput{
            "equal_names", "t.csv", "a,b,a\n1,2,3\n4,5,7\n", 5, {"\"a\"", "--suffix-duplicates"}},
        BadInput{"truncated_npy", "t.npy", std::string("\x93NUMPY\x01\x00v\x00", 10), 4, {"t.npy"}},
        BadInput{"not_a_mat_file", "t.mat", "MATLAB 5.0 MAT-file, cut short", 4, {"t.mat"}},
        BadInput{"one_feature", "t.csv", "a\n1\n2\n", 6, {"one feature"}},
        BadInput{"one_sample", "t.csv", "a,b\n1,2\n", 6, {"one sample"}},
        BadInput{"all_constant", "t.csv", "a,b\n1,2\n1,2\n1,2\n", 6, {"constant"}}),
    [](const auto& info) { return info.param.name; });

TEST_F(CommandLine, a_file_that_is_not_there_cannot_be_read) {
  const ProgramRun run = sfg_({"reduce", "none.csv"});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("none.csv"), std::string::npos);
}

TEST_F(CommandLine, outputs_that_cannot_be_written_are_refused_before_the_work) {
  folder_.write("t.csv", kTable);
  folder_.write("plain", "a file, not a folder");
  for (const std::string prefix : {"nowhere/out", "plain/out"}) {
    const ProgramRun run = sfg_({"reduce", "t.csv", "--labels", "class", "-o", prefix});
    EXPECT_EQ(run.status, 7) << run.err;
    EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"plain", "t.csv"}));
  }
}

TEST_F(CommandLine, existing_outputs_are_replaced_only_by_force) {
  folder_.write("t.csv", kTable);
  folder_.write("out.kept.txt", "mine");
  const std::vector<std::string> words{"reduce", "t.csv", "--labels", "class", "-o", "out"};
  const ProgramRun run = sfg_(words);
  EXPECT_EQ(run.status, 7);
  EXPECT_NE(run.err.find("--force"), std::string::npos);
  EXPECT_EQ(read_file(folder_ / "out.kept.txt"), "mine");
  EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"out.kept.txt", "t.csv"}));
  auto forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(sfg_(forced).status, 0);
  EXPECT_EQ(read_file(folder_ / "out.kept.txt"), "a\nc\n");
}

TEST_F(CommandLine, a_dry_run_tells_the_plan_and_writes_nothing) {
  ASSERT_EQ(sfg_({"synth", "--samples", "50", "--features", "300", "-o", "p.npy", "-q"}).status, 0);
  const ProgramRun graph = sfg_({"graph", "p.npy", "--dry-run", "--json", "-o", "g.npz"});
  ASSERT_EQ(graph.status, 0) << graph.err;
  const auto plan = nlohmann::json::parse(graph.out);
  EXPECT_EQ(plan["engine"], "stream");
  EXPECT_GT(plan["mean_atoms"], 1);
  const double atoms = plan["mean_atoms"];
  EXPECT_NEAR(plan["multiply_adds"], (atoms - 0.5) * 300 * 300 * 50, 1);
  // The data as they were read stay beside the graph in 'reduce' only.
  const auto reduce = nlohmann::json::parse(sfg_({"reduce", "p.npy", "--dry-run", "--json"}).out);
  EXPECT_EQ(static_cast<double>(reduce["data_bytes"]) - static_cast<double>(plan["data_bytes"]),
            50 * 300 * 8);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "g.npz"));
}

TEST_F(CommandLine, a_dry_run_of_the_sparse_engine_counts_the_entries_of_the_residuals_rows) {
  // Two equal pairs: each feature takes its twin, from the rows of its own two entries.
  folder_.write("p.csv", "a,b,c,d\n1,1,0,0\n2,2,0,0\n0,0,3,3\n0,0,1,1\n");
  const auto plan = nlohmann::json::parse(
      sfg_({"graph", "p.csv", "--engine", "sparse", "--dry-run", "--json"}).out);
  EXPECT_EQ(plan["mean_atoms"], 1);
  EXPECT_EQ(plan["multiply_adds"], 4 * 2 * 2);
}

TEST_F(CommandLine, bench_times_the_product_and_every_engine_with_every_number_of_threads) {
  const ProgramRun run = sfg_({"bench", "--samples", "30", "--features", "200", "--repeat", "3",
                               "--engines", "auto,stream:f32", "--thread-counts", "1,2", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  std::vector<std::string> rows;
  const auto document = nlohmann::json::parse(run.out);
  for (const auto& row : document["rows"]) {
    rows.push_back(row["name"].get<std::string>() + " " + row["threads"].dump());
    EXPECT_GT(row["seconds"], 0);
    EXPECT_GT(row["ratio_to_ssyrk"], 0);
  }
  const std::vector<std::string> expected{"cblas_ssyrk 1", "auto 1", "stream:f32 1",
                                          "cblas_ssyrk 2", "auto 2", "stream:f32 2"};
  EXPECT_EQ(rows, expected);
}

TEST_F(CommandLine, bench_refuses_what_is_no_engine_and_no_number_of_threads) {
  for (const std::string engine : {"fast", "stream:int9", "cblas_ssyrk"}) {
    const ProgramRun run = sfg_({"bench", "--features", "200", "--engines", engine});
    EXPECT_EQ(run.status, 2) << engine;
    EXPECT_NE(run.err.find("must be one of"), std::string::npos) << run.err;
  }
  EXPECT_EQ(sfg_({"bench", "--features", "200", "--thread-counts", "1,0"}).status, 2);
}

TEST_F(CommandLine, a_memory_limit_below_the_need_is_refused_with_the_need) {
  ASSERT_EQ(sfg_({"synth", "--samples", "100", "--features", "500", "-o", "p.npy", "-q"}).status,
            0);
  const ProgramRun run = sfg_({"reduce", "p.npy", "--memory", "500K"});
  EXPECT_EQ(run.status, 8) << run.err;
  EXPECT_NE(run.err.find("500 kB"), std::string::npos) << run.err;
}

TEST_F(CommandLine, a_full_standard_output_is_an_error) {
  folder_.write("t.csv", kTable);
  const std::string line = "cd '" + folder_.path().string() + "' && '" + SFG_PROGRAM +
                           "' info t.csv --labels class >/dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 7);
}

TEST_F(CommandLine, omp_num_threads_and_a_comma_locale_change_nothing) {
  folder_.write("t.csv", kTable);
  const std::vector<std::string> words{"sweep", "t.csv", "--labels", "class"};
  const std::string plain = sfg_(words).out;
  sfg_.set_environment("OMP_NUM_THREADS=1 LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8");
  EXPECT_EQ(sfg_(words).out, plain);
}

TEST_F(CommandLine, names_with_tabs_and_line_ends_stay_on_their_line) {
  folder_.write("t.csv", "\"a\tb\nc\",b,\"=cmd()\"\n1,2,5\n2,4,1\n3,6,7\n");
  ASSERT_EQ(sfg_({"reduce", "t.csv", "-o", "out", "-q"}).status, 0);
  EXPECT_EQ(read_file(folder_ / "out.kept.txt"), "a\\tb\\nc\n=cmd()\n");
  const std::string removed = read_file(folder_ / "out.removed.tsv");
  EXPECT_EQ(std::ranges::count(removed, '\n'), 2);
}

}  // namespace
}  // namespace sfg

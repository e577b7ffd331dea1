// Streams, outputs and their limits, as a script sees them: what comes through pipes and packed,
// what may be written where, and that nothing waits for ever.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <barrier>
#include <csignal>
#include <thread>

#include "gzip.hpp"
#include "helpers.hpp"
#include "program.hpp"
#include "sfg/sfg.hpp"
#include "write/mat.hpp"

#ifdef SFG_WITH_HDF5
#include "hdf5_maker.hpp"
#endif

namespace sfg {
namespace {

using testing::expect_error;
using testing::packed;
using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

constexpr const char* kStreamTable = "a,b,c\n1,2,5\n2,4,1\n3,6,7\n-1,-2,2\n4,8,0\n";

class Streams : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("t.csv", kStreamTable);
    // Whoever started the tests may ignore them.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
  }

  TemporaryFolder folder_;
  Program sfg_{folder_};
};

/// The program with a pipe as its standard input, which only this test ends.
class Waiting {
 public:
  explicit Waiting(const std::vector<std::string>& words) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    input_ = ends[1];
    process_ = fork();
    if (process_ == 0) {
      const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2(ends[0], STDIN_FILENO);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      std::vector<char*> arguments{const_cast<char*>(SFG_PROGRAM)};
      for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execv(SFG_PROGRAM, arguments.data());
      _exit(127);
    }
    close(ends[0]);
  }
  ~Waiting() { close_input(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// Returns when the program has read at least some of it: a pipe holds less.
  void write_more_than_a_pipe_holds() const {
    std::string text;
    while (text.size() < std::size_t{1} << 20U) text += "1,22222\n";
    EXPECT_EQ(write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_input() {
    if (input_ >= 0) close(input_);
    input_ = -1;
  }
  void signal(int number) const { EXPECT_EQ(kill(process_, number), 0); }
  /// Exit status, and the most memory that it had in bytes.
  std::pair<int, double> end() const {
    int status = 0;
    rusage used{};
    EXPECT_EQ(wait4(process_, &status, 0, &used), process_);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1024.0 * used.ru_maxrss};
  }

 private:
  int input_ = -1;
  pid_t process_ = 0;
};

// --- signals -------------------------------------------------------------------------------------

TEST_F(Streams, a_program_that_waits_for_its_input_ends_by_a_signal) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Waiting waiting({"info", "-"});
    waiting.write_more_than_a_pipe_holds();
    waiting.signal(number);
    EXPECT_EQ(waiting.end().first, 130);
  }
}

TEST_F(Streams, a_signal_that_the_caller_ignores_stays_ignored) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(number, SIG_IGN);
    Waiting waiting({"info", "-"});
    std::signal(number, SIG_DFL);
    waiting.write_more_than_a_pipe_holds();
    waiting.signal(number);
    waiting.close_input();
    EXPECT_EQ(waiting.end().first, 0);
  }
}

TEST_F(Streams, a_named_pipe_that_nobody_writes_to_is_waited_for_and_given_up) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const Waiting waiting({"info", path});
  // Returns when the program has it open.
  const int input = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  waiting.signal(SIGINT);
  EXPECT_EQ(waiting.end().first, 130);
  close(input);
}

TEST_F(Streams, an_endless_stream_stops_at_the_memory_limit) {
  folder_.write("endless.sh", "yes 1,2,3 | \"$1\" info - --memory 50M; exit $?");
  const std::string line =
      "sh '" + (folder_ / "endless.sh").string() + "' '" SFG_PROGRAM "' > /dev/null 2>&1";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 8);
}

// --- packed and piped inputs ---------------------------------------------------------------------

#ifdef SFG_WITH_HDF5

TEST_F(Streams, h5ad_comes_from_standard_input_and_gzip) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  {
    testing::Hdf5Maker maker(folder_ / "a.h5ad");
    maker.numbers("X", H5T_NATIVE_DOUBLE, {2, 3}, values);
    maker.group("layers").numbers("layers/more", H5T_NATIVE_DOUBLE, {2, 3}, values);
  }
  const std::string bytes = read_file(folder_ / "a.h5ad");
  folder_.write("a.h5ad.gz", packed(bytes));
  const ProgramRun plain = sfg_({"convert", "a.h5ad", "-", "--to", "csv"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_EQ(plain.out, "f0,f1,f2\n1,2,3\n4,5,6\n");
  for (const ProgramRun& run :
       {sfg_({"convert", "-", "-", "--to", "csv"}, bytes),
        sfg_({"convert", "a.h5ad.gz", "-", "--to", "csv"}),
        sfg_({"convert", "-", "-", "--to", "csv"}, packed(bytes)),
        sfg_({"convert", "a.h5ad", "-", "--to", "csv", "--layer", "more"})}) {
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, plain.out);
  }
  const ProgramRun damaged = sfg_({"info", "-"}, bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(damaged.status, 4);
  EXPECT_NE(damaged.err.find("standard input"), std::string::npos) << damaged.err;
  EXPECT_EQ(damaged.err.find("/tmp/"), std::string::npos) << "names a temporary file";
}

TEST_F(Streams, layers_are_named_where_one_is_not_there) {
  {
    testing::Hdf5Maker maker(folder_ / "a.h5ad");
    maker.group("layers").numbers("layers/more", H5T_NATIVE_DOUBLE, {1, 2}, std::vector{1.0, 2.0});
  }
  const ProgramRun without = sfg_({"info", "a.h5ad"});
  EXPECT_EQ(without.status, 4);
  EXPECT_NE(without.err.find("layers more; choose one with --layer NAME"), std::string::npos)
      << without.err;
  EXPECT_EQ(sfg_({"info", "a.h5ad", "--layer", "less"}).status, 5);
  EXPECT_EQ(sfg_({"info", "t.csv", "--layer", "more"}).status, 2);
}

#endif

#ifdef SFG_WITH_MAT

TEST_F(Streams, mat_7_3_comes_from_standard_input_and_gzip) {
  const Dataset dataset = read_dataset(folder_ / "t.csv", {});
  detail::write_mat_version(dataset, folder_ / "t.mat", detail::MatVersion::v73);
  const std::string bytes = read_file(folder_ / "t.mat");
  folder_.write("t.mat.gz", packed(bytes));
  for (const ProgramRun& run : {sfg_({"convert", "-", "-", "--to", "csv"}, bytes),
                                sfg_({"convert", "t.mat.gz", "-", "--to", "csv"})}) {
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, kStreamTable);
  }
}

#endif

TEST_F(Streams, kinds_of_files_that_are_not_read_are_named) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"PAR1....", "Parquet"},
      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", ".xls"},
      {"7z\xbc\xaf\x27\x1c....", "7-Zip"},
      {"SQLite format 3\0"s, "SQLite"},
      {"<!DOCTYPE html><html>", "HTML"},
      {"{\"a\": [1, 2]}", "JSON"},
      {"{\"format\":\"sfg-model\"}", "model of sfg"},
      {std::string(257, 'a') + "ustar", "tar archive"},
  };
  for (const auto& [bytes, kind] : kinds) {
    folder_.write("x.csv", bytes);
    const ProgramRun run = sfg_({"info", "x.csv"});
    EXPECT_EQ(run.status, 4) << kind;
    EXPECT_NE(run.err.find(kind), std::string::npos) << run.err;
  }
}

// --- outputs -------------------------------------------------------------------------------------

TEST_F(Streams, an_ending_of_gz_packs_the_output) {
  for (const char* name : {"t.csv.gz", "t.tsv.gz", "t.npy.gz", "t.mtx.gz", "t.svm.gz"}) {
    ASSERT_EQ(sfg_({"convert", "t.csv", name}).status, 0) << name;
    EXPECT_TRUE(read_file(folder_ / name).starts_with("\x1f\x8b")) << name;
    const Dataset back = read_dataset(folder_ / name, {});
    EXPECT_EQ(n_samples(back.matrix), 5) << name;
    EXPECT_EQ(n_features(back.matrix), 3) << name;
  }
  ASSERT_EQ(sfg_({"convert", "t.csv.gz", "back.csv"}).status, 0);
  EXPECT_EQ(read_file(folder_ / "back.csv"), kStreamTable);
  ASSERT_EQ(sfg_({"convert", "t.csv", "again.csv.gz"}).status, 0);
  EXPECT_EQ(read_file(folder_ / "again.csv.gz"), read_file(folder_ / "t.csv.gz")) << "has a time";
  ASSERT_EQ(sfg_({"graph", "t.csv", "-o", "g.tsv.gz"}).status, 0);
  EXPECT_TRUE(read_file(folder_ / "g.tsv.gz").starts_with("\x1f\x8b"));
  for (const char* name : {"t.csv.bz2", "t.csv.xz", "t.csv.zip", "t.mat.gz"}) {
    EXPECT_EQ(sfg_({"convert", "t.csv", name}).status, 2) << name;
  }
  EXPECT_EQ(sfg_({"graph", "t.csv", "-o", "g.npz.gz"}).status, 2);
}

TEST_F(Streams, endings_that_name_no_format_and_folders_are_refused) {
  std::filesystem::create_directory(folder_ / "sub");
  ASSERT_EQ(sfg_({"reduce", "t.csv", "-o", "m"}).status, 0);
  const auto before = sfg_.files();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"graph", "t.csv", "-o", "g.dot"},
           {"graph", "t.csv", "-o", "g.csv"},
           {"sweep", "t.csv", "-o", "s.xlsx"},
           {"apply", "m.model.json", "t.csv", "-o", "new.xlsx"},
           {"apply", "m.model.json", "t.csv", "-o", "sub/"},
           {"convert", "t.csv", "x.dot"},
           {"reduce", "t.csv", "-o", "sub/"},
           {"reduce", "t.csv", "-o", "/"},
           {"reduce", "t.csv", "-o", ".."},
           {"graph", "t.csv", "-o", "sub/"},
           {"experiment", "t.csv", "-o", "-"},
       }) {
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, 2) << words[0] << " " << words.back() << run.err;
    EXPECT_EQ(sfg_.files(), before);
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "sub"));
  }
  EXPECT_EQ(sfg_({"graph", "t.csv", "-o", "g.dot", "--format", "edges"}).status, 0);
}

TEST_F(Streams, a_link_to_nothing_is_not_written_through) {
  std::filesystem::create_symlink("nowhere", folder_ / "g.npz");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"graph", "t.csv", "-o", "g.npz"}, {"graph", "t.csv", "-o", "g.npz", "--force"}}) {
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, 7);
    EXPECT_NE(run.err.find("link to a file that is not there"), std::string::npos) << run.err;
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "g.npz"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
  }
}

TEST(OutputFilesOfTwoRuns, the_second_never_replaces_the_first) {
  constexpr int kRuns = 8;
  constexpr int kRounds = 25;
  for (int round = 0; round < kRounds; ++round) {
    const TemporaryFolder folder(testing::fast_place());
    std::atomic<int> n_done = 0;
    std::barrier start(kRuns);
    const auto run = [&](int number) {
      OutputFiles files(Existing::refuse);
      // All of them see that nothing is there.
      files.add_text(folder / "out.a", std::to_string(number));
      files.add_text(folder / "out.b", std::to_string(number));
      start.arrive_and_wait();
      try {
        files.commit();
        ++n_done;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cannot_write);
        EXPECT_NE(std::string(error.what()).find("exists already"), std::string::npos);
      }
    };
    std::vector<std::jthread> threads;
    for (int number = 0; number < kRuns; ++number) threads.emplace_back(run, number);
    threads.clear();
    EXPECT_EQ(n_done, 1);
    EXPECT_EQ(read_file(folder / "out.a"), read_file(folder / "out.b"));
  }
}

TEST_F(Streams, minus_is_standard_output_and_nothing_else_goes_there) {
  ASSERT_EQ(sfg_({"reduce", "t.csv", "--theta", "0.5", "-o", "m"}).status, 0);
  const std::string reduced = read_file(folder_ / "m.reduced.csv");
  for (const ProgramRun& run : {sfg_({"apply", "m.model.json", "t.csv", "-o", "-"}),
                                sfg_({"apply", "m.model.json", "t.csv", "-o", "-", "--quiet"}),
                                sfg_({"reduce", "t.csv", "--theta", "0.5", "-o", "-"})}) {
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, reduced);
  }
  EXPECT_EQ(sfg_({"sweep", "t.csv", "-o", "-"}).out.substr(0, 16), "theta\tthreshold\t");
  EXPECT_TRUE(
      sfg_({"graph", "t.csv", "--format", "edges", "-o", "-", "-q"}).out.starts_with("source"));
  EXPECT_EQ(sfg_({"apply", "m.model.json", "t.csv", "-o", "-", "--json"}).status, 2);
}

TEST_F(Streams, a_graph_that_unpacks_to_gigabytes_is_refused_before_memory_is_taken) {
  folder_.write("bomb.py", R"(
import zipfile
with zipfile.ZipFile('bomb.npz', 'w', zipfile.ZIP_DEFLATED) as z:
    for name in ('indices', 'indptr', 'data'):
        with z.open(name + '.npy', 'w') as f:
            for i in range(300): f.write(bytes(1000000))
)");
  const std::string make = "cd '" + folder_.path().string() + "' && python3 bomb.py 2> /dev/null";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "no Python here";
  const Waiting run({"sweep", (folder_ / "bomb.npz").string()});
  const auto [status, memory] = run.end();
  EXPECT_EQ(status, 4);
#ifndef SFG_SANITIZED_BUILD
  EXPECT_LT(memory, 200e6);
#endif
  expect_error(ErrorCode::malformed_input, {"bomb.npz", "500 times", "memory_limit"},
               [&] { (void)load_graph(folder_ / "bomb.npz"); });
}

TEST_F(Streams, pages_are_equal_under_a_fixed_date) {
  if (!report_is_possible()) GTEST_SKIP() << "built without the report page";
  sfg_.set_environment("SOURCE_DATE_EPOCH=1700000000");
  ASSERT_EQ(sfg_({"report", "t.csv", "-o", "1.html"}).status, 0);
  ASSERT_EQ(sfg_({"report", "t.csv", "-o", "2.html", "--threads", "1"}).status, 0);
  EXPECT_EQ(read_file(folder_ / "1.html"), read_file(folder_ / "2.html"));
}

}  // namespace
}  // namespace sfg

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "command_run.hpp"
#include "commands.hpp"

namespace sfg::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* kBenchDescription =
    "Speed on this machine: the graph against one symmetric matrix product of the data.\n\n"
    "Examples:\n"
    "  sfg bench data.csv\n"
    "  sfg bench --samples 500 --features 20000 --repeat 3      planted data of that size\n"
    "  sfg bench data.mat --engines stream:int8,gram --json\n\n"
    "Each line is the best of several runs, all in this one process, with the matrix in memory;\n"
    "a first one to warm up is not counted where runs are short.\n"
    "'ratio' is the time beside cblas_ssyrk of the same matrix (float, one triangle, same "
    "threads).";

constexpr const char* kProduct = "cblas_ssyrk";
/// A run that takes less than this many seconds is short: the one before it shows in its time.
constexpr double kShortRun = 1;

/// What is timed without a file.
constexpr SynthOptions kUsualData{.n_samples = 100, .n_features = 10'000};

struct Row {
  std::string name;  ///< the product, or an engine
  int threads = 1;
  double seconds = std::numeric_limits<double>::infinity();  ///< the best so far
  double ratio = 1;
  std::string engine = {};
  std::string screen = {};
  double candidates = 0;
  double mean_atoms = 0;
};

struct BenchCommand {
  CommonOptions common;
  InputOptions input;
  MethodArguments method;
  ListedOptions planted;
  int repeat = 5;
  std::vector<std::string> engines{"auto", "stream:int8", "stream:bf16", "stream:f32", "gram"};
  std::vector<int> thread_counts;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;

 private:
  [[nodiscard]] Dataset data(const RunContext& run, Console& console) const;
  /// Seconds of one graph more, and what it was made with.
  double time_graph(const Dataset& dataset, const RunContext& run, Row& row) const;
  [[nodiscard]] std::vector<Row> time_all(const Dataset& dataset, RunContext run) const;
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The data as floats, for the baseline.
std::vector<float> as_floats(const Matrix& matrix) {
  const DenseMatrix dense = std::holds_alternative<DenseMatrix>(matrix)
                                ? std::get<DenseMatrix>(matrix)
                                : to_dense(std::get<SparseMatrix>(matrix));
  return {dense.data(), dense.data() + static_cast<Offset>(dense.n_samples()) * dense.n_features()};
}

/// One triangle of X'X by BLAS. A result that would not fit is made tile by tile into one buffer.
class Ssyrk {
 public:
  explicit Ssyrk(const Matrix& matrix)
      : x_(as_floats(matrix)),
        n_(sfg::n_samples(matrix)),
        d_(sfg::n_features(matrix)),
        side_(std::min(d_, kTile)),
        result_(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_)) {}

  void run(int threads) {
    openblas_set_num_threads(threads);
    for (Index column = 0; column < d_; column += side_) {
      const Index columns = std::min(side_, d_ - column);
      const float* right = x_.data() + static_cast<Offset>(column) * n_;
      for (Index row = 0; row < column; row += side_) {
        const float* left = x_.data() + static_cast<Offset>(row) * n_;
        cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, side_, columns, n_, 1, left, n_, right,
                    n_, 0, result_.data(), side_);
      }
      cblas_ssyrk(CblasColMajor, CblasUpper, CblasTrans, columns, n_, 1, right, n_, 0,
                  result_.data(), side_);
    }
    openblas_set_num_threads(1);
  }

 private:
  static constexpr Index kTile = 8192;
  std::vector<float> x_;
  Index n_;
  Index d_;
  Index side_;
  std::vector<float> result_;
};

ordered_json to_json(const Row& row) {
  return {{"name", row.name},
          {"threads", row.threads},
          {"seconds", row.seconds},
          {"ratio_to_ssyrk", row.ratio},
          {"engine", row.engine},
          {"screen", row.screen},
          {"candidates_per_step", row.candidates},
          {"mean_atoms", row.mean_atoms}};
}

/// "stream:int8" -> engine and screen.
void set_engine(const std::string& text, PursuitOptions& options) {
  const auto colon = text.find(':');
  options.engine = choice_from_name<Engine>(text.substr(0, colon), "engine");
  options.screen = colon == std::string::npos
                       ? Screen::automatic
                       : choice_from_name<Screen>(text.substr(colon + 1), "screen");
}

Dataset BenchCommand::data(const RunContext& run, Console& console) const {
  if (!input.path.empty()) return input.read(common.reading(run), console);
  const SynthOptions options = planted.read(kUsualData);
  check_fields(options);
  return synthesise(options, common.seed).dataset;
}

/// The best of several runs in a row. A short first one does not count: caches are cold, and the
/// threads of a product before it still wait for more.
double best_of(int count, const std::function<double()>& timed_run) {
  double best = timed_run();
  if (best < kShortRun) best = timed_run();
  for (int k = 1; k < count; ++k) best = std::min(best, timed_run());
  return best;
}

double BenchCommand::time_graph(const Dataset& dataset, const RunContext& run, Row& row) const {
  MethodOptions options = method.options(GroupingKind::components);
  auto& components = std::get<ComponentOptions>(options.grouping);
  components.n_permutations = 0;
  set_engine(row.name, components.pursuit);
  MethodResult made;
  const double seconds = seconds_of([&] { made = make_graph(dataset, options, run); });
  row.engine = choice_name(made.engine);
  row.screen = made.screen;
  row.candidates = made.candidates_per_step;
  row.mean_atoms = static_cast<double>(made.graph.n_edges()) / sfg::n_features(dataset.matrix);
  return seconds;
}

/// Half of the runs of each, one after the other with warm caches, then the other half: where the
/// machine is slow for a while, all of them get a second chance.
std::vector<Row> BenchCommand::time_all(const Dataset& dataset, RunContext run) const {
  std::vector<int> counts = thread_counts;
  if (counts.empty()) {
    counts.push_back(1);
    if (run.threads > 1) counts.push_back(run.threads);
  }
  std::vector<Row> rows;
  for (const int threads : counts) {
    rows.push_back({kProduct, threads});
    for (const std::string& words : engines) {
      PursuitOptions known;
      set_engine(words, known);  // throws before any work if it is not
      rows.push_back({words, threads});
    }
  }
  Ssyrk ssyrk(dataset.matrix);
  ssyrk.run(run.threads);  // touches its memory
  for (const int count : {repeat - repeat / 2, repeat / 2}) {
    if (count == 0) break;
    for (Row& row : rows) {
      run.threads = row.threads;
      const double seconds = best_of(count, [&] {
        return row.name == kProduct ? seconds_of([&] { ssyrk.run(row.threads); })
                                    : time_graph(dataset, run, row);
      });
      row.seconds = std::min(row.seconds, seconds);
    }
  }
  double product = 0;
  for (Row& row : rows) {
    if (row.name == kProduct) product = row.seconds;
    row.ratio = row.seconds / product;
  }
  return rows;
}

void BenchCommand::run(Console& console) const {
  RunContext run = common.run(console);
  run.progress = nullptr;
  const Dataset dataset = data(run, console);
  const Index n = sfg::n_samples(dataset.matrix);
  const Index d = sfg::n_features(dataset.matrix);
  const std::vector<Row> rows = time_all(dataset, run);

  Table table({"what", "threads", "seconds", "ratio", "screen", "candidates", "atoms"});
  ordered_json documents = ordered_json::array();
  for (const Row& row : rows) {
    table.add({row.name, std::to_string(row.threads), fmt::format("{:.4f}", row.seconds),
               fmt::format("{:.2f}", row.ratio), row.screen, fmt::format("{:.1f}", row.candidates),
               fmt::format("{:.2f}", row.mean_atoms)});
    documents.push_back(to_json(row));
  }
  console.print(fmt::format("{}: {} x {}, best of {}\n\n{}\nPeak memory {:.0f} MB\n",
                            dataset.source, counted(n, "sample"), counted(d, "feature"), repeat,
                            table.text("  "), static_cast<double>(peak_resident_bytes()) / 1e6));
  nlohmann::ordered_json document = document_head("bench");
  document.update({{"input", dataset.source},
                   {"n_samples", n},
                   {"n_features", d},
                   {"repeat", repeat},
                   {"rows", std::move(documents)},
                   {"peak_rss_bytes", peak_resident_bytes()}});
  console.print_json(document);
}

void BenchCommand::add_arguments(CLI::App& command) {
  command.add_option("input", input.path, "Data file; without it planted data are made")
      ->option_text("INPUT");
  input.add_reading_options_to(command);
  for (const FieldDescription& field : describe_fields(kUsualData)) {
    if (field.name != "samples" && field.name != "features") continue;
    planted.add(command, field, "Planted data");
  }
  command.add_option("--repeat", repeat, "Runs of which the best counts")
      ->transform(whole_number(1, 1000))
      ->capture_default_str();
  command.add_option("--engines", engines, "Engines, each with :screen if wanted")->delimiter(',');
  command.add_option("--thread-counts", thread_counts, "Numbers of threads to try")
      ->transform(whole_number(1, 4096))
      ->delimiter(',');
  method.add_to(command, MethodPart::graph);
}

}  // namespace

void add_bench(Program& program) {
  add_command<BenchCommand>(program, "bench", kBenchDescription);
}

}  // namespace sfg::cli

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "commands.hpp"

namespace sfg::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* kDescription =
    "Speed on this machine: the graph against one symmetric matrix product of the data.\n\n"
    "Examples:\n"
    "  sfg bench data.csv\n"
    "  sfg bench --samples 500 --features 20000 --repeat 3      planted data of that size\n"
    "  sfg bench data.mat --engines stream:int8,gram --json\n\n"
    "Each line is the best of several runs, all in this one process, with the matrix in memory.\n"
    "'ratio' is the time beside cblas_ssyrk of the same matrix (float, one triangle, same "
    "threads).";

struct BenchCommand {
  CommonOptions common;
  InputOptions input;
  GraphWords graph;
  Index n_samples = 100;
  Index n_features = 10'000;
  int repeat = 5;
  std::vector<std::string> engines{"auto", "stream:int8", "stream:bf16", "stream:f32", "gram"};
  std::vector<int> thread_counts;

  void run(Console& console) const;
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_of(int repeat, const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int k = 1; k < repeat; ++k) best = std::min(best, seconds_of(work));
  return best;
}

/// The data as floats, for the baseline.
std::vector<float> as_floats(const Matrix& matrix) {
  const DenseMatrix dense = std::holds_alternative<DenseMatrix>(matrix)
                                ? std::get<DenseMatrix>(matrix)
                                : to_dense(std::get<SparseMatrix>(matrix));
  return {dense.data(), dense.data() + static_cast<Offset>(dense.n_samples()) * dense.n_features()};
}

/// One triangle of X'X by BLAS. A result that would not fit is made tile by tile into one buffer.
double time_ssyrk(const std::vector<float>& x, Index n, Index d, int threads, int repeat) {
  constexpr Index kTile = 8192;
  openblas_set_num_threads(threads);
  const Index side = std::min(d, kTile);
  std::vector<float> result(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  const double best = best_of(repeat + 1, [&] {
    for (Index column = 0; column < d; column += side) {
      const Index columns = std::min(side, d - column);
      const float* right = x.data() + static_cast<Offset>(column) * n;
      for (Index row = 0; row < column; row += side) {
        const float* left = x.data() + static_cast<Offset>(row) * n;
        cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, side, columns, n, 1, left, n, right, n,
                    0, result.data(), side);
      }
      cblas_ssyrk(CblasColMajor, CblasUpper, CblasTrans, columns, n, 1, right, n, 0, result.data(),
                  side);
    }
  });
  openblas_set_num_threads(1);
  return best;
}

struct Row {
  std::string name;
  int threads = 1;
  double seconds = 0;
  double ratio = 0;
  std::string engine;
  std::string screen;
  double candidates = 0;
  double mean_atoms = 0;
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
void set_engine(const std::string& words, MethodOptions& options) {
  const auto colon = words.find(':');
  options.pursuit.engine = engine_from_name(words.substr(0, colon));
  options.pursuit.screen =
      colon == std::string::npos ? Screen::automatic : screen_from_name(words.substr(colon + 1));
}

void BenchCommand::run(Console& console) const {
  Run run = common.run(console);
  run.progress = nullptr;
  Dataset dataset;
  if (input.path.empty()) {
    SynthOptions planted;
    planted.n_samples = n_samples;
    planted.n_features = n_features;
    dataset = synthesise(planted, common.seed).dataset;
  } else {
    dataset = input.read(common.reading(run), console);
  }
  const Index n = sfg::n_samples(dataset.matrix);
  const Index d = sfg::n_features(dataset.matrix);
  std::vector<int> counts = thread_counts;
  if (counts.empty()) {
    counts.push_back(1);
    if (run.threads > 1) counts.push_back(run.threads);
  }

  std::vector<Row> rows;
  for (const int threads : counts) {
    run.threads = threads;
    double ssyrk = 0;
    {
      const std::vector<float> x = as_floats(dataset.matrix);
      ssyrk = time_ssyrk(x, n, d, threads, repeat);
    }
    rows.push_back({"cblas_ssyrk", threads, ssyrk, 1, "", "", 0, 0});
    for (const std::string& words : engines) {
      MethodOptions options;
      options.grouping = GroupingMethod::lcs;
      graph.apply_to(options);
      options.n_permuted = 0;
      set_engine(words, options);
      MethodResult made;
      Row row{words, threads, 0, 0, "", "", 0, 0};
      row.seconds = best_of(repeat, [&] { made = make_graph(dataset, options, run); });
      row.ratio = row.seconds / ssyrk;
      row.engine = engine_name(made.engine);
      row.screen = made.screen;
      row.candidates = made.candidates_per_step;
      row.mean_atoms = static_cast<double>(made.graph.n_edges()) / d;
      rows.push_back(row);
    }
  }

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
  console.print_json({{"schema_version", 1},
                      {"sfg_version", version()},
                      {"command", "bench"},
                      {"input", dataset.source},
                      {"n_samples", n},
                      {"n_features", d},
                      {"repeat", repeat},
                      {"rows", std::move(documents)},
                      {"peak_rss_bytes", peak_resident_bytes()}});
}

}  // namespace

void add_bench(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<BenchCommand>();
  auto* command = app.add_subcommand("bench", kDescription);
  command->add_option("input", state->input.path, "Data file; without it planted data are made")
      ->option_text("INPUT");
  state->input.add_reading_options_to(*command);
  command->add_option("--samples", state->n_samples, "Samples of planted data")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  command->add_option("--features", state->n_features, "Features of planted data")
      ->check(CLI::Range(20, 10'000'000))
      ->capture_default_str();
  command->add_option("--repeat", state->repeat, "Runs of which the best counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--engines", state->engines, "Engines, each with :screen if wanted")
      ->delimiter(',');
  command->add_option("--thread-counts", state->thread_counts, "Numbers of threads to try")
      ->delimiter(',');
  state->graph.add_to(*command);
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli

#include "team_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/stopwatch.hpp"
#include "normalise/fewer_samples.hpp"
#include "pursuit/checkpoint/blocks.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "pursuit/plan.hpp"
#include "read/npy_ranges.hpp"
#include "result_queue.hpp"
#include "run_job.hpp"
#include "sfg/error.hpp"
#include "team_work.hpp"

namespace sfg::mpi {

namespace {

Distribution distribution_from_name(const std::string& name) {
  if (name == "shared") return Distribution::shared;
  return name == "ring" ? Distribution::ring : Distribution::automatic;
}

std::string distribution_name(Distribution distribution) {
  return distribution == Distribution::ring ? "ring" : "shared";
}

/// Data set -> normalised features as the pursuit wants them. The matrix is used up.
UnitFeatures all_features_of(Dataset& dataset, const MethodOptions& options,
                             const RunContext& run) {
  require_comparable(dataset);
  const Centering centering = is_centred(options.grouping) ? Centering::mean : Centering::none;
  if (dataset.batch || find_gaps(dataset.matrix) != nullptr) {
    throw Error(ErrorCode::invalid_option, "gaps and batches are seen to by 'sfg graph' alone",
                dataset.source, {"missing", "leave out {batch} and {missing=pairwise}"});
  }
  transform(dataset, options.transform, centering, run);
  UnitFeatures features = normalise(std::move(dataset.matrix), {centering}, run);
  return features;
}

/// As one process does it, for the same bits.
UnitFeatures with_fewer_samples(UnitFeatures features, const PursuitOptions& options,
                                const RunContext& run) {
  if (options.engine == Engine::sparse || !detail::fewer_samples_pay(features)) return features;
  return detail::fewer_samples(features, run);
}

Job job_for(const UnitFeatures& features, const PursuitOptions& options, const RankPlan& plan,
            const RunContext& run) {
  Job job;
  job.what = Job::What::pursue;
  job.distribution = plan.distribution;
  job.threads = run.threads;
  job.memory_limit = run.memory_limit;
  job.options = options;
  job.options.engine = plan.pursuit.engine;
  if (plan.distribution == Distribution::ring) job.options.screen = plan.pursuit.screen;
  job.targets_under_way = plan.pursuit.block;
  job.n_samples = features.n_samples();
  job.n_features = features.n_features();
  if (const auto* sparse = std::get_if<SparseMatrix>(&features.matrix)) {
    job.n_stored = sparse->n_stored();
  }
  job.is_shifted = !features.shift.empty();
  return job;
}

/// Puts the blocks of all ranks together before they go to the journal, which waits for the disk
/// each time: as often as in one process for the work of one rank.
class JournalBatch {
 public:
  JournalBatch(const PursuitCheckpoint& checkpoint, const PursuitKey& key, int n_ranks)
      : checkpoint_(checkpoint),
        key_(key),
        most_targets_(static_cast<std::size_t>(n_ranks * kTargetsPerClaim)) {}
  /// What is there is kept also when an error ends the work.
  ~JournalBatch() {
    try {
      hand_over();
    } catch (...) {
      // The journal is no reason to end otherwise than by that error.
    }
  }
  JournalBatch(const JournalBatch&) = delete;
  JournalBatch& operator=(const JournalBatch&) = delete;

  void add(const TargetBlock& block) {
    if (!checkpoint_.keep) return;
    detail::append(batch_, block);
    if (batch_.targets.size() >= most_targets_) hand_over();
  }
  void hand_over() {
    const TargetBlock batch = std::exchange(batch_, {});
    if (!batch.targets.empty()) checkpoint_.keep(key_, batch);
  }

 private:
  const PursuitCheckpoint& checkpoint_;
  const PursuitKey& key_;
  std::size_t most_targets_;
  TargetBlock batch_;
};

}  // namespace

void TeamMaker::add_to(CLI::App& command) {
  const auto group = "Ranks";
  command
      .add_option("--distribute", distribution_,
                  "shared: all features at every rank, once per machine; ring: a part at each; "
                  "auto: the first that fits --memory, which is for each rank")
      ->check(CLI::IsMember({"auto", "shared", "ring"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--ranks-per-copy", ranks_per_copy_,
                  "Ranks of a machine that share one copy of the data (default: all of them)")
      ->transform(cli::whole_number(1, 1 << 20))
      ->group(group);
  command
      .add_option(
          "--lost-after", patience_,
          "Seconds without an answer after which a machine is lost and the job ends; 0: never")
      ->transform(cli::whole_number(0, 1 << 20))
      ->capture_default_str()
      ->type_name("SECONDS")
      ->group(group);
}

cli::UsualResources TeamMaker::usual() const {
  return {team_.usual_threads(), team_.usual_memory()};
}

Dataset TeamMaker::read(const cli::InputOptions& input, const MethodOptions& options,
                        cli::CommandRun& frame) {
  if (read_parts_of(input, options, frame)) {
    input.reading.note_old_spellings(frame.console());
    Dataset dataset;
    dataset.matrix = DenseMatrix(parts_->n_samples, parts_->n_features, Buffer<double>());
    dataset.feature_names = generated_names(parts_->n_features);
    dataset.format = Format::npy;
    dataset.source = input.path;
    frame.reading_is_done();
    return dataset;
  }
  // The other ranks of the machine hold nothing yet: the first may use their memory to read.
  RunContext run = frame.reading();
  run.memory_limit *= static_cast<std::size_t>(team_.node_size());
  return frame.read(input, run);
}

/// Whether it came to that: what it takes to know is in the file's name, then in its header, then
/// in its values.
bool TeamMaker::read_parts_of(const cli::InputOptions& input, const MethodOptions& options,
                              const cli::CommandRun& frame) {
  const ReadOptions how = input.read_options();
  const PursuitOptions& pursuit = *pursuit_of(options.grouping);
  // Whether ranks are counted from zero is a question to the whole table.
  const bool by_feature = options.transform != Transform::rank &&
                          (pursuit.engine == Engine::automatic || pursuit.engine == Engine::stream);
  why_not_in_parts_ =
      "only an npy file with all its features is read in parts, and not for ranks of values";
  if (team_.size() == 1 || !by_feature || !detail::NpyRanges::can_read(input.path, how)) {
    return false;
  }
  RunContext run = frame.context();
  PartOrder order;
  try {
    const detail::NpyRanges table(input.path, how, run);
    const UnitFeatures shape = shape_of(table.n_samples(), table.n_features());
    const bool is_large =
        table.n_samples() > 1 && table.n_features() > team_.size() && table.is_as_it_lies();
    if (!is_large || detail::fewer_samples_pay(shape)) return false;
    (void)plan(shape, pursuit, run, Reading::parts);
    order.n_samples = table.n_samples();
    order.n_features = table.n_features();
    order.fingerprint = table.fingerprint();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    return false;  // reading as one process does finds the same fault
  }
  order.features_in_rows = how.features_in_rows;
  order.centering = is_centred(options.grouping) ? Centering::mean : Centering::none;
  order.transform = options.transform;
  order.threads = run.threads;
  order.memory_limit = run.memory_limit;
  if (pursuit.engine == Engine::automatic) {
    order.fewest_dense_entries =
        detail::fewest_dense_entries(static_cast<Offset>(order.n_samples) * order.n_features);
  }
  at_work_ = true;
  Job job;
  job.what = Job::What::read_parts;
  job.patience = patience_;
  team_.set_patience(patience_);
  broadcast_job(team_, job);
  try {
    parts_ = read_parts(team_, order, std::filesystem::absolute(input.path).string(), run.stop,
                        why_not_in_parts_);
  } catch (const Error& error) {
    // All ranks know of another table; of an interruption the others do not.
    at_work_ = error.code() == ErrorCode::interrupted;
    throw;
  }
  at_work_ = false;
  return parts_.has_value();
}

UnitFeatures TeamMaker::features_of(Dataset& dataset, const MethodOptions& options,
                                    const RunContext& run) const {
  return parts_ ? parts_->without_values() : all_features_of(dataset, options, run);
}

RankPlan TeamMaker::plan(const UnitFeatures& features, PursuitOptions options,
                         const RunContext& run, Reading reading) const {
  // That it is no matter of sparse engines is known of parts.
  if (reading == Reading::parts) options.engine = Engine::stream;
  return plan_ranks(features, options,
                    {distribution_from_name(distribution_), ranks_per_copy_, reading}, run, team_);
}

MethodResult TeamMaker::make(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                             const PursuitCheckpoint& checkpoint) {
  check(options);
  MethodResult result;
  detail::Stopwatch watch(result.seconds);
  UnitFeatures features = features_of(dataset, options, run);
  result.kind = features.kind;
  watch.stage_done("normalise");
  const Representations representations =
      pursue(with_fewer_samples(std::move(features), *pursuit_of(options.grouping), run),
             *pursuit_of(options.grouping), run, checkpoint);
  result.engine = representations.engine;
  result.screen = representations.screen;
  result.candidates_per_step = representations.candidates_per_step;
  result.graph = build_graph(representations, std::get<ComponentOptions>(options.grouping).graph);
  result.graph.feature_names = dataset.feature_names;
  result.graph.description = describe(options);
  watch.stage_done("graph");
  return result;
}

Representations TeamMaker::pursue(UnitFeatures features, const PursuitOptions& options,
                                  const RunContext& run, const PursuitCheckpoint& checkpoint) {
  const Reading reading = parts_ ? Reading::parts : Reading::first_rank;
  const RankPlan plan = this->plan(features, options, run, reading);
  planned_bytes_ = plan.pursuit.bytes();
  const detail::PursuitProblem problem{features, features, options};
  const PursuitKey key = parts_ ? detail::key_of(problem, plan.pursuit, parts_->hashes)
                                : detail::key_of(problem, plan.pursuit, run);
  detail::KnownTargets known(checkpoint.find ? checkpoint.find(key) : std::vector<TargetBlock>(),
                             key);
  std::vector<Index> left = known.left();
  UnitFeatures converted;
  if (&detail::in_engine_form(features, plan.pursuit.engine, converted) == &converted) {
    features = std::move(converted);
  }
  job_ = job_for(features, options, plan, run);
  job_.ranks_per_copy = ranks_per_copy_;
  job_.in_parts = parts_.has_value();
  job_.patience = patience_;
  team_.set_patience(patience_);
  if (!team_.threads_allowed()) job_.threads = 1;
  job_.n_left = static_cast<std::int64_t>(left.size());
  job_.all_left = known.empty();
  Representations figures;
  figures.engine = plan.pursuit.engine;
  if (!left.empty()) {
    if (job_.all_left) left.clear();
    JournalBatch journal(checkpoint, key, team_.size());
    std::int64_t n_done = 0;
    ResultQueue results(team_, [&](TargetBlock block) {
      journal.add(block);
      n_done += static_cast<std::int64_t>(block.targets.size());
      known.add(std::move(block));
      if (run.progress) {
        run.progress("pursuit", static_cast<double>(n_done), static_cast<double>(job_.n_left));
      }
    });
    at_work_ = true;
    broadcast_job(team_, job_);
    RunContext own = run_of(job_, team_, run.stop);
    own.memory_held = known.bytes();
    figures = run_job(team_, job_, {std::move(features), std::exchange(parts_, std::nullopt)},
                      std::move(left), results, own);
    journal.hand_over();
    traffic_ = gather_traffic(team_);
    at_work_ = false;
  }
  Representations all = known.take_all();
  all.engine = figures.engine;
  all.screen = figures.screen;
  all.candidates_per_step = figures.candidates_per_step;
  return all;
}

void TeamMaker::print_plan(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                           cli::Console& console) {
  check(options);
  const std::string source = dataset.source;
  const UnitFeatures features =
      with_fewer_samples(features_of(dataset, options, run), *pursuit_of(options.grouping), run);
  const RankPlan plan = this->plan(features, *pursuit_of(options.grouping), run,
                                   parts_ ? Reading::parts : Reading::first_rank);
  const PursuitPlan& rank = plan.pursuit;
  const auto megabytes = [](double bytes) { return fmt::format("{:.1f} MB", bytes / 1e6); };
  console.print(fmt::format(
      "Plan for {}: {} x {} on {} of {}\n\n"
      "  distribution  {}, {} at a time in each thread\n"
      "  memory        {} for each rank: data {}, engine {}, targets under way {}, result {}\n"
      "                and {} at {} while the data are dealt out\n\n"
      "Nothing was made: leave out --dry-run to do it.\n",
      cli::shown_name(source), cli::counted(features.n_samples(), "sample"),
      cli::counted(features.n_features(), "feature"), cli::counted(team_.size(), "rank"),
      cli::counted(run.threads, "thread"), distribution_name(plan.distribution),
      cli::counted(rank.block, "target"), megabytes(rank.bytes()), megabytes(rank.held_bytes),
      megabytes(rank.engine_bytes), megabytes(rank.block_bytes), megabytes(rank.result_bytes),
      megabytes(plan.dealing_bytes), parts_ ? "each" : "the first rank"));
  nlohmann::ordered_json document = cli::document_head("dry-run");
  document.update({{"input", source},
                   {"n_samples", features.n_samples()},
                   {"n_features", features.n_features()},
                   {"ranks", team_.size()},
                   {"distribution", distribution_name(plan.distribution)},
                   {"engine", choice_name(rank.engine)},
                   {"kernel", rank.kernel},
                   {"block", rank.block},
                   {"threads", run.threads},
                   {"bytes", rank.bytes()},
                   {"data_bytes", rank.held_bytes},
                   {"engine_bytes", rank.engine_bytes},
                   {"block_bytes", rank.block_bytes},
                   {"result_bytes", rank.result_bytes},
                   {"dealing_bytes", plan.dealing_bytes}});
  console.print_json(document);
}

nlohmann::ordered_json TeamMaker::figures() const {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (const Traffic& one : traffic_) {
    ranks.push_back({{"targets", one.targets},
                     {"claims", one.claims},
                     {"atoms", one.atoms},
                     {"gathered_bytes", one.gathered_bytes},
                     {"rounds", one.rounds},
                     {"steps", one.steps},
                     {"sent_bytes", one.sent_bytes},
                     {"received_bytes", one.received_bytes}});
  }
  return {{"distribution", distribution_name(job_.distribution)},
          {"read", job_.in_parts ? "in parts" : "by the first rank: " + why_not_in_parts_},
          {"threads_per_rank", job_.threads},
          {"planned_bytes_per_rank", planned_bytes_},
          {"ranks", std::move(ranks)}};
}

}  // namespace sfg::mpi

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kClusterDescription =
    "Spectral clustering of the samples, scored if their classes are known.\n\n"
    "Examples:\n"
    "  sfg cluster data.csv -k 5 -o clusters.txt      one cluster number per line\n"
    "  sfg cluster faces.mat --seeds 10               as many clusters as classes; NMI and ACC\n"
    "  sfg cluster faces.mat --preset paper           as the paper's experiments did it\n"
    "  sfg cluster faces.mat --features out.kept.txt  by what 'sfg reduce -o out' kept\n"
    "  sfg cluster words.mtx -k 2 --labels y.txt --weighting tfidf --affinity cosine-knn\n\n"
    "Columns are scaled to unit length first (--scale none leaves them; tf-idf has its own\n"
    "scaling). With several seeds the clusters written are those of the first one.";

struct ClusterCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  ListedOptions clustering;
  std::string preset;
  std::string weighting = "none";
  std::string scale = "unit";
  int n_seeds = 1;
  std::string features_file;

  void run(Console& console) const;
  [[nodiscard]] SpectralOptions options(Index clusters) const;
  [[nodiscard]] Index clusters_for(const Dataset& dataset) const;
  [[nodiscard]] Matrix prepared(Matrix&& matrix, const RunContext& run) const;
};

SpectralOptions ClusterCommand::options(Index clusters) const {
  const bool paper = preset == "paper";
  SpectralOptions options =
      clustering.read(paper ? paper_spectral_options(clusters) : SpectralOptions{});
  options.n_clusters = clusters;
  if (options.affinity.n_neighbors > 0 && options.affinity.kind == AffinityKind::gauss) {
    throw Error(ErrorCode::invalid_option,
                "--n-neighbors is for --affinity heat-knn or cosine-knn: all pairs have none");
  }
  return options;
}

Index ClusterCommand::clusters_for(const Dataset& dataset) const {
  if (const Index given = clustering.read<SpectralOptions>().n_clusters; given > 0) return given;
  if (!dataset.labels) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{}: no classes are known, so say how many clusters: -k K, or "
                            "--labels for the classes",
                            shown_name(input.path)));
  }
  return n_classes(*dataset.labels);
}

Matrix ClusterCommand::prepared(Matrix&& matrix, const RunContext& run) const {
  if (weighting == "tfidf") return tfidf(std::move(matrix), run);
  if (scale == "none") return std::move(matrix);
  return normalise(std::move(matrix), {}, run).matrix;
}

std::string sizes_text(const KMeansResult& clusters) {
  constexpr std::size_t kShownSamples = 12;
  std::vector<Index> sizes(static_cast<std::size_t>(clusters.n_clusters), 0);
  for (const Index label : clusters.labels) ++sizes[label];
  std::ranges::sort(sizes, std::greater<>());
  std::string text;
  for (std::size_t c = 0; c < std::min(kShownSamples, sizes.size()); ++c) {
    text += (c == 0 ? "" : ", ") + with_commas(sizes[c]);
  }
  return sizes.size() > kShownSamples ? text + ", ..." : text;
}

std::string score_text(const std::string& name, const std::vector<double>& values) {
  if (values.empty()) return "";
  const std::string over =
      values.size() > 1
          ? fmt::format(" +- {:.4f} over {} seeds", standard_deviation(values), values.size())
          : "";
  return fmt::format("  {:<9} {:.4f}{}\n", name, mean(values), over);
}

std::string summary(const std::string& source, const ClusteringRecord& record) {
  const KMeansResult& first = record.clusters.front();
  std::string text = fmt::format("{}: {} in {}\n\n", source,
                                 counted(static_cast<Index>(first.labels.size()), "sample"),
                                 counted(first.n_clusters, "cluster"));
  text += fmt::format("  affinity  {}\n", choice_name(record.options.affinity.kind));
  text += fmt::format("  sizes     {}\n", sizes_text(first));
  return text + score_text("NMI", record.nmi) + score_text("ACC", record.acc);
}

/// What a user should know about the answer.
void note_oddities(const ClusteringRecord& record, Console& console) {
  const SpectralEmbedding& embedding = record.embedding;
  const Index n_asked = record.options.n_clusters;
  if (embedding.status != EigenStatus::converged) {
    console.note(
        fmt::format("the eigen-solver did not converge (residual {:.1e}): clusters may be "
                    "poor",
                    embedding.residual));
  }
  if (embedding.n_empty > 0) {
    console.note(fmt::format("{} with zeros only: nothing tells where they belong",
                             counted(embedding.n_empty, "sample")));
  }
  if (embedding.n_isolated > embedding.n_empty) {
    console.note(fmt::format("{} without any neighbour", counted(embedding.n_isolated, "sample")));
  }
  if (embedding.n_components > n_asked) {
    console.note(fmt::format("the graph of the samples falls into {} parts, more than clusters",
                             embedding.n_components));
  }
  if (record.clusters.front().n_clusters < n_asked) {
    console.note(fmt::format("only {} clusters instead of {}: there are no more different samples",
                             record.clusters.front().n_clusters, n_asked));
  }
}

void add_scores(const Labels& classes, ClusteringRecord& record) {
  for (const KMeansResult& clusters : record.clusters) {
    const LabelScores scores =
        score_labels(std::span<const std::string>(classes.values), clusters.labels);
    record.nmi.push_back(scores.nmi);
    record.acc.push_back(scores.acc);
  }
}

void ClusterCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  clustering.note_old_spellings(console);
  check(clustering.read(SpectralOptions{.n_clusters = 1}));
  check(options(1));
  frame.stage_output();
  Dataset dataset = input.read(frame.reading(), console);
  if (!features_file.empty()) {
    dataset = select_features(dataset, read_feature_list(features_file, dataset.feature_names));
  }
  frame.reading_is_done();
  ClusteringRecord record;
  if (!preset.empty()) record.preset = preset;
  record.weighting = weighting;
  record.scale = weighting == "tfidf" ? "samples" : scale;
  record.options = options(clusters_for(dataset));
  const Matrix data =
      frame.timed("prepare", [&] { return prepared(std::move(dataset.matrix), frame.context()); });
  record.embedding = spectral_embedding(data, record.options, frame.context());
  frame.add_seconds(record.embedding.seconds);
  record.clusters = frame.timed("kmeans", [&] {
    return cluster(record.embedding, record.options, n_seeds, frame.context());
  });
  if (dataset.labels) add_scores(*dataset.labels, record);

  frame.write_output(clusters_to_text(record.clusters.front().labels));
  frame.commit();
  note_oddities(record, console);
  nlohmann::ordered_json fields = clustering_json(record);
  fields["output"] = nullptr;
  if (frame.has_output()) fields["output"] = output.path;
  frame.print(summary(shown_name(input.path), record), frame.document(input.path, fields));
}

void add_method_options(CLI::App& command, ClusterCommand& state) {
  const auto group = "Clustering";
  for (FieldDescription field : describe_fields<SpectralOptions>()) {
    if (field.name == "n_clusters") field.usual = "the number of classes, if they are known";
    state.clustering.add(command, field, group);
  }
  command
      .add_option("--weighting", state.weighting,
                  "tfidf: word counts to log(1 + tf) times rarity, samples to unit length")
      ->check(CLI::IsMember({"none", "tfidf"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--scale", state.scale, "Scaling of the columns: unit (length) or none")
      ->check(CLI::IsMember({"unit", "none"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--features", state.features_file,
                  "Use only the features named in a file, one per line")
      ->option_text("FILE")
      ->group(group);
  command
      .add_option("--seeds", state.n_seeds,
                  "Repeat k-means with seeds S, S + 1, ...: mean and deviation of the scores")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--preset", state.preset,
                  "paper: exp(-d / (2 sigma^2)), eigenvectors 2 .. k + 1, random starts")
      ->check(CLI::IsMember({"paper"}))
      ->group(group);
}

}  // namespace

void add_cluster(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<ClusterCommand>();
  auto* command = app.add_subcommand("cluster", kClusterDescription);
  state->command = command;
  state->input.add_to(*command, "Data file; - is stdin");
  add_method_options(*command, *state);
  state->output.add_to(*command, "File to write the cluster numbers to, one per line, from 0");
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli

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
    "  sfg cluster words.mtx -k 2 --labels y.txt --scale tfidf --affinity cosine-knn\n\n"
    "With several seeds the clusters written are those of the first one.";

struct ClusterCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  ListedOptions clustering;
  std::string preset;
  std::string features_file;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] ClusterOptions options() const;
  [[nodiscard]] Index clusters_for(const Dataset& dataset) const;
};

/// As given. Who gives no number of clusters has 1 here, until the data tell it.
ClusterOptions ClusterCommand::options() const {
  ClusterOptions usual;
  usual.spectral.n_clusters = 1;
  if (preset == "paper") usual.spectral = paper_spectral_options(1);
  ClusterOptions options = clustering.read(usual);
  check(options);
  return options;
}

Index ClusterCommand::clusters_for(const Dataset& dataset) const {
  if (clustering.has("n_clusters")) return options().spectral.n_clusters;
  if (!dataset.labels) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{}: no classes are known, so say how many clusters: -k K, or "
                            "--labels for the classes",
                            shown_name(input.path)));
  }
  const Index count = n_classes(*dataset.labels);
  if (count > 0) return count;
  throw Error(ErrorCode::degenerate_data,
              fmt::format("{}: no sample has a label: all are empty, NA or nan; say how many "
                          "clusters by -k K",
                          shown_name(input.path)));
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
  text += fmt::format("  affinity  {}\n", choice_name(record.options.spectral.affinity.kind));
  text += fmt::format("  sizes     {}\n", sizes_text(first));
  return text + score_text("NMI", record.nmi) + score_text("ACC", record.acc);
}

/// What a user should know about the answer.
void note_oddities(const ClusteringRecord& record, Console& console) {
  const SpectralEmbedding& embedding = record.embedding;
  const Index n_asked = record.options.spectral.n_clusters;
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
  ClusteringRecord record;
  record.options = options();
  frame.stage_output({".txt", ".tsv", ".csv", ".labels"});
  Dataset dataset = input.read(frame.reading(), console);
  if (!features_file.empty()) {
    dataset = select_features(
        dataset, read_feature_list(features_file, dataset.feature_names, frame.reading()));
  }
  frame.reading_is_done();
  if (!preset.empty()) record.preset = preset;
  SpectralOptions& spectral = record.options.spectral;
  spectral.n_clusters = clusters_for(dataset);
  const Matrix data = frame.timed("prepare", [&] {
    return scaled(std::move(dataset.matrix), record.options.scale, frame.context());
  });
  record.embedding = spectral_embedding(data, spectral, frame.context());
  frame.add_seconds(record.embedding.seconds);
  record.clusters = frame.timed("kmeans", [&] {
    return cluster(record.embedding, spectral, record.options.n_seeds, frame.context());
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
  for (FieldDescription field : describe_fields<ClusterOptions>()) {
    if (field.name == "n_clusters") field.usual = "the number of classes, if they are known";
    state.clustering.add(command, field, group);
  }
  command
      .add_option("--features", state.features_file,
                  "Use only the features named in a file, one per line")
      ->option_text("FILE")
      ->group(group);
  command
      .add_option("--preset", state.preset,
                  "paper: exp(-d / (2 sigma^2)), eigenvectors 2 .. k + 1, random starts")
      ->check(CLI::IsMember({"paper"}))
      ->group(group);
}

void ClusterCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "Data file; - is stdin");
  add_method_options(command, *this);
  output.add_to(command, "File to write the cluster numbers to, one per line, from 0");
}

}  // namespace

void add_cluster(Program& program) {
  add_command<ClusterCommand>(program, "cluster", kClusterDescription);
}

}  // namespace sfg::cli

#include "compare/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "compare/redundancy.hpp"
#include "core/random.hpp"
#include "score/sample_points.hpp"
#include "sfg/certificate.hpp"
#include "sfg/cluster.hpp"
#include "sfg/grouping.hpp"
#include "sfg/score.hpp"
#include "sfg/statistics.hpp"

namespace sfg::detail {

/// Of several clusterings and classifications.
struct Judge::Scores {
  std::vector<double> nmi, acc, nmi_kmeans, acc_kmeans;
  std::vector<double> nearest_1, nearest_5, linear;
};

Judge::Judge(const Dataset& dataset, const UnitFeatures& centred, const std::vector<Index>& regular,
             const CompareOptions& options, const RunContext& run)
    : dataset_(dataset),
      centred_(centred),
      options_(options),
      run_(run),
      neighbours_(centred, {}, run) {
  Random random(run.seed);
  tried_ = random_choice(regular, static_cast<std::size_t>(options.n_certified), random);
  if (!dataset.labels) return;
  const auto& values = dataset.labels->values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_missing_label(values[i])) continue;
    labelled_.push_back(static_cast<Index>(i));
    labels_.push_back(values[i]);
  }
  n_labels_ = static_cast<Index>(std::set(labels_.begin(), labels_.end()).size());
  ClassifyOptions classifying;
  classifying.n_folds = options.n_folds;
  RunContext divided = run;
  for (int k = 0; k < options.n_seeds; ++k, ++divided.seed) {
    const auto folds = class_folds(values, classifying, divided);
    if (!folds) break;
    divisions_.push_back(*folds);
  }
}

std::string Judge::labels_note() const {
  if (!dataset_.labels) return {};
  if (!has_classes()) {
    return fmt::format(
        "labels \"{}\" ({} different values for {} samples) have no two classes of two samples: "
        "nothing to classify or to score clusters by",
        dataset_.labels->name, n_labels_, dataset_.labels->values.size());
  }
  std::string note;
  const auto add = [&](Index count, const char* what) {
    if (count > 0) note += fmt::format("{}{} {}", note.empty() ? "" : ", ", count, what);
  };
  add(classes().n_unlabelled, "without a label");
  add(classes().n_single, "alone in their class");
  const auto n_left = static_cast<Index>(labels_.size()) - classes().n_single;
  const auto n_asked = static_cast<Index>(classes().samples.size());
  add(n_left - n_asked, "beyond the most that are asked");
  return note.empty() ? note : "samples that are not classified: " + note;
}

void Judge::measure_recovery(const std::vector<Index>& kept, double weight, CompareRow& row) const {
  std::vector<HeldOutTarget> targets;
  for (const Index feature : tried_) {
    if (!std::ranges::binary_search(kept, feature)) targets.push_back({feature, {}});
  }
  std::vector<double> r2;
  for (const NearestKept& nearest : nearest_kept(centred_, kept, run_)) {
    if (nearest.feature >= 0) r2.push_back(nearest.r2);
  }
  const bool is_all = r2.size() == kept.size();
  const HeldOutSummary held_out = summarise(held_out_r2(centred_, kept, targets, {}, run_));
  row.r2cv_mean += weight * (is_all ? 1.0 : held_out.mean);
  row.r2cv_q10 += weight * (is_all ? 1.0 : held_out.quantile_10);
  // Kept features have r2 = 1 with themselves.
  const auto n_kept = static_cast<double>(kept.size());
  const double n_others = static_cast<double>(r2.size()) - n_kept;
  const double sum = std::accumulate(r2.begin(), r2.end(), 0.0) - n_kept;
  row.mean_best_r2 += weight * (is_all ? 1.0 : sum / n_others);
  row.redundancy += weight * redundancy(centred_, kept, run_);
  row.neighbour_overlap += weight * neighbours_.overlap(kept, run_);
}

void Judge::cluster_spectrally(const std::vector<Index>& kept, Scores& scores) const {
  Matrix samples = select_features(dataset_.matrix, kept);
  samples = options_.text ? tfidf(samples, run_)
                          : normalise(std::move(samples), {Centering::none}, run_).matrix;
  SpectralOptions spectral;
  spectral.n_clusters = n_labels_;
  if (options_.text) spectral.affinity.kind = AffinityKind::cosine_knn;
  const auto embedding = spectral_embedding(samples, spectral, run_);
  for (const auto& clusters : cluster(embedding, spectral, options_.n_seeds, run_)) {
    std::vector<Index> found;
    for (const Index sample : labelled_) found.push_back(clusters.labels[sample]);
    const LabelScores one = score_labels(labels_, found);
    scores.nmi.push_back(one.nmi);
    scores.acc.push_back(one.acc);
  }
}

void Judge::judge_points(const std::vector<Index>& kept, Scores& scores) const {
  UnitFeatures words;
  std::vector<Index> every(kept.size());
  std::iota(every.begin(), every.end(), Index{0});
  if (options_.text) words.matrix = tfidf(select_features(dataset_.matrix, kept), run_);
  const UnitFeatures& features = options_.text ? words : centred_;
  const std::vector<Index>& chosen = options_.text ? every : kept;

  for (const ClassFolds& folds : divisions_) {
    const ClassifyScores right = score(classify(features, chosen, folds, run_), folds);
    scores.nearest_1.push_back(right.nearest_1);
    scores.nearest_5.push_back(right.nearest_5);
    scores.linear.push_back(right.linear);
  }

  const auto& samples = classes().samples;
  const DenseMatrix points =
      chosen.size() < samples.size()
          ? values_of_samples(features, chosen, samples)
          : coordinates_of(products_of_samples(features, chosen, samples, run_));
  const auto n_clusters = static_cast<Index>(classes().names.size());
  for (const auto& clusters : kmeans(points, n_clusters, {}, options_.n_seeds, run_)) {
    const LabelScores one = score_labels(classes().classes, clusters.labels);
    scores.nmi_kmeans.push_back(one.nmi);
    scores.acc_kmeans.push_back(one.acc);
  }
}

void Judge::measure(const std::vector<std::vector<Index>>& sets, CompareRow& row) const {
  row.reached = true;
  row.n_kept = static_cast<Index>(sets.front().size());
  Scores scores;
  for (const auto& kept : sets) {
    measure_recovery(kept, 1.0 / static_cast<double>(sets.size()), row);
    if (!has_classes()) continue;
    cluster_spectrally(kept, scores);
    judge_points(kept, scores);
  }
  if (!has_classes()) {
    row.score = (row.neighbour_overlap + std::max(0.0, row.r2cv_mean)) / 2;
    return;
  }
  row.nmi = mean(scores.nmi);
  row.nmi_std = standard_deviation(scores.nmi);
  row.acc = mean(scores.acc);
  row.acc_std = standard_deviation(scores.acc);
  row.nmi_kmeans = mean(scores.nmi_kmeans);
  row.acc_kmeans = mean(scores.acc_kmeans);
  row.nmi_mean = (*row.nmi + *row.nmi_kmeans) / 2;
  row.accuracy_1nn = mean(scores.nearest_1);
  row.accuracy_5nn = mean(scores.nearest_5);
  row.accuracy_linear = mean(scores.linear);
  row.accuracy = (*row.accuracy_1nn + *row.accuracy_5nn + *row.accuracy_linear) / 3;
  row.score = (*row.accuracy + *row.nmi_mean) / 2;
}

}  // namespace sfg::detail

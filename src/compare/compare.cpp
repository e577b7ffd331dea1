#include "sfg/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "compare/competitors.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "sfg/certificate.hpp"
#include "sfg/cluster.hpp"
#include "sfg/error.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/reduce.hpp"
#include "sfg/score.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

/// NMI and ACC of several clusterings.
struct ClusterScores {
  std::vector<double> nmi;
  std::vector<double> acc;
};

/// What all competitors are measured by.
class Judge {
 public:
  Judge(const Dataset& dataset, const UnitFeatures& centred, const CompareOptions& options,
        const RunContext& run)
      : dataset_(dataset),
        centred_(centred),
        options_(options),
        run_(run),
        neighbours_(centred, {}, run),
        tried_(regular_features(centred)) {
    detail::Random random(run.seed);
    tried_ = detail::random_choice(tried_, static_cast<std::size_t>(options.n_certified), random);
    if (dataset.labels) n_classes_ = n_classes(*dataset.labels);
  }

  /// Fills in everything but the scores of clusters.
  void measure(const std::vector<Index>& kept, CompareRow& row) const {
    std::vector<HeldOutTarget> targets;
    for (const Index feature : tried_) {
      if (!std::ranges::binary_search(kept, feature)) targets.push_back({feature, {}});
    }
    const auto held_out = held_out_r2(centred_, kept, targets, {}, run_);
    row.r2cv_mean = mean(held_out);
    row.r2cv_q10 = quantile(held_out, 0.10);
    std::vector<double> r2;
    for (const NearestKept& nearest : nearest_kept(centred_, kept, run_)) {
      if (nearest.feature >= 0) r2.push_back(nearest.r2);
    }
    // Kept features have r2 = 1 with themselves.
    const auto n_kept = static_cast<double>(kept.size());
    const auto n_others = static_cast<double>(r2.size()) - n_kept;
    row.mean_r2 =
        n_others > 0 ? (std::accumulate(r2.begin(), r2.end(), 0.0) - n_kept) / n_others : 1.0;
    row.neighbour_overlap = neighbours_.overlap(kept, run_);
  }

  [[nodiscard]] bool has_classes() const noexcept { return n_classes_ > 1; }

  [[nodiscard]] ClusterScores cluster_scores(const std::vector<Index>& kept) const {
    Matrix samples = select_features(dataset_.matrix, kept);
    samples = options_.text ? tfidf(samples, run_)
                            : normalise(std::move(samples), {Centering::none}, run_).matrix;
    SpectralOptions spectral;
    spectral.n_clusters = n_classes_;
    if (options_.text) spectral.affinity.kind = AffinityKind::cosine_knn;
    ClusterScores scores;
    const auto embedding = spectral_embedding(samples, spectral, run_);
    for (const auto& clusters : cluster(embedding, spectral, options_.n_seeds, run_)) {
      const LabelScores one = score_labels(dataset_.labels->values, clusters.labels);
      scores.nmi.push_back(one.nmi);
      scores.acc.push_back(one.acc);
    }
    return scores;
  }

 private:
  const Dataset& dataset_;
  const UnitFeatures& centred_;
  const CompareOptions& options_;
  const RunContext& run_;
  SampleNeighbours neighbours_;
  std::vector<Index> tried_;
  Index n_classes_ = 0;
};

/// A row from one or several kept sets of the same size.
CompareRow judge(const Judge& judge, Competitor competitor, double share,
                 const std::vector<std::vector<Index>>& sets) {
  CompareRow row{};
  row.competitor = competitor;
  row.share = share;
  row.n_kept = static_cast<Index>(sets.front().size());
  row.reached = true;
  ClusterScores scores;
  for (const auto& kept : sets) {
    CompareRow one{};
    judge.measure(kept, one);
    const auto n_sets = static_cast<double>(sets.size());
    row.r2cv_mean += one.r2cv_mean / n_sets;
    row.r2cv_q10 += one.r2cv_q10 / n_sets;
    row.mean_r2 += one.mean_r2 / n_sets;
    row.neighbour_overlap += one.neighbour_overlap / n_sets;
    if (!judge.has_classes()) continue;
    const ClusterScores more = judge.cluster_scores(kept);
    scores.nmi.insert(scores.nmi.end(), more.nmi.begin(), more.nmi.end());
    scores.acc.insert(scores.acc.end(), more.acc.begin(), more.acc.end());
  }
  if (judge.has_classes()) {
    row.nmi = mean(scores.nmi);
    row.nmi_sd = standard_deviation(scores.nmi);
    row.acc = mean(scores.acc);
    row.acc_sd = standard_deviation(scores.acc);
  }
  return row;
}

std::vector<std::vector<Index>> random_sets(const std::vector<Index>& regular, Index count,
                                            const CompareOptions& options, const RunContext& run) {
  // Not the numbers by which features are chosen to be certified.
  detail::Random random(run.seed + 1);
  std::vector<std::vector<Index>> sets;
  for (int k = 0; k < options.n_random; ++k) {
    sets.push_back(detail::random_choice(regular, static_cast<std::size_t>(count), random));
  }
  return sets;
}

}  // namespace

void check(const CompareOptions& options) {
  if (options.shares.empty()) {
    throw Error(ErrorCode::invalid_option, "at least one share of features is needed");
  }
  check_fields(options);
}

CompareResult compare(const Dataset& dataset, const CompareOptions& options,
                      const RunContext& run) {
  check(options);
  require_comparable(dataset);
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean}, run);
  const std::vector<Index> regular = regular_features(centred);
  std::vector<double> shares = options.shares;
  std::ranges::sort(shares, std::greater{});
  std::vector<Index> counts;
  for (const double share : shares) {
    const auto wanted = std::lround(share * static_cast<double>(regular.size()));
    counts.push_back(std::max<Index>(1, static_cast<Index>(wanted)));
  }
  CompareResult result;
  result.source = dataset.source;
  result.n_samples = n_samples(dataset.matrix);
  result.n_features = n_features(dataset.matrix);
  RunContext quiet = run;
  quiet.progress = nullptr;
  const Judge by(dataset, centred, options, quiet);
  if (by.has_classes()) {
    const ClusterScores scores = by.cluster_scores(regular);
    result.nmi_all = mean(scores.nmi);
    result.acc_all = mean(scores.acc);
  }
  const auto n_work = static_cast<double>(kChoices<Competitor>.size() * shares.size());
  double done = 0;
  for (const auto& choice : kChoices<Competitor>) {
    const Competitor competitor = choice.value;
    const auto sets = detail::kept_sets(competitor, dataset, centred, counts, quiet);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      detail::check_stop(run);
      if (competitor == Competitor::random) {
        result.rows.push_back(
            judge(by, competitor, shares[k], random_sets(regular, counts[k], options, run)));
      } else if (sets[k]) {
        result.rows.push_back(judge(by, competitor, shares[k], {*sets[k]}));
      } else {
        CompareRow row{};
        row.competitor = competitor;
        row.share = shares[k];
        row.n_kept = counts[k];
        result.rows.push_back(row);
      }
      if (run.progress) run.progress("compare", ++done, n_work);
    }
  }
  std::ranges::stable_sort(result.rows, std::greater{}, &CompareRow::share);
  return result;
}

}  // namespace sfg

#include "sfg/classify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/memory.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "score/linear_classifier.hpp"
#include "score/sample_points.hpp"
#include "sfg/dataset.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// Squared distances this close, relative to the squared lengths, are equal: products of samples
/// may be summed in another order.
constexpr double kDistanceTie = 1e-12;
/// Ridges in units of the samples' mean squared length: from next to none to one that leaves little
/// but the means of the classes. Accuracy is flat between neighbours.
constexpr std::array kRidgeFactors{1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2};
/// Votes that count beside that of the nearest sample alone.
constexpr std::size_t kVoters = 5;
/// A class of one is never among the training samples when its sample is held out.
constexpr std::size_t kFewestMembers = 2;

/// Samples by class, with the labels in order; neither missing labels nor classes of one.
std::map<std::string, std::vector<Index>> members_of(std::span<const std::string> labels,
                                                     ClassFolds& folds) {
  std::map<std::string, std::vector<Index>> members;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (is_missing_label(labels[i])) {
      ++folds.n_unlabelled;
    } else {
      members[labels[i]].push_back(static_cast<Index>(i));
    }
  }
  for (auto one = members.begin(); one != members.end();) {
    const bool is_single = one->second.size() < kFewestMembers;
    if (is_single) ++folds.n_single;
    one = is_single ? members.erase(one) : std::next(one);
  }
  return members;
}

/// How many of a class's members are asked: all, or its share of the most, but at least two.
std::size_t asked_of(std::size_t n_members, std::size_t n_all, std::size_t most) {
  if (n_all <= most) return n_members;
  return std::max(kFewestMembers, n_members * most / n_all);
}

/// The training samples nearest to one, as many as there are votes, in no order.
std::vector<Index> nearest_of(const std::vector<double>& distances,
                              const std::vector<Index>& training, std::size_t count,
                              double rounding) {
  count = std::min(count, training.size());
  std::vector<double> sorted;
  for (const Index k : training) sorted.push_back(distances[k]);
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(count - 1));
  const double limit = sorted[count - 1];
  std::vector<Index> nearest;
  for (const Index k : training) {
    if (distances[k] < limit - rounding) nearest.push_back(k);
  }
  for (const Index k : training) {
    const bool is_tied = std::fabs(distances[k] - limit) <= rounding;
    if (is_tied && nearest.size() < count) nearest.push_back(k);
  }
  return nearest;
}

Index most_frequent(const std::vector<Index>& nearest, const ClassFolds& folds) {
  std::vector<Index> votes(folds.names.size(), 0);
  for (const Index k : nearest) ++votes[folds.classes[k]];
  return static_cast<Index>(std::ranges::max_element(votes) - votes.begin());
}

void classify_by_nearest(const DenseMatrix& products, const ClassFolds& folds,
                         const RunContext& run, Classification& found) {
  const auto m = static_cast<Index>(folds.samples.size());
  found.nearest_1.resize(folds.samples.size());
  found.nearest_5.resize(folds.samples.size());
  std::vector<detail::FoldParts> parts;
  for (int fold = 0; fold < folds.n_folds; ++fold) parts.push_back(detail::parts_of(folds, fold));
  detail::parallel_for(run, {}, m, [&](std::int64_t item) {
    const auto i = static_cast<Index>(item);
    const auto column = products.column(i);
    std::vector<double> distances(column.size());
    double largest = 0;
    for (Index k = 0; k < m; ++k) {
      distances[k] = products(i, i) + products(k, k) - 2 * column[k];
      largest = std::max(largest, products(k, k));
    }
    const double rounding = kDistanceTie * (products(i, i) + largest);
    const auto& training = parts[folds.folds[i]].training;
    found.nearest_1[i] = most_frequent(nearest_of(distances, training, 1, rounding), folds);
    found.nearest_5[i] = most_frequent(nearest_of(distances, training, kVoters, rounding), folds);
  });
}

double share_right(const std::vector<Index>& found, const ClassFolds& folds) {
  Index right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) right += found[i] == folds.classes[i] ? 1 : 0;
  return found.empty() ? 0 : static_cast<double>(right) / static_cast<double>(found.size());
}

}  // namespace

std::optional<ClassFolds> class_folds(std::span<const std::string> labels,
                                      const ClassifyOptions& options, const RunContext& run) {
  if (options.n_folds < 2 || options.most_samples < 2) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} folds of {} samples: at least two of each are needed",
                            options.n_folds, options.most_samples));
  }
  ClassFolds folds;
  const auto members = members_of(labels, folds);
  if (members.size() < 2) return std::nullopt;
  std::size_t n_all = 0;
  for (const auto& [name, samples] : members) n_all += samples.size();
  detail::Random random(run.seed);
  struct Place {
    Index sample, class_number;
    int fold;
  };
  std::vector<Place> places;
  for (const auto& [name, samples] : members) {
    std::vector<Index> shuffled = samples;
    detail::shuffle(shuffled, random);
    shuffled.resize(
        asked_of(samples.size(), n_all, static_cast<std::size_t>(options.most_samples)));
    for (const Index sample : shuffled) {
      const auto fold = static_cast<int>(places.size() % static_cast<std::size_t>(options.n_folds));
      places.push_back({sample, static_cast<Index>(folds.names.size()), fold});
    }
    folds.names.push_back(name);
  }
  std::ranges::sort(places, {}, &Place::sample);
  for (const Place& place : places) {
    folds.samples.push_back(place.sample);
    folds.classes.push_back(place.class_number);
    folds.folds.push_back(place.fold);
  }
  folds.n_folds = std::min(options.n_folds, static_cast<int>(places.size()));
  return folds;
}

Classification classify(const UnitFeatures& features, std::span<const Index> chosen,
                        const ClassFolds& folds, const RunContext& run) {
  const double m = static_cast<double>(folds.samples.size());
  // The products, and for each ridge under way their inverse and parts of it.
  constexpr double kMatrices = 3;
  detail::require_memory(sizeof(double) * m * m * (1 + kMatrices * detail::worker_count(run)), run,
                         fmt::format("classifying {} samples", folds.samples.size()),
                         "raise {memory_limit} or lower {threads}");
  const DenseMatrix products = detail::products_of_samples(features, chosen, folds.samples, run);
  Classification found;
  classify_by_nearest(products, folds, run, found);
  if (chosen.size() < folds.samples.size()) {
    const DenseMatrix values = detail::values_of_samples(features, chosen, folds.samples);
    found.linear = detail::linear_by_features(values, folds, run);
  } else {
    found.linear = detail::linear_by_samples(products, folds, run);
  }
  return found;
}

ClassifyScores score(const Classification& found, const ClassFolds& folds) {
  return {share_right(found.nearest_1, folds), share_right(found.nearest_5, folds),
          share_right(found.linear, folds)};
}

namespace detail {

std::vector<double> ridges_to_try(double mean_square) {
  // Samples that are all alike have no length: any ridge is as good.
  const double unit = mean_square > 0 ? mean_square : 1;
  std::vector<double> ridges;
  for (const double factor : kRidgeFactors) ridges.push_back(factor * unit);
  return ridges;
}

DenseMatrix class_targets(const ClassFolds& folds) {
  DenseMatrix targets(static_cast<Index>(folds.samples.size()),
                      static_cast<Index>(folds.names.size()));
  for (Index c = 0; c < targets.n_features(); ++c) {
    for (Index i = 0; i < targets.n_samples(); ++i) {
      targets(i, c) = folds.classes[i] == c ? 1 : -1;
    }
  }
  return targets;
}

FoldParts parts_of(const ClassFolds& folds, int fold) {
  FoldParts parts;
  for (std::size_t i = 0; i < folds.folds.size(); ++i) {
    (folds.folds[i] == fold ? parts.held_out : parts.training).push_back(static_cast<Index>(i));
  }
  return parts;
}

Index largest_of_row(const DenseMatrix& predictions, Index row) {
  Index best = 0;
  for (Index c = 1; c < predictions.n_features(); ++c) {
    if (predictions(row, c) > predictions(row, best)) best = c;
  }
  return best;
}

}  // namespace detail

}  // namespace sfg

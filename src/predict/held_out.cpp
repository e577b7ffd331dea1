// Held-out R^2: five folds, ridge on all kept features, the nearest ones weighted up.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>

#include "core/memory.hpp"
#include "core/random.hpp"
#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "predict/fold_ridge.hpp"
#include "predict/ridge_factor.hpp"
#include "predict/training_nearest.hpp"
#include "sfg/certificate.hpp"
#include "sfg/predict.hpp"

namespace sfg {

namespace detail {
class HeldOutPrediction;
}

namespace {

using detail::FoldRidge;
using detail::RidgeChoice;

/// Targets by which ridge and weight are chosen: a random choice where there are more.
constexpr std::size_t kTunedByFolds = 300;
/// Values of targets that are held at once, three times: as they are, projected, held out.
constexpr std::size_t kMostHeldValues = std::size_t{1} << 24;
/// Variation over the held-out samples below this share of the whole is rounding.
constexpr double kNoVariation = 1e-24;

/// Ridges at which all kept features together say next to nothing, so that the nearest, if they are
/// weighted up enough, say it alone: what suits thousands of smooth columns, pixels for example.
constexpr std::array kRidgesOfFew{100.0, 1000.0};

std::vector<RidgeChoice> all_choices() {
  std::vector<RidgeChoice> choices;
  const std::vector<double> weights{0.0, 1.0, 10.0, 100.0, 1000.0};
  const auto add = [&](double ridge) {
    for (const double weight : weights) choices.push_back({ridge, weight});
  };
  for (const double ridge : detail::ridge_grid()) add(ridge);
  for (const double ridge : kRidgesOfFew) {
    add(ridge);
    for (const double weight : {1e4, 1e5}) choices.push_back({ridge, weight});
  }
  return choices;
}

}  // namespace

/// Folds, the nearest kept features in them, and a regression for each: all that is known before
/// the targets are.
class detail::HeldOutPrediction {
 public:
  HeldOutPrediction(const UnitFeatures& centred, std::span<const Index> kept,
                    const CertificateOptions& options, const RunContext& run)
      : centred_(centred),
        run_(run),
        folds_(static_cast<std::size_t>(centred.n_samples()),
               static_cast<std::size_t>(options.n_folds), run.seed),
        nearest_(centred, kept, folds_, static_cast<std::size_t>(options.n_nearest), run),
        kept_(centred, kept, folds_, run) {
    std::vector<std::optional<FoldRidge>> made(folds_.n_folds());
    detail::parallel_for(run, {}, static_cast<std::int64_t>(made.size()), [&](std::int64_t fold) {
      made[fold].emplace(kept_, folds_, static_cast<std::size_t>(fold));
    });
    for (auto& one : made) ridges_.push_back(std::move(*one));
  }

  /// One pair of ridge and weight for all, the best by the total of R^2 clipped to [-1, 1].
  [[nodiscard]] RidgeChoice tune(std::span<const HeldOutTarget> targets) const {
    std::vector<HeldOutTarget> real;
    for (const HeldOutTarget& target : targets) {
      if (!target.permuted_by) real.push_back(target);
    }
    if (real.empty()) real.assign(targets.begin(), targets.end());
    detail::Random random(run_.seed);
    const auto tuned = detail::random_choice(real, kTunedByFolds, random);
    const auto choices = all_choices();
    const std::vector<double> r2 = r2_with(tuned, choices);
    double highest = -std::numeric_limits<double>::infinity();
    RidgeChoice best = choices.front();
    for (std::size_t c = 0; c < choices.size(); ++c) {
      double total = 0;
      for (std::size_t t = 0; t < tuned.size(); ++t) {
        total += std::clamp(r2[c * tuned.size() + t], -1.0, 1.0);
      }
      if (total > highest) {
        highest = total;
        best = choices[c];
      }
    }
    return best;
  }

  /// choice x target.
  [[nodiscard]] std::vector<double> r2_with(std::span<const HeldOutTarget> targets,
                                            std::span<const RidgeChoice> choices) const {
    const std::size_t n = folds_.n_samples();
    const std::size_t at_once = std::max<std::size_t>(1, kMostHeldValues / n);
    std::vector<double> result(targets.size() * choices.size());
    for (std::size_t first = 0; first < targets.size(); first += at_once) {
      const auto some = targets.subspan(first, std::min(at_once, targets.size() - first));
      const std::vector<double> r2 = r2_of(some, choices);
      for (std::size_t c = 0; c < choices.size(); ++c) {
        std::copy_n(r2.begin() + static_cast<std::ptrdiff_t>(c * some.size()), some.size(),
                    result.begin() + static_cast<std::ptrdiff_t>(c * targets.size() + first));
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::vector<double> r2_of(std::span<const HeldOutTarget> targets,
                                          std::span<const RidgeChoice> choices) const {
    const std::size_t n = folds_.n_samples();
    std::vector<double> values(n * targets.size());
    std::vector<double> samples;
    std::vector<std::vector<char>> gaps;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      expand_by_place(centred_, targets[t], folds_, samples, values.data() + t * n);
      gaps.push_back(gaps_by_place(centred_, targets[t], folds_));
    }
    const std::vector<Index> nearest = nearest_.find(targets, run_);
    const std::size_t count = nearest_.n_nearest();
    std::vector<double> errors(targets.size() * choices.size(), 0.0);
    std::vector<double> totals(targets.size(), 0.0);
    for (std::size_t f = 0; f < folds_.n_folds(); ++f) {
      std::vector<FoldRidge::Target> in_fold;
      for (std::size_t t = 0; t < targets.size(); ++t) {
        const std::size_t start = (t * folds_.n_folds() + f) * count;
        in_fold.push_back({values.data() + t * n, std::span(nearest).subspan(start, count),
                           gaps[t].empty() ? nullptr : gaps[t].data()});
      }
      const auto filled = fill_training(f, in_fold);
      ridges_[f].add_errors(in_fold, choices, run_, errors, totals);
    }
    for (std::size_t c = 0; c < choices.size(); ++c) {
      for (std::size_t t = 0; t < targets.size(); ++t) {
        double& r2 = errors[c * targets.size() + t];
        r2 = totals[t] > kNoVariation ? 1 - r2 / totals[t] : 0.0;
      }
    }
    return errors;
  }

  /// Values of the targets with gaps as the fold's training takes them; `targets` look at them
  /// then.
  [[nodiscard]] std::vector<std::vector<double>> fill_training(
      std::size_t fold, std::vector<FoldRidge::Target>& targets) const {
    std::vector<std::vector<double>> filled(targets.size());
    detail::parallel_for(run_, {}, static_cast<std::int64_t>(targets.size()), [&](std::int64_t t) {
      if (targets[t].is_gap == nullptr) return;
      filled[t].assign(targets[t].values, targets[t].values + folds_.n_samples());
      ridges_[fold].fill_training(targets[t], filled[t]);
    });
    for (std::size_t t = 0; t < targets.size(); ++t) {
      if (!filled[t].empty()) targets[t].values = filled[t].data();
    }
    return filled;
  }

  const UnitFeatures& centred_;
  const RunContext& run_;
  detail::SampleFolds folds_;
  detail::TrainingNearest nearest_;
  detail::KeptByPlace kept_;
  std::vector<FoldRidge> ridges_;
};

namespace {

/// A copy in which the gaps of the targets hold the mean of their other values: what fills them
/// elsewhere in the method has no part in their test.
UnitFeatures with_means_in_gaps(const UnitFeatures& centred, std::span<const HeldOutTarget> targets,
                                const RunContext& run) {
  detail::require_memory(static_cast<double>(memory_of(centred.matrix)), run,
                         "testing features with gaps", "raise {memory_limit}");
  UnitFeatures flat = view_of(centred);
  std::visit([](auto& matrix) { matrix.own(); }, flat.matrix);
  std::vector<double> column(static_cast<std::size_t>(centred.n_samples()));
  for (const HeldOutTarget& target : targets) {
    const auto gaps = centred.gaps->of(target.feature);
    if (gaps.empty()) continue;
    detail::expand(centred, target.feature, column.data());
    // The mean of all samples is 0.
    double mean = 0;
    for (const Index gap : gaps)
      mean -= column[gap] / static_cast<double>(column.size() - gaps.size());
    if (auto* dense = std::get_if<DenseMatrix>(&flat.matrix)) {
      for (const Index gap : gaps) dense->column(target.feature)[gap] = mean;
      continue;
    }
    auto& sparse = std::get<SparseMatrix>(flat.matrix);
    const auto rows = sparse.column_rows(target.feature);
    const auto begin = static_cast<std::size_t>(sparse.starts[target.feature]);
    for (const Index gap : gaps) {
      const auto at = static_cast<std::size_t>(std::ranges::lower_bound(rows, gap) - rows.begin());
      sparse.values[begin + at] = mean + flat.shift[target.feature];
    }
  }
  return flat;
}

}  // namespace

struct HeldOutTests::Prepared {
  UnitFeatures features;
  std::vector<Index> kept;
  std::optional<detail::HeldOutPrediction> prediction;
};

HeldOutTests::HeldOutTests(const UnitFeatures& centred, const CertificateOptions& options,
                           const RunContext& run)
    : centred_(centred), options_(options), run_(run) {
  check(options);
}

HeldOutTests::~HeldOutTests() = default;

std::vector<double> HeldOutTests::r2(std::span<const Index> kept,
                                     std::span<const HeldOutTarget> targets) {
  if (targets.empty()) return {};
  // What stands in gaps meanwhile depends on the targets.
  const bool holds =
      prepared_ && centred_.gaps == nullptr && std::ranges::equal(prepared_->kept, kept);
  if (!holds) prepare(kept, targets);
  if (!prepared_->prediction) return std::vector<double>(targets.size(), 0.0);
  const std::vector<RidgeChoice> best{prepared_->prediction->tune(targets)};
  return prepared_->prediction->r2_with(targets, best);
}

void HeldOutTests::prepare(std::span<const Index> kept, std::span<const HeldOutTarget> targets) {
  prepared_.reset();  // its memory goes before the next one takes as much
  prepared_ = std::make_unique<Prepared>();
  prepared_->kept.assign(kept.begin(), kept.end());
  UnitFeatures& features = prepared_->features;
  features = at_most_samples(centred_, kMostSamplesToPredict, run_);
  if (features.gaps != nullptr) features = with_means_in_gaps(features, targets, run_);
  if (kept.empty() || features.n_samples() < options_.n_folds) return;
  prepared_->prediction.emplace(features, prepared_->kept, options_, run_);
}

std::vector<double> held_out_r2(const UnitFeatures& centred, std::span<const Index> kept,
                                std::span<const HeldOutTarget> targets,
                                const CertificateOptions& options, const RunContext& run) {
  return HeldOutTests(centred, options, run).r2(kept, targets);
}

}  // namespace sfg

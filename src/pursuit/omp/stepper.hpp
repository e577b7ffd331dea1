#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pursuit/engines/stream/first_pass.hpp"
#include "pursuit/engines/stream/screen.hpp"
#include "pursuit/omp/scorer.hpp"
#include "pursuit/omp/target_pursuit.hpp"

namespace sfg::detail {

/// How the pursuits of a block find their next atoms: takes every active one a step further.
template <typename Space>
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Takes a new one its first step if that costs nothing.
  virtual void begin(TargetPursuit<Space>& /*pursuit*/, int /*worker*/) {}
  virtual void step(std::span<TargetPursuit<Space>* const> active, int worker) = 0;
};

/// By the products of all features with each residual.
template <typename Space, typename Value>
class ProductStepper final : public Stepper<Space> {
 public:
  ProductStepper(std::unique_ptr<Scorer<Value>> scorer, Index n_features, int n_workers)
      : scorer_(std::move(scorer)),
        d_(static_cast<std::size_t>(n_features)),
        work_(static_cast<std::size_t>(n_workers)) {}

  void step(std::span<TargetPursuit<Space>* const> active, int worker) override {
    auto& [queries, products, error_bounds] = work_[worker];
    queries.clear();
    for (auto* pursuit : active) queries.push_back(pursuit->query());
    products.resize(d_ * active.size());
    error_bounds.resize(active.size());
    scorer_->products(queries, worker, products.data(), error_bounds.data());
    for (std::size_t b = 0; b < active.size(); ++b) {
      active[b]->step(std::span<Value>(products.data() + b * d_, d_), error_bounds[b]);
    }
  }

 private:
  struct Work {
    std::vector<Query> queries;
    std::vector<Value> products;
    std::vector<double> error_bounds;
  };
  std::unique_ptr<Scorer<Value>> scorer_;
  std::size_t d_;
  std::vector<Work> work_;
};

/// By candidates that a screen in low precision finds.
class ScreenStepper final : public Stepper<DenseSpace> {
 public:
  /// `first` has the candidates for the first atom of every target, or is null.
  ScreenStepper(CandidateScreen& screen, const FirstCandidates* first, const Duplicates& duplicates,
                int n_workers)
      : screen_(screen),
        first_(first),
        duplicates_(duplicates),
        work_(static_cast<std::size_t>(n_workers)) {}

  void begin(TargetPursuit<DenseSpace>& pursuit, int worker) override {
    if (first_ == nullptr) return;
    Work& work = work_[worker];
    std::span<const Candidate> candidates = first_->of(pursuit.target());
    if (duplicates_.repeated(pursuit.target())) {
      // The first of its kind has the same candidates, and is one itself.
      const Index first = duplicates_.twin[pursuit.target()];
      const auto list = first_->of(first);
      work.first.assign(list.begin(), list.end());
      const auto place = std::ranges::lower_bound(work.first, first, {}, &Candidate::feature);
      work.first.insert(place, {first, std::numeric_limits<float>::infinity()});
      candidates = work.first;
    }
    take_step(pursuit, candidates, work);
    for (const Candidate& candidate : candidates.first(std::min(kRunnersUp, candidates.size()))) {
      pursuit.runners_up().push_back(candidate.feature);
    }
  }

  void step(std::span<TargetPursuit<DenseSpace>* const> active, int worker) override {
    Work& work = work_[worker];
    work.queries.clear();
    for (std::size_t b = 0; b < active.size(); ++b) {
      if (b + kAhead < active.size()) active[b + kAhead]->fetch_runners_up();
      auto* pursuit = active[b];
      work.queries.push_back({pursuit->fit().residual().data() + 1, pursuit->reached(),
                              pursuit->forbidden(), &pursuit->runners_up()});
    }
    if (work.lists.size() < active.size()) work.lists.resize(active.size());
    screen_.find(work.queries, worker, work.lists);
    for (std::size_t b = 0; b < active.size(); ++b) {
      if (b + kAhead < active.size()) active[b + kAhead]->fetch(work.lists[b + kAhead]);
      take_step(*active[b], work.lists[b], work);
    }
  }

  [[nodiscard]] double candidates_per_step() const {
    double candidates = 0;
    double steps = 0;
    for (const Work& work : work_) {
      candidates += work.n_candidates;
      steps += work.n_steps;
    }
    return steps > 0 ? candidates / steps : 0;
  }

 private:
  struct Work {
    std::vector<ScreenQuery> queries;
    std::vector<std::vector<Candidate>> lists;
    std::vector<Candidate> first;
    double n_candidates = 0;
    double n_steps = 0;
  };

  /// So many pursuits before their turn the columns that they will read are asked for: memory
  /// answers while the others compute.
  static constexpr std::size_t kAhead = 2;

  static void take_step(TargetPursuit<DenseSpace>& pursuit, std::span<const Candidate> candidates,
                        Work& work) {
    work.n_candidates += static_cast<double>(candidates.size());
    work.n_steps += 1;
    pursuit.step(candidates);
  }

  CandidateScreen& screen_;
  const FirstCandidates* first_;
  const Duplicates& duplicates_;
  std::vector<Work> work_;
};

}  // namespace sfg::detail

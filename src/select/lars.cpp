#include "select/lars.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "select/lars_walk.hpp"

namespace sfg::detail {

const LarsStep* LarsPath::of_size(Index n_active) const noexcept {
  const LarsStep* best = nullptr;
  for (const LarsStep& step : steps) {
    if (static_cast<Index>(step.features.size()) > n_active) continue;
    if (best == nullptr || step.features.size() >= best->features.size()) best = &step;
  }
  return best != nullptr || steps.empty() ? best : &steps.front();
}

namespace {

/// Progress of the path that is farthest behind.
void report(const std::vector<LarsWalk*>& under_way, const LarsOptions& options,
            const RunContext& run) {
  if (!run.progress || options.max_active == 0) return;
  auto fewest = static_cast<std::size_t>(options.max_active);
  for (const LarsWalk* walk : under_way) fewest = std::min(fewest, walk->n_active());
  run.progress("regressions", static_cast<double>(fewest), options.max_active);
}

}  // namespace

std::vector<LarsPath> lars(const Matrix& features, const DenseMatrix& responses,
                           const LarsOptions& options, const RunContext& run) {
  const Columns columns(features);
  std::vector<std::unique_ptr<LarsWalk>> walks;
  std::vector<const double*> vectors;
  std::vector<double*> products;
  for (Index r = 0; r < responses.n_features(); ++r) {
    walks.push_back(std::make_unique<LarsWalk>(columns, options));
    vectors.push_back(responses.column(r).data());
    products.push_back(walks.back()->correlations().data());
  }
  multiply(columns, vectors, products, run);
  const double longest_feature = columns.longest();
  for (std::size_t r = 0; r < walks.size(); ++r) {
    const auto response = responses.column(static_cast<Index>(r));
    walks[r]->start(longest_feature *
                    std::sqrt(dot(response.data(), response.data(), response.size())));
  }

  std::vector<LarsWalk*> under_way;
  const auto in_parallel = [&](void (LarsWalk::*half_step)()) {
    parallel_for(run, {}, static_cast<std::int64_t>(under_way.size()),
                 [&](std::int64_t k) { (under_way[k]->*half_step)(); });
  };
  const auto keep_those_under_way = [&] {
    under_way.clear();
    for (const auto& walk : walks) {
      if (walk->under_way()) under_way.push_back(walk.get());
    }
  };
  for (keep_those_under_way(); !under_way.empty(); keep_those_under_way()) {
    in_parallel(&LarsWalk::set_out);
    keep_those_under_way();
    vectors.clear();
    products.clear();
    for (LarsWalk* walk : under_way) {
      vectors.push_back(walk->direction());
      products.push_back(walk->slopes().data());
    }
    multiply(columns, vectors, products, run);
    in_parallel(&LarsWalk::walk);
    report(under_way, options, run);
  }

  std::vector<LarsPath> paths;
  paths.reserve(walks.size());
  for (const auto& walk : walks) paths.push_back(walk->take());
  return paths;
}

}  // namespace sfg::detail

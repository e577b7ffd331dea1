// Products from the data: nothing of size d x d.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/scorer.hpp"
#include "pursuit/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Room for the parts of the rounding analysis that are of lower order.
constexpr double kBoundMargin = 4;

class StreamScorer final : public Scorer {
 public:
  StreamScorer(const UnitFeatures& dictionary, const Run& run)
      : dictionary_(std::get<DenseMatrix>(dictionary.matrix)),
        blocks_(static_cast<std::size_t>(worker_count(run))) {}

  void products(std::span<const Query> queries, int worker, double* products) override {
    const auto n = static_cast<std::size_t>(dictionary_.n_samples());
    auto& block = blocks_[static_cast<std::size_t>(worker)];
    block.resize(n * queries.size());
    for (std::size_t b = 0; b < queries.size(); ++b) {
      std::copy_n(queries[b].vector->begin() + 1, n, block.begin() + static_cast<Offset>(b * n));
    }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, dictionary_.n_features(),
                static_cast<blasint>(queries.size()), dictionary_.n_samples(), 1.0,
                dictionary_.data(), dictionary_.n_samples(), block.data(), dictionary_.n_samples(),
                0.0, products, dictionary_.n_features());
  }

  /// A product of n terms is off by at most n u |f| |v|, in whatever order it is summed.
  [[nodiscard]] double error_bound(const Query& query) const override {
    const auto& vector = *query.vector;
    const double length = std::sqrt(dot(vector.data() + 1, vector.data() + 1, vector.size() - 1));
    return kBoundMargin * (dictionary_.n_samples() + kBoundMargin) * kUnitRoundoff * length;
  }

 private:
  const DenseMatrix& dictionary_;
  std::vector<std::vector<double>> blocks_;  ///< vectors side by side, one block per worker
  SingleThreadedBlas single_threaded_;
};

}  // namespace

std::unique_ptr<Scorer> make_stream_scorer(const UnitFeatures& dictionary, const Run& run) {
  return std::make_unique<StreamScorer>(dictionary, run);
}

}  // namespace sfg::detail

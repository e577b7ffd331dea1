#include "groups/joint_gain.hpp"

#include <cblas.h>

#include <numeric>

#include "core/kernels.hpp"
#include "core/lapack.hpp"
#include "normalise/products.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

JointGain::JointGain(const UnitFeatures& features, const RunContext& run,
                     std::size_t picks_per_refresh)
    : features_(features),
      run_(run),
      n_(static_cast<std::size_t>(features.n_samples())),
      picks_per_refresh_(picks_per_refresh),
      g_(outer_products(features, regular_features(features))),
      l_(static_cast<std::size_t>(features.n_features()), 0.0),
      q_(l_.size()),
      gain_(l_.size()) {
  refresh();
}

std::vector<double> JointGain::times(const std::vector<double>& matrix,
                                     const std::vector<double>& x) const {
  std::vector<double> y(n_);
  const auto size = static_cast<int>(n_);
  cblas_dsymv(CblasColMajor, CblasUpper, size, 1.0, matrix.data(), size, x.data(), 1, 0.0, y.data(),
              1);
  return y;
}

JointGain::Step JointGain::start(Index feature, const std::vector<double>& values) {
  picks_.push_back(feature);
  Step step;
  step.u = times(m_, values);
  const std::vector<double> gu = times(g_, step.u);
  step.v = times(m_, gu);
  step.p = 1 + l_[feature];
  step.ugu = dot(step.u.data(), gu.data(), n_);
  return step;
}

/// M - uu'/p, both triangles.
void JointGain::finish(const Step& step) {
  if (is_fresh()) return refresh();
  for (std::size_t j = 0; j < n_; ++j) {
    add_multiple(-step.u[j] / step.p, step.u.data(), m_.data() + j * n_, n_);
  }
}

/// M from the picks.
void JointGain::find_inverse() {
  const auto size = static_cast<int>(n_);
  m_ = outer_products(features_, picks_);
  for (std::size_t i = 0; i < n_; ++i) m_[i * n_ + i] += 1;
  if (picks_.empty()) return;
  int info = 0;
  dpotrf_("U", &size, m_.data(), &size, &info);
  if (info == 0) dpotri_("U", &size, m_.data(), &size, &info);
  if (info != 0) throw Error(ErrorCode::internal, "I + F_S F_S' was not positive definite");
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t i = 0; i < j; ++i) m_[i * n_ + j] = m_[j * n_ + i];
  }
}

/// M, l and q from the picks.
void JointGain::refresh() {
  find_inverse();
  std::vector<double> mgm = g_;
  if (!picks_.empty()) {
    const auto size = static_cast<int>(n_);
    std::vector<double> gm(n_ * n_);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, size, size, 1.0, g_.data(), size, m_.data(),
                size, 0.0, gm.data(), size);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, size, size, 1.0, m_.data(), size, gm.data(),
                size, 0.0, mgm.data(), size);
  }
  for_each_feature_block(features_, run_, [&](Index first, Index count) {
    std::vector<Index> block(static_cast<std::size_t>(count));
    std::iota(block.begin(), block.end(), first);
    quadratic_forms(features_, block, m_.data(), l_.data() + first);
    quadratic_forms(features_, block, mgm.data(), q_.data() + first);
    for (const Index j : block) gain_[j] = q_[j] / (1 + l_[j]);
  });
}

}  // namespace sfg::detail

#include "sfg/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

/// Multiplications beyond which a random choice of the removed features is tried: some seconds.
constexpr double kMostWork = 2e11;
/// That choice has at least so many.
constexpr double kFewestTried = 1000;

/// How many of the removed features to try.
std::size_t n_tried(const UnitFeatures& centred, std::size_t n_kept, std::size_t n_removed,
                    const CertificateOptions& options) {
  if (options.most_features) {
    const auto most = static_cast<std::size_t>(*options.most_features);
    return most == 0 ? n_removed : std::min(most, n_removed);
  }
  const double work_of_one = static_cast<double>(n_stored(centred.matrix)) /
                             static_cast<double>(std::max<Index>(1, centred.n_features())) *
                             static_cast<double>(n_kept);
  const double affordable = std::max(kFewestTried, kMostWork / std::max(work_of_one, 1.0));
  return static_cast<double>(n_removed) <= affordable ? n_removed
                                                      : static_cast<std::size_t>(affordable);
}

}  // namespace

void check(const CertificateOptions& options) {
  check_fields(options);
}

HeldOutSummary summarise(const std::vector<double>& r2) {
  std::vector<double> clipped = r2;
  for (double& one : clipped) one = std::clamp(one, -1.0, 1.0);
  return {static_cast<Index>(r2.size()),
          mean(clipped),
          quantile(r2, 0.50),
          quantile(r2, 0.10),
          quantile(r2, 0.95),
          share_at_least(r2, 0.5),
          share_at_least(r2, 0.8)};
}

Certificate certify(const UnitFeatures& centred, std::span<const Index> kept,
                    std::span<const Index> removed, std::span<const Index> copies,
                    const CertificateOptions& options, const RunContext& run) {
  HeldOutTests tests(centred, options, run);
  return certify(centred, kept, removed, copies, options, run, tests);
}

Certificate certify(const UnitFeatures& centred, std::span<const Index> kept,
                    std::span<const Index> removed, std::span<const Index> copies,
                    const CertificateOptions& options, const RunContext& run, HeldOutTests& tests) {
  check(options);
  Certificate certificate;
  std::vector<Index> regular;
  for (const Index feature : removed) {
    if (centred.kind[feature] == FeatureKind::regular) {
      regular.push_back(feature);
    }
  }
  certificate.possible = centred.n_samples() >= kFewestSamplesToCertify;
  if (!certificate.possible || regular.empty()) return certificate;
  detail::Random random(run.seed);
  certificate.features = detail::random_choice(
      regular, n_tried(centred, kept.size(), regular.size(), options), random);
  certificate.all = certificate.features.size() == regular.size();
  std::vector<HeldOutTarget> targets;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < certificate.features.size(); ++k) {
    if (std::ranges::binary_search(copies, certificate.features[k])) continue;
    targets.push_back({certificate.features[k], {}});
    places.push_back(k);
  }
  for (const Index feature :
       detail::random_choice(regular, static_cast<std::size_t>(options.n_permuted), random)) {
    targets.push_back({feature, random.bits()});
  }
  const std::vector<double> r2 = tests.r2(kept, targets);
  certificate.permuted_r2.assign(r2.begin() + std::ssize(places), r2.end());
  certificate.permuted = summarise(certificate.permuted_r2);
  certificate.r2.assign(certificate.features.size(), 1.0);
  for (std::size_t k = 0; k < places.size(); ++k) certificate.r2[places[k]] = r2[k];
  certificate.removed = summarise(certificate.r2);
  return certificate;
}

}  // namespace sfg

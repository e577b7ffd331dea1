// Every engine's finder keeps the same promise: no atom that may be the best one is missing.
#include "pursuit/engines/candidate_finder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pursuit/engines/engine_form.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/omp/target_pursuit.hpp"
#include "pursuit/omp/tolerances.hpp"
#include "reference.hpp"

namespace sfg::detail {
namespace {

using testing::random_matrix;
using testing::tied_matrix;

constexpr Index kFeatures = 70;
constexpr Index kSamples = 25;
constexpr int kSteps = 6;

/// A way to find candidates, and the form of the features that it works on.
struct Way {
  std::string name;
  Engine form;
  std::vector<PursuitMethod> methods;
  std::unique_ptr<CandidateFinder> (*make)(const UnitFeatures&, const Duplicates&,
                                           const RunContext&);
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"gram",
       Engine::gram,
       {PursuitMethod::omp, PursuitMethod::ols},
       [](const UnitFeatures& features, const Duplicates&, const RunContext& run) {
         return make_gram_finder(features, run);
       }},
      {"sparse",
       Engine::sparse,
       {PursuitMethod::omp, PursuitMethod::ols},
       [](const UnitFeatures& features, const Duplicates& duplicates, const RunContext& run) {
         return make_sparse_finder(features, duplicates, run);
       }},
      {"stream",
       Engine::stream,
       {PursuitMethod::omp},
       [](const UnitFeatures& features, const Duplicates& duplicates, const RunContext& run) {
         return make_stream_finder(features, duplicates, fastest_tile_kernel(Screen::int8), run);
       }},
      {"stream_products",
       Engine::stream,
       {PursuitMethod::omp, PursuitMethod::ols},
       [](const UnitFeatures& features, const Duplicates& duplicates, const RunContext& run) {
         return make_tile_product_finder(features, duplicates, fastest_tile_kernel(Screen::f32),
                                         run);
       }},
  };
  return all;
}

SampleVector sample_vector(const DenseMatrix& columns, Index k) {
  SampleVector vector(1, 0.0);
  vector.insert(vector.end(), columns.column(k).begin(), columns.column(k).end());
  return vector;
}

/// Scores of all atoms, the slow way: from a fit of its own on dense data; 0 for forbidden atoms.
std::vector<double> slow_scores(const DenseMatrix& columns, const Query& query,
                                PursuitMethod method) {
  OrthogonalFit fit;
  fit.start(sample_vector(columns, query.self), 0);
  for (const Index atom : query.atoms) {
    SampleVector vector = sample_vector(columns, atom);
    EXPECT_EQ(fit.add(vector), OrthogonalFit::Added::yes);
  }
  std::vector<double> scores;
  for (Index k = 0; k < columns.n_features(); ++k) {
    SampleVector atom = sample_vector(columns, k);
    double score = 0;
    for (std::size_t i = 1; i < atom.size(); ++i) score += atom[i] * fit.residual()[i];
    if (method == PursuitMethod::ols) {
      const double outside = fit.length_outside(atom);
      score = outside < kDependent ? 0 : score / outside;
    }
    const bool is_allowed = std::ranges::find(query.forbidden, k) == query.forbidden.end();
    scores.push_back(is_allowed ? std::fabs(score) : 0);
  }
  return scores;
}

/// The best atom among those that are not repeated is in the list, and so is every one tied with
/// it; the bounds hold; no forbidden atom is in it.
void expect_promise(const CandidateList& list, const Query& query,
                    const std::vector<double>& scores, const Duplicates& duplicates) {
  EXPECT_TRUE(std::ranges::is_sorted(list, {}, &Candidate::feature));
  for (const Index atom : query.forbidden) {
    EXPECT_FALSE(std::ranges::binary_search(list, atom, {}, &Candidate::feature));
  }
  const double best = std::ranges::max(scores);
  if (best <= 2 * kScoreFloor) return;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const auto atom = static_cast<Index>(k);
    if (duplicates.repeated(atom) || scores[k] < best - kScoreTie / 2) continue;
    const auto place = std::ranges::lower_bound(list, atom, {}, &Candidate::feature);
    ASSERT_TRUE(place != list.end() && place->feature == atom) << "atom " << atom;
    EXPECT_GE(static_cast<double>(place->upper), scores[k] - kScoreTie);
  }
}

class EveryFinder : public ::testing::TestWithParam<std::size_t> {
 protected:
  static const Way& way() { return ways()[GetParam()]; }

  /// Calls use(finder, target, duplicates) with a target of the way's form, for each method.
  template <typename Use>
  void for_each_method(const UnitFeatures& dense, const Use& use) {
    UnitFeatures converted;
    const UnitFeatures& features = in_engine_form(dense, way().form, converted);
    const Duplicates duplicates = find_duplicates(features, {});
    RunContext run;
    run.threads = 1;
    const auto finder = way().make(features, duplicates, run);
    for (const PursuitMethod method : way().methods) {
      PursuitOptions options;
      options.method = method;
      options.epsilon = 1e-6;
      if (way().form == Engine::sparse) {
        TargetPursuit<SparseSpace> target(SparseSpace(features, features), features.kind,
                                          duplicates, options);
        use(*finder, target, duplicates, method);
      } else {
        TargetPursuit<DenseSpace> target(DenseSpace(features, features), features.kind, duplicates,
                                         options);
        use(*finder, target, duplicates, method);
      }
    }
  }
};

TEST_P(EveryFinder, lists_every_atom_that_may_be_the_best_in_every_step) {
  for (const bool is_tied : {false, true}) {
    const UnitFeatures features = normalise(
        is_tied ? tied_matrix(kSamples, kFeatures, 3) : random_matrix(kSamples, kFeatures, 3), {});
    const auto& columns = std::get<DenseMatrix>(features.matrix);
    for_each_method(features, [&](CandidateFinder& finder, auto& target,
                                  const Duplicates& duplicates, PursuitMethod method) {
      for (Index i = 0; i < kFeatures; i += 7) {
        target.start(i, i);
        for (int step = 0; step < kSteps && !target.finished(); ++step) {
          const Query query = target.query();
          CandidateList list;
          finder.find({&query, 1}, {&list, 1}, 0);
          expect_promise(list, query, slow_scores(columns, query, method), duplicates);
          target.take_best_of(list);
        }
      }
    });
  }
}

/// A dependent atom is found out only by the refit; the target then asks once more, and the scores
/// of OLS must not see the same direction twice.
TEST_P(EveryFinder, answers_the_same_when_it_is_asked_twice) {
  const UnitFeatures features = normalise(random_matrix(kSamples, kFeatures, 5), {});
  for_each_method(
      features, [&](CandidateFinder& finder, auto& target, const Duplicates&, PursuitMethod) {
        target.start(4, 4);
        for (int step = 0; step < kSteps && !target.finished(); ++step) {
          Query query = target.query();
          query.runners_up = nullptr;
          CandidateList lists[2];
          for (CandidateList& list : lists) finder.find({&query, 1}, {&list, 1}, 0);
          EXPECT_TRUE(
              std::ranges::equal(lists[0], lists[1], {}, &Candidate::feature, &Candidate::feature));
          target.take_best_of(lists[1]);
        }
      });
}

INSTANTIATE_TEST_SUITE_P(CandidateFinder, EveryFinder,
                         ::testing::Range<std::size_t>(0, ways().size()),
                         [](const auto& info) { return ways()[info.param].name; });

}  // namespace
}  // namespace sfg::detail

#include "equations/system.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "core/random.hpp"
#include "equations/tolerances.hpp"

namespace sfg {
namespace {

using detail::EquationSystem;
using detail::Weights;

/// Every step looks at all equations.
class PlainSystem {
 public:
  PlainSystem(std::vector<int> preference, std::vector<double> size)
      : preference_(std::move(preference)), size_(std::move(size)) {}

  void solve_for(Index feature, const Weights& circuit) {
    Weights sum;
    add_multiple(circuit, -1 / circuit.at(feature), sum);
    sum.erase(feature);
    for (auto& [removed, terms] : solved_) {
      const auto found = terms.find(feature);
      if (found == terms.end()) continue;
      const double weight = found->second;
      terms.erase(found);
      add_multiple(sum, weight, terms);
    }
    solved_[feature] = std::move(sum);
  }

  void exchange() {
    for (;;) {
      Index removed = -1;
      Index kept = -1;
      int most_gained = 0;
      double largest = 1 + detail::kWeightTie;
      for (const auto& [feature, terms] : solved_) {
        for (const auto& [other, weight] : terms) {
          const int gain = preference_[other] - preference_[feature];
          if (preference_[other] == 0 || gain < most_gained) continue;
          if (std::fabs(weight) <= detail::kDoubtfulWeight) continue;
          const double size = std::fabs(weight) * size_[other] / size_[feature];
          if (gain == most_gained && size <= largest * (1 + detail::kWeightTie)) continue;
          removed = feature;
          kept = other;
          largest = size;
          most_gained = gain;
        }
      }
      if (removed < 0) return;
      Weights circuit = std::move(solved_[removed]);
      solved_.erase(removed);
      circuit[removed] = -1;
      solve_for(kept, circuit);
    }
  }

  [[nodiscard]] const std::map<Index, Weights>& solved() const { return solved_; }

 private:
  static void add_multiple(const Weights& from, double factor, Weights& to) {
    for (const auto& [feature, weight] : from) {
      double& sum = to[feature];
      sum += factor * weight;
      if (std::fabs(sum) <= detail::kNoWeight) to.erase(feature);
    }
  }

  std::vector<int> preference_;
  std::vector<double> size_;
  std::map<Index, Weights> solved_;
};

/// Sums of features that are there already: chains of sums of sums, so that much is put into much.
std::vector<Weights> chained_sums(Index d, detail::Random& random) {
  std::vector<Weights> circuits;
  for (Index total = d / 2; total < d; ++total) {
    Weights circuit{{total, -1.0}};
    const auto n_terms = 1 + random.below(4);
    for (std::uint64_t k = 0; k < n_terms; ++k) {
      const auto part = static_cast<Index>(random.below(static_cast<std::uint64_t>(total)));
      circuit[part] = random.below(3) == 0 ? 1.0 : random.normal();
    }
    circuits.push_back(std::move(circuit));
  }
  detail::shuffle(circuits, random);
  return circuits;
}

RC_GTEST_PROP(EquationSystem, looks_at_the_equations_concerned_and_ends_where_looking_at_all_does,
              ()) {
  const auto d = *rc::gen::inRange<Index>(4, 40);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  detail::Random random(seed);
  std::vector<int> preference;
  std::vector<double> size;
  for (Index i = 0; i < d; ++i) {
    preference.push_back(static_cast<int>(random.below(4)));
    size.push_back(1 + static_cast<double>(random.below(3)));
  }
  EquationSystem system(preference, size);
  PlainSystem plain(preference, size);
  // What is added is solved for by the same rule; then every equation is put into every other.
  for (Weights& circuit : chained_sums(d, random)) {
    const auto before = system.solved();
    system.add(circuit);
    for (const auto& [feature, terms] : system.solved()) {
      if (before.contains(feature)) continue;
      Weights solved = terms;
      solved[feature] = -1;
      plain.solve_for(feature, solved);
    }
    RC_ASSERT(system.solved() == plain.solved());
  }
  system.exchange();
  plain.exchange();
  RC_ASSERT(system.solved() == plain.solved());
}

}  // namespace
}  // namespace sfg

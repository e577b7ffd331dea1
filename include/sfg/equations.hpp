#pragma once

#include <vector>

#include "sfg/combination.hpp"
#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// x = intercept + sum of terms, exactly: what is left is rounding.
struct Equation {
  Index feature = -1;       ///< the one that can go
  Combination combination;  ///< of features that no other equation takes away
  /// What it leaves of the feature, as a share of its spread (1e-15): rounding.
  double residual = 0;
};

struct EquationOptions {
  bool equations = true;
  int max_equation_terms = 8;
};

template <OptionsOf<EquationOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"equations", "Remove features that are exact sums of others"}, options.equations);
  visit({"max_equation_terms",
         "Most terms of such a sum, in tables with fewer than 4 samples per feature", at_least(2)},
        options.max_equation_terms);
}

struct EquationInput {
  /// Features to try where there are fewer than four samples per feature, ascending: those that a
  /// short description explains nearly; and those that a copy describes, of which nobody knows yet
  /// what they are beside it. Both empty: find them.
  std::vector<Index> candidates = {};
  std::vector<Index> copies = {};
  FeatureList keep = {};      ///< never removed
  FeatureList priority = {};  ///< best first: removed only if nothing else in an equation can be
};

/// Throws invalid_option for a value out of its range.
void check(const EquationOptions& options);

/// Which features are exact linear combinations (with an intercept) of others, ascending.
///
/// With at least four samples per feature that varies: all of them, by a factorisation. The
/// features without an equation have full rank, and copies (equations of one term) are among them.
/// With fewer samples: sums of few features, as the pursuit finds them, with at least four samples
/// per term. Copies are left to the groups there, except copies of a sum: they have its equation.
///
/// Who goes: not the features to keep; those of `priority` last, and the later ones first; else the
/// one that weighs most (coefficient times root mean square), which is the total rather than a
/// part. Neither the units of the columns nor their order matter, except that the lowest index
/// stays in a tie.
[[nodiscard]] std::vector<Equation> find_equations(const UnitFeatures& centred,
                                                   const EquationInput& input,
                                                   const EquationOptions& options,
                                                   const RunContext& run = {});

}  // namespace sfg

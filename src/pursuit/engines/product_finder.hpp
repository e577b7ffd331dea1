#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "pursuit/engines/candidate_finder.hpp"

// Finders that make the products of all features with a vector first, and then pick the candidates
// among them. They differ in where the products come from: a class `Products` with
//
//   using Value = float or double;
//   void products(std::span<const ProductVector> vectors, int worker, Value* products,
//                 double* error_bounds);
//   std::string kernel_name() const;
//
// that sets products[b * n_features + k] ~ <f_k, v_b>, off by at most error_bounds[b]. Repeated
// features may have 0. Calls with different workers may run at once.
namespace sfg::detail {

/// A vector whose products with all features are wanted: v itself and v as a sum of features.
struct ProductVector {
  const SampleVector* vector = nullptr;
  std::span<const Index> rows;  ///< samples of the vector's entries; empty: all of them
  Index target = -1;            ///< v = target_weight * f_target + sum_l weights_l f_atoms_l
  double target_weight = 0;
  std::span<const Index> atoms;
  std::span<const double> weights;
};

/// The vector that a query needs the products of: the residual (OMP, and OLS at its start) or the
/// newest direction (OLS). `weights` is memory for those of the atoms.
[[nodiscard]] inline ProductVector product_vector(const Query& query,
                                                  std::vector<double>& weights) {
  ProductVector result;
  result.rows = query.rows;
  result.atoms = query.atoms;
  result.target = query.self;
  if (query.ols != nullptr && !query.atoms.empty()) {
    query.fit->last_direction_coefficients(weights);
    result.vector = &query.fit->direction(query.fit->n_atoms() - 1);
  } else {
    query.fit->coefficients(weights);
    for (double& weight : weights) weight = -weight;
    result.target_weight = 1;
    result.vector = query.residual;
  }
  result.weights = weights;
  return result;
}

template <typename Products>
class ProductFinder final : public CandidateFinder {
 public:
  using Value = typename Products::Value;

  /// `near`: see make_gram_finder().
  ProductFinder(Products products, Index n_features, int n_workers, std::vector<Run> near = {})
      : products_(std::move(products)),
        d_(static_cast<std::size_t>(n_features)),
        near_(std::move(near)),
        work_(static_cast<std::size_t>(n_workers)) {}

  void find(std::span<const Query> queries, std::span<CandidateList> lists, int worker) override {
    Work& work = work_[worker];
    make_products(queries, worker, work);
    std::size_t place = 0;
    for (std::size_t b = 0; b < queries.size(); ++b) {
      const bool is_new = wants_products(queries[b]);
      const std::span<Value> products(work.products.data() + place * d_, is_new ? d_ : 0);
      const double error_bound = is_new ? work.error_bounds[place] : 0;
      if (queries[b].ols == nullptr) {
        omp_list(queries[b], allowed(queries[b]), products, error_bound, lists[b]);
      } else {
        ols_list(queries[b], allowed(queries[b]), products, error_bound, lists[b]);
      }
      if (is_new) ++place;
    }
  }

  [[nodiscard]] std::string kernel_name() const override { return products_.kernel_name(); }

 private:
  struct Work {
    std::vector<ProductVector> vectors;
    std::vector<std::vector<double>> weights;
    std::vector<Value> products;
    std::vector<double> error_bounds;
  };

  /// OLS scores that have seen all directions need no more products: the atom chosen last was
  /// dependent, and the next best one is wanted.
  [[nodiscard]] static bool wants_products(const Query& query) {
    return query.ols == nullptr || query.ols->n_seen() <= query.atoms.size();
  }

  void make_products(std::span<const Query> queries, int worker, Work& work) {
    work.vectors.clear();
    if (work.weights.size() < queries.size()) work.weights.resize(queries.size());
    for (const Query& query : queries) {
      if (!wants_products(query)) continue;
      work.vectors.push_back(product_vector(query, work.weights[work.vectors.size()]));
    }
    work.products.resize(std::max(work.products.size(), d_ * work.vectors.size()));
    work.error_bounds.resize(std::max(work.error_bounds.size(), work.vectors.size()));
    products_.products(work.vectors, worker, work.products.data(), work.error_bounds.data());
  }

  /// Atoms that the target may have.
  [[nodiscard]] Run allowed(const Query& query) const {
    return near_.empty() ? Run{0, d_} : near_[query.self];
  }

  static void omp_list(const Query& query, Run allowed, std::span<Value> products,
                       double error_bound, CandidateList& list) {
    // No number passes any limit, not even one below zero.
    for (const Index atom : query.forbidden) {
      products[atom] = std::numeric_limits<Value>::quiet_NaN();
    }
    const std::span<const Value> some = products.subspan(allowed.first, allowed.size());
    omp_candidates(some, error_bound, list);
    for (Candidate& one : list) one.feature += static_cast<Index>(allowed.first);
  }

  static void ols_list(const Query& query, Run allowed, std::span<const Value> products,
                       double error_bound, CandidateList& list) {
    OlsScores& scores = *query.ols;
    if (products.empty()) {
      // Nothing new.
    } else if (query.atoms.empty()) {
      scores.start<Value>(products, error_bound);
      for (std::size_t k = 0; k < products.size(); ++k) {
        if (k < allowed.first || k >= allowed.end) scores.exclude(static_cast<Index>(k));
      }
    } else {
      scores.add_direction<Value>(products, error_bound,
                                  query.fit->projection(query.fit->n_atoms() - 1));
    }
    for (const Index atom : query.forbidden) scores.exclude(atom);
    scores.candidates(list);
  }

  Products products_;
  std::size_t d_;
  std::vector<Run> near_;
  std::vector<Work> work_;
};

}  // namespace sfg::detail

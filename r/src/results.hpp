#pragma once

#include <Rcpp.h>

#include "sfg/model.hpp"
#include "sfg/pipeline.hpp"

// Results as lists of R. Columns of tables are vectors of one length, of which the R side makes
// data frames.
namespace sfg::r {

/// What a model file knows: features, removed, means, and the file itself as text.
[[nodiscard]] Rcpp::List model_list(const Model& model);

/// What a run knows beyond that.
[[nodiscard]] Rcpp::List run_list(const MethodOptions& options, const MethodResult& result);

/// n_kept, overlap, loss_ratio, r2loo_mean, good, chosen.
[[nodiscard]] Rcpp::List levels_list(const MethodResult& result);

/// NA where there is no number.
[[nodiscard]] double number_or_na(const std::optional<double>& number);

}  // namespace sfg::r

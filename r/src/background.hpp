#pragma once

#include <Rcpp.h>

#include <functional>
#include <optional>
#include <utility>

#include "sfg/run_context.hpp"

namespace sfg::r {

/// How to run: threads, memory limit, seed, and a function of (stage, done, total) or NULL.
struct Running {
  RunContext run;
  SEXP progress = R_NilValue;
};
[[nodiscard]] Running running_from(SEXP list);

/// Carries out work that does not touch R, in a thread of its own, while this thread looks after
/// Ctrl-C (which ends the work) and passes progress on.
void in_background(const Running& how, const std::function<void(const RunContext& run)>& work);

/// The same for work with a result.
template <typename Work>
[[nodiscard]] auto compute(const Running& how, const Work& work) {
  std::optional<decltype(work(std::declval<const RunContext&>()))> result;
  in_background(how, [&](const RunContext& run) { result = work(run); });
  return std::move(*result);
}

}  // namespace sfg::r

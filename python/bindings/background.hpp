#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <utility>

#include "option_dict.hpp"
#include "sfg/run_context.hpp"

namespace sfg::python {

/// Threads, memory limit and seed.
[[nodiscard]] RunContext run_from(const OptionDict& given);

/// Carries out work that does not touch Python, in a thread of its own and without the GIL, while
/// this thread looks after signals (Ctrl-C ends the work and becomes KeyboardInterrupt) and passes
/// progress on to `progress(stage, done, total)` unless it is None.
void in_background(const RunContext& run, const py::object& progress,
                   const std::function<void(const RunContext& run)>& work);

/// The same for work with a result.
template <typename Work>
[[nodiscard]] auto compute(const py::dict& run, const py::object& progress, const Work& work) {
  std::optional<decltype(work(std::declval<const RunContext&>()))> result;
  in_background(run_from(OptionDict(run)), progress,
                [&](const RunContext& how) { result = work(how); });
  return std::move(*result);
}

}  // namespace sfg::python

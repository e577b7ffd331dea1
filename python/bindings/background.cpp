#include "background.hpp"

#include "sfg/background.hpp"

namespace sfg::python {

RunContext run_from(const OptionDict& given) {
  RunContext run;
  if (given.has("threads")) run.threads = given.get<int>("threads");
  if (given.has("memory_limit")) run.memory_limit = given.get<std::size_t>("memory_limit");
  if (given.has("seed")) run.seed = given.get<std::uint64_t>("seed");
  return run;
}

void in_background(const RunContext& run, const py::object& progress,
                   const std::function<void(const RunContext& run)>& work) {
  Background background(run, !progress.is_none(), work);
  const auto look_around = [&] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    for (const ProgressEvent& event : background.take_events()) {
      progress(event.stage, event.done, event.total);
    }
  };
  const auto wait = [&] {
    const py::gil_scoped_release release;
    return background.wait_a_moment();
  };
  try {
    while (!wait()) look_around();
    look_around();
  } catch (const py::error_already_set&) {
    {
      const py::gil_scoped_release release;
      background.cancel();
    }
    throw;
  }
  background.finish();
}

}  // namespace sfg::python

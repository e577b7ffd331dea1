#include "sfg/background.hpp"

#include "background.hpp"
#include "texts.hpp"

namespace sfg::r {

Running running_from(SEXP list) {
  const Rcpp::List given(list);
  Running how;
  how.run.threads = Rcpp::as<int>(given["threads"]);
  how.run.memory_limit = static_cast<std::size_t>(Rcpp::as<double>(given["memory_limit"]));
  how.run.seed = static_cast<std::uint64_t>(Rcpp::as<double>(given["seed"]));
  if (given.containsElementNamed("progress")) how.progress = given["progress"];
  return how;
}

void in_background(const Running& how, const std::function<void(const RunContext& run)>& work) {
  const bool wants_progress = !Rf_isNull(how.progress);
  Background background(how.run, wants_progress, work);
  const auto look_around = [&] {
    Rcpp::checkUserInterrupt();
    for (const ProgressEvent& event : background.take_events()) {
      Rcpp::Function(how.progress)(one_text(event.stage), event.done, event.total);
    }
  };
  // What an interrupt or the user's function throws ends the work on its way out.
  while (!background.wait_a_moment()) look_around();
  look_around();
  background.finish();
}

}  // namespace sfg::r

// sfg-mpi: `sfg graph` by several processes, started by mpirun or srun. The first rank reads the
// command line and the data and writes the graph; all ranks make it.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "blas_kernels.hpp"
#include "console.hpp"
#include "explain_exception.hpp"
#include "graph_arguments.hpp"
#include "team.hpp"
#include "team_maker.hpp"

namespace {

using namespace sfg;
using namespace sfg::mpi;

constexpr const char* kDescription =
    "sfg-mpi makes the sparse feature graph of 'sfg graph' with several processes.\n\n"
    "Examples:\n"
    "  mpirun -n 4 sfg-mpi graph data.npy -o g.npz\n"
    "  srun -N 16 --ntasks-per-node 2 sfg-mpi graph data.npy -o g.npz --memory 64G\n\n"
    "The file is byte for byte that of 'sfg graph', and so is the journal of a run that was cut\n"
    "off: --resume goes on with any number of ranks. 'sfg-mpi graph --help' lists the options.";

constexpr const char* kFooter =
    "Exit codes: 0 done, 2 wrong usage, 3 cannot open or read, or a machine is lost,\n"
    "4 malformed input, 5 inputs do not fit each other, 6 degenerate data, 7 cannot\n"
    "write, 8 over the memory limit, 70 defect of sfg, 130 interrupted.";

/// Reads, lets the team make the graph, writes.
void make_graph(const CLI::App& command, const cli::GraphArguments& arguments,
                cli::Console& console, TeamMaker& maker) {
  cli::CommandRun frame(command, arguments.common, arguments.output, console, maker.usual());
  const MethodOptions options = arguments.options(console);
  arguments.stage(frame);
  Dataset dataset = maker.read(arguments.input, options, frame);
  if (arguments.dry_run.asked) {
    maker.print_plan(std::move(dataset), options, frame.context(), console);
    return;
  }
  const std::string source = dataset.source;
  const Index n = n_samples(dataset.matrix);
  const MethodResult result =
      maker.make(std::move(dataset), options, frame.context(), frame.journal(arguments.resume));
  arguments.finish(frame, source, n, result, maker.figures());
}

/// The first rank's part; returns the exit status.
int run(int argc, char** argv, cli::Console& console, TeamMaker& maker) {
  CLI::App app{kDescription, "sfg-mpi"};
  app.footer(kFooter);
  app.get_formatter()->column_width(28);
  bool wants_version = false;
  app.add_flag("--version", wants_version, "The version");
  cli::GraphArguments arguments;
  CLI::App* graph = app.add_subcommand("graph", cli::kGraphDescription);
  arguments.add_to(*graph);
  maker.add_to(*graph);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& call) {
    return app.exit(call);
  } catch (const CLI::ParseError& fault) {
    fmt::print(stderr, "sfg-mpi: {}\n'sfg-mpi graph --help' tells how to use it\n", fault.what());
    return exit_status(ErrorCode::invalid_option);
  }
  if (wants_version) {
    fmt::print("sfg-mpi {}\n", version());
    return 0;
  }
  if (!graph->parsed()) {
    fmt::print(stderr,
               "sfg-mpi: which command? Try 'mpirun -n 4 sfg-mpi graph data.npy -o g.npz'.\n");
    return exit_status(ErrorCode::invalid_option);
  }
  make_graph(*graph, arguments, console, maker);
  console.finish();
  return 0;
}

std::string name_of(const Team& team) {
  return fmt::format("sfg-mpi: rank {} of {}", team.rank(), team.size());
}

int lead(int argc, char** argv, Team& team) {
  cli::Console console;
  TeamMaker maker(team);
  int status = 0;
  try {
    status = run(argc, argv, console, maker);
  } catch (...) {
    console.clear_progress();
    status = cli::explain_exception(maker.is_at_work() ? name_of(team) : "sfg-mpi");
    // The others are in the middle of something and would wait for ever.
    if (maker.is_at_work()) team.abort(status);
  }
  Job end;
  broadcast_job(team, end);
  return status;
}

int follow(Team& team) {
  const cli::Console console;
  try {
    serve_jobs(team, console.stop_flag());
  } catch (...) {
    team.abort(cli::explain_exception(name_of(team)));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  cli::use_kernels_of_this_processor(argv);
  Team team(argc, argv);
  cli::install_interrupt_handler();
  guard_mapped_files();
  return team.is_first() ? lead(argc, argv, team) : follow(team);
}

// Sends a signal to one rank of an MPI job at a chosen point of its work: loaded before sfg-mpi by
// LD_PRELOAD, it counts the rank's claims and the residuals that it sends on (the profiling
// interface of MPI lets everybody step in). However little of the work a rank gets, it claims once
// for first atoms and once for targets. Told by the environment:
//   SFG_KILL_RANK    the rank
//   SFG_KILL_AT      number of the call before which it happens, from 1
//   SFG_KILL_SIGNAL  the signal's number
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace {

long number(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

void count_call() {
  static const long at = number("SFG_KILL_AT", 1);
  static const long rank = number("SFG_KILL_RANK", -1);
  static long n_calls = 0;
  int own = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &own);
  if (own == rank && ++n_calls == at) {
    kill(getpid(), static_cast<int>(number("SFG_KILL_SIGNAL", SIGKILL)));
  }
}

}  // namespace

extern "C" {

int MPI_Fetch_and_op(const void* summand, void* before, MPI_Datatype type, int rank, MPI_Aint at,
                     MPI_Op op, MPI_Win window) {
  count_call();
  return PMPI_Fetch_and_op(summand, before, type, rank, at, op, window);
}

int MPI_Sendrecv(const void* out, int n_out, MPI_Datatype out_type, int to, int out_tag, void* in,
                 int n_in, MPI_Datatype in_type, int from, int in_tag, MPI_Comm among,
                 MPI_Status* status) {
  count_call();
  return PMPI_Sendrecv(out, n_out, out_type, to, out_tag, in, n_in, in_type, from, in_tag, among,
                       status);
}

}  // extern "C"

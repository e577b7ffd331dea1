"""Kinds of faults: how one is drawn for a command, and the ways in which a run may end by it."""

import signal
from dataclasses import dataclass

from place import Disturbance

OK, CANNOT_READ, CANNOT_WRITE, OVER_MEMORY, INTERRUPTED = 0, 3, 7, 8, 130
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KILLED = -signal.SIGKILL
PIPE_BROKEN = -signal.SIGPIPE


@dataclass(frozen=True)
class Fault:
    """What is tried once. `may_leave` says that temporary names may stay: nobody could remove them."""

    row: str
    detail: str
    disturbance: Disturbance
    statuses: tuple
    may_leave: bool = False


def _injected(kind, area, at, **more):
    return {"SFG_FAULT_KIND": kind, "SFG_FAULT_AT": str(at), "SFG_FAULT_FOLDER": area,
            **{f"SFG_FAULT_{name.upper()}": str(value) for name, value in more.items()}}


def _call(row, kind, area, statuses, may_leave=False):
    """A fault at one of the calls that the kind concerns, each as likely as the others."""

    def draw(random, trial):
        folder = str(trial.place.folder / area) if area else str(trial.place.folder) + "/"
        n_calls = trial.count(_injected(kind, folder, -1))
        if n_calls == 0:
            return None
        at = random.randint(1, n_calls)
        return Fault(row, f"{kind} at call {at} of {n_calls}", Disturbance(_injected(kind, folder, at)), statuses,
                     may_leave)

    return draw


def _signal_at_call(random, trial):
    folder = str(trial.place.folder) + "/"
    n_calls = trial.count(_injected("signal", folder, -1))
    number = random.choice(ENDING_SIGNALS)
    at = random.randint(1, max(n_calls, 1))
    return Fault("SIGINT, SIGTERM or SIGHUP at a call that reads or writes", f"{number.name} at call {at} of {n_calls}",
                 Disturbance(_injected("signal", folder, at, signal=int(number))), (INTERRUPTED, OK))


def _moment(random, trial):
    return random.uniform(0, 1.1 * trial.usual_seconds)


def _signal_any_time(random, trial):
    number = random.choice(ENDING_SIGNALS)
    seconds = _moment(random, trial)
    # Before the program has begun, the signal finds no one who could say 130.
    return Fault("SIGINT, SIGTERM or SIGHUP at a random moment", f"{number.name} after {seconds:.4f} s",
                 Disturbance(signal=number, seconds=seconds), (INTERRUPTED, OK, -number))


def _kill_any_time(random, trial):
    seconds = _moment(random, trial)
    return Fault("SIGKILL at a random moment", f"after {seconds:.4f} s",
                 Disturbance(signal=signal.SIGKILL, seconds=seconds), (KILLED, OK), may_leave=True)


def _pipe_signal(random, trial):
    seconds = _moment(random, trial)
    return Fault("SIGPIPE at a random moment", f"after {seconds:.4f} s",
                 Disturbance(signal=signal.SIGPIPE, seconds=seconds), (PIPE_BROKEN, OK), may_leave=True)


def _clocks(random, trial):
    at = random.randint(1, 1_000_000)
    environment = _injected("clock", str(trial.place.folder), at)
    return Fault("the clocks leap, the one on the wall also back, at every look", f"clocks {at}",
                 Disturbance(environment), (OK,))


def _little_memory(random, trial):
    kilobytes = trial.least_kilobytes + random.randint(0, 48 << 10)
    return Fault("the limit of the process (ulimit -v) leaves 0 to 48 MB beyond what the libraries take",
                 f"{kilobytes} KB", Disturbance(prefix=("prlimit", f"--as={kilobytes << 10}")), (OK, OVER_MEMORY))


def _full_stdout(_random, _trial):
    return Fault("standard output is full", "/dev/full", Disturbance(stdout="full"), (CANNOT_WRITE,))


def _closed_stdout(_random, _trial):
    return Fault("the reader of standard output is gone", "closed pipe", Disturbance(stdout="closed"),
                 (PIPE_BROKEN, CANNOT_WRITE))


KINDS = [
    _call("killed before a call that writes", "kill", "out", (KILLED,), may_leave=True),
    _call("killed in the middle of a write", "torn-write", "out", (KILLED,), may_leave=True),
    _call("the disk is full from a call on", "disk-full", "out", (CANNOT_WRITE, OK)),
    _call("one call that writes fails", "bad-write", "out", (CANNOT_WRITE, OK)),
    _call("one call that reads fails", "bad-read", "in", (CANNOT_READ, OK)),
    _call("an input is cut to half while it is read", "shrink", "in", (CANNOT_READ,)),
    _call("a read or write moves fewer bytes than asked for", "short-call", "", (OK,)),
    _call("a read or write is interrupted (EINTR)", "interrupted", "", (OK,)),
    _call("a thread, a process or a pipe is refused", "bad-start", "", (OK, CANNOT_READ, CANNOT_WRITE, OVER_MEMORY)),
    _kill_any_time,
    _signal_at_call,
    _signal_any_time,
    _pipe_signal,
    _clocks,
    _little_memory,
    _full_stdout,
    _closed_stdout,
]

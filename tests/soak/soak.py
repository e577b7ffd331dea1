#!/usr/bin/python3
"""Faults of every kind, drawn at random, happen to every command until the time is up.

A run survives its fault if it ends with a documented exit code and a message, leaves every output as it
was before or as it should be and nothing else behind, and the same command then writes what an undisturbed
run writes, byte for byte. Ends with a table; exit code 1 if anything did not survive.

Each finding names the trial: --seed S --trial N does it again. Ctrl-C ends it with the table so far."""

import argparse
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass

from commands import COMMANDS
from faults import KINDS
from place import Disturbance, Place

# What the libraries take to be loaded is found in steps of this.
KILOBYTES_PER_STEP = 2 << 10


@dataclass(frozen=True)
class Usual:
    """What a command does when nothing goes wrong."""

    outputs: dict
    former: dict  # of the same command with other data, to be replaced
    document: object
    seconds: float


class Lost(AssertionError):
    """A finding that is a loss of data."""


class Worker:
    """Does trials in a place of its own."""

    def __init__(self, program, injector):
        self.place = Place(program, injector)
        self.known = {}
        self.counts = {}
        self.least_kilobytes = self._find_least_memory()

    def _find_least_memory(self):
        kilobytes = 10 << 10
        while True:
            prefix = ("prlimit", f"--as={kilobytes << 10}")
            if self.place.run(("--version",), Disturbance(prefix=prefix)).status == 0:
                return kilobytes
            kilobytes += KILOBYTES_PER_STEP

    def usual(self, command):
        if command not in self.known:
            other = [word.replace("in/", "other/") for word in command.words]
            former = self._undisturbed(other)
            begin = time.monotonic()
            run = self._undisturbed(command.words)
            self.known[command] = Usual(run[0], former[0], run[1], time.monotonic() - begin)
        return self.known[command]

    def _undisturbed(self, words):
        self.place.clear()
        run = self.place.run(words)
        if run.status != 0:
            raise AssertionError(f"{' '.join(words)} fails without a fault: {run.err}")
        result = self.place.outputs(), run.document()
        self.place.clear()
        return result

    def do(self, seed, number):
        """One trial. Returns the command, the row of the fault, and what is wrong with it, if anything; no row
        where the fault did not happen."""
        draws = random.Random(f"{seed}:{number}")
        command = draws.choice(COMMANDS)
        trial = Trial(self, command, draws)
        fault = draws.choice(KINDS)(draws, trial)
        if fault is None:
            return command, None, None
        try:
            happened = trial.survives(fault)
            return command, fault.row if happened else None, None
        except AssertionError as finding:
            words = " ".join(trial.words)
            return command, fault.row, type(finding)(f"{words}\n  {fault.row} ({fault.detail}): {finding}")


class Trial:
    """One command with its options, and what is in its way."""

    def __init__(self, worker, command, draws):
        self.worker = worker
        self.place = worker.place
        self.command = command
        self.draws = draws
        self.usual = worker.usual(command)
        self.usual_seconds = self.usual.seconds
        self.least_kilobytes = worker.least_kilobytes
        # One thread: the calls come in the same order each time.
        self.words = [*command.words, "--threads", "1"]
        self.replaces = bool(self.usual.former) and draws.random() < 0.5
        self.keeps_journal = command.resumes and draws.random() < 0.7
        if self.replaces:
            self.words.append("--force")
        if self.keeps_journal:
            self.words += ["--journal-after", "0"]

    def prepare(self):
        self.place.clear()
        if self.replaces:
            self.place.put(self.usual.former)

    def count(self, environment):
        """How many calls of this command the fault could happen to."""
        key = (tuple(self.words), *sorted(environment.items()))
        if key not in self.worker.counts:
            self.prepare()
            self.worker.counts[key] = self.place.run(self.words, Disturbance(environment)).counted
        return self.worker.counts[key]

    def survives(self, fault):
        """False if the fault did not happen; fails if it did and the run did not survive it."""
        self.prepare()
        run = self.place.run(self.words, fault.disturbance)
        self.place.restore_inputs()
        if not run.happened:
            return False
        self._check_end(run, fault)
        self._check_outputs(run, fault)
        self._check_next_run()
        return True

    def _check_end(self, run, fault):
        statuses = fault.statuses
        is_silent = not self.command.writes and not self.command.prints_json
        assert run.status in statuses or is_silent, f"exit code {run.status}: {run.err}"
        if run.status > 0:
            assert run.err.lstrip("\r\033[K").splitlines()[-1].startswith("sfg: "), f"no message: {run.err}"
        if run.status == 0 and self.command.prints_json and fault.disturbance.stdout == "file":
            assert run.document() == self.usual.document, "another document on standard output"
        elif run.out and self.command.prints_json and run.status >= 0:
            assert run.document() is not None, "part of a document on standard output"

    def _check_outputs(self, run, fault):
        found = self.place.outputs()
        former = self.usual.former if self.replaces else {}
        for name in former:
            if name not in found:
                raise Lost(f"{name} is gone, which was there before")
        for name, contents in found.items():
            if contents not in (former.get(name), self.usual.outputs.get(name)):
                raise Lost(f"{name} is neither as before nor as it should be")
        was_killed = run.status < 0
        assert was_killed or found in (former, self.usual.outputs), f"some of the outputs: {sorted(found)}"
        assert run.status != 0 or found == self.usual.outputs, "exit code 0 without the outputs"
        left = self.place.temporaries()
        assert was_killed and fault.may_leave or not left, f"left behind: {left}; exit code {run.status}"

    def _check_next_run(self):
        """The same command, with no more than what the user is told to add."""
        words = list(self.words)
        if self.place.outputs() and "--force" not in words:
            words.append("--force")
        if self.place.journals():
            if self.command.resumes and self.draws.random() < 0.6:
                words.append("--resume")
            elif "--force" not in words:
                words.append("--force")
        words[words.index("--threads") + 1] = str(self.draws.randint(1, 3))
        run = self.place.run(words)
        assert run.status == 0, f"the next run ends with {run.status}: {run.err}"
        if self.place.outputs() != self.usual.outputs:
            raise Lost("the next run writes something else")
        if self.command.prints_json:
            assert run.document() == self.usual.document, "the next run prints another document"
        assert not self.place.journals(), "the next run leaves a journal"


class Tally:
    """Counts of all workers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.tried, self.failed, self.lost, self.of_commands = Counter(), Counter(), Counter(), Counter()

    def add(self, number, command, row, finding):
        if row is None:
            return
        with self.lock:
            self.tried[row] += 1
            self.of_commands[command.name] += 1
            if finding is None:
                return
            self.failed[row] += 1
            self.lost[row] += isinstance(finding, Lost)
            print(f"soak: trial {number} of seed {ARGUMENTS.seed}: {finding}", flush=True)

    def table(self):
        width = max(map(len, [*self.tried, "all of them"]))
        lines = [f"| {'fault':{width}} | times tried | survived | data lost |", f"|{'-' * (width + 2)}|--:|--:|--:|"]
        rows = [(row, n, n - self.failed[row], self.lost[row]) for row, n in sorted(self.tried.items())]
        total = ("all of them", *(sum(row[k] for row in rows) for k in (1, 2, 3)))
        for row, tried, survived, lost in [*rows, total]:
            lines.append(f"| {row:{width}} | {tried:11,} | {survived:8,} | {lost:9,} |")
        return "\n".join(lines)


def work(numbers, deadline, stopped, tally):
    worker = Worker(ARGUMENTS.program, ARGUMENTS.injector)
    try:
        for number in numbers:
            if time.monotonic() > deadline or stopped.is_set():
                break
            tally.add(number, *worker.do(ARGUMENTS.seed, number))
    finally:
        worker.place.remove()


def main():
    # A program in the background inherits that these are ignored, and leaves it so.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    begin = time.monotonic()
    deadline = begin + 60 * ARGUMENTS.minutes
    tally, stopped = Tally(), threading.Event()
    if ARGUMENTS.trial is not None:
        ranges = [[ARGUMENTS.trial]]
    else:
        ranges = [range(k, ARGUMENTS.trials or sys.maxsize, ARGUMENTS.jobs) for k in range(ARGUMENTS.jobs)]
    threads = [threading.Thread(target=work, args=(numbers, deadline, stopped, tally)) for numbers in ranges]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        stopped.set()
        for thread in threads:
            thread.join()
    if not tally.tried:
        print("soak: the fault did not happen")
        return 0
    minutes = (time.monotonic() - begin) / 60
    print(f"soak: seed {ARGUMENTS.seed}, {minutes:.1f} minutes, {len(tally.of_commands)} commands, "
          f"{min(tally.of_commands.values())} to {max(tally.of_commands.values())} faults each\n")
    print(tally.table())
    return 1 if tally.failed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/sfg")
    parser.add_argument("--injector", default="build/tests/libsfg_injector.so")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="of the draws (default: another one each time)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--trials", type=int, help="so many at most")
    parser.add_argument("--trial", type=int, help="only this one")
    parsed = parser.parse_args()
    if parsed.seed is None:
        parsed.seed = int.from_bytes(os.urandom(4), "little")
    return parsed


if __name__ == "__main__":
    ARGUMENTS = arguments()
    sys.exit(main())

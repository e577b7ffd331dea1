"""How to run: threads, memory, random numbers, progress."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from .errors import InvalidOptionError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY_UNITS = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def n_threads(n_jobs: int | None) -> int:
    """Threads by scikit-learn's `n_jobs`; None is OMP_NUM_THREADS, else every core."""
    if n_jobs is None:
        # joblib's workers have it set, so that they do not take each other's cores.
        told = os.environ.get("OMP_NUM_THREADS", "")
        return int(told) if told.isdecimal() else 0
    if n_jobs == 0:
        raise InvalidOptionError("n_jobs=0 has no meaning: give the number of threads, or -1 for all")
    return n_jobs if n_jobs > 0 else max(1, _core.available_threads() + 1 + n_jobs)


def n_bytes(memory_limit: float | str | None) -> int:
    """Bytes out of a number or "8G", "500MB", "1.5GiB"; 0 is a safe share of what is free."""
    if memory_limit is None:
        return 0
    match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?i?)b?\s*", str(memory_limit).lower())
    units = _UNITS | _BINARY_UNITS
    try:
        size = int(float(match[1]) * units[match[2]]) if match else 0
    except (ValueError, KeyError, OverflowError):
        size = 0
    if size <= 0:
        raise InvalidOptionError(
            f"memory_limit={memory_limit!r} is no amount of memory: write bytes, '8G' or '1.5GiB'"
        )
    return size


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """A seed; None draws one, a RandomState gives its next number."""
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise InvalidOptionError(f"random_state={random_state} must not be negative")
        return int(random_state)
    if random_state is None:
        random_state = np.random.mtrand._rand  # the one that np.random.seed() sets
    return int(random_state.randint(np.iinfo(np.int32).max))


def run_words(
    n_jobs: int | None = None,
    memory_limit: float | str | None = None,
    random_state: int | np.random.RandomState | None = 1,
) -> dict[str, int]:
    return {
        "threads": n_threads(n_jobs),
        "memory_limit": n_bytes(memory_limit),
        "seed": seed_of(random_state),
    }


def estimator_run(estimator: Any) -> dict[str, int]:
    """run_words of an estimator's parameters."""
    return run_words(estimator.n_jobs, estimator.memory_limit, estimator.random_state)


class Printer:
    """Prints every tenth part of a stage to standard error."""

    def __init__(self) -> None:
        self._stage = ""
        self._tenths = -1

    def __call__(self, stage: str, done: float, total: float) -> None:
        tenths = int(10 * done / total) if total > 0 else 10
        if (stage, tenths) == (self._stage, self._tenths):
            return
        self._stage, self._tenths = stage, tenths
        print(f"sfg: {stage} {10 * tenths} %", file=sys.stderr, flush=True)


def progress_of(verbose: bool | Callable[[str, float, float], None]) -> Any:
    """What the library calls: nothing, a Printer, or the user's own function."""
    if callable(verbose):
        return verbose
    return Printer() if verbose else None

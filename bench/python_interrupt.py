#!/usr/bin/env python3
"""How long a fit goes on after Ctrl-C, at several moments.

Usage: PYTHONPATH=build/python /usr/bin/python3 bench/python_interrupt.py [SAMPLES FEATURES]
"""

import signal
import sys
import time

import numpy as np

import sfg

MOMENTS = (0.2, 1, 3, 6, 10)  # seconds after the start


def seconds_to_stop(X, grouping, moment):
    """From the signal to the end of fit(); None if it ended before."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    selector = sfg.SparseFeatureGraph(grouping)
    signal.setitimer(signal.ITIMER_REAL, moment)
    start = time.perf_counter()
    try:
        selector.fit(X)
    except KeyboardInterrupt:
        return time.perf_counter() - start - moment
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def main():
    n, d = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (300, 20000)
    random = np.random.RandomState(0)
    X = random.normal(size=(n, 200)) @ random.normal(size=(200, d)) + 0.3 * random.normal(size=(n, d))
    X = np.asfortranarray(X)
    for grouping in ("compact", "cover", "lcs"):
        for moment in MOMENTS:
            found = seconds_to_stop(X, grouping, moment)
            told = "had ended" if found is None else f"{found:.2f} s to stop"
            print(f"{grouping:8} {moment:4} s: {told}", flush=True)


if __name__ == "__main__":
    main()

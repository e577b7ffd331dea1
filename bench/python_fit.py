#!/usr/bin/env python3
"""What the Python package adds to the library: time and memory of SparseFeatureGraph().fit().

Usage: PYTHONPATH=build/python /usr/bin/python3 bench/python_fit.py DATA [REPEAT]

Overhead is the time of fit() beyond what the library itself counts for its stages. Memory is the peak
of the process during one fit() beyond what it held before, in units of the data: each order of the
array is measured in a process of its own.
"""

import subprocess
import sys
import time

import numpy as np

import sfg


def resident(field):
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith(field))
    return int(line.split()[1]) * 1024


def overhead(X, repeat):
    shares = []
    for _ in range(repeat):
        start = time.perf_counter()
        selector = sfg.SparseFeatureGraph().fit(X)
        whole = time.perf_counter() - start
        shares.append((whole, whole / sum(selector.seconds_.values()) - 1))
    return sorted(shares)[repeat // 2]


def peak(X, order):
    X = np.array(X, order=order)
    np.random.RandomState(0).normal(size=10)  # whatever is loaded on first use
    sfg.SparseFeatureGraph().fit(np.random.RandomState(0).normal(size=(30, 50)))
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the peak counts from here
    before = resident("VmRSS")
    sfg.SparseFeatureGraph().fit(X)
    return (resident("VmHWM") - before) / X.nbytes


def main():
    path = sys.argv[1]
    X = sfg.read_table(path).data
    if len(sys.argv) > 2 and sys.argv[2] in "FC":
        print(f"{peak(X, sys.argv[2]):.2f}")
        return
    repeat = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    seconds, share = overhead(X, repeat)
    print(f"{path}: {X.shape[0]} x {X.shape[1]}, {X.nbytes / 1e6:.1f} MB")
    print(f"fit() {seconds:.2f} s, {100 * share:.2f} % beyond the library (median of {repeat})")
    for order, name in (("F", "Fortran"), ("C", "C")):
        words = [sys.executable, __file__, path, order]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        print(f"peak beyond the data, {name} order: {told} times the data")


if __name__ == "__main__":
    main()

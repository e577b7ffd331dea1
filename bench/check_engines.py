"""Every engine, screen, number of threads and memory limit must give the same graph.

    python3 bench/check_engines.py FILE ...

For each file, centred or not, OMP and OLS: indices equal, weights within 1e-12 of the first one's.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.sparse import load_npz

SFG = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "sfg")
SAME_WEIGHT = 1e-12
# A table with more entries than this takes minutes for each path where it is dense.
MANY_ENTRIES = 20_000_000


def paths_for(entries, pursuit):
    many = entries > MANY_ENTRIES
    little, more = ("3G", "4G") if many else ("300M", "1G")
    paths = [
        ("--engine", "sparse", "--threads", "2"),
        ("--engine", "sparse", "--threads", "3"),
        ("--engine", "auto", "--threads", "1"),
        ("--engine", "gram", "--threads", "2"),
        ("--engine", "stream", "--screen", "f32", "--threads", "2", "--memory", little),
    ]
    # OLS screens in f32 whatever is asked for: once is enough where it takes long.
    if not many or pursuit == "omp":
        paths += [
            ("--engine", "stream", "--screen", "int8", "--threads", "1"),
            ("--engine", "stream", "--screen", "int8", "--threads", "3", "--memory", more),
            ("--engine", "stream", "--screen", "bf16", "--threads", "2"),
        ]
    return paths


def graph_of(path, words, folder):
    output = os.path.join(folder, "graph.npz")
    command = [SFG, "graph", path, *words, "-q", "-o", output, "--force"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return load_npz(output)


def entries_of(path):
    info = subprocess.run([SFG, "info", path, "--json"], capture_output=True, text=True, check=True)
    facts = json.loads(info.stdout)
    return facts["n_samples"] * facts["n_features"]


def main():
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[1:]:
            entries = entries_of(path)
            for center, pursuit in itertools.product(((), ("--center",)), ("omp", "ols")):
                method = (*center, "--pursuit", pursuit)
                paths = paths_for(entries, pursuit)
                first = graph_of(path, (*paths[0], *method), folder)
                worst = 0.0
                for words in paths[1:]:
                    other = graph_of(path, (*words, *method), folder)
                    same = (np.array_equal(first.indptr, other.indptr)
                            and np.array_equal(first.indices, other.indices))
                    if not same:
                        raise SystemExit(f"{path} {method}: {words} has other edges")
                    worst = max(worst, np.abs(first.data - other.data).max(initial=0))
                    compared += 1
                if worst > SAME_WEIGHT:
                    raise SystemExit(f"{path} {method}: weights differ by {worst}")
                print(f"{os.path.basename(path)} {' '.join(method)}: {len(paths)} paths, "
                      f"{first.nnz} edges, weights within {worst:.1e}", flush=True)
    print(f"{compared} comparisons, all the same")


if __name__ == "__main__":
    main()

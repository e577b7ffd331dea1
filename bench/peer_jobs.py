"""One job of a peer in a process of its own: python3 bench/peer_jobs.py JOB FILE N_KEPT

Prints a JSON document: seconds of the job alone, with the table in memory; how many features it
keeps; the peak of the process in bytes. Or {"refused": why}.
"""

import json
import os
import resource
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.cluster import FeatureAgglomeration
from sklearn.feature_selection import VarianceThreshold

# The usual limit of the usual rule: no two kept features with |r| above it.
LIMIT = 0.95


def drop_correlated(table, _):
    """The five lines that everybody writes: a feature goes if an earlier one correlates with it."""
    varying = np.flatnonzero(table.std(axis=0) > 0)
    correlation = np.abs(np.corrcoef(table[:, varying], rowvar=False))
    upper = np.triu(correlation, k=1)
    return varying.size - int((upper > LIMIT).any(axis=0).sum())


def agglomerate(table, n_kept):
    FeatureAgglomeration(n_clusters=n_kept).fit(table)
    return n_kept


def variance_threshold(table, _):
    """The only selector of sklearn.feature_selection that needs neither labels nor a model."""
    return int(VarianceThreshold().fit(table).get_support().sum())


# Job, and the bytes that it needs for d features beside the table.
JOBS = {
    "drop_correlated": (drop_correlated, lambda d: (8 + 8 + 8 + 1) * d * d),
    "agglomerate": (agglomerate, lambda d: 2 * 8 * d * d // 2),
    "variance_threshold": (variance_threshold, lambda d: 16 * d),
}


def load(path):
    if path.endswith(".npy"):
        return np.load(path)
    return scipy.io.loadmat(path)["X"]


def free_memory():
    with open("/proc/meminfo", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)


def outcome(name, path, n_kept):
    job, needs = JOBS[name]
    table = load(path)
    if scipy.sparse.issparse(table) and name != "variance_threshold":
        return {"refused": "takes no sparse table"}
    needed = needs(table.shape[1])
    if needed > 0.8 * free_memory():
        return {"refused": f"needs {needed / 1e9:.0f} GB of memory"}
    start = time.perf_counter()
    kept = job(table, n_kept)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "kept": kept, "peak": peak}


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    print(json.dumps(outcome(sys.argv[1], sys.argv[2], int(sys.argv[3]))))

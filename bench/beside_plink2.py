#!/usr/bin/env python3
"""sfg along chromosomes beside plink2 --indep-pairwise, on the same genotypes.

    bench/beside_plink2.py build/sfg --features 20000

Makes genotypes (sfg synth --genotypes --plink), prunes them with both programs at the same largest r2 within
the same window, and checks both answers over all pairs in the window, with r2 as Pearson's correlation of the
genotypes: no two kept markers above the limit; every removed marker with a kept one that reaches it (plink2
does not promise that; "completed" are its markers with those that this takes beside them). Needs plink2 and numpy.
"""

import argparse
import json
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

TILE = 256


def timed(command, folder):
    """Wall seconds, seconds of all cores, and standard output."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {"seconds": round(time.perf_counter() - start, 2), "core_seconds": round(cores, 2)}, done.stdout


def places_of(path):
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    return [row[0] for row in rows], np.array([int(row[1]) for row in rows]), np.array([float(row[2]) for row in rows])


def largest_r2_with_kept(columns, chromosome, position, is_kept, window):
    """Of every marker with the other kept ones in its window. Markers are in the order of the line."""
    d = len(position)
    largest = np.zeros(d)
    for first in range(0, d, TILE):
        end = min(first + TILE, d)
        low, high = first, end
        while low > 0 and near(chromosome, position, low - 1, first, window):
            low -= 1
        while high < d and near(chromosome, position, end - 1, high, window):
            high += 1
        kept = low + np.flatnonzero(is_kept[low:high])
        if kept.size == 0:
            continue
        r2 = (columns[:, first:end].T @ columns[:, kept]) ** 2
        targets = np.arange(first, end)
        apart = (np.abs(position[targets][:, None] - position[kept]) > window) | (
            chromosome[targets][:, None] != chromosome[kept]
        )
        r2[apart | (targets[:, None] == kept)] = 0
        largest[first:end] = r2.max(axis=1)
    return largest


def near(chromosome, position, a, b, window):
    return chromosome[a] == chromosome[b] and position[b] - position[a] <= window


def told(name, is_kept, columns, chromosome, position, options):
    largest = largest_r2_with_kept(columns, chromosome, position, is_kept, options.window_kb * 1000)
    rounding = 1e-9
    return {
        "program": name,
        "kept": int(is_kept.sum()),
        "kept_above_limit": int((largest[is_kept] > options.max_r2 + rounding).sum()),
        "removed_below_limit": int((largest[~is_kept] < options.max_r2 - rounding).sum()),
    }


def completed(is_kept, columns, chromosome, position, options):
    """The removed markers that no kept one stands for come back, one after the other along the line."""
    is_kept = is_kept.copy()
    window = options.window_kb * 1000
    largest = largest_r2_with_kept(columns, chromosome, position, is_kept, window)
    for marker in np.flatnonzero(~is_kept & (largest < options.max_r2)):
        if largest[marker] >= options.max_r2:
            continue
        is_kept[marker] = True
        after = slice(marker + 1, np.searchsorted(chromosome, chromosome[marker], "right"))
        end = after.start + np.searchsorted(position[after], position[marker] + window, "right")
        r2 = (columns[:, after.start:end].T @ columns[:, marker]) ** 2
        largest[after.start:end] = np.maximum(largest[after.start:end], r2)
    return is_kept


def run_sfg(options, folder):
    seconds, text = timed(
        [options.sfg, "reduce", "g.npy", "--max-r2", options.max_r2, "--window", f"{options.window_kb}k", "--positions",
         "g.positions.tsv", "--no-combinations", "--certify-sample", options.certify_sample, "--threads", options.threads,
         "--json"], folder)
    document = json.loads(text)
    return document["kept"], seconds | {"groups_seconds": round(document["seconds"]["groups"], 2)}


def run_plink2(options, folder):
    seconds, _ = timed(
        ["plink2", "--bfile", "g", "--indep-pairwise", f"{options.window_kb}kb", options.max_r2, "--threads",
         options.threads, "--out", "pruned"], folder)
    return (folder / "pruned.prune.in").read_text().split(), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sfg", type=Path)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--features", type=int, default=20000)
    parser.add_argument("--max-r2", type=float, default=0.2)
    parser.add_argument("--window-kb", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--certify-sample", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.sfg = options.sfg.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timed([options.sfg, "synth", "--genotypes", "--plink", "--samples", options.samples, "--features",
               options.features, "--seed", options.seed, "-o", "g.npy"], folder)
        kept, seconds = run_sfg(options, folder)
        names_kept, plink_seconds = run_plink2(options, folder)
        names, chromosome, position = places_of(folder / "g.positions.tsv")
        columns = np.load(folder / "g.npy")
        columns -= columns.mean(axis=0)
        columns /= np.linalg.norm(columns, axis=0)
        by_sfg = np.zeros(len(names), dtype=bool)
        by_sfg[kept] = True
        by_plink2 = np.isin(names, names_kept)
        line = columns, chromosome, position
        rows = [told("sfg", by_sfg, *line, options) | seconds,
                told("plink2", by_plink2, *line, options) | plink_seconds,
                told("plink2, completed", completed(by_plink2, *line, options), *line, options)]
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()

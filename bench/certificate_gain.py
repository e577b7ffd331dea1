"""The certificate beside a simpler one, for the same kept features: a table of docs/RESULTS.md.

    /usr/bin/python3 bench/certificate_gain.py build/sfg ORL.mat Yale.mat ...
    /usr/bin/python3 bench/certificate_gain.py build/sfg ORL.mat -- --grouping cover

`sfg reduce --keep-share 0.25` says how well the kept features predict each removed one on samples held
out: ridge on all kept features, the nearest weighted up. The simpler rule is ridge 0.1 on the ten nearest
kept features, chosen on the training samples. Both have the same five folds, columns centred on the
training samples and scaled by all, and R2 = 1 - sum of squared errors / sum of squared deviations from the
training mean. Words after `--` go to `sfg reduce`. Needs numpy.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

NEAREST, RIDGE, FOLDS = 10, 0.1, 5
MASK = 2**64 - 1


def shuffled(count, seed):
    """The numbers below count as the library shuffles them: splitmix64, Fisher and Yates."""
    order, state = list(range(count)), seed
    for last in range(count, 1, -1):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        place = ((z ^ (z >> 31)) * last) >> 64
        order[last - 1], order[place] = order[place], order[last - 1]
    return np.array(order)


def ten_nearest(table, kept, targets, seed):
    """Held-out R2 of each target by ridge on its ten nearest kept features."""
    columns = table - table.mean(axis=0)
    columns /= np.maximum(np.linalg.norm(columns, axis=0), np.finfo(float).tiny)
    order = shuffled(len(table), seed)
    errors, totals = np.zeros(len(targets)), np.zeros(len(targets))
    for fold in range(FOLDS):
        held_out = np.zeros(len(table), dtype=bool)
        held_out[order[fold::FOLDS]] = True
        centred = columns - columns[~held_out].mean(axis=0)
        train, test = centred[~held_out], centred[held_out]
        lengths = np.maximum(np.linalg.norm(train, axis=0), np.finfo(float).tiny)
        r = np.abs((train[:, targets] / lengths[targets]).T @ (train[:, kept] / lengths[kept]))
        nearest = kept[np.argsort(-r, axis=1, kind="stable")[:, :NEAREST]]
        for k, (target, some) in enumerate(zip(targets, nearest)):
            a = train[:, some]
            w = np.linalg.solve(a.T @ a + RIDGE * np.eye(len(some)), a.T @ train[:, target])
            errors[k] += ((test[:, target] - test[:, some] @ w) ** 2).sum()
            totals[k] += (test[:, target] ** 2).sum()
    return 1 - errors / totals


def measure(program, path, options, seed):
    words = [program, "reduce", path, "--keep-share", "0.25", "--certify-sample", "all", "--seed", str(seed)]
    done = subprocess.run([*words, *options, "--json"], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        copy = f"{folder}/table.npy"
        subprocess.run([program, "convert", path, copy, "--quiet"], check=True)
        table = np.load(copy).astype(float)
    targets = np.array(document["certificate"]["features"])
    ours = np.array(document["certificate"]["held_out_r2"])
    simple = ten_nearest(table, np.array(document["kept"]), targets, seed)
    return document, np.clip(ours, -1, 1), np.clip(simple, -1, 1)


def main():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program sfg")
    parser.add_argument("files", nargs="+", help="data files")
    parser.add_argument("--seed", type=int, default=1, help="of the folds")
    given = parser.parse_args(words[:at])
    print("| table | kept of features | removed, tested | certificate: mean / 10 % | ten nearest: mean / 10 % | difference |")
    print("|---|--:|--:|--:|--:|--:|")
    for path in given.files:
        document, ours, simple = measure(given.program, path, words[at + 1 :], given.seed)
        print(
            f"| {pathlib.Path(path).stem} | {document['n_kept']:,} of {document['n_features']:,} | {len(ours):,} | "
            f"{ours.mean():.3f} / {np.quantile(ours, 0.1):.3f} | {simple.mean():.3f} / {np.quantile(simple, 0.1):.3f} | "
            f"{ours.mean() - simple.mean():+.3f} |",
            flush=True,
        )


main()

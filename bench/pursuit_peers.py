"""The graph alone beside other ways to make it: engines, a plain sketch, numpy, scikit-learn."""

import json
import os
import subprocess
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SFG = os.path.join(ROOT, "build", "sfg")
SKETCH = os.path.join(ROOT, "build", "bench", "gram_sketch")
THREADS = 2
REPEAT = 3
ROUNDS = 2
EPSILON = 0.01
# Peers that take minutes on all features get this many targets, and the time is scaled up.
SAMPLED = 200
# orthogonal_mp_gram copies the Gram matrix for every target.
SAMPLED_WITH_COPY = 10


def from_json(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def pursuit_in_numpy(unit, targets):
    """Orthogonal matching pursuit per feature, in the style of SSC-OMP: refit by least squares."""
    for i in targets:
        target = unit[:, i]
        residual, atoms, left = target, [], 1.0
        while len(atoms) < 100:
            score = np.abs(unit.T @ residual)
            score[i] = 0
            score[atoms] = 0
            atoms.append(int(score.argmax()))
            chosen = unit[:, atoms]
            residual = target - chosen @ np.linalg.lstsq(chosen, target, rcond=None)[0]
            gain, left = left - residual @ residual, residual @ residual
            if gain < EPSILON:
                break


def pursuit_in_sklearn(gram, targets, n_atoms):
    from sklearn.linear_model import orthogonal_mp_gram

    for i in targets:
        product = gram[:, i].copy()
        product[i] = 0
        orthogonal_mp_gram(gram, product, n_nonzero_coefs=n_atoms)


def sampled_time(n_features, n_sampled, work):
    targets = np.linspace(0, n_features - 1, min(n_sampled, n_features)).astype(int)
    start = time.perf_counter()
    work(targets)
    return (time.perf_counter() - start) * n_features / len(targets)


def rows_in_turn(table):
    """Product, engines and sketch, several times: where the machine is slow, all of them are."""
    best = {}
    for _ in range(ROUNDS):
        bench = from_json([SFG, "bench", table, "--repeat", str(REPEAT), "--thread-counts",
                           str(THREADS), "--engines", "auto,stream:int8,stream:f32,gram", "--json"])
        times = [(row["name"] if row["name"].startswith("cblas") else "sfg " + row["name"],
                  row["seconds"], "") for row in bench["rows"]]
        sketch = from_json([SKETCH, table, str(THREADS), str(REPEAT)])
        for name, seconds, remark in [*times, ("float Gram sketch", sketch["seconds"], "not exact")]:
            best[name] = min(best.get(name, (seconds, remark)), (seconds, remark))
    return [(name, *took) for name, took in best.items()], bench["rows"][1]["mean_atoms"]


def pursuit_table(path, folder):
    """Prints the table of a dense file."""
    table = os.path.join(folder, "table.npy")
    subprocess.run([SFG, "convert", path, table, "--force"], check=True, capture_output=True)
    data = np.asfortranarray(np.load(table), dtype=np.float64)
    rows, mean_atoms = rows_in_turn(table)
    lengths = np.linalg.norm(data, axis=0)
    unit = data[:, lengths > 0] / lengths[lengths > 0]
    rows.append(("numpy pursuit",
                 sampled_time(unit.shape[1], SAMPLED, lambda t: pursuit_in_numpy(unit, t)),
                 f"from {SAMPLED} features"))
    gram = unit.T @ unit
    atoms = max(1, round(mean_atoms))
    rows.append(("sklearn orthogonal_mp_gram",
                 sampled_time(unit.shape[1], SAMPLED_WITH_COPY,
                              lambda t: pursuit_in_sklearn(gram, t, atoms)),
                 f"{atoms} atoms each, from {SAMPLED_WITH_COPY} features"))
    base = rows[0][1]
    print(f"\nThe graph alone, {mean_atoms:.2f} atoms, best of {REPEAT * ROUNDS}\n")
    print("| | seconds | beside cblas_ssyrk | |\n|---|--:|--:|---|")
    for name, seconds, remark in rows:
        print(f"| {name} | {seconds:.3f} | {seconds / base:.2f} | {remark} |", flush=True)

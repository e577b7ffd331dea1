#!/usr/bin/env python3
"""How much 5 % of missing cells change: representatives of groups with and without gaps.

Usage: bench/missing_orl.py PROGRAM ORL.mat [SHARE]

Cells are taken out at random. For each way to treat them: the share of the groups (of two features or
more) whose kept feature is, with gaps, the same or a member of the same group as without; and the share
of all pairs of a removed feature and its kept one, with gaps, that were in one group without.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.io


def run(program, table, *options):
    command = [program, "reduce", str(table), "--json", "--n-features", "300", *options]
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    group_of = {name: g for g, group in enumerate(document["groups"]) for name in group["member_names"]}
    kept_of = {g: group["representative_name"] for g, group in enumerate(document["groups"])}
    sizes = {g: len(group["members"]) for g, group in enumerate(document["groups"])}
    return document, group_of, kept_of, sizes


def main():
    program, path = sys.argv[1:3]
    share = float(sys.argv[3]) if len(sys.argv) > 3 else 0.05
    X = scipy.io.loadmat(path)["X"].astype(float)
    gaps = np.random.RandomState(1).uniform(size=X.shape) < share
    holed = np.where(gaps, np.nan, X)
    folder = Path(tempfile.mkdtemp())
    np.save(folder / "whole.npy", X)
    np.save(folder / "holed.npy", holed)
    whole, group_of, kept_of, sizes = run(program, folder / "whole.npy")
    print(f"no gaps   mean r2 {whole['mean_r2']:.4f}, held-out R2 {whole['r2cv_mean']:.4f}")
    for policy in ("pairwise", "mean", "median"):
        document, other, other_kept, _ = run(program, folder / "holed.npy", "--missing", policy)
        kept = set(document["kept_names"])
        real = [g for g in kept_of if sizes[g] > 1]
        same = sum(kept_of[g] in kept for g in real)
        # The one that stands for the representative's group with gaps was in its group without.
        member = sum(group_of[other_kept[other[kept_of[g]]]] == g for g in real)
        one_group = sum(
            group_of[name] == group_of[other_kept[g]] for name, g in other.items() if name not in kept
        )
        n_removed = sum(name not in kept for name in other)
        print(
            f"{policy:9} same representative {same / len(real):.3f}, same or of its group "
            f"{member / len(real):.3f}, removed ones with one of their group {one_group / n_removed:.3f}, "
            f"mean r2 {document['mean_r2']:.4f}, held-out R2 {document['r2cv_mean']:.4f}, "
            f"gaps {document.get('gaps')}"
        )


if __name__ == "__main__":
    main()

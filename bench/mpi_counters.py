"""What the ranks of sfg-mpi do and move, beside the formulas of docs/SCALING.md.

    python3 bench/mpi_counters.py [MAX_RANKS]

Planted data of 200 x 20,000 without exact copies, on this machine alone, one thread in each rank.
Fails if a file differs from that of one process.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SFG = os.path.join(ROOT, "build", "sfg")
SFG_MPI = os.path.join(ROOT, "build", "sfg-mpi")
SAMPLES, FEATURES = 200, 20_000
PLANTED = ("--irrelevant", "0", "--copies", "0", "--noisy", "0.5", "--noise", "0.1",
           "--combinations", "0.3", "--scaled", "0", "--negated", "0", "--empty", "0",
           "--constant", "0")
ALONE_ON_THIS_MACHINE = ("--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader",
                         "--mca", "btl_base_warn_component_unused", "0")
CLAIM = 32  # targets
FIRST_BLOCK = 96  # features of one piece of the search for first atoms


def mpirun(n_ranks, table, output, *words):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = ["mpirun", *ALONE_ON_THIS_MACHINE, "-n", str(n_ranks), SFG_MPI, "graph", table,
               "-o", output, "--force", "--json", "--threads", "1", *words]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True,
                                     env=environment).stdout)


def results_bytes(rank):
    return 17 * rank["targets"] + 12 * rank["atoms"] + 12 * math.ceil(rank["targets"] / CLAIM)


def shared_model(ranks, number, leads):
    """(sent, received) of a rank other than the first."""
    n, d, size = SAMPLES, FEATURES, len(ranks)
    rank = ranks[number]
    all_gathered = sum(one["gathered_bytes"] for one in ranks)
    claims = rank["claims"] + d / FIRST_BLOCK / size
    sent = 4 * d + rank["gathered_bytes"] + results_bytes(rank) + 8 * claims + 9 * d / size
    received = 4 * d + all_gathered - rank["gathered_bytes"] + 8 * claims + d
    # Who has a copy alone gets what the others have read, and gives them its part.
    data = 8 * n * d / size if leads else 0
    return sent + data, received + (size - 1) * data


def ring_model(ranks, number):
    n, d, size = SAMPLES, FEATURES, len(ranks)
    rank = ranks[number]
    steps = sum(one["steps"] for one in ranks) / size
    mean_atoms = sum(one["atoms"] for one in ranks) / d
    searches = steps * ((size - 1) * (8 * n + 24 + 4 * (1 + mean_atoms / 2)) + 24)
    columns = 8 * n * (rank["steps"] + rank["targets"]) * (size - 1) / size
    return searches + results_bytes(rank) + 17 * d / size, searches + columns + 5 * d


def row(name, document, model):
    ranks = document["ranks"]
    claims = [rank["claims"] for rank in ranks]
    atoms = [rank["atoms"] for rank in ranks]
    spread = max(abs(c * len(claims) / sum(claims) - 1) for c in claims)
    work = max(abs(a * len(atoms) / sum(atoms) - 1) for a in atoms)
    cells = [name, str(len(ranks)), f"{min(claims)} - {max(claims)}", f"{100 * spread:.0f} %",
             f"{100 * work:.0f} %"]
    if len(ranks) == 1:
        return cells + ["0", "0", ""]
    worst = 0
    for number in range(1, len(ranks)):
        for real, said in zip((ranks[number]["sent_bytes"], ranks[number]["received_bytes"]),
                              model(ranks, number)):
            worst = max(worst, abs(real / said - 1))
    others = ranks[1:]
    mean = [sum(rank[key] for rank in others) / len(others) / 1e6
            for key in ("sent_bytes", "received_bytes")]
    return cells + [f"{mean[0]:.3g}", f"{mean[1]:.3g}", f"{100 * worst:.1f} %"]


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    with tempfile.TemporaryDirectory() as folder:
        table, alone, team = (os.path.join(folder, name) for name in ("t.npy", "a.npz", "m.npz"))
        subprocess.run([SFG, "synth", "--samples", str(SAMPLES), "--features", str(FEATURES),
                        *PLANTED, "-o", table], check=True, capture_output=True)
        subprocess.run([SFG, "graph", table, "-o", alone, "-q", "--threads", "1"], check=True)
        print("| distribution | ranks | claims per rank | off the mean | atoms off the mean | "
              "MB sent | MB received | off the formula |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for n_ranks in (1, 2, 4, 8):
            if n_ranks > most:
                break
            kinds = (
                ("shared", (), lambda r, k: shared_model(r, k, False)),
                ("a copy each", ("--ranks-per-copy", "1"), lambda r, k: shared_model(r, k, True)),
                ("ring", ("--distribute", "ring"), ring_model))
            for name, words, model in kinds:
                document = mpirun(n_ranks, table, team, *words)
                with open(alone, "rb") as one, open(team, "rb") as other:
                    if one.read() != other.read():
                        sys.exit(f"{name}, {n_ranks} ranks: another file than that of one process")
                print("| " + " | ".join(row(name, document, model)) + " |", flush=True)


if __name__ == "__main__":
    main()

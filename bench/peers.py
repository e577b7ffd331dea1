"""The whole job beside what people do today, as Markdown tables: `make bench`.

    python3 bench/peers.py [--planted 500x10000] [--large] [--rounds 5] [--pursuits] [FILE ...]

Without files: orlraws10P, lymphoma and Reuters21578 where they are beside the project, and planted
data. --large adds planted data of 500 x 50,000, --pursuits other ways to make the graph. Every
round runs all jobs once, one after the other, so that all of them meet the same slow moments of the
machine; the best round counts. A job that takes long is not repeated as often: its row says how
often. Every peer is a process of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(os.path.dirname(ROOT), "shared", "data")
SFG = os.path.join(ROOT, "build", "sfg")
USUAL_FILES = ("orlraws10P.mat", "lymphoma.mat", "Reuters21578.mat")
THREADS = 2
# |r| of 0.95, the limit of peer_jobs.py, as an r2.
SAME_LIMIT = "0.9025"
# A job that has taken as many seconds in all is not repeated.
ENOUGH_SECONDS = 40
LONGEST_SECONDS = 900


@dataclass
class Row:
    """A job with its best time so far."""

    name: str
    work: object  # () -> {"seconds", "kept", "peak"} or {"refused"}
    best: dict = field(default_factory=dict)
    runs: int = 0
    spent: float = 0

    def is_done(self):
        return "refused" in self.best or (self.runs > 0 and self.spent > ENOUGH_SECONDS)

    def run(self):
        if self.is_done():
            return
        made = self.work()
        self.runs += 1
        self.spent += made.get("seconds", 0)
        if not self.best or made.get("seconds", 0) < self.best.get("seconds", 0):
            self.best = made


def from_json(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_SECONDS)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        return {"refused": lines[-1] if lines else f"ended with {done.returncode}"}
    return json.loads(done.stdout)


def peer(job, path, n_kept):
    command = [sys.executable, os.path.join(ROOT, "bench", "peer_jobs.py"), job, path, str(n_kept)]

    def work():
        try:
            return from_json(command)
        except subprocess.TimeoutExpired:
            return {"refused": f"more than {LONGEST_SECONDS} s"}

    return work


def reduction(path, *options):
    def work():
        made = from_json([SFG, "reduce", path, "--threads", str(THREADS), "--json", *options])
        if "refused" in made:
            return made
        stages = {name: took for name, took in made["seconds"].items() if name != "total"}
        return {"seconds": sum(stages.values()), "stages": stages, "kept": made["n_kept"],
                "peak": made["peak_rss_bytes"], "n": made["n_samples"], "d": made["n_features"]}

    return work


def product_and_graph(path):
    """cblas_ssyrk and the graph, in one process: a row each, from one call for every round."""
    latest = {}

    def run():
        made = from_json([SFG, "bench", path, "--repeat", "1", "--thread-counts", str(THREADS),
                          "--engines", "auto", "--json"])
        if "refused" in made:
            latest.update(product=made, graph=made)
            return
        product, graph = made["rows"]
        latest.update(product={"seconds": product["seconds"]},
                      graph={"seconds": graph["seconds"], "atoms": graph["mean_atoms"],
                             "engine": graph["engine"], "screen": graph["screen"]})

    def product():
        run()
        return latest["product"]

    return product, lambda: latest["graph"]


def rows_for(path, table, n_kept):
    product, graph = product_and_graph(path)
    return [
        Row("cblas_ssyrk: X'X alone, float, one triangle", product),
        Row("sfg graph", graph),
        Row("**sfg reduce**, whole", reduction(path)),
        Row(f"sfg reduce --max-r2 {SAME_LIMIT}, whole", reduction(path, "--max-r2", SAME_LIMIT)),
        Row("numpy.corrcoef, drop \\|r\\| > 0.95", peer("drop_correlated", table, n_kept)),
        Row("sklearn FeatureAgglomeration", peer("agglomerate", table, n_kept)),
        Row("sklearn VarianceThreshold", peer("variance_threshold", table, n_kept)),
    ]


WHOLE = 2  # the row of sfg reduce


def remark(row, rounds):
    words = []
    if "atoms" in row.best:
        kernel = row.best["screen"] if row.best["screen"] != "none" else row.best["engine"]
        words.append(f"{row.best['atoms']:.2f} atoms, {kernel}")
    if row.runs != rounds:
        words.append("once" if row.runs == 1 else f"best of {row.runs}")
    return ", ".join(words)


def show(title, rows, rounds):
    base = rows[0].best.get("seconds")
    print(f"\n{title}, {THREADS} threads, best of {rounds}\n")
    print("| | seconds | beside ssyrk | keeps | peak MB | |\n|---|--:|--:|--:|--:|---|")
    for row in rows:
        best = row.best
        if "refused" in best:
            print(f"| {row.name} | - | | | | {best['refused']} |")
            continue
        beside = f"{best['seconds'] / base:.2f}" if base else ""
        kept = f"{best['kept']:,}" if "kept" in best else ""
        peak = f"{best['peak'] / 1e6:.0f}" if "peak" in best else ""
        print(f"| {row.name} | {best['seconds']:.4g} | {beside} | {kept} | {peak} | "
              f"{remark(row, rounds)} |")
        for stage, took in best.get("stages", {}).items() if row.name.startswith("**") else ():
            share = f"{took / base:.2f}" if base else ""
            print(f"| - {stage} | {took:.4g} | {share} | | | |")
    sys.stdout.flush()


def is_sparse(path):
    made = from_json([SFG, "info", path, "--json"])
    return bool(made.get("sparse", False))


def measure(path, folder, rounds):
    """A dense table is timed as an NPY file, whose reading costs nobody anything."""
    table = path
    if not is_sparse(path):
        table = os.path.join(folder, "table.npy")
        subprocess.run([SFG, "convert", path, table, "--force"], check=True, capture_output=True)
        path = table
    first = reduction(path)()
    if "refused" in first:
        raise SystemExit(f"sfg reduce {path}: {first['refused']}")
    rows = rows_for(path, table, first["kept"])
    rows[WHOLE].best, rows[WHOLE].runs, rows[WHOLE].spent = first, 1, first["seconds"]
    for done in range(rounds):
        for row in rows:
            if row.runs <= done:
                row.run()
    return f"{first['n']:,} samples x {first['d']:,} features", rows


def planted(shape, folder):
    n, d = shape.split("x")
    path = os.path.join(folder, f"planted_{shape}.npy")
    subprocess.run([SFG, "synth", "--samples", n, "--features", d, "--irrelevant", "0", "--copies",
                    "0.15", "--noisy", "0.35", "--noise", "0.1", "--combinations", "0.3", "--scaled",
                    "0.02", "--negated", "0.02", "--empty", "0", "--constant", "0", "-o", path],
                   check=True, capture_output=True)
    return path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--planted", default="500x10000", metavar="NxD")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pursuits", action="store_true")
    return parser.parse_args()


def main():
    told = arguments()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(THREADS)
    with tempfile.TemporaryDirectory() as folder:
        usual = [os.path.join(DATA, name) for name in USUAL_FILES]
        paths = told.files or [path for path in usual if os.path.exists(path)]
        shapes = [] if told.files else [told.planted] + ["500x50000"] * told.large
        for path in paths + [planted(shape, folder) for shape in shapes]:
            what, rows = measure(path, folder, told.rounds)
            show(f"{os.path.basename(path)}: {what}", rows, told.rounds)
            if told.pursuits and not is_sparse(path):
                from pursuit_peers import pursuit_table

                pursuit_table(path, folder)
    print("\nOf sklearn.feature_selection only VarianceThreshold needs no labels: SelectKBest, RFE, "
          "\nSelectFromModel and SequentialFeatureSelector all ask for them or for a model that does.")


if __name__ == "__main__":
    main()

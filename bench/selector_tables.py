"""The tables of docs/RESULTS.md about selectors: alone, and after `sfg reduce`.

    python3 bench/selector_tables.py build/sfg ../shared/data FOLDER [NAME ...]

Every set is reduced, and `sfg compare` judges all selectors on all features and on those that are left, with
one thread at low priority. FOLDER keeps what is done: the same command goes on, and prints the tables of what is there.
"""

import json
import os
import pathlib
import subprocess
import sys

DENSE = ["Yale", "ORL", "lymphoma", "warpPIE10P", "orlraws10P"]
TEXT = ["PCMAC", "BASEHOCK", "RELATHE"]
SIZES = [10, 20, 50, 100]
UNLABELLED = ["mcfs", "laplacian", "spec", "fsasl", "mrsf", "sparsity", "grm"]
#: They choose by the labels that judge them.
LABELLED = ["mrmr", "fcbf", "fast"]
METHODS = [*UNLABELLED, *LABELLED, "random"]
#: What is judged: a key of the rows and its name. Of redundancy less is better.
MEASURES = {
    "nmi": "NMI, spectral clustering",
    "acc": "ACC, spectral clustering",
    "accuracy_1nn": "accuracy of the nearest neighbour",
    "accuracy_linear": "accuracy of the linear classifier",
    "redundancy": "redundancy: mean r2 of two chosen features",
}
#: Differences of redundancy below this are ties; of the others, those below what the comparison calls noise.
SAME_REDUNDANCY = 0.01
TIE = "tie"


def words_of(sfg, *words):
    return ["nice", "-n", "5", *map(str, (sfg, *words)), "--threads", "1"]


def run(sfg, *words):
    return subprocess.run(words_of(sfg, *words), check=True, stdout=subprocess.PIPE).stdout


def processor_seconds(sfg, *words):
    """Of the whole command, so that other work on the machine does not count."""
    process = subprocess.Popen(words_of(sfg, *words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime if os.waitstatus_to_exitcode(status) == 0 else None


def reduced(sfg, data, name, folder):
    done = folder / f"{name}.reduced.mat"
    if not done.exists():
        run(sfg, "reduce", data, "-o", folder / name, "--force", "-q")
    return done


def compared(sfg, table, name, folder):
    done = folder / f"{name}.json"
    if not done.exists():
        is_text = name.split(".")[0] in TEXT
        sizes = ",".join(map(str, SIZES))
        words = ["compare", table, "--n-features", sizes, "--methods", ",".join(METHODS), "--n-certified", 50]
        document = run(sfg, *words, *(["--text"] if is_text else []), "--json")
        done.with_suffix(".part").write_bytes(document)
        done.with_suffix(".part").rename(done)
    return json.loads(done.read_text())


def timed(sfg, table, name, folder):
    done = folder / f"{name}.seconds"
    if not done.exists():
        words = [[sfg, "select", table, "--method", method, "-m", SIZES[-1]] for method in METHODS[:-1]]
        done.write_text(json.dumps([processor_seconds(*one) for one in words]))


def make(sfg, data, folder, names):
    for name in names:
        table = data / f"{name}.mat"
        left = reduced(sfg, table, name, folder)
        for kind, one in (("all", table), ("left", left)):
            compared(sfg, one, f"{name}.{kind}", folder)
            timed(sfg, one, f"{name}.{kind}", folder)


class Results:
    """What was measured of one set: rows by method and size, on all features and on what is left."""

    def __init__(self, folder, name):
        self.name = name
        self.documents = [json.loads((folder / f"{name}.{kind}.json").read_text()) for kind in ("all", "left")]
        self.rows = [
            {(row["competitor"], row["n_kept"]): row for row in document["rows"] if row["reached"]}
            for document in self.documents
        ]
        self.times = [json.loads((folder / f"{name}.{kind}.seconds").read_text()) for kind in ("all", "left")]
        self.n_features = [document["all_features"][0]["n_features"] for document in self.documents]
        self.noise = self.documents[0]["all_features"][0]["noise"]
        self.n_samples = self.documents[0]["all_features"][0]["n_samples"]

    def pair(self, method, size, measure):
        rows = [rows.get((method, size)) for rows in self.rows]
        return [None if row is None else row[measure] for row in rows]

    def seconds(self, method):
        return [times[METHODS.index(method)] for times in self.times]


def cell(values, digits=2):
    return " / ".join("-" if value is None else f"{value:.{digits}f}" for value in values)


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|---|" + "--:|" * (len(headings) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def set_tables(result):
    print(
        f"### {result.name}: {result.n_samples:,} samples, {result.n_features[0]:,} features / "
        f"{result.n_features[1]:,} left\n"
    )
    for measure, title in MEASURES.items():
        rows = [[method, *(cell(result.pair(method, size, measure)) for size in SIZES)] for method in METHODS]
        print(f"{title}\n\n" + table(["", *(f"{size} features" for size in SIZES)], rows), end="\n\n")


def seconds_table(results):
    rows = [[method, *(cell(result.seconds(method)) for result in results)] for method in METHODS[:-1]]
    print(f"processor seconds to choose {SIZES[-1]}, with reading\n\n" + table(["", *(result.name for result in results)], rows), end="\n\n")


def outcome(result, measure, alone, after):
    is_redundancy = measure == "redundancy"
    gain = alone - after if is_redundancy else after - alone
    noise = SAME_REDUNDANCY if is_redundancy else result.noise
    return TIE if abs(gain) < noise else "better" if gain > 0 else "worse"


def count_outcomes(results, method, measure):
    counts = {"better": 0, TIE: 0, "worse": 0}
    for result in results:
        for size in SIZES:
            alone, after = result.pair(method, size, measure)
            if alone is None or after is None:
                continue
            counts[outcome(result, measure, alone, after)] += 1
    return counts


def wins_table(results, title):
    """Of all sets and sizes."""
    kinds = {"without labels": UNLABELLED, "by labels": LABELLED}
    rows = []
    for title_of_row, methods in {**kinds, **{method: [method] for method in METHODS}}.items():
        counts = [[count_outcomes(results, method, measure) for method in methods] for measure in MEASURES]
        cells = [" / ".join(str(sum(one[key] for one in own)) for key in own[0]) for own in counts]
        rows.append([title_of_row, *cells])
    print(f"{title}: better / tie / worse after reduce\n\n" + table(["", *MEASURES.values()], rows), end="\n\n")


def mean_gain(result, methods, measure):
    pairs = [result.pair(method, size, measure) for method in methods for size in SIZES]
    gains = [after - alone for alone, after in pairs if alone is not None and after is not None]
    return f"{sum(gains) / len(gains):+.3f}"


def gains_by_set(results):
    """Mean of after minus alone over selectors and sizes; beside it random features."""
    rows = []
    for result in results:
        row = [result.name]
        for measure in MEASURES:
            row.append(" / ".join(mean_gain(result, methods, measure) for methods in (METHODS[:-1], METHODS[-1:])))
        rows.append(row)
    print("after - alone, mean of all selectors / random features\n\n" + table(["", *MEASURES.values()], rows), end="\n\n")


def main():
    sfg, data, folder = map(pathlib.Path, sys.argv[1:4])
    names = sys.argv[4:] or [*DENSE, *TEXT]
    folder.mkdir(parents=True, exist_ok=True)
    make(sfg, data, folder, names)
    results = [Results(folder, name) for name in names]
    gains_by_set(results)
    for kind, members in (("dense", DENSE), ("text", TEXT)):
        chosen = [result for result in results if result.name in members]
        if chosen:
            wins_table(chosen, kind)
    seconds_table(results)
    for result in results:
        set_tables(result)


main()

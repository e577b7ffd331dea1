"""Two sfg programs must give the same answers: the one from before a change and the one after it.

    python3 bench/same_answers.py OLD NEW [DATA_FOLDER] [--quick] [--threads N] [--only TEXT] [--sets NAMES]

Runs a sweep of commands with both programs on the data sets of a folder (default: ../shared/data
beside the project) and on one planted table, and compares the JSON documents and the files they
write. Indices and texts must be equal, numbers equal to 1e-12 of their size. Times, memory,
versions, paths and descriptions for people are left out. What only the new program says is no
difference. One line per run, a summary at the end; exit status 1 if anything differs.

About 4 minutes of processor time for one program and 8 for both; with --quick under 2 for both.
"""

import argparse
import gzip
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.io

ROOT = Path(__file__).resolve().parents[1]
SAME = 1e-12
# Rounding of numbers that are zero but for it has no size to compare with.
NOTHING = 1e-15

# Words that differ between programs: the second one where the program's help names "components".
PAPER_GROUPS = ("lcs", "components")
EDGES = ("--graph", "--edges")
OVERLAP = [("--level", "--min-overlap"), ("knn", "0.85")]
RESPONSES = ("--responses", "--n-responses")

# Fields that have another name in the new program.
RENAMED = {"neighbours": "n_neighbors", "responses": "n_responses"}

# Fields that say when, where and by whom, or describe in words what other fields say in numbers.
LEFT_OUT = {
    "seconds", "peak_rss_bytes", "sfg_version", "input", "output", "outputs", "files", "description",
    "method", "grouping", "groupings", "level", "options", "schema_version",
    # Processors have kernels of their own.
    "screen",
    # How much work it was, and what rounding left: no answers.
    "candidates_per_step", "eigen_residual",
}  # fmt: skip
FILES_LEFT_OUT = (".log", ".svg", ".png", ".md", ".tex")

FACES = ("Yale", "ORL", "warpPIE10P", "orlraws10P")
TEXTS = ("PCMAC", "RELATHE", "BASEHOCK")
SMALL = ("Yale", "ORL", "warpPIE10P", "lymphoma", "planted")
DENSE = FACES + ("lymphoma", "nir_soil", "planted")
ALL = DENSE + TEXTS + ("Reuters21578",)
QUICK = ("Yale", "warpPIE10P", "PCMAC", "planted")

# name, data sets, words; "-o" is followed by the name to write to in a folder of the run's own.
RUNS = [
    ("reduce", ALL, ["reduce", "-o", "r"]),
    ("reduce, cover", DENSE, ["reduce", "--grouping", "cover", "-o", "r"]),
    ("reduce, theta 0.5", ALL, ["reduce", "--theta", "0.5", "-o", "r"]),
    ("reduce, the paper's groups by name", SMALL, ["reduce", "--grouping", PAPER_GROUPS, "-o", "r"]),
    ("reduce, preset paper", FACES + TEXTS, ["reduce", "--preset", "paper", "--theta", "0.3", "-o", "r"]),
    ("reduce, 100 features", DENSE + TEXTS, ["reduce", "--n-features", "100", "-o", "r"]),
    ("reduce, cover, 50 features", SMALL + ("PCMAC",), ["reduce", "--grouping", "cover", "--n-features", "50", "-o", "r"]),
    ("reduce, keep share", SMALL, ["reduce", "--keep-share", "0.1", "--no-rescue", "-o", "r"]),
    ("reduce, certify", DENSE, ["reduce", "--certify", "0.6", "-o", "r"]),
    ("reduce, neighbours", SMALL, ["reduce", *OVERLAP, "-o", "r"]),
    ("reduce, nearest graph", SMALL + ("PCMAC",), ["reduce", EDGES, "knn", "-o", "r"]),
    ("reduce, medoids of the paper's groups", SMALL,
     ["reduce", "--theta", "0.4", "--representative", "medoid", "-o", "r"]),
    ("graph, gram", DENSE + TEXTS, ["graph", "--engine", "gram", "-o", "g.npz"]),
    ("graph, stream int8", DENSE + TEXTS, ["graph", "--engine", "stream", "--screen", "int8", "-o", "g.npz"]),
    ("graph, stream f32", SMALL, ["graph", "--engine", "stream", "--screen", "f32", "-o", "g.npz"]),
    ("graph, sparse", TEXTS + ("Reuters21578",), ["graph", "--engine", "sparse", "-o", "g.npz"]),
    ("graph, centred", SMALL + ("PCMAC",), ["graph", "--center", "-o", "g.npz"]),
    ("graph, ols", SMALL, ["graph", "--pursuit", "ols", "-o", "g.npz"]),
    ("graph, edges", SMALL, ["graph", "--format", "edges", "-o", "g.tsv"]),
    ("sweep", DENSE + TEXTS, ["sweep", "-o", "s.tsv"]),
    ("sweep, medoids", SMALL, ["sweep", "--representative", "medoid", "-o", "s.tsv"]),
    ("select, mcfs", FACES + TEXTS, ["select", "-m", "10,50", "-o", "s.tsv"]),
    ("select, paper", SMALL, ["select", "--preset", "paper", "-m", "10,50", RESPONSES, "5", "-o", "s.tsv"]),
    ("select, laplacian", FACES + ("lymphoma",), ["select", "--method", "laplacian", "-m", "20", "-o", "s.tsv"]),
    ("select, spec", SMALL, ["select", "--method", "spec", "-m", "20", "-o", "s.tsv"]),
    ("select, fsasl", ("Yale", "lymphoma"), ["select", "--method", "fsasl", "-m", "20", "-o", "s.tsv"]),
    ("select, reduced first", FACES, ["select", "--reduce", "--theta", "0.3", "-m", "20", "-o", "s.tsv"]),
    ("cluster", FACES + ("lymphoma",), ["cluster", "--seeds", "3", "-o", "c.txt"]),
    ("cluster, paper", ("Yale", "ORL"), ["cluster", "--preset", "paper", "-o", "c.txt"]),
    ("cluster, texts", TEXTS, ["cluster", "--weighting", "tfidf", "--affinity", "cosine-knn", "-o", "c.txt"]),
    ("experiment", ("Yale", "warpPIE10P"),
     ["experiment", "--seeds", "2", "--replicates", "3", "-m", "20,50", "--thetas", "0.7,0.3", "-o", "e"]),
    ("experiment, both groupings", ("Yale",),
     ["experiment", "--grouping", (PAPER_GROUPS[0] + ",compact", PAPER_GROUPS[1] + ",compact"),
      "--seeds", "1", "--replicates", "2", "-m", "20", "--thetas", "0.5", "-o", "e"]),
    ("experiment, paper", ("Yale",),
     ["experiment", "--preset", "paper", "--seeds", "1", "-m", "20", "--thetas", "0.5,0.3", "-o", "e"]),
]  # fmt: skip


class Differences(list):
    """Places where two answers differ, each as a line for people."""

    def say(self, place, old, new):
        self.append(f"{place}: {shortened(old)} and {shortened(new)}")


def shortened(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def same_number(old, new):
    if isinstance(old, int) and isinstance(new, int):
        return old == new
    if math.isnan(old) or math.isnan(new):
        return math.isnan(old) and math.isnan(new)
    return abs(old - new) <= max(SAME * max(abs(old), abs(new)), NOTHING)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def compare_json(old, new, place, found):
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key in LEFT_OUT:
                continue
            name = key if key in new else RENAMED.get(key, key)
            if name not in new:
                found.append(f"{place}.{key} is gone")
            else:
                compare_json(value, new[name], f"{place}.{key}", found)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            found.append(f"{place}: {len(old)} and {len(new)} entries")
        for k, (left, right) in enumerate(zip(old, new)):
            compare_json(left, right, f"{place}[{k}]", found)
    elif is_number(old) and is_number(new):
        if not same_number(old, new):
            found.say(place, old, new)
    elif old != new and (old, new) != PAPER_GROUPS:
        found.say(place, old, new)


def compare_cells(old, new, place, found):
    try:
        same = same_number(float(old), float(new))
    except ValueError:
        same = old == new or (old, new) == PAPER_GROUPS
    if not same:
        found.say(place, old, new)


def compare_tables(old, new, place, found):
    separator = "\t" if "\t" in old[:10000] else ","
    old_lines, new_lines = old.splitlines(), new.splitlines()
    if len(old_lines) != len(new_lines):
        found.append(f"{place}: {len(old_lines)} and {len(new_lines)} lines")
    for number, (left, right) in enumerate(zip(old_lines, new_lines), 1):
        if left == right:
            continue
        left, right = left.split(separator), right.split(separator)
        if len(left) != len(right):
            found.append(f"{place}:{number}: {len(left)} and {len(right)} cells")
        for cell, pair in enumerate(zip(left, right), 1):
            compare_cells(*pair, f"{place}:{number}, cell {cell}", found)


def compare_arrays(old, new, place, found):
    if set(old) - set(new):
        found.append(f"{place}: {sorted(set(old) - set(new))} are gone")
    for key in sorted(set(old) & set(new)):
        left, right = old[key], new[key]
        if hasattr(left, "toarray"):
            left, right = left.tocoo(), right.tocoo()
            compare_arrays(vars_of(left), vars_of(right), f"{place}:{key}", found)
        elif np.shape(left) != np.shape(right):
            found.append(f"{place}:{key}: shapes {np.shape(left)} and {np.shape(right)}")
        elif np.asarray(left).dtype.kind == "f":
            left, right = np.asarray(left), np.asarray(right)
            size = np.maximum(np.abs(left), np.abs(right))
            apart = ~((np.abs(left - right) <= np.maximum(SAME * size, NOTHING)) | (np.isnan(left) & np.isnan(right)))
            if apart.any():
                found.append(f"{place}:{key}: {int(apart.sum())} numbers differ")
        elif not np.array_equal(left, right):
            found.append(f"{place}:{key} differs")


def vars_of(sparse):
    return {"row": sparse.row, "column": sparse.col, "data": sparse.data, "shape": np.array(sparse.shape)}


def read_arrays(path):
    if path.suffix == ".npz":
        return dict(np.load(path))
    if path.suffix == ".npy":
        return {"array": np.load(path)}
    return {name: value for name, value in scipy.io.loadmat(path).items() if not name.startswith("__")}


def read_text(path):
    with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8")) as file:
        return file.read()


def compare_files(old, new, found):
    """The files of two folders, by what is in them."""
    names = sorted(path.name for path in old.iterdir() if not path.name.endswith(FILES_LEFT_OUT))
    for name in names:
        left, right = old / name, new / name
        if not right.exists():
            found.append(f"{name} was not written")
        elif left.read_bytes() == right.read_bytes():
            continue
        elif name.endswith((".npz", ".npy", ".mat")):
            compare_arrays(read_arrays(left), read_arrays(right), name, found)
        elif name.endswith(".json"):
            compare_json(json.loads(read_text(left)), json.loads(read_text(right)), name, found)
        else:
            compare_tables(read_text(left), read_text(right), name, found)
    return len(names)


class Program:
    """One of the two programs, with its own spelling of the words that differ."""

    def __init__(self, path, threads):
        self.path = Path(path).resolve()
        self.threads = threads
        done = subprocess.run([self.path, "reduce", "--help"], capture_output=True, text=True, check=True)
        self.takes_new_words = PAPER_GROUPS[1] in done.stdout.split("--grouping", 1)[1].split("\n", 1)[0]

    def run(self, words, data, folder):
        folder.mkdir(parents=True)
        spelt = [word if isinstance(word, str) else word[self.takes_new_words] for word in words]
        command = [self.path, spelt[0], data, *spelt[1:], "--json", "--quiet", "--threads", str(self.threads)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        answer = json.loads(done.stdout) if done.returncode == 0 else None
        return done.returncode, answer, done.stderr


def compare_run(programs, words, data, folder):
    """The differences of one command on one data set, and what was compared."""
    found = Differences()
    answers = [p.run(words, data, folder / side) for p, side in zip(programs, ("old", "new"))]
    (old_status, old, old_error), (new_status, new, new_error) = answers
    if old_status != new_status:
        found.append(f"exit status {old_status} and {new_status}: {(old_error + new_error).strip()[-200:]}")
        return found, "nothing compared"
    if old_status != 0:
        return found, f"both refuse with {old_status}"
    compare_json(old, new, "json", found)
    n_files = compare_files(folder / "old", folder / "new", found)
    return found, f"json and {n_files} files"


def make_planted(program, folder):
    path = folder / "planted.csv"
    subprocess.run(
        [program.path, "synth", "--samples", "120", "--features", "400", "--seed", "3", "-o", path, "--quiet"],
        check=True,
    )
    return path


def data_sets(folder, place, program):
    found = {"planted": make_planted(program, place)}
    for path in sorted(folder.iterdir()):
        found[path.name.split(".", 1)[0]] = path.resolve()
    return found


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("data", nargs="?", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--quick", action="store_true", help="four data sets only")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="only runs whose name holds this")
    parser.add_argument("--sets", default="", help="only these data sets, comma-separated")
    options = parser.parse_args()
    programs = [Program(path, options.threads) for path in (options.old, options.new)]
    n_runs = n_different = 0
    missing = set()
    sets = options.sets.split(",") if options.sets else ALL
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        known = data_sets(options.data, place, programs[0])
        for name, wanted, words in RUNS:
            for data in wanted:
                if (options.quick and data not in QUICK) or options.only not in name or data not in sets:
                    continue
                if data not in known:
                    missing.add(data)
                    continue
                before = processor_seconds()
                found, compared = compare_run(programs, words, known[data], place / f"run{n_runs}")
                n_runs += 1
                n_different += bool(found)
                outcome = "DIFFERS" if found else "same"
                print(f"{outcome:8} {name}: {data} ({compared}, {processor_seconds() - before:.1f} s)", flush=True)
                for line in found[:5]:
                    print(f"           {line}")
                if len(found) > 5:
                    print(f"           and {len(found) - 5} more")
    if missing:
        print(f"not there: {', '.join(sorted(missing))}")
    print(f"{n_runs} runs, {n_different} differ; {processor_seconds():.0f} s of processor time")
    return 1 if n_different or n_runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

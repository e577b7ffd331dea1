"""The commands that faults happen to, and small tables for them."""

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy


@dataclass(frozen=True)
class Command:
    """Words with in/ for inputs and out/ for outputs. What prints JSON is compared by that too."""

    name: str
    words: tuple
    resumes: bool = False  # knows --resume and --journal-after

    @property
    def prints_json(self):
        return "--json" in self.words

    @property
    def writes(self):
        return any(word.startswith("out/") for word in self.words)


def command(text, name="", resumes=False):
    words = tuple(text.split())
    return Command(name or words[0], words, resumes)


REDUCE = "reduce in/data.csv -o out/r "

COMMANDS = [
    command(REDUCE, "reduce", resumes=True),
    command(REDUCE + "--grouping cover", "reduce cover"),
    command(REDUCE + "--grouping components --preset paper", "reduce components", resumes=True),
    command(REDUCE + "--max-r2 0.8", "reduce pairwise"),
    command(REDUCE + "--certify 0.8 --certify-permutations 20", "reduce certified", resumes=True),
    command(REDUCE + "--grouping compact --window 20", "reduce window"),
    command("reduce in/data.h5ad -o out/r --output-format csv", "reduce h5ad", resumes=True),
    command("reduce in/data.mat -o out/r --transform rank --n-features 20 --json", "reduce mat", resumes=True),
    command("reduce in/new.mat -o out/r", "reduce mat 7.3", resumes=True),
    command("reduce in/counts.mtx -o out/r --edges knn", "reduce knn"),
    command("check in/classes.csv --json"),
    command("predict in/data.csv -o out/p.tsv --json"),
    command("stability in/data.csv -o out/s --repeats 6 --stable 0.8 --plot out/s.svg"),
    command("apply in/m.model.json in/later.csv -o out/a.csv --json"),
    command("sweep in/data.csv -o out/s.tsv", resumes=True),
    command("sweep in/g.npz --json", "sweep graph"),
    command("graph in/data.csv -o out/g.npz", resumes=True),
    command("graph in/counts.mtx -o out/g.graphml --engine sparse --center", "graph sparse", resumes=True),
    command("select in/classes.csv --labels class -m 5,10 --method mcfs -o out/s.tsv --json"),
    command("select in/data.csv -m 5 --reduce -o out/s.tsv", "select reduced", resumes=True),
    command("cluster in/classes.csv --labels class --seeds 2 -o out/c.txt --json"),
    command("compare in/classes.csv --labels class --n-features 10 --methods default,pearson,random -o out/c.tsv"),
    command("experiment in/classes.csv --labels class --thetas 0.7,0.3 -m 3 --seeds 2 -o out/e"),
    command("report in/data.csv -o out/page.html", resumes=True),
    command("explain in/m.model.json #1 --json"),
    command("score in/a.txt in/b.txt --json"),
    command("convert in/data.csv out/c.csv.gz", "convert csv"),
    command("convert in/data.csv out/c.npy", "convert npy"),
    command("convert in/data.csv out/c.mat", "convert mat"),
    command("convert in/data.npy out/c.mtx", "convert mtx"),
    command("convert in/data.csv out/c.svm", "convert svmlight"),
    command("info in/data.npy --json"),
    command("synth --samples 10 --features 100 -o out/t.csv"),
    command("synth --genotypes --samples 40 --features 100 --plink -o out/t.npy", "synth genotypes"),
]


def _random_table(n_samples, n_features, seed):
    """Whole numbers, in blocks that go together."""
    random = numpy.random.default_rng(seed)
    bases = random.normal(size=(n_samples, n_features // 4 + 1))
    columns = [bases[:, j // 4] + 0.2 * (j % 4) * random.normal(size=n_samples) for j in range(n_features)]
    return numpy.round(1000 * numpy.array(columns).T)


def _csv(table, names, classes=None):
    head = names if classes is None else ["class", *names]
    lines = [",".join(head)]
    for i, row in enumerate(table):
        cells = [f"{value:g}" for value in row]
        lines.append(",".join(cells if classes is None else [classes[i], *cells]))
    return "\n".join(lines) + "\n"


def _write_h5ad(path, table, names):
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=table, chunks=(8, 10), compression="gzip")
        for part, index in (("obs", [f"s{i}" for i in range(len(table))]), ("var", names)):
            group = file.create_group(part)
            group.attrs["_index"] = "_index"
            group.create_dataset("_index", data=index, dtype=h5py.string_dtype())


def _write_mat73(path, table):
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("X", data=table.T).attrs["MATLAB_class"] = numpy.bytes_("double")
    head = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    with open(path, "r+b") as file:
        file.write(head)


def make_inputs(folder: Path, seed, sfg):
    """Small inputs of every kind. Another seed: other values under the same names."""
    n_samples, n_features = 30, 48
    table = _random_table(n_samples, n_features, seed)
    names = [f"x{j}" for j in range(n_features)]
    classes = ["u" if i % 2 == 0 else "v" for i in range(n_samples)]
    (folder / "data.csv").write_text(_csv(table, names))
    table[:, ::4] += 900 * numpy.array([[i % 2] for i in range(n_samples)])
    (folder / "classes.csv").write_text(_csv(table, names, classes))
    later = _random_table(n_samples, n_features, seed + 1000)
    (folder / "later.csv").write_text(_csv(later, names))
    _write_h5ad(folder / "data.h5ad", table, names)
    _write_mat73(folder / "new.mat", table)
    (folder / "a.txt").write_text("\n".join(classes) + "\n")
    (folder / "b.txt").write_text("\n".join(classes[3:] + classes[:3]) + "\n")
    sfg("convert", folder / "data.csv", folder / "data.npy")
    sfg("convert", folder / "data.csv", folder / "data.mat")
    sfg("synth", "--samples", 40, "--features", 60, "--density", 0.1, "--seed", seed, "-o", folder / "counts.mtx")
    sfg("graph", folder / "data.csv", "-o", folder / "g.npz")
    sfg("reduce", folder / "data.csv", "-o", folder / "m")

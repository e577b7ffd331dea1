"""The tables of docs/RESULTS.md, from the document of `sfg compare ... --json`.

    sfg compare ORL.mat Yale.mat ... --json | python3 bench/results_tables.py
"""

import json
import pathlib
import sys

COMPETITORS = [
    "compact",
    "cover",
    "components",
    "knn-ward",
    "random",
    "pearson",
    "pearson-variance",
    "variance",
    "column-subset",
    "pivoted-qr",
    "facility-location",
    "k-medoids",
    "ward",
    "mcfs",
    "laplacian",
    "fsasl",
]
PAIRS = [("compact", other) for other in COMPETITORS[2:]] + [
    ("cover", "compact"),
    ("cover", "random"),
    ("default", "all"),
]
MEASURES = {
    "accuracy": "accuracy",
    "nmi_mean": "NMI",
    "neighbour_overlap": "10-NN overlap",
    "mean_best_r2": "best r2",
    "r2cv_mean": "R2cv",
    "r2cv_q10": "R2cv, 10 % quantile",
}

#: What the tables by share show.
SHOWN = ["accuracy", "nmi_mean", "r2cv_mean"]


def differences_table(document):
    found = {(one["first"], one["second"], one["measure"]): one for one in document["differences"]}
    lines = ["| difference | " + " | ".join(MEASURES.values()) + " |", "|---|" + "--:|" * len(MEASURES)]
    for first, second in PAIRS:
        cells = []
        for measure in MEASURES:
            one = found.get((first, second, measure))
            if one is None:  # a method that no input reaches, or no labels
                cells.append("-")
                continue
            cells.append(
                f"{one['mean']:+.3f} +- {one['standard_error']:.3f} ({one['n_higher']}/{one['n_lower']})"
            )
        if set(cells) != {"-"}:
            lines.append(f"| {first} - {second} | " + " | ".join(cells) + " |")
    return lines


def share_table(document, share):
    """Accuracy / NMI / held-out R2 of every method with that share of the features."""
    rows = {}
    inputs = []
    for row in document["rows"]:
        name = pathlib.Path(row["input"]).stem
        if name not in inputs:
            inputs.append(name)
        if row["share"] == share or row["competitor"] in ("all", "default"):
            rows[row["competitor"], name] = row
    lines = ["| by | " + " | ".join(inputs) + " |", "|---|" + "--:|" * len(inputs)]
    for method in ["all", "default", *COMPETITORS]:
        cells = []
        for name in inputs:
            one = rows.get((method, name))
            figures = [one[key] for key in SHOWN] if one is not None and one["reached"] else [None]
            cells.append("-" if None in figures else " / ".join(f"{figure:.3f}" for figure in figures))
        if set(cells) != {"-"}:
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return lines


def main():
    document = json.load(sys.stdin)
    print("\n".join(differences_table(document)), end="\n\n")
    for share in sorted({row["share"] for row in document["rows"] if row["rank"]}, reverse=True):
        print(f"{share:.0%}: {', '.join(SHOWN)}\n\n" + "\n".join(share_table(document, share)), end="\n\n")
    print(document["verdict"])


main()

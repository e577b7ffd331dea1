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
    "nmi_mean": "NMI, both ways",
    "nmi": "NMI",
    "acc": "ACC",
    "neighbour_overlap": "10-NN overlap",
    "mean_best_r2": "best r2",
    "r2cv_mean": "R2cv",
    "r2cv_q10": "R2cv, 10 % quantile",
}


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
        lines.append(f"| {first} - {second} | " + " | ".join(cells) + " |")
    return lines


def levels_table(document, measure):
    rows = {}
    for row in document["rows"]:
        if row["competitor"] in ("all", "default"):
            continue
        place = (row["input"], row["share"])
        rows.setdefault(place, {})[row["competitor"]] = row
    lines = ["| data set | kept | " + " | ".join(COMPETITORS) + " |", "|---|" + "--:|" * (1 + len(COMPETITORS))]
    for (source, _), row in rows.items():
        cells = []
        for competitor in COMPETITORS:
            one = row.get(competitor)
            there = one is not None and one["reached"] and one[measure] is not None
            cells.append(f"{one[measure]:.3f}" if there else "-")
        name = pathlib.Path(source).stem
        lines.append(f"| {name} | {next(iter(row.values()))['n_kept']:,} | " + " | ".join(cells) + " |")
    return lines


def main():
    document = json.load(sys.stdin)
    print("\n".join(differences_table(document)), end="\n\n")
    for measure in ["accuracy", "nmi_mean", "nmi", "r2cv_q10", "mean_best_r2"]:
        print(f"{MEASURES[measure]}\n\n" + "\n".join(levels_table(document, measure)), end="\n\n")


main()

"""What `sfg reduce` keeps with its default options, and what that is worth beside all features: the
table of docs/RESULTS.md.

    python3 bench/default_answer.py build/sfg ORL.mat Yale.mat genes.csv:class ...
    python3 bench/default_answer.py build/sfg --text PCMAC.mat -- --threads 2

A file may name its labels after a colon, as --labels does; without that, sfg finds them. Words after
`--` go to every command. For each file: the kept share, the accuracy (mean of 1-NN, 5-NN and a linear
classifier, cross-validated) and NMI (mean of spectral clustering and k-means) of the kept features
minus those of all features. Files that sfg refuses, and files without classes, are told on standard
error and have no row.
"""

import argparse
import json
import pathlib
import subprocess
import sys

# A loss of accuracy that is worth a name; NMI of all features below which clusters do not find the classes.
LOSS = 0.03
CLUSTERED = 0.1


def command_line():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program sfg")
    parser.add_argument("files", nargs="+", help="data files, with :LABELS where they need it")
    parser.add_argument("--text", action="store_true", help="word counts: tf-idf and cosine")
    parser.add_argument("--json", help="file to keep all rows in")
    return parser.parse_args(words[:at]), words[at + 1 :]


def path_and_labels(word):
    """'genes.csv:class' -> its two parts; a path may have a colon of its own."""
    path, colon, labels = word.rpartition(":")
    if colon and not pathlib.Path(word).exists() and pathlib.Path(path).exists():
        return path, ["--labels", labels]
    return word, []


def judge(program, word, options):
    """The document of one file; None, after saying why, if there is none."""
    path, labels = path_and_labels(word)
    command = [program, "compare", path, *labels, "--methods", "default", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{word}: {done.stderr.strip()}", file=sys.stderr)
        return None
    document = json.loads(done.stdout)
    every, *others = document["rows"]
    if every["accuracy"] is None:
        print(f"{word}: no classes to judge by", file=sys.stderr)
        return None
    if not others or not others[0]["reached"]:
        print(f"{word}: no default answer ({others[0]['reason'] if others else 'not asked for'})", file=sys.stderr)
        return None
    return {"name": pathlib.Path(path).name.split(".")[0], **document["all_features"][0], "all": every, "default": others[0]}


def figures(answer):
    every, own = answer["all"], answer["default"]
    return {
        "kept": own["n_kept"] / answer["n_features"],
        "accuracy": own["accuracy"] - every["accuracy"],
        "nmi": own["nmi_mean"] - every["nmi_mean"],
    }


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def table(answers):
    lines = [
        "| table | samples x features | classes | kept | share | accuracy, all | kept | difference | NMI, all | kept | difference |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for answer in answers:
        every, own, gain = answer["all"], answer["default"], figures(answer)
        cells = [
            answer["name"],
            f"{answer['n_samples']:,} x {answer['n_features']:,}",
            str(answer["n_classes"]),
            f"{own['n_kept']:,}",
            f"{100 * gain['kept']:.0f} %",
            f"{every['accuracy']:.3f}",
            f"{own['accuracy']:.3f}",
            f"{gain['accuracy']:+.3f}",
            f"{every['nmi_mean']:.3f}",
            f"{own['nmi_mean']:.3f}",
            f"{gain['nmi']:+.3f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def summary(answers):
    gains = [figures(answer) for answer in answers]
    clustered = [figures(a)["nmi"] for a in answers if a["all"]["nmi_mean"] > CLUSTERED]
    losses = [answer["name"] for answer, gain in zip(answers, gains) if gain["accuracy"] < -LOSS]
    return (
        f"Mean of {len(answers)} tables: {100 * mean([gain['kept'] for gain in gains]):.0f} % kept, "
        f"accuracy {mean([gain['accuracy'] for gain in gains]):+.3f}, "
        f"NMI {mean(clustered):+.3f} ({len(clustered)} tables whose classes clusters find: NMI above {CLUSTERED}). "
        f"Losing more than {LOSS} accuracy: {', '.join(losses) or 'none'}."
    )


def main():
    arguments, options = command_line()
    if arguments.text:
        options = ["--text", *options]
    found = [judge(arguments.program, word, options) for word in arguments.files]
    answers = [answer for answer in found if answer]
    if not answers:
        sys.exit("no file had a default answer and classes")
    print("\n".join(table(answers)), end="\n\n")
    print(summary(answers))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(answers, indent=1))
    sys.exit(0 if len(answers) == len(found) else 1)


main()

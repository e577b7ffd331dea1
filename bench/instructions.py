"""How many instructions sfg takes for small jobs, beside what is stored: `make bench-check`.

    python3 bench/instructions.py [--write] [--only WORDS]

Valgrind counts, so the figures depend neither on the clock nor on what else the machine does. Each
job runs on one thread. Only instructions of sfg's own code are compared (for starting: of all code
but OpenBLAS): those of OpenBLAS and of the C library depend on the processor. Valgrind shows no AVX-512 to the programs it runs, so sfg
takes its kernels for AVX2 wherever this runs. Exit status 1: a job takes more than TOLERANCE longer.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SFG = os.path.join(ROOT, "build", "sfg")
BASELINE = os.path.join(ROOT, "bench", "instructions.tsv")
# Counts of one build repeat to one in a thousand (addresses decide a few steps of hash tables);
# another release of the compiler moves them by a few per cent.
TOLERANCE = 0.03

SYNTH = "--seed 1"
TABLES = {
    "t.npy": f"synth --samples 40 --features 150 {SYNTH}",
    "t.csv": f"synth --samples 40 --features 150 {SYNTH}",
    "wide.npy": f"synth --samples 40 --features 600 {SYNTH}",
    "sparse.mtx": "synth --samples 80 --features 300 --density 0.02 --seed 1",
}
START = "start, with libraries"
JOBS = {
    START: "--version",
    "read csv": "convert t.csv out.npy --force",
    "read npy": "convert t.npy again.npy --force",
    "graph int8": "graph wide.npy --engine stream --screen int8",
    "graph f32": "graph wide.npy --engine stream --screen f32",
    "graph gram": "graph wide.npy --engine gram",
    "graph sparse": "graph sparse.mtx",
    "graph ols": "graph t.npy --pursuit ols",
    "reduce compact": "reduce t.npy",
    "reduce cover": "reduce t.npy --grouping cover",
    "reduce components": "reduce t.npy --theta 0.5",
    "reduce pairwise": "reduce t.npy --max-r2 0.8",
    "reduce sparse": "reduce sparse.mtx",
    "sweep compact": "sweep t.npy --grouping compact",
    "predict": "predict t.npy",
    "select mcfs": "select t.npy --method mcfs --sizes 20",
    "cluster": "cluster t.npy --n-clusters 5",
}


def settings():
    """What can be fixed is fixed: kernels of OpenBLAS, words of the C library's string functions."""
    chosen = dict(os.environ)
    chosen.update(OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                  LC_ALL="C")
    return chosen


def run(command, folder):
    done = subprocess.run(command, cwd=folder, env=settings(), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")


def is_counted(name, job):
    """Starting is work of the loader and of the libraries that it loads."""
    if job == START:
        return "openblas" not in name
    return os.path.basename(name) == "sfg"


def counted_instructions(path, job):
    """Instructions of the objects that count. In callgrind's format `ob=(3) /usr/lib/...` says
    where the lines that follow belong; `calls=` precedes a line with what the callee took, which
    is counted where the callee is."""
    names, own, total, skip = {}, False, 0, False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("ob="):
                number, name = re.match(r"ob=(\(\d+\))\s*(.*)", line).groups()
                names.setdefault(number, name.strip())
                own = is_counted(names[number], job)
            elif line.startswith("cob="):
                number, name = re.match(r"cob=(\(\d+\))\s*(.*)", line).groups()
                if name:
                    names.setdefault(number, name.strip())
            elif line.startswith("calls="):
                skip = True
            elif line[:1].isdigit() or line[:1] in "+-*":
                if own and not skip:
                    total += int(line.split()[1])
                skip = False
    return total


def count(job, words, folder):
    out = os.path.join(folder, "callgrind.out")
    run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet", SFG,
         *words.split(), *([] if words.startswith("--") else ["--threads", "1", "--memory", "2G"])],
        folder)
    return counted_instructions(out, job)


def compiler():
    with open(os.path.join(ROOT, "build", "CMakeCache.txt"), encoding="utf-8") as lines:
        path = next(line.split("=", 1)[1].strip() for line in lines
                    if line.startswith("CMAKE_CXX_COMPILER:"))
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def read_baseline():
    with open(BASELINE, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    made_by = rows[0][1]
    return made_by, {name: int(number) for name, number in rows[2:]}


def write_baseline(counts):
    """After every job: what was counted stays where a later one is cut off."""
    with open(BASELINE, "w", encoding="utf-8") as out:
        out.write(f"compiler\t{compiler()}\njob\tinstructions\n")
        for name, number in counts.items():
            out.write(f"{name}\t{number}\n")


def verdict(number, stored):
    if stored is None:
        return "new", ""
    change = number / stored - 1
    word = "SLOWER" if change > TOLERANCE else "faster" if change < -TOLERANCE else ""
    return f"{100 * change:+.1f} %", word


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store the counts of this build")
    parser.add_argument("--only", default="", help="jobs whose name has this in it")
    told = parser.parse_args()
    stored = {}
    if os.path.exists(BASELINE):
        made_by, stored = read_baseline()
        if made_by != compiler() and not told.write:
            print(f"The baseline is of another compiler: {made_by}; here {compiler()}")
    counts, slower, faster = dict(stored) if told.only else {}, 0, 0
    print(f"{'job':<24}{'million':>10}{'stored':>10}{'change':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in TABLES.items():
            run([SFG, *words.split(), "-o", name, "--force"], folder)
        for name, words in JOBS.items():
            if told.only not in name:
                continue
            counts[name] = count(name, words, folder)
            change, word = verdict(counts[name], stored.get(name))
            was = f"{stored[name] / 1e6:.1f}" if name in stored else "-"
            print(f"{name:<24}{counts[name] / 1e6:>10.1f}{was:>10}{change:>10}  {word}", flush=True)
            if told.write:
                write_baseline(counts)
            slower += word == "SLOWER"
            faster += word == "faster"
    if told.write:
        print(f"wrote {BASELINE}")
        return 0
    print(f"{slower} slower, {faster} faster by more than {100 * TOLERANCE:.0f} %"
          + ("; 'make bench-baseline' stores what is meant to stay" if slower or faster else ""))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())

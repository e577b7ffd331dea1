"""Time and memory of the graph against the number of features, beside one symmetric product.

    python3 bench/scaling.py docs/scaling.svg

Planted data of 200 samples (copies, noisy copies, combinations); every size is one run of its own.
"""

import json
import os
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SFG = os.path.join(ROOT, "build", "sfg")
SAMPLES = 200
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
PLANTED = ("--irrelevant", "0", "--copies", "0.15", "--noisy", "0.35", "--noise", "0.1",
           "--combinations", "0.2", "--empty", "0", "--constant", "0")


def run(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(n_features, folder):
    table = os.path.join(folder, "planted.npy")
    subprocess.run([SFG, "synth", "--samples", str(SAMPLES), "--features", str(n_features),
                    *PLANTED, "-o", table, "--force"], check=True, capture_output=True)
    repeat = "5" if n_features <= 20_000 else "1"
    bench = run([SFG, "bench", table, "--engines", "auto", "--repeat", repeat, "--thread-counts",
                 str(os.cpu_count()), "--json"])
    graph = run([SFG, "graph", table, "--json"])
    ssyrk, auto = bench["rows"]
    return {"features": n_features, "ssyrk": ssyrk["seconds"], "graph": auto["seconds"],
            "atoms": auto["mean_atoms"], "engine": auto["engine"],
            "peak": graph["peak_rss_bytes"] / 1e6, "table": 8e-6 * SAMPLES * n_features,
            "product": 4e-6 * n_features**2}


def draw(rows, path):
    plt.rcParams.update({"svg.hashsalt": "sfg", "font.size": 9})
    figure, (time, memory) = plt.subplots(1, 2, figsize=(9, 3.4))
    d = [row["features"] for row in rows]
    time.loglog(d, [row["graph"] for row in rows], "o-", color="#0072B2", label="sfg graph")
    time.loglog(d, [row["ssyrk"] for row in rows], "s--", color="#999999", label="cblas_ssyrk")
    time.set(xlabel="features", ylabel="seconds")
    memory.loglog(d, [row["peak"] for row in rows], "o-", color="#0072B2",
                  label="sfg graph, whole program")
    memory.loglog(d, [row["product"] for row in rows], "s--", color="#999999",
                  label="result of cblas_ssyrk")
    memory.loglog(d, [row["table"] for row in rows], ":", color="#000000", label="the table itself")
    memory.set(xlabel="features", ylabel="MB")
    for axes in (time, memory):
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        print("| features | ssyrk s | graph s | ratio | atoms | engine | peak MB |")
        print("|--:|--:|--:|--:|--:|---|--:|")
        for size in SIZES:
            row = measure(size, folder)
            rows.append(row)
            print(f"| {size:,} | {row['ssyrk']:.3f} | {row['graph']:.3f} | "
                  f"{row['graph'] / row['ssyrk']:.2f} | {row['atoms']:.2f} | {row['engine']} | "
                  f"{row['peak']:.0f} |", flush=True)
    if len(sys.argv) > 1:
        draw(rows, sys.argv[1])


if __name__ == "__main__":
    main()

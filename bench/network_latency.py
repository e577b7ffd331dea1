"""How latency of the network slows sfg-mpi down, on hosts made of namespaces, beside the scaling model.

    python3 bench/network_latency.py [RANKS ...]

One rank on each host, planted 40 x 900. Prints the seconds of the graph with each latency, and the latencies that
it waits for in a row: measured, as the slope of a line through them, and by the model of docs/SCALING.md. Other work on
the machine moves the line up, not its slope, as long as it is steady.
"""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "mpi"))
import hosts  # noqa: E402

SFG, SFG_MPI = (os.path.join(ROOT, "build", name) for name in ("sfg", "sfg-mpi"))
SAMPLES, FEATURES = 40, 900
LATENCIES = (0.0, 0.01, 0.02, 0.04)  # seconds, each way
CLAIM = 32


def graph(some_hosts, place, n_ranks, how):
    environment = dict(os.environ, SFG_HOSTS=place, TMPDIR=place, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = ["mpirun", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,tcp",
               "--mca", "plm_rsh_agent", hosts.AGENT, "--host", ",".join(some_hosts.names), "-n", str(n_ranks),
               SFG_MPI, "graph", os.path.join(place, "t.npy"), "--json", "--threads", "1", "--distribute", how]
    done = subprocess.run([*some_hosts.entering("h1"), "exec " + " ".join(command)], env=environment, check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def slope(points):
    """Of the line with the smallest squares."""
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def latencies_by_model(document, n_ranks, how):
    """Messages that wait for one another. A ring visit is a size and a message; a round begins with a sum over all
    ranks and the columns of its targets, and ends with those of the winners. A claim is a question and an answer."""
    ranks = document["ranks"]
    if how == "shared":
        return 2 * max(rank["claims"] for rank in ranks)
    return max(rank["rounds"] for rank in ranks) * 2 * n_ranks


def main():
    hosts.go_inside()
    print("| distribution | hosts | " + " | ".join(f"{1000 * one:.0f} ms" for one in LATENCIES) +
          " | latencies in a row | by the model |")
    print("|---|--:|" + "--:|" * (len(LATENCIES) + 2))
    for n_ranks in [int(word) for word in sys.argv[1:]] or [2, 4]:
        with tempfile.TemporaryDirectory() as place:
            some_hosts = hosts.Hosts(n_ranks, place)
            subprocess.run([SFG, "synth", "--samples", str(SAMPLES), "--features", str(FEATURES), "--seed", "3", "-o",
                            os.path.join(place, "t.npy")], check=True, capture_output=True)
            for how in ("shared", "ring"):
                points = []
                for latency in LATENCIES:
                    some_hosts.wire.delay = latency
                    document = graph(some_hosts, place, n_ranks, how)
                    points.append((latency, document["seconds"]["graph"]))
                print(f"| {how} | {n_ranks} | " + " | ".join(f"{seconds:.2f} s" for _, seconds in points) +
                      f" | {slope(points):.0f} | {latencies_by_model(document, n_ranks, how)} |", flush=True)
            some_hosts.close()


if __name__ == "__main__":
    main()

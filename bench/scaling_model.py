"""The scaling model of docs/SCALING.md for clusters that are not here: how long sfg-mpi takes.

    python3 bench/scaling_model.py

No measurement: the formulas with the figures below, and a simulation of ranks that claim targets
one range after the other. Prints the tables of the document.
"""

import heapq
import math
import random

# --- stated figures ------------------------------------------------------------------------------
CORES = 16  # of a rank
MULTIPLY_ADDS = 60e9  # a second and core, int8 screen on AVX2: half of the kernel's best (src/pursuit/plan.cpp)
SET_UP = 3e9  # entries a second and rank that are hashed, packed and looked at before the work
NETWORK = 10e9  # bytes a second and rank, each way (100 Gbit/s and its overhead)
LATENCY = 3e-6  # seconds of a message
COUNTER = 1e-6  # seconds that the counter needs for one claim; one after the other
TAKE_BLOCK = 20e-6  # seconds that the first rank needs to take in a block of 32 targets
READ = 1e9  # bytes a second from disk, at every rank
FILE_SYSTEM = 20e9  # bytes a second from disk, at all ranks together
NORMALISE = 2e9  # bytes a second and rank
BUILD = 0.5e-6  # seconds for each edge: graph and file
CLAIM = 32
UNDER_WAY = 96  # targets of a thread at most, and at least
FEWEST_UNDER_WAY = 12
SPREAD = 0.5  # standard deviation of a target's steps, as a share of their mean

STRAGGLERS = 0.5  # full rounds of the ring that the last targets cost, by mean number of atoms

RANKS = (16, 32, 64, 128, 256, 512, 1024)


def serial(d, t):
    """What the first rank does while the others wait: build the graph."""
    return BUILD * t * d


def reading(n, d, ranks):
    """Each rank its part; then the first one gets a hash and a kind of every feature."""
    return 8 * n * d / min(READ * ranks, FILE_SYSTEM) + 8 * n * d / ranks / NORMALISE + 9 * d / NETWORK


def exchange_parts(bytes_, ranks):
    """A broadcast of each part. Large ones scatter and gather: twice the bytes, whatever the number of ranks."""
    return 2 * bytes_ / NETWORK + ranks * math.ceil(math.log2(ranks)) * LATENCY


def claimed(seconds_per_target, d, ranks, seed=1):
    """End of the last rank when ranges of targets are claimed; simulated."""
    chance = random.Random(seed)
    free = [(0.0, rank) for rank in range(ranks)]
    heapq.heapify(free)
    counter_free = first_free = 0.0
    ends = [0.0] * ranks
    for begin in range(0, d, CLAIM):
        now, rank = heapq.heappop(free)
        counter_free = max(counter_free, now + LATENCY) + COUNTER
        size = min(CLAIM, d - begin)
        # The threads of a rank share a claim; the mean of many targets varies less.
        factor = max(0.1, chance.gauss(1, SPREAD / math.sqrt(size)))
        end = counter_free + LATENCY + size * seconds_per_target * factor / CORES
        first_free = max(first_free, end) + TAKE_BLOCK
        ends[rank] = end
        heapq.heappush(free, (end, rank))
    # When claims run out the threads have more or less of their targets left: half on average.
    under_way = min(UNDER_WAY, max(FEWEST_UNDER_WAY, d // (4 * ranks * CORES)))
    return max(max(ends), first_free) + under_way * seconds_per_target / 2


def shared(n, d, t, ranks):
    data = reading(n, d, ranks) + exchange_parts(8 * n * d, ranks) + n * d / SET_UP
    first = n * d * d / 2 / (ranks * CORES * MULTIPLY_ADDS)
    exchange = 2 * 4 * d / NETWORK + 24 * d / NETWORK + ranks * math.log2(ranks) * LATENCY
    rest = claimed((t - 1) * n * d / MULTIPLY_ADDS, d, ranks)
    total = serial(d, t) + data + first + exchange + rest
    return {"serial": serial(d, t), "data": data, "search": first + rest, "total": total,
            "memory": 8 * n * d + n * d + 240 * d, "moved": 8 * n * d + 28 * d}


def ring(n, d, t, ranks):
    under_way = min(4 * 96 * CORES, d // ranks)
    # In the last rounds, of targets with many atoms, most places are empty.
    rounds = d * t / (ranks * under_way) + STRAGGLERS * t
    message = under_way * (8 * n + 24 + 4 * (1 + t / 2))
    # Search and travel take turns; every visit waits for the slowest.
    visit = under_way * n * (d / ranks) / (CORES * MULTIPLY_ADDS) + message / NETWORK + 2 * LATENCY
    data = reading(n, d, ranks) + n * d / ranks / SET_UP + 17 * d / NETWORK
    total = serial(d, t) + data + rounds * ranks * visit
    return {"serial": serial(d, t), "data": data,
            "search": rounds * ranks * (visit - message / NETWORK),
            "travel": rounds * ranks * message / NETWORK, "total": total,
            "memory": 9 * n * d / ranks + 96 * n * under_way + 8 * d,
            "moved": d * t / ranks * ((ranks - 1) * (8 * n + 24 + 4 * (1 + t / 2)) + 24)}


def table(name, model, n, d, t):
    print(f"\n{name}: {n} x {d:,}, {t} atoms\n")
    columns = ["serial", "data", "search", "travel", "total"]
    columns = [key for key in columns if key in model(n, d, t, 16)]
    print("| ranks | cores | " + " | ".join(f"{key}, s" for key in columns) +
          " | efficiency | GB per rank | GB moved per rank |")
    print("|--:|--:|" + "--:|" * (len(columns) + 3))
    products = t if model is ring else t - 0.5
    for ranks in RANKS:
        row = model(n, d, t, ranks)
        ideal = products * n * d * d / (ranks * CORES * MULTIPLY_ADDS)
        print(f"| {ranks} | {ranks * CORES} | " +
              " | ".join(f"{row[key]:.3g}" for key in columns) +
              f" | {100 * ideal / row['total']:.0f} % | {row['memory'] / 1e9:.3g} | "
              f"{row['moved'] / 1e9:.3g} |")


def main():
    for n, t in ((300, 2), (3000, 10)):
        table("shared", shared, n, 1_000_000, t)
        table("ring", ring, n, 1_000_000, t)


if __name__ == "__main__":
    main()

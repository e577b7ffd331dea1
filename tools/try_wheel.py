"""What a person does first with the wheel: README's example, the checks of scikit-learn, and how long import takes."""

import subprocess
import sys

import numpy as np
import sklearn
from sklearn.utils.estimator_checks import check_estimator

from sfg import SparseFeatureGraph, read_table


# What the classes of sfg are made of comes first; then the time that sfg itself takes.
IMPORTS = """
import time, numpy, scipy.sparse, sklearn.base, sklearn.feature_selection
before = time.process_time()
import sfg
print(before, time.process_time() - before)
"""


def times_of_import():
    """Processor seconds of numpy, scipy and scikit-learn, and of sfg beyond them: the least of seven runs."""
    runs = []
    for _ in range(7):
        done = subprocess.run([sys.executable, "-c", IMPORTS], check=True, capture_output=True, text=True)
        runs.append([float(word) for word in done.stdout.split()])
    return [min(column) for column in zip(*runs)]


random = np.random.RandomState(0)
table = random.normal(size=(100, 3))
table = np.hstack([table, 10 * table[:, :1], table[:, :1] + table[:, 2:]])
selector = SparseFeatureGraph()
reduced = selector.fit_transform(table)
assert reduced.shape == (100, 3), reduced.shape
print(selector.verdict_)
print(selector.explain(3))
expected = np.load("/try/table.npy")
for name in ("csv", "csv.bz2", "csv.xz", "mat", "v73.mat", "h5ad"):
    np.testing.assert_array_equal(read_table(f"/try/table.{name}").data, expected)
print("read_table gives what numpy.load gives, from csv, csv.bz2, csv.xz, mat, v73.mat and h5ad")
check_estimator(SparseFeatureGraph())
print(f"check_estimator passed with scikit-learn {sklearn.__version__}, numpy {np.__version__}")
peers, own = times_of_import()
print(f"import sfg: {own:.3f} s of processor time beyond the {peers:.2f} s of numpy, scipy and scikit-learn")
assert own < 0.3

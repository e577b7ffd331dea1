"""What a person does first with the wheel: README's example, the checks of scikit-learn, and how long import takes."""

import os
import resource
import subprocess
import sys

import numpy as np
import sklearn
from sklearn.utils.estimator_checks import check_estimator

from sfg import SparseFeatureGraph, read_table


def processor_time_of(code):
    """The least of five runs, in seconds."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


random = np.random.RandomState(0)
table = random.normal(size=(100, 3))
table = np.hstack([table, 10 * table[:, :1], table[:, :1] + table[:, 2:]])
selector = SparseFeatureGraph()
reduced = selector.fit_transform(table)
assert reduced.shape == (100, 3), reduced.shape
print(selector.verdict_)
print(selector.explain(3))
for name in ("csv", "csv.xz", "npy", "mat", "h5ad"):
    values = read_table(f"/try/table.{name}")
    assert values is not None
print("read_table reads csv, csv.xz, npy, mat and h5ad")
check_estimator(SparseFeatureGraph())
print(f"check_estimator passed with scikit-learn {sklearn.__version__}, numpy {np.__version__}")
# What the classes of sfg are made of.
peers = "import numpy, scipy, sklearn.base, sklearn.feature_selection"
alone = processor_time_of(peers)
both = processor_time_of(f"{peers}; import sfg")
print(f"import sfg: {both - alone:.3f} s of processor time beyond the {alone:.2f} s of numpy, scipy and scikit-learn")

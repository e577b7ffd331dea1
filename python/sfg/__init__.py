"""sfg removes redundant features from wide data without labels.

`SparseFeatureGraph` is a scikit-learn selector: it keeps one feature of each group that stands for
each other, and says for every removed feature what replaces it and how well. `MCFS`, `FSASL`,
`LaplacianScore` and `SPEC` select features that follow the shape of the data;
`SpectralClustering` clusters samples; `sweep`, `compare`, `stability`, `nmi_score` and `accuracy_score` judge.
"""

from . import errors, pp
from ._cluster import SpectralClustering
from ._core import __version__
from ._explanation import Explanation
from ._functions import (
    Comparison,
    accuracy_score,
    compare,
    nmi_score,
    predictability,
    read_table,
    sweep,
)
from ._hierarchy import Hierarchy
from ._model import Drift, Model, load
from ._reduction import SparseFeatureGraph
from ._selectors import FSASL, MCFS, SPEC, LaplacianScore
from ._stability import Agreement, Stability, stability
from .errors import Error

__all__ = [
    "FSASL",
    "MCFS",
    "SPEC",
    "Agreement",
    "Comparison",
    "Drift",
    "Error",
    "Explanation",
    "Hierarchy",
    "LaplacianScore",
    "Model",
    "SparseFeatureGraph",
    "SpectralClustering",
    "Stability",
    "__version__",
    "accuracy_score",
    "compare",
    "errors",
    "load",
    "nmi_score",
    "pp",
    "predictability",
    "read_table",
    "stability",
    "sweep",
]

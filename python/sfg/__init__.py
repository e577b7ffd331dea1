"""sfg removes redundant features from wide data without labels.

`SparseFeatureGraph` is a scikit-learn selector: it keeps one feature of each group that stands for
each other, and says for every removed feature what replaces it and how well. `MCFS`, `FSASL`, `MRSF`,
`LaplacianScore`, `SPEC`, `SparsityScore` and `GRM` select features that follow the shape of the data,
`MRMR`, `FCBF` and `FAST` features that say most of the classes;
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
from ._selectors import (
    FAST,
    FCBF,
    FSASL,
    GRM,
    MCFS,
    MRMR,
    MRSF,
    SPEC,
    LaplacianScore,
    SparsityScore,
)
from ._stability import Agreement, Stability, stability
from .errors import Error

__all__ = [
    "FAST",
    "FCBF",
    "FSASL",
    "GRM",
    "MCFS",
    "MRMR",
    "MRSF",
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
    "SparsityScore",
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

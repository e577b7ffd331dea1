"""sfg removes redundant features from wide data without labels.

`SparseFeatureGraph` is a scikit-learn selector: it keeps one feature of each group that stands for
each other, and says for every removed feature what replaces it and how well. `MCFS`, `FSASL`, `MRSF`,
`LaplacianScore`, `SPEC`, `SparsityScore` and `GRM` select features that follow the shape of the data,
`MRMR`, `FCBF` and `FAST` features that say most of the classes;
`SpectralClustering` clusters samples; `sweep`, `compare`, `nmi_score` and `accuracy_score` judge.
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
    "Comparison",
    "Error",
    "Explanation",
    "Hierarchy",
    "LaplacianScore",
    "SparseFeatureGraph",
    "SparsityScore",
    "SpectralClustering",
    "__version__",
    "accuracy_score",
    "compare",
    "errors",
    "nmi_score",
    "pp",
    "predictability",
    "read_table",
    "sweep",
]

"""Functions beside the estimators: sweep, compare, scores, files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch, check_consistent_length

from . import _core, _data
from ._method import method_options, takes_gaps
from ._optional import floats, table
from ._parameters import fields_of, with_options
from ._reduction import SparseFeatureGraph
from ._run import estimator_run, progress_of, run_words
from .errors import InvalidOptionError

#: The paper's.
_THETAS = fields_of("sweep")[0]["default"]


def sweep(
    X: Any,
    thetas: Sequence[float] | None = None,
    *,
    grouping: str = "components",
    batch: Any = None,
    **parameters: Any,
) -> Any:
    """What every level would keep.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
        The data.
    thetas : sequence of float in (0, 1), default=0.9 .. 0.1
        Where to cut the paper's groups. Not with another grouping.
    grouping : {"components", "compact", "cover"}
        The paper's groups, or one that has an automatic level.
    batch : array of shape (n_samples,), default=None
        Which samples were measured together, as in `SparseFeatureGraph.fit`.
    **parameters
        Of `SparseFeatureGraph`, for example `center`, `max_angle`, `representative`, `n_jobs`.

    Returns
    -------
    DataFrame, or record array without pandas
        components: `theta`, `threshold` (the weight), `n_kept`, `largest_group`, `mean_r2` of removed
        features with the ones kept instead. compact and cover, from fine to coarse: `n_kept`,
        `overlap` (share of the samples' nearest that stay), `loss_ratio` (what the kept features leave
        unexplained of the others, over what all features leave), `r2loo_mean` (how well the kept predict
        the others), `good`, `chosen` (the level that `SparseFeatureGraph` takes).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sfg import sweep
    >>> levels = sweep(load_digits().data, thetas=[0.5, 0.1])
    >>> list(levels["n_kept"])
    [62, 54]
    """
    graph = SparseFeatureGraph(grouping=grouping, **parameters)
    gaps = takes_gaps(graph)
    data = _data.validate(graph, X, min_samples=2, min_features=2, allow_nan=gaps)
    given = _data.handed_over(data), _data.names_of(graph), _data.batches_of(data, batch)
    how = method_options(graph), estimator_run(graph), progress_of(graph.verbose)
    if grouping == "components":
        cuts = [float(theta) for theta in (_THETAS if thetas is None else thetas)]
        columns = _core.sweep(*given, cuts, *how)
        columns["mean_r2"] = floats(columns["mean_r2"])
        return table(columns)
    if thetas is not None:
        raise InvalidOptionError(f"thetas are of the paper's groups: leave them out with {grouping!r}")
    columns = _core.sweep_levels(*given, *how)
    for name in ("good", "chosen"):
        columns[name] = columns[name].astype(bool)
    return table(columns)


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    verdict : str
        Who is best in what, and what the default answer reaches beside all features.
    rows : DataFrame, or record array without pandas
        All features, the default answer, then one row per number of features and competitor: `rank`
        among those of the same number (0: none), `accuracy` (mean of 1-NN, 5-NN, linear), `nmi_mean`
        (of spectral clustering and k-means), and more; `reason` where a method was left out.
    differences : DataFrame, or record array without pandas
        One competitor minus another in one measure: mean over shares and its standard error.
    nmi_all, acc_all : float or None
        Of clustering by all features, with labels.
    """

    verdict: str
    rows: Any
    differences: Any
    nmi_all: float | None
    acc_all: float | None


def predictability(
    X: Any,
    *,
    missing: str = "refuse",
    batch: Any = None,
    n_jobs: int | None = None,
    random_state: int = 1,
    verbose: bool = False,
) -> np.ndarray:
    """How much of each feature the rest of the table knows.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
        The data.
    missing, batch
        As in `SparseFeatureGraph` and its `fit`.
    n_jobs : int or None
        Threads; None: all.
    random_state : int
        Chooses the samples of tables with more than 1,000 of them.
    verbose : bool
        Show progress.

    Returns
    -------
    array of shape (n_features,)
        R^2 of each feature from all the others (ridge regression) on samples left out one by one: near
        1 the others say it too, near 0 or below they know nothing of it.

    Examples
    --------
    >>> import numpy as np
    >>> from sfg import predictability
    >>> random = np.random.RandomState(0)
    >>> X = random.normal(size=(200, 3))
    >>> predictability(np.column_stack([X, X[:, 0] + X[:, 1]])).round(1).tolist()
    [1.0, 1.0, -0.0, 1.0]
    """
    graph = SparseFeatureGraph(
        missing=missing, n_jobs=n_jobs, random_state=random_state, verbose=verbose
    )
    gaps = takes_gaps(graph)
    data = _data.validate(graph, X, min_samples=3, min_features=2, allow_nan=gaps)
    batches = _data.batches_of(data, batch)
    run, progress = estimator_run(graph), progress_of(verbose)
    found = _core.predict(_data.handed_over(data), batches, run, progress)
    return found["r2"]


#: Columns of `Comparison.rows` that are not figures.
_WORDS = ("competitor", "share", "n_kept", "reached", "rank", "reason")


@with_options(fields_of("compare"))
def compare(
    X: Any,
    y: Any = None,
    *,
    options: dict[str, Any],
    n_jobs: int | None = None,
    memory_limit: float | str | None = None,
    random_state: int | np.random.RandomState | None = 1,
    verbose: bool = False,
) -> Comparison:
    """This reduction against others, at equal numbers of kept features.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,), default=None
        Known classes, for the accuracy of classifiers and for NMI and ACC of clusterings. Samples
        whose label is missing (None, NaN, "", "NA") are not judged.
    {parameters}
    n_jobs, memory_limit, random_state, verbose
        As in `SparseFeatureGraph`.

    Returns
    -------
    sfg.Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sfg import compare
    >>> result = compare(load_digits().data, shares=[0.25], methods=["compact", "variance"])
    >>> list(result.rows["competitor"])
    ['all', 'compact', 'variance']
    """
    data = _data.validate(BaseEstimator(), X, min_samples=2, min_features=2)
    labels = _data.labels_of(data, y)
    run = run_words(n_jobs, memory_limit, random_state)
    found = _core.compare(_data.handed_over(data), labels, options, run, progress_of(verbose))
    rows = {
        name: column if name in _WORDS else floats(column) for name, column in found["rows"].items()
    }
    return Comparison(
        found["verdict"],
        table(rows),
        table(found["differences"]),
        found["nmi_all"],
        found["acc_all"],
    )


def _scores(labels_true: Any, labels_pred: Any) -> tuple[float, float]:
    a, b = _data.label_column(labels_true), _data.label_column(labels_pred)
    check_consistent_length(a, b)
    unknown = _data.missing_labels(a) | _data.missing_labels(b)
    if unknown.any():
        warnings.warn(
            f"{unknown.sum()} samples without a label on one side or both are left out of the scores",
            UserWarning,
            stacklevel=3,
        )
        a, b = a[~unknown], b[~unknown]
    numbers = [np.unique(labels, return_inverse=True)[1] for labels in (a, b)]
    return _core.score(*numbers)


def nmi_score(labels_true: Any, labels_pred: Any) -> float:
    """Normalised mutual information of two labelings, I / max(H, H).

    The same as scikit-learn's `normalized_mutual_info_score` with ``average_method="max"``.

    Parameters
    ----------
    labels_true, labels_pred : array of shape (n_samples,)
        Labels of any kind; only which samples share one matters.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> from sfg import nmi_score
    >>> nmi_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    return _scores(labels_true, labels_pred)[0]


def accuracy_score(labels_true: Any, labels_pred: Any) -> float:
    """Clustering accuracy: matches under the best one-to-one mapping of labels.

    Not scikit-learn's function of that name, which compares the labels themselves.

    Parameters
    ----------
    labels_true, labels_pred : array of shape (n_samples,)
        Labels of any kind; only which samples share one matters.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> from sfg import accuracy_score
    >>> accuracy_score([0, 0, 1, 1], [5, 5, 5, 3])
    0.75
    """
    return _scores(labels_true, labels_pred)[1]


@with_options(fields_of("read"))
def read_table(
    path: str | os.PathLike[str],
    *,
    options: dict[str, Any],
    memory_limit: float | str | None = None,
) -> Bunch:
    """Read a data file as the command line does.

    Parameters
    ----------
    path : str or path
        CSV, TSV, NPY, MAT, Matrix Market, svmlight or h5ad, also packed (gzip, bzip2, xz, zstd, lz4,
        zip).
    {parameters}
    memory_limit : int or str, default=None
        Most memory to plan with.

    Returns
    -------
    sklearn.utils.Bunch
        `data` (float64 array in Fortran order, or csc_matrix), `target` (array of str, or None),
        `feature_names`, `sample_names` (list, may be empty), `texts` (columns that are not
        numbers, by name), `notes` (what was assumed about the file). Missing values are NaN.
    """
    if options.get("na_values") is not None:
        options = options | {"na_values": [str(value) for value in options["na_values"]]}
    found = _core.read(os.fspath(path), options, run_words(memory_limit=memory_limit))
    data = found["data"]
    if isinstance(data, tuple):
        data = sp.csc_matrix(data[:3], shape=data[3])
    return Bunch(
        data=data,
        target=None if found["labels"] is None else np.asarray(found["labels"]),
        feature_names=found["feature_names"],
        sample_names=found["sample_names"],
        texts=found["texts"],
        notes=found["notes"],
    )

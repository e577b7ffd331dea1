"""Selectors that rank features by the shape of the data, or by what they say of the classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _core, _data
from ._parameters import PRESET, fields_of, with_parameters
from ._run import estimator_run, progress_of
from ._selector import FeatureSelector, wanted_features
from .errors import InvalidOptionError

#: Outcomes that a user should know about.
_DOUBTFUL = {
    "eigenmap-inexact": "the eigenvectors are not as exact as they should be",
    "path-incomplete": "a regression path ended early among ties",
    "reached-max-rounds": "the rounds ended before the answer was exact (FSASL: raise max_iter)",
    "few-features": "fewer features than asked for are neither redundant nor irrelevant: all are kept",
    "stalled": "a round lost too many digits to lower the objective",
}


#: The first parameter of every selector.
N_FEATURES = {
    "name": "n_features",
    "type": "int or float",
    "default": None,
    "help": "How many features, or what share of them, to select; None is half.",
}


class _ScoreSelector(FeatureSelector):
    """Scores all features and keeps the best. Subclasses name their method and its parameters."""

    _method = ""
    #: What n_features=None means: half of the features, or as many as the method keeps.
    _has_own_size = False
    _min_samples = 3

    def _needs_labels(self) -> bool:
        return False

    def _labels(self, data: Any, y: Any) -> list[str] | None:
        if not self._needs_labels():
            return None
        if y is None:
            raise InvalidOptionError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: fit(X, y)"
            )
        return _data.labels_of(data, y)

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return super()._more_tags() | {"requires_y": self._needs_labels()}

    def __sklearn_tags__(self) -> Any:  # since scikit-learn 1.6
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels()
        return tags

    def _options(self) -> dict[str, Any]:
        preset = getattr(self, "preset", None)
        if preset not in (None, "paper"):
            raise InvalidOptionError(f"preset={preset!r} is unknown: 'paper' or None")
        if preset == "paper":
            return {"paper": True}
        names = [field["name"] for field in self._fields if field["name"] not in ("n_features", "preset")]
        return {"paper": False} | {name: getattr(self, name) for name in names}

    def fit(self, X: Any, y: Any = None) -> Any:
        """Score the features of X.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
            The data; features are scaled to unit length.
        y : array of shape (n_samples,) or None
            Classes, or numbers; looked at by selectors that need them only.

        Returns
        -------
        object
            Itself.
        """
        data = _data.validate(self, X, min_samples=self._min_samples, min_features=2)
        sizes = []
        if self.n_features is not None or not self._has_own_size:
            sizes = [wanted_features(self.n_features, self.n_features_in_)]
        options = self._options() | {"method": self._method, "sizes": sizes}
        found = _core.select(
            _data.handed_over(data),
            self._labels(data, y),
            options,
            estimator_run(self),
            progress_of(self.verbose),
        )
        self.selected_ = found["features"]
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.selected_] = True
        self.scores_ = found["scores"]
        self.status_ = found["status"]
        self.n_neighbors_ = found["n_neighbors"]
        if self._has_own_size:
            self.removed_ = {name: np.asarray(column) for name, column in found["removed"].items()}
        if len(found["objective"]) > 0:
            self.objective_ = found["objective"]
            self.n_iter_ = len(self.objective_)
        if self.status_ in _DOUBTFUL:
            warnings.warn(f"{type(self).__name__}: {_DOUBTFUL[self.status_]}", ConvergenceWarning)
        return self


@with_parameters([N_FEATURES, *fields_of("select", ("n_neighbors", "n_responses", "ridge"), n_neighbors=5), PRESET])
class MCFS(_ScoreSelector):
    """Multi-cluster feature selection (Cai, Zhang, He 2010).

    Eigenvectors of a graph of the samples are regressed on the features (lasso path by LARS); the
    score of a feature is its largest coefficient.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_ : array of int
        The selected features, best first.
    scores_ : array of shape (n_features_in_,)
        The larger the better.
    support_ : array of bool
        Which features are selected.
    status_ : str
        "done", or what the result suffers from.
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sfg import MCFS
    >>> X = load_digits().data
    >>> MCFS(n_features=10).fit_transform(X).shape
    (1797, 10)
    """

    _method = "mcfs"


@with_parameters([N_FEATURES, *fields_of("select", ("n_neighbors", "n_responses", "alpha", "beta", "gamma", "max_iter", "tol"), n_neighbors=5)])
class FSASL(_ScoreSelector):
    """Feature selection with adaptive structure learning (Du, Shen 2015).

    The graph of the samples and the features that follow it are learned together, in rounds. Slow
    for many samples (memory and time grow with their square and cube).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, scores_, support_, status_
        As in `MCFS`.
    objective_ : array
        After each round, never rising.
    n_iter_ : int
        Rounds.
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import FSASL
    >>> FSASL(n_features=2, n_responses=2).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _method = "fsasl"


@with_parameters([N_FEATURES, *fields_of("select", ("n_neighbors",), n_neighbors=5)])
class LaplacianScore(_ScoreSelector):
    """Laplacian score (He, Cai, Niyogi 2005): similar samples have similar values.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, support_, status_
        As in `MCFS`.
    scores_ : array of shape (n_features_in_,)
        The smaller the better; infinite for features that do not vary.
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import LaplacianScore
    >>> LaplacianScore(n_features=2).fit(load_iris().data).get_support(indices=True)
    array([2, 3])
    """

    _method = "laplacian"


@with_parameters([N_FEATURES, *fields_of("select", ("n_neighbors", "spec_ranking"), n_neighbors=0)])
class SPEC(LaplacianScore):
    """Spectral feature selection (Zhao, Liu 2007), by its second ranking function.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, scores_, support_, status_
        As in `LaplacianScore`.
    {inputs}
    """

    _method = "spec"



_GRAPH = ("n_neighbors", "n_responses")


@with_parameters([N_FEATURES, *fields_of("select", (*_GRAPH, "spectral_targets"), n_neighbors=5)])
class MRSF(_ScoreSelector):
    """Minimum redundancy spectral feature selection (Zhao, Wang, Liu 2010).

    All eigenvectors of a graph of the samples (or the classes) are regressed on the features at once,
    with a penalty on the length of each feature's row of coefficients.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, scores_, support_, status_
        As in `MCFS`; the score is the length of the row.
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import MRSF
    >>> MRSF(n_features=2, n_responses=2).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _method = "mrsf"

    def _needs_labels(self) -> bool:
        return self.spectral_targets == "labels"


@with_parameters([N_FEATURES, *fields_of("select", ("base_method", "redundancy_weight", *_GRAPH))])
class GRM(_ScoreSelector):
    """Global redundancy minimisation of another method's scores (Wang, Nie, Huang 2015).

    Weights on the simplex trade the scores, scaled to [0, 1], against squared cosines of all pairs.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, scores_, support_, status_
        As in `MCFS`; the score is the weight, and below zero what a feature lacks to have one.
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import GRM
    >>> GRM(n_features=2).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _method = "grm"

    def _needs_labels(self) -> bool:
        return self.base_method == "fcbf"


@with_parameters([N_FEATURES, *fields_of("select", ("sparsity",))])
class SparsityScore(LaplacianScore):
    """Sparsity score (Liu, Zhang 2012): samples are sums of few others, feature by feature.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, scores_, support_, status_
        As in `LaplacianScore`.
    {inputs}
    """

    _method = "sparsity"


class _LabelledSelector(_ScoreSelector):
    _min_samples = 5

    def _needs_labels(self) -> bool:
        return True


@with_parameters([N_FEATURES, *fields_of("select", ("mrmr_scheme", "n_bins", "quotient_floor"))])
class MRMR(_LabelledSelector):
    """Minimum redundancy, maximum relevance (Peng, Long, Ding 2005).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_ : array of int
        The features in the order in which they were picked.
    scores_ : array of shape (n_features_in_,)
        What each pick reached; minus infinity for features that were not picked.
    support_, status_
        As in `MCFS`.
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import MRMR
    >>> X, y = load_iris(return_X_y=True)
    >>> MRMR(n_features=2).fit_transform(X, y).shape
    (150, 2)
    """

    _method = "mrmr"


@with_parameters([N_FEATURES | {"help": "How many features, or what share of them, to select at most; None is all "
                               "that the method keeps."}, *fields_of("select", ("min_relevance", "n_bins"))])
class FCBF(_LabelledSelector):
    """Fast correlation-based filter (Yu, Liu 2004): a feature goes if a better one says as much of it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, support_, status_
        As in `MCFS`.
    scores_ : array of shape (n_features_in_,)
        Symmetric uncertainty with the classes.
    removed_ : dict of arrays
        The features left out (`feature`), for which other one (`by`, -1: not relevant), the symmetric
        uncertainty of the two (`between`) and with the classes (`relevance`).
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import FCBF
    >>> X, y = load_iris(return_X_y=True)
    >>> FCBF().fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    _method = "fcbf"
    _has_own_size = True


@with_parameters([FCBF._fields[0], *fields_of("select", ("min_relevance", "n_bins"))])
class FAST(FCBF):
    """Clusters of a minimum spanning tree (Song, Ni, Wang 2013), the best feature of each.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    selected_, scores_, support_, status_, removed_
        As in `FCBF`; `by` is the feature that its cluster keeps.
    {inputs}
    """

    _method = "fast"

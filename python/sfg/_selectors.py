"""Selectors that rank features by how well they follow the shape of the data."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _core, _data
from ._run import estimator_run, progress_of
from ._selector import FeatureSelector, wanted_features
from .errors import InvalidOptionError

#: Outcomes that a user should know about.
_DOUBTFUL = {
    "eigenmap-inexact": "the eigenvectors are not as exact as they should be",
    "path-incomplete": "a regression path ended early among ties",
    "reached-max-rounds": "the objective still falls: raise max_iter",
    "stalled": "a round lost too many digits to lower the objective",
}


class _ScoreSelector(FeatureSelector):
    """Scores all features and keeps the best. Subclasses name their method and its parameters."""

    _method = ""

    def _words(self) -> dict[str, Any]:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Any:
        """Score the features of X.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
            The data; features are scaled to unit length.
        y : None
            Ignored.

        Returns
        -------
        object
            Itself.
        """
        data = _data.validate(self, X, min_samples=3, min_features=2)
        n_features = wanted_features(self.n_features, self.n_features_in_)
        words = {"method": self._method, "paper": False, "n_features": n_features} | self._words()
        found = _core.select(
            _data.handed_over(data), words, estimator_run(self), progress_of(self.verbose)
        )
        self.selected_ = found["features"]
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.selected_] = True
        self.scores_ = found["scores"]
        self.status_ = found["status"]
        self.n_neighbors_ = found["n_neighbors"]
        if len(found["objective"]) > 0:
            self.objective_ = found["objective"]
            self.n_iter_ = len(self.objective_)
        if self.status_ in _DOUBTFUL:
            warnings.warn(f"{type(self).__name__}: {_DOUBTFUL[self.status_]}", ConvergenceWarning)
        return self


class MCFS(_ScoreSelector):
    """Multi-cluster feature selection (Cai, Zhang, He 2010).

    Eigenvectors of a graph of the samples are regressed on the features (lasso path by LARS); the
    score of a feature is its largest coefficient.

    Parameters
    ----------
    n_features : int or float, default=None
        How many features, or what share of them, to select; None is half.
    n_neighbors : int, default=5
        Nearest neighbours of each sample in the graph; 0: all samples.
    n_responses : int, default=5
        Eigenvectors; the textbook takes the number of clusters.
    ridge : float, default=0.0
        Weight of the squared coefficients.
    preset : {"paper"}, default=None
        Every convention of the paper's experiments: 5 neighbours, 5 responses, ridge 0.001,
        coefficients of unit length, ties one by one. The three parameters above are not used then.
    n_jobs, memory_limit, random_state, verbose
        As in `SparseFeatureGraph`.

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
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sfg import MCFS
    >>> X = load_digits().data
    >>> MCFS(n_features=10).fit_transform(X).shape
    (1797, 10)
    """

    _method = "mcfs"

    def __init__(
        self,
        n_features: float | None = None,
        *,
        n_neighbors: int = 5,
        n_responses: int = 5,
        ridge: float = 0.0,
        preset: str | None = None,
        n_jobs: int | None = None,
        memory_limit: float | str | None = None,
        random_state: int | np.random.RandomState | None = 1,
        verbose: bool | Callable[[str, float, float], None] = False,
    ) -> None:
        self.n_features = n_features
        self.n_neighbors = n_neighbors
        self.n_responses = n_responses
        self.ridge = ridge
        self.preset = preset
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.verbose = verbose

    def _words(self) -> dict[str, Any]:
        if self.preset == "paper":
            return {"paper": True}
        if self.preset is not None:
            raise InvalidOptionError(f"preset={self.preset!r} is unknown: 'paper' or None")
        return {
            "n_neighbors": self.n_neighbors,
            "n_responses": self.n_responses,
            "ridge": self.ridge,
        }


class FSASL(_ScoreSelector):
    """Feature selection with adaptive structure learning (Du, Shen 2015).

    The graph of the samples and the features that follow it are learned together, in rounds. Slow
    for many samples (memory and time grow with their square and cube).

    Parameters
    ----------
    n_features : int or float, default=None
        How many features, or what share of them, to select; None is half.
    n_neighbors : int, default=5
        Nearest neighbours of each sample.
    n_responses : int, default=5
        Dimensions that the samples are projected to.
    alpha, beta, gamma : float, default=0.1, 1.0, 0.1
        Sparsity of the global structure, weight of the local one, sparsity of the features; as
        shares of their natural size.
    max_iter : int, default=30
        Most rounds.
    tol : float, default=1e-3
        The rounds end when the objective falls by a smaller share.
    n_jobs, memory_limit, random_state, verbose
        As in `SparseFeatureGraph`.

    Attributes
    ----------
    selected_, scores_, support_, status_
        As in `MCFS`.
    objective_ : array
        After each round, never rising.
    n_iter_ : int
        Rounds.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import FSASL
    >>> FSASL(n_features=2, n_responses=2).fit_transform(load_iris().data).shape
    (150, 2)
    """

    _method = "fsasl"

    def __init__(
        self,
        n_features: float | None = None,
        *,
        n_neighbors: int = 5,
        n_responses: int = 5,
        alpha: float = 0.1,
        beta: float = 1.0,
        gamma: float = 0.1,
        max_iter: int = 30,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        memory_limit: float | str | None = None,
        random_state: int | np.random.RandomState | None = 1,
        verbose: bool | Callable[[str, float, float], None] = False,
    ) -> None:
        self.n_features = n_features
        self.n_neighbors = n_neighbors
        self.n_responses = n_responses
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.verbose = verbose

    def _words(self) -> dict[str, Any]:
        names = ("n_neighbors", "n_responses", "alpha", "beta", "gamma", "max_iter", "tol")
        return {name: getattr(self, name) for name in names}


class LaplacianScore(_ScoreSelector):
    """Laplacian score (He, Cai, Niyogi 2005): similar samples have similar values.

    Parameters
    ----------
    n_features : int or float, default=None
        How many features, or what share of them, to select; None is half.
    n_neighbors : int, default=5
        Nearest neighbours of each sample in the graph; 0: all samples.
    n_jobs, memory_limit, random_state, verbose
        As in `SparseFeatureGraph`.

    Attributes
    ----------
    selected_, support_, status_
        As in `MCFS`.
    scores_ : array of shape (n_features_in_,)
        The smaller the better; infinite for features that do not vary.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfg import LaplacianScore
    >>> LaplacianScore(n_features=2).fit(load_iris().data).get_support(indices=True)
    array([2, 3])
    """

    _method = "laplacian"

    def __init__(
        self,
        n_features: float | None = None,
        *,
        n_neighbors: int = 5,
        n_jobs: int | None = None,
        memory_limit: float | str | None = None,
        random_state: int | np.random.RandomState | None = 1,
        verbose: bool | Callable[[str, float, float], None] = False,
    ) -> None:
        self.n_features = n_features
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.verbose = verbose

    def _words(self) -> dict[str, Any]:
        return {"n_neighbors": self.n_neighbors}


class SPEC(LaplacianScore):
    """Spectral feature selection (Zhao, Liu 2007), by its second ranking function.

    Parameters
    ----------
    n_features : int or float, default=None
        How many features, or what share of them, to select; None is half.
    n_neighbors : int, default=0
        Nearest neighbours of each sample in the graph; 0: all samples.
    n_jobs, memory_limit, random_state, verbose
        As in `SparseFeatureGraph`.

    Attributes
    ----------
    selected_, scores_, support_, status_
        As in `LaplacianScore`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    _method = "spec"

    def __init__(
        self,
        n_features: float | None = None,
        *,
        n_neighbors: int = 0,
        n_jobs: int | None = None,
        memory_limit: float | str | None = None,
        random_state: int | np.random.RandomState | None = 1,
        verbose: bool | Callable[[str, float, float], None] = False,
    ) -> None:
        super().__init__(
            n_features,
            n_neighbors=n_neighbors,
            n_jobs=n_jobs,
            memory_limit=memory_limit,
            random_state=random_state,
            verbose=verbose,
        )

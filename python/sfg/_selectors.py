"""Selectors that rank features by how well they follow the shape of the data."""

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
    "reached-max-rounds": "the objective still falls: raise max_iter",
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
        y : None
            Ignored.

        Returns
        -------
        object
            Itself.
        """
        data = _data.validate(self, X, min_samples=3, min_features=2)
        n_features = wanted_features(self.n_features, self.n_features_in_)
        options = self._options() | {"method": self._method, "sizes": [n_features]}
        found = _core.select(
            _data.handed_over(data), options, estimator_run(self), progress_of(self.verbose)
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


"""Spectral clustering of samples."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from . import _core, _data
from ._parameters import PRESET, fields_of, with_parameters
from ._run import estimator_run, progress_of
from ._selector import SparseInputMixin
from .errors import InvalidOptionError


#: Options of the library that the estimator has, with the estimator's own defaults.
_FIELDS = ("n_clusters", "affinity", "n_neighbors", "scale", "n_init", "max_iter")
_DEFAULTS = {"n_clusters": 8, "affinity": None, "n_neighbors": None}


@with_parameters([*fields_of("cluster", _FIELDS, **_DEFAULTS), PRESET])
class SpectralClustering(SparseInputMixin, ClusterMixin, BaseEstimator):
    """Cluster samples as Ng, Jordan and Weiss do: affinities, eigenvectors, k-means.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The cluster of each sample, numbered by first appearance.
    embedding_ : array of shape (n_samples, n_vectors)
        The points that k-means saw.
    eigenvalues_ : array
        Of the vectors in it.
    inertia_, n_iter_
        Objective and iterations of the best start.
    {inputs}

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sfg import SpectralClustering, accuracy_score
    >>> X, y = make_blobs(centers=3, n_features=5, random_state=0)
    >>> labels = SpectralClustering(n_clusters=3).fit_predict(X)
    >>> accuracy_score(y, labels)
    1.0
    """

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Cluster the samples of X.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
            The data.
        y : None
            Ignored.

        Returns
        -------
        SpectralClustering
            Itself.
        """
        options = self._options()
        data = _data.validate(self, X, min_samples=2)
        found = _core.cluster(
            _data.handed_over(data), options, estimator_run(self), progress_of(self.verbose)
        )
        self.labels_ = found["labels"]
        self.embedding_ = found["embedding"]
        self.eigenvalues_ = found["eigenvalues"]
        self.inertia_ = found["objective"]
        self.n_iter_ = found["n_iter"]
        self._warn(found)
        return self

    def _options(self) -> dict[str, Any]:
        if self.preset not in (None, "paper"):
            raise InvalidOptionError(f"preset={self.preset!r} is unknown: 'paper' or None")
        options = {"paper": self.preset == "paper"} | {name: getattr(self, name) for name in _FIELDS}
        if self.scale is None:  # as "none": nothing is done to X
            options["scale"] = "none"
        return options

    def _warn(self, found: dict[str, Any]) -> None:
        if not found["eigen_converged"]:
            warnings.warn(
                f"the eigen-solver did not converge (residual {found['eigen_residual']:.1e}): "
                "clusters may be poor",
                ConvergenceWarning,
            )
        if found["n_clusters"] < self.n_clusters:
            warnings.warn(
                f"only {found['n_clusters']} clusters instead of {self.n_clusters}: there are no "
                "more different samples",
                ConvergenceWarning,
            )

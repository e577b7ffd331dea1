"""What all selectors of sfg have in common."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from . import _core, _data
from .errors import InvalidOptionError


class SparseInputMixin:
    """Tells scikit-learn, old and new, that sparse matrices are welcome."""

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"X_types": ["2darray", "sparse"]}

    def __sklearn_tags__(self) -> Any:  # since scikit-learn 1.6
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class FeatureSelector(SparseInputMixin, SelectorMixin, BaseEstimator):
    """A selector that also takes Arrow tables. Subclasses set `support_`."""

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Keep the selected features of X.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
            Data with the features that `fit` saw.

        Returns
        -------
        array, sparse matrix or DataFrame of shape (n_samples, n_selected_features)
            What `set_output` asks for, an array of the input's dtype by default.
        """
        if not _data.is_arrow(X):
            return super().transform(X)
        check_is_fitted(self)
        values, names = _data.from_arrow(X)
        _data.check_arrow_names(self, names)
        with warnings.catch_warnings():  # the names were compared above
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            return super().transform(values)


def feature_indices(features: Any, estimator: Any, parameter: str) -> list[int] | None:
    """Numbers of features given by name, by number or as a mask."""
    if features is None:
        return None
    given = np.asarray(features)
    if given.dtype == bool:
        if given.shape != (estimator.n_features_in_,):
            raise InvalidOptionError(
                f"{parameter} is a mask of {given.size} for {estimator.n_features_in_} features"
            )
        return np.flatnonzero(given).tolist()
    places = {name: place for place, name in enumerate(_data.names_of(estimator))}
    indices = []
    for feature in given.ravel().tolist():
        index = places.get(feature) if isinstance(feature, str) else feature
        if not isinstance(index, int) or not 0 <= index < estimator.n_features_in_:
            raise InvalidOptionError(f"{parameter}: there is no feature {feature!r} in X")
        indices.append(index)
    return indices


def feature_numbers(numbers: Any, estimator: Any, parameter: str) -> list[float]:
    """One number per feature, given so or by name; NaN for features that are not named."""
    n_features = estimator.n_features_in_
    if isinstance(numbers, Mapping):
        values = np.full(n_features, np.nan)
        values[feature_indices(list(numbers), estimator, parameter)] = list(numbers.values())
        return values.tolist()
    values = np.asarray(numbers, dtype=float)
    if values.shape != (n_features,):
        raise InvalidOptionError(f"{parameter} has the shape {values.shape} for {n_features} features")
    return values.tolist()


def feature_positions(positions: Any, estimator: Any, parameter: str) -> tuple[list[int], list[float]]:
    """Chromosome and position of every feature: out of a file, by name, or in the order of the columns;
    a position alone, or a pair of both."""
    n_features = estimator.n_features_in_
    if isinstance(positions, (str, os.PathLike)):
        return _core.read_positions(os.fspath(positions), list(_data.names_of(estimator)))
    if isinstance(positions, Mapping):
        indices = feature_indices(list(positions), estimator, parameter)
        by_feature = dict(zip(indices, positions.values()))
        missing = [name for i, name in enumerate(_data.names_of(estimator)) if i not in by_feature]
        if missing:
            raise InvalidOptionError(f"{parameter}: no position of {', '.join(map(repr, missing[:3]))}")
        given = [by_feature[i] for i in range(n_features)]
    else:
        given = list(positions)
    if len(given) != n_features:
        raise InvalidOptionError(f"{parameter} are {len(given)} for {n_features} features")
    pairs = [(0, one) if np.ndim(one) == 0 else tuple(one) for one in given]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidOptionError(f"{parameter} must be positions, or pairs of chromosome and position")
    numbers: dict[Any, int] = {}
    chromosomes = [numbers.setdefault(chromosome, len(numbers)) for chromosome, _ in pairs]
    return chromosomes, [float(position) for _, position in pairs]


def wanted_features(n_features: float | None, available: int) -> int:
    """A number of features out of a number, a share, or None for half of them."""
    if n_features is None:
        return max(1, available // 2)
    is_share = isinstance(n_features, (float, np.floating))
    number = int(round(n_features * available)) if is_share else n_features
    if is_share and not 0 < n_features <= 1:
        raise InvalidOptionError(f"n_features={n_features} is no share: it must be in (0, 1]")
    if not 1 <= max(number, int(is_share)) <= available:
        raise InvalidOptionError(f"n_features={n_features} is impossible: X has {available} features")
    return max(1, number)

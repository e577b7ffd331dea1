"""Model files, which the command line reads and writes too, and what they say of new data."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from . import _core, _data
from ._explaining import Explaining
from ._run import run_words
from .errors import InconsistentInputError, InvalidOptionError


@dataclass(frozen=True)
class Drift:
    """Which relations of a model new data break. `print()` it for a text.

    Attributes
    ----------
    n_rows : int
        Samples that were looked at.
    n_relations, n_checked : int
        Relations that the model knows, and those of which all features are there.
    unchecked : str or None
        Why no relation could be checked, if that is so.
    broken : list of dict
        `feature`, `index`, `relation` (a text), `kind` ("exact" or "predicted"), `n_rows` (without
        gaps), `n_broken`, `first_rows`, `worst_row` (names, or numbers from 1, as texts), `largest`
        (deviation there, in units of the data) and `limit`.
    shifted : list of dict
        Kept features that are elsewhere: `feature`, `index`, `n_rows`, `n_outside` (rows outside of
        what the model saw), `mean`, `shift` (of the mean, in standard deviations).
    suspects : list of dict
        `features` that would explain `n_broken` of the broken relations, each of them alone.
    """

    n_rows: int
    n_relations: int
    n_checked: int
    unchecked: str | None = None
    broken: list[dict[str, Any]] = field(default_factory=list)
    shifted: list[dict[str, Any]] = field(default_factory=list)
    suspects: list[dict[str, Any]] = field(default_factory=list)
    _lines: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        return "\n".join(self._lines)


def _is_frame(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns")


def _numbers(X: Any) -> Any:
    """float64 as `_core` takes it; gaps stay."""
    if sp.issparse(X):
        _data.refuse_broken(X)
        return _data.handed_over(_data.canonical(sp.csc_matrix(X, dtype=np.float64)))
    X = np.asfortranarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise InconsistentInputError(f"X has {X.ndim} dimensions: give samples x features")
    return _data.handed_over(X)


def _new_data(X: Any, known: list[str] | None) -> tuple[Any, list[str] | None]:
    """Values and names. Of named tables the features that the model knows, where it has names too."""
    if _data.is_arrow(X):
        values, names = _data.from_arrow(X)
        return _data.handed_over(values), names
    if not _is_frame(X):
        return _numbers(X), None
    _data.refuse_broken(X)
    names = [str(name) for name in X.columns]
    if known is not None:
        wanted = set(known)
        places = [place for place, name in enumerate(names) if name in wanted]
        X, names = X.iloc[:, places], [names[place] for place in places]
    _data.refuse_texts(X)
    values = np.empty(X.shape, order="F")
    for place in range(X.shape[1]):  # pandas.NA becomes NaN
        values[:, place] = X.iloc[:, place].to_numpy(dtype=np.float64, na_value=np.nan)
    return values, names


def _row_names(X: Any) -> list[str]:
    """Of a table whose rows are not just counted."""
    if not _is_frame(X) or type(X.index).__name__ == "RangeIndex":
        return []
    return [str(name) for name in X.index]


class ModelFile:
    """What has a model (`_model`, of `_core`) can be saved, and compared with new data."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that `sfg apply`, `sfg explain` and `sfg.load` read.

        Parameters
        ----------
        path : str or path
            The file, by habit `*.model.json`. An existing one is replaced.
        """
        self._known_model().save(os.fspath(path))

    def check_drift(self, X: Any) -> Drift:
        """Say which relations between features no longer hold in new data.

        Exact equations, copies, and predictions with a held-out R2 of at least 0.8 are checked where
        all of their features are in X. Data like those that the model was made from raise an alarm
        in one of ten thousand tables.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
            New data, with the removed features. Matched by name where both sides have names, in any
            order; features may be missing. Rows with NaN do not count where the NaN is.

        Returns
        -------
        sfg.Drift
            Fields to work with; `print()` makes a text of it.
        """
        model = self._known_model()
        values, names = _new_data(X, self._model_names())
        document, lines = model.drift(values, names, _row_names(X), run_words())
        return Drift(**json.loads(document), _lines=tuple(lines))

    def _known_model(self) -> Any:
        check_is_fitted(self)
        model = getattr(self, "_model", None)
        if model is None:
            raise InvalidOptionError(
                f"this {type(self).__name__} was pickled by an earlier version, without its model: fit it again"
            )
        return model

    def _model_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]


class Model(ModelFile, Explaining):
    """A reduction that was saved, by the command line or by `SparseFeatureGraph.save`.

    `sfg.load(path)` makes one.

    Attributes
    ----------
    feature_names : list of str
        Of the data that it was made from; "f0", "f1", ... or "x0", "x1", ... where they had none.
    kept : list of str
        Names of the kept features.
    kept_, support_, groups_, labels_, representatives_
        As in `SparseFeatureGraph`.
    description, transformation, missing : str
        How it was made: in words, on which scale, and what was done about missing values ("refuse":
        nothing).
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        found = model.reduction()
        self.feature_names: list[str] = found["feature_names"]
        self._has_names: bool = found["has_names"]
        self.n_features_in_ = len(self.feature_names)
        self.feature_names_in_ = np.asarray(self.feature_names, dtype=object)
        self.kept_ = found["kept"]
        self.kept = [self.feature_names[feature] for feature in self.kept_]
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.kept_] = True
        self.description: str = found["description"]
        self.transformation: str = found["transformation"]
        self.missing: str = found["missing"]
        self._take_reasons(found)

    def __repr__(self) -> str:
        return f"<sfg.Model: {len(self.kept)} of {self.n_features_in_} features kept>"

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any = None, y: Any = None) -> Model:
        """Does nothing: a model is fitted. scikit-learn's pipelines call it.

        Parameters
        ----------
        X, y
            Not looked at.

        Returns
        -------
        Model
            Itself.
        """
        return self

    def transform(self, X: Any, *, missing: str | None = None) -> Any:
        """Keep the model's features of X, as `sfg apply` does.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
            Matched by name where both sides have names, in any order, and further features are left
            out; else as many features as the model has, in its order.
        missing : {"mean", "median", "refuse"}, default=None
            What becomes of missing values: those of the data that the model was made from are filled
            in, or they are an error. None: they are filled in if that was done there; else they stay.

        Returns
        -------
        array, csc_matrix or DataFrame
            The kept features; a DataFrame for a DataFrame.
        """
        if missing not in (None, "mean", "median", "refuse"):
            raise InvalidOptionError(f"missing={missing!r} is none of 'mean', 'median', 'refuse', None")
        values, names = _new_data(X, self._model_names())
        kept = self._model.apply(values, names, missing, run_words())
        if isinstance(kept, tuple):
            return sp.csc_matrix(kept[:3], shape=kept[3])
        if _is_frame(X):
            return type(X)(kept, columns=self.kept, index=X.index)
        return kept

    apply = transform

    def _model_names(self) -> list[str] | None:
        return self.feature_names if self._has_names else None


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file, of the command line or of Python.

    Parameters
    ----------
    path : str or path
        What `sfg reduce -o PREFIX` wrote as PREFIX.model.json, or `SparseFeatureGraph.save`.

    Returns
    -------
    sfg.Model
    """
    return Model(_core.Model.load(os.fspath(path), run_words()))

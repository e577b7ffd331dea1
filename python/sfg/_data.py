"""Data on their way into the library: checked as scikit-learn does, copied only where they must be."""

from __future__ import annotations

import inspect
from collections import Counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from sklearn.utils import check_array, check_consistent_length, column_or_1d

from . import _core
from .errors import InconsistentInputError, MalformedInputError

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data as _sklearn_validate
except ImportError:

    def _sklearn_validate(estimator: Any, X: Any, **how: Any) -> Any:
        return estimator._validate_data(X, **how)


def is_arrow(X: Any) -> bool:
    """Whether X offers the Arrow C stream; pandas tables, which may too, are scikit-learn's business."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc")


def from_arrow(X: Any) -> tuple[np.ndarray, list[str]]:
    """Float64 values in Fortran order, and the names of the columns."""
    return _core.arrow_table(X.__arrow_c_stream__())


def validate(
    estimator: Any,
    X: Any,
    *,
    reset: bool = True,
    min_samples: int = 1,
    min_features: int = 1,
    allow_nan: bool = False,
) -> np.ndarray | sp.csc_matrix:
    """Float64 samples x features, finite (or NaN, if that is allowed): an array in Fortran order or a canonical CSC matrix.

    Sets `n_features_in_` and `feature_names_in_` (or compares with them, if not `reset`). Arrays that
    are in that form already, and single-typed pandas tables, are not copied.
    """
    names = None
    if is_arrow(X):
        X, names = from_arrow(X)
    refuse_broken(X, names)
    try:
        X = _sklearn_validate(
            estimator,
            X,
            reset=reset,
            accept_sparse="csc",
            dtype=np.float64,
            order="F",
            ensure_min_samples=min_samples,
            ensure_min_features=min_features,
            **_finite(allow_nan),
        )
    except ValueError:
        refuse_texts(X)
        raise
    if names is not None and reset:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return canonical(X) if sp.issparse(X) else X


def _finite(allow_nan: bool) -> dict[str, Any]:
    """How scikit-learn is told that NaN is welcome: the word changed in version 1.6."""
    if not allow_nan:
        return {}
    new = "ensure_all_finite" in inspect.signature(check_array).parameters
    return {"ensure_all_finite" if new else "force_all_finite": "allow-nan"}


def batches_of(data: Any, batch: Any) -> list[str] | None:
    """The batch of each sample as text; None without."""
    if batch is None:
        return None
    column = label_column(batch)
    check_consistent_length(data, column)
    missing = missing_labels(column)
    if missing.any():
        raise MalformedInputError(
            f"batch has no value for {int(missing.sum())} samples (the first is number "
            f"{int(np.flatnonzero(missing)[0])}): name their batch, or leave them out"
        )
    return [str(one) for one in column.tolist()]


def refuse_texts(X: Any) -> None:
    """Raises which column of a pandas table is not numbers, if one is."""
    for name in getattr(X, "columns", ()) if hasattr(X, "iloc") else ():
        for row, value in enumerate(X[name]):
            try:
                float(value)
            except ValueError:
                raise MalformedInputError(
                    f"column {name!r} of X is not numbers ({value!r} in row {row}): leave it out, or "
                    "encode it, for example by pandas.get_dummies(X)"
                ) from None
            except TypeError:  # missing in a way of pandas, which scikit-learn names
                continue


def refuse_broken(X: Any, names: list[str] | None = None) -> None:
    """Raises what is wrong with X that NumPy, SciPy and scikit-learn would take without a word.

    Masked values would count as if they were not, indices that contradict the shape of a sparse matrix
    read memory that is not there, and of two columns with one name nobody knows which is meant.
    """
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise MalformedInputError(
            f"X is a masked array with {int(np.ma.getmaskarray(X).sum())} masked values: fill them in, for "
            "example by numpy.ma.filled(X, X.mean(axis=0))"
        )
    if sp.issparse(X) and X.format in ("csc", "csr", "bsr", "coo"):
        try:
            X._check() if X.format == "coo" else X.check_format(full_check=True)
        except ValueError as error:
            raise MalformedInputError(f"the sparse matrix X is broken: {error}: make it again") from None
    if names is None and hasattr(X, "columns"):
        names = list(X.columns)
    repeated = next((name for name, count in Counter(names or ()).items() if count > 1), None)
    if repeated is not None:
        raise InconsistentInputError(f"X has several columns called {repeated!r}: rename them")


def check_arrow_names(estimator: Any, names: list[str]) -> None:
    """Raises ValueError unless these are the names that `fit` saw, in the same order."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and list(known) != names:
        other = next((name for name in names if name not in set(known)), None)
        hint = f"there was no feature {other!r}" if other is not None else "the order differs"
        raise InconsistentInputError(f"X has other features than the data that fit() saw: {hint}")


def canonical(X: sp.csc_matrix) -> sp.csc_matrix:
    """Rows ascending, each at most once, no stored zeros; a copy if it was not so."""
    if X.has_canonical_format and X.data.all():
        return X
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def handed_over(X: np.ndarray | sp.csc_matrix) -> Any:
    """X as `_core` takes it, sharing memory unless that has gaps or is not aligned."""
    if not sp.issparse(X):
        return np.require(X, requirements=["F", "A"])
    values, rows = (np.require(part, requirements=["C", "A"]) for part in (X.data, X.indices))
    return (values, rows.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False), X.shape)


def names_of(estimator: Any) -> list[str]:
    """The features' names, "x0", "x1", ... where the data had none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{i}" for i in range(estimator.n_features_in_)]
    return [str(name) for name in names]


#: What a label says where the class is not known; the library's list (is_missing_label).
_NO_CLASS = {"", "#N/A", "#NA", "-NaN", "-nan", "<NA>", "?", "N/A", "NA", "NAN", "NULL", "NaN"}
_NO_CLASS |= {"NaT", "None", "n/a", "nan", "null"}


def label_column(y: Any) -> np.ndarray:
    """Labels as one column, None where they are masked."""
    if np.ma.is_masked(y):
        y = np.ma.filled(np.ma.asarray(y).astype(object), None)
    return column_or_1d(y)


def missing_labels(labels: Any) -> Any:
    """Which labels are missing: None, NaN, NaT, pandas.NA, and the words for it."""
    return np.fromiter((str(label).strip() in _NO_CLASS for label in labels), bool, len(labels))


def labels_of(data: Any, y: Any) -> list[str] | None:
    """Known classes, one per sample, as the library has them; None without."""
    if y is None:
        return None
    check_consistent_length(data, y)
    return [str(label) for label in label_column(y).tolist()]

"""Packages that are used where they are installed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .errors import MissingPackageError


def need(package: str, purpose: str) -> ModuleType:
    """The module `package`; an error that says what to install where it is missing."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        root = package.split(".")[0]
        raise MissingPackageError(
            f"{purpose} needs the package {root}: install it (pip install {root}, "
            f"or on Debian apt-get install python3-{root})"
        ) from error


def axes_for(ax: Any, purpose: str, **figure: Any) -> Any:
    """The matplotlib Axes given, or those of a new figure."""
    return need("matplotlib.pyplot", purpose).subplots(**figure)[1] if ax is None else ax


def table(columns: Mapping[str, Sequence[Any] | np.ndarray]) -> Any:
    """A pandas DataFrame, or a numpy record array where there is no pandas."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        arrays = [np.asarray(column) for column in columns.values()]
        if not all(len(array) for array in arrays):
            return np.rec.array(np.empty(0, dtype=[(name, object) for name in columns]))
        return np.rec.fromarrays(arrays, names=list(columns))
    return pandas.DataFrame(dict(columns))


def floats(values: Sequence[float | None]) -> np.ndarray:
    """Numbers with NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

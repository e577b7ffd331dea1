"""The groups of every level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ._optional import table
from .errors import InvalidOptionError


@dataclass(frozen=True)
class Hierarchy:
    """How groups grow, from every feature alone to the coarsest level.

    Attributes
    ----------
    grouping : {"compact", "cover", "components", "pairwise"}
        What it was made by.
    n_features : int
        Features of the data.
    steps : dict of arrays
        One entry per step, in order. compact: groups with the lowest members `a` and `b` merge at a
        `cost`, and `representative` stands for the union. components: features `a` and `b` are joined by an
        edge of this `weight`. cover and pairwise: `picks`, the features in the order in which
        they are worth keeping.
    """

    grouping: str
    n_features: int
    steps: dict[str, np.ndarray]
    _levels: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.steps.values())))

    def levels(self) -> Any:
        """What each level keeps.

        Returns
        -------
        DataFrame, or record array without pandas
            compact, cover and pairwise: `n_kept` (features that vary), `mean_r2` of the others with
            the kept ones instead. components: `n_kept`, and the `threshold` and `theta` below which a level begins.
        """
        return table(self._levels)

    def cut(self, n_steps: int) -> np.ndarray:
        """The group of each feature after so many merges, numbered by lowest member.

        Not for cover and pairwise, which have picks and no merges.
        """
        if "picks" in self.steps:
            raise InvalidOptionError(f"{self.grouping} has no merges to cut: look at steps['picks']")
        if not 0 <= n_steps <= len(self):
            raise InvalidOptionError(f"n_steps={n_steps}: there are {len(self)} merges")
        a, b = self.steps["a"][:n_steps], self.steps["b"][:n_steps]
        edges = sp.coo_matrix(
            (np.ones(n_steps), (a, b)), shape=(self.n_features, self.n_features)
        )
        labels = connected_components(edges, directed=False)[1]
        order = np.unique(labels, return_index=True)[1]
        rank = np.empty(len(order), dtype=np.int32)
        rank[np.argsort(order)] = np.arange(len(order), dtype=np.int32)
        return rank[labels]


def hierarchy_from(found: dict[str, Any], grouping: str, n_features: int) -> Hierarchy:
    """A Hierarchy out of what `_core.reduce` returns."""
    return Hierarchy(grouping, n_features, found["steps"], found["levels"])

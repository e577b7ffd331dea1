"""What became of each feature: what a fitted estimator and a loaded model have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _data
from ._explanation import Explanation
from .errors import InvalidOptionError


class Explaining:
    """Wants `support_` and `n_features_in_`, and what `_take_reasons` sets."""

    #: What combinations are of; models that were saved before there was a choice have none.
    _scale = "none"

    def _take_reasons(self, found: dict[str, Any]) -> None:
        """From what `_core` returns of a reduction or a model."""
        self.labels_ = found["group_of"]
        self.groups_ = np.split(found["group_members"], found["group_starts"][1:-1])
        self.representatives_ = found["representatives"]
        self._removed = found["removed"]
        self._scale = found["transformation"]
        self._stand_ins = found["stand_ins"]

    def _terms(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """Features and coefficients that explain the removed feature at this place of the list."""
        starts = self._removed["term_starts"]
        part = slice(starts[place], starts[place + 1])
        return self._removed["term_features"][part], self._removed["term_coefficients"][part]

    def _on_scale(self, names: np.ndarray) -> list[str]:
        """Names as combinations of transformed features speak of them."""
        return [name if self._scale == "none" else f"{self._scale}({name})" for name in names]

    def _combination(self, place: int, names: np.ndarray) -> str:
        features, coefficients = self._terms(place)
        intercept = self._removed["intercept"][place]
        return _core.combination_text(coefficients, intercept, self._on_scale(names[features]))

    def explain(self, feature: str | int) -> Explanation:
        """Say what became of a feature, and why.

        Parameters
        ----------
        feature : str or int
            Its name or number.

        Returns
        -------
        sfg.Explanation
            Fields to work with; `print()` makes a text of it.
        """
        check_is_fitted(self)
        names = np.asarray(_data.names_of(self), dtype=object)
        index = self._index_of(feature, names)
        group = self.groups_[self.labels_[index]]
        own = int(self.representatives_[self.labels_[index]])
        members = list(names[group])
        if self.support_[index]:
            stands_for_others = own == index and len(group) > 1
            role = "representative" if stands_for_others else "kept"
            swap = self._stand_in(index, names)
            return Explanation(names[index], index, role, names[index], 1.0, group=members, **swap)
        place = int(np.searchsorted(self._removed["feature"], index))
        reason = self._removed["reason"][place]
        if reason == "no-variation":
            return Explanation(names[index], index, "empty", None, None, group=members)
        held_out = float(self._removed["held_out_r2"][place])
        features, coefficients = self._terms(place)
        nearest = int(self._removed["best_kept"][place])
        return Explanation(
            names[index],
            index,
            "removed",
            names[own] if reason == "redundant" else None,
            float(self._removed["r2"][place]) if reason == "redundant" else None,
            reason=reason,
            certificate=self._removed["certificate"][place],
            best_kept=names[nearest] if nearest >= 0 else None,
            best_kept_r2=float(self._removed["best_kept_r2"][place]) if nearest >= 0 else None,
            held_out_r2=None if np.isnan(held_out) else held_out,
            combination=self._combination(place, names),
            terms=list(zip(self._on_scale(names[features]), coefficients.tolist())),
            intercept=float(self._removed["intercept"][place]),
            combination_r2=float(self._removed["combination_r2"][place]),
            group=members,
        )

    def _stand_in(self, index: int, names: np.ndarray) -> dict[str, Any]:
        """Who could be kept instead of a kept feature; nothing for one that stands for no other."""
        found = self._stand_ins
        place = int(np.searchsorted(found["kept"], index))
        if place == len(found["kept"]) or found["kept"][place] != index:
            return {}
        return {
            "stand_in": names[found["feature"][place]],
            "stand_in_r2": float(found["r2"][place]),
            "mean_r2": float(found["mean_r2"][place]),
            "mean_r2_instead": float(found["mean_r2_instead"][place]),
        }

    def _index_of(self, feature: str | int, names: np.ndarray) -> int:
        if isinstance(feature, (int, np.integer)):
            if not 0 <= feature < self.n_features_in_:
                raise InvalidOptionError(
                    f"there is no feature {feature}: X had {self.n_features_in_} of them"
                )
            return int(feature)
        found = np.flatnonzero(names == feature)
        if len(found) == 0:
            raise InvalidOptionError(f"there is no feature {feature!r} in the data that fit() saw")
        return int(found[0])

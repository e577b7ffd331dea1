"""Parameters of SparseFeatureGraph as the library takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._selector import feature_indices
from .errors import InvalidOptionError

#: Passed on as they are.
_PLAIN = (
    "theta",
    "weight_threshold",
    "min_mean_r2",
    "min_overlap",
    "rescue",
    "keep_empty",
    "edges",
    "n_neighbors",
    "center",
    "epsilon",
    "max_atoms",
    "max_angle",
    "n_permutations",
    "engine",
    "certify",
    "max_terms",
    "combinations",
)


def method_words(estimator: Any) -> dict[str, Any]:
    """A word per option. Refuses combinations that have no meaning; ranges are the library's."""
    grouping = _grouping(estimator)
    _check_level(estimator, grouping)
    words = {name: getattr(estimator, name) for name in _PLAIN}
    words["grouping"] = grouping
    words |= _number_of_features(estimator.n_features)
    words["keep"] = feature_indices(estimator.keep, estimator, "keep")
    words["priority"] = feature_indices(estimator.priority, estimator, "priority")
    words["representative"] = _representative(estimator)
    words["certify_sample"] = _certify_sample(estimator.certify_sample)
    return words


def _grouping(estimator: Any) -> str:
    if estimator.preset not in (None, "paper"):
        raise InvalidOptionError(f"preset={estimator.preset!r} is unknown: 'paper' or None")
    if estimator.preset == "paper":
        return "lcs"
    grouping = estimator.grouping
    if grouping != "lcs" and not (estimator.theta is None and estimator.weight_threshold is None):
        raise InvalidOptionError(
            "theta and weight_threshold cut the paper's groups: set grouping='lcs', or leave them out"
        )
    return grouping


def _check_level(estimator: Any, grouping: str) -> None:
    if grouping == "lcs" and not (estimator.n_features is None and estimator.min_overlap is None):
        raise InvalidOptionError(
            "the paper's groups are cut at theta: leave out n_features and min_overlap, "
            "or use grouping='compact'"
        )
    if estimator.n_features is not None and estimator.min_overlap is not None:
        raise InvalidOptionError("n_features and min_overlap are two levels: give one of them")
    if estimator.theta is not None and estimator.weight_threshold is not None:
        raise InvalidOptionError("theta and weight_threshold are two cuts: give one of them")
    threshold = estimator.weight_threshold
    if threshold is not None and not threshold >= 0:
        raise InvalidOptionError(f"weight_threshold={threshold} must not be negative")


def _number_of_features(n_features: Any) -> dict[str, Any]:
    if isinstance(n_features, (float, np.floating)):
        return {"keep_share": n_features}
    return {"n_features": n_features}


def _representative(estimator: Any) -> str | None:
    rule = estimator.representative
    if estimator.priority is not None:
        if rule not in (None, "priority"):
            raise InvalidOptionError("priority chooses the representatives: leave out representative")
        return "priority"
    if rule == "priority":
        raise InvalidOptionError("representative='priority' needs a list: set priority")
    return "out-degree" if rule is None and estimator.preset == "paper" else rule


def _certify_sample(sample: Any) -> int | None:
    if sample == "all":
        return 0
    if isinstance(sample, str) or (sample is not None and sample < 1):
        raise InvalidOptionError(f"certify_sample={sample!r} must be a number above 0, 'all' or None")
    return sample

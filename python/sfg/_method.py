"""Parameters of SparseFeatureGraph as the library takes them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._parameters import given_options
from ._selector import feature_indices, feature_numbers, feature_positions
from .errors import InvalidOptionError


def method_options(estimator: Any) -> dict[str, Any]:
    """What was given, by name. Which options a grouping has, and their ranges, the library knows."""
    options = given_options(estimator)
    options.pop("preset", None)
    options.pop("missing", None)
    _translate_old_names(options)
    _choose_grouping(estimator, options)
    for name in ("keep", "priority", "avoid"):
        if name in options:
            options[name] = feature_indices(options[name], estimator, name)
    if "cost" in options:
        options["cost"] = feature_numbers(options["cost"], estimator, "cost")
    if "positions" in options:
        options["positions"] = feature_positions(options["positions"], estimator, "positions")
    _choose_representative(estimator, options)
    if options.get("certify_sample") == 0:
        raise InvalidOptionError("certify_sample=0 must be a number above 0, 'all' or None")
    return options


def takes_gaps(estimator: Any) -> bool:
    """Whether NaN in the data are gaps."""
    if estimator.missing not in ("refuse", "pairwise"):
        raise InvalidOptionError(f"missing={estimator.missing!r} is unknown: 'refuse' or 'pairwise'")
    return estimator.missing == "pairwise"


def _translate_old_names(options: dict[str, Any]) -> None:
    """Spellings of version 0.1, for one more version."""

    def old(what: str, now: str) -> None:
        warnings.warn(f"{what} is an old spelling: write {now}", FutureWarning, stacklevel=4)

    if options.get("grouping") == "lcs":
        old("grouping='lcs'", "grouping='components'")
        options["grouping"] = "components"
    if options.get("edges") in ("omp", "ols"):
        old(f"edges={options['edges']!r}", f"pursuit={options['edges']!r}")
        options["pursuit"] = options.pop("edges")
    if isinstance(options.get("n_features"), (float, np.floating)):
        old(f"n_features={options['n_features']}", f"keep_share={options['n_features']}")
        options["keep_share"] = options.pop("n_features")


def _choose_grouping(estimator: Any, options: dict[str, Any]) -> None:
    if estimator.preset not in (None, "paper"):
        raise InvalidOptionError(f"preset={estimator.preset!r} is unknown: 'paper' or None")
    if estimator.preset == "paper" and options.get("grouping") not in (None, "components"):
        raise InvalidOptionError(
            f"preset='paper' is about the paper's groups: leave out grouping={options['grouping']!r}"
        )
    # Alone they say which grouping is meant, as on the command line.
    cuts = any(options.get(name) is not None for name in ("theta", "weight_threshold"))
    prunes = options.get("max_r2") is not None
    if cuts and prunes and "grouping" not in options:
        raise InvalidOptionError(
            "max_r2 and theta or weight_threshold are of different groupings: give one"
        )
    usual = "components" if cuts or estimator.preset == "paper" else "pairwise" if prunes else "compact"
    options.setdefault("grouping", usual)


def _choose_representative(estimator: Any, options: dict[str, Any]) -> None:
    rule = options.get("representative")
    if rule == "missing":
        raise InvalidOptionError(
            "representative='missing' is for files: X has no gaps any more. Give how many there were, "
            "for example cost=numpy.isnan(X_before).sum(axis=0)"
        )
    for given in ("priority", "cost"):
        if options.get(given) is None:
            if rule == given:
                raise InvalidOptionError(f"representative={given!r} needs {given}: set it")
        elif rule not in (None, given):
            raise InvalidOptionError(f"{given} chooses the representatives: leave out representative")
    if options.get("priority") is not None and options.get("cost") is not None:
        raise InvalidOptionError("priority and cost both choose the representatives: give one of them")
    if options.get("cost") is not None:
        options["representative"] = "cost"
    elif options.get("priority") is not None:
        if options["grouping"] != "pairwise":  # which picks by the list itself
            options["representative"] = "priority"
    elif rule is None and estimator.preset == "paper":
        options["representative"] = "out-degree"

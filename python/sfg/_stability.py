"""How much the answer depends on the samples at hand."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core, _data
from ._method import method_options
from ._optional import axes_for, table
from ._parameters import fields_of, with_options
from ._reduction import SparseFeatureGraph
from ._run import estimator_run, progress_of


@dataclass(frozen=True)
class Agreement:
    """How far the repeats agree.

    Attributes
    ----------
    jaccard : float
        Mean of |A and B| / |A or B| over all pairs of repeats.
    jaccard_apart : float or None
        The same over the pairs of halves, which share no sample.
    index, low, high : float or None
        Agreement beyond chance (Nogueira, Sechidis, Brown 2018) with its 95 % confidence interval; None
        where every repeat keeps everything.
    """

    jaccard: float
    jaccard_apart: float | None
    index: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Stability:
    """What `stability` found.

    Attributes
    ----------
    verdict : str
        What came out, in a few sentences.
    features : DataFrame, or record array without pandas
        Every feature that is kept of all samples or in a repeat: `feature` (its name), `index`, `kept`,
        `stable`, `kept_share` (share of the repeats that keep it), `family_share` (that keep it or a
        member of its group), `family_chance` (the same if as many were drawn at random),
        `representative`, `group_size`, `group_stability` (mean Jaccard index of its group with the group
        of a repeat that fits it best), `pairs_together` (share of the pairs of members that are in one
        group again).
    agreement, family_agreement : sfg.Agreement
        Of the kept features, and of the groups of all samples that they are from.
    kept_, stable_ : array of int
        Features kept of all samples; those of them that are stable.
    n_kept : array of int
        Features kept by each repeat.
    n_seen : int
        Samples that a repeat sees.
    stable_share : float
        The family share that makes a feature stable.
    """

    verdict: str
    features: Any
    agreement: Agreement
    family_agreement: Agreement
    kept_: np.ndarray
    stable_: np.ndarray
    n_kept: np.ndarray
    n_seen: int
    stable_share: float

    def plot(self, ax: Any = None) -> Any:
        """Plot in which share of the repeats the kept features and their families are kept.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
        """
        ax = axes_for(ax, "plot()")
        kept = np.asarray(self.features["kept"], dtype=bool)
        for name, label, style in (
            ("family_share", "it or a member of its group", "-"),
            ("kept_share", "the feature itself", "-"),
            ("family_chance", "group, by chance", ":"),
        ):
            shares = np.sort(np.asarray(self.features[name])[kept])[::-1]
            ax.step(np.arange(1, len(shares) + 1), shares, style, where="mid", label=label)
        ax.axhline(self.stable_share, linestyle="--", color="grey", label="stable")
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("kept features, each curve from its highest share to its lowest")
        ax.set_ylabel("share of repeats in which it is kept")
        ax.set_title(
            f"{len(self.n_kept)} repeats with {self.n_seen} samples: {len(self.stable_)} of "
            f"{len(self.kept_)} kept features are stable"
        )
        ax.legend()
        return ax


@with_options(fields_of("stability"))
def stability(X: Any, y: Any = None, *, options: dict[str, Any], **parameters: Any) -> Stability:
    """How much the kept features depend on which samples there are.

    Reduces the table, then does so again on some of its samples at a time. Every repeat finds its own
    level unless one is given: how many are kept is part of the answer.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,), default=None
        The target, with representative="target".
    {parameters}
    **parameters
        Of `SparseFeatureGraph`, for example `grouping`, `n_features`, `n_jobs`, `random_state`.

    Returns
    -------
    sfg.Stability

    Examples
    --------
    >>> import numpy as np
    >>> from sfg import stability
    >>> random = np.random.RandomState(0)
    >>> X = random.normal(size=(100, 5))
    >>> found = stability(np.column_stack([X, X[:, :3]]), repeats=10)
    >>> found.features["family_share"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    graph = SparseFeatureGraph(**parameters)
    data = _data.validate(graph, X, min_samples=2, min_features=2)
    method = method_options(graph)
    target = graph._target(data, y) if method.get("representative") == "target" else None
    names = _data.names_of(graph)
    how = estimator_run(graph), progress_of(graph.verbose)
    found = _core.stability(_data.handed_over(data), names, target, method, options, *how)
    for note in found["notes"]:
        warnings.warn(note, UserWarning, stacklevel=3)
    columns = found["features"]
    numbers = columns["representative"]
    columns["representative"] = [names[k] if k >= 0 else "" for k in numbers]
    return Stability(
        verdict=found["verdict"],
        features=table({"feature": [names[k] for k in columns["index"]]} | columns),
        agreement=Agreement(**found["agreement"]),
        family_agreement=Agreement(**found["family_agreement"]),
        kept_=found["kept"],
        stable_=found["stable"],
        n_kept=found["n_kept"],
        n_seen=found["n_seen"],
        stable_share=found["stable_share"],
    )

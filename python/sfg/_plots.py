"""Pictures of a reduction: levels, groups, predictability; and what a notebook shows of it."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _data
from ._optional import axes_for
from .errors import InvalidOptionError

#: Blue for what is kept or good, grey for what is not, orange for what was chosen.
_GOOD, _REST, _MARK = "#2f6fab", "#b8bec5", "#d9822b"


class ReductionPlots:
    """What a fitted `SparseFeatureGraph` can draw."""

    def plot_levels(self, ax: Any = None) -> Any:
        """Plot the levels that the automatic choice has looked at, with the chosen one marked.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        levels = self.levels_
        if len(levels) == 0:
            raise InvalidOptionError("no levels were judged: a level was asked for; plot_sweep() shows all")
        ax = axes_for(ax, "plot_levels()", figsize=(6.4, 3.6))
        n_kept, good = np.asarray(levels["n_kept"]), np.asarray(levels["good"]).astype(bool)
        ax.plot(n_kept, levels["overlap"], color=_GOOD, label="neighbours of samples that stay")
        # R2 is measured where enough neighbours stay, until a level is good: mostly at one or two.
        known = np.asarray(levels["r2loo_mean"], dtype=float)
        label = "R2 of removed features, left-out samples"
        ax.plot(n_kept, np.clip(known, 0, 1), color=_REST, marker="s", markersize=4, label=label)
        ax.scatter(n_kept[good], np.asarray(levels["overlap"])[good], color=_GOOD, s=14, zorder=3)
        ax.axvline(len(self.kept_), color=_MARK, linestyle="--", label=f"{len(self.kept_):,} kept")
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.xaxis.set_minor_formatter("")
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("features kept")
        ax.set_title("What each level would keep (dots: good enough)")
        ax.legend(frameon=False, fontsize="small")
        return ax

    def plot_groups(self, ax: Any = None, *, n: int = 20) -> Any:
        """Plot the largest groups: how many members, and how well the kept one stands for them.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        n : int, default=20
            How many groups.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        if n < 1:
            raise InvalidOptionError(f"n={n}: at least one group has to be drawn")
        ax = axes_for(ax, "plot_groups()", figsize=(6.4, 4.2))
        sizes = np.array([len(group) for group in self.groups_])
        order = [k for k in np.argsort(-sizes, kind="stable")[:n] if sizes[k] > 1]
        names = _data.names_of(self)
        r2 = self._mean_r2_of_groups()
        ax.barh(range(len(order)), sizes[order], color=_REST)
        ax.barh(range(len(order)), sizes[order] * np.clip(r2[order], 0, 1), color=_GOOD)
        ax.set_yticks(range(len(order)), [names[self.representatives_[k]] for k in order])
        ax.invert_yaxis()
        ax.set_xlabel("features in the group; blue: the share that the kept one explains (r2)")
        ax.set_title(f"The largest of {int((sizes > 1).sum()):,} groups")
        return ax

    def _mean_r2_of_groups(self) -> np.ndarray:
        """Mean r2 of the members with the representative, which counts as 1."""
        sums = np.array([1.0 for _ in self.groups_])
        removed = self._removed
        stands = removed["representative"] >= 0
        groups = self.labels_[removed["feature"][stands]]
        np.add.at(sums, groups[groups >= 0], removed["r2"][stands][groups >= 0])
        return sums / np.array([len(group) for group in self.groups_])

    def plot_predictability(self, ax: Any = None) -> Any:
        """Plot how much of each feature the rest of the table knows, unshared features apart.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        if self.predictability_ is None:
            raise InvalidOptionError("this grouping does not ask what is shared: use compact or cover")
        ax = axes_for(ax, "plot_predictability()", figsize=(6.4, 3.6))
        known = np.asarray(self.predictability_, dtype=float)
        varies = np.isfinite(known)
        unshared = self.unshared_ & varies
        bins = np.linspace(-0.2, 1, 49)
        parts = [np.clip(known[varies & ~unshared], -0.2, 1), np.clip(known[unshared], -0.2, 1)]
        ax.hist(parts, bins=bins, stacked=True, color=[_GOOD, _REST], label=["shared", "unshared"])
        ax.set_xlabel("R2 of a feature from all others, on samples left out")
        ax.set_ylabel("features")
        ax.set_title(f"{int(unshared.sum()):,} of {int(varies.sum()):,} features share nothing with the others")
        ax.legend(frameon=False)
        return ax

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What a notebook shows: the verdict above scikit-learn's own display."""
        shown = super()._repr_mimebundle_(**kwargs)
        if "text/html" in shown and hasattr(self, "verdict_"):
            shown["text/html"] = f"<p>{html.escape(self.verdict_)}</p>{shown['text/html']}"
        return shown

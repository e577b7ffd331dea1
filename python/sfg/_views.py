"""A reduction to look at: as a networkx graph, as a plot, as a page."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _data
from ._method import method_options
from ._optional import axes_for, need
from ._parameters import fields_of, with_options
from ._run import estimator_run, progress_of
from .errors import InvalidOptionError, NotBuiltError


class ReductionViews:
    """What a fitted `SparseFeatureGraph` can show."""

    def to_networkx(self, *, include_failed: bool = False) -> Any:
        """The graph for networkx.

        Parameters
        ----------
        include_failed : bool, default=False
            Also edges of descriptions that failed the paper's filter.

        Returns
        -------
        networkx.DiGraph
            Nodes are names, with `kept`, `group` and `representative`; an edge from a feature to one
            that describes it has the coefficient as `weight`.
        """
        check_is_fitted(self)
        networkx = need("networkx", "to_networkx()")
        if self.graph_ is None:
            raise InvalidOptionError(f"{self.hierarchy_.grouping} makes no graph: use compact or components")
        names = _data.names_of(self)
        graph = networkx.DiGraph()
        for i, name in enumerate(names):
            group = int(self.labels_[i])
            representative = names[self.representatives_[group]]
            graph.add_node(
                name, kept=bool(self.support_[i]), group=group, representative=representative
            )
        edges = self.graph_.tocoo()
        shown = np.full(edges.nnz, True) if include_failed else ~self.failed_[edges.row]
        for i, j, weight in zip(edges.row[shown], edges.col[shown], edges.data[shown]):
            graph.add_edge(names[i], names[j], weight=float(weight))
        return graph

    def plot_sweep(self, ax: Any = None) -> Any:
        """Plot what every level would keep, with the chosen one marked.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        ax = axes_for(ax, "plot_sweep()")
        levels = self.hierarchy_._levels
        n_kept = len(self.kept_)
        if self.hierarchy_.grouping == "components":
            ax.step(levels["theta"], levels["n_kept"], where="pre")
            ax.axhline(n_kept, linestyle="--", color="grey")
            ax.set_xlabel("theta")
            ax.set_ylabel("features kept")
        else:
            ax.plot(levels["n_kept"], levels["mean_r2"])
            ax.axvline(n_kept, linestyle="--", color="grey")
            ax.set_xlabel("features kept")
            ax.set_ylabel("mean r2 of removed features")
        ax.set_title(f"{n_kept} of {self.n_features_in_} features kept")
        return ax

    @with_options(fields_of("report", title="data"))
    def report(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        options: dict[str, Any],
    ) -> None:
        """Write the interactive page: one HTML file that needs no network.

        Its slider cuts the hierarchy anew at every level. The method runs again, once for each of
        the two groupings on the page. An existing file is replaced. `image` may also be a pair
        (height, width).

        Parameters
        ----------
        path : str or path
            The file to write.
        X : data, default=None
            What `fit` saw. Needed if the data are gone meanwhile: the estimator does not hold on to
            them.
        y : array of shape (n_samples,), default=None
            Known classes: the page then shows NMI and ACC at every theta.
        {parameters}
        """
        check_is_fitted(self)
        if not _core.has_report:
            raise NotBuiltError("this build of sfg has no HTML report: it is built with Node and npm")
        X = getattr(self, "_fitted_data", lambda: None)() if X is None else X
        if X is None:
            raise InvalidOptionError("the data that fit() saw are gone: give them, report(path, X)")
        data = _data.validate(self, X, reset=False)
        page = options | {"created": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
        if isinstance(page["image"], tuple):
            page["image"] = "x".join(str(side) for side in page["image"])
        _core.write_report(
            _data.handed_over(data),
            _data.names_of(self),
            _data.labels_of(data, y),
            method_options(self),
            page,
            estimator_run(self),
            progress_of(self.verbose),
            os.fspath(path),
        )

"""SparseFeatureGraph: the selector that removes redundant features."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, check_is_fitted

from . import _core, _data
from ._explaining import Explaining
from ._hierarchy import hierarchy_from
from ._method import method_options, takes_gaps
from ._model import ModelFile
from ._optional import table
from ._parameters import MISSING, PRESET, method_fields, with_parameters
from ._plots import ReductionPlots
from ._run import estimator_run, progress_of
from ._selector import FeatureSelector
from ._views import ReductionViews
from .errors import InvalidOptionError

#: What `_core` counts feature kinds and pursuit states by.
_KINDS = np.array(["regular", "empty", "constant"])
_STATUS = np.array(["small_gain", "exact", "reached_max_atoms", "stalled", "no_direction"])


@with_parameters([*method_fields(), MISSING, PRESET])
class SparseFeatureGraph(
    ModelFile, Explaining, ReductionViews, ReductionPlots, FeatureSelector
):
    """Remove redundant features, without labels.

    Each feature is described by a few others (orthogonal matching pursuit); the descriptions are a
    directed graph; features that stand for each other form groups, and one feature per group is
    kept. For every removed feature there is a substitute, a combination of kept features, and how
    well they predict it on samples held out.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    support_ : array of bool of shape (n_features_in_,)
        Which features are kept.
    kept_ : array of int
        Their numbers, ascending.
    groups_ : list of arrays
        Numbers of the members of each group.
    labels_ : array of shape (n_features_in_,)
        The group of each feature.
    representatives_ : array of int
        One feature per group.
    kept_though_avoided_ : array of int
        Kept features that were to be avoided: their groups have no others.
    weights_ : array
        By kept feature: the square root of how many features it stands for.
    graph_ : scipy.sparse.csr_matrix or None
        Row i holds the coefficients that describe feature i by others; None for cover and pairwise.
        Rows of descriptions that failed the paper's filter are there too: see `failed_`.
    angle_, failed_, status_ : arrays
        By feature: degrees between it and its description, whether the filter took it out, why the
        pursuit ended.
    kind_ : array of str
        By feature: "regular", "empty" or "constant".
    hierarchy_ : sfg.Hierarchy
        The groups of all levels.
    threshold_ : float or None
        components: the weight that the graph was cut at.
    certificate_ : DataFrame, or record array without pandas
        One row per removed feature: `feature`, `representative`, `r2`, `held_out_r2` (NaN if not
        tried), `combination`, `combination_r2_in_sample`, `reason` ("redundant", "exact",
        "unshared" or "no-variation"), `certificate` ("copy", "exact", "predicted", "shared",
        "unshared", "lost" or "untried"), `best_kept` and `best_kept_r2` (the nearest kept feature).
    verdict_ : str
        The answer in plain words.
    equations_ : dict
        Exact sums that were removed: name to text ("a + b - 2*c"; with transformation="rank"
        "rank(a) + rank(b)" is the rank of the named one).
    unshared_ : array of bool, or None
        By feature: nothing else in the table knows it; None if that was not asked.
    predictability_ : array, or None
        By feature: R^2 from all others, on samples left out one by one.
    levels_ : DataFrame, or record array without pandas
        The levels that the automatic choice has looked at: `n_kept`, `overlap`, `loss_ratio`,
        `r2loo_mean` (R^2 of removed features from all kept ones, leave one sample out; both NaN where
        they were not needed), `good`, `chosen`.
    certificate_summary_ : dict
        Of the held-out R^2: `possible` (there are enough samples), `all` (every removed feature was
        tried), mean, quantiles and shares of `removed` features and of `permuted` ones, which
        nothing can predict.
    permutation_check_ : dict or None
        components: what share of all features and of permuted ones passes the angle filter.
    mean_r2_, r2_q10_, mean_best_r2_ : float
        Of removed features with the ones kept instead: mean and 10 % quantile; mean with the
        nearest kept ones.
    neighbour_overlap_ : float
        Share of the samples' 10 nearest neighbours that stay.
    n_rescued_ : int
        Features that came back to the kept ones.
    engine_, description_, seconds_
        How it was computed.
    {inputs}

    Examples
    --------
    >>> import numpy as np
    >>> from sfg import SparseFeatureGraph
    >>> random = np.random.RandomState(0)
    >>> X = random.normal(size=(100, 3))
    >>> X = np.column_stack([X, -2 * X[:, 0], X[:, 1] + 0.01 * random.normal(size=100)])
    >>> selector = SparseFeatureGraph().fit(X)
    >>> selector.get_support(indices=True)
    array([0, 1, 2])
    >>> print(selector.explain("x3"))
    x3: removed, x0 is kept instead (r2 1.0000)
      the kept features predict 100.0 % of it on samples held out
      -2*x0 explains 100.0 % of it (in sample)
      group of 2: x0, x3
    """

    def fit(self, X: Any, y: Any = None, *, batch: Any = None) -> SparseFeatureGraph:
        """Find out which features of X are redundant.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table of shape (n_samples, n_features)
            The data. float64 in Fortran order, single-typed DataFrames and canonical CSC matrices
            are not copied.
        y : array of shape (n_samples,), default=None
            The target, with representative="target": numbers, or classes (texts, or whole numbers
            of at most 20 different values). Of each group the member is kept that goes best with
            it; the groups do not look at it. Samples without a value are left out there. Otherwise
            y is ignored.
        batch : array of shape (n_samples,), default=None
            Which samples were measured together: features are compared within these batches.

        Returns
        -------
        SparseFeatureGraph
            Itself.
        """
        data = _data.validate(self, X, min_samples=2, min_features=2, allow_nan=takes_gaps(self))
        options = method_options(self)
        batches = _data.batches_of(data, batch)
        target = self._target(data, y) if options.get("representative") == "target" else None
        found = _core.reduce(
            _data.handed_over(data),
            _data.names_of(self),
            hasattr(self, "feature_names_in_"),
            target,
            batches,
            options,
            estimator_run(self),
            progress_of(self.verbose),
        )
        self._take(found, options["grouping"])
        self._within_batches = batches is not None and len(set(batches)) > 1
        self._remember(X)
        return self

    def _target(self, data: Any, y: Any) -> list[str]:
        if y is None:
            raise InvalidOptionError(
                "representative='target' requires y to be passed, but the target y is None: fit(X, y)"
            )
        return _data.labels_of(data, y)

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        own = {"requires_y": self.representative == "target", "allow_nan": self.missing == "pairwise"}
        return super()._more_tags() | own

    def __sklearn_tags__(self) -> Any:  # since scikit-learn 1.6
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.representative == "target"
        tags.input_tags.allow_nan = self.missing == "pairwise"
        return tags

    def _remember(self, X: Any) -> None:
        """For `report`, as long as the caller keeps the data: an estimator does not hold on to them."""
        try:
            self._fitted_data = weakref.ref(X)
        except TypeError:  # lists
            self._fitted_data = lambda: None

    def _take(self, found: dict[str, Any], grouping: str) -> None:
        """Sets the attributes from what `_core.reduce` returns."""
        self._model = found["model"]
        self.kept_ = found["kept"]
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.kept_] = True
        self.weights_ = found["weights"]
        self._take_reasons(found)
        self.kept_though_avoided_ = found["kept_though_avoided"]
        self._take_graph(found["graph"])
        self.kind_ = _KINDS[found["kind"]]
        self.hierarchy_ = hierarchy_from(found["hierarchy"], grouping, self.n_features_in_)
        self.threshold_ = found["threshold"]
        self.certificate_summary_ = found["certificate"]
        self.permutation_check_ = found["permutation_check"]
        self.mean_r2_ = found["mean_r2"]
        self.r2_q10_ = found["r2_q10"]
        self.neighbour_overlap_ = found["neighbour_overlap"]
        self.n_rescued_ = found["n_rescued"]
        self.mean_best_r2_ = found["mean_best_r2"]
        self.verdict_ = found["verdict"]
        self.equations_ = self._equations(found["equations"])
        self.levels_ = table(found["levels"])
        self._take_shared(found["shared"])
        self.engine_ = found["engine"]
        self.description_ = found["description"]
        self.seconds_ = found["seconds"]

    def _take_shared(self, shared: dict[str, Any] | None) -> None:
        if shared is None:
            self.predictability_ = self.unshared_ = None
            return
        self.predictability_ = shared["predictability"]
        self.unshared_ = shared["is_unshared"].astype(bool)

    def _equations(self, equations: list[dict[str, Any]]) -> dict[str, str]:
        names = np.asarray(_data.names_of(self), dtype=object)
        return {
            names[one["feature"]]: _core.combination_text(
                one["coefficients"], one["intercept"], self._on_scale(names[one["features"]])
            )
            for one in equations
        }

    def _take_graph(self, graph: dict[str, np.ndarray] | None) -> None:
        if graph is None:
            self.graph_ = self.angle_ = self.failed_ = self.status_ = None
            return
        shape = (self.n_features_in_, self.n_features_in_)
        parts = (graph["weights"], graph["neighbours"], graph["starts"])
        self.graph_ = sp.csr_matrix(parts, shape=shape)
        self.angle_ = graph["angle"]
        self.failed_ = graph["failed"].astype(bool)
        self.status_ = _STATUS[graph["status"]]

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        # A saved model knows no data.
        return {name: value for name, value in state.items() if name != "_fitted_data"}

    @property
    def certificate_(self) -> Any:
        check_is_fitted(self)
        names = np.asarray(_data.names_of(self), dtype=object)
        removed = self._removed
        replaced = removed["representative"] >= 0
        return table(
            {
                "feature": names[removed["feature"]],
                "representative": np.where(replaced, names[removed["representative"]], None),
                "r2": np.where(replaced, removed["r2"], np.nan),
                "held_out_r2": removed["held_out_r2"],
                "combination": np.array(
                    [self._combination(place, names) for place in range(len(replaced))], dtype=object
                ),
                "combination_r2_in_sample": removed["combination_r2"],
                "reason": np.array(removed["reason"], dtype=object),
                "certificate": np.array(removed["certificate"], dtype=object),
                "best_kept": np.where(removed["best_kept"] >= 0, names[removed["best_kept"]], None),
                "best_kept_r2": np.where(
                    removed["best_kept"] >= 0, removed["best_kept_r2"], np.nan
                ),
            }
        )

    def reconstruct(self, X: Any) -> np.ndarray:
        """Estimate all features from the kept ones.

        Where `inverse_transform` puts zeros for removed features, this puts what their combinations
        say, and the constant for constant ones. With a `transformation` or a `batch` the combinations
        are of another scale than the data: InvalidOptionError.

        Parameters
        ----------
        X : array of shape (n_samples, n_kept)
            The kept features, as `transform` returns them.

        Returns
        -------
        array of shape (n_samples, n_features_in_)
        """
        check_is_fitted(self)
        if self._scale != "none":
            raise InvalidOptionError(
                f"combinations are of transformation={self._scale!r}, not of the data's own values: "
                "fit with transformation='none' to reconstruct, or use inverse_transform"
            )
        if self._within_batches:
            raise InvalidOptionError("combinations hold within batches: fit without batch for this")
        X = check_array(X, dtype=np.float64)
        if X.shape[1] != len(self.kept_):
            raise InvalidOptionError(f"X has {X.shape[1]} features, {len(self.kept_)} were kept")
        removed = self._removed
        places = np.searchsorted(self.kept_, removed["term_features"])
        combinations = sp.csr_matrix(
            (removed["term_coefficients"], places, removed["term_starts"]),
            shape=(len(removed["feature"]), len(self.kept_)),
        )
        full = np.empty((X.shape[0], self.n_features_in_))
        full[:, self.kept_] = X
        full[:, removed["feature"]] = (combinations @ X.T).T + removed["intercept"]
        return full

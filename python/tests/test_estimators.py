"""Estimators as scikit-learn expects them: its own checks, pipelines, copies."""

import gc
import pickle
import weakref

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sfg import (
    FAST,
    FCBF,
    FSASL,
    GRM,
    MCFS,
    MRMR,
    MRSF,
    SPEC,
    LaplacianScore,
    SparseFeatureGraph,
    SparsityScore,
    SpectralClustering,
)

ESTIMATORS = [
    SparseFeatureGraph(),
    SparseFeatureGraph(grouping="cover"),
    SparseFeatureGraph(max_r2=0.8),
    SparseFeatureGraph(grouping="components"),
    MCFS(),
    FSASL(),
    LaplacianScore(),
    SPEC(),
    GRM(),
    MRSF(),
    SparsityScore(),
    SpectralClustering(),
    SpectralClustering(affinity="heat-knn"),
]
LABELLED = [MRMR(), MRMR(mrmr_scheme="fcq"), FCBF(), FAST(), MRSF(spectral_targets="labels")]


@parametrize_with_checks([*ESTIMATORS, *LABELLED, SparseFeatureGraph(representative="target")])
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_tells_old_and_new_scikit_learn_that_sparse_data_are_welcome(estimator):
    assert "sparse" in estimator._more_tags()["X_types"]
    assert "__sklearn_tags__" in dir(type(estimator))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_is_the_same_after_pickling_and_cloning(estimator, planted):
    fitted = clone(estimator).fit(planted)
    again = pickle.loads(pickle.dumps(fitted))
    anew = clone(fitted).fit(planted)
    name = "labels_" if isinstance(estimator, SpectralClustering) else "support_"
    np.testing.assert_array_equal(getattr(again, name), getattr(fitted, name))
    np.testing.assert_array_equal(getattr(anew, name), getattr(fitted, name))


def test_a_pickle_holds_no_data(planted):
    wide = np.tile(planted, (40, 1))
    selector = SparseFeatureGraph(edges="knn").fit(wide)
    assert len(pickle.dumps(selector)) < wide.nbytes / 10
    assert pickle.loads(pickle.dumps(selector)).explain("x1").feature == "x1"


def test_an_estimator_does_not_hold_on_to_the_data(planted):
    X = planted.copy(order="F")
    alive = weakref.ref(X)
    selector = SparseFeatureGraph().fit(X)
    del X
    gc.collect()
    assert alive() is None
    assert selector.explain(0).feature == "x0"


def test_the_digits_go_through_a_pipeline():
    digits = load_digits(as_frame=True)
    pipeline = Pipeline(
        [("sfg", SparseFeatureGraph()), ("pca", PCA(5)), ("km", KMeans(10, n_init=1, random_state=0))]
    )
    labels = pipeline.fit_predict(digits.data)
    assert len(set(labels)) == 10


def test_pandas_output_keeps_the_names():
    digits = load_digits(as_frame=True)
    selector = SparseFeatureGraph().set_output(transform="pandas")
    reduced = selector.fit_transform(digits.data)
    assert list(reduced.columns) == list(selector.get_feature_names_out())
    assert set(reduced.columns) < set(digits.data.columns)
    np.testing.assert_array_equal(reduced.index, digits.data.index)
    np.testing.assert_array_equal(selector.feature_names_in_, digits.data.columns)


def test_theta_is_found_by_grid_search_in_a_pipeline_with_clustering():
    X, _ = load_digits(return_X_y=True)
    pipeline = Pipeline(
        [
            ("sfg", SparseFeatureGraph(grouping="components", n_permutations=0, combinations=False)),
            ("scale", StandardScaler()),
            ("km", KMeans(10, n_init=1, random_state=0)),
        ]
    )
    search = GridSearchCV(pipeline, {"sfg__theta": [0.1, 0.5]}, cv=2, n_jobs=1).fit(X[:400])
    assert search.best_params_["sfg__theta"] in (0.1, 0.5)
    assert search.cv_results_["mean_test_score"].shape == (2,)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_joblib_workers_give_the_same_answers(backend, planted):
    selectors = [SparseFeatureGraph(n_features=n) for n in (20, 30, 40, 50)]
    one_by_one = [selector.fit(planted).kept_ for selector in selectors]
    together = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(clone(selector).fit)(planted) for selector in selectors
    )
    for expected, found in zip(one_by_one, together):
        np.testing.assert_array_equal(found.kept_, expected)


def test_before_fit_everything_is_refused_as_not_fitted():
    selector = SparseFeatureGraph()
    assert not hasattr(selector, "certificate_")
    for call in (
        lambda: selector.transform(np.eye(3)),
        lambda: selector.explain(0),
        lambda: selector.reconstruct(np.eye(3)),
        lambda: selector.get_support(),
        lambda: selector.to_networkx(),
        lambda: selector.plot_sweep(),
        lambda: selector.plot_levels(),
        lambda: selector.plot_groups(),
        lambda: selector.plot_predictability(),
        lambda: selector.report("report.html"),
    ):
        with pytest.raises(NotFittedError):
            call()

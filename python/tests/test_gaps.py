"""NaN as gaps, and features compared within batches."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from sfg import SparseFeatureGraph, predictability, sweep
from sfg.errors import InvalidOptionError, MalformedInputError

NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def holed():
    random = np.random.RandomState(3)
    X = random.normal(size=(80, 4))
    X[:, 3] = X[:, 0] + 0.05 * X[:, 3]
    X[random.uniform(size=X.shape) < 0.1] = np.nan
    return X


@pytest.fixture
def plates():
    return np.repeat(["p1", "p2", "p3", "p4"], 20)


@parametrize_with_checks([SparseFeatureGraph(missing="pairwise")])
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_nan_is_refused_unless_asked_for(holed):
    with pytest.raises(ValueError, match="NaN"):
        SparseFeatureGraph().fit(holed)
    assert not SparseFeatureGraph()._more_tags()["allow_nan"]
    assert SparseFeatureGraph(missing="pairwise")._more_tags()["allow_nan"]
    with pytest.raises(InvalidOptionError, match="missing='mean'"):
        SparseFeatureGraph(missing="mean").fit(holed)


def test_r2_is_that_of_the_samples_that_both_have(holed):
    selector = SparseFeatureGraph(missing="pairwise", max_r2=0.8).fit(pd.DataFrame(holed, columns=NAMES))
    certificate = pd.DataFrame(selector.certificate_)
    row = certificate.iloc[0]
    expected = pd.DataFrame(holed, columns=NAMES)[[row.feature, row.representative]].corr().iloc[0, 1] ** 2
    assert len(certificate) == 1
    assert row.r2 == pytest.approx(expected, abs=1e-12)


def test_transform_keeps_the_gaps(holed):
    selector = SparseFeatureGraph(missing="pairwise")
    kept = make_pipeline(selector).fit_transform(holed)
    np.testing.assert_array_equal(kept, holed[:, selector.kept_])


def test_a_feature_with_next_to_no_values_is_named(holed):
    holed[5:, 2] = np.nan
    with pytest.raises(ValueError, match="'c'"):
        SparseFeatureGraph(missing="pairwise").fit(pd.DataFrame(holed, columns=NAMES))


def test_sparse_gaps_are_gaps(holed):
    selector = SparseFeatureGraph(missing="pairwise", max_r2=0.8)
    dense = clone(selector).fit(holed)
    sparse = clone(selector).fit(sp.csc_matrix(holed))
    np.testing.assert_array_equal(sparse.kept_, dense.kept_)
    np.testing.assert_allclose(sparse.mean_r2_, dense.mean_r2_, atol=1e-9)


def test_functions_take_gaps_too(holed):
    assert np.isfinite(predictability(holed, missing="pairwise")).all()
    assert len(sweep(holed, [0.5], missing="pairwise")) == 1


def test_within_batches_is_as_centred_before(plates):
    random = np.random.RandomState(1)
    X = random.normal(size=(80, 5))
    shift = np.repeat([0, 10, 20, 30], 20)
    X[:, 0] += shift
    X[:, 1] += shift
    table = pd.DataFrame(X)
    centred = (table - table.groupby(plates).transform("mean")).to_numpy()
    selector = SparseFeatureGraph(max_r2=0.5)
    assert len(clone(selector).fit(X).kept_) == 4
    within = clone(selector).fit(X, batch=plates)
    before = clone(selector).fit(centred)
    np.testing.assert_array_equal(within.kept_, before.kept_)
    assert len(within.kept_) == 5
    np.testing.assert_allclose(predictability(X, batch=plates), predictability(centred), atol=1e-9)
    np.testing.assert_array_equal(clone(selector).fit_transform(X, batch=plates), X)


def test_combinations_within_batches_reconstruct_nothing(plates):
    X = np.random.RandomState(1).normal(size=(80, 3))
    X[:, 2] = X[:, 0]
    selector = SparseFeatureGraph().fit(X, batch=plates)
    with pytest.raises(InvalidOptionError, match="batch"):
        selector.reconstruct(X[:, selector.kept_])
    one = SparseFeatureGraph().fit(X, batch=np.repeat("all", 80))
    assert one.reconstruct(X[:, one.kept_]).shape == X.shape


def test_batches_that_are_none_are_refused_by_name(plates):
    X = np.random.RandomState(1).normal(size=(80, 3))
    unknown = plates.astype(object)
    unknown[3] = None
    with pytest.raises(MalformedInputError, match="number 3"):
        SparseFeatureGraph().fit(X, batch=unknown)
    alone = plates.copy()
    alone[0] = "p9"
    with pytest.raises(ValueError, match="p9"):
        SparseFeatureGraph().fit(X, batch=alone)

"""The scale on which features are compared."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import rankdata, spearmanr
from sklearn.base import clone
from sfg import SparseFeatureGraph, sweep
from sfg.errors import InvalidOptionError, MalformedInputError


@pytest.fixture(scope="module")
def growing():
    """Five features, growing functions of them, ties, and a constant."""
    random = np.random.RandomState(3)
    base = random.normal(size=(150, 5))
    return np.asfortranarray(
        np.column_stack(
            [
                base,
                np.exp(3 * base[:, 0]),
                base[:, 1] ** 3,
                1 / (1 + np.exp(-5 * base[:, 2])),
                np.round(2 * base[:, 3]),
                -np.exp(base[:, 4]),
                base[:, 0] + base[:, 1],
                np.full(150, 4.0),
            ]
        )
    )


def same(one, other):
    np.testing.assert_array_equal(one.kept_, other.kept_)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.certificate_["feature"], other.certificate_["feature"])
    for column in ("r2", "held_out_r2", "combination_r2_in_sample", "best_kept_r2"):
        np.testing.assert_allclose(
            one.certificate_[column], other.certificate_[column], rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("parameters", [{}, {"grouping": "cover"}, {"max_r2": 0.8}, {"theta": 0.5}])
def test_rank_is_the_method_on_the_ranks_of_scipy(growing, parameters, n_jobs):
    ranks = np.asfortranarray(rankdata(growing, axis=0))
    found = SparseFeatureGraph(transformation="rank", n_jobs=n_jobs, **parameters).fit(growing)
    same(found, SparseFeatureGraph(**parameters).fit(ranks))


def test_growing_functions_are_copies_on_ranks_only(growing):
    on_ranks = SparseFeatureGraph(transformation="rank").fit(growing)
    as_they_are = SparseFeatureGraph().fit(growing)
    for copy, original in ((5, 0), (6, 1), (7, 2)):
        assert on_ranks.labels_[copy] == on_ranks.labels_[original]
        assert on_ranks.support_[[copy, original]].sum() == 1
    assert as_they_are.labels_[5] != as_they_are.labels_[0]


def test_r2_is_spearmans_squared(growing):
    found = SparseFeatureGraph(transformation="rank", n_features=4).fit(growing)
    names = {f"x{k}": k for k in range(growing.shape[1])}
    rows = found.certificate_
    checked = 0
    for feature, kept, r2, reason in zip(
        rows["feature"], rows["representative"], rows["r2"], rows["reason"]
    ):
        if reason != "redundant":
            continue
        rho = spearmanr(growing[:, names[feature]], growing[:, names[kept]]).statistic
        assert r2 == pytest.approx(rho**2, abs=1e-12)
        checked += 1
    assert checked > 2


def test_sparse_ranks_are_the_dense_ones(counts):
    sparse = SparseFeatureGraph(transformation="rank").fit(counts)
    same(sparse, SparseFeatureGraph().fit(rankdata(counts.toarray(), axis=0)))


@pytest.mark.parametrize("name, function", [("log1p", np.log1p), ("sqrt", np.sqrt)])
def test_log1p_and_sqrt_are_numpys(counts, name, function):
    found = SparseFeatureGraph(transformation=name).fit(counts)
    same(found, SparseFeatureGraph().fit(sp.csc_matrix(function(counts.toarray()))))


def test_winsor_moves_values_to_the_quantiles_of_numpy(growing):
    low, high = np.quantile(growing, [0.01, 0.99], axis=0)
    found = SparseFeatureGraph(transformation="winsor").fit(growing)
    same(found, SparseFeatureGraph().fit(np.clip(growing, low, high)))


def test_the_callers_data_stay(growing):
    before = growing.copy()
    SparseFeatureGraph(transformation="rank").fit(growing)
    np.testing.assert_array_equal(growing, before)


def test_kept_columns_are_those_of_the_data(growing):
    selector = SparseFeatureGraph(transformation="rank").fit(growing)
    np.testing.assert_array_equal(selector.transform(growing), growing[:, selector.kept_])


def test_combinations_name_their_scale(growing):
    selector = SparseFeatureGraph(transformation="rank").fit(growing)
    rows = selector.certificate_
    texts = [text for text, why in zip(rows["combination"], rows["reason"]) if why == "redundant"]
    assert texts and all("rank(x" in text for text in texts)
    removed = rows["feature"][0]
    assert selector.explain(removed).terms[0][0].startswith("rank(")


def test_reconstruct_does_not_mix_scales(growing):
    selector = SparseFeatureGraph(transformation="rank").fit(growing)
    with pytest.raises(InvalidOptionError, match="transformation='rank'"):
        selector.reconstruct(growing[:, selector.kept_])
    assert selector.inverse_transform(growing[:, selector.kept_]).shape == growing.shape


def test_negative_values_have_no_logarithm(growing):
    with pytest.raises(MalformedInputError, match="log1p is for values from 0"):
        SparseFeatureGraph(transformation="log1p").fit(growing)


def test_sweep_takes_it_too(growing):
    ranks = np.asfortranarray(rankdata(growing, axis=0))
    found = sweep(growing, [0.5, 0.2], transformation="rank")
    expected = sweep(ranks, [0.5, 0.2])
    np.testing.assert_array_equal(found["n_kept"], expected["n_kept"])
    np.testing.assert_allclose(found["mean_r2"], expected["mean_r2"])


def test_an_estimator_has_the_option_beside_its_method():
    selector = clone(SparseFeatureGraph(transformation="rank"))
    assert selector.get_params()["transformation"] == "rank"
    assert inspect.ismethod(selector.transform)

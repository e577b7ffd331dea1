"""Who is kept of a group: by a target, by cost, and what is to be avoided."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from sfg import SparseFeatureGraph

#: As many groups as there are families.
grouped = partial(SparseFeatureGraph, n_features=30)


@pytest.fixture(scope="module")
def families():
    """Thirty families of four features that follow one hidden feature each, and a target."""
    random = np.random.RandomState(2)
    hidden = random.normal(size=(100, 30))
    X = np.repeat(hidden, 4, axis=1) + 0.3 * random.normal(size=(100, 120))
    return np.asfortranarray(X), hidden[:, 0] + 0.5 * hidden[:, 1]


def best_of(group, X, y):
    return group[np.argmax([np.corrcoef(X[:, j], y)[0, 1] ** 2 for j in group])]


def test_the_target_chooses_members_and_never_groups(families):
    X, y = families
    usual = grouped().fit(X)
    chosen = grouped(representative="target").fit(X, y)
    np.testing.assert_array_equal(chosen.labels_, usual.labels_)
    assert (chosen.representatives_ != usual.representatives_).any()
    for group, kept in zip(chosen.groups_, chosen.representatives_):
        assert kept == best_of(group, X, y)


def test_y_is_ignored_without_that_rule(families):
    X, y = families
    np.testing.assert_array_equal(grouped().fit(X, y).kept_, grouped().fit(X).kept_)


def test_samples_without_a_target_are_left_out(families):
    X, y = families
    gaps = y.copy()
    gaps[[3, 50]] = np.nan
    known = ~np.isnan(gaps)
    chosen = grouped(representative="target").fit(X, gaps)
    for group, kept in zip(chosen.groups_, chosen.representatives_):
        assert kept == best_of(group, X[known], y[known])


def test_a_target_that_cannot_choose_is_refused(families):
    X, y = families
    selector = grouped(representative="target")
    with pytest.raises(ValueError, match="requires y"):
        selector.fit(X)
    with pytest.raises(ValueError, match="one value throughout"):
        selector.fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="missing in every sample"):
        selector.fit(X, np.full(len(y), np.nan))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        selector.fit(X, y[:-1])


def test_permuted_classes_score_at_chance_in_a_pipeline():
    """The target is seen on the training folds only. Seen on all samples, it leaks."""
    random = np.random.RandomState(0)
    X = np.repeat(random.normal(size=(60, 40)), 8, axis=1) + 0.6 * random.normal(size=(60, 320))
    y = np.repeat([0, 1], 30)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    within, outside = [], []
    for seed in range(8):
        permuted = np.random.RandomState(seed).permutation(y)
        selector = SparseFeatureGraph(
            representative="target", n_features=40, combinations=False, certify_sample=1
        )
        model = LogisticRegression(max_iter=2000)
        within.append(cross_val_score(make_pipeline(selector, model), X, permuted, cv=folds).mean())
        leaky = selector.fit_transform(X, permuted)
        outside.append(cross_val_score(model, leaky, permuted, cv=folds).mean())
    # Eight means of 60 answers: standard error 0.5 / sqrt(480) = 0.023.
    assert abs(np.mean(within) - 0.5) < 0.1
    assert np.mean(outside) > np.mean(within) + 0.05


def test_costs_are_an_array_or_a_dict(families):
    X, _ = families
    cost = np.full(X.shape[1], 2.0)
    cost[3::4] = 1
    by_array = grouped(cost=cost).fit(X)
    by_name = grouped(cost={f"x{j}": 1.0 for j in range(3, X.shape[1], 4)}).fit(X)
    np.testing.assert_array_equal(by_array.kept_, by_name.kept_)
    for group, kept in zip(by_array.groups_, by_array.representatives_):
        assert kept % 4 == 3 or not (group % 4 == 3).any()
    with pytest.raises(ValueError, match="shape"):
        grouped(cost=cost[1:]).fit(X)
    with pytest.raises(ValueError, match="no feature 'nobody'"):
        grouped(cost={"nobody": 1}).fit(X)
    with pytest.raises(ValueError, match="needs cost"):
        grouped(representative="cost").fit(X)
    with pytest.raises(ValueError, match="isnan"):
        grouped(representative="missing").fit(X)


def test_others_are_kept_in_place_of_features_to_avoid(families):
    X, _ = families
    usual = grouped().fit(X)
    avoiding = grouped(avoid=usual.kept_).fit(X)
    np.testing.assert_array_equal(avoiding.labels_, usual.labels_)
    alone = [group[0] for group in usual.groups_ if len(group) == 1 and usual.support_[group[0]]]
    np.testing.assert_array_equal(avoiding.kept_though_avoided_, sorted(alone))
    with pytest.raises(ValueError, match="both to be kept and to be avoided"):
        grouped(avoid=[1], keep=[1]).fit(X)


def test_a_kept_feature_names_its_stand_in(families):
    X, _ = families
    selector = grouped().fit(X)
    group = max(selector.groups_, key=len)
    kept = selector.representatives_[selector.labels_[group[0]]]
    explanation = selector.explain(int(kept))
    r2 = {f"x{j}": np.corrcoef(X[:, j], X[:, kept])[0, 1] ** 2 for j in group if j != kept}
    assert explanation.stand_in == max(r2, key=r2.get)
    assert explanation.stand_in_r2 == pytest.approx(max(r2.values()))
    assert explanation.mean_r2 == pytest.approx(np.mean(list(r2.values())))
    assert f"if you cannot measure x{kept}, take {explanation.stand_in}" in str(explanation)
    removed = selector.explain(explanation.stand_in)
    assert removed.stand_in is None


def test_the_command_line_agrees(families, command_line, tmp_path):
    X, y = families
    names = [f"x{j}" for j in range(X.shape[1])]
    table = tmp_path / "t.csv"
    rows = [",".join([*map(repr, map(float, row)), repr(float(value))]) for row, value in zip(X, y)]
    table.write_text("\n".join([",".join([*names, "y"]), *rows]) + "\n")
    document = command_line("reduce", table, "--target", "y", "--n-features", 30)
    selector = grouped(representative="target").fit(X, y)
    np.testing.assert_array_equal(selector.kept_, document["kept"])
    one = f"x{selector.representatives_[selector.labels_[0]]}"
    stand_in = command_line("explain", table, one, "--target", "y", "--n-features", 30)["stand_in"]
    explanation = selector.explain(one)
    assert explanation.stand_in == stand_in["feature"]
    assert explanation.stand_in_r2 == stand_in["r2"]
    assert explanation.mean_r2_instead == stand_in["mean_r2_instead"]

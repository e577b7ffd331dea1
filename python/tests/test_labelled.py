"""Selectors that choose by labels, against slow versions of the published programs."""

import numpy as np
import pytest

from sfg import FAST, FCBF, GRM, MRMR, MRSF
from sfg.errors import Error


@pytest.fixture(scope="module")
def discrete():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (80, 25)).astype(float)
    X[:, 20] = X[:, 2]
    X[:, 21] = 3 - X[:, 5]
    X[:, 22] = 1
    y = np.where(rng.random(80) < 0.7, X[:, 2], X[:, 5])
    return X, y.astype(int)


def entropy(*columns):
    _, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    p = counts / counts.sum()
    return -(p * np.log2(p)).sum()


def information(a, b):
    return entropy(a) + entropy(b) - entropy(a, b)


def uncertainty(a, b):
    both = entropy(a) + entropy(b)
    return 2 * information(a, b) / both if both > 0 else 0.0


def test_mrmr_picks_what_the_loop_of_its_paper_picks(discrete):
    X, y = discrete
    relevance = [information(x, y) for x in X.T]
    picks = []
    while len(picks) < 12:
        rest = [j for j in range(25) if j not in picks and j != 22]  # constant: after all others
        redundancy = [np.mean([information(X[:, j], X[:, p]) for p in picks] or [0]) for j in rest]
        values = np.round([relevance[j] - r for j, r in zip(rest, redundancy)], 10)
        picks.append(rest[int(np.argmax(values))])
    np.testing.assert_array_equal(MRMR(12).fit(X, y).selected_, picks)


def test_fcbf_keeps_and_removes_what_its_loop_does(discrete):
    X, y = discrete
    relevance = np.round([uncertainty(x, y) for x in X.T], 10)
    rest = [j for j in range(25) if relevance[j] > 0]
    kept, by = [], {}
    while rest:
        p = max(rest, key=lambda j: (relevance[j], -j))
        kept.append(p)
        gone = [q for q in rest if q != p and round(uncertainty(X[:, p], X[:, q]), 10) >= relevance[q]]
        by |= dict.fromkeys(gone, p)
        rest = [q for q in rest if q != p and q not in gone]
    selector = FCBF().fit(X, y)
    np.testing.assert_array_equal(selector.selected_, kept)
    removed = dict(zip(selector.removed_["feature"].tolist(), selector.removed_["by"].tolist()))
    assert {j: p for j, p in removed.items() if p >= 0} == by
    assert removed[22] == -1
    assert by[20] == 2


def test_as_many_as_asked_for_are_the_first_of_all(discrete):
    X, y = discrete
    for kind in (FCBF, FAST):
        everything = kind().fit(X, y).selected_
        np.testing.assert_array_equal(kind(1).fit(X, y).selected_, everything[:1])


def test_labels_are_required_where_they_are_looked_at(discrete):
    X, y = discrete
    for selector in (MRMR(3), FCBF(), FAST(), MRSF(3, spectral_targets="labels"), GRM(3, base_method="fcbf")):
        with pytest.raises(Error, match="requires y"):
            selector.fit(X)
        selector.fit(X, y)
        assert not selector.support_[22]
    with pytest.raises(Error, match="one value"):
        MRMR(3).fit(X, np.ones(80))

"""Neighbours along a line: only near features stand for each other."""

import numpy as np
import pytest

from sfg import SparseFeatureGraph


@pytest.fixture(scope="module")
def spectrum():
    """Sixty features, each much like the one before it."""
    random = np.random.RandomState(4)
    X = random.normal(size=(80, 60))
    for j in range(1, 60):
        X[:, j] = 0.97 * X[:, j - 1] + np.sqrt(1 - 0.97**2) * X[:, j]
    return X


def near(width, **options):
    return SparseFeatureGraph(window=width, **options)


@pytest.mark.parametrize("options", [{"max_r2": 0.5}, {"grouping": "compact", "equations": False}])
def test_only_near_features_stand_for_each_other(spectrum, options):
    fitted = near(4, **options).fit(spectrum)
    for group, kept in zip(fitted.groups_, fitted.representatives_):
        assert np.abs(np.asarray(group) - kept).max() <= 4
    assert len(fitted.kept_) < 60
    wide = near(60, **options).fit(spectrum)
    plain = SparseFeatureGraph(**options).fit(spectrum)
    np.testing.assert_array_equal(wide.labels_, plain.labels_)


def test_positions_are_an_array_pairs_a_dict_or_a_file(spectrum, tmp_path):
    order = np.random.RandomState(1).permutation(60)
    plain = near(4, max_r2=0.5).fit(spectrum)
    path = tmp_path / "positions.tsv"
    path.write_text("".join(f"x{j}\tchr1\t{1000 * place}\n" for j, place in enumerate(order)))
    for positions in (
        1000.0 * order,
        [("chr1", 1000 * place) for place in order],
        {f"x{j}": 1000 * place for j, place in enumerate(order)},
        path,
    ):
        fitted = near("4k", positions=positions, max_r2=0.5).fit(spectrum[:, order])
        np.testing.assert_array_equal(np.sort(order[fitted.kept_]), plain.kept_)


def test_chromosomes_never_mix(spectrum):
    twice = np.hstack([spectrum, spectrum])
    positions = [(chromosome, place) for chromosome in ("X", "Y") for place in range(60)]
    kept = near(4, positions=positions, max_r2=0.5).fit(twice).kept_
    np.testing.assert_array_equal(kept[kept < 60], kept[kept >= 60] - 60)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"positions": np.arange(60)}, "add window"),
        ({"window": 5, "grouping": "cover"}, "compact and pairwise"),
        ({"window": 5, "theta": 0.5}, "compact and pairwise"),
        ({"window": 5, "positions": np.arange(59)}, "59 for 60 features"),
        ({"window": 5, "positions": {"x0": 1}}, "no position of 'x1', 'x2', 'x3'"),
        ({"window": "5 kb"}, "such as 500, 250k or 1M"),
    ],
)
def test_what_has_no_meaning_is_refused(spectrum, options, words):
    with pytest.raises(ValueError, match=words):
        SparseFeatureGraph(**options).fit(spectrum)

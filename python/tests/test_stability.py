"""How much the answer depends on the samples."""

import numpy as np
import pandas as pd
import pytest

from sfg import SparseFeatureGraph, stability
from sfg.errors import DegenerateDataError, InvalidOptionError


@pytest.fixture(scope="module")
def file(tmp_path_factory, planted):
    path = tmp_path_factory.mktemp("stability") / "planted.npy"
    np.save(path, planted)
    return path


def test_shares_are_those_of_the_selector_on_the_halves(planted):
    found = stability(planted, repeats=6)
    assert list(found.kept_) == list(SparseFeatureGraph().fit(planted).kept_)
    assert len(found.n_kept) == 6
    assert found.n_seen == len(planted) // 2
    kept = found.features[found.features["kept"]]
    assert list(kept["index"]) == list(found.kept_)
    assert (kept["family_share"] >= kept["kept_share"]).all()
    assert list(kept["index"][kept["stable"]]) == list(found.stable_)
    # As many features are counted in the repeats as were kept there.
    assert found.features["kept_share"].sum() * 6 == pytest.approx(found.n_kept.sum())
    assert found.agreement.low <= found.agreement.index <= found.agreement.high
    assert 0 <= found.family_agreement.jaccard_apart <= 1
    assert "stable" in found.verdict


def test_agrees_with_the_command_line(planted, file, command_line):
    document = command_line("stability", file, "--repeats", "4", "--n-features", "12")
    found = stability(planted, repeats=4, n_features=12)
    assert found.verdict == document["verdict"]
    assert list(found.n_kept) == document["n_kept_by_repeat"] == [12] * 4
    assert found.agreement.index == document["agreement"]["index"]
    for name in ("index", "kept_share", "family_share", "group_size"):
        assert list(found.features[name]) == [one[name] for one in document["features"]]


def test_threads_change_nothing_and_the_seed_does(planted):
    one, many, other = (
        stability(planted, repeats=4, n_features=12, **how)
        for how in ({"n_jobs": 1}, {"n_jobs": 4}, {"random_state": 2})
    )
    pd.testing.assert_frame_equal(one.features, many.features)
    assert not one.features.equals(other.features)


def test_bootstrap_has_no_halves(planted):
    found = stability(planted, repeats=3, resample="bootstrap", same_number=True)
    assert found.agreement.jaccard_apart is None
    assert set(found.n_kept) == {len(found.kept_)}
    assert found.n_seen == len(planted)


def test_names_and_target_come_from_the_caller(planted):
    table = pd.DataFrame(planted).add_prefix("gene")
    y = planted[:, 0] > np.median(planted[:, 0])
    found = stability(table, y, repeats=2, representative="target")
    assert found.features["feature"].str.startswith("gene").all()
    with pytest.raises(InvalidOptionError, match="target"):
        stability(table, repeats=2, representative="target")


def test_what_cannot_be_is_refused(planted):
    with pytest.raises(InvalidOptionError, match="even number"):
        stability(planted, repeats=5)
    with pytest.raises(InvalidOptionError, match="repeats"):
        stability(planted, repeats=0)
    with pytest.raises(DegenerateDataError, match="at least 6"):
        stability(planted[:5], repeats=2)
    with pytest.raises(InvalidOptionError, match="same_number"):
        stability(planted, repeats=2, same_number=True, theta=0.5)


def test_halves_that_are_too_small_to_be_judged_are_told(planted):
    with pytest.warns(UserWarning, match="resample='bootstrap'"):
        stability(planted[:40], repeats=2)


def test_plot_has_a_title_and_a_curve_of_each_share(planted):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = stability(planted, repeats=2)
    axes = found.plot()
    assert "kept features are stable" in axes.get_title()
    assert len(axes.get_lines()) == 4
    assert len(axes.get_lines()[0].get_xdata()) == len(found.kept_)
    assert found.plot(axes) is axes

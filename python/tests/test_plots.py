"""Pictures of a reduction, and what a notebook shows of it."""

import numpy as np
import pytest

from sfg import SparseFeatureGraph, errors

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def families():
    """Forty features: 8 sources, three noisy copies of each, 8 columns of noise."""
    random = np.random.RandomState(5)
    sources = random.normal(size=(120, 8))
    copies = [sources + 0.3 * random.normal(size=sources.shape) for _ in range(3)]
    return np.hstack([sources, *copies, random.normal(size=(120, 8))])


@pytest.fixture(scope="module")
def selector(families):
    return SparseFeatureGraph(unshared="keep").fit(families)


def test_the_curve_of_levels_has_every_level_that_was_judged(selector):
    axes = selector.plot_levels()
    overlap = axes.get_lines()[0]
    assert list(overlap.get_xdata()) == list(selector.levels_["n_kept"])
    assert list(overlap.get_ydata()) == list(selector.levels_["overlap"])
    assert axes.get_lines()[2].get_xdata()[0] == len(selector.kept_)
    assert selector.plot_levels(ax=axes) is axes


def test_a_level_that_was_asked_for_has_no_curve(families):
    with pytest.raises(errors.InvalidOptionError, match="plot_sweep"):
        SparseFeatureGraph(n_features=5).fit(families).plot_levels()


def test_bars_of_groups_are_their_sizes_and_what_the_kept_member_explains(families):
    selector = SparseFeatureGraph(n_features=16).fit(families)
    axes = selector.plot_groups(n=3)
    sizes = [bar.get_width() for bar in axes.patches[:3]]
    assert sizes == sorted((len(group) for group in selector.groups_), reverse=True)[:3]
    largest = max(selector.groups_, key=len)
    name = axes.get_yticklabels()[0].get_text()
    representative = selector.representatives_[selector.labels_[largest[0]]]
    assert name == f"x{representative}"
    r2 = np.corrcoef(families[:, largest].T)[list(largest).index(representative)] ** 2
    assert axes.patches[3].get_width() == pytest.approx(r2.sum())
    with pytest.raises(errors.InvalidOptionError):
        selector.plot_groups(n=0)


def test_every_feature_is_in_one_bar_of_predictability(selector):
    axes = selector.plot_predictability()
    counted = [sum(bar.get_height() for bar in bars) for bars in axes.containers]
    assert sum(counted) == 40
    assert counted[1] == selector.unshared_.sum() > 0
    theirs = SparseFeatureGraph("components").fit(np.random.RandomState(0).normal(size=(20, 4)))
    with pytest.raises(errors.InvalidOptionError):
        theirs.plot_predictability()


def test_a_notebook_shows_the_verdict_and_reasons_as_text(families):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    names = ["<b>&", *[f"x{k}" for k in range(1, 40)]]
    selector = SparseFeatureGraph(keep=["<b>&"]).fit(pandas.DataFrame(families, columns=names))
    shown = selector._repr_mimebundle_()["text/html"]
    assert selector.verdict_.split(".")[0] in shown
    assert "sk-" in shown
    reason = selector.explain("<b>&")._repr_html_()
    assert "<b>&lt;b&gt;&amp;</b>" in reason
    assert "<b>&</b>" not in reason
    assert "verdict" not in SparseFeatureGraph()._repr_mimebundle_()["text/html"]

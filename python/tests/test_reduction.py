"""Groups, reasons, graph, levels."""

import importlib

import numpy as np
import pandas as pd
import pytest

from sfg import Explanation, SparseFeatureGraph, _core
from sfg.errors import Error, InvalidOptionError, MissingPackageError, NotBuiltError


@pytest.fixture(scope="module")
def named(planted):
    return pd.DataFrame(planted).add_prefix("gene")


@pytest.fixture(scope="module")
def selector(named):
    return SparseFeatureGraph().fit(named)


def without(monkeypatch, package):
    """Makes an installed package look as if it were not."""
    real = importlib.import_module

    def refuse(name, *rest):
        if name.split(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", refuse)


# --- groups and reasons ------------------------------------------------------------------------------


def test_copies_leave_one_feature_of_each_family(selector):
    for family in ([0, 40], [19, 59], [25, 65], [35, 75]):
        assert selector.support_[family].sum() == 1
    assert not selector.support_[90]  # constant
    assert selector.kind_[90] == "constant"


def test_groups_labels_and_representatives_fit_each_other(selector):
    for number, members in enumerate(selector.groups_):
        assert (selector.labels_[members] == number).all()
        assert selector.representatives_[number] in members
    assert sum(map(len, selector.groups_)) == selector.n_features_in_


def test_each_removed_feature_has_a_row_in_the_certificate(selector, named):
    table = selector.certificate_
    assert list(table.columns) == [
        "feature",
        "representative",
        "r2",
        "held_out_r2",
        "combination",
        "combination_r2_in_sample",
        "reason",
        "certificate",
        "best_kept",
        "best_kept_r2",
    ]
    assert len(table) == (~selector.support_).sum()
    for row in table[table.representative.notna()].itertuples():
        r = np.corrcoef(named[row.feature], named[row.representative])[0, 1]
        assert row.r2 == pytest.approx(r**2)


def test_without_pandas_the_certificate_is_a_record_array(selector, monkeypatch):
    expected = selector.certificate_
    without(monkeypatch, "pandas")
    table = selector.certificate_
    assert isinstance(table, np.recarray)
    np.testing.assert_array_equal(table.r2, expected["r2"])
    assert list(table.combination) == list(expected["combination"])


def test_nothing_removed_is_an_empty_certificate(monkeypatch):
    X = np.random.RandomState(0).normal(size=(60, 5))
    selector = SparseFeatureGraph().fit(X)
    assert selector.support_.all()
    assert len(selector.certificate_) == 0
    without(monkeypatch, "pandas")
    assert len(selector.certificate_) == 0


def test_a_removed_feature_is_explained_by_name_and_by_number(selector):
    removed = np.flatnonzero(~selector.support_)[0]
    explanation = selector.explain(f"gene{removed}")
    assert explanation == selector.explain(int(removed))
    assert isinstance(explanation, Explanation)
    assert explanation.role == "removed"
    assert f"{explanation.representative} is kept instead" in str(explanation)
    assert all(name.startswith("gene") for name, _ in explanation.terms)


def test_the_nearest_kept_feature_is_named_where_it_is_nearer_than_the_representative():
    random = np.random.RandomState(5)
    sources = random.normal(size=(80, 12))
    mixed = sources @ random.normal(size=(12, 60)) + 0.5 * random.normal(size=(80, 60))
    selector = SparseFeatureGraph(n_features=10, keep=[0, 1, 2, 3]).fit(mixed)
    correlation = np.corrcoef(mixed.T) ** 2
    told = 0
    for feature in np.flatnonzero(~selector.support_):
        explanation = selector.explain(int(feature))
        nearest = selector.kept_[np.argmax(correlation[feature, selector.kept_])]
        assert explanation.best_kept == f"x{nearest}"
        assert explanation.best_kept_r2 == pytest.approx(correlation[feature, nearest])
        is_told = f"the nearest kept feature is x{nearest}" in str(explanation)
        assert is_told == (explanation.best_kept != explanation.representative)
        told += is_told
    assert told > 0
    assert selector.explain(int(selector.kept_[0])).best_kept is None


def test_kept_and_constant_features_are_explained(planted):
    selector = SparseFeatureGraph(keep=[0, 40]).fit(planted)
    assert selector.explain(90).role == "empty"
    for feature in (0, 40):
        assert selector.explain(feature).role in {"kept", "representative"}
        assert ": kept, " in str(selector.explain(feature))


def test_the_answer_is_told_in_words_equations_and_levels():
    random = np.random.RandomState(3)
    X = random.normal(size=(300, 30))
    X = np.column_stack([X, X[:, 0] + X[:, 1] - 2 * X[:, 2], -3 * X[:, 5]])
    selector = SparseFeatureGraph().fit(X)
    assert "31" not in selector.verdict_ and "32 features: 30 say" in selector.verdict_
    assert selector.equations_ == {"x30": "x0 + x1 - 2*x2"} or len(selector.equations_) == 1
    assert len(selector.predictability_) == len(selector.unshared_) == 32
    assert selector.predictability_[30] > 0.99
    assert list(selector.certificate_["reason"]) == ["exact", "redundant"]
    assert list(selector.certificate_["certificate"]) == ["exact", "copy"]
    assert "exact sum" in str(selector.explain(int(np.flatnonzero(~selector.support_)[0])))


def test_features_that_share_nothing_are_dropped_kept_and_explained():
    random = np.random.RandomState(4)
    sources = random.normal(size=(100, 5))
    shared = sources @ random.normal(size=(5, 80)) + 0.5 * random.normal(size=(100, 80))
    X = np.column_stack([shared, random.normal(size=(100, 60))])
    dropped = SparseFeatureGraph(unshared="drop").fit(X)
    assert dropped.unshared_[80:].mean() > 0.9 and dropped.unshared_[:80].mean() < 0.05
    assert not dropped.support_[dropped.unshared_].any()
    gone = int(np.flatnonzero(dropped.unshared_)[0])
    assert "shares nothing" in str(dropped.explain(gone))
    kept = SparseFeatureGraph(unshared="keep").fit(X)
    assert kept.support_[kept.unshared_].all()


@pytest.mark.parametrize("feature", ["nobody", 91, -1])
def test_unknown_features_are_refused_by_name(selector, feature):
    with pytest.raises(ValueError, match="there is no feature"):
        selector.explain(feature)


def test_removed_features_are_reconstructed_from_the_kept_ones(selector, named):
    full = selector.reconstruct(selector.transform(named))
    exact = selector._removed["feature"][selector._removed["combination_r2"] > 1 - 1e-12]
    assert len(exact) > 20
    np.testing.assert_allclose(full[:, exact], named.to_numpy()[:, exact], atol=1e-9)
    np.testing.assert_array_equal(full[:, selector.kept_], named.to_numpy()[:, selector.kept_])
    with pytest.raises(ValueError, match="were kept"):
        selector.reconstruct(named)


def test_inverse_transform_puts_zeros_for_removed_features(selector, named):
    full = selector.inverse_transform(selector.transform(named))
    assert (full[:, ~selector.support_] == 0).all()


# --- parameters --------------------------------------------------------------------------------------


def test_protected_features_are_kept_by_name_number_and_mask(named):
    mask = np.zeros(named.shape[1], dtype=bool)
    mask[[3, 43]] = True
    for keep in (["gene3", "gene43"], [3, 43], mask):
        assert SparseFeatureGraph(keep=keep).fit(named).support_[[3, 43]].all()


def test_preferred_features_represent_their_groups(named):
    for preferred, other in ((2, 42), (42, 2)):
        selector = SparseFeatureGraph(priority=[f"gene{preferred}"]).fit(named)
        assert selector.support_[preferred]
        assert not selector.support_[other]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"grouping": "compact", "theta": 0.5}, "theta is for components groups, not for compact ones"),
        ({"grouping": "components", "theta": 1.5}, "theta"),
        ({"grouping": "components", "n_features": 5}, "n_features is for compact and cover groups"),
        ({"grouping": "components", "theta": 0.5, "weight_threshold": 0.1}, "give one"),
        ({"grouping": "components", "weight_threshold": -1}, "at least 0"),
        ({"grouping": "components", "edges": "knn"}, "edges is for compact groups"),
        ({"grouping": "wards"}, "compact"),
        ({"edges": "lasso"}, "edges"),
        ({"engine": "warp"}, "engine"),
        ({"preset": "thesis"}, "preset"),
        ({"n_features": 0}, "n_features must be at least 1, not 0"),
        ({"keep_share": 1.5}, "keep_share must be above 0 and at most 1, not 1.5"),
        ({"n_features": 5, "min_overlap": 0.9}, "give one"),
        ({"min_mean_r2": 0}, "min_mean_r2 must be above 0"),
        ({"epsilon": -1}, "epsilon"),
        ({"max_atoms": 0}, "max_atoms must be at least 1, not 0"),
        ({"keep": ["nobody"]}, "keep"),
        ({"keep": [4711]}, "keep"),
        ({"keep": [True, False]}, "mask"),
        ({"representative": "priority"}, "priority"),
        ({"representative": "medoid", "priority": [1]}, "leave out representative"),
        ({"grouping": "cover", "representative": "medoid"}, "cover"),
        ({"max_r2": 0}, "max_r2 must be above 0 and at most 1, not 0"),
        ({"max_r2": 0.8, "n_features": 5}, "n_features is for compact and cover groups, not for pairwise"),
        ({"max_r2": 0.8, "theta": 0.5}, "max_r2 and theta or weight_threshold are of different groupings"),
        ({"grouping": "pairwise", "theta": 0.5}, "theta is for components groups, not for pairwise ones"),
        ({"grouping": "compact", "max_r2": 0.8}, "max_r2 is for pairwise groups, not for compact ones"),
        ({"grouping": "compact", "preset": "paper"}, "leave out grouping='compact'"),
        ({"grouping": "components", "max_r2": 0.8}, "max_r2 is for pairwise groups"),
        ({"max_r2": 0.8, "certify": 0.5}, "certify brings features back"),
        ({"max_r2": 0.8, "representative": "medoid"}, "pairwise"),
        ({"certify_sample": "some"}, "certify_sample"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"memory_limit": "lots"}, "memory_limit"),
    ],
    ids=str,
)
def test_parameters_without_meaning_are_value_errors(parameters, message, planted):
    with pytest.raises(ValueError, match=message) as caught:
        SparseFeatureGraph(**parameters).fit(planted)
    assert isinstance(caught.value, Error)


@pytest.mark.parametrize("parameters", [{"epsilon": "small"}, {"max_atoms": 2.5}], ids=str)
def test_parameters_of_the_wrong_type_are_type_errors_with_their_name(parameters, planted):
    with pytest.raises(TypeError, match=next(iter(parameters))):
        SparseFeatureGraph(**parameters).fit(planted)


# --- levels ----------------------------------------------------------------------------------------


def test_the_cut_of_the_hierarchy_at_the_chosen_level_is_the_groups(planted):
    selector = SparseFeatureGraph(n_features=30).fit(planted)
    hierarchy = selector.hierarchy_
    n_merges = hierarchy.n_features - len(selector.groups_)
    np.testing.assert_array_equal(hierarchy.cut(n_merges), selector.labels_)
    np.testing.assert_array_equal(hierarchy.cut(0), np.arange(91))
    with pytest.raises(ValueError, match="merges"):
        hierarchy.cut(len(hierarchy) + 1)


def test_the_papers_hierarchy_counts_what_each_theta_keeps(planted):
    levels = SparseFeatureGraph("components").fit(planted).hierarchy_.levels()
    for theta in (0.2, 0.5, 0.8):
        expected = len(SparseFeatureGraph("components", theta=theta).fit(planted).groups_)
        joined = levels[levels.theta > theta]
        assert (joined.n_kept.iloc[-1] if len(joined) else 91) == expected


def test_cover_has_picks_instead_of_merges(planted):
    selector = SparseFeatureGraph("cover").fit(planted)
    assert selector.graph_ is None
    assert set(selector.kept_) >= set(selector.hierarchy_.steps["picks"])
    assert list(selector.hierarchy_.levels().columns) == ["n_kept", "mean_r2"]
    with pytest.raises(ValueError, match="picks"):
        selector.hierarchy_.cut(3)


@pytest.mark.parametrize("max_r2", [0.1, 0.5, 0.9])
def test_kept_pairs_stay_below_max_r2_and_removed_features_reach_it(max_r2, planted):
    selector = SparseFeatureGraph(max_r2=max_r2).fit(planted)
    varies = planted.std(axis=0) > 0
    r2 = np.zeros((planted.shape[1],) * 2)
    r2[np.ix_(varies, varies)] = np.corrcoef(planted[:, varies].T) ** 2
    np.fill_diagonal(r2, 0)
    kept = selector.support_
    assert r2[np.ix_(kept, kept)].max() <= max_r2
    removed = ~kept & varies
    assert removed.any()
    assert r2[np.ix_(removed, kept)].max(axis=1).min() >= max_r2 - 1e-12
    assert selector.graph_ is None
    assert set(selector.hierarchy_.steps["picks"]) == set(selector.kept_)
    with pytest.raises(ValueError, match="pairwise has no merges"):
        selector.hierarchy_.cut(3)


def test_pairwise_keeps_preferred_features_first(named):
    for preferred, other in ((2, 42), (42, 2)):
        selector = SparseFeatureGraph(max_r2=0.9, priority=[f"gene{preferred}"]).fit(named)
        assert selector.support_[preferred]
        assert not selector.support_[other]
    assert SparseFeatureGraph(max_r2=0.9, keep=[2, 42]).fit(named).support_[[2, 42]].all()


@pytest.mark.parametrize("grouping", ["compact", "cover", "components", "pairwise"])
def test_the_sweep_can_be_plotted(grouping, planted):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    selector = SparseFeatureGraph(grouping).fit(planted)
    axes = selector.plot_sweep()
    assert f"{len(selector.kept_)} of 91" in axes.get_title()
    assert selector.plot_sweep(ax=axes) is axes


def test_a_missing_package_is_named(selector, monkeypatch):
    for package, call in (("networkx", selector.to_networkx), ("matplotlib", selector.plot_sweep)):
        without(monkeypatch, package)
        with pytest.raises(MissingPackageError, match=f"pip install {package}") as caught:
            call()
        assert isinstance(caught.value, ImportError)
        monkeypatch.undo()


# --- graph -----------------------------------------------------------------------------------------


def test_the_graph_goes_to_networkx_without_failed_descriptions(planted):
    pytest.importorskip("networkx", reason="networkx is not installed")
    selector = SparseFeatureGraph("components", max_angle=5).fit(planted)
    graph = selector.to_networkx()
    passed = ~selector.failed_
    assert selector.failed_.any()
    assert graph.number_of_nodes() == 91
    assert graph.number_of_edges() == selector.graph_[passed].nnz
    assert selector.to_networkx(include_failed=True).number_of_edges() == selector.graph_.nnz
    i, j = (part[0] for part in selector.graph_[passed].nonzero())
    source = np.flatnonzero(passed)[i]
    assert graph[f"x{source}"][f"x{j}"]["weight"] == selector.graph_[source, j]
    assert graph.nodes["x0"]["kept"] == selector.support_[0]
    with pytest.raises(InvalidOptionError, match="cover"):
        SparseFeatureGraph("cover").fit(planted).to_networkx()


# --- report ----------------------------------------------------------------------------------------


needs_page = pytest.mark.skipif(not _core.has_report, reason="built without the report page")


@needs_page
def test_the_report_is_one_page_that_replaces_an_older_one(selector, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("older")
    selector.report(path, title="<planted>")
    page = path.read_text()
    assert page.startswith("<!doctype html>")
    assert "<planted>" not in page
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


@needs_page
def test_the_report_takes_classes_and_images(planted, tmp_path):
    n_samples, n_features = planted.shape
    selector = SparseFeatureGraph().fit(planted)
    plain, scored = tmp_path / "plain.html", tmp_path / "scored.html"
    selector.report(plain)
    classes = np.arange(n_samples) % 2
    selector.report(scored, y=classes, n_seeds=1, image=(1, n_features))
    assert scored.stat().st_size > plain.stat().st_size
    with pytest.raises(ValueError, match="pixels"):
        selector.report(plain, image=(3, n_features))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        selector.report(plain, y=classes[1:])


def test_a_build_without_the_page_says_so(selector, tmp_path, monkeypatch):
    monkeypatch.setattr(_core, "has_report", False)
    with pytest.raises(NotBuiltError, match="no HTML report") as caught:
        selector.report(tmp_path / "report.html")
    assert isinstance(caught.value, Error)
    assert list(tmp_path.iterdir()) == []

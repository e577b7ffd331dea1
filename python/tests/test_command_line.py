"""The same numbers as the command line's."""

import subprocess

import numpy as np
import pytest
import scipy.io

from sfg import (
    FSASL,
    MCFS,
    SPEC,
    Error,
    LaplacianScore,
    SparseFeatureGraph,
    SpectralClustering,
    accuracy_score,
    compare,
    nmi_score,
    read_table,
    sweep,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory, planted):
    path = tmp_path_factory.mktemp("data") / "planted.npy"
    np.save(path, planted)
    return path


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, []),
        ({"grouping": "cover"}, ["--grouping", "cover"]),
        ({"grouping": "pairwise"}, ["--grouping", "pairwise"]),
        ({"max_r2": 0.5}, ["--max-r2", 0.5]),
        ({"theta": 0.3}, ["--theta", 0.3]),
        ({"grouping": "components", "weight_threshold": 0.2}, ["--weight-threshold", 0.2]),
        ({"preset": "paper"}, ["--preset", "paper"]),
        ({"n_features": 30}, ["--n-features", 30]),
        ({"keep_share": 0.25}, ["--keep-share", 0.25]),
        ({"min_overlap": 0.85}, ["--min-overlap", 0.85]),
        ({"min_mean_r2": 0.5, "rescue": False}, ["--min-mean-r2", 0.5, "--no-rescue"]),
        ({"edges": "knn", "keep_empty": True}, ["--edges", "knn", "--keep-empty"]),
        ({"pursuit": "ols", "center": False}, ["--pursuit", "ols", "--no-center"]),
        ({"epsilon": 0.1, "max_atoms": 3}, ["--epsilon", 0.1, "--max-atoms", 3]),
        ({"certify": 0.9, "certify_sample": "all"}, ["--certify", 0.9, "--certify-sample", "all"]),
        ({"random_state": 5, "engine": "gram"}, ["--seed", 5, "--engine", "gram"]),
    ],
    ids=str,
)
def test_reduce_agrees(parameters, words, file, planted, command_line):
    document = command_line("reduce", file, *words)
    selector = SparseFeatureGraph(**parameters).fit(planted)
    np.testing.assert_array_equal(selector.kept_, document["kept"])
    groups = [group["members"] for group in document["groups"]]
    assert [group.tolist() for group in selector.groups_] == groups
    representatives = [group["representative"] for group in document["groups"]]
    np.testing.assert_array_equal(selector.representatives_, representatives)
    np.testing.assert_array_equal(selector.weights_, document["weights"])
    assert selector.mean_r2_ == document["mean_r2"]
    assert selector.r2_q10_ == document["r2_q10"]
    assert selector.neighbour_overlap_ == document["neighbour_overlap"]
    assert selector.threshold_ == document["threshold"]
    assert selector.description_ == document["method"]
    assert selector.n_rescued_ == document["n_rescued"]
    assert selector.permutation_check_ == document["permutation_check"]
    summary = {k: selector.certificate_summary_[k] for k in ("possible", "all", "removed", "permuted")}
    assert summary == {k: document["certificate"][k] for k in summary}


def test_the_graph_agrees(file, planted, command_line, tmp_path):
    import scipy.sparse as sp

    command_line("graph", file, "--center", "-o", tmp_path / "g.npz")
    graph = SparseFeatureGraph().fit(planted).graph_
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "g.npz").toarray(), graph.toarray())


def test_explanations_agree(file, planted, command_line):
    selector = SparseFeatureGraph().fit(planted)
    for feature in (0, 45, 65, 80, 90):
        document = command_line("explain", file, f"#{feature}")
        explanation = selector.explain(feature)
        assert explanation.role == document["role"]
        assert explanation.r2 == document["r2"]
        assert explanation.held_out_r2 == document["held_out_r2"]
        assert explanation.best_kept == (document["best_kept"] and document["best_kept"].replace("f", "x"))
        assert explanation.best_kept_r2 == document["best_kept_r2"]
        if explanation.role == "removed":
            text = document["combination"]["text"].replace("f", "x")
            assert explanation.combination == text


def test_sweep_agrees(file, planted, command_line):
    levels = command_line("sweep", file)["levels"]
    found = sweep(planted)
    for name in ("theta", "threshold", "n_kept", "largest_group", "mean_r2"):
        assert found[name].tolist() == [level[name] for level in levels], name


@pytest.mark.parametrize("grouping", ["compact", "cover"])
def test_sweep_judges_levels_as_the_command_line_does(grouping, file, planted, command_line):
    document = command_line("sweep", file, "--grouping", grouping)["levels"]
    found = sweep(planted, grouping=grouping)
    for name in ("n_kept", "overlap", "loss_ratio", "r2loo_mean"):
        expected = np.array([level[name] for level in document], dtype=float)
        np.testing.assert_array_equal(found[name], expected, err_msg=name)
    for name in ("good", "chosen"):
        assert found[name].tolist() == [level[name] for level in document], name


def test_sweep_has_thetas_for_the_papers_groups_only(planted):
    with pytest.raises(ValueError, match="thetas"):
        sweep(planted, thetas=[0.5], grouping="cover")
    with pytest.raises(ValueError, match="pairwise"):
        sweep(planted, grouping="pairwise")


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (MCFS(20), ["--method", "mcfs", "--responses", 5]),
        (MCFS(20, preset="paper"), ["--preset", "paper"]),
        (FSASL(20), ["--method", "fsasl", "--responses", 5]),
        (LaplacianScore(20), ["--method", "laplacian"]),
        (SPEC(20), ["--method", "spec"]),
    ],
    ids=str,
)
def test_select_agrees(selector, words, file, planted, command_line):
    document = command_line("select", file, "-m", 20, *words)
    selector.fit(planted)
    np.testing.assert_array_equal(selector.selected_, document["selections"][0]["features"])
    assert selector.status_ == document["status"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, []),
        ({"preset": "paper"}, ["--preset", "paper"]),
        ({"affinity": "heat-knn", "n_neighbors": 7}, ["--affinity", "heat-knn", "--neighbours", 7]),
        ({"scale": None, "random_state": 3}, ["--scale", "none", "--seed", 3]),
    ],
    ids=str,
)
def test_cluster_agrees(parameters, words, file, planted, command_line):
    document = command_line("cluster", file, "-k", 4, *words)
    clustering = SpectralClustering(4, **parameters).fit(planted)
    np.testing.assert_array_equal(clustering.labels_, document["labels"])


def test_scores_agree(command_line, tmp_path):
    random = np.random.RandomState(0)
    a, b = random.randint(4, size=50), random.randint(6, size=50)
    for name, labels in (("a", a), ("b", b)):
        (tmp_path / name).write_text("\n".join(map(str, labels)) + "\n")
    document = command_line("score", tmp_path / "a", tmp_path / "b")
    assert nmi_score(a, b) == document["nmi"]
    assert accuracy_score(a, b) == document["acc"]


def test_compare_agrees(file, planted, command_line):
    rows = command_line("compare", file, "--shares", "0.5,0.25")["rows"]
    found = compare(planted, shares=[0.5, 0.25]).rows
    assert found["competitor"].tolist() == [row["competitor"] for row in rows]
    for name in ("n_kept", "r2cv_mean", "mean_best_r2", "neighbour_overlap", "score"):
        expected = np.array([row[name] for row in rows], dtype=float)
        np.testing.assert_array_equal(found[name], expected, err_msg=name)
    assert found["accuracy"].isna().all()  # no labels, no classifiers
    assert found["reason"].tolist() == [row["reason"] or "" for row in rows]


def test_compare_with_labels_agrees(planted, command_line, tmp_path):
    y = np.where(planted[:, 0] > 0, "high", "low").tolist()
    path = tmp_path / "labelled.csv"
    names = [f"f{k}" for k in range(planted.shape[1])]
    lines = [",".join([*map(repr, row), label]) for row, label in zip(planted.tolist(), y)]
    path.write_text("\n".join([",".join([*names, "group"]), *lines]) + "\n")
    words = ["--n-features", "20,5", "--methods", "default,compact,variance,ward"]
    document = command_line("compare", path, "--labels", "group", *words)
    found = compare(planted, y, n_features=[20, 5], methods=["default", "compact", "variance", "ward"])
    assert found.verdict == document["verdict"]
    assert found.rows["competitor"].tolist() == ["all", "default"] + 2 * ["compact", "variance", "ward"]
    assert document["all_features"][0]["n_classes"] == 2
    for name in ("accuracy", "accuracy_1nn", "accuracy_5nn", "accuracy_linear", "nmi", "nmi_kmeans", "acc"):
        expected = np.array([row[name] for row in document["rows"]], dtype=float)
        np.testing.assert_array_equal(found.rows[name], expected, err_msg=name)


def test_samples_without_a_label_are_not_judged(planted):
    y = np.where(planted[:, 0] > 0, "high", "low").astype(object)
    missing = y.copy()
    missing[:3] = [None, np.nan, ""]
    some = compare(planted, missing, methods=["all"]).rows
    kept = compare(planted, y, methods=["all"]).rows
    assert 0 < some["accuracy"][0] <= 1
    # 117 samples, not 120, in each of the five divisions into folds.
    assert round(some["accuracy_1nn"][0] * 117 * 5, 6).is_integer()
    assert not round(some["accuracy_1nn"][0] * 120 * 5, 6).is_integer()
    assert round(kept["accuracy_1nn"][0] * 120 * 5, 6).is_integer()


def test_a_method_that_there_is_not_is_refused(planted):
    with pytest.raises(ValueError, match="k-medoids"):
        compare(planted, methods=["kmedoids"])


# --- real data -------------------------------------------------------------------------------------


def test_the_papers_groups_of_the_orl_faces_are_the_command_lines(data_file, command_line):
    path = data_file("ORL.mat")
    X = scipy.io.loadmat(path)
    X = X["X"] if "X" in X else X["fea"]
    for parameters, words in (
        ({"grouping": "components", "theta": 0.5}, ["--theta", 0.5]),
        ({"preset": "paper"}, ["--preset", "paper"]),
    ):
        selector = SparseFeatureGraph(**parameters).fit(X)
        assert len(selector.kept_) == 327
        np.testing.assert_array_equal(selector.kept_, command_line("reduce", path, *words)["kept"])


@pytest.mark.parametrize("name", ["ORL.mat", "BASEHOCK.mat"])
def test_files_are_read_as_scipy_reads_them(data_file, name):
    import scipy.sparse as sp

    path = data_file(name)
    table = read_table(path)
    held = scipy.io.loadmat(path)
    expected = held["X"] if "X" in held else held["fea"]
    labels = held["Y"] if "Y" in held else held["gnd"]
    if sp.issparse(expected):
        assert (table.data != expected.astype(float)).nnz == 0
    else:
        np.testing.assert_array_equal(table.data, expected)
    assert nmi_score(table.target, labels.ravel()) == 1.0


FAULTS = {
    "x.csv": (b"a,b\n1,2\n", {"labels": "y"}, "check labels", ["--labels", "y"], "check --labels"),
    "y.csv": (b"a\0b\n", {}, "give its input_format if", [], "give its --input-format if"),
    "x.svm": (
        b"1 1:2\n",
        {"features_in_rows": True},
        "leave out features_in_rows=True",
        ["--features-in-rows"],
        "leave out --features-in-rows",
    ),
    "x.mtx": (
        b"%%MatrixMarket matrix array real general\n99 99\n",
        {"memory_limit": "1k"},
        "raise memory_limit",
        ["--memory", "1k"],
        "raise --memory",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_advice_names_parameters_here_and_arguments_there(name, tmp_path, program):
    contents, parameters, here, arguments, there = FAULTS[name]
    path = tmp_path / name
    path.write_bytes(contents)
    with pytest.raises(Error) as caught:
        read_table(path, **parameters)
    run = subprocess.run(
        [program, "reduce", path, *arguments], capture_output=True, text=True, check=False
    )
    assert here in str(caught.value)
    assert there in run.stderr
    assert run.stderr.strip() == "sfg: " + str(caught.value).replace(here, there)


def test_a_file_that_is_not_there_is_an_os_error():
    with pytest.raises(OSError, match="nowhere.csv"):
        read_table("nowhere.csv")

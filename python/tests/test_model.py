"""Model files: the command line's and Python's are one."""

import copy
import json
import pickle
import subprocess
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import sfg
from sfg import SparseFeatureGraph


@pytest.fixture(scope="module")
def table():
    """Two sensors, equations and a prediction; named."""
    random = np.random.RandomState(0)
    heat = np.round(20 + 5 * random.normal(size=240), 1)
    wind = random.uniform(0, 20, size=240)
    pressure = random.normal(1013, 8, size=240)
    return pd.DataFrame(
        {
            "temp": heat,
            "temp_f": np.round(1.8 * heat + 32, 2),
            "wind": wind,
            "knots": 2 * wind,
            "sum": heat + wind,
            "pressure": pressure,
            "glass": 2 * pressure + random.normal(size=240),
        }
    )


def read_back(path):
    return pd.read_csv(path, float_precision="round_trip")


PARAMETERS = [({}, []), ({"transformation": "log1p"}, ["--transform", "log1p"])]


@pytest.mark.parametrize(("parameters", "words"), PARAMETERS, ids=str)
def test_a_model_of_python_is_applied_by_the_command_line(
    parameters, words, table, tmp_path, command_line
):
    old, new = table[:160], table[160:]
    selector = SparseFeatureGraph(**parameters).set_output(transform="pandas").fit(old)
    selector.save(tmp_path / "m.model.json")
    new[new.columns[::-1]].to_csv(tmp_path / "new.csv", index=False)
    document = command_line("apply", tmp_path / "m.model.json", tmp_path / "new.csv", "-o", tmp_path / "k.csv")
    kept = read_back(tmp_path / "k.csv")
    pd.testing.assert_frame_equal(kept, selector.transform(new).reset_index(drop=True), check_exact=True)
    assert document["drift"]["n_relations"] > 0
    for name in table.columns:
        said = command_line("explain", tmp_path / "m.model.json", name)
        known = selector.explain(name)
        assert said["held_out_r2"] == known.held_out_r2
        assert said["role"] == known.role


@pytest.mark.parametrize(("parameters", "words"), PARAMETERS, ids=str)
def test_a_model_of_the_command_line_is_applied_by_python(
    parameters, words, table, tmp_path, program, command_line
):
    table[:160].to_csv(tmp_path / "old.csv", index=False)
    document = command_line("reduce", tmp_path / "old.csv", "-o", tmp_path / "m", *words)
    model = sfg.load(tmp_path / "m.model.json")
    assert model.kept == document["kept_names"]
    assert model.feature_names == list(table.columns)
    new = table[160:]
    new.to_csv(tmp_path / "new.csv", index=False)
    command_line("apply", tmp_path / "m.model.json", tmp_path / "new.csv", "-o", tmp_path / "k.csv")
    shuffled = new[new.columns[::-1]].assign(more="text")
    found = model.transform(shuffled)
    assert found.index.equals(new.index)
    pd.testing.assert_frame_equal(
        found.reset_index(drop=True), read_back(tmp_path / "k.csv"), check_exact=True
    )
    selector = SparseFeatureGraph(**parameters).fit(table[:160])
    for name in table.columns:
        assert model.explain(name) == selector.explain(name)
    selector.save(tmp_path / "again.model.json")
    both = [json.loads((tmp_path / f"{name}.model.json").read_text()) for name in ("m", "again")]
    assert both[0] == both[1]


def test_models_without_names_go_by_place(table, tmp_path, command_line):
    X = table.to_numpy()
    selector = SparseFeatureGraph().fit(X[:160])
    selector.save(tmp_path / "m.model.json")
    np.save(tmp_path / "new.npy", X[160:])
    command_line("apply", tmp_path / "m.model.json", tmp_path / "new.npy", "-o", tmp_path / "k.npy")
    kept = np.load(tmp_path / "k.npy")
    np.testing.assert_array_equal(kept, selector.transform(X[160:]))
    model = sfg.load(tmp_path / "m.model.json")
    np.testing.assert_array_equal(kept, model.transform(X[160:]))
    np.testing.assert_array_equal(kept, model.apply(sp.csc_matrix(X[160:])).toarray())
    np.testing.assert_array_equal(kept, model.transform(table[160:]).to_numpy())
    with pytest.raises(sfg.errors.InconsistentInputError, match="position"):
        model.transform(X[:, 1:])


def test_names_that_are_numbers_are_names(table, tmp_path, command_line):
    named = table.set_axis([str(year) for year in range(1990, 1997)], axis=1)
    selector = SparseFeatureGraph().fit(named[:160])
    selector.save(tmp_path / "m.model.json")
    named[160:][named.columns[::-1]].to_csv(tmp_path / "new.csv", index=False)
    command_line("apply", tmp_path / "m.model.json", tmp_path / "new.csv", "-o", tmp_path / "k.csv")
    model = sfg.load(tmp_path / "m.model.json")
    kept = read_back(tmp_path / "k.csv")
    assert list(kept.columns) == model.kept
    np.testing.assert_array_equal(kept.to_numpy(), selector.transform(named[160:]))


def test_missing_values_are_filled_in_as_the_command_line_does(table, tmp_path, command_line):
    gaps = table.mask(np.random.RandomState(1).uniform(size=table.shape) < 0.05)
    gaps[:160].to_csv(tmp_path / "old.csv", index=False)
    gaps[160:].to_csv(tmp_path / "new.csv", index=False)
    command_line("reduce", tmp_path / "old.csv", "-o", tmp_path / "m", "--missing", "median")
    model = sfg.load(tmp_path / "m.model.json")
    assert model.missing == "median"
    for words, missing in (([], None), (["--missing", "mean"], "mean")):
        command_line(
            "apply", tmp_path / "m.model.json", tmp_path / "new.csv", "-o", tmp_path / "k.csv", "--force", *words
        )
        found = model.transform(gaps[160:], missing=missing).reset_index(drop=True)
        assert not found.isna().any(axis=None)
        pd.testing.assert_frame_equal(found, read_back(tmp_path / "k.csv"), check_exact=True)
    with pytest.raises(sfg.errors.MalformedInputError):
        model.transform(gaps[160:], missing="refuse")
    with pytest.raises(sfg.errors.InvalidOptionError):
        model.transform(gaps[160:], missing="drop-sample")


def test_drift_is_what_the_command_line_says(table, tmp_path, program):
    old, new = table[:160], table[160:].copy()
    selector = SparseFeatureGraph(n_features=3).fit(old)
    clean = selector.check_drift(new)
    assert clean.broken == [] and clean.shifted == [] and clean.n_checked == clean.n_relations > 0
    new.loc[200:, "temp"] += 4
    new.iloc[3, 0] = np.nan
    new.reset_index(drop=True).to_csv(tmp_path / "new.csv", index=False)
    selector.save(tmp_path / "m.model.json")
    words = [program, "apply", "m.model.json", "new.csv", "-o", "k.csv", "--json", "--strict"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 9
    document = json.loads(done.stdout)["drift"]
    for one in (selector, sfg.load(tmp_path / "m.model.json"), pickle.loads(pickle.dumps(selector))):
        drift = one.check_drift(new.reset_index(drop=True))
        fields = asdict(drift)
        fields.pop("_lines")
        assert fields == document
        assert drift.suspects[0]["features"] == ["temp"]
        for line in str(drift).splitlines()[1:]:
            assert line in done.stderr
    assert selector.check_drift(new).broken[0]["first_rows"][0] == "41"
    named = new.set_axis([f"day {i}" for i in range(len(new))])
    assert selector.check_drift(named).broken[0]["first_rows"][0] == "day 40"


def test_a_model_survives_pickle_and_copy(table, tmp_path):
    selector = SparseFeatureGraph().fit(table)
    selector.save(tmp_path / "a.model.json")
    model = sfg.load(tmp_path / "a.model.json")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.deepcopy(selector)):
        other.save(tmp_path / "b.model.json")
        assert (tmp_path / "a.model.json").read_bytes() == (tmp_path / "b.model.json").read_bytes()


def test_an_estimator_of_an_earlier_version_says_that_it_has_no_model(table, tmp_path):
    selector = SparseFeatureGraph().fit(table)
    del selector._model
    with pytest.raises(sfg.errors.InvalidOptionError, match="fit it again"):
        selector.save(tmp_path / "m.model.json")
    with pytest.raises(sfg.errors.InvalidOptionError, match="fit it again"):
        selector.check_drift(table)


def test_foreign_and_later_files_are_refused(table, tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(sfg.errors.MalformedInputError, match="not a model"):
        sfg.load(tmp_path / "x.json")
    SparseFeatureGraph().fit(table).save(tmp_path / "m.model.json")
    document = json.loads((tmp_path / "m.model.json").read_text())
    (tmp_path / "x.json").write_text(json.dumps(document | {"schema_version": 3}))
    with pytest.raises(sfg.errors.InconsistentInputError, match="newer"):
        sfg.load(tmp_path / "x.json")
    with pytest.raises(sfg.errors.FileError):
        sfg.load(tmp_path / "none.json")

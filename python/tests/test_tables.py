"""Headers and names of tables that pandas writes, against what pandas reads back."""

import numpy as np
import pytest

from sfg import accuracy_score, nmi_score, read_table

pd = pytest.importorskip("pandas")


def frame(columns, index=None):
    values = np.random.default_rng(3).normal(size=(6, len(columns))).round(3)
    return pd.DataFrame(values, columns=columns, index=index)


FRAMES = {
    "texts": (frame(["a", "b", "c"]), {"index": False}),
    "texts with index": (frame(["a", "b", "c"]), {}),
    "named rows": (frame(["a", "b", "c"], [f"s{i}" for i in range(6)]), {}),
    "named index": (frame(["a", "b"], pd.Index([f"s{i}" for i in range(6)], name="sample")), {}),
    "counted": (frame(range(4)), {"index": False}),
    "counted with index": (frame(range(4)), {}),
    "years": (frame([2001, 2002, 2003, 2004]), {"index": False}),
    "years with index": (frame([2001, 2002]), {}),
    "years, named rows": (frame([2001, 2002, 2003], list("uvwxyz")), {}),
    "wavelengths": (frame([400.5, 401.0, 401.5, 402.0]), {"index": False}),
    "ids": (frame([1007, 1053, 117]), {"index": False}),
    "quoted": (frame(["1007", "1053"]), {"index": False, "quoting": 2}),
    "time index": (frame(["a", "b"], np.arange(6) / 10), {}),
    "semicolons": (frame(["a", "b"]), {"index": False, "sep": ";", "decimal": ","}),
    "tabs": (frame(["a", "b"]), {"index": False, "sep": "\t"}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_what_pandas_writes_is_read_as_it_was(name, tmp_path):
    table, how = FRAMES[name]
    path = tmp_path / "x.csv"
    table.to_csv(path, **how)
    found = read_table(path)
    assert found.feature_names == [str(column) for column in table.columns]
    np.testing.assert_array_equal(found.data, table.to_numpy())
    assert found.sample_names == ([] if how.get("index", True) is False else [str(i) for i in table.index])


def test_what_sfg_writes_is_read_by_pandas(tmp_path, command_line):
    path = tmp_path / "x.csv"
    table = frame([1007, 1053, 117])
    table.insert(3, "class", list("xxyyzz"))
    table.to_csv(path, index=False)
    out = tmp_path / "y.csv"
    command_line("convert", path, out, "--labels", "class")
    back = pd.read_csv(out)
    assert list(back.columns) == ["1007", "1053", "117", "class"]
    np.testing.assert_array_equal(back.iloc[:, :3], table.iloc[:, :3])
    assert list(read_table(out).target) == list("xxyyzz")


def test_texts_stay_beside_the_numbers_and_notes_say_so(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,city,b\n1,Rome,2\n3,Oslo,4\n5,Rome,6\n")
    found = read_table(path)
    assert found.feature_names == ["a", "b"]
    assert found.texts == {"city": ["Rome", "Oslo", "Rome"]}
    assert "encode='onehot'" in " ".join(found.notes)
    assert read_table(path, encode="onehot").feature_names == ["a", "b", "city=Oslo", "city=Rome"]
    assert np.isnan(read_table(path, na_values=[4]).data[1, 1])


@pytest.mark.parametrize("unknown", [None, float("nan"), "", "NA", pd.NaT, pd.NA])
def test_missing_labels_are_no_class(unknown):
    known = np.array(["x", "x", "y", "y", unknown, unknown], dtype=object)
    found = [1, 1, 2, 2, 1, 2]
    with pytest.warns(UserWarning, match="2 samples without a label"):
        assert nmi_score(known, found) == 1.0
    with pytest.warns(UserWarning, match="2 samples without a label"):
        assert accuracy_score(known, found) == 1.0


def test_masked_labels_are_no_class():
    known = np.ma.masked_array([0, 0, 1, 1, 1, 0], mask=[0, 0, 0, 0, 1, 1])
    with pytest.warns(UserWarning, match="2 samples without a label"):
        assert nmi_score(known, [1, 1, 2, 2, 1, 2]) == 1.0

"""Readers beside their peers: the test files of numpy, scipy and anndata, and further ones of their kinds.

Every file is read with the values that its own library finds, or refused with the reason.
"""

import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from peers import dense, needs, read

import sfg

NPY_FILES = Path(np.lib.__file__).parent / "tests" / "data"

# --- npy ------------------------------------------------------------------------------------------


@needs(NPY_FILES)
@pytest.mark.parametrize("path", sorted(NPY_FILES.glob("*.np[yz]")), ids=lambda path: path.name)
def test_npy_files_of_numpy(path):
    found = read(path)
    if "objarr" in path.name:
        assert "'|O8'" in found
    else:
        np.testing.assert_array_equal(found, np.load(path).reshape(found.shape))


SHAPES = [(), (3,), (2, 3), (2, 3, 4), (0, 3), (3, 0)]
KINDS = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 >f2 >f4 >f8 >i2 >i8 >u4".split()
NO_NUMBERS = {
    "f16": "float64",
    "c8": "float64",
    "c16": "float64",
    "S3": "text",
    "U3": "text",
    "O": "float64",
    "M8[s]": "float64",
    "m8[s]": "float64",
    "V4": "float64",
    "i4,f8": "structured",
}


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_npy_of_every_type(tmp_path, shape, layout, version):
    path = tmp_path / "x.npy"
    for kind in KINDS:
        x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind)
        with path.open("wb") as out:
            np.lib.format.write_array(out, np.asarray(x, order=layout), version=version)
        found = read(path)
        if len(shape) in (1, 2) and x.size > 0:
            np.testing.assert_array_equal(found, x.astype(float).reshape(found.shape), err_msg=kind)
            assert found.shape == (shape if len(shape) == 2 else (*shape, 1))
        elif len(shape) in (1, 2):
            assert "the table is empty" in found
        else:
            assert f"{len(shape)} dimensions" in found


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_npy_without_numbers_is_refused_for_it(tmp_path, kind):
    np.save(tmp_path / "x.npy", np.zeros((2, 3), dtype=kind), allow_pickle=True)
    assert NO_NUMBERS[kind] in read(tmp_path / "x.npy")


def test_npz_archives_are_read_by_the_array(tmp_path):
    x, y = np.arange(6.0).reshape(2, 3), np.ones((4, 2))
    np.savez(tmp_path / "one.npz", x)
    np.savez_compressed(tmp_path / "two.npz", x=x, y=y)
    np.testing.assert_array_equal(read(tmp_path / "one.npz"), x)
    np.testing.assert_array_equal(read(tmp_path / "two.npz", variable="y"), y)
    refused = read(tmp_path / "two.npz")
    assert "x.npy, y.npy" in refused and "variable" in refused


# --- Matrix Market --------------------------------------------------------------------------------


def matrix_market_examples():
    """The texts in scipy's own tests, by name."""
    tests = pytest.importorskip("scipy.io.tests.test_mmio")
    return {name: text for name, text in vars(tests).items() if name.endswith("example") and isinstance(text, str)}


def compare_matrix_market(path):
    expected = scipy.io.mmread(str(path))
    found = read(path)
    if expected.dtype.kind == "c":
        assert re.search("complex|hermitian", found)
    elif isinstance(found, str):
        # scipy reads what cannot be: then the diagonal counts.
        assert "zeros on its diagonal" in found and dense(expected).diagonal().any()
    else:
        np.testing.assert_array_equal(found, dense(expected))


def test_matrix_market_texts_of_scipy(tmp_path):
    examples = matrix_market_examples()
    assert len(examples) > 10
    for name, text in examples.items():
        path = tmp_path / f"{name}.mtx"
        path.write_text(text)
        try:
            scipy.io.mmread(str(path))
        except (OverflowError, ValueError):
            continue  # beyond what scipy holds
        compare_matrix_market(path)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("field", ["real", "integer", "pattern", "complex"])
@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_matrix_market_of_every_kind(tmp_path, layout, field, symmetry):
    if field == "pattern" and (layout == "array" or symmetry in ("hermitian", "skew-symmetric")):
        pytest.skip("there is no such file")
    if symmetry == "hermitian" and field != "complex":
        pytest.skip("there is no such file")
    if (layout, field, symmetry) == ("array", "complex", "skew-symmetric"):
        pytest.skip("scipy cannot read it")
    rng = np.random.default_rng(3)
    x = rng.integers(-4, 5, (4, 4))
    x = {"general": x, "symmetric": x + x.T, "skew-symmetric": x - x.T, "hermitian": x + x.T}[symmetry]
    x = x * (1 + 0j) if field == "complex" else x * 1.5 if field == "real" else x
    path = tmp_path / "x.mtx"
    matrix = sp.coo_matrix(x) if layout == "coordinate" else x
    scipy.io.mmwrite(str(path), matrix, field=field, symmetry=symmetry, comment="a line\nanother")
    compare_matrix_market(path)
    # Blank lines, comments between the entries, blanks around them, other cases and line ends.
    lines = path.read_text().splitlines()
    first, rest = lines[0].upper().replace("MATRIXMARKET", "MatrixMarket"), lines[1:]
    spaced = "\r\n".join([first, "% x", "", *(f"  {line}\t" if not line.startswith("%") else line for line in rest), "", ""])
    path.write_bytes(spaced.encode())
    if field != "complex":
        np.testing.assert_array_equal(read(path), dense(matrix) if field != "pattern" else dense(matrix) != 0)


# --- h5ad -----------------------------------------------------------------------------------------


def h5ad_archives():
    anndata = pytest.importorskip("anndata")
    return sorted((Path(anndata.__file__).parent / "tests" / "data" / "archives").glob("*/*.h5ad"))


def test_archives_of_anndata():
    anndata = pytest.importorskip("anndata")
    archives = h5ad_archives()
    if not archives:
        pytest.skip("this anndata has no archives")
    for path in archives:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = anndata.read_h5ad(path)
        found = sfg.read_table(path)
        matrix = found.data.toarray() if sp.issparse(found.data) else found.data
        np.testing.assert_array_equal(matrix, dense(expected.X))
        assert found.feature_names == list(expected.var_names)
        assert found.sample_names == list(expected.obs_names)
        for layer, value in expected.layers.items():
            np.testing.assert_array_equal(read(path, layer=layer), dense(value))
        if expected.raw is not None:
            raw = sfg.read_table(path, layer="raw")
            np.testing.assert_array_equal(read(path, layer="raw"), dense(expected.raw.X))
            assert raw.feature_names == list(expected.raw.var_names)
        for column in expected.obs:
            labels = sfg.read_table(path, labels=column).target
            known = [str(value) for value in expected.obs[column]]
            if expected.obs[column].dtype.kind not in "f":
                assert list(labels) == known


@pytest.mark.parametrize("compression", [None, "gzip", "lzf"])
@pytest.mark.parametrize("form", ["dense", "csr", "csc"])
def test_what_anndata_writes(tmp_path, form, compression):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    if compression == "lzf" and "lzf" not in sfg._core.built_with:
        pytest.skip("built without LibLZF")
    x = sp.random(40, 7, 0.3, "csr", random_state=2)
    value = {"dense": x.toarray(), "csr": x, "csc": x.tocsc()}[form]
    names = pandas.DataFrame(index=[f"gr\u00fcn{i}" for i in range(7)])
    data = anndata.AnnData(value, var=names, dtype="float64")
    data.layers["half"] = value / 2
    data.raw = anndata.AnnData(sp.hstack([x, x]).tocsr(), dtype="float64")
    data.write(tmp_path / "x.h5ad", compression=compression)
    np.testing.assert_array_equal(read(tmp_path / "x.h5ad"), x.toarray())
    np.testing.assert_array_equal(read(tmp_path / "x.h5ad", layer="half"), x.toarray() / 2)
    np.testing.assert_array_equal(read(tmp_path / "x.h5ad", layer="raw"), sp.hstack([x, x]).toarray())
    assert sfg.read_table(tmp_path / "x.h5ad").feature_names == list(names.index)
    assert "has half, raw" in read(tmp_path / "x.h5ad", layer="other")


def test_raw_of_early_versions_of_anndata(tmp_path):
    h5py = pytest.importorskip("h5py")
    x = np.arange(6.0).reshape(2, 3)
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        file["X"] = x
        file["raw.X"] = np.hstack([x, x])
        for name, count in (("obs", 2), ("var", 3), ("raw.var", 6)):
            file[name] = np.array([(f"{name}{i}".encode(),) for i in range(count)], dtype=[("index", "S9")])
    found = sfg.read_table(tmp_path / "x.h5ad", layer="raw")
    np.testing.assert_array_equal(found.data, np.hstack([x, x]))
    assert found.feature_names == [f"raw.var{i}" for i in range(6)]


# --- packed files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_packed_files_are_read_whatever_their_name(tmp_path, ending):
    import bz2
    import gzip
    import lzma

    if ending != "gz" and "archive" not in sfg._core.built_with:
        pytest.skip("built without libarchive")
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[ending]
    x = np.arange(12.0).reshape(4, 3)
    text = io.StringIO()
    np.savetxt(text, x, delimiter=",", header="a,b,c", comments="")
    for name in (f"x.csv.{ending}", "x.csv", "x"):
        packed = pack(text.getvalue().encode())
        (tmp_path / name).write_bytes(packed)
        np.testing.assert_array_equal(read(tmp_path / name), x)
        for size in (len(packed) - 1, len(packed) // 2):
            (tmp_path / name).write_bytes(packed[:size])
            assert re.search("cut short|too early|truncated", read(tmp_path / name))

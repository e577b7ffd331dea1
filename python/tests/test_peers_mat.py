"""MAT files beside scipy and h5py: every one is read with their values, or refused with the reason."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from peers import dense, is_table, needs, read

import sfg

MAT_FILES = Path(scipy.io.__file__).parent / "matlab" / "tests" / "data"

# --- versions 4 and 5 ------------------------------------------------------------------------------------------

# What is wrong with files that scipy refuses too.
BROKEN_MAT = {
    "bad_miuint32.mat": "negative",
    "corrupted_zlib_checksum.mat": "checksum",
    "corrupted_zlib_data.mat": "compressed data",
    "malformed1.mat": "expected 658840 bytes",
}


def mat_variables():
    for path in sorted(MAT_FILES.glob("*.mat")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                variables = scipy.io.loadmat(path)
        except Exception:  # noqa: BLE001 scipy has a zoo of them
            yield pytest.param(path, None, None, id=path.stem)
            continue
        for name, value in variables.items():
            if not name.startswith("__"):
                yield pytest.param(path, name, value, id=f"{path.stem}-{name}")


@needs(MAT_FILES)
@pytest.mark.parametrize(("path", "name", "value"), list(mat_variables()))
def test_mat_files_of_scipy(path, name, value):
    found = read(path, variable=name)
    if name is None:
        # Refused by scipy: bad names do no harm here, and version 7.3 it does not know.
        if path.name in BROKEN_MAT:
            assert BROKEN_MAT[path.name] in found
        return
    if is_table(value):
        np.testing.assert_array_equal(found, dense(value))
    elif value.dtype.kind == "c":
        assert "complex" in found
    else:
        assert "is not a numeric matrix" in found or "the table is empty" in found


@needs(MAT_FILES)
def test_mat_files_of_scipy_are_many():
    assert len(list(mat_variables())) > 80


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["f8", "f4", "i4", "i2", "u2", "u1"])
def test_version_4_of_every_type_of_numbers_and_both_byte_orders(tmp_path, order, kind):
    number = {"f8": 0, "f4": 1, "i4": 2, "i2": 3, "u2": 4, "u1": 5}[kind]
    x = np.arange(12).reshape(3, 4)
    head = np.array([(1000 if order == ">" else 0) + 10 * number, 3, 4, 0, 2], dtype=order + "i4")
    path = tmp_path / "x.mat"
    path.write_bytes(head.tobytes() + b"X\0" + x.astype(order + kind).T.tobytes())
    np.testing.assert_array_equal(read(path), x)


def test_version_4_with_sparse_matrices_names_and_labels(tmp_path):
    x = sp.random(6, 3, 0.5, "csc", random_state=1)
    names = np.array(["alpha", "b", "longer"])
    variables = {"X": x, "names": names, "Y": np.array([[1, 1, 2, 2, 3, 3]])}
    scipy.io.savemat(tmp_path / "x.mat", variables, format="4")
    found = sfg.read_table(tmp_path / "x.mat")
    assert sp.issparse(found.data)
    np.testing.assert_array_equal(found.data.toarray(), x.toarray())
    assert found.feature_names == ["alpha", "b", "longer"]
    assert list(found.target) == ["1", "1", "2", "2", "3", "3"]


def test_damaged_files_of_version_4_are_refused(tmp_path):
    x = sp.random(6, 3, 0.5, "csc", random_state=1)
    for name, value in (("dense", x.toarray()), ("sparse", x)):
        path = tmp_path / f"{name}.mat"
        scipy.io.savemat(path, {"X": value}, format="4")
        whole = path.read_bytes()
        for size in range(len(whole)):
            path.write_bytes(whole[:size])
            assert isinstance(read(path), str)
        for place in range(len(whole)):
            damaged = bytearray(whole)
            damaged[place] ^= 0x81
            path.write_bytes(damaged)
            read(path)


# --- MAT 7.3 --------------------------------------------------------------------------------------


def matlab_73(path, write):
    """A file as MATLAB writes it: HDF5 behind 512 bytes that begin with its own header."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        write(file)
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def set_class(item, name):
    """The attribute as MATLAB has it: as long as the text, with no room for the NUL that its type ends in."""
    import h5py

    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(name))
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    attribute = h5py.h5a.create(item.id, b"MATLAB_class", kind, space)
    attribute.write(np.array(name.encode()), mtype=kind)


def set_class_by_h5py(item, name):
    """The attribute as h5py has it, padded by nothing."""
    item.attrs["MATLAB_class"] = np.bytes_(name)


@pytest.mark.parametrize("set_class", [set_class, set_class_by_h5py])
@pytest.mark.parametrize("kind", "f8 f4 i1 u1 i2 u2 i4 u4 i8 u8 logical".split())
def test_numbers_of_version_7_3(tmp_path, kind, set_class):
    names = {"f8": "double", "f4": "single", "logical": "logical"}
    x = np.arange(12).reshape(3, 4) % 2 if kind == "logical" else np.arange(12).reshape(3, 4)

    def write(file):
        item = file.create_dataset("X", data=x.T.astype("u1" if kind == "logical" else kind))
        name = names.get(kind) or f"{'u' if kind[0] == 'u' else ''}int{8 * int(kind[1])}"
        set_class(item, name)
        if kind == "logical":
            item.attrs["MATLAB_int_decode"] = np.int32(1)

    matlab_73(tmp_path / "x.mat", write)
    np.testing.assert_array_equal(read(tmp_path / "x.mat"), x)


def test_what_is_no_table_of_version_7_3_is_named(tmp_path):
    def write(file):
        file.create_dataset("bare", data=np.ones((2, 3)))
        pairs = np.zeros((2, 3), dtype=[("real", "f8"), ("imag", "f8")])
        set_class_by_h5py(file.create_dataset("complex", data=pairs), "double")
        set_class_by_h5py(file.create_dataset("cube", data=np.ones((2, 3, 4))), "double")

    matlab_73(tmp_path / "x.mat", write)
    np.testing.assert_array_equal(read(tmp_path / "x.mat", variable="bare"), np.ones((3, 2)))
    assert "complex numbers" in read(tmp_path / "x.mat", variable="complex")
    assert "is not a numeric matrix of 2 dimensions" in read(tmp_path / "x.mat", variable="cube")


@pytest.mark.parametrize("set_class", [set_class, set_class_by_h5py])
def test_sparse_logical_and_texts_of_version_7_3(tmp_path, set_class):
    h5py = pytest.importorskip("h5py")
    x = sp.random(5, 3, 0.5, "csc", random_state=4)

    def write(file):
        group = file.create_group("X")
        set_class(group, "logical")
        group.attrs["MATLAB_sparse"] = np.uint64(5)
        group.attrs["MATLAB_int_decode"] = np.int32(1)
        group["data"] = np.ones(x.nnz, dtype="u1")
        group["ir"] = x.indices.astype("u8")
        group["jc"] = x.indptr.astype("u8")
        cells = file.create_dataset("names", (3, 1), dtype=h5py.ref_dtype)
        set_class(cells, "cell")
        for i, text in enumerate(["gr\u00fcn", "\u03b1\u03b2", "c"]):
            letters = np.frombuffer(text.encode("utf-16-le"), dtype="u2").reshape(-1, 1)
            item = file.create_dataset(f"#refs#/{i}", data=letters)
            set_class(item, "char")
            item.attrs["MATLAB_int_decode"] = np.int32(2)
            cells[i, 0] = item.ref

    matlab_73(tmp_path / "x.mat", write)
    found = sfg.read_table(tmp_path / "x.mat")
    np.testing.assert_array_equal(found.data.toarray(), x.toarray() != 0)
    assert found.feature_names == ["gr\u00fcn", "\u03b1\u03b2", "c"]

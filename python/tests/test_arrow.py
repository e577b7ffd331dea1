"""Tables through the Arrow C stream, from a producer written out here and from polars."""

import ctypes

import numpy as np
import pytest

from sfg import SparseFeatureGraph, SpectralClustering
from sfg.errors import Error


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


_pointer = ctypes.c_void_p
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", _pointer),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(_pointer)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", _pointer),
]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(_pointer, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", _pointer),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [_pointer, ctypes.c_char_p, _pointer]

FORMATS = {"f8": b"g", "f4": b"f", "i8": b"l", "i4": b"i", "u1": b"C", "i2": b"s", "b1": b"b"}


class Column:
    """Values of one type; `missing` are rows, `skip` further values in front of the first one."""

    def __init__(self, values, missing=(), skip=0, format=None):
        values = np.concatenate([np.ones(skip, dtype=np.asarray(values).dtype), values])
        self.format = format or FORMATS[values.dtype.str[1:]]
        self.length, self.skip = len(values) - skip, skip
        self.missing = list(missing)
        present = np.ones(len(values), dtype=bool)
        present[[row + skip for row in self.missing]] = False
        bits = np.packbits(values, bitorder="little") if values.dtype == bool else values
        self.values = np.ascontiguousarray(bits)
        self.valid = np.packbits(present, bitorder="little")


class Table:
    """An Arrow table of batches, each a dict of columns; counts what is given back."""

    def __init__(self, *batches, format=b"+s", fail_at=None):
        self.batches, self.format, self.fail_at = batches, format, fail_at
        self.n_open = 0
        self._alive = []  # what the C side points to

    def _keep(self, thing):
        self._alive.append(thing)
        return thing

    def _release(self, kind):
        def release(held):
            self.n_open -= 1
            held.contents.release = type(held.contents.release)()

        return self._keep(dict(Schema._fields_ if kind is Schema else Array._fields_)["release"](release))

    def _pointers(self, kind, items):
        pointers = [ctypes.pointer(self._keep(item)) for item in items]
        return self._keep((ctypes.POINTER(kind) * max(1, len(items)))(*pointers))

    def _schema(self, _, out):
        columns = self.batches[0]
        children = [
            Schema(format=column.format, name=name.encode()) for name, column in columns.items()
        ]
        self.n_open += 1
        out[0] = Schema(
            format=self.format,
            n_children=len(children),
            children=self._pointers(Schema, children),
            release=self._release(Schema),
        )
        return 0

    def _array(self, column):
        valid = column.valid.ctypes.data if column.missing else None
        buffers = self._keep((_pointer * 2)(valid, column.values.ctypes.data))
        return Array(
            length=column.length,
            null_count=len(column.missing),
            offset=column.skip,
            n_buffers=2,
            buffers=buffers,
        )

    def _next(self, _, out):
        if self.fail_at == self._place:
            return 5
        if self._place == len(self.batches):
            out[0] = Array()
            return 0
        columns = list(self.batches[self._place].values())
        self._place += 1
        self.n_open += 1
        out[0] = Array(
            length=columns[0].length,
            n_buffers=1,
            buffers=self._keep((_pointer * 1)(None)),
            n_children=len(columns),
            children=self._pointers(Array, [self._array(column) for column in columns]),
            release=self._release(Array),
        )
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        self._place = 0
        fields = dict(Stream._fields_)
        message = self._keep(ctypes.create_string_buffer(b"the disk is on fire"))
        stream = self._keep(
            Stream(
                get_schema=fields["get_schema"](self._schema),
                get_next=fields["get_next"](self._next),
                get_last_error=fields["get_last_error"](lambda _: ctypes.addressof(message)),
                release=fields["release"](lambda _: None),
            )
        )
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)


def table_of(X, **how):
    return Table({f"gene{k}": Column(X[:, k].copy(), **how) for k in range(X.shape[1])})


def test_an_arrow_table_is_reduced_like_its_array(planted):
    table = table_of(planted)
    selector = SparseFeatureGraph().fit(table)
    np.testing.assert_array_equal(selector.kept_, SparseFeatureGraph().fit(planted).kept_)
    assert list(selector.feature_names_in_) == [f"gene{k}" for k in range(planted.shape[1])]
    np.testing.assert_array_equal(selector.transform(table), planted[:, selector.kept_])
    assert table.n_open == 0


def test_names_reach_the_output(planted):
    table = table_of(planted)
    selector = SparseFeatureGraph().set_output(transform="pandas").fit(table)
    assert list(selector.transform(table).columns) == list(selector.get_feature_names_out())


def test_batches_offsets_and_types_are_put_together():
    random = np.random.RandomState(0)
    columns = {
        "double": random.normal(size=30),
        "float": random.normal(size=30).astype(np.float32),
        "int64": random.randint(-9, 9, size=30),
        "int32": random.randint(-9, 9, size=30).astype(np.int32),
        "int16": random.randint(-9, 9, size=30).astype(np.int16),
        "uint8": random.randint(0, 9, size=30).astype(np.uint8),
        "bool": random.randint(0, 2, size=30).astype(bool),
    }
    parts = [slice(0, 7), slice(7, 7), slice(7, 30)]
    table = Table(
        *[
            {name: Column(values[part], skip=number) for name, values in columns.items()}
            for number, part in enumerate(parts)
        ]
    )
    from sfg._data import from_arrow

    values, names = from_arrow(table)
    assert names == list(columns)
    assert values.flags.f_contiguous
    np.testing.assert_array_equal(values, np.column_stack([c.astype(float) for c in columns.values()]))
    assert table.n_open == 0


def test_missing_values_are_refused_as_nan(planted):
    table = table_of(planted, missing=[3, 60], skip=2)
    with pytest.raises(ValueError, match="NaN"):
        SparseFeatureGraph().fit(table)
    assert table.n_open == 0


def test_columns_of_text_are_refused_by_name():
    table = Table({"good": Column(np.ones(3)), "city": Column(np.ones(3), format=b"u")})
    with pytest.raises(ValueError, match="'city'.* holds no numbers"):
        SparseFeatureGraph().fit(table)
    assert table.n_open == 0


def test_a_single_column_is_no_table():
    with pytest.raises(ValueError, match="single Arrow column"):
        SparseFeatureGraph().fit(Table({"x": Column(np.ones(3))}, format=b"g"))


def test_the_producers_error_is_passed_on(planted):
    half = {f"x{k}": Column(planted[:, k].copy()) for k in range(4)}
    table = Table(half, half, fail_at=1)
    with pytest.raises(ValueError, match="the disk is on fire") as caught:
        SparseFeatureGraph().fit(table)
    assert isinstance(caught.value, Error)
    assert table.n_open == 0


def test_other_columns_than_those_seen_in_fit_are_refused(planted):
    selector = SparseFeatureGraph().fit(table_of(planted))
    renamed = Table({f"other{k}": Column(planted[:, k].copy()) for k in range(planted.shape[1])})
    with pytest.raises(ValueError, match="other0"):
        selector.transform(renamed)


def test_samples_of_an_arrow_table_are_clustered(planted):
    labels = SpectralClustering(3).fit_predict(table_of(planted))
    np.testing.assert_array_equal(labels, SpectralClustering(3).fit_predict(planted))


def test_a_polars_table_is_reduced_like_its_array(planted):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(planted, schema=[f"gene{k}" for k in range(planted.shape[1])])
    selector = SparseFeatureGraph().fit(frame)
    np.testing.assert_array_equal(selector.kept_, SparseFeatureGraph().fit(planted).kept_)

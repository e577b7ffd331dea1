"""Data of every kind that users hand over."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sfg import MCFS, SparseFeatureGraph, SpectralClustering, _core, _data
from sfg.errors import Error


def kept(X):
    return SparseFeatureGraph().fit(X).kept_


# --- no copies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [np.asfortranarray, pd.DataFrame], ids=["array", "DataFrame"])
def test_float64_in_fortran_order_is_not_copied(wrap, planted):
    X = wrap(planted)
    validated = _data.validate(SparseFeatureGraph(), X)
    assert np.shares_memory(validated, planted)
    assert _data.handed_over(validated) is validated


def test_a_canonical_csc_matrix_is_not_copied(counts):
    values, rows, _, _ = _data.handed_over(_data.validate(SparseFeatureGraph(), counts))
    assert np.shares_memory(values, counts.data)
    assert np.shares_memory(rows, counts.indices)


def test_the_module_takes_nothing_that_it_would_have_to_copy(planted, counts):
    words = {"method": "laplacian", "paper": False, "n_features": 2}
    with pytest.raises(TypeError, match="Fortran"):
        _core.select(np.ascontiguousarray(planted), None, words, {}, None)
    with pytest.raises(TypeError, match="Fortran"):
        _core.select(planted.astype(np.float32), None, words, {}, None)
    parts = (counts.data.astype(np.float32), counts.indices, counts.indptr, counts.shape)
    with pytest.raises(TypeError, match="float64"):
        _core.select(parts, None, words, {}, None)
    parts = (np.repeat(counts.data, 2)[::2], counts.indices, counts.indptr, counts.shape)
    with pytest.raises(TypeError, match="gaps"):
        _core.select(parts, None, words, {}, None)


def test_the_callers_data_stay_as_they_are(planted, counts):
    before, sparse_before = planted.copy(), counts.copy()
    planted.flags.writeable = False
    try:
        for grouping in ("compact", "cover", "components", "pairwise"):
            SparseFeatureGraph(grouping).fit(planted)
            SparseFeatureGraph(grouping).fit(counts)
        SpectralClustering(3).fit(planted)
        for scale in ("unit", "tfidf", None):
            SpectralClustering(3, scale=scale).fit(counts)
        MCFS(5).fit(planted)
    finally:
        planted.flags.writeable = True
    np.testing.assert_array_equal(planted, before)
    assert (counts != sparse_before).nnz == 0


# --- the same answer in every form ---------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        np.ascontiguousarray,
        lambda X: X.tolist(),
        pd.DataFrame,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X.astype(object),
    ],
    ids=["C order", "list", "DataFrame", "strided", "object"],
)
def test_the_form_of_an_array_does_not_matter(form, planted):
    np.testing.assert_array_equal(kept(form(planted)), kept(planted))


def test_float32_is_accepted(planted):
    X = planted.astype(np.float32)
    np.testing.assert_array_equal(kept(X), kept(X.astype(np.float64)))
    assert SparseFeatureGraph().fit(X).transform(X).dtype == np.float32


def test_integers_are_accepted():
    X = np.random.RandomState(0).randint(0, 9, size=(50, 12))
    X[:, 6:] = 2 * X[:, :6]
    np.testing.assert_array_equal(kept(X), kept(X.astype(float)))
    assert len(kept(X)) == 6


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_the_form_of_a_sparse_matrix_does_not_matter(form, counts):
    np.testing.assert_array_equal(kept(counts.asformat(form)), kept(counts))


def test_sparse_and_dense_data_have_the_same_answer(counts):
    np.testing.assert_array_equal(kept(counts), kept(counts.toarray()))


def test_sparse_data_stay_sparse(counts):
    reduced = SparseFeatureGraph().fit_transform(counts)
    assert sp.issparse(reduced)
    assert reduced.shape[0] == counts.shape[0]


def test_unsorted_repeated_and_zero_entries_of_a_sparse_matrix_are_put_in_order(counts):
    coo = counts.tocoo()
    order = np.random.RandomState(0).permutation(coo.nnz)
    rows = np.concatenate([coo.row[order], coo.row[:5], [0]])
    columns = np.concatenate([coo.col[order], coo.col[:5], [0]])
    values = np.concatenate([coo.data[order], np.zeros(6)])
    parts = sp.coo_matrix((values, (rows, columns)), shape=counts.shape)
    odd = sp.csc_matrix(counts.shape)
    by_column = np.argsort(parts.col, kind="stable")
    odd.data, odd.indices = parts.data[by_column], parts.row[by_column]
    odd.indptr = np.searchsorted(parts.col[by_column], np.arange(counts.shape[1] + 1)).astype(np.int32)
    before = odd.copy()
    np.testing.assert_array_equal(kept(odd), kept(counts))
    np.testing.assert_array_equal(odd.indices, before.indices)


def test_arrays_with_gaps_and_odd_addresses_are_understood(planted, counts):
    gaps = counts.copy()
    gaps.data = np.repeat(counts.data, 2)[::2]
    gaps.indices = np.repeat(counts.indices, 3)[::3]
    assert not gaps.data.flags.c_contiguous
    np.testing.assert_array_equal(kept(gaps), kept(counts))

    raw = np.empty(planted.nbytes + 1, dtype=np.uint8)
    odd = raw[1:].view(np.float64).reshape(planted.shape, order="F")
    odd[...] = planted
    assert not odd.flags.aligned
    np.testing.assert_array_equal(kept(odd), kept(planted))


def test_indices_out_of_range_are_refused_before_they_are_followed():
    words = {"method": "laplacian", "paper": False, "n_features": 2}
    good = sp.random(10, 4, 0.5, format="csc", random_state=0)
    for break_it in ("indices", "indptr"):
        values, rows, starts, shape = _data.handed_over(good.copy())
        broken = {"indices": rows, "indptr": starts}[break_it]
        broken[1] = 1000
        with pytest.raises(ValueError, match="contradict its shape"):
            _core.select((values, rows, starts, shape), None, words, {}, None)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("make", [SparseFeatureGraph, lambda: MCFS(2), lambda: SpectralClustering(2)])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1.0, np.nan], [2, 3], [4, 6]]), "NaN"),
        (np.array([[1.0, np.inf], [2, 3], [4, 6]]), "infinity"),
        (np.array([["a", "b"], ["c", "d"], ["e", "f"]], dtype=object), "could not convert"),
        (np.arange(5.0), "Expected 2D array"),
        (np.empty((0, 3)), "0 sample"),
        (np.ones((3, 2), dtype=complex), "Complex"),
    ],
    ids=["NaN", "infinite", "text", "1-D", "no samples", "complex"],
)
def test_bad_data_are_refused_as_everywhere_in_scikit_learn(make, X, message):
    with pytest.raises(ValueError, match=message):
        make().fit(X)


def test_nan_in_a_sparse_matrix_is_refused(counts):
    broken = counts.copy()
    broken.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SparseFeatureGraph().fit(broken)


def test_a_wrong_number_of_features_is_refused(planted):
    selector = SparseFeatureGraph().fit(planted)
    with pytest.raises(ValueError, match="expecting 91 features"):
        selector.transform(planted[:, :7])


def test_other_names_than_those_seen_in_fit_are_refused(planted):
    frame = pd.DataFrame(planted).add_prefix("gene")
    selector = SparseFeatureGraph().fit(frame)
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(frame.rename(columns={"gene3": "other"}))


@pytest.mark.parametrize("shape", [(20, 1), (1, 20)], ids=["one feature", "one sample"])
def test_data_with_nothing_to_compare_are_refused(shape):
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        SparseFeatureGraph().fit(np.ones(shape))


def test_constant_data_are_refused_as_degenerate():
    with pytest.raises(ValueError, match="every feature is constant") as caught:
        SparseFeatureGraph().fit(np.ones((10, 3)))
    assert isinstance(caught.value, Error)


def test_too_little_memory_is_a_memory_error(planted):
    with pytest.raises(MemoryError, match="raise memory_limit or lower n_jobs") as caught:
        SparseFeatureGraph(grouping="components", memory_limit="10k").fit(planted)
    assert isinstance(caught.value, Error)
    with pytest.raises(MemoryError, match="raise memory_limit"):
        SparseFeatureGraph(memory_limit="10k").fit(planted)


# --- what must not pass without a word ------------------------------------------------------------


@pytest.mark.parametrize("make", [SparseFeatureGraph, MCFS], ids=lambda kind: kind.__name__)
def test_masked_values_are_refused_and_empty_masks_are_not(make, planted):
    masked = np.ma.masked_array(planted, mask=np.zeros(planted.shape, dtype=bool))
    make().fit(masked)
    masked[3, 2] = np.ma.masked
    with pytest.raises(Error, match="masked array with 1 masked value"):
        make().fit(masked)


def broken_matrices():
    data, rows, starts = np.ones(4), np.array([0, 1, 0, 2]), np.array([0, 2, 4])
    for name, parts in {
        "row too large": (data, np.array([0, 1, 0, 99]), starts),
        "row negative": (data, np.array([0, -1, 0, 2]), starts),
        "starts descend": (data, rows, np.array([0, 3, 2])),
        "starts too large": (data, rows, np.array([0, 2, 9])),
    }.items():
        for kind in (sp.csc_matrix, sp.csr_matrix):
            shape = (3, 2) if kind is sp.csc_matrix else (2, 3)
            matrix = kind((np.ones(4), rows.copy(), starts.copy()), shape=shape)
            matrix.data, matrix.indices, matrix.indptr = parts
            yield pytest.param(matrix, id=f"{kind.__name__}, {name}")


@pytest.mark.parametrize("matrix", list(broken_matrices()))
def test_broken_sparse_matrices_are_refused(matrix):
    with pytest.raises(Error, match="sparse matrix X"):
        SparseFeatureGraph().fit(matrix)


def test_repeated_column_names_are_refused(planted):
    names = [f"c{i}" for i in range(planted.shape[1])]
    names[5] = names[2]
    with pytest.raises(Error, match="several columns called 'c2'"):
        SparseFeatureGraph().fit(pd.DataFrame(planted, columns=names))


def test_a_column_of_texts_is_named(planted):
    table = pd.DataFrame(planted, columns=[f"c{i}" for i in range(planted.shape[1])])
    table.insert(3, "city", "Rome")
    with pytest.raises(Error, match=r"column 'city' of X is not numbers \('Rome' in row 0\)"):
        SparseFeatureGraph().fit(table)

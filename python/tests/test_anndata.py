"""AnnData objects."""

import numpy as np
import pytest

from sfg import SparseFeatureGraph, pp

anndata = pytest.importorskip("anndata", reason="anndata is not installed")


@pytest.fixture
def adata(counts):
    adata = anndata.AnnData(counts.tocsr(), dtype=np.float64)
    adata.var_names = [f"gene{k}" for k in range(counts.shape[1])]
    adata.layers["doubled"] = adata.X * 2
    return adata


def test_the_result_is_noted_beside_the_variables(adata, counts):
    assert pp.reduce(adata) is None
    selector = SparseFeatureGraph().fit(counts)
    np.testing.assert_array_equal(adata.var["sfg_kept"], selector.support_)
    np.testing.assert_array_equal(adata.var["sfg_group"], selector.labels_)
    assert (adata.varp["sfg_graph"] != selector.graph_).nnz == 0
    removed = adata.var[~adata.var["sfg_kept"]]
    table = selector.certificate_
    assert [f"gene{name[1:]}" for name in table.representative] == list(removed["sfg_representative"])
    np.testing.assert_array_equal(removed["sfg_r2"], table.r2)
    kept = adata.var[adata.var["sfg_kept"]]
    assert (kept["sfg_representative"] == kept.index).all()
    assert adata.uns["sfg"]["n_kept"] == len(selector.kept_)


def test_the_object_can_be_written_and_read_again(adata, tmp_path):
    pp.reduce(adata)
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert (again.var["sfg_representative"].astype(str) == adata.var["sfg_representative"]).all()


def test_a_copy_leaves_the_original_alone_and_a_subset_leaves_redundant_variables_out(adata):
    reduced = pp.reduce(adata, copy=True, subset=True, layer="doubled", key_added="small")
    assert "small_kept" not in adata.var
    assert reduced.var["small_kept"].all()
    assert reduced.n_vars < adata.n_vars


def test_cover_has_no_graph_to_note(adata):
    pp.reduce(adata, grouping="cover")
    assert "sfg_graph" not in adata.varp


def test_something_else_is_refused():
    with pytest.raises(TypeError, match="AnnData"):
        pp.reduce(np.eye(3))

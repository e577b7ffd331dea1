"""For AnnData objects, in the manner of scanpy's `pp` functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._reduction import SparseFeatureGraph


def reduce(
    adata: Any,
    *,
    layer: str | None = None,
    key_added: str = "sfg",
    subset: bool = False,
    copy: bool = False,
    **parameters: Any,
) -> Any:
    """Find redundant variables (genes) and note the result in the object.

    Parameters
    ----------
    adata : anndata.AnnData
        Observations x variables; sparse data stay sparse.
    layer : str, default=None
        The layer to look at instead of `X`.
    key_added : str, default="sfg"
        Start of the names below.
    subset : bool, default=False
        Also leave the redundant variables out.
    copy : bool, default=False
        Return a changed copy instead of changing `adata`.
    **parameters
        Of `SparseFeatureGraph`.

    Returns
    -------
    anndata.AnnData or None
        The copy, if that was asked for. These are set: ``var["sfg_kept"]``, ``var["sfg_group"]``,
        ``var["sfg_representative"]`` (the variable kept instead), ``var["sfg_r2"]`` (with it),
        ``var["sfg_held_out_r2"]`` (NaN for kept variables), ``varp["sfg_graph"]`` (not for cover
        and pairwise) and ``uns["sfg"]``.
    """
    if not hasattr(adata, "var") or not hasattr(adata, "varp"):
        raise TypeError(f"adata must be an AnnData object, not {type(adata).__name__}")
    if copy:
        adata = adata.copy()
    data = adata.X if layer is None else adata.layers[layer]
    selector = SparseFeatureGraph(**parameters).fit(data)
    names = np.asarray(adata.var_names, dtype=object)
    representative = names[selector.representatives_[selector.labels_]]
    representative[selector.kept_] = names[selector.kept_]
    columns = {
        "kept": selector.support_,
        "group": selector.labels_,
        "representative": representative,
        "r2": np.ones(len(names)),
        "held_out_r2": np.full(len(names), np.nan),
    }
    removed = selector._removed
    for name in ("r2", "held_out_r2"):
        columns[name][removed["feature"]] = removed[name]
    for name, column in columns.items():
        adata.var[f"{key_added}_{name}"] = column
    if selector.graph_ is not None:
        adata.varp[f"{key_added}_graph"] = selector.graph_
    adata.uns[key_added] = {
        "description": selector.description_,
        "n_kept": len(selector.kept_),
        "mean_r2": selector.mean_r2_,
        "neighbour_overlap": selector.neighbour_overlap_,
    }
    if subset:
        adata._inplace_subset_var(selector.support_)
    return adata if copy else None

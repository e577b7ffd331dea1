# %% [markdown]
# # Redundant pixels of the handwritten digits
#
# From raw data to a report: 1797 images of 8 x 8 pixels, which ship with scikit-learn. The cells run in
# any notebook editor that knows `# %%`, or all at once: `python digits.py`.

# %%
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline

import sfg

digits = load_digits(as_frame=True)
X, y = digits.data, digits.target
print(X.shape)

# %% [markdown]
# ## How redundant are they?
#
# With no number to choose: remove features as long as the mean r2 of the removed ones with the ones kept
# instead is at least 0.8, and keep what nothing explains.

# %%
selector = sfg.SparseFeatureGraph().fit(X)
print(f"{len(selector.kept_)} of {selector.n_features_in_} pixels are kept")
print(selector.certificate_[["feature", "representative", "r2", "held_out_r2"]])

# %% [markdown]
# Few: apart from three pixels at the edge that are always empty, hardly two pixels of such small images say
# the same. The levels tell what more would cost.

# %%
axes = selector.plot_sweep()
axes.figure.savefig("digits_levels.png")
levels = selector.hierarchy_.levels()
print(levels[levels["n_kept"].isin([60, 50, 40, 30, 20])])

# %% [markdown]
# ## Half of the pixels
#
# What is kept instead of a removed pixel, and how well do the kept ones predict it on images that were held
# out? Permuted pixels are the yardstick: nothing can predict them.

# %%
half = sfg.SparseFeatureGraph(n_features=32).set_output(transform="pandas")
reduced = half.fit_transform(X)
print(reduced.columns.tolist())
print(half.explain("pixel_4_2"))
for which in ("removed", "permuted"):
    print(which, half.certificate_summary_[which])

# %% [markdown]
# ## Do the samples still cluster?
#
# NMI of k-means on all pixels, on 32 of them, and on 32 at random.

# %%


def nmi_of(data):
    labels = KMeans(10, n_init=5, random_state=0).fit_predict(data)
    return sfg.nmi_score(y, labels)


at_random = [nmi_of(X.sample(32, axis=1, random_state=draw)) for draw in range(5)]
print(f"all 64 pixels: {nmi_of(X):.3f}")
print(f"32 by sfg:     {nmi_of(reduced):.3f}")
print(f"32 at random:  {np.mean(at_random):.3f} (five draws, {min(at_random):.3f} to {max(at_random):.3f})")

# %% [markdown]
# Better than most random draws, but these pixels are hardly redundant: half of them cannot replace the other
# half. How well can the removed pixels be predicted from the kept ones, beside other ways to choose?

# %%
comparison = sfg.compare(X, shares=[0.5], methods=["compact", "cover", "random", "pearson", "variance"])
print(comparison.rows[["competitor", "n_kept", "r2cv_mean", "r2cv_q10", "mean_best_r2"]])

# %% [markdown]
# ## In a pipeline

# %%
pipeline = Pipeline(
    [
        ("sfg", sfg.SparseFeatureGraph()),
        ("pca", PCA(5, random_state=0)),
        ("km", KMeans(10, n_init=5, random_state=0)),
    ]
)
pipeline.fit(X)
print(pipeline["sfg"].get_feature_names_out()[:5])

# %% [markdown]
# ## The report
#
# An interactive page with groups, reasons and graph.

# %%
try:
    half.report("digits.html", y=y, image=(8, 8), title="digits")
    print("wrote digits.html")
except NotImplementedError as missing:
    print(missing)

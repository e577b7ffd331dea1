"""The library's three classifiers give scikit-learn's predictions, sample by sample."""

import numpy as np
import pytest
from sfg import _core
from sklearn.linear_model import RidgeClassifierCV
from sklearn.neighbors import KNeighborsClassifier

RUN = {"threads": 2, "memory_limit": 0, "seed": 1}


def data_of_classes(n, d, n_classes, seed):
    random = np.random.RandomState(seed)
    y = random.randint(n_classes, size=n)
    X = random.normal(size=(n, d))
    X[:, : d // 2] += 0.8 * random.normal(size=(n_classes, d // 2))[y]
    return np.asfortranarray(X), np.array([f"class {label}" for label in y])


def by_scikit_learn(X, found, classifier):
    """Predictions of a classifier for the folds of the library."""
    classes, folds = np.array(found["classes"]), np.array(found["folds"])
    X = X[found["samples"]]
    predicted = np.empty_like(classes)
    for fold in np.unique(folds):
        held_out = folds == fold
        predicted[held_out] = classifier.fit(X[~held_out], classes[~held_out]).predict(X[held_out])
    return predicted


@pytest.mark.parametrize(("n", "d", "n_classes"), [(90, 12, 3), (60, 200, 2), (80, 300, 5), (150, 40, 4)])
def test_predictions_are_those_of_scikit_learn(n, d, n_classes):
    X, y = data_of_classes(n, d, n_classes, seed=d)
    found = _core.classify(X, y.tolist(), 5, RUN)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    for name, n_neighbors in (("nearest_1", 1), ("nearest_5", 5)):
        expected = by_scikit_learn(z, found, KNeighborsClassifier(n_neighbors, algorithm="brute"))
        np.testing.assert_array_equal(found[name], expected)
    ridges = d * np.logspace(-4, 2, 7)  # the mean squared length of z-scored samples is d
    expected = by_scikit_learn(z, found, RidgeClassifierCV(ridges))
    np.testing.assert_array_equal(found["linear"], expected)
    assert (found["linear"] == np.array(found["classes"])).mean() > 1.5 / n_classes


def test_real_genes_are_classified_as_by_scikit_learn(data_file):
    import scipy.io

    mat = scipy.io.loadmat(data_file("lymphoma.mat"))
    X = np.asfortranarray(mat["X"], dtype=float)
    y = [str(label) for label in mat["Y"].ravel()]
    found = _core.classify(X, y, 5, RUN)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = by_scikit_learn(z, found, RidgeClassifierCV(X.shape[1] * np.logspace(-4, 2, 7)))
    if len(found["samples"]) == len(y):
        np.testing.assert_array_equal(found["linear"], expected)
    nearest = by_scikit_learn(z, found, KNeighborsClassifier(1, algorithm="brute"))
    # Discrete values: a few samples are exactly as near as others.
    assert np.mean(nearest != np.array(found["nearest_1"])) < 0.05


def test_labels_without_two_classes_are_refused():
    X, _ = data_of_classes(20, 5, 2, seed=0)
    with pytest.raises(ValueError, match="two classes"):
        _core.classify(X, ["same"] * 20, 5, RUN)

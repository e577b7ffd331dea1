"""What the tests of readers beside their peers share."""

import numpy as np
import pytest
import scipy.sparse as sp

import sfg
from sfg.errors import Error


def read(path, **options):
    """The table as a dense array, or the message that refuses it."""
    try:
        found = sfg.read_table(path, **options).data
    except Error as error:
        return str(error)
    return found.toarray() if sp.issparse(found) else found


def is_table(value):
    """Whether a variable is a matrix of real numbers with a sample and a feature at least."""
    numeric = sp.issparse(value) or isinstance(value, np.ndarray)
    return numeric and value.dtype.kind in "fiub" and value.ndim == 2 and min(value.shape) > 0


def dense(value):
    return np.asarray(value.todense() if sp.issparse(value) else value).astype(float)


def needs(folder):
    return pytest.mark.skipif(not folder.is_dir(), reason=f"{folder} is not installed")

"""What several tests need."""

import ctypes
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sfg


def use_the_same_kernels():
    """The program may choose other kernels of OpenBLAS than this process has, and differ by rounding."""
    assert sfg.__version__
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "libopenblas" in line:
            library = ctypes.CDLL(line.split()[-1])
            library.openblas_get_corename.restype = ctypes.c_char_p
            os.environ.setdefault("OPENBLAS_CORETYPE", library.openblas_get_corename().decode())
            return


use_the_same_kernels()


@pytest.fixture(scope="session")
def planted():
    """40 independent features, each with copies: scaled, negated, noisy, summed; one constant."""
    random = np.random.RandomState(0)
    base = random.normal(size=(120, 40))
    columns = [
        base,
        3 * base[:, :20],
        -base[:, 20:30],
        base[:, 30:] + 0.05 * random.normal(size=(120, 10)),
        base[:, :10] + base[:, 10:20],
        np.full((120, 1), 2.5),
    ]
    return np.asfortranarray(np.hstack(columns))


@pytest.fixture(scope="session")
def counts():
    """Sparse counts with repeated columns."""
    import scipy.sparse as sp

    random = np.random.RandomState(1)
    dense = random.poisson(0.15, size=(90, 60)).astype(float)
    return sp.csc_matrix(np.hstack([dense, 2 * dense[:, :30]]))


@pytest.fixture(scope="session")
def data_file():
    """Finds a file of the data folder, or skips the test."""
    folder = os.environ.get("SFG_TEST_DATA_FOLDER", "")

    def find(name):
        path = Path(folder) / name
        if not path.is_file():
            pytest.skip(f"no {name} here: the tests on real data need the data folder")
        return path

    return find


@pytest.fixture(scope="session")
def program():
    """The path of the program, or skips the test."""
    path = os.environ.get("SFG_PROGRAM", "")
    if not Path(path).is_file():
        pytest.skip("the program was not built: set SFG_PROGRAM")
    return path


@pytest.fixture(scope="session")
def command_line(program):
    """Runs the program and returns its JSON document."""

    def run(*words):
        words = [program, *map(str, words), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return run

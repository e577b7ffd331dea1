"""The package as users install it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_a_wheel_can_be_built_offline_installed_and_used(tmp_path):
    pytest.importorskip("pip", reason="pip is not installed")
    pytest.importorskip("wheel", reason="wheel is not installed")
    if "SFG_BUILD_FOLDER" not in os.environ:
        pytest.skip("the library would be compiled again: set SFG_BUILD_FOLDER")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps"]
    build = [*pip, "wheel", str(ROOT), "-w", str(tmp_path), "--no-build-isolation", *offline]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("sfg-*.whl")
    site = tmp_path / "site"
    subprocess.run([*pip, "install", *offline, "--target", str(site), str(wheel)], check=True)
    assert (site / "sfg" / "py.typed").is_file()
    assert (site / "sfg" / "_core.pyi").is_file()
    script = (
        "import numpy as np, sfg; X = np.random.RandomState(0).normal(size=(30, 4));"
        "print(sfg.__file__, sfg.SparseFeatureGraph().fit(np.hstack([X, X])).support_.sum())"
    )
    environment = os.environ | {"PYTHONPATH": str(site)}
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(site / "sfg" / "__init__.py"), "4"]

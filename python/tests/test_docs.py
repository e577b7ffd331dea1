"""Examples of the docstrings, of docs/PYTHON.md and of examples/python run and say the truth."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sfg

ROOT = Path(__file__).resolve().parents[2]
MODULES = [module.name for module in pkgutil.iter_modules(sfg.__path__) if module.name != "_core"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_docstrings_are_right(name):
    module = importlib.import_module(f"sfg.{name}")
    assert doctest.testmod(module, raise_on_error=False).failed == 0


def test_examples_of_the_page_are_right(tmp_path, monkeypatch):
    page = ROOT / "docs" / "PYTHON.md"
    text = re.sub("^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    monkeypatch.chdir(tmp_path)
    result = doctest.DocTestRunner().run(examples)
    assert result.attempted > 10
    assert result.failed == 0


@pytest.mark.parametrize("name", sorted(set(sfg.__all__) - {"__version__", "errors", "pp"}))
def test_every_parameter_and_every_public_method_is_documented(name):
    item = getattr(sfg, name)
    assert inspect.getdoc(item)
    if inspect.isclass(item) and hasattr(item, "get_params"):
        documented = inspect.getdoc(item)
        for parameter in item().get_params():
            assert parameter in documented, parameter
        for method, function in inspect.getmembers(item, inspect.isfunction):
            assert method.startswith("_") or inspect.getdoc(function), method


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "python").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(path, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    environment = os.environ | {"MPLBACKEND": "Agg"}
    words = [sys.executable, "-W", "error::DeprecationWarning:__main__", str(path)]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

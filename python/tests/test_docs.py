"""Examples of the docstrings, README.md, docs/PYTHON.md and examples/python run and say the truth."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
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


def python_blocks(page):
    """The fenced blocks of Python code on a page that are no dialogues."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall("^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [block for block in blocks if ">>>" not in block]


def dialogues(page):
    """Commands that a page shows after `$ sfg`, with what it says that they print."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.findall("^```console\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ sfg ", block, flags=re.MULTILINE)[1:]:
            command, printed = part.split("\n", 1)
            yield command.split(), printed.rstrip("\n")


def test_commands_of_the_readme_print_what_it_shows(tmp_path, program):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shown = list(dialogues("README.md"))
    assert len(shown) >= 3
    for words, printed in shown:
        done = subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.rstrip("\n") == printed, words


@pytest.fixture
def table():
    """What README's lines are about: genes, some of them copies."""
    pandas = pytest.importorskip("pandas")
    random = np.random.RandomState(0)
    genes = pandas.DataFrame(random.normal(size=(50, 6)), columns=[f"GENE{k}" for k in range(6)])
    return genes.assign(GENE6=2 * genes["GENE1"], GENE7=-genes["GENE2"], GENE8=genes["GENE3"] + 1)


def test_lines_of_the_readme_run(table, capsys):
    blocks = python_blocks("README.md")
    assert blocks
    for block in blocks:
        names = {"table": table}
        exec(compile(block, "README.md", "exec"), names)
        reduced = names["reduced"]
        assert set(reduced.columns) < set(table.columns)
        assert "GENE7" in capsys.readouterr().out


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
    # One thread: where other tests run beside it, threads that wait for each other take minutes.
    environment = os.environ | {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-W", "error::DeprecationWarning:__main__", str(path)]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_greenhouse_of_the_demo_is_what_its_script_makes():
    script = ROOT / "examples" / "make_sensors.py"
    made = subprocess.run([sys.executable, str(script)], capture_output=True, check=True).stdout
    assert made == (ROOT / "examples" / "sensors.csv").read_bytes()

"""The package has the parameters of the command line, with the same defaults."""

import inspect
import os
import re
import subprocess
from pathlib import Path

import pytest

from sfg import SparseFeatureGraph

#: What only one of the two has: the package has no files, the command line no objects.
OF_THE_PACKAGE = {"preset", "n_jobs", "memory_limit", "random_state", "verbose"}

#: scikit-learn's estimators refuse NaN unless they are told what to make of it; a table in a file has gaps.
OTHER_DEFAULTS = {"missing": ("mean", "refuse")}


def parameters():
    return {name: parameter.default for name, parameter in inspect.signature(SparseFeatureGraph).parameters.items()}


@pytest.fixture(scope="module")
def command_line_defaults():
    """Option -> what the help says about its default ("" if nothing), of `sfg reduce`."""
    program = os.environ.get("SFG_PROGRAM", "")
    if not Path(program).is_file():
        pytest.skip("the program was not built: set SFG_PROGRAM")
    text = subprocess.run([program, "reduce", "--help"], capture_output=True, text=True, check=True).stdout
    defaults = {}
    for part in re.split(r"^  (?=-)", text, flags=re.MULTILINE)[1:]:
        name = re.match(r"(?:-\w,)?--([a-z0-9-]+)", part)[1].replace("-", "_")
        default = re.search(r"\(default: ([^;)]+)", part)
        defaults[name] = default[1] if default else ""
    return defaults


def same(word, value):
    if isinstance(value, bool):
        return word == ("yes" if value else "no")
    if isinstance(value, (int, float)):
        return float(word) == float(value)
    return word == value


def test_every_parameter_is_an_option_of_the_command_line(command_line_defaults):
    assert set(parameters()) - OF_THE_PACKAGE <= set(command_line_defaults)


def test_defaults_are_those_of_the_command_line(command_line_defaults):
    compared = 0
    for name, value in parameters().items():
        if name in OF_THE_PACKAGE or value is None:
            continue
        word = command_line_defaults[name]
        if name in OTHER_DEFAULTS:
            assert (word, value) == OTHER_DEFAULTS[name]
            continue
        assert same(word, value), f"--{name}: {word}, {name}={value!r}"
        compared += 1
    assert compared > 10


def test_defaults_in_the_docstring_are_those_of_the_signature():
    text = inspect.getdoc(SparseFeatureGraph)
    for name, value in parameters().items():
        documented = re.search(rf"^{name} : .*default=(.+)$", text, flags=re.MULTILINE)
        assert documented, name
        assert documented[1].strip("\"'") == str(value), name

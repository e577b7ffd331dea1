"""The defaults of the package are those of the command line, where both have a parameter."""

import inspect
import os
import re
import subprocess
from pathlib import Path

import pytest

from sfg import SparseFeatureGraph

#: Parameters whose words differ: command line -> package.
OTHER_WORDS = {"permutations": "n_permutations", "seed": "random_state"}
#: What the command line writes where the package has None.
NOT_GIVEN = {"auto"}


def help_of(command):
    program = os.environ.get("SFG_PROGRAM", "")
    if not Path(program).is_file():
        pytest.skip("the program was not built: set SFG_PROGRAM")
    return subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout


def command_line_defaults(command):
    """Option -> default, of those whose help names one: "--epsilon FLOAT=0.01"."""
    found = re.findall(r"^  (?:-\w,)?--([a-z0-9-]+) [^\s=]+=(\S+)", help_of(command), flags=re.MULTILINE)
    return {name.replace("-", "_"): value for name, value in found}


def same(word, value):
    if isinstance(value, (int, float)):
        return float(word) == float(value)
    return word == value or (value is None and word in NOT_GIVEN)


def test_defaults_are_those_of_the_command_line():
    package = {
        name: parameter.default for name, parameter in inspect.signature(SparseFeatureGraph).parameters.items()
    }
    compared = []
    for option, word in command_line_defaults("reduce").items():
        name = option if option in package else OTHER_WORDS.get(option, option)
        if name in package:
            assert same(word, package[name]), f"--{option} {word}, {name}={package[name]!r}"
            compared.append(name)
    assert {"epsilon", "max_atoms", "max_angle", "min_mean_r2", "max_terms", "engine"} <= set(compared)


def test_defaults_in_the_docstring_are_those_of_the_signature():
    text = inspect.getdoc(SparseFeatureGraph)
    for name, parameter in inspect.signature(SparseFeatureGraph).parameters.items():
        documented = re.search(rf"^{name} : .*default=(\S+)$", text, flags=re.MULTILINE)
        assert documented, name
        assert documented[1].strip("\"'") == str(parameter.default), name

"""The package as users install it, and what says on which machines it runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAG = ROOT / "tools" / "manylinux-tag"
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
OFFLINE = ["--no-index", "--no-deps"]


def build_wheel(folder, mask):
    """Built by someone whose new files have these modes."""
    words = [*PIP, "wheel", str(ROOT), "-w", str(folder), "--no-build-isolation", *OFFLINE]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(words, check=True, env=environment, preexec_fn=lambda: os.umask(mask))
    (wheel,) = folder.glob("sfg-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("pip", reason="pip is not installed")
    pytest.importorskip("wheel", reason="wheel is not installed")
    if "SFG_BUILD_FOLDER" not in os.environ:
        pytest.skip("the library would be compiled again: set SFG_BUILD_FOLDER")
    return build_wheel(tmp_path_factory.mktemp("wheel"), 0o022)


def test_a_wheel_can_be_built_offline_installed_and_used(wheel, tmp_path):
    site = tmp_path / "site"
    subprocess.run([*PIP, "install", *OFFLINE, "--target", str(site), str(wheel)], check=True)
    assert (site / "sfg" / "py.typed").is_file()
    assert (site / "sfg" / "_core.pyi").is_file()
    script = (
        "import numpy as np, sfg; X = np.random.RandomState(0).normal(size=(30, 4));"
        "print(sfg.__file__, sfg.SparseFeatureGraph().fit(np.hstack([X, X])).support_.sum(), sfg.__version__)"
    )
    environment = os.environ | {"PYTHONPATH": str(site)}
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    file, kept, version = done.stdout.split()
    assert (file, kept) == (str(site / "sfg" / "__init__.py"), "4")
    command = subprocess.run([site / "bin" / "sfg", "--version"], capture_output=True, text=True, check=True)
    assert command.stdout == f"sfg {version}\n"


def test_two_wheels_have_the_same_bytes_whatever_the_builder_s_umask(wheel, tmp_path):
    again = build_wheel(tmp_path, 0o077)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def shared_library(folder, code, *options):
    library = folder / "library.so"
    words = ["cc", "-shared", "-fPIC", "-fno-builtin", "-xc", "-", "-o", str(library), *options]
    try:
        subprocess.run(words, input=code, text=True, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no C compiler")
    return library


def tag_of(*words):
    return subprocess.run([sys.executable, TAG, *map(str, words)], capture_output=True, text=True)


def test_the_platform_tag_is_that_of_the_newest_symbol(tmp_path):
    # pow is of glibc 2.29, memcpy of 2.14, both in every newer glibc.
    code = "double pow(double, double); void* memcpy(void*, void*, long);"
    library = shared_library(tmp_path, code + "double f(double x) { memcpy(&x, &x, 8); return pow(x, x); }", "-lm")
    done = tag_of(library)
    assert done.stdout == "manylinux_2_29_x86_64\n", done.stderr
    assert re.search(r"^library.so  GLIBC_2.29  pow$", tag_of("--list", library).stdout, re.MULTILINE)


def test_what_needs_nothing_new_gets_the_oldest_tag(tmp_path):
    library = shared_library(tmp_path, "int puts(char*); int f(void) { return puts(0); }")
    assert tag_of(library).stdout == "manylinux_2_17_x86_64\n"


def test_what_needs_a_library_that_systems_lack_gets_no_tag(tmp_path):
    library = shared_library(tmp_path, "void* deflate(void); void* f(void) { return deflate(); }",
                             "-lz", "-Wl,-rpath,/opt/lib")
    done = tag_of(library)
    assert done.returncode != 0 and done.stdout == ""
    assert "needs libz.so.1" in done.stderr
    assert "looks for libraries in /opt/lib" in done.stderr


def test_the_program_for_other_machines_needs_glibc_2_28_only_and_answers_the_same(program, tmp_path):
    portable = ROOT / "build" / "portable" / "sfg"
    if not portable.is_file():
        pytest.skip("not built: make binary")
    glibc = re.fullmatch(r"manylinux_2_(\d+)_x86_64\n", tag_of(portable).stdout)
    assert glibc and int(glibc[1]) <= 28
    table = ROOT / "examples" / "sensors.csv"
    for name, path in (("here", program), ("other", portable)):
        subprocess.run([path, "reduce", table, "-o", tmp_path / name], check=True, capture_output=True)
    here, other = (tmp_path / f"{name}.removed.tsv" for name in ("here", "other"))
    assert here.read_bytes() == other.read_bytes()

"""Builds the Python package: CMake makes module and program, setuptools the wheel.

What is built already is used: the folder that SFG_BUILD_FOLDER names, or `build` where it fits. With
SFG_PORTABLE=3.11 in the environment nothing is built: the wheel for that Python gets what
`make wheel` has linked for other machines.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from distutils.command.build_scripts import build_scripts  # setuptools brings distutils, and has no other

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
PORTABLE = os.environ.get("SFG_PORTABLE", "")
# Beside what CMake builds there, and cleaned away with it.
BUILD_BASE = ROOT / "build" / f"wheel{PORTABLE}"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def version():
    return re.search(r"project\(sfg VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def cache_of(folder):
    """What CMake stored in that folder: name -> value."""
    file = folder / "CMakeCache.txt"
    lines = file.read_text().splitlines() if file.is_file() else []
    return dict(re.match(r"([^:#]+):[^=]*=(.*)", line).groups() for line in lines if re.match(r"[^:#]+:\w+=", line))


def is_of_this_python(python):
    if python == sys.executable:
        return True
    words = [python, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"]
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.strip() == SUFFIX
    except OSError:
        return False


def configured_folder():
    """A folder that CMake has prepared for this checkout and this Python."""
    if "SFG_BUILD_FOLDER" in os.environ:
        return Path(os.environ["SFG_BUILD_FOLDER"]).resolve()
    usual = cache_of(ROOT / "build")
    if usual.get("CMAKE_HOME_DIRECTORY") == str(ROOT) and is_of_this_python(usual.get("SFG_PYTHON", "")):
        return ROOT / "build"
    folder = BUILD_BASE / f"cmake{SUFFIX}"
    # Where the checkout has moved, CMake forgets what it found at the old place.
    moved = cache_of(folder).get("CMAKE_HOME_DIRECTORY", str(ROOT)) != str(ROOT)
    words = ["--fresh"] if moved else []
    if shutil.which("ninja"):
        words += ["-G", "Ninja"]
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DSFG_BUILD_TESTS=OFF", "-DSFG_WITH_PYTHON=ON", "-DSFG_WITH_MPI=OFF",
               f"-DSFG_PYTHON={sys.executable}"]
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *words, *options], check=True)
    return folder


def copy(source, target, mode):
    """The same bytes and mode whatever the checkout's are: two builds give the same wheel."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


class Sources(build_py):
    def run(self):
        if not getattr(self, "editable_mode", False):
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        for path in Path(self.build_lib).rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)


class Module(build_ext):
    def build_extension(self, extension):
        target = Path(self.get_ext_fullpath(extension.name))
        if PORTABLE:
            folder = Path(os.environ["SFG_BUILD_FOLDER"]).resolve() / "portable"
            name = f"_core.cpython-{PORTABLE.replace('.', '')}-x86_64-linux-gnu.so"
            copy(folder / name, target.with_name(name), 0o644)
            copy(folder / "LICENCES.txt", target.with_name("LICENCES.txt"), 0o644)
            Program.made = folder / "sfg"
            return
        folder = configured_folder()
        jobs = str(self.parallel or os.cpu_count() or 1)
        targets = ["sfg_python", "sfg_program"]
        subprocess.run(["cmake", "--build", folder, "--target", *targets, "-j", jobs], check=True)
        made = folder / "python" / "sfg" / target.name
        if not made.is_file():
            sys.exit(
                f"setup.py: {made} was not built: install pybind11-dev and python3-dev, "
                "and use the Python that CMake found"
            )
        copy(made, target, 0o644)
        Program.made = folder / "sfg"


class Program(build_scripts):
    """The command sfg. It is a program, where setuptools expects a script."""

    made = None

    def run(self):
        if self.made:
            copy(self.made, Path(self.build_dir) / "sfg", 0o755)

    def get_source_files(self):
        return []


class Wheel(bdist_wheel):
    def get_tag(self):
        if not PORTABLE:
            return super().get_tag()
        python = "cp" + PORTABLE.replace(".", "")
        return python, python, os.environ["SFG_PLATFORM"]


os.umask(0o022)
BUILD_BASE.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    package_dir={"": "python"},
    packages=["sfg"],
    package_data={"sfg": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("sfg._core", sources=[])],
    scripts=["sfg"],
    cmdclass={"bdist_wheel": Wheel, "build_ext": Module, "build_py": Sources, "build_scripts": Program},
    options={
        "build": {"build_base": str(BUILD_BASE)},
        "egg_info": {"egg_base": str(BUILD_BASE)},
    },
    zip_safe=False,
)

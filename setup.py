"""Builds the Python package: CMake makes the module, setuptools the wheel.

With SFG_BUILD_FOLDER in the environment the module is made in that folder, where CMake has been run
before, so that the library is not compiled twice.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
# Beside what CMake builds there, and cleaned away with it.
BUILD_BASE = ROOT / "build" / "wheel"


def version():
    return re.search(r"project\(sfg VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def configure(folder):
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DSFG_BUILD_TESTS=OFF", "-DSFG_WITH_PYTHON=ON",
               "-DSFG_WITH_MPI=OFF"]
    python = f"-DSFG_PYTHON={sys.executable}"
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *ninja, *options, python], check=True)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        given = os.environ.get("SFG_BUILD_FOLDER")
        folder = Path(given or self.build_temp).resolve()
        if not given:
            configure(folder)
        jobs = str(self.parallel or os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", folder, "--target", "sfg_python", "-j", jobs], check=True)
        target = Path(self.get_ext_fullpath(extension.name))
        made = folder / "python" / "sfg" / target.name
        if not made.is_file():
            sys.exit(
                f"setup.py: {made} was not built: install pybind11-dev and python3-dev, "
                "and use the Python that CMake found"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, target)


BUILD_BASE.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    package_dir={"": "python"},
    packages=["sfg"],
    package_data={"sfg": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("sfg._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={
        "build": {"build_base": str(BUILD_BASE)},
        "egg_info": {"egg_base": str(BUILD_BASE)},
    },
    zip_safe=False,
)

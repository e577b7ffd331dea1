"""What stands in several recipes agrees: versions, dependencies, options, outputs, commands.

    python3 tests/packaging_test.py SFG

Exits with 77 and a reason where there is no PyYAML. The recipes themselves are run by `make try-recipes` and `make debian`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: no PyYAML here (python3-yaml)")
    sys.exit(77)

ROOT = Path(__file__).resolve().parent.parent
SFG = os.path.abspath(sys.argv[1])
PACKAGING = ROOT / "packaging"
NEXTFLOW = PACKAGING / "nextflow/sfg/reduce"
SNAKEMAKE = PACKAGING / "snakemake/sfg/reduce"

# What docs/DEPENDENCIES.md names by Debian's packages, as conda-forge and Homebrew call it. None: not used there.
NAMES = {
    "libopenblas-dev": ("openblas", "openblas"),
    "libspectra-dev": ("spectra-cpp", "spectra"),
    "libeigen3-dev": ("eigen", "eigen"),
    "libfmt-dev": ("fmt", "fmt"),
    "libcli11-dev": ("cli11", "cli11"),
    "nlohmann-json3-dev": ("nlohmann_json", "nlohmann-json"),
    "zlib1g-dev": ("zlib", "zlib"),
    "libzip-dev": ("libzip", "libzip"),
    "libmatio-dev": ("libmatio", "libmatio"),
    "pybind11-dev": ("pybind11", None),  # Homebrew has the program and the library
    "libhdf5-dev": ("hdf5", "hdf5"),
    "liblzf-dev": ("liblzf", "liblzf"),
    "libarchive-dev": ("libarchive", "libarchive"),
    "libopenmpi-dev": (None, None),  # sfg-mpi belongs to the MPI of its cluster
    "librsvg2-dev": ("librsvg", "librsvg"),
}
# Further lines of the recipes: tools of the build, and cairo, which Debian's librsvg2-dev brings.
CONDA_TOOLS = {"cairo", "pip", "python", "setuptools", "wheel"}
HOMEBREW_TOOLS = {"cairo", "cmake", "ninja", "pkgconf"}


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def version():
    return re.search(r"project\(sfg VERSION ([0-9.]+)", text_of("CMakeLists.txt"))[1]


def libraries():
    """Debian's names in the first table of docs/DEPENDENCIES.md, without those that Python has ready."""
    table = text_of("docs/DEPENDENCIES.md").split("Only for building and testing")[0]
    rows = [line.split("|")[2] for line in table.splitlines() if line.startswith("|")]
    return {name for row in rows for name in re.findall(r"\b[\w.+-]+-dev\b", row)}


def conda_recipe():
    lines = text_of("packaging/conda/meta.yaml").splitlines()
    known = dict(re.match(r'{% set (\w+) = "(.*)" %}', line).groups() for line in lines if line.startswith("{%"))
    text = "\n".join(line for line in lines if not line.startswith("{%"))
    text = re.sub(r"{{ (\w+) }}", lambda match: known[match[1]], text)
    return yaml.safe_load(re.sub(r'{{ (\w+)\("(\w+)"\) }}', r"\1_\2", text))


def names_of(requirements):
    return {line.split()[0] for line in requirements}


def outputs_of_program(table):
    """The endings that `sfg reduce` writes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SFG, "reduce", table, "-o", f"{folder}/out", "--quiet"], check=True)
        return {path.name[len("out."):] for path in Path(folder).iterdir()}


def block_of_nextflow(name):
    """The text of `script:` or `stub:` as Nextflow gives it to bash: less indented, Groovy's values and escapes replaced."""
    block = re.search(rf'^    {name}:\n.*?"""\n(.*?)"""', text_of(NEXTFLOW / "main.nf"), re.DOTALL | re.MULTILINE)[1]
    values = {"table": "sensors.csv", "prefix": "some name", "task.cpus": "2", "args": "--n-features 5",
              "task.process": "SFG_REDUCE"}
    block = re.sub(r"(?<!\\)\$({[^}]+}|[a-z]\w*(\.\w+)*)", lambda match: values[match[1].strip("{}")], block)
    return re.sub(r"\\(.)", r"\1", textwrap.dedent(block), flags=re.DOTALL)


class Versions(unittest.TestCase):
    def test_every_recipe_has_the_version_of_cmake(self):
        found = {
            "debian/changelog": re.match(r"sfg \(([0-9.]+)-", text_of("debian/changelog"))[1],
            "conda": conda_recipe()["package"]["version"],
            "CITATION.cff": yaml.safe_load(text_of("CITATION.cff"))["version"],
            "container": re.search(r'image\.version="(.*)"', text_of("packaging/container/Containerfile"))[1],
            "snakemake": yaml.safe_load(text_of(SNAKEMAKE / "environment.yaml"))["dependencies"][0].split("=")[1],
            "nextflow": yaml.safe_load(text_of(NEXTFLOW / "environment.yml"))["dependencies"][0].split("=")[1],
        }
        found.update((f"homebrew, {match}", match) for match in re.findall(
            r"sfg-([0-9.]+?)(?:-page)?\.tar\.gz", text_of("packaging/homebrew/sfg.rb")))
        found.update((f"{page}, {match}", match) for page in ("README.md", "docs/INSTALL.md") for match in re.findall(
            r"sfg[-_]([0-9]+\.[0-9]+\.[0-9]+)", text_of(page)))
        self.assertEqual(set(found.values()), {version()}, found)


class Dependencies(unittest.TestCase):
    def test_debian_builds_with_all_libraries(self):
        control = text_of("debian/control")
        needed = names_of(control.split("Build-Depends:")[1].split("\n\n")[0].replace(",", "").split("\n ")[1:])
        self.assertLessEqual(libraries(), needed)
        # A fresh machine gets the same from tools/install-deps.
        lists = text_of("tools/debian-packages.txt") + text_of("tools/debian-packages-debian.txt")
        listed = names_of(line for line in lists.splitlines() if line and not line.startswith("#"))
        self.assertLessEqual({"debhelper" if name == "debhelper-compat" else name for name in needed}, listed)

    def test_whoever_links_the_library_gets_what_its_config_looks_for(self):
        development = text_of("debian/control").split("Package: libsfg-dev")[1].split("Description")[0]
        modules = set(re.findall(r"(?:IMPORTED_TARGET|find_dependency\()\s*(\w+)", text_of("cmake/sfgConfig.cmake.in")))
        debian = {"openblas": "libopenblas-dev", "libzip": "libzip-dev", "matio": "libmatio-dev", "hdf5": "libhdf5-dev",
                  "liblzf": "liblzf-dev", "libarchive": "libarchive-dev", "fmt": "libfmt-dev", "ZLIB": "zlib1g-dev",
                  "PkgConfig": "pkg-config"}
        for module in modules:
            self.assertIn(f" {debian[module]},", development)

    def test_conda_has_the_same_libraries(self):
        needs = conda_recipe()["requirements"]
        expected = {NAMES[name][0] for name in libraries()} - {None}
        self.assertEqual(names_of(needs["host"]), expected | CONDA_TOOLS)

    def test_conda_runs_with_what_pip_asks_for(self):
        listed = re.search(r"^dependencies = \[(.*)\]", text_of("pyproject.toml"), re.MULTILINE)[1]
        expected = {name.replace(">=", " >=") for name in re.findall(r'"(.*?)"', listed)}
        self.assertEqual(set(conda_recipe()["requirements"]["run"]), expected | {"python"})

    def test_homebrew_has_the_same_libraries(self):
        listed = set(re.findall(r'^  depends_on "([^"]+)"', text_of("packaging/homebrew/sfg.rb"), re.MULTILINE))
        expected = {NAMES[name][1] for name in libraries()} - {None}
        self.assertEqual(listed, expected | HOMEBREW_TOOLS)


class Builds(unittest.TestCase):
    RECIPES = ("debian/rules", "packaging/conda/build.sh", "packaging/homebrew/sfg.rb", "packaging/container/Containerfile")

    def test_recipes_set_options_that_cmake_has(self):
        cmake = text_of("CMakeLists.txt") + "".join(path.read_text() for path in (ROOT / "cmake").glob("*.cmake"))
        known = set(re.findall(r"^ *(?:option\(|set\()(SFG_\w+)", cmake, re.MULTILINE))
        for recipe in self.RECIPES:
            used = set(re.findall(r"-D(SFG_\w+)=", text_of(recipe)))
            self.assertTrue(used and used <= known, f"{recipe}: {sorted(used - known)}")

    def test_recipes_build_targets_that_cmake_has(self):
        cmake = "".join(text_of(path) for path in ("CMakeLists.txt", "cli/CMakeLists.txt", "python/CMakeLists.txt",
                                                   "portable/CMakeLists.txt", "cmake/Install.cmake"))
        known = set(re.findall(r"(?:add_executable|add_custom_target|pybind11_add_module)\((sfg_\w+)", cmake))
        for recipe in self.RECIPES[1:]:
            lines = re.findall(r'--target.*', text_of(recipe))
            used = set(re.findall(r"\bsfg_\w+", " ".join(lines)))
            self.assertTrue(used and used <= known, f"{recipe}: {sorted(used - known)}")

    def test_every_debian_test_is_there_and_is_a_script(self):
        named = re.findall(r"^Tests: (\w+)$", text_of("debian/tests/control"), re.MULTILINE)
        self.assertEqual(set(named), {path.name for path in (ROOT / "debian/tests").iterdir()} - {"control"})
        for name in named:
            self.assertTrue(os.access(ROOT / "debian/tests" / name, os.X_OK), name)
            subprocess.run(["sh", "-n", ROOT / "debian/tests" / name], check=True)

    def test_conda_and_homebrew_take_the_sources_and_the_page(self):
        expected = [f"https://example.org/sfg/releases/sfg-{version()}{name}.tar.gz" for name in ("", "-page")]
        self.assertEqual([source["url"] for source in conda_recipe()["source"]], expected)
        self.assertEqual(re.findall(r'\burl "(.*)"', text_of("packaging/homebrew/sfg.rb")), expected)

    def test_a_release_leaves_no_place_for_checksums_open(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("", "-page"):
                (Path(folder) / f"sfg-{version()}{name}.tar.gz").write_bytes(b"something" + name.encode())
            environment = dict(os.environ, HOME_URL="https://sfg.invalid", SOURCE_DATE_EPOCH="0")
            subprocess.run([ROOT / "tools/pack", "recipes", folder], check=True, env=environment)
            shutil.unpack_archive(Path(folder) / f"sfg-{version()}-recipes.tar.gz", folder)
            for path in (Path(folder) / f"sfg-{version()}-recipes").rglob("*.*"):
                if path.is_file():
                    self.assertNotRegex(path.read_text(), "@SHA256|example.org/", path)


class Workflows(unittest.TestCase):
    def test_snakemake_names_the_files_that_the_program_writes(self):
        made = outputs_of_program(SNAKEMAKE / "test/sensors.csv")
        by_snakemake = set(re.findall(r'^    "\w+": "(.*)",$', text_of(SNAKEMAKE / "wrapper.py"), re.MULTILINE))
        self.assertEqual(by_snakemake | {"reduced.csv", "log"}, made)

    def test_meta_files_name_every_output(self):
        emitted = re.findall(r"emit: (\w+)", text_of(NEXTFLOW / "main.nf"))
        meta = yaml.safe_load(text_of(NEXTFLOW / "meta.yml"))
        self.assertEqual([name for output in meta["output"] for name in output], emitted)
        described = [line for output in yaml.safe_load(text_of(SNAKEMAKE / "meta.yaml"))["output"] for line in output]
        self.assertEqual(set(described) | {"versions", "log"}, set(emitted))

    def run_nextflow(self, block):
        """What the block leaves: ending -> size. The file of versions is looked at and taken away."""
        environment = dict(os.environ, PATH=f"{Path(SFG).parent}:{os.environ['PATH']}")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(NEXTFLOW / "tests/sensors.csv", folder)
            subprocess.run(["bash", "-euo", "pipefail", "-c", block_of_nextflow(block)], cwd=folder, check=True,
                           env=environment, capture_output=True)
            versions = yaml.safe_load((Path(folder) / "versions.yml").read_text())
            self.assertEqual(versions, {"SFG_REDUCE": {"sfg": version()}})
            return {path.name[len("some name."):]: path.stat().st_size for path in Path(folder).glob("some name.*")}

    def test_the_script_of_nextflow_and_its_stub_make_the_outputs(self):
        declared = set(re.findall(r'path\("\${prefix}\.(.*?)"\)', text_of(NEXTFLOW / "main.nf")))
        by_script = self.run_nextflow("script")
        self.assertEqual({name.replace("*", "csv") for name in declared}, set(by_script))
        self.assertNotIn(0, by_script.values())
        self.assertEqual(set(self.run_nextflow("stub")), set(by_script))

    def test_their_table_is_the_beginning_of_the_example(self):
        example = text_of("examples/sensors.csv")
        for table in (NEXTFLOW / "tests/sensors.csv", SNAKEMAKE / "test/sensors.csv"):
            self.assertTrue(example.startswith(table.read_text()), table)


class ContinuousIntegration(unittest.TestCase):
    PREPARES = re.compile(r"apt-get update && apt-get install |git config --global --add safe\.directory ")

    def commands(self, steps):
        return [step for step in steps if not self.PREPARES.match(step)]

    def test_it_runs_what_a_developer_runs(self):
        self.assertEqual(text_of(".ci/run").splitlines()[-1], "exec make test")
        self.assertIn("\nmake test ", text_of("CONTRIBUTING.md"))
        self.assertIn("\nmake release ", text_of("CONTRIBUTING.md"))

    def test_github(self):
        jobs = yaml.safe_load(text_of(".github/workflows/test.yml"))["jobs"]
        ran = {name: self.commands(step["run"] for step in job["steps"] if "run" in step) for name, job in jobs.items()}
        self.assertEqual(ran, {"test": [".ci/run"], "release": ["make release"]})
        self.assertEqual({job["container"] for job in jobs.values()}, {"debian:12"})
        self.assertIn("refs/tags/v", jobs["release"]["if"])

    def test_gitlab(self):
        file = yaml.safe_load(text_of(".gitlab-ci.yml"))
        self.assertEqual(self.commands(file["before_script"]), [])
        self.assertEqual(file["test"]["script"], [".ci/run"])
        self.assertEqual(file["release"]["script"], ["make release"])
        self.assertEqual(file["image"], "debian:12")
        self.assertEqual(file["release"]["rules"], [{"if": "$CI_COMMIT_TAG =~ /^v/"}])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

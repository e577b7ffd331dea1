"""Blocks that run while the pages are built, so that a page cannot show what the program does not say.

    ```{terminal}            lines of the shell; each is shown with what it prints
    :lines: 12               (optional) at most so many lines of what each prints
    ```

    ```{live-python}         statements; shows them, what they print, and the figure that is open at the end
    :quiet:                  (optional) only the figure
    ```

The blocks of a page share a folder and a Python process of their own. A command that fails ends the build. Tables
that are no part of the project lie in the folder SFG_DATA; a page that `needs: file` and lacks it shows its commands
without output, and says so.
"""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def build_folder():
    return Path(os.environ.get("SFG_BUILD_FOLDER", ROOT / "build")).resolve()


def data_folder():
    return Path(os.environ.get("SFG_DATA", ROOT.parent / "shared" / "data")).resolve()


class Page:
    """What the blocks of one page share."""

    def __init__(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self.names = {"__name__": "__main__"}
        self.n_figures = 0
        self.missing = []
        self.environment = os.environ | {
            "PATH": f"{build_folder()}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(build_folder() / "python"),
            "MPLBACKEND": "Agg",
            "NO_COLOR": "1",
        }

    def bring(self, name):
        """Puts a file of the examples or of the data folder beside the page."""
        for folder in (EXAMPLES, data_folder()):
            if (folder / name).is_file():
                if not (self.folder / name).exists():
                    (self.folder / name).symlink_to(folder / name)
                return
        self.missing.append(name)

    def run(self, command):
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise ExtensionError(f"{self.folder.name}: '{command}' ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def execute(self, code):
        printed = io.StringIO()
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, self.folder.name, "exec"), self.names)
        except Exception as error:
            raise ExtensionError(f"{self.folder.name}:\n{code}\n{traceback.format_exc()}") from error
        finally:
            os.chdir(before)
        return printed.getvalue()


PAGES = {}


def page_of(environment):
    name = environment.docname
    if name not in PAGES:
        place = Path(environment.app.outdir).parent / "pages" / name.replace("/", "-")
        PAGES[name] = Page(place)
    return PAGES[name]


class Needs(SphinxDirective):
    """Files that the page works on."""

    has_content = True

    def run(self):
        page = page_of(self.env)
        for name in " ".join(self.content).split():
            page.bring(name)
        if not page.missing:
            return []
        text = f"Built without {', '.join(page.missing)}: the commands below are shown without what they print."
        return [nodes.warning("", nodes.paragraph("", text))]


def shortened(text, n_lines):
    lines = text.rstrip("\n").split("\n")
    if n_lines is None or len(lines) <= n_lines:
        return "\n".join(lines)
    return "\n".join([*lines[:n_lines], "..."])


def block(text, language):
    node = nodes.literal_block(text, text)
    node["language"] = language
    return node


class Terminal(SphinxDirective):
    has_content = True
    option_spec = {"lines": directives.positive_int}

    def run(self):
        page = page_of(self.env)
        shown = []
        for command in filter(None, self.content):
            shown.append(f"$ {command}")
            if not page.missing:
                shown.append(shortened(page.run(command), self.options.get("lines")))
        return [block("\n".join(line for line in shown if line), "console")]


class LivePython(SphinxDirective):
    has_content = True
    option_spec = {"quiet": directives.flag, "alt": directives.unchanged}

    def figure(self, page):
        if "matplotlib.pyplot" not in sys.modules:
            return []
        plot = sys.modules["matplotlib.pyplot"]
        if not plot.get_fignums():
            return []
        page.n_figures += 1
        name = f"{self.env.docname.replace('/', '-')}-{page.n_figures}.svg"
        folder = Path(self.env.srcdir) / "_made"
        folder.mkdir(exist_ok=True)
        plot.savefig(folder / name, bbox_inches="tight")
        plot.close("all")
        return [nodes.image(uri=f"/_made/{name}", alt=self.options.get("alt", "figure"))]

    def run(self):
        page = page_of(self.env)
        code = "\n".join(self.content)
        shown = [] if "quiet" in self.options else [block(code, "python")]
        if page.missing:
            return shown
        printed = page.execute(code)
        if printed.strip():
            shown.append(block(printed.rstrip("\n"), "text"))
        return shown + self.figure(page)


def setup(app):
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.path.insert(0, str(build_folder() / "python"))
    app.add_directive("needs", Needs)
    app.add_directive("terminal", Terminal)
    app.add_directive("live-python", LivePython)
    return {"parallel_read_safe": False, "parallel_write_safe": True}

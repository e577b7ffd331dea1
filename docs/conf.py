"""The documentation as pages: `make docs`. Pages are Markdown; what they run is run while they are built."""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS / "_ext"))

project = "sfg"
author = "the sfg maintainers"
project_copyright = author
release = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
version = release
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "live", "repository_links"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_ext", "_build"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "dollarmath"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_rtype = False

html_theme = "sphinx_rtd_theme"
html_title = "sfg"
html_static_path = ["_static"]
html_css_files = ["sfg.css"]
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"navigation_depth": 3, "prev_next_buttons_location": "bottom"}


def plain_text(app, what, name, item, options, lines):
    """Docstrings are read on terminals: `kept_` and |r| are words in them, no links and substitutions."""
    for place, line in enumerate(lines):
        if line.lstrip().startswith(".. "):
            continue
        line = re.sub(r"(?<![`\\\w])(\w+)_(?![\w`])", r"\1\\_", line)
        lines[place] = re.sub(r"(?<![`\\])\|", r"\\|", line)


def setup(app):
    app.connect("autodoc-process-docstring", plain_text, priority=900)

"""Links of the pages to files of the project that are no pages.

On the site such a link becomes the file's name; a link to a page above docs/ (README.md and its neighbours) becomes
one to the page that includes it. A link to a file that does not exist ends the build.
"""

import re
from pathlib import Path

from sphinx.errors import ExtensionError

DOCS = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")
ABOVE = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}


def target(folder, name, path, anchor):
    """The link as the site has it."""
    file = (folder / path).resolve()
    if not file.exists():
        raise ExtensionError(f"{folder}: a link to {path}, which does not exist")
    if DOCS in file.parents and file.suffix in {".md", ".svg", ".png"}:
        return None
    if file.parent == DOCS.parent and file.name in ABOVE:
        return f"[{name}](/{ABOVE[file.name]}{anchor})"
    return name if name.startswith("`") else f"`{name}`"


def rewrite(app, docname, source):
    page = Path(app.srcdir) / f"{docname}.md"
    # A page that includes one from above speaks of files from there.
    included = re.search(r"```{include} (\S+)", source[0])
    folder = page.parent
    text = source[0]
    if included:
        file = (folder / included.group(1)).resolve()
        folder = file.parent
        text = text.replace(included.group(0) + "\n```", file.read_text(encoding="utf-8"))
        text = re.sub(r"\]\(docs/", "](", text)
        folder = DOCS

    def replace(match):
        name, path, anchor = match.group(1), match.group(2), match.group(3) or ""
        if re.match(r"[a-z]+:", path) or path.startswith("/"):
            return match.group(0)
        place = folder if (folder / path).exists() else (DOCS.parent if included else folder)
        return target(place, name, path, anchor) or match.group(0)

    # Code is left alone.
    parts = re.split(r"(^```.*?^```$|`[^`\n]+`(?!\]))", text, flags=re.MULTILINE | re.DOTALL)
    source[0] = "".join(part if k % 2 else LINK.sub(replace, part) for k, part in enumerate(parts))


def setup(app):
    app.connect("source-read", rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

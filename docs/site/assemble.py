#!/usr/bin/python3
"""Puts the pages of the site together: assemble.py TARGET. The Markdown of the repository is taken as it is; links to files
that are not on the site become names, and formulas of the theory pages are typeset."""
import json
import os
import re
import shutil
import sys

import typeset

top = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
target = os.path.abspath(sys.argv[1])

# Pages of the repository and where they stand on the site.
pages = {"CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md"}
for folder, _, names in os.walk(os.path.join(top, "docs")):
    inside = os.path.relpath(folder, top)
    if inside.startswith("docs/site"):
        continue
    for name in names:
        if name.endswith(".md"):
            pages[f"{inside}/{name}"] = os.path.relpath(f"{inside}/{name}", "docs")
pages["docs/theory/README.md"] = "theory/index.md"

LINK = re.compile(r"(?<!`)(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def linked(text, source, page):
    """The links of a page, from where it stands in the repository to where it stands on the site."""
    def change(found):
        picture, words, link = found.groups()
        if "://" in link or link.startswith("#"):
            return found[0]
        path, _, part = link.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if not os.path.exists(os.path.join(top, file)):
            sys.exit(f"{source}: there is no {file}, to which it links")
        here = os.path.dirname(page) or "."
        if file in pages:
            return f"{picture}[{words}]({os.path.relpath(pages[file], here)}{'#' + part if part else ''})"
        if picture:
            return f"![{words}]({os.path.relpath(os.path.relpath(file, 'docs'), here)})"
        return words if "`" in words else f"{words} (`{file}`)"
    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    return "".join(part if part.startswith("```") else LINK.sub(change, part) for part in parts)


written = set()


def write(path, text):
    path = os.path.join(target, path)
    written.add(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # What has not changed keeps its time, so that Sphinx reads changed pages alone.
    if not os.path.exists(path) or open(path).read() != text:
        with open(path, "w") as file:
            file.write(text)


theory = sorted(page for page in pages.values() if page.startswith("theory/") and page != "theory/index.md")
for source, page in pages.items():
    text = linked(open(os.path.join(top, source)).read(), source, page)
    if page in theory:
        text = typeset.page(text)
    if page == "theory/index.md":
        names = "\n".join(other.removeprefix("theory/").removesuffix(".md") for other in theory)
        text += f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    write(page, text)
for name in os.listdir(os.path.join(top, "docs/site/pages")):
    write(name, open(os.path.join(top, "docs/site/pages", name)).read())
write("taut.h", open(os.path.join(top, "src/taut/capi/taut.h")).read())


def notebook(name):
    """A notebook as a page: its texts, and its code in blocks."""
    with open(os.path.join(top, "docs/notebooks", name + ".ipynb")) as file:
        cells = json.load(file)["cells"]
    parts = ["".join(cell["source"]) if cell["cell_type"] == "markdown" else "```python\n" + "".join(cell["source"]) + "\n```"
             for cell in cells]
    return "\n\n".join([parts[0], f"*This is the notebook `docs/notebooks/{name}.ipynb`, which the tests run.*", *parts[1:]]) + "\n"


notebooks = ("pendulum", "sympy-model", "comparing-methods", "ensemble", "certificate")
for name in notebooks:
    write(f"notebooks/{name}.md", notebook(name))
write("notebooks/index.md", "# Notebooks\n\nFive notebooks, which lie in `docs/notebooks` of the sources.\n\n```{toctree}\n\n"
      + "\n".join(notebooks) + "\n```\n")
shutil.copytree(os.path.join(top, "docs/pictures"), os.path.join(target, "pictures"), dirs_exist_ok=True)
# Pages that are no longer there.
for folder, _, names in os.walk(target):
    for name in names:
        path = os.path.join(folder, name)
        if name.endswith(".md") and path not in written:
            os.remove(path)

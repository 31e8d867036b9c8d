"""The documentation site, built by docs/build. Pages come from the Markdown of the repository: assemble.py."""
import html
import os
import re
import sys

top = os.environ["TAUT_TOP"]
project = "taut"
author = copyright = "the taut authors"
version = release = re.search(r"project\(taut VERSION ([0-9.]+)", open(os.path.join(top, "CMakeLists.txt")).read())[1]
extensions = ["myst_parser"]
root_doc = "index"
nitpicky = False
smartquotes = False  # Two primes are a second derivative and no quotation mark.
suppress_warnings = ["myst.header"]  # Pages of the repository may begin below the first level.

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"taut {version}"
html_static_path = [os.path.join(top, "docs/site/static"), os.environ["TAUT_SITE_STATIC"]]
html_css_files = ["katex/katex.min.css", "site.css"]
html_js_files = ["katex/katex.min.js", "formulas.js"]
html_show_search_summary = False  # It would fetch pages, which a browser does not do from file://.
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"light_css_variables": {"color-brand-primary": "#175f86", "color-brand-content": "#175f86"}}
pygments_style = "friendly"
pygments_dark_style = "monokai"

if os.path.isdir(os.environ.get("TAUT_DOXYGEN", "")):
    extensions.append("breathe")
    breathe_projects = {"taut": os.environ["TAUT_DOXYGEN"]}
    breathe_default_project = "taut"
    breathe_default_members = ("members",)
    breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}

if os.path.isdir(os.path.join(top, "python/taut")):
    sys.path.insert(0, os.path.join(top, "python"))
    extensions.append("sphinx.ext.autodoc")
    autodoc_member_order = "bysource"
    autodoc_typehints = "signature"


def inline(translator, node):
    translator.body.append(f'<span class="math formula">{html.escape(node.astext())}</span>')
    raise_skip()


def block(translator, node):
    text = node.astext()
    if "\\\\" in text:
        text = f"\\begin{{gathered}}{text}\\end{{gathered}}"
    translator.body.append(f'<div class="math formula display">{html.escape(text)}</div>')
    raise_skip()


def raise_skip():
    from docutils import nodes
    raise nodes.SkipNode


def setup(app):
    # formulas.js lets KaTeX typeset these, from files of the site.
    app.add_html_math_renderer("katex", (inline, None), (block, None))
    app.config.html_math_renderer = "katex"

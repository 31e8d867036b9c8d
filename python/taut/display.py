"""What a terminal and a notebook show."""

from __future__ import annotations

import html
import importlib
from typing import TYPE_CHECKING, Any, Container, Dict, List, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Frame", "Table", "equations_of", "html_table", "html_of_result", "package", "text_of_result", "text_table"]


def package(name: str, for_what: str) -> Any:
    """A package that is not always there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        debian = "" if name == "arviz" else f"install python3-{name}, or "
        raise ImportError(f"{for_what} needs {name}: {debian}`pip install {name}`") from None


class Frame:
    """A page of its own inside a notebook."""

    def __init__(self, page: str, height: int = 760):
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page, quote=True)}" width="100%" height="{int(self.height)}" '
                'style="border: 1px solid #ccc" sandbox="allow-scripts allow-downloads"></iframe>')

    def __repr__(self) -> str:
        return f"<a report of {len(self.page) // 1024} kB; a notebook shows it, r.report(\"FILE.html\") writes it>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_cell(part) for part in value)
    return str(value)


def html_table(rows: "Sequence[Sequence[Any]]", head: "Optional[Sequence[str]]" = None) -> str:
    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(f"<th>{html.escape(str(name))}</th>" for name in head) + "</tr>")
    for row in rows:
        lines.append("<tr>" + "".join(f'<td style="text-align: left">{html.escape(_cell(value))}</td>' for value in row) + "</tr>")
    return "\n".join(lines) + "\n</table>"


def text_table(rows: "Sequence[Sequence[Any]]", head: "Sequence[str]") -> str:
    cells = [list(head), *[[_cell(value) for value in row] for row in rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)


class Table(List[Dict[str, Any]]):
    """A list of rows, each a dict, which a notebook shows as a table.

    ``shown`` are the columns that are shown; all others are in the rows.
    """

    def __init__(self, rows: "Sequence[Dict[str, Any]]", shown: "Sequence[str]"):
        super().__init__(rows)
        self.shown = list(shown)

    def _rows(self) -> "List[List[Any]]":
        return [[row.get(name) for name in self.shown] for row in self]

    def to_pandas(self) -> Any:
        """All columns, shown or not, as a pandas.DataFrame."""
        return package("pandas", "to_pandas").DataFrame(list(self), columns=None if self else self.shown)

    def _repr_html_(self) -> str:
        return html_table(self._rows(), self.shown)

    def __repr__(self) -> str:
        return text_table(self._rows(), self.shown)


def _summary_rows(summary: "Dict[str, Any]") -> "List[Tuple[str, str]]":
    energy: Dict[str, Any] = summary.get("energy") or {}
    residual: Dict[str, Any] = summary.get("residual") or {}
    rows = [
        ("model", str(summary.get("model", ""))),
        ("method", f"{summary.get('method')}, step {_cell(summary.get('step'))}"),
        ("steps", f"{summary.get('steps')} to t = {_cell(summary.get('time'))} in {_cell(summary.get('seconds'))} s"),
        ("energy", f"H = {_cell(energy.get('initial'))} at the start, max |H - H0| = {_cell(energy.get('max_error'))}"),
        ("residual", f"max |g| = {_cell(residual.get('position_max'))}, max |G H_p| = {_cell(residual.get('momentum_max'))}"),
    ]
    if "backend" in summary:
        rows.append(("backend", str(summary["backend"])))
    rows.extend(("warning", str(warning)) for warning in summary.get("warnings", []))
    if "error" in summary:
        rows.append(("error", str(summary["error"])))
    return rows


def text_of_result(result: "Result") -> str:
    rows = _summary_rows(result.summary)
    return "\n".join(f"{name:<9} {value}" for name, value in rows) + f"\nsamples   {len(result)}"


def html_of_result(result: "Result") -> str:
    page = html_table([*_summary_rows(result.summary), ("samples", str(len(result)))])
    if result._handle is not None and len(result) > 1:
        page += "".join(f'<div style="display: inline-block; max-width: 48%">{svg}</div>' for svg in result.figures().values())
    return page


# How a part of the mechanics is called on the left-hand side.
_LEFT = {"hamiltonian": "H", "lagrangian": "L", "kinetic": "T", "mass": "M", "potential": "V"}


def equations_of(latex: "Dict[str, Any]", taken: "Container[str]") -> "List[str]":
    """The lines of a model as its author wrote it: mechanics, constraints, forces, and what the names in them stand for.

    A letter that the model has ``taken`` for something of its own is set in another alphabet on the left.
    """
    letters = {key: f"\\mathcal{{{letter}}}" if letter in taken else letter for key, letter in _LEFT.items()}
    lines = [f"{letter} &= {latex[key]}" for key, letter in letters.items() if key in latex]
    lines += [f"0 &= {g}" for g in latex["constraints"]]
    lines += [f"F_{{{force['on']}}} &= {force['formula']}" for force in latex["forces"]]
    lines += [f"{one['name']} &= {one['formula']}" for one in latex["definitions"]]
    return lines

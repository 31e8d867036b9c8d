"""The certificate of a method on a model, and methods side by side."""

from __future__ import annotations

import html
from typing import Any, Dict, List

from .display import Table, html_table, text_table

__all__ = ["Certificate", "Comparison"]


class Certificate:
    """What :meth:`taut.Model.check` measured. It is true if every claim holds.

    >>> import taut
    >>> c = taut.Model("pendulum").check(method="rattle", steps=2000)
    >>> bool(c), c["order"]["claimed"], abs(c["order"]["measured"] - 2) < 0.05
    (True, 2.0, True)
    """

    def __init__(self, found: "Dict[str, Any]"):
        self.summary = found
        self.passed: bool = bool(found["pass"])
        self.checks: List[Dict[str, Any]] = found["checks"]

    def __bool__(self) -> bool:
        return self.passed

    def __getitem__(self, name: str) -> "Dict[str, Any]":
        for check in self.checks:
            if check["name"] == name:
                return check
        raise KeyError(f"no check is called {name!r}; there are " + ", ".join(str(c["name"]) for c in self.checks))

    def _rows(self) -> "List[List[Any]]":
        words = {True: "pass", False: "FAIL", None: ""}
        return [[c["name"], c.get("claimed"), c.get("measured"), words.get(c.get("pass"), ""), c.get("note")]
                for c in self.checks]

    def _title(self) -> str:
        return f"{self.summary.get('model')}, {self.summary.get('method')}: {'pass' if self.passed else 'FAIL'}"

    def __repr__(self) -> str:
        return self._title() + "\n" + text_table(self._rows(), ["check", "claimed", "measured", "", "note"])

    def _repr_html_(self) -> str:
        return f"<b>{html.escape(self._title())}</b>" + html_table(self._rows(), ["check", "claimed", "measured", "", "note"])


class Comparison(Table):
    """Methods side by side, a row each; ``summary`` is the object that ``taut compare --json`` prints."""

    def __init__(self, found: Any):
        rows: List[Dict[str, Any]] = found if isinstance(found, list) else found.get("runs", found.get("methods", []))
        self.summary = found
        flat = []
        for row in rows:
            one = dict(row)
            for key in ("energy", "residual", "newton"):
                for inner, value in (row.get(key) or {}).items():
                    one[f"{key}.{inner}"] = value
            flat.append(one)
        shown = [name for name in ("method", "step", "steps", "energy.max_error", "residual.position_max", "seconds",
                                   "cpu_seconds", "gradients", "error") if any(name in row for row in flat)]
        super().__init__(flat, shown)

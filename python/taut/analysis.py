"""What kind of motion a run is: sections, exponents, periodic orbits, frequencies, indicators of chaos."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, List

from .display import html_table, package, text_table

if TYPE_CHECKING:
    from .arrays import Doubles

__all__ = ["Exponents", "Indicators", "Orbit", "Section", "Spectrum"]


def _array(values: Any) -> "Doubles":
    import numpy as np

    return np.array(values, dtype=np.float64)


class _Found:
    """What was found, as the command prints it: ``summary`` has all of it."""

    _head = ["", ""]

    def __init__(self, found: "Dict[str, Any]"):
        self.summary = found

    def _title(self) -> str:
        about = [str(self.summary[key]) for key in ("model", "method") if key in self.summary]
        return f"{type(self).__name__.lower()} of {', '.join(about)}"

    def _rows(self) -> "List[List[Any]]":
        return []

    def __repr__(self) -> str:
        return self._title() + "\n" + text_table(self._rows(), self._head)

    def _repr_html_(self) -> str:
        return f"<b>{html.escape(self._title())}</b>" + html_table(self._rows(), self._head)


class Section(_Found):
    """Points at which the last event came: ``t``, ``q`` and ``p``, a row each; a column by its name.

    >>> import taut
    >>> s = taut.Model("pendulum").section("when=x", method="lobatto(6)", step=0.1, until=10.0)
    >>> len(s.t), abs(s["x"]).max() < 1e-15
    (3, True)
    """

    def __init__(self, found: "Dict[str, Any]"):
        super().__init__(found)
        self.columns: List[str] = found["columns"]
        n = (len(self.columns) - 1) // 2
        points = _array(found["points"]).reshape(-1, len(self.columns))
        self.points = points
        self.t, self.q, self.p = points[:, 0], points[:, 1:1 + n], points[:, 1 + n:]

    def __len__(self) -> int:
        return int(self.points.shape[0])

    def _title(self) -> str:
        return f"{super()._title()}: {len(self)} points"

    def _rows(self) -> "List[List[Any]]":
        self._head = self.columns
        rows: List[List[Any]] = self.points.tolist()
        return rows if len(rows) <= 8 else [*rows[:4], ["…"] * len(self.columns), *rows[-3:]]

    def to_pandas(self) -> Any:
        """The points as a pandas.DataFrame, a row each."""
        return package("pandas", "to_pandas").DataFrame(self.points, columns=self.columns)

    def __getitem__(self, column: str) -> "Doubles":
        if column not in self.columns:
            raise KeyError(f"there is no column {column!r}; there are " + ", ".join(self.columns))
        found: "Doubles" = self.points[:, self.columns.index(column)]
        return found


class Exponents(_Found):
    """Lyapunov exponents on the manifold, from the largest, with their standard errors.

    >>> import taut
    >>> e = taut.Model("pendulum").lyapunov(method="lobatto(4)", step=0.05, until=10.0)
    >>> len(e.values), e.pairing_defect < 1e-8
    (2, True)
    """

    def __init__(self, found: "Dict[str, Any]"):
        super().__init__(found)
        self.values, self.errors = _array(found["exponents"]), _array(found["errors"])
        defect = found["pairing_defect"]  # null if not all exponents were asked for
        self.pairing_defect = float("nan") if defect is None else float(defect)
        self.time = float(found["time"])

    _head = ["exponent", "error"]

    def _rows(self) -> "List[List[Any]]":
        return [[float(value), float(error)] for value, error in zip(self.values, self.errors)]


class Orbit(_Found):
    """A periodic orbit: its start, its period, its Floquet multipliers.

    >>> import taut
    >>> o = taut.Model("pendulum").orbit(period=7.3, method="lobatto(6)", step=0.1)
    >>> abs(o.period - 7.416298709205487) < 1e-10, o.closure < 1e-12
    (True, True)
    """

    def __init__(self, found: "Dict[str, Any]"):
        super().__init__(found)
        self.period, self.energy, self.closure = (float(found[key]) for key in ("period", "energy", "closure"))
        self.q, self.p = _array(found["q"]), _array(found["p"])
        self.multipliers = [complex(re, im) for re, im in found["multipliers"]]

    def _rows(self) -> "List[List[Any]]":
        return [["period", self.period], ["energy", self.energy], ["closure", self.closure],
                ["q", self.q.tolist()], ["p", self.p.tolist()],
                *[["multiplier", f"{one:.6g}, |.| = {abs(one):.9g}"] for one in self.multipliers]]


class Spectrum(_Found):
    """Frequencies in radians per unit of time, amplitudes and phases, from the strongest.

    >>> import taut
    >>> s = taut.Model("pendulum").spectrum("x", method="lobatto(6)", step=0.1, until=400.0, count=2, window=4)
    >>> abs(abs(s.frequencies[0]) - 0.8472130847939790) < 1e-8
    True
    """

    def __init__(self, found: "Dict[str, Any]"):
        super().__init__(found)
        self.frequencies, self.amplitudes, self.phases = (
            _array([line[key] for line in found["lines"]]) for key in ("frequency", "amplitude", "phase"))
        self.residual = float(found["residual"])

    _head = ["frequency", "amplitude", "phase"]

    def _title(self) -> str:
        return f"spectrum of {self.summary['of']}"

    def _rows(self) -> "List[List[Any]]":
        return [[float(x) for x in line] for line in zip(self.frequencies, self.amplitudes, self.phases)]


class Indicators(_Found):
    """Indicators of chaos at the end of a run, and along it: ``t``, ``megno_at``, ``sali_at``, ``fli_at``.

    >>> import taut
    >>> i = taut.Model("pendulum").indicators(step=0.1, until=50.0)
    >>> i.verdict, i.sali > 1e-8, len(i.t) == len(i.megno_at)
    ('not yet', True, True)
    """

    def __init__(self, found: "Dict[str, Any]"):
        super().__init__(found)
        self.verdict: str = found["verdict"]
        self.megno, self.sali, self.fli, self.lyapunov = (float(found[key]) for key in ("megno", "sali", "fli", "lyapunov"))
        self.gali = _array(found["gali"])
        self.t, self.megno_at, self.sali_at, self.fli_at = (
            _array(found[key]) for key in ("t", "megno_at", "sali_at", "fli_at"))

    def _rows(self) -> "List[List[Any]]":
        return [["verdict", self.verdict], ["MEGNO", self.megno], ["SALI", self.sali], ["FLI", self.fli],
                ["GALI", self.gali.tolist()], ["largest exponent", self.lyapunov]]

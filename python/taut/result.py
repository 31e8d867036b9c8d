"""What a run gave: arrays without a copy, the summary, the failure."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

from ._library import Handle, path_of, take_json, take_text
from .arrays import view_of
from .display import Table, package
from .errors import ModelError, TautError

if TYPE_CHECKING:
    from .arrays import Doubles

__all__ = ["Failure", "Result"]


class Failure(NamedTuple):
    """Why a run ended before its time."""

    kind: str  #: not-converged, singular, not-finite, off-constraint, jumped, …
    stage: Optional[str]  #: position, momentum or inner: which solve failed
    step: int
    time: float
    residual: Optional[float]
    iterations: Optional[int]
    constraint: Optional[int]  #: from 0; None if no single one is to blame
    constraint_name: Optional[str]
    sentence: str  #: what the program prints: what, where, how far off, what to try

    def __str__(self) -> str:
        return self.sentence


class Result:
    """The result of :meth:`taut.Model.run`.

    The arrays are views of memory that the library owns. They are read-only, they are not copied, and they keep that
    memory alive. The first axis is the sample.

    >>> import taut
    >>> r = taut.Model("pendulum").run(step=0.05, steps=100, every=10)
    >>> r.t.shape, r.q.shape, r["y"].shape
    ((11,), (11, 2), (11,))
    >>> bool(abs(r.q[:, 0]**2 + r.q[:, 1]**2 - 1).max() < 1e-15)
    True
    """

    def __init__(self, handle: "Optional[Handle]", summary: "Dict[str, Any]", columns: "Optional[Dict[str, List[str]]]" = None,
                 arrays: "Optional[Dict[str, Doubles]]" = None, text: str = ""):
        self._handle = handle
        self._summary = summary
        self._text = text  # of the summary: it may have more digits than doubles
        self._columns = columns
        self._arrays: Dict[str, Any] = arrays or {}

    @classmethod
    def _of_handle(cls, handle: Handle) -> "Result":
        text = take_text("taut_run_summary", handle.pointer)
        return cls(handle, json.loads(text), text=text)

    @property
    def columns(self) -> "Dict[str, List[str]]":
        """The names that ``r[name]`` takes: coordinates, momenta and further columns."""
        if self._columns is None:
            assert self._handle is not None
            self._columns = take_json("taut_run_columns", self._handle.pointer)
        return self._columns

    @property
    def coordinates(self) -> "List[str]":
        """Names of the coordinates, in the order of ``q``."""
        return self.columns["coordinates"]

    def _array(self, name: str) -> "Doubles":
        found = self._arrays.get(name)
        if found is None:
            if self._handle is None:
                raise ModelError(f"this result has no column `{name}`; it has {', '.join(sorted(self._arrays))}")
            found = self._arrays[name] = view_of(self._handle, "taut_run_view", name)
        array: Doubles = found
        return array

    @property
    def t(self) -> "Doubles":
        """Times, (samples,)."""
        return self._array("t")

    @property
    def q(self) -> "Doubles":
        """Coordinates, (samples, n)."""
        return self._array("q")

    @property
    def p(self) -> "Doubles":
        """Momenta, (samples, n)."""
        return self._array("p")

    @property
    def energy(self) -> "Doubles":
        """H, (samples,)."""
        return self._array("energy")

    @property
    def multipliers(self) -> "Doubles":
        """λ(q, p), (samples, m)."""
        return self._array("lambda")

    @property
    def residuals(self) -> "Doubles":
        """The largest of ``|g|`` and of ``|G H_p|`` at each sample, (samples, 2)."""
        return self._array("residual")

    @property
    def quantities(self) -> "Dict[str, Doubles]":
        """The further columns by name, each (samples,)."""
        return {name: self._array(name) for name in self.columns["columns"]}

    def __getitem__(self, name: str) -> "Doubles":
        """A coordinate, a momentum, ``t``, ``energy``, or a quantity by its name."""
        if not isinstance(name, str):
            raise TypeError("a result is asked by the name of a column, such as r[\"x\"]; r.q and r.p are arrays")
        # A coordinate may be called q, t or energy.
        for block, names in (("q", self.columns["coordinates"]), ("p", self.columns["momenta"])):
            if name in names:
                column: Doubles = self._array(block)[:, names.index(name)]
                return column
        try:
            return self._array(name)
        except ModelError as error:
            raise KeyError(f"{error} There are {', '.join(['t', 'energy', *self._names()])}") from None

    def __contains__(self, name: object) -> bool:
        return name in ("t", "energy", *self._names())

    def __len__(self) -> int:
        return len(self.t)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> "Doubles":
        import numpy as np

        table: Doubles = np.column_stack([self.t, self.q, self.p]).astype(dtype or np.float64, copy=False)
        return table

    @property
    def summary(self) -> "Dict[str, Any]":
        """The object that ``taut run --json`` prints."""
        return self._summary

    @property
    def decimals(self) -> "Dict[str, Any]":
        """The summary with numbers of type decimal.Decimal: all the digits that ``precision="long"`` and ``"quad"`` have.

        >>> import taut
        >>> r = taut.Model("pendulum").run(steps=1)
        >>> float(r.decimals["q"][0]) == r.summary["q"][0]
        True
        """
        found: Dict[str, Any] = json.loads(self._text or json.dumps(self._summary), parse_float=Decimal)
        return found

    @property
    def events(self) -> "Table":
        """Where formulas of ``events`` crossed zero: rows of name, time, q, p."""
        return Table(self._summary.get("events", []), ["name", "time", "q", "p"])

    @property
    def at(self) -> "Table":
        """The states at the times that ``at`` asked for: rows of time, q, p."""
        return Table(self._summary.get("at", []), ["time", "q", "p"])

    @property
    def failure(self) -> "Optional[Failure]":
        """Why the run ended early; None if it did not."""
        found = self._summary.get("failure")
        if found is None:
            return None
        return Failure(*[found.get(field) for field in Failure._fields])

    def _names(self) -> "List[str]":
        extra = [name for name in self.columns["columns"] if name not in self.columns["coordinates"] + self.columns["momenta"]]
        return [*self.columns["coordinates"], *self.columns["momenta"], *extra]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the time as its index. It is a copy."""
        pandas = package("pandas", "to_pandas")
        columns = {name: self[name] for name in self._names()}
        columns.setdefault("energy", self.energy)
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> Any:
        """An xarray.Dataset with the dimensions time and coordinate."""
        xarray = package("xarray", "to_xarray")
        data = {"q": (("time", "coordinate"), self.q), "p": (("time", "coordinate"), self.p),
                "energy": (("time",), self.energy), "multipliers": (("time", "constraint"), self.multipliers),
                "residuals": (("time", "of"), self.residuals)}
        known = {"t", "energy", *self.columns["coordinates"], *self.columns["momenta"]}
        data.update({name: (("time",), self._array(name)) for name in self.columns["columns"] if name not in known})
        attributes = {key: value for key, value in self._summary.items() if isinstance(value, (str, int, float))}
        return xarray.Dataset(data, coords={"time": self.t, "coordinate": self.columns["coordinates"],
                                            "of": ["position", "momentum"]}, attrs=attributes)

    def _library_handle(self, what: str) -> Handle:
        if self._handle is None:
            raise TautError(f"{what} is made by the library from the run itself, and this result came out of a pickle. "
                            "Run the model again")
        return self._handle

    def report_html(self) -> str:
        """The report: one page of HTML with plots and an animation, which needs nothing else."""
        return take_text("taut_run_report", self._library_handle("the report").pointer)

    def report(self, file: Any = None, height: int = 760) -> Any:
        """The report. With a file it is written there; otherwise it comes as an object that a notebook shows in a frame."""
        from .display import Frame

        page = self.report_html()
        if file is None:
            return Frame(page, height)
        with open(path_of(file, "report"), "w", encoding="utf-8") as out:
            out.write(page)
        return None

    def figures(self) -> "Dict[str, str]":
        """The plots of the energy error and of the residuals as SVG."""
        found: Dict[str, str] = take_json("taut_run_figures", self._library_handle("a figure").pointer)
        return found

    def _repr_html_(self) -> str:
        from .display import html_of_result

        return html_of_result(self)

    def __repr__(self) -> str:
        from .display import text_of_result

        return text_of_result(self)

    def __reduce__(self) -> Any:
        from .pickling import packed_result, restore

        return restore, ("result", *packed_result(self))

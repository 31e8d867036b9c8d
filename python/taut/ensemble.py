"""Many trajectories of one model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

from ._library import Handle, take_json
from .arrays import as_doubles, as_states, view_of
from .display import Table, html_table, package, text_table
from .errors import ModelError
from .options import mapping_of

if TYPE_CHECKING:
    from .arrays import Doubles

__all__ = ["Ensemble", "table_of"]


class Ensemble:
    """The result of :meth:`taut.Model.ensemble`. Arrays are views, as those of a run.

    >>> import taut
    >>> e = taut.Model("double-pendulum").ensemble(vary={"gravity": "linspace(1, 10, 8)"}, step=0.01, steps=50)
    >>> e.q.shape, e.values["gravity"].shape, len(e.failures)
    ((8, 4), (8,), 0)
    """

    def __init__(self, handle: "Optional[Handle]", summary: "Optional[Dict[str, Any]]" = None,
                 columns: "Optional[Dict[str, List[str]]]" = None, failures: "Optional[List[Dict[str, Any]]]" = None,
                 arrays: "Optional[Dict[str, Doubles]]" = None):
        self._handle = handle
        self._columns = columns
        self._summary = summary
        self._failures = failures
        self._arrays: Dict[str, Any] = arrays or {}  # of a pickle, which has no handle

    @property
    def columns(self) -> "Dict[str, List[str]]":
        """Names: of the ends (``columns``), of the samples (``sample_columns``), and of what varied (``values``)."""
        if self._columns is None:
            assert self._handle is not None
            self._columns = take_json("taut_ensemble_columns", self._handle.pointer)
        return self._columns

    @property
    def summary(self) -> "Dict[str, Any]":
        """The object that ``taut ensemble --json`` prints, with the digest of all final states."""
        if self._summary is None:
            assert self._handle is not None
            self._summary = take_json("taut_ensemble_summary", self._handle.pointer)
        return self._summary

    @property
    def failures(self) -> Table:
        """The trajectories that failed: where, when and why."""
        if self._failures is None:
            assert self._handle is not None
            self._failures = take_json("taut_ensemble_failures", self._handle.pointer)
        return Table(self._failures, ["trajectory", "kind", "time", "residual", "constraint", "words"])

    def _view(self, name: str) -> "Doubles":
        if self._handle is not None:
            return view_of(self._handle, "taut_ensemble_view", name)
        ends: Doubles = self._arrays["ends"]
        n = self._arrays["q"].shape[1]
        if name == "p":
            return ends[:, n:2*n]
        found: Optional[Doubles] = self._arrays.get(name)
        if found is not None:
            return found
        if name not in self.columns["columns"]:
            raise ModelError(f"the ensemble has no column `{name}`; it has " + ", ".join(self.columns["columns"]))
        return ends[:, self.columns["columns"].index(name)]

    @property
    def q(self) -> "Doubles":
        """Final coordinates, (trajectories, n)."""
        return self._view("q")

    @property
    def p(self) -> "Doubles":
        """Final momenta, (trajectories, n)."""
        return self._view("p")

    @property
    def ends(self) -> "Doubles":
        """All columns at the end, (trajectories, columns)."""
        return self._view("ends")

    @property
    def samples(self) -> "Doubles":
        """(trajectories, samples, columns), if ``every`` asked for samples; NaN after a failure."""
        return self._view("samples")

    @property
    def values(self) -> "Dict[str, Doubles]":
        """What varied, by name."""
        table = self._view("values")
        return {name: table[:, k] for k, name in enumerate(self.columns["values"])}

    def __getitem__(self, name: str) -> "Doubles":
        """One column: its samples (trajectories, samples) if there are samples, else its ends (trajectories,)."""
        # Columns have their places: one may have the name of an array.
        sampled, ends = self.columns["sample_columns"], self.columns["columns"]
        if name in sampled and self.samples.size:
            return self.samples[:, :, sampled.index(name)]
        if name in ends:
            column: Doubles = self.ends[:, ends.index(name)]
            return column
        try:
            return self._view(name)
        except ModelError as error:
            raise KeyError(f"{error} There are {', '.join(ends)}") from None

    def __len__(self) -> int:
        return len(self.q)

    def to_pandas(self) -> Any:
        """The ends as a pandas.DataFrame: a row for each trajectory, what varied in front. It is a copy."""
        pandas = package("pandas", "to_pandas")
        names = self.columns["columns"]
        in_front = sorted(names, key=lambda name: name not in self._varied().values())
        return pandas.DataFrame({name: self.ends[:, names.index(name)] for name in in_front},
                                index=pandas.RangeIndex(len(self), name="trajectory"))

    def _varied(self) -> "Dict[str, str]":
        """What varied, by its name among the ends: a start is `x(0)` there."""
        ends = self.columns["columns"]
        return {name: f"{name}(0)" if f"{name}(0)" in ends else name for name in self.columns["values"]}

    def to_xarray(self) -> Any:
        """The samples, or the ends if there are none, as an xarray.Dataset with the dimensions trajectory and sample; what
        varied stands beside the trajectories.

        >>> import taut
        >>> e = taut.Model("pendulum").ensemble(vary={"gravity": [1.0, 2.0]}, step=0.05, steps=10, every=5)
        >>> dict(e.to_xarray()["x"].sizes), e.to_pandas()["gravity"].tolist()
        ({'trajectory': 2, 'sample': 3}, [1.0, 2.0])
        """
        xarray = package("xarray", "to_xarray")
        sampled = self.columns["sample_columns"]
        data: Dict[str, Any]
        if sampled:
            data = {name: (("trajectory", "sample"), self.samples[:, :, k]) for k, name in enumerate(sampled)}
        else:
            data = {name: (("trajectory",), self.ends[:, k]) for k, name in enumerate(self.columns["columns"])
                    if name not in self._varied().values()}
        varied: Dict[str, Any] = {self._varied()[name]: (("trajectory",), values) for name, values in self.values.items()}
        attributes = {key: value for key, value in self.summary.items() if isinstance(value, (str, int, float))}
        return xarray.Dataset(data, coords={"trajectory": range(len(self)), **varied}, attrs=attributes)

    def __reduce__(self) -> Any:
        from .pickling import packed_ensemble, restore

        return restore, ("ensemble", *packed_ensemble(self))

    def _rows(self) -> "List[List[Any]]":
        s = self.summary
        rows = [[key, s.get(key)] for key in ("model", "method", "step", "steps", "size", "seed", "seconds", "sha256")]
        failed = s.get("failed")
        rows.append(["failed", len(self.failures) if failed is None or isinstance(failed, (dict, list)) else failed])
        return rows

    def __repr__(self) -> str:
        return text_table(self._rows(), ["ensemble", ""])

    def _repr_html_(self) -> str:
        return html_table(self._rows())


def table_of(q0: Any, p0: Any, parameters: "Optional[Mapping[str, Any]]", coordinates: "List[str]",
             momenta: "List[str]") -> "Tuple[List[str], Optional[Doubles]]":
    """Starts and parameters of one's own as one table: a row for each trajectory, a name for each column."""
    import numpy as np

    names: List[str] = []
    columns: List[Doubles] = []
    for values, of, what in ((q0, coordinates, "q0"), (p0, momenta, "p0")):
        if values is None:
            continue
        rows = as_states(values, len(of), what)
        if rows.ndim != 2:
            raise ModelError(f"{what} has the shape {rows.shape}; it has two axes: trajectories, and {len(of)} coordinates")
        names.extend(of)
        columns.extend(rows[:, k] for k in range(len(of)))
    for name, values in mapping_of(parameters, "parameters").items():
        column = as_doubles(values, f"parameter {name}")
        if column.ndim > 1:
            raise ModelError(f"parameter {name} has the shape {column.shape}; one number for each trajectory is wanted")
        names.append(str(name))
        columns.append(column)
    if not columns:
        return [], None
    sizes = {column.shape[0] for column in columns if column.ndim == 1}
    if len(sizes) != 1:
        raise ModelError("q0, p0 and parameters have as many rows as there are trajectories; these have "
                         + ", ".join(str(size) for size in sorted(sizes)) if sizes else
                         "q0, p0 or a parameter must have one value for each trajectory")
    table = np.empty((sizes.pop(), len(columns)), dtype=np.float64)
    for k, column in enumerate(columns):
        table[:, k] = column
    return names, table

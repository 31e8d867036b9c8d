"""Draws from a distribution on a manifold."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from ._library import Handle, take_json
from .arrays import view_of
from .display import Table, html_table, package, text_table

if TYPE_CHECKING:
    from .arrays import Doubles

__all__ = ["Draws"]


class Draws:
    """The result of :meth:`taut.Model.sample`. Arrays are views; their axes are the chain and the draw.

    >>> import taut
    >>> circle = taut.Model(coordinates="x y", mass=1.0, potential="0", constraints=["x^2 + y^2 - 1"], start={"x": 1.0},
    ...                     quantities={"angle": "atan2(y, x)"})
    >>> d = circle.sample(300, warmup=200, chains=2, density="0", measure="surface")
    >>> d.array.shape, d.names, d["angle"].shape
    ((2, 300, 3), ['x', 'y', 'angle'], (2, 300))
    >>> sorted(d.summary["rhat"]), d.statistics["accept_stat__"].shape
    (['angle', 'x', 'y'], (2, 300))
    """

    def __init__(self, handle: "Optional[Handle]", summary: "Optional[Dict[str, Any]]" = None,
                 columns: "Optional[Dict[str, List[str]]]" = None, arrays: "Optional[Dict[str, Doubles]]" = None):
        self._handle = handle
        self._summary = summary
        if columns is None:
            assert handle is not None
            columns = take_json("taut_sampling_columns", handle.pointer)
        self._columns: Dict[str, List[str]] = columns
        self._arrays = arrays or {}

    def _view(self, name: str) -> "Doubles":
        """The draws or the statistics, (chains, draws, columns)."""
        return self._arrays[name] if self._handle is None else view_of(self._handle, "taut_sampling_view", name)

    @property
    def names(self) -> "List[str]":
        """Names of the columns: coordinates, then quantities."""
        return list(self._columns["columns"])

    @property
    def summary(self) -> "Dict[str, Any]":
        """The object that ``taut sample --json`` prints: moments, R-hat, effective sizes, rejections by kind, warnings."""
        if self._summary is None:
            assert self._handle is not None
            self._summary = take_json("taut_sampling_summary", self._handle.pointer)
        return self._summary

    @property
    def array(self) -> "Doubles":
        """All columns, (chains, draws, columns)."""
        return self._view("draws")

    @property
    def statistics(self) -> "Dict[str, Doubles]":
        """What the kernel says of each draw, in the names of CmdStan: ``lp__``, ``accept_stat__``, …, each (chains, draws)."""
        table = self._view("statistics")
        return {name: table[:, :, k] for k, name in enumerate(self._columns["statistics"])}

    @property
    def diagnostics(self) -> Table:
        """Mean, deviation, error, R-hat and effective sizes of each column."""
        keys = ["mean", "sd", "mcse", "rhat", "ess_bulk", "ess_tail"]
        return Table([{"name": name, **{key: self.summary[key][name] for key in keys}} for name in self.names],
                     ["name", *keys])

    def __getitem__(self, name: str) -> "Doubles":
        """One column, (chains, draws), or a statistic by its name."""
        for block, names in (("draws", self.names), ("statistics", self._columns["statistics"])):
            if name in names:
                column: Doubles = self._view(block)[:, :, names.index(name)]
                return column
        raise KeyError(f"the sampling has no column {name!r}; it has " + ", ".join(self.names))

    def __len__(self) -> int:
        return int(self.summary["draws"])

    def __reduce__(self) -> Any:
        from .pickling import packed_draws, restore

        return restore, ("draws", *packed_draws(self))

    def to_pandas(self) -> Any:
        """The draws as a pandas.DataFrame, a row for each, with chain and draw as its index."""
        pandas = package("pandas", "to_pandas")
        chains, draws, columns = self.array.shape
        index = pandas.MultiIndex.from_product([range(chains), range(draws)], names=["chain", "draw"])
        return pandas.DataFrame(self.array.reshape(chains*draws, columns), index=index, columns=self.names)

    def to_xarray(self) -> Any:
        """The draws as an xarray.Dataset with the dimensions chain and draw, numbered from 0 as ArviZ numbers them."""
        return self._dataset({name: self[name] for name in self.names})

    def to_arviz(self) -> Any:
        """The draws as an arviz.InferenceData with the groups posterior and sample_stats; needs the package arviz."""
        arviz = package("arviz", "to_arviz")
        stats = self.statistics
        return arviz.InferenceData(
            posterior=self.to_xarray(),
            sample_stats=self._dataset({
                "lp": stats["lp__"], "acceptance_rate": stats["accept_stat__"], "step_size": stats["stepsize__"],
                "tree_depth": stats["treedepth__"].astype(int), "n_steps": stats["n_leapfrog__"].astype(int),
                "diverging": stats["divergent__"].astype(bool), "energy": stats["energy__"]}))

    def _dataset(self, columns: "Dict[str, Any]") -> Any:
        import numpy as np

        xarray = package("xarray", "to_xarray")
        chains, draws = self.array.shape[:2]
        s = self.summary
        return xarray.Dataset({name: (("chain", "draw"), np.array(values)) for name, values in columns.items()},
                              coords={"chain": np.arange(chains), "draw": np.arange(draws)},
                              attrs={key: s[key] for key in ("model", "kernel", "measure", "seed", "warmup", "sha256")})

    def _rows(self) -> "List[List[Any]]":
        s = self.summary
        return [[key, s[key]] for key in ("model", "kernel", "measure", "chains", "draws", "seed", "accept", "sha256")]

    def __repr__(self) -> str:
        warned = "".join(f"\n  {sentence}" for sentence in self.summary["warnings"])
        return (text_table(self._rows(), ["sampling", ""]) + "\n\n" + repr(self.diagnostics)
                + (f"\n\nwarnings:{warned}" if warned else ""))

    def _repr_html_(self) -> str:
        warned = "".join(f"<p><b>Warning:</b> {html.escape(sentence)}</p>" for sentence in self.summary["warnings"])
        return html_table(self._rows()) + warned + str(self.diagnostics._repr_html_())

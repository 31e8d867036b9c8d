"""A whole model as SymPy sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

from .errors import ModelError
from .formula import Formula, Graph
from .parse import parse
from .symbolic import SymbolicModel, to_sympy

if TYPE_CHECKING:
    from .model import Model

__all__ = ["symbolic_model"]


def symbolic_model(model: "Model") -> SymbolicModel:
    d = model.description
    if d["particles"]:
        raise ModelError(f"{d['name']} is a system of particles: it is made of tables, such as [[rods]], and has no formula "
                         "that SymPy could hold. to_toml() gives its text")
    if "hamiltonian" not in d and "mass" not in d:
        raise ModelError(f"{d['name']} is written by its {_written_as(d)}, and the program makes H from it. "
                         "to_sympy() is for models that give H, or a potential and constant masses; to_toml() gives its text")
    import sympy

    graph = Graph()
    definitions: Dict[str, Formula] = {}
    for name, text in d["definitions"].items():
        definitions[name] = parse(text, graph, definitions)
    symbols: Dict[str, Any] = {}

    def expression(text: str) -> Any:
        return to_sympy(parse(text, graph, definitions), symbols)

    n = len(d["coordinates"])
    if "hamiltonian" in d:
        hamiltonian = expression(d["hamiltonian"])
    else:
        p = [expression(name) for name in d["momenta"]]
        hamiltonian = _kinetic([expression(text) for text in d["mass"]], p)
        for key in ("potential", "potential_fast", "potential_slow"):
            if key in d:
                hamiltonian += expression(d[key])
    start = d["start"]
    values = dict(zip([*d["coordinates"], *d["momenta"]], [*start["q"], *start["p"]]))
    coordinates: List[Any] = [expression(name) for name in d["coordinates"]]
    assert len(coordinates) == n
    return SymbolicModel(
        coordinates=coordinates,
        hamiltonian=hamiltonian,
        constraints=[expression(c["formula"]) for c in d["constraints"]],
        parameters={name: sympy.Float(value) for name, value in d["parameters"].items()},
        start={name: sympy.Float(value) for name, value in values.items()},
        title=str(d["title"]),
    )


def _written_as(d: "Dict[str, Any]") -> str:
    return next((key for key in ("lagrangian", "kinetic") if key in d), "mass")


def _kinetic(mass: "List[Any]", p: "List[Any]") -> Any:
    import sympy

    n = len(p)
    if len(mass) <= 1 or len(mass) == n and n > 1 or n == 1:
        each = mass if len(mass) == n else [mass[0] if mass else sympy.Integer(1)] * n
        return sympy.Add(*[p[k] ** 2 / (2 * each[k]) for k in range(n)])
    column = sympy.Matrix(p)
    return (column.T * sympy.Matrix(n, n, mass).LUsolve(column))[0, 0] / 2

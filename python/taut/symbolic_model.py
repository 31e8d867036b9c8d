"""A whole model as SymPy sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List

from .errors import ModelError
from .formula import Formula, Graph, text_of
from .legendre import mechanics_of
from .parse import Value, parse, parse_equation, parse_value
from .symbolic import SymbolicModel, to_sympy

if TYPE_CHECKING:
    from .model import Model

__all__ = ["symbolic_model"]


def symbolic_model(model: "Model") -> SymbolicModel:
    d = model.description
    if d["particles"]:
        raise ModelError(f"{d['name']} is a system of particles: it is made of tables, such as [[rods]], and has no formula "
                         "that SymPy could hold. to_toml() gives its text")
    import sympy

    graph = Graph()
    definitions: Dict[str, Value] = {}
    for name, text in d["definitions"].items():
        definitions[name] = parse_value(text, graph, definitions)
    symbols: Dict[str, Any] = {}

    def expression(text: str) -> Any:
        return to_sympy(parse(text, graph, definitions), symbols)

    # The last coordinate of a model with t or with forces is the time, which is added to it when it is read.
    n = len(d["coordinates"]) - (1 if d["timed"] else 0)
    names, momenta = d["coordinates"][:n], d["momenta"][:n]
    hamiltonian = sympy.Integer(0)
    if "hamiltonian" in d:
        hamiltonian = expression(d["hamiltonian"])
    elif "mass" in d:
        hamiltonian = _kinetic([expression(text) for text in d["mass"]], [expression(name) for name in momenta])
    else:
        L = d["lagrangian"] if "lagrangian" in d else f"({d['kinetic']}) - ({d['potential']})"
        hamiltonian = _of_lagrangian(parse(L, graph, definitions), names, lambda made: to_sympy(made, symbols))
    if "hamiltonian" not in d and "mass" in d:
        for key in ("potential", "potential_fast", "potential_slow"):
            if key in d:
                hamiltonian += expression(d[key])
    start = d["start"]
    values = dict(zip([*names, *momenta], [*start["q"][:n], *start["p"][:n]]))
    forces: Dict[str, Any] = {}
    for force in d["forces"]:
        forces[force["on"]] = forces.get(force["on"], 0) + expression(force["force"])
    held = [to_sympy(parse_equation(c["formula"], graph, definitions), symbols) for c in d["constraints"]]
    rolling = d["velocity_constraints"]  # so many of them, the last ones
    return SymbolicModel(
        coordinates=[expression(name) for name in names],
        hamiltonian=hamiltonian,
        constraints=held[:len(held) - rolling],
        parameters={name: sympy.Float(value) for name, value in d["parameters"].items()},
        start={name: sympy.Float(value) for name, value in values.items()},
        title=str(d["title"]),
        forces=forces,
        quantities={name: expression(text) for name, text in d["quantities"].items()},
        events=[{**event, "when": expression(event["when"])} for event in d.get("events", [])],
        velocity_constraints=held[len(held) - rolling:],
        run=_run_of(d, lambda text: text_of(parse(text, graph, definitions))),
    )


def _run_of(d: "Dict[str, Any]", written_out: "Callable[[str], str]") -> "Dict[str, Any]":
    """The method, the step, and the number of steps or the end."""
    left_out = ["every", "steps" if "until" in d["run"] else "until"]
    if d["form"] == "split":  # its parts come together in H, and its method may want them apart
        left_out.append("method")
    found = {key: value for key, value in d["run"].items() if key not in left_out}
    for key in ("step-function", "time-transform"):
        if found.get(key, "auto") != "auto":
            found[key] = written_out(found[key])
    return found


def _of_lagrangian(L: Formula, names: "List[str]", expression: "Callable[[Formula], Any]") -> Any:
    mechanics = mechanics_of(L, names)
    if mechanics.hamiltonian is not None:
        return expression(mechanics.hamiltonian)
    assert mechanics.mass is not None and mechanics.potential is not None
    entries = [expression(entry) for row in mechanics.mass for entry in row]
    p = [expression(L.graph.name("p_" + name)) for name in names]
    return _kinetic(entries, p) + expression(mechanics.potential)


def _kinetic(mass: "List[Any]", p: "List[Any]") -> Any:
    import sympy

    n = len(p)
    if len(mass) <= 1 or len(mass) == n and n > 1 or n == 1:
        each = mass if len(mass) == n else [mass[0] if mass else sympy.Integer(1)] * n
        return sympy.Add(*[p[k] ** 2 / (2 * each[k]) for k in range(n)])
    column = sympy.Matrix(p)
    return (column.T * sympy.Matrix(n, n, mass).LUsolve(column))[0, 0] / 2

"""The text of a model (TOML) from its parts: strings, SymPy expressions, Python functions."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from .arrays import refuse_masked
from .errors import ModelError
from .formula import Formula, Graph, text_of, text_of_number, write_texts
from .legendre import Mechanics, mechanics_of, refuse_both
from .parse import LETTERS, Value, parse, parse_value
from .symbolic import from_sympy, is_sympy, name_of_symbol
from .trace import trace

__all__ = ["Parts", "text_of_model", "with_settings", "names_of"]


def names_of(value: Any, what: str = "coordinates") -> "List[str]":
    """Names from ``"x y"``, ``"x, y"``, a list of texts or symbols of SymPy.

    >>> names_of("x, y z")
    ['x', 'y', 'z']
    """
    if isinstance(value, str):
        return value.replace(",", " ").split()
    if is_sympy(value):
        value = [value]
    if isinstance(value, (set, frozenset, bytes)):
        raise ModelError(f"{what}: {value!r} has no names in an order; give \"x y\" or [\"x\", \"y\"]")
    try:
        return [name_of_symbol(name) for name in value]
    except TypeError:
        raise ModelError(f"{what}: give names, such as \"x y\" or [\"x\", \"y\"], not {value!r}") from None


def _quoted(text: str) -> str:
    # A basic string of TOML has the escapes of JSON.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class Parts:
    """What a model is made of, as people give it."""

    def __init__(self, coordinates: Any, parameters: "Optional[Mapping[Any, Any]]"):
        self.graph = Graph()
        self.coordinates = names_of(coordinates)
        self.momenta = ["p_" + name for name in self.coordinates]
        self.velocities = ["v_" + name for name in self.coordinates]
        self.parameters = {name_of_symbol(name): value for name, value in (parameters or {}).items()}
        self._formulas: List[Tuple[List[str], int, Formula]] = []

    def formulas(self, value: Any, what: str, second: str = "") -> "List[Union[str, Formula]]":
        """The formulas that a text, an expression, a function, a number or a list of these gives.

        ``second`` says what the second argument of a function is: "p", "v", or nothing but what its name says.
        """
        if isinstance(value, str):
            return [value]
        if isinstance(value, Formula):
            return [self.graph.of(value)]
        if getattr(value, "is_Matrix", False):
            return self.formulas(list(value), what, second)
        if is_sympy(value):
            if getattr(value, "is_Relational", False):
                if type(value).__name__ != "Equality":
                    raise ModelError(f"{what}: `{value}` is no equation; constraints are expressions that are 0")
                value = value.lhs - value.rhs
            return [from_sympy(value, self.graph, what)]
        if callable(value):
            others = self.velocities if second == "v" else self.momenta
            return list(trace(value, self.graph, self.coordinates, others, list(self.parameters), what, second != "",
                              second or "p"))
        if hasattr(value, "__iter__"):
            found: List[Union[str, Formula]] = []
            for place, part in enumerate(value):
                found.extend(self.formulas(part, f"{what} {place + 1}", second))
            return found
        try:
            return [self.graph.number(value)]
        except ModelError as error:
            raise ModelError(f"{what}: {error}") from None

    def formula(self, value: Any, what: str, second: str = "") -> "Union[str, Formula]":
        found = self.formulas(value, what, second)
        if len(found) != 1:
            raise ModelError(f"{what} is one formula, and {len(found)} were given")
        return found[0]

    def as_formula(self, value: Any, what: str, definitions: "Optional[Mapping[str, Value]]" = None) -> Formula:
        """The same as a graph, of q and v: texts are read."""
        found = self.formula(value, what, "v")
        return parse(found, self.graph, definitions) if isinstance(found, str) else found

    def definition(self, value: Any, what: str, second: str) -> "Union[str, Formula]":
        """A formula, or the text of a vector or matrix that is given by a list."""
        if not isinstance(value, (list, tuple)):
            return self.formula(value, what, second)
        parts = [self.definition(part, what, second) for part in value]
        return "[" + ", ".join(part if isinstance(part, str) else text_of(part) for part in parts) + "]"

    def mechanics(self, lagrangian: Any, definitions: "Optional[Mapping[str, Any]]") -> Mechanics:
        """What a Lagrangian of q and the velocities means."""
        known: Dict[str, Value] = {}
        for name, value in (definitions or {}).items():
            found = self.definition(value, f"definition {name}", "v")
            known[name] = parse_value(found, self.graph, known) if isinstance(found, str) else found
        return mechanics_of(self.as_formula(lagrangian, "lagrangian", known), self.coordinates)

    def value(self, value: Any, what: str) -> str:
        """A number, or a formula of parameters in quotes, as TOML writes it."""
        refuse_masked(value, what)
        if isinstance(value, str):
            return _quoted(value)
        if isinstance(value, Formula) or is_sympy(value):
            text = text_of(value if isinstance(value, Formula) else from_sympy(value, self.graph, what))
        else:
            if hasattr(value, "item") and getattr(value, "size", 1) == 1:
                value = value.item()
            try:
                text = text_of_number(value)
            except ModelError as error:
                raise ModelError(f"{what}: {error}") from None
        return text if re.fullmatch(r"-?(0|[1-9]\d{0,17})(\.\d+)?(e-?\d+)?", text) else _quoted(text)

    def mass(self, value: Any) -> str:
        if callable(value) and not is_sympy(value):
            import inspect

            wanted = list(inspect.signature(value).parameters)
            if wanted and all(name in self.parameters for name in wanted):
                value = value(**{name: self.graph.name(name) for name in wanted})
            else:
                value = self._matrix(self.formulas(value, "mass"))
        if hasattr(value, "tolist") and (not is_sympy(value) or getattr(value, "is_Matrix", False)):
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self.mass(part) for part in value) + "]"
        return self.value(value, "mass")


    def _matrix(self, entries: "List[Union[str, Formula]]") -> Any:
        """What a function of q gave for the mass: one entry for all, one for each coordinate, or a matrix row by row."""
        n = len(self.coordinates)
        if len(entries) == 1:
            return entries[0]
        if len(entries) == n:
            return entries
        if len(entries) != n * n:
            raise ModelError(f"mass: the function gives {len(entries)} formulas; 1, {n} or {n} rows of {n} are wanted")
        return [entries[k:k + n] for k in range(0, n * n, n)]

    def event(self, value: Any, place: int) -> "Dict[str, Any]":
        """An event as a table of the model: from "when=x, do=stop" or {"when": "x", "do": "stop"}."""
        what = f"event {place + 1}"
        if isinstance(value, str) and is_event_text(value):
            pairs = [part.partition("=") for part in re.split(r",\s*(?=(?:name|when|direction|do)\s*=)", value)]
            value = {key.strip(): said.strip() for key, _, said in pairs}
        found = event_table(value, what)
        return {**found, "when": self.formula(found["when"], what, "p")}


_EVENT_KEY = re.compile(r"\s*(name|when|direction|do)\s*=")


def is_event_text(text: str) -> bool:
    """Whether this is an event in the words of the command line, and not the formula alone."""
    return _EVENT_KEY.match(text) is not None


def event_table(value: Any, what: str) -> "Mapping[Any, Any]":
    """An event that is given by its table, or by the formula that crosses zero."""
    if isinstance(value, (str, Formula)) or callable(value) or is_sympy(value):
        return {"when": value}
    if not isinstance(value, Mapping) or "when" not in value:
        raise ModelError(f"{what}: {value!r} is no event, such as \"when=x, do=stop\", {{\"when\": \"x\"}}, or \"x\" alone")
    return value


def _table(name: str, rows: "Iterable[Tuple[str, str]]") -> str:
    lines = [f"{_key(key)} = {value}" for key, value in rows]
    return f"[{name}]\n" + "\n".join(lines) + "\n" if lines else ""


# The formulas of [system], and what the second argument of their functions is.
_SYSTEM = {"hamiltonian": "p", "kinetic": "v", "potential": "", "potential_fast": "", "potential_slow": ""}


def text_of_model(coordinates: Any, *, hamiltonian: Any = None, potential: Any = None, potential_fast: Any = None,
                  potential_slow: Any = None, lagrangian: Any = None, kinetic: Any = None, mass: Any = None,
                  constraints: Any = None, velocity_constraints: Any = None, forces: Any = None,
                  damping: "Optional[Mapping[Any, Any]]" = None, events: Any = None,
                  parameters: "Optional[Mapping[Any, Any]]" = None, start: Any = None,
                  definitions: "Optional[Mapping[str, Any]]" = None, quantities: "Optional[Mapping[str, Any]]" = None,
                  run: "Optional[Mapping[str, Any]]" = None, title: Optional[str] = None) -> str:
    """The text of a model that is given by its parts."""
    parts = Parts(coordinates, parameters)
    initial = start_by_name(start, parts.coordinates)
    if lagrangian is not None:
        if any(one is not None for one in (hamiltonian, kinetic, potential, potential_fast, potential_slow, mass)):
            raise ModelError("lagrangian= says all of the motion: leave out hamiltonian=, kinetic=, potential= and mass=")
        mechanics = parts.mechanics(lagrangian, definitions)
        mass, potential, hamiltonian = _written(mechanics.mass), mechanics.potential, mechanics.hamiltonian
        refuse_both(parts.coordinates, initial)
    given: Dict[str, Any] = {
        "hamiltonian": hamiltonian, "kinetic": kinetic, "potential": potential, "potential_fast": potential_fast,
        "potential_slow": potential_slow,
    }
    formulas: List[Union[str, Formula]] = []
    places: List[str] = []
    for key, second in _SYSTEM.items():
        if given[key] is not None:
            formulas.append(parts.formula(given[key], key, second))
            places.append(key)
    # One formula is one constraint; a list, or a function that returns one, is several.
    held = [] if constraints is None else parts.formulas(constraints, "constraint" if _several(constraints) else "constraints")
    formulas.extend(held)
    rolling = [] if velocity_constraints is None else parts.formulas(velocity_constraints, "velocity constraint", "v")
    formulas.extend(rolling)
    quantity_names = list(quantities or {})
    for name in quantity_names:
        formulas.append(parts.formula((quantities or {})[name], f"quantity {name}", "p"))
    pushed = [(name_of_symbol(name), value) for name, value in _pushed(forces)]
    formulas.extend(parts.formula(value, f"the force on {name}", "v") for name, value in pushed)
    watched = [parts.event(one, place) for place, one in enumerate(_listed(events))]
    formulas.extend(event["when"] for event in watched)

    own = [(name, parts.definition(value, f"definition {name}", "p")) for name, value in (definitions or {}).items()]
    taken = {"t", *parts.coordinates, *parts.momenta, *parts.velocities, *parts.parameters, *(definitions or {}), *quantity_names}
    graphs = [f for f in [*(f for _, f in own), *formulas] if isinstance(f, Formula)]
    shared, texts = write_texts(graphs, taken)
    written = iter(texts)
    own_texts = [(name, next(written) if isinstance(f, Formula) else f) for name, f in own]
    all_texts = [next(written) if isinstance(f, Formula) else f for f in formulas]
    texts_left = iter(all_texts[len(places) + len(held) + len(rolling):])  # of quantities, forces and events

    system = [("coordinates", "[" + ", ".join(_quoted(name) for name in parts.coordinates) + "]")]
    if mass is not None:
        system.append(("mass", parts.mass(mass)))
    system.extend((key, _quoted(text)) for key, text in zip(places, all_texts))
    held_texts = all_texts[len(places):len(places) + len(held)]
    if held_texts:
        system.append(("constraints", "[\n" + "".join(f"  {_quoted(text)},\n" for text in held_texts) + "]"))

    rolling_texts = all_texts[len(places) + len(held):len(places) + len(held) + len(rolling)]
    if rolling_texts:
        system.append(("velocity-constraints", "[\n" + "".join(f"  {_quoted(text)},\n" for text in rolling_texts) + "]"))

    tables = [
        f"title = {_quoted(title)}\n" if title else "",
        _table("parameters", ((name, parts.value(value, f"parameter {name}")) for name, value in parts.parameters.items())),
        _table("definitions", ((name, _quoted(text)) for name, text in [*own_texts, *shared])),
        _table("system", system),
        _table("damping", ((name_of_symbol(name), parts.value(value, f"damping {name}"))
                           for name, value in _damped(damping).items())),
        _table("initial", ((name, parts.value(value, f"start {name}"))
                           for name, value in initial.items())),
        _table("run", ((key, _run_value(value, f"run.{key}")) for key, value in (run or {}).items())),
        _table("quantities", [(name, _quoted(next(texts_left))) for name in quantity_names]),
        *[_table("[forces]", [("on", _quoted(name)), ("force", _quoted(next(texts_left)))]) for name, _ in pushed],
        *[_table("[events]", [(str(key), _quoted(next(texts_left)) if key == "when" else _run_value(value, f"event.{key}"))
                              for key, value in event.items()]) for event in watched],
    ]
    return "\n".join(table for table in tables if table)


def _written(mass: "Optional[List[List[Formula]]]") -> Any:
    """A mass matrix as a model takes it: the diagonal alone, if there is nothing beside it."""
    if mass is None:
        return None
    is_diagonal = all(i == j or text_of(entry) == "0" for i, row in enumerate(mass) for j, entry in enumerate(row))
    return [mass[i][i] for i in range(len(mass))] if is_diagonal else mass


def _pushed(forces: Any) -> "List[Tuple[Any, Any]]":
    """Forces by coordinate: from {"x": "-v_x"}, or from [{"on": "x", "force": "-v_x"}], as model files have them."""
    if forces is None:
        return []
    if isinstance(forces, Mapping):
        return list(forces.items())
    listed = list(forces) if isinstance(forces, (list, tuple)) else [forces]
    for one in listed:
        if not isinstance(one, Mapping) or set(one) != {"on", "force"}:
            raise ModelError(f"forces: {one!r} is no force, such as {{\"x\": \"-v_x\"}} or {{\"on\": \"x\", \"force\": \"-v_x\"}}")
    return [(one["on"], one["force"]) for one in listed]


def _damped(damping: Any) -> "Mapping[Any, Any]":
    if damping is not None and not isinstance(damping, Mapping):
        raise ModelError(f"damping: {damping!r} is no damping, such as {{\"x\": 0.1}}, which is the force -0.1 p_x")
    return damping or {}


def _listed(events: Any) -> "List[Any]":
    if events is None:
        return []
    return list(events) if isinstance(events, (list, tuple)) else [events]


def _several(constraints: Any) -> bool:
    return isinstance(constraints, (list, tuple)) or getattr(constraints, "is_Matrix", False)


def _run_value(value: Any, what: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_run_value(part, f'{what}.{key}')}" for key, part in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_run_value(part, what) for part in value) + "]"
    try:
        return text_of_number(value)
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from None


def start_by_name(start: Any, coordinates: Sequence[str]) -> "Dict[str, Any]":
    """A start as values by name: from {"x": 1.0, "p_x": 0.5}, from (q, p), or from {"q": [...], "p": [...]}."""
    if start is None:
        return {}
    if isinstance(start, Mapping):
        if not ({"q", "p"} & set(start)) or {"q", "p"} & set(coordinates):
            return {name_of_symbol(name): value for name, value in start.items()}
        if set(start) - {"q", "p"}:
            raise ModelError("start: give values by name, or q and p, and not both")
        q, p = start.get("q"), start.get("p")
    else:
        try:
            q, p = start
        except (TypeError, ValueError):
            raise ModelError("start: give values by name, such as {\"x\": 1.0, \"p_x\": 0.5}, or a pair (q, p)") from None
    found: Dict[str, Any] = {}
    for values, names, what in ((q, list(coordinates), "q"), (p, ["p_" + name for name in coordinates], "p")):
        if values is None:
            continue
        if isinstance(values, (set, frozenset)):
            raise ModelError(f"start: {what} is {values!r}, which has no order")
        try:
            values = list(values)
        except TypeError:
            raise ModelError(f"start: {what} is {values!r}; one number for each coordinate is wanted") from None
        if len(values) != len(names):
            raise ModelError(f"start: {what} has {len(values)} numbers, and the model has {len(names)} coordinates")
        found.update(zip(names, values))
    return found


def with_settings(text: str, settings: Mapping[str, Any], places: Mapping[str, str]) -> str:
    """The text of a model with other values. ``places`` says in which table a name without a dot belongs."""
    for name, value in settings.items():
        table, _, key = name.rpartition(".")
        table = table or places.get(key, "parameters")
        text = _with_value(text, table, key, _quoted(value) if isinstance(value, str) else _run_value(value, key))
    return text


_KEY = re.compile(rf"\s*[\"']?([{LETTERS}0-9-]+)[\"']?\s*=")


def _key(name: str) -> str:
    """A key as every reader of TOML takes it: letters that are not ASCII stand in quotes."""
    return name if name.isascii() else _quoted(name)


def _ends(lines: "List[str]", at: int) -> int:
    """The line after the value that begins in this line. Brackets and triple quotes may carry it on."""
    depth, quote, line = 0, "", at
    text = lines[at].split("=", 1)[1]
    while True:
        k = 0
        while k < len(text):
            if quote:
                if text.startswith("\\", k) and quote in ('"', '"""'):
                    k += 1
                elif text.startswith(quote, k):
                    k += len(quote) - 1
                    quote = ""
            elif text[k] == "#":
                break
            elif text[k] in "\"'":
                quote = text[k] * 3 if text.startswith(text[k] * 3, k) else text[k]
                k += len(quote) - 1
            elif text[k] in "[{":
                depth += 1
            elif text[k] in "]}":
                depth -= 1
            k += 1
        line += 1
        if (depth <= 0 and len(quote) != 3) or line >= len(lines):
            return line
        text = lines[line]


def _with_value(text: str, table: str, key: str, value: str) -> str:
    lines = text.splitlines()
    at, inside, header = 0, table == "", -1
    while at < len(lines):
        stripped = lines[at].strip()
        if stripped.startswith("["):
            inside = re.sub(r"\s*#.*", "", stripped) == f"[{table}]"
            header = at if inside else header
        elif _KEY.match(lines[at]):
            end = _ends(lines, at)
            found = _KEY.match(lines[at])
            other = {"steps": "until", "until": "steps"}.get(key) if table == "run" else None
            if inside and found is not None and found.group(1) in (key, other):
                lines[at:end] = [f"{_key(key)} = {value}"]
                return "\n".join(lines) + "\n"
            at = end
            continue
        at += 1
    if header >= 0:
        lines.insert(header + 1, f"{_key(key)} = {value}")
    else:
        lines += ["", f"[{table}]", f"{_key(key)} = {value}"]
    return "\n".join(lines) + "\n"

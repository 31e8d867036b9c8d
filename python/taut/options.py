"""What people pass to run, step, check and compare, as the JSON that the library takes."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, Mapping, Sequence

from ._library import encode, path_of
from .arrays import refuse_masked
from .errors import ModelError
from .formula import Formula, Graph, text_of
from .modeltext import Parts, event_table, is_event_text, start_by_name
from .symbolic import from_sympy, is_sympy, name_of_symbol

__all__ = ["mapping_of", "options_json", "plain", "settings_of"]


def mapping_of(value: Any, what: str) -> "Mapping[Any, Any]":
    """A dict, or nothing, that somebody gave."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ModelError(f"{what} is {value!r}; names and their values are wanted, as in {{\"L\": 2.0}}")
    return value


def plain(value: Any, what: str) -> Any:
    """A value that JSON knows: numbers of numpy, paths, arrays and expressions become one."""
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        raise ModelError(f"{what} is a number of {len(str(abs(value)))} digits, which is beyond all numbers of double precision")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ModelError(f"{what} is {value}; a finite number is wanted")
        return value
    if isinstance(value, Formula):
        return text_of(value)
    if is_sympy(value):
        return text_of(from_sympy(value, Graph(), what))
    if isinstance(value, os.PathLike):
        return path_of(value, what)
    if isinstance(value, Mapping):
        return {str(key): plain(part, f"{what}.{key}") for key, part in value.items()}
    refuse_masked(value, what)
    if hasattr(value, "tolist"):
        return plain(value.tolist(), what)
    if isinstance(value, (list, tuple, range)):
        return [plain(part, what) for part in value]
    if hasattr(value, "__float__"):
        try:
            return plain(float(value), what)
        except OverflowError:
            raise ModelError(f"{what} is {value!r}, which is beyond all numbers of double precision") from None
    raise ModelError(f"{what} is {value!r}, which is neither a number nor a text")


def _given(value: Any, what: str) -> Any:
    if value is None:
        raise ModelError(f"{what} is None; a number or a formula is wanted")
    return plain(value, what)


def settings_of(parameters: "Any", start: Any, coordinates: "Sequence[str]") -> "Dict[str, Any]":
    """Parameters and a start as the settings NAME = VALUE of the program."""
    found: Dict[str, Any] = {}
    for name, value in mapping_of(parameters, "parameters").items():
        found[name_of_symbol(name)] = _given(value, f"parameter {name}")
    for name, value in start_by_name(start, coordinates).items():
        found[name] = _given(value, f"start {name}")
    return found


def options_json(options: "Mapping[str, Any]", coordinates: "Sequence[str]", parameter_names: "Sequence[str]") -> bytes:
    """The options that are not None, with the keys of the command line."""
    found: Dict[str, Any] = {}

    def formula_of(value: Any, what: str) -> str:
        return str(Parts(coordinates, {name: 0 for name in parameter_names}).formula(value, what, "p"))

    def event_of(event: Any) -> Any:
        if isinstance(event, str) and is_event_text(event):
            return event
        table = event_table(event, "events")
        return {**{str(key): plain(part, f"events.{key}") for key, part in table.items() if key != "when"},
                "when": formula_of(table["when"], "an event")}

    for key, value in options.items():
        if value is None or value is False and key in ("project_start", "plain_updates", "overwrite"):
            continue
        if key == "quantities":
            found[key] = {name: formula_of(formula, f"quantity {name}") for name, formula in mapping_of(value, key).items()}
        elif key == "step_function":
            found["step-function"] = formula_of(value, "step_function")
        elif key == "events":
            found[key] = [event_of(event) for event in (value if isinstance(value, (list, tuple)) else [value])]
        elif key == "at":
            times = plain(value, key)
            found[key] = times if isinstance(times, (list, str)) else [times]
        elif key == "start":
            named = {name: _given(part, f"start {name}") for name, part in start_by_name(value, coordinates).items()}
            # The model evaluates formulas, and velocities become momenta there.
            if any(isinstance(part, str) or name.startswith("v_") and name not in coordinates for name, part in named.items()):
                found.setdefault("set", {}).update(named)
            else:
                found[key] = named
        elif key == "parameters":
            found.setdefault("set", {}).update({name_of_symbol(n): _given(v, f"parameter {n}")
                                                for n, v in mapping_of(value, key).items()})
        elif key == "set":
            found.setdefault("set", {}).update(plain(mapping_of(value, key), "set"))
        elif key == "out":
            found[key] = path_of(value, key)
        else:
            # Outside of the model a number of SymPy is a number, and no formula.
            is_number = is_sympy(value) and getattr(value, "is_real", False) and getattr(value, "is_number", False)
            found[key.replace("_", "-")] = plain(float(value) if is_number else value, key)
    return encode(json.dumps(found))

"""A model: what moves, and what holds it."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_void_p
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, overload

from ._library import FAILED, Handle, STOPPED, call, encode, last_error, library, path_of, take_json
from .errors import Interrupted, ModelError, SolveFailed
from .evaluate import evaluate, project
from .modeltext import names_of, text_of_model, with_settings
from .options import mapping_of, options_json, settings_of
from .progress import Progress, Watching, watched_text
from .result import Result

if TYPE_CHECKING:
    from .analysis import Exponents, Indicators, Orbit, Section, Spectrum
    from .arrays import Doubles
    from .callbacks import Callbacks
    from .ensemble import Ensemble
    from .judgement import Certificate, Comparison
    from .sampling import Draws
    from .stepper import Stepper
    from .symbolic import SymbolicModel

__all__ = ["Model"]


def _given(**values: Any) -> "Dict[str, Any]":
    return {name: value for name, value in values.items() if value is not None}


def _place_of_report(path: Any) -> str:
    """Refuses a place where no file can be written before the run, and not after it."""
    place: str = os.path.abspath(path_of(path, "report"))
    folder = os.path.dirname(place)
    if not os.path.isdir(folder):
        raise ModelError(f"report: there is no folder {folder} for {place}")
    if os.path.isdir(place):
        raise ModelError(f"report: {place} is a folder; name a file in it, such as {os.path.join(place, 'report.html')}")
    if not os.access(place if os.path.exists(place) else folder, os.W_OK):
        raise ModelError(f"report: {place} cannot be written")
    return place


class Model:
    """A constrained Hamiltonian system, from a name, a file, a text, or from Python.

    A name or a file, as the program takes it; ``parameters`` and ``start`` then replace values of it:

    >>> import numpy as np
    >>> import taut
    >>> taut.Model("pendulum", parameters={"L": 2.0}, start={"x": 2.0}).parameters["L"]
    2.0

    From Python. Formulas are texts, SymPy expressions, or functions of ``(q, p, **parameters)``, which are called once,
    with formulas in place of numbers, and then run at compiled speed:

    >>> model = taut.Model(
    ...     coordinates="x y", mass=1.0,
    ...     potential=lambda q, gravity: gravity*q[1],
    ...     constraints=[lambda q, L: (q @ q - L**2)/2],
    ...     parameters={"L": 1.0, "gravity": 9.81}, start={"x": 1.0})
    >>> print(model.to_toml())
    [parameters]
    L = 1
    gravity = 9.81
    <BLANKLINE>
    [system]
    coordinates = ["x", "y"]
    mass = 1
    potential = "gravity*y"
    constraints = [
      "(x*x + y*y - L^2)/2",
    ]
    <BLANKLINE>
    [initial]
    x = 1
    <BLANKLINE>
    >>> model.run(step=0.01, until=1.0).q.shape
    (101, 2)

    Or from a Lagrangian of q and the velocities ``v_x``, which may be as much as of second degree in them:

    >>> polar = taut.Model(coordinates="r a", lagrangian="(v_r^2 + r^2*v_a^2)/2 + 1/r", start={"r": 1.0, "v_a": 1.0})
    >>> float(polar.H(*polar.start))
    -0.5

    A mass may depend on q, and an argument ``t`` is the time. ``kinetic`` and ``forces`` are formulas of q, the velocities and
    t, or functions of (q, v); ``damping={"x": c}`` is the force -c p_x; ``events`` are those of :meth:`run`:

    >>> swing = taut.Model(coordinates="a", kinetic=lambda q, v, L: (L*v[0])**2/2, potential="-L*gravity*cos(a)",
    ...                    forces={"a": lambda q, v, t, push: push*np.cos(2*t) - v[0]/10}, events="when=a, direction=up",
    ...                    parameters={"L": 1.0, "gravity": 9.81, "push": 0.5}, start={"a": 0.1})
    >>> r = swing.run("lobatto(3)", step=0.05, until=10.0)
    >>> r.summary["work"] < 0, len(r.events)
    (True, 3)

    With ``callback=True`` functions are called for real, at every evaluation; they may branch. ``grad_V``, ``grad_H`` (a
    pair, by q and by p) and ``G`` are their gradients; without them gradients are differences:

    >>> wall = taut.Model(coordinates="x", mass=1.0, potential=lambda q: 50*q[0]**2 if q[0] < 0 else 0.0,
    ...                   grad_V=lambda q: [100*q[0] if q[0] < 0 else 0.0], start={"x": 1.0, "p_x": -1.0}, callback=True)
    >>> r = wall.run("verlet", step=0.001, until=3.0)
    >>> r.summary["backend"], bool(r["p_x"][-1] > 0.99)
    ('interpreted by Python', True)

    Wrong input raises :class:`taut.ModelError`, whose message has the place in the text.
    """

    def __init__(self, source: "Any" = None, *, text: Optional[str] = None, name: Optional[str] = None,
                 folder: Any = None, set: "Optional[Mapping[str, Any]]" = None, coordinates: Any = None,
                 hamiltonian: Any = None, potential: Any = None, potential_fast: Any = None, potential_slow: Any = None,
                 mass: Any = None, constraints: Any = None, parameters: "Optional[Mapping[Any, Any]]" = None,
                 start: Any = None, definitions: "Optional[Mapping[str, Any]]" = None,
                 quantities: "Optional[Mapping[str, Any]]" = None, run: "Optional[Mapping[str, Any]]" = None,
                 title: Optional[str] = None, lagrangian: Any = None, kinetic: Any = None,
                 forces: Any = None, damping: "Optional[Mapping[Any, Any]]" = None, events: Any = None,
                 velocity_constraints: Any = None, callback: bool = False,
                 grad_H: Any = None, grad_V: Any = None, G: Any = None):
        gradients = _given(grad_H=grad_H, grad_V=grad_V, G=G)
        if gradients and not callback:
            raise ModelError(f"{next(iter(gradients))}= goes with callback=True: taut differentiates formulas by itself")
        parts = _given(hamiltonian=hamiltonian, lagrangian=lagrangian, potential=potential, potential_fast=potential_fast,
                       potential_slow=potential_slow, kinetic=kinetic, mass=mass, constraints=constraints,
                       definitions=definitions, quantities=quantities, forces=forces, damping=damping, events=events,
                       velocity_constraints=velocity_constraints, run=run, title=title)
        ways = [way for way, value in (("a name or file", source), ("text=", text), ("coordinates=", coordinates))
                if value is not None]
        if len(ways) != 1:
            raise ModelError("a model comes from a name or file, from text=, or from coordinates= and formulas; "
                             + (f"here are {' and '.join(ways)}" if ways else "nothing was given"))
        if isinstance(source, str) and "\n" in source:
            raise ModelError("this is the text of a model, and the first argument is a name or the path of a file: write "
                             "taut.Model(text=...)")
        self._described: Optional[Dict[str, Any]] = None
        self._folder = None if folder is None else path_of(folder, "folder")
        self._callbacks: Optional[Callbacks] = None
        self._files: Dict[str, str] = {}
        settings = dict(mapping_of(set, "set"))
        for key, value in (("parameters", parameters), ("definitions", definitions), ("quantities", quantities), ("run", run)):
            mapping_of(value, key)
        for key, text_given in (("title", title), ("name", name)):
            if text_given is not None and not isinstance(text_given, str):
                raise ModelError(f"{key} is {text_given!r}; a text is wanted")
        if callback:
            if coordinates is None:
                raise ModelError("callback=True calls Python functions: give coordinates= and functions of them")
            self._open_with_functions(coordinates, parts, gradients, parameters, start, name or title or "model", settings)
            return
        if coordinates is not None:
            text = text_of_model(coordinates, parameters=parameters, start=start, **parts)
            name = name or title or "model"
        else:
            if parts:
                raise ModelError(f"{next(iter(parts))}= belongs to a model that is made from coordinates=; this one comes "
                                 f"from {ways[0]}. set={{\"system.potential\": \"...\"}} replaces a part of it")
            if parameters or start is not None:
                settings.update(settings_of(parameters, start, self._coordinates_for(start, source, text, name, settings)))
        self._open(source, text, name, settings)

    def _open_with_functions(self, coordinates: Any, parts: "Dict[str, Any]", gradients: "Mapping[str, Any]",
                             parameters: Any, start: Any, name: str, settings: "Mapping[str, Any]") -> None:
        from .callbacks import Callbacks, is_function, placeholders

        called = {key: parts[key] for key in ("hamiltonian", "potential", "constraints") if is_function(parts.get(key))}
        others = [key for key in ("lagrangian", "kinetic", "potential_fast", "potential_slow", "mass")
                  if is_function(parts.get(key))]
        if others:
            raise ModelError(f"{others[0]} cannot be called back: hamiltonian, potential and constraints can")
        for key in ("forces", "damping"):
            if parts.get(key):
                raise ModelError(f"{key}= and callback=True do not go together: a model with forces is made of formulas")
        if not called:
            raise ModelError("callback=True, and no function was given: hamiltonian, potential and constraints may be functions")
        names = names_of(coordinates)
        # A model without its constraints knows its start and its parameters, which the functions are called with.
        kept = {key: value for key, value in parts.items() if key not in called}
        stand_ins = placeholders(names, 0)
        kept.update({key: stand_ins[key] for key in called if key != "constraints"})
        self._open(None, text_of_model(coordinates, parameters=parameters, start=start, **kept), name, settings)
        made = Callbacks(names, self.parameters)
        if "hamiltonian" in called:
            made.hamiltonian(called["hamiltonian"], gradients.get("grad_H"))
        if "potential" in called:
            made.potential(called["potential"], gradients.get("grad_V"))
        if "constraints" in called:
            made.held_by(called["constraints"], gradients.get("G"), self.start[0])
            kept["constraints"] = placeholders(names, made.constraints)["constraints"]
        unused = [key for key, of in (("grad_H", "hamiltonian"), ("grad_V", "potential"), ("G", "constraints"))
                  if key in gradients and of not in called]
        if unused:
            raise ModelError(f"{unused[0]}= is the gradient of a function, and that is given as a formula")
        self._described = None
        self._open(None, text_of_model(coordinates, parameters=parameters, start=start, **kept), name, settings)
        call("taut_model_set_functions", self._handle.pointer, byref(made.functions))
        self._callbacks = self._handle.keep(made)

    def _only_formulas(self, what: str) -> None:
        if self._callbacks is not None:
            raise ModelError(f"{what}: this model calls Python functions (callback=True), which have no text")

    def _coordinates_for(self, start: Any, source: Any, text: Optional[str], name: Optional[str],
                         settings: "Mapping[str, Any]") -> "Sequence[str]":
        if start is None or isinstance(start, Mapping):
            return ()
        # A pair (q, p) is given by place, so the names must be known first.
        self._open(source, text, name, settings)
        names, self._described = self.coordinates, None
        return names

    def _open(self, source: Any, text: Optional[str], name: Optional[str], settings: "Mapping[str, Any]") -> None:
        from .options import plain

        self._set: Dict[str, Any] = plain(settings, "set")
        asked = {**({"set": self._set} if self._set else {}), **({"files": self._files} if self._files else {})}
        options = encode(json.dumps(asked)) if asked else None
        pointer = c_void_p()
        if text is not None:
            if not isinstance(text, str):
                raise ModelError(f"text= is the text of a model, not {type(text).__name__}")
            call("taut_model_parse", encode(text), None if name is None else encode(name),
                 None if self._folder is None else encode(self._folder), options, byref(pointer))
        else:
            try:
                path = os.fsdecode(source)
            except TypeError:
                raise ModelError(f"a model is opened by a name or a path, not by {source!r}") from None
            call("taut_model_open", encode(path), options, byref(pointer))
            if path.endswith(".toml") or "/" in path:
                self._folder = os.path.dirname(os.path.abspath(path))
        self._handle = Handle(pointer, library().taut_model_free)

    # ---- What it is ------------------------------------------------------------------------------------------

    @property
    def description(self) -> "Dict[str, Any]":
        """All that the library says of the model: names, formulas, values, the methods that fit."""
        if self._described is None:
            self._described = take_json("taut_model_describe", self._handle.pointer)
        return self._described

    @property
    def title(self) -> str:
        """What the model calls itself."""
        return str(self.description["title"])

    @property
    def coordinates(self) -> "List[str]":
        """Names of the coordinates."""
        found: List[str] = self.description["coordinates"]
        return found

    @property
    def momenta(self) -> "List[str]":
        """Names of the momenta, ``p_x`` for ``x``."""
        found: List[str] = self.description["momenta"]
        return found

    @property
    def parameters(self) -> "Mapping[str, float]":
        """Parameters and their values. They are changed by ``Model(..., parameters=)`` and ``run(parameters=)``."""
        return MappingProxyType(self.description["parameters"])

    @property
    def start(self) -> "Tuple[Doubles, Doubles]":
        """The initial state (q, p) as the model gives it."""
        import numpy as np

        start = self.description["start"]
        return np.array(start["q"], dtype=np.float64), np.array(start["p"], dtype=np.float64)

    @property
    def methods(self) -> "List[str]":
        """Names of the methods that fit this model."""
        found: List[str] = self.description["methods"]
        return found

    def to_toml(self) -> str:
        """The text of the model, as a file for the program: settings are written into it."""
        self._only_formulas("to_toml")
        text = str(self.description["text"])
        if not self._set:
            return text
        velocities = ["v_" + name for name in self.coordinates]
        places = {name: "initial" for name in [*self.coordinates, *self.momenta, *velocities] if name not in self.parameters}
        return with_settings(text, self._set, places)

    def to_sympy(self) -> "SymbolicModel":
        """The model as SymPy expressions. ``taut.Model(**model.to_sympy()._asdict())`` goes back.

        >>> import taut
        >>> s = taut.Model("pendulum").to_sympy()
        >>> print(s.constraints[0])
        -L**2/2 + x**2/2 + y**2/2
        """
        self._only_formulas("to_sympy")
        from .symbolic_model import symbolic_model

        return symbolic_model(self)

    # ---- Values ----------------------------------------------------------------------------------------------

    def _value(self, what: str, q: Any, p: Any, rank: int) -> Any:
        if p is None and what not in ("g", "G"):
            raise ModelError(f"p is None; {'multiplier' if what == 'lambda' else what} takes q and p")
        return evaluate(self._handle, len(self.coordinates), what, q, p, rank)

    @overload
    def H(self, q: "Sequence[float]", p: "Sequence[float]") -> float: ...

    @overload
    def H(self, q: Any, p: Any) -> Any: ...

    def H(self, q: Any, p: Any) -> Any:
        """The Hamiltonian. Axes before the last one are states: (…, n) gives (…).

        >>> import taut
        >>> taut.Model("pendulum").H([[1.0, 0.0], [0.0, -1.0]], [0.0, 0.0]).tolist()
        [0.0, -1.0]
        """
        return self._value("H", q, p, 0)

    def g(self, q: Any) -> "Doubles":
        """The constraints, (…, n) to (…, m)."""
        found: Doubles = self._value("g", q, None, 1)
        return found

    def G(self, q: Any) -> "Doubles":
        """The Jacobian of the constraints, (…, n) to (…, m, n)."""
        found: Doubles = self._value("G", q, None, 2)
        return found

    def multiplier(self, q: Any, p: Any) -> "Doubles":
        """λ(q, p) of the continuous equations, (…, m); NaN where the constraints are dependent."""
        found: Doubles = self._value("lambda", q, p, 1)
        return found

    def project(self, q: Any, p: Any) -> "Tuple[Doubles, Doubles]":
        """q and p on the manifold g = 0, G H_p = 0; a state for which no point was found near it is NaN."""
        if p is None:
            raise ModelError("p is None; project takes q and p")
        return project(self._handle, len(self.coordinates), q, p)

    # ---- What it does ----------------------------------------------------------------------------------------

    def _options(self, options: "Mapping[str, Any]") -> bytes:
        if self._callbacks is not None and (options.get("parameters") or options.get("set")):
            raise ModelError("this model calls Python functions (callback=True), which know the parameters of the model alone: "
                             "make another model for other parameters")
        if self._callbacks is not None and self._callbacks.tolerance and options.get("tolerance") is None:
            options = {**options, "tolerance": self._callbacks.tolerance}
        start = options.get("start")
        # A model whose coordinates nobody asked for need not be described, which takes longer than a short run.
        by_name = start is None or isinstance(start, Mapping) and not any(
            str(name) in ("q", "p") or str(name).startswith("v_") for name in start)
        formulas = any(options.get(key) is not None for key in ("quantities", "events", "step_function"))
        return options_json(options, () if by_name and not formulas else self.coordinates,
                            list(self.parameters) if formulas else ())

    def run(self, method: Optional[str] = None, step: Optional[float] = None, until: Optional[float] = None, *,
            steps: Optional[int] = None, every: Optional[int] = None, start: Any = None,
            parameters: "Optional[Mapping[str, Any]]" = None, quantities: "Optional[Mapping[str, Any]]" = None,
            events: Any = None, at: Any = None, seed: Optional[int] = None, out: Any = None, report: Any = None,
            progress: Progress = None, threads: Optional[int] = None, **options: Any) -> Result:
        """Integrates, as ``taut run``; what is not given is as the model says it.

        ``start`` is {"x": 1.0, "p_y": 0.5} or a pair (q, p); ``events`` are formulas that cross zero, ``at`` times at which
        the state is wanted: ``r.events`` and ``r.at`` list them; ``seed`` is that of the [thermostat] of a system of particles;
        ``out`` is a folder for samples and checkpoints; ``report`` a file for the page with plots and animation. ``options`` are
        the further options of the command line, with ``_`` for ``-``: formulation, projection, tolerance, solver, backend,
        precision, project_start, on_failure, …

        Raises SolveFailed if the run ends early, and KeyboardInterrupt after Ctrl-C; both have ``.result``.

        >>> import taut
        >>> r = taut.Model("pendulum").run("kahan-li8", step=0.1, until=100.0)
        >>> r.summary["energy"]["max_error"] < 1e-11
        True
        >>> r = taut.Model("pendulum").run("kahan-li8", step=0.1, until=100.0,
        ...                                events={"when": lambda q: q[0], "direction": "down", "do": "stop"})
        >>> len(r.events), round(r.events[0]["time"], 6), r.summary["time"] == r.events[0]["time"]
        (1, 1.854075, True)
        """
        if report is not None:
            report = _place_of_report(report)
        asked = {"method": method, "step": step, "until": until, "steps": steps, "every": every, "start": start,
                 "parameters": parameters, "quantities": quantities, "events": events, "at": at, "out": out,
                 "threads": threads, **options}
        if seed is not None:
            if not self.description["particles"]:
                raise ModelError("seed: this model draws no random numbers. Systems of particles with a [thermostat] do, and "
                                 "ensemble() and sample() take a seed")
            asked["set"] = {**mapping_of(options.get("set"), "set"), "thermostat.seed": seed}
        text = self._options(asked)
        pointer = c_void_p()
        handle = Handle(pointer, library().taut_run_free, self._callbacks)
        with Watching(progress, method or "run") as watching:
            status = call("taut_run_make", self._handle.pointer, text, byref(watching.watch), byref(pointer))
        sentence = last_error() if status in (FAILED, STOPPED) else ""
        if not pointer:  # stopped before it began, or a file could not be written
            raise (Interrupted if watching.interrupted else SolveFailed)(sentence)
        result = Result._of_handle(handle)
        if self._callbacks is not None:
            result.summary["backend"] = "interpreted by Python"
        if report is not None:
            result.report(report)
        if watching.interrupted:
            s = result.summary
            raise Interrupted(f"stopped after {s['steps']} steps, at t = {s['time']:g}; the result has what there is", result)
        if status in (FAILED, STOPPED):
            raise SolveFailed(sentence, result)
        return result

    def stepper(self, method: Optional[str] = None, step: Optional[float] = None, q: Any = None, p: Any = None,
                **options: Any) -> "Stepper":
        """A method on this model, one step at a time, from (q, p) or from the model's start."""
        from .stepper import Stepper

        start: Any = None
        if q is not None or p is not None:
            q0, p0 = self.start
            start = (q0 if q is None else q, p0 if p is None else p)
        return Stepper(self, {"method": method, "step": step, "start": start, **options})

    def check(self, method: Optional[str] = None, step: Optional[float] = None, *, progress: Progress = None,
              **options: Any) -> "Certificate":
        """Measures whether a method keeps what it claims on this model, as ``taut check``."""
        from .judgement import Certificate

        asked = self._options({"method": method, "step": step, **options})
        return Certificate(json.loads(watched_text(progress, "check", "taut_check", self._handle.pointer, asked)))

    def _analysed(self, what: str, asked: "Dict[str, Any]") -> "Dict[str, Any]":
        progress: Progress = asked.pop("progress", None)
        found: Dict[str, Any] = json.loads(watched_text(progress, what, "taut_analyse", self._handle.pointer,
                                                        encode(what), self._options(asked)))
        return found

    def section(self, *events: Any, **options: Any) -> "Section":
        """The points at which a formula crosses zero, as ``taut section``: ``section("when=x, direction=up", until=100.0)``.
        Events are those of :meth:`run`.

        Without an event it is the last one of the model.
        """
        from .analysis import Section

        return Section(self._analysed("section", {"events": list(events) or None, **options}))

    def lyapunov(self, exponents: Optional[int] = None, **options: Any) -> "Exponents":
        """Lyapunov exponents on the manifold, as ``taut lyapunov``; all of them, or the largest."""
        from .analysis import Exponents

        return Exponents(self._analysed("lyapunov", {"exponents": exponents, **options}))

    def orbit(self, period: Optional[float] = None, **options: Any) -> "Orbit":
        """A periodic orbit near the start with a period near ``period``, as ``taut orbit``."""
        from .analysis import Orbit

        return Orbit(self._analysed("orbit", {"period": period, **options}))

    def spectrum(self, *of: str, **options: Any) -> "Spectrum":
        """Frequencies of a column, or of x + i y for two, as ``taut spectrum``."""
        from .analysis import Spectrum

        return Spectrum(self._analysed("spectrum", {"of": list(of) or None, **options}))

    def indicators(self, vectors: Optional[int] = None, **options: Any) -> "Indicators":
        """Is the motion regular or chaotic? MEGNO, SALI, GALI and FLI, as ``taut indicators``."""
        from .analysis import Indicators

        return Indicators(self._analysed("indicators", {"vectors": vectors, **options}))

    def compare(self, methods: "Sequence[str]", *, progress: Progress = None, **options: Any) -> "Comparison":
        """Runs several methods side by side, as ``taut compare``."""
        from .judgement import Comparison

        if not isinstance(methods, str) and not hasattr(methods, "__iter__"):
            raise ModelError(f"methods is {methods!r}; names are wanted, as in [\"rattle\", \"lobatto(3)\"]")
        asked = self._options({"methods": [methods] if isinstance(methods, str) else list(methods), **options})
        return Comparison(json.loads(watched_text(progress, "compare", "taut_compare", self._handle.pointer, asked)))

    def ensemble(self, q0: Any = None, p0: Any = None, parameters: "Optional[Mapping[str, Any]]" = None, *,
                 vary: "Optional[Mapping[str, Any]]" = None, method: Optional[str] = None, step: Optional[float] = None,
                 until: Optional[float] = None, steps: Optional[int] = None, every: Optional[int] = None,
                 size: Optional[int] = None, seed: Optional[int] = None, grid: Optional[bool] = None,
                 threads: Optional[int] = None, progress: Progress = None, **options: Any) -> "Ensemble":
        """Integrates many trajectories, as ``taut ensemble``.

        ``q0`` and ``p0`` have a row for each trajectory, ``parameters`` an array with a value for each; ``vary`` says in
        the words of the command line what is drawn or spaced: {"L": "linspace(1, 2, 100)", "p_x": "normal(0, 0.1)"}.

        Raises SolveFailed if all trajectories fail, and KeyboardInterrupt after Ctrl-C; ``.result`` is what there is.
        """
        from .ensemble import Ensemble, table_of

        names, table = table_of(q0, p0, parameters, self.coordinates, self.momenta)
        asked = self._options({"vary": vary, "method": method, "step": step, "until": until, "steps": steps,
                               "every": every, "size": size, "seed": seed, "grid": grid, "threads": threads, **options})
        columns = (ctypes.c_char_p * max(1, len(names)))(*[encode(name) for name in names])
        pointer = c_void_p()
        with Watching(progress, "ensemble") as watching:
            status = call("taut_ensemble_make", self._handle.pointer, asked, columns, len(names),
                          None if table is None else table.ctypes.data, 0 if table is None else table.shape[0],
                          byref(watching.watch), byref(pointer))
        sentence = last_error() if status in (FAILED, STOPPED) else ""
        found = Ensemble(Handle(pointer, library().taut_ensemble_free)) if pointer else None
        if watching.interrupted:
            raise Interrupted(sentence or "the ensemble was stopped", found)
        if found is None or status in (FAILED, STOPPED):
            raise SolveFailed(sentence, found)
        return found

    def sample(self, draws: Optional[int] = None, *, warmup: Optional[int] = None, chains: Optional[int] = None,
               seed: Optional[int] = None, density: Any = None, measure: Optional[str] = None,
               temperature: Optional[float] = None, kernel: Optional[str] = None, step: Optional[float] = None,
               threads: Optional[int] = None, out: Any = None, progress: Progress = None, **options: Any) -> "Draws":
        """Draws from a distribution on g = 0, as ``taut sample``; what is not given is as ``[sampling]`` of the model says.

        Raises KeyboardInterrupt after Ctrl-C; its ``.result`` has the draws that there are.

        ``density`` is its logarithm, a formula of coordinates (a text, a SymPy expression or a function of q), or
        ``temperature`` is kT of exp(-V/kT); ``measure`` is "surface", "conditioned" or "rigid". ``options`` are accept,
        metric, friction, max_depth, thin, inits, spread, integrator, quantities, start, parameters, set.

        >>> import taut
        >>> sphere = taut.Model(coordinates="x y z", mass=1.0, potential="0", constraints=["x^2 + y^2 + z^2 - 1"],
        ...                     start={"z": 1.0})
        >>> d = sphere.sample(500, chains=2, density="1.8*z", measure="surface")
        >>> d["z"].shape, abs(d["z"].mean() - 0.5015) < 5 * d.summary["mcse"]["z"]
        ((2, 500), True)
        """
        from .sampling import Draws

        asked = self._sampling_options(density, {
            "draws": draws, "warmup": warmup, "chains": chains, "seed": seed, "measure": measure, "temperature": temperature,
            "kernel": kernel, "step": step, "threads": threads, "out": out, **options})
        pointer = c_void_p()
        with Watching(progress, "sample") as watching:
            status = call("taut_sampling_make", self._handle.pointer, asked, byref(watching.watch), byref(pointer))
        sentence = last_error() if status in (FAILED, STOPPED) else ""
        found = Draws(Handle(pointer, library().taut_sampling_free)) if pointer else None
        if watching.interrupted:
            raise Interrupted(sentence or "the sampling was stopped", found)
        if found is None or status in (FAILED, STOPPED):
            raise SolveFailed(sentence, found)
        return found

    def free_energy(self, coordinate: Any, values: Any, *, density: Any = None, progress: Progress = None,
                    **options: Any) -> "Dict[str, Any]":
        """dA/dξ and its integral along a coordinate, as ``taut free-energy --json``; options as in :meth:`sample`.

        >>> import taut
        >>> plane = taut.Model(coordinates="x y", mass=1.0, potential="x^2 + y^2", start={"x": 1.0})
        >>> A = plane.free_energy("sqrt(x^2 + y^2)", [1.0, 2.0], temperature=1.0, measure="conditioned", draws=100)
        >>> [round(force, 9) for force in A["mean_force"]]
        [1.0, 3.5]
        """
        from .modeltext import Parts

        parts = Parts(self.coordinates, {name: 0 for name in self.parameters})
        asked = self._sampling_options(density, {"coordinate": str(parts.formula(coordinate, "coordinate")),
                                                 "values": values, **options})
        found: Dict[str, Any] = json.loads(watched_text(progress, "free energy", "taut_free_energy", self._handle.pointer,
                                                        asked))
        return found

    def _sampling_options(self, density: Any, options: "Dict[str, Any]") -> bytes:
        if density is not None:
            from .modeltext import Parts

            parts = Parts(self.coordinates, {name: 0 for name in self.parameters})
            formula = str(parts.formula(density, "density"))
            options = {**options, "set": {**(options.get("set") or {}), "sampling.density": formula}}
        return self._options(options)

    # ---- Notebooks and pickles -------------------------------------------------------------------------------

    def _repr_latex_(self) -> Optional[str]:
        latex = self.description.get("latex")
        if not latex:
            return None
        from .display import equations_of

        d = self.description
        lines = equations_of(latex, {*d["coordinates"], *d["parameters"], *d["definitions"]})
        return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"

    def __repr__(self) -> str:
        d = self.description
        return (f"<taut.Model {d['title']!r}: {len(d['coordinates'])} coordinates, {d['constraint_count']} constraints>")

    def _pickled(self) -> "Dict[str, Any]":
        self._only_formulas("pickle")
        d = self.description
        return {"text": d["text"], "name": d["name"], "set": self._set, "files": d["files"]}

    @classmethod
    def _of_files(cls, text: str, name: str, settings: "Dict[str, Any]", files: "Dict[str, str]") -> "Model":
        """A model with the files that it names, which need not be on this machine."""
        made = cls.__new__(cls)
        made._described, made._folder, made._callbacks = None, None, None
        made._files = files
        made._open(None, text, name, settings)
        return made

    def __reduce__(self) -> Any:
        from .pickling import packed_model, restore

        return restore, ("model", *packed_model(self))

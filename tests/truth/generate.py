"""Random models that are valid, each from a number of its own."""
import random

from arithmetic import Digits, Floats, NoValue
from evaluate import function_of
from formula import FUNCTIONS, parse, replaced, text_of
from linear import Singular, inverse
from model import Model
from newton import NoSolution, find
from multiplier import derivative
from steps import ANY, NATURAL, SPLIT
from system import System, along, times

NAMES = ["x", "y", "z", "q", "p", "e", "E", "i", "j", "t", "h", "lambda", "_", "__", "x_1", "X", "sin_", "exp2", "p_", "inf",
         "nan", "double", "int", "class", "return", "pow", "a1b2", "e1", "E5", "theta", "x" * 64, "L", "M_PI", "NULL", "c",
         "true", "out", "q0", "T", "log10", "fma", "I", "_Z", "v_x", "step", "run", "mass", "potential", "Pi", "PI", "no_p"]
STEPS = ["0.01", "0.02", "0.05", "0.1", "-0.03", "1/64", "5e-2", "0.0125"]


class Unfit(Exception):
    """A try that is no valid or no well-posed model."""


class Formulas:
    """Random texts of formulas of some names. Any text of the grammar will do, so operators stand as they fall."""

    def __init__(self, chance, names):
        self.chance, self.names = chance, names

    def any(self, depth):
        roll = self.chance.random()
        if depth <= 0 or roll < 0.15:
            return self.leaf()
        if roll < 0.5:
            return self.joined(depth)
        if roll < 0.65:
            return self.power(depth)
        return self.call(depth)

    def leaf(self):
        if self.chance.random() < 0.7:
            return self.chance.choice(self.names)
        return self.chance.choice(["2", "3", "0.5", ".25", "1.5e-1", "3.", "1E+0", "0.1", "7/3", "pi", "1e-3", "12"])

    def joined(self, depth):
        sign = self.chance.choice(["+", "-", "*", "/", " + ", " - ", "*", " * ", "*-", "- -", "/ ", "+-"])
        return self.wrapped(self.any(depth - 1)) + sign + self.wrapped(self.any(depth - 1))

    def wrapped(self, text):
        return "(" + text + ")" if self.chance.random() < 0.6 else text

    def power(self, depth):
        base = self.any(depth - 1)
        exponent = self.chance.choice(["2", "2", "3", "4", "-1", "-2", "0.5", "(1/2)", "1.5", "2^1", "(-0.5)", "1", "0", "5",
                                       "(2-1/3)", self.leaf()])
        return "(" + base + ")^" + exponent if self.chance.random() < 0.8 else base + "^" + exponent

    def call(self, depth):
        name = self.chance.choice(list(FUNCTIONS))
        arguments = [self.any(depth - 1) for _ in range(FUNCTIONS[name])]
        text = name + "(" + ", ".join(arguments) + ")"
        return self.chance.choice(["", "", "0.3*", "-", "2*"]) + text


def model(number):
    """The model of a number: the first of its tries that is valid."""
    chance = random.Random(number)
    while True:
        try:
            return attempt(chance)
        except (Unfit, NoValue, NoSolution, Singular, OverflowError, TypeError):
            continue


def attempt(chance):
    n = chance.choice([1, 2, 2, 3, 3, 4, 5, 6, 8])
    m = min(chance.choice([0, 1, 1, 1, 2, 2, 3, 4, 5]), n - 1)
    chosen = chance.sample(NAMES, n + chance.randint(0, 3))
    made = Model(title=chance.choice(["", "odd \u00fc \u2207 title", "a 'quoted' \"one\"", "# no comment", "t = 1"]))
    made.coordinates = chosen[:n]
    refuse_clashes(chosen)
    for name in chosen[n:]:
        before = ["(%s)/2 + 1" % other for other in made.parameters]
        made.parameters[name] = chance.choice(["1.5", "0.7", "2", "1/3", "-0.8", "pi/4", "sqrt(2)"] + before)
    formulas = Formulas(chance, made.coordinates + list(made.parameters))
    start = {name: start_value(chance) for name in chosen[:n]}
    kind = chance.choice(["diagonal", "diagonal", "full", "split", "disguised", "curved", "general", "general"])
    potential = lambda: [weighted(chance, formulas.any(chance.choice([1, 2, 3, 4]))) for _ in range(chance.randint(1, 4))]
    energies(made, chance, kind, potential, formulas)
    made.constraints = [constraint(chance, made, formulas, start) for _ in range(m)]
    made.initial = {name: repr(value) for name, value in start.items()}
    made.step = chance.choice(STEPS)
    made.method = chance.choice(methods_for(kind))
    well_posed(made)
    add_momentum(made, chance)
    if made.constraints and chance.random() < 0.15:
        leave_manifold(made, chance)
    elif chance.random() < 0.05:
        shift_origin(made, chance)
    made.options = options_for(made.method, chance)
    return made


def options_for(method, chance):
    """Ways to the same answer: how equations are solved and how sums are kept."""
    ways = [[], [], []]
    if method in ("rattle", "shake", "verlet", "yoshida4", "suzuki4"):
        ways += [["--solver", "newton"], ["--solver", "symmetric"], ["--solver", "sweep"]]
    if method == "rattle":
        ways.append(["--plain-updates"])
    return chance.choice(ways)


def leave_manifold(made, chance):
    """A start beside the manifold, for the program to bring back."""
    made.project = True
    for name in made.initial:
        made.initial[name] = repr(float(made.initial[name]) + chance.uniform(-0.01, 0.01))


def start_value(chance):
    if chance.random() < 0.04:
        return 0.0
    return round(chance.choice([-1, 1]) * chance.uniform(0.2, 1.6), chance.choice([1, 3, 15]))


def shift_origin(made, chance):
    """The same mechanics about another origin: every coordinate x stands as (x - far)."""
    far = chance.choice(["100", "-3e4", "1e6"])
    table = {name: ("-", ("name", name), parse("(" + far + ")")) for name in made.coordinates}
    write = lambda text: text_of(replaced(parse(text), table))
    made.constraints = [write(text) for text in made.constraints]
    made.potentials = {key: [write(text) for text in terms] for key, terms in made.potentials.items()}
    for name in made.coordinates:
        made.initial[name] = repr(float(made.initial[name]) + float(far))


def refuse_clashes(chosen):
    if any("p_" + name in chosen for name in chosen):
        raise Unfit()


def weighted(chance, text):
    return chance.choice(["", "0.5*", "-1/4*", "0.01*"]) + "(" + text + ")" if chance.random() < 0.7 else text


def methods_for(kind):
    if kind == "split":
        return list(SPLIT) * 2 + list(NATURAL) + list(ANY)
    if kind in ("diagonal", "full"):
        return list(NATURAL) + list(ANY)
    return list(ANY) + (["rattle"] * 2 if kind == "disguised" else [])


def energies(made, chance, kind, potential, formulas):
    masses = [chance.choice(["1", "2.5", "0.4", "1/3", "1e0", "pi"]) for _ in made.coordinates]
    if kind in ("diagonal", "split"):
        made.mass = chance.choice([masses, masses[0]])
    elif kind == "full":
        made.mass = full_mass(chance, masses)
    if kind == "split":
        made.potentials = {"potential_fast": potential(), "potential_slow": potential()}
    elif made.mass is not None:
        made.potentials = {"potential": potential()}
    else:
        kinetic = {"disguised": disguised, "curved": curved, "general": general}[kind]
        made.potentials = {"hamiltonian": kinetic(made, chance, formulas) + potential()}


def full_mass(chance, masses):
    size = len(masses)
    M = [[masses[i] if i == j else "0" for j in range(size)] for i in range(size)]
    for i in range(size):
        for j in range(i):
            M[i][j] = M[j][i] = chance.choice(["0", "0.1", "-0.05", "1/50", "0.02"])
    return M


def momenta(made):
    return ["p_" + name for name in made.coordinates]


def disguised(made, chance, _):
    """A constant positive definite form of the momenta, written in ways that do not show it."""
    forms = ["%s^2/2", "%s*%s/3", "0.5*(%s - 0)^2", "%s^2/(2*cos(0.3)^2)", "-(-%s^2)", "(%s + 1)^2/2 - %s - 0.5"]
    terms = []
    for p in momenta(made):
        form = chance.choice(forms)
        terms.append(form.replace("%s", p))
    p = momenta(made)
    if len(p) > 1:
        terms.append("(%s - %s)^2/8" % (p[0], p[1]))
    return terms


def curved(made, chance, formulas):
    """Masses that depend on the coordinates."""
    terms = []
    for p in momenta(made):
        inner = formulas.any(chance.choice([0, 1, 2]))
        terms.append(chance.choice(["%s^2/2*(1 + (%s)^2)", "%s^2/(2 + (%s)^2)", "%s^2*(2 + sin(%s))/4", "(%s/exp((%s)/4))^2/2"])
                     % (p, inner))
    return terms


def general(made, chance, formulas):
    """Terms that are not quadratic in the momenta, terms that are linear in them, and magnetic fields."""
    terms = []
    for p in momenta(made):
        inner = formulas.any(chance.choice([0, 0, 1]))
        forms = ["sqrt(1 + %s^2)", "%s^2/2 + %s^4/20", "cosh(%s)", "(%s - 0.3*(" + inner + "))^2/2", "%s^2/2 + 0.2*%s*(" + inner + ")",
                 "%s^2/2 + 0.1*abs(%s)", "%s^2/2 + 0.1*cos(%s - (" + inner + "))", "%s^2/2 + 0.05*abs(%s)^3", "%s^2/2",
                 "abs(%s)^2/2", "sqrt(%s^4)/2", "sqrt(%s^2)*abs(%s)/3"]
        terms.append(chance.choice(forms).replace("%s", p))
    return terms


def constraint(chance, made, formulas, start):
    """A formula minus the value it has at the start, in one of several ways of writing."""
    if chance.random() < 0.3 and len(made.coordinates) > 1:
        a, b = chance.sample(made.coordinates, 2)
        text = chance.choice(["%s^2 + %s^2", "%s*%s", "(%s - %s)^2", "sqrt(%s^2 + %s^2)", "%s + 2*%s", "atan2(%s, %s)"]) % (a, b)
    else:
        text = formulas.any(chance.choice([2, 2, 3, 4]))
    place = dict(System(dataclass_head(made), Digits).known)
    place.update((name, Digits.number(value)) for name, value in start.items())
    value = repr(float(function_of(parse(text), place, Digits)([])))
    if abs(float(value)) > 100:
        raise Unfit()
    forms = ["%s - (%s)", "(%s - (%s))/2", "3*(%s) - 3*(%s)", "-(%s) + (%s)", "0.1*((%s) - (%s))"]
    return chance.choice(forms).replace("%s", "@", 1).replace("%s", value).replace("@", "(" + text + ")")


def dataclass_head(made):
    """The model without its formulas, for the values of its parameters."""
    return Model(parameters=made.parameters, coordinates=["none"], mass="1", potentials={"potential": []}).text()


def well_posed(made):
    """Refuses models whose start has large derivatives or nearly dependent constraints."""
    s = System(made.text(), Floats)
    q, p = s.start()
    p = [0.3] * s.n
    little = 1e-3
    sizes = [s.H(q, p)] + s.H_q(q, p) + s.H_p(q, p) + [v for row in s.G(q) for v in row]
    H_q = s.H_q(q, p)
    for k in range(s.n):
        moved = list(q)
        moved[k] += little
        sizes += [(a - b) / little for a, b in zip(s.H_q(moved, p), H_q)]
        for row, old in zip(s.G(moved), s.G(q)):
            sizes += [(a - b) / little for a, b in zip(row, old)]
    if not all(abs(v) < 60 for v in sizes):
        raise Unfit()
    independent(s.G(q))


def independent(G):
    """Refuses gradients that are small, or that lie within some 15 degrees of the span of the others."""
    basis = []
    for row in G:
        length = sum(v * v for v in row) ** 0.5
        if length < 0.03:
            raise Unfit()
        rest = [v / length for v in row]
        for other in basis:
            share = sum(a * b for a, b in zip(rest, other))
            rest = [a - share * b for a, b in zip(rest, other)]
        left = sum(v * v for v in rest) ** 0.5
        if left < 0.25:
            raise Unfit()
        basis.append([v / left for v in rest])


def add_momentum(made, chance):
    for name in made.coordinates:
        made.initial["p_" + name] = repr(chance.uniform(-1.5, 1.5))
    tangent(made)
    s = System(made.text(), Digits)
    q, p = s.start()
    if made.mass is None and any(abs(v) < 1e-3 for v in p):
        raise Unfit()  # |p| has no derivative at 0, which is where a coordinate without freedom has its momentum
    regular(s, q, p)


def tangent(made):
    """Moves the momentum at the start along G', so that G H_p = 0."""
    exact, rough = System(made.text(), Digits), System(made.text(), Floats)
    if not exact.m:
        return
    q, p = exact.start()
    rough_x = [float(v) for v in q], [float(v) for v in p]

    def of(s):
        at = rough_x if s is rough else (q, p)
        G = s.G(at[0])
        return lambda nu: times(G, s.H_p(at[0], along(G, nu, at[1])))
    nu, _ = find(of, rough, exact, [0.0] * exact.m)
    for name, value in zip(made.coordinates, along(exact.G(q), nu, p)):
        made.initial["p_" + name] = repr(float(value))


def regular(s, q, p):
    """Refuses an H whose second derivatives by p are not positive and of moderate size."""
    zero = [s.kind.zero] * s.n
    unit = lambda k: [s.kind.number(1 if k == j else 0) for j in range(s.n)]
    H_pp = [derivative(lambda q, p: s.H_p(q, p), s, q, p, zero, unit(k)) for k in range(s.n)]
    for k in range(s.n):
        if not 0.05 < H_pp[k][k] < 50:
            raise Unfit()
    if any(abs(v) > 100 for row in inverse(H_pp) for v in row):
        raise Unfit()

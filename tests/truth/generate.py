"""Random models that are valid, each from a number of its own."""
import random

from arithmetic import Digits, NoValue
from evaluate import function_of
from formula import parse, replaced, text_of
from linear import Singular
from model import Model
from newton import NoSolution
from random_energies import energies
from random_formulas import Formulas
from steps import ANY, NATURAL, SPLIT
from system import System
from well_posed import Unfit, regular, tangent, well_posed

# fmt: off
NAMES = [
    "x", "y", "z", "q", "p", "e", "E", "i", "j", "t", "h", "lambda", "_", "__", "x_1", "X", "sin_", "exp2",
    "p_", "inf", "nan", "double", "int", "class", "return", "pow", "a1b2", "e1", "E5", "theta", "x" * 64,
    "L", "M_PI", "NULL", "c", "true", "out", "q0", "T", "log10", "fma", "I", "_Z", "v_x", "step", "run",
    "mass", "potential", "Pi", "PI", "no_p",
]
# fmt: on
STEPS = ["0.01", "0.02", "0.05", "0.1", "-0.03", "1/64", "5e-2", "0.0125"]


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
    made = Model(
        title=chance.choice(["", "odd \u00fc \u2207 title", "a 'quoted' \"one\"", "# no comment", "t = 1"])
    )
    made.coordinates = chosen[:n]
    refuse_clashes(chosen)
    for name in chosen[n:]:
        before = ["(%s)/2 + 1" % other for other in made.parameters]
        made.parameters[name] = chance.choice(["1.5", "0.7", "2", "1/3", "-0.8", "pi/4", "sqrt(2)"] + before)
    formulas = Formulas(chance, made.coordinates + list(made.parameters))
    start = {name: start_value(chance) for name in chosen[:n]}
    kind = chance.choice(
        ["diagonal", "diagonal", "full", "split", "disguised", "curved", "general", "general"]
    )
    potential = lambda: [
        weighted(chance, formulas.any(chance.choice([1, 2, 3, 4]))) for _ in range(chance.randint(1, 4))
    ]
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


def constraint(chance, made, formulas, start):
    """A formula minus the value it has at the start, in one of several ways of writing."""
    if chance.random() < 0.3 and len(made.coordinates) > 1:
        a, b = chance.sample(made.coordinates, 2)
        text = chance.choice(
            ["%s^2 + %s^2", "%s*%s", "(%s - %s)^2", "sqrt(%s^2 + %s^2)", "%s + 2*%s", "atan2(%s, %s)"]
        ) % (a, b)
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
    return Model(
        parameters=made.parameters, coordinates=["none"], mass="1", potentials={"potential": []}
    ).text()


def add_momentum(made, chance):
    for name in made.coordinates:
        made.initial["p_" + name] = repr(chance.uniform(-1.5, 1.5))
    tangent(made)
    s = System(made.text(), Digits)
    q, p = s.start()
    if made.mass is None and any(abs(v) < 1e-3 for v in p):
        # |p| has no derivative at 0, which is where a coordinate without freedom has its momentum.
        raise Unfit()
    regular(s, q, p)

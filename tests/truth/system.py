"""A model file as the mechanics it describes: H, g and their derivatives, in either kind of numbers."""
import tomllib

from arithmetic import Digits
from evaluate import Sum, function_of
from formula import names, parse, replaced
from linear import inverse, solve_vector


def constants_of(table, known, kind):
    """Numbers, or formulas of what is known so far, in the order of the file."""
    found = dict(known)
    for name, value in table.items():
        found[name] = constant(value, found, kind)
    return found


def constant(value, known, kind):
    if isinstance(value, str):
        return function_of(parse(value), known, kind)([])
    return kind.number(repr(value) if isinstance(value, float) else value)


def rows_of(mass, n):
    """The mass matrix, of which a model may give the diagonal, or one number for all."""
    if not isinstance(mass, list):
        mass = [mass] * n
    if not isinstance(mass[0], list):
        mass = [[m if i == j else 0 for j in range(n)] for i, m in enumerate(mass)]
    return mass


def is_natural(file):
    """Whether the masses are numbers; a model with a Hamiltonian has none."""
    system = file["system"]
    if "mass" not in system:
        return False
    moving = {*system["coordinates"], *file.get("definitions", {})}
    entries = [entry for row in rows_of(system["mass"], len(system["coordinates"])) for entry in row]
    return not any(names(parse(str(entry))) & moving for entry in entries)


class MovedMasses:
    """H = p M(q)^-1 p / 2 + V(q), where entries of the mass matrix are functions of q."""

    def __init__(self, kind, mass, potentials):
        self.kind, self.mass, self.potentials = kind, mass, potentials

    def velocity(self, q, p):
        return solve_vector([[entry(q) for entry in row] for row in self.mass], p)

    def __call__(self, x):
        q, p = x[: len(self.mass)], x[len(self.mass) :]
        kinetic = sum((a * b for a, b in zip(p, self.velocity(q, p))), self.kind.zero) / 2
        return kinetic + sum((V(q) for V in self.potentials), self.kind.zero)

    def gradient(self, x, first, count):
        n = len(self.mass)
        if first >= n:
            return self.velocity(x[:n], x[n:])[first - n : first - n + count]
        x, slopes = list(x), [self.kind.zero] * count
        for k, slope in self.kind.slopes(self, x, range(first, first + count)):
            slopes[k - first] = slope
        return slopes


class System:
    """H(q, p) and g(q). x is q followed by p wherever a formula may see both."""

    last = []  # the last few gradients of V: a solve asks for the one at its start again and again

    def __init__(self, text, kind=Digits, noise=None):
        self.kind = kind
        file = tomllib.loads(text)
        system = file["system"]
        self.names = system["coordinates"]
        self.n = len(self.names)
        self.known = constants_of(file.get("parameters", {}), {}, kind)
        place = dict(self.known)
        place.update((name, k) for k, name in enumerate(self.names))
        self.definitions = {}
        for name, text in file.get("definitions", {}).items():
            self.definitions[name] = self.tree(text)
        formula = lambda text: Sum(self.tree(text), place, kind, noise)
        self.constraints = [formula(g) for g in system.get("constraints", [])]
        self.m = len(self.constraints)
        self.natural = is_natural(file)
        if "hamiltonian" in system:
            place.update(("p_" + name, self.n + k) for k, name in enumerate(self.names))
            self.whole = formula(system["hamiltonian"])
        else:
            chosen = [k for k in ("potential", "potential_fast", "potential_slow") if k in system]
            self.parts = [formula(system[k]) for k in chosen]
            mass = [[formula(str(entry)) for entry in row] for row in rows_of(system["mass"], self.n)]
            if self.natural:
                self.M = [[entry([]) for entry in row] for row in mass]
                self.W = inverse(self.M)
            else:
                self.whole = MovedMasses(kind, mass, self.parts)
        self.initial = file.get("initial", {})

    def tree(self, text):
        return replaced(parse(text), self.definitions)

    def start(self):
        """Momenta, or the momenta of the velocities: in the examples these go with constant masses."""
        value = lambda name: constant(self.initial.get(name, 0), self.known, self.kind)
        values = lambda letter: [value(letter + name) for name in self.names]
        with_velocities = {"v_" + name for name in self.names} & {*self.initial} - {*self.names}
        return values(""), times(self.M, values("v_")) if with_velocities else values("p_")

    def H(self, q, p):
        if not self.natural:
            return self.whole(q + p)
        return self.kinetic(p) + sum((part(q) for part in self.parts), self.kind.zero)

    def kinetic(self, p):
        return sum((a * b for a, b in zip(p, self.velocity(p))), self.kind.zero) / 2

    def velocity(self, p):
        return times(self.W, p)

    def H_p(self, q, p):
        return self.velocity(p) if self.natural else self.whole.gradient(q + p, self.n, self.n)

    def H_q(self, q, p):
        return self.slope_of_V(q) if self.natural else self.whole.gradient(q + p, 0, self.n)

    def slope_of_V(self, q, which=None):
        """The gradient of V, or of its part 0 (fast) or 1 (slow)."""
        for kept in self.last:
            if kept[0] == which and kept[1] == q:
                return kept[2]
        chosen = self.parts if which is None else [self.parts[which]]
        total = [self.kind.zero] * self.n
        for part in chosen:
            total = plus(total, part.gradient(q, 0, self.n))
        self.last = [(which, list(q), total)] + self.last[:3]
        return total

    def g(self, q):
        return [g(q) for g in self.constraints]

    def G(self, q):
        return [g.gradient(q, 0, self.n) for g in self.constraints]


def times(A, x):
    return [sum((a * b for a, b in zip(row, x) if a), 0 * x[0]) for row in A]


def plus(x, y, factor=1):
    return [a + factor * b for a, b in zip(x, y)]


def along(G, mu, x):
    """x minus the impulse G'mu."""
    x = list(x)
    for row, impulse in zip(G, mu):
        x = [a - g * impulse for a, g in zip(x, row)]
    return x

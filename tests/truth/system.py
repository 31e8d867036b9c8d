"""A model file as the mechanics it describes: H, g and their derivatives, in either kind of numbers."""
import tomllib

from arithmetic import Digits
from evaluate import Sum, function_of
from formula import parse
from linear import inverse


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
        self.constraints = [Sum(parse(g), place, kind, noise) for g in system.get("constraints", [])]
        self.m = len(self.constraints)
        self.natural = "hamiltonian" not in system
        if self.natural:
            self.W = inverse(self.mass_of(system["mass"]))
            parts = (
                [system["potential"]]
                if "potential" in system
                else [system["potential_fast"], system["potential_slow"]]
            )
            self.parts = [Sum(parse(part), place, kind, noise) for part in parts]
        else:
            place.update(("p_" + name, self.n + k) for k, name in enumerate(self.names))
            self.whole = Sum(parse(system["hamiltonian"]), place, kind, noise)
        self.initial = file.get("initial", {})

    def mass_of(self, mass):
        number = lambda value: constant(value, self.known, self.kind)
        if not isinstance(mass, list):
            mass = [mass] * self.n
        if not isinstance(mass[0], list):
            mass = [[m if i == j else 0 for j in range(self.n)] for i, m in enumerate(mass)]
        return [[number(entry) for entry in row] for row in mass]

    def start(self):
        value = lambda name: constant(self.initial.get(name, 0), self.known, self.kind)
        return [value(name) for name in self.names], [value("p_" + name) for name in self.names]

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

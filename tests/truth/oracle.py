"""What a model does, calculated without any code of taut, and what each digit of the answer is worth."""
import random

from arithmetic import Digits, Floats
from evaluate import ROUNDING, Noise, function_of
from formula import parse
from linear import solve_vector
from multiplier import derivative, multiplier
from newton import NoSolution, find, to_all_digits
from steps import METHODS
from system import System, along, times


def onto_manifold(s, q, p):
    """Moves q along H_pp G' to g = 0 by Newton's iteration, then p along G' to G H_p = 0."""
    zero = [s.kind.zero] * s.n
    velocity = lambda q, p: s.H_p(q, p)
    for _ in range(12):
        G = s.G(q)
        ways = [derivative(velocity, s, q, p, zero, row) for row in G]
        delta = solve_vector([times(ways, row) for row in G], s.g(q))
        q = along(ways, delta, q)
    G = s.G(q)
    for _ in range(12):
        ways = [derivative(velocity, s, q, p, zero, row) for row in G]
        p = along(G, solve_vector([times(ways, row) for row in G], times(G, s.H_p(q, p))), p)
    if max(abs(v) for v in s.g(q) + times(G, s.H_p(q, p))) > 1e-20:
        raise NoSolution("no way to the manifold")
    return q, p


class Answer:
    """The start's energy; state, energy and lambda after the last step; and how far noise moves each of
    them.
    """

    def __init__(self, values, spread):
        self.values, self.spread = values, spread


class Oracle:
    def __init__(self, text, System=System, seed=1, copies=2):
        chance = random.Random(seed)
        self.rough = System(text, Floats)
        self.exact = System(text, Digits)
        self.noisy = [System(text, Digits, Noise(Digits, chance)) for _ in range(copies)]
        self.chance = chance

    def start(self, project=False):
        """The start as a double can hold it, or the one to which the program moves it."""
        q, p = ([Digits.number(float(v)) for v in x] for x in self.exact.start())
        return onto_manifold(self.exact, q, p) if project and self.exact.m else (q, p)

    def step_of(self, text):
        return float(function_of(parse(text), self.exact.known, Digits)([]))

    def shaken(self, x, off=0.0):
        """The numbers with a rounding error each, and one more of the given size."""
        part = lambda size: Digits.number(self.chance.uniform(-1, 1) * size)
        return [v * (1 + part(ROUNDING)) + part(off) for v in x]

    def answer(self, method, h, steps, q, p):
        kind, fractions = METHODS[method]
        states = [(q, p)] + [(self.shaken(q), self.shaken(p)) for _ in self.noisy]
        first = [s.H(*x) for s, x in zip(self.systems(), states)]
        for fraction in list(fractions) * steps:
            states = self.step(kind, h * fraction, states)
        # What is derived from the end state is derived from its rounded numbers, and so is the direction in
        # which the last impulse turns p. The momenta of one method are differences of positions over h.
        far, fast = (float(max(abs(v) for v in x)) for x in states[0])
        off = ROUNDING * far * max(fast, 1 / abs(h) if method == "shake(two-step)" else 0.0)
        states = states[:1] + [(self.shaken(q), self.shaken(p, off)) for q, p in states[1:]]
        ends = [self.values(s, start, x) for s, start, x in zip(self.systems(), first, states)]
        sizes = {"lambda": self.size_of_forces(states[0])}
        return Answer(ends[0], {name: spread_of(ends, name, sizes.get(name, 0.0)) for name in ends[0]})

    def systems(self):
        return [self.exact] + self.noisy

    def step(self, kind, h, states):
        """One step of all systems, which differ so little that one Jacobian serves them."""
        q, p = states[0]
        exact_h = Digits.number(h)
        rough_x = [float(v) for v in q], [float(v) for v in p]
        of = lambda s: kind.residual(
            s, *(rough_x if s is self.rough else (q, p)), h if s is self.rough else exact_h
        )
        z, J = find(of, self.rough, self.exact, kind.guess(self.rough, *rough_x, h))
        after = [kind.state(self.exact, q, p, exact_h, z)]
        self.refuse_long_step(rough_x, after[0], h)
        for s, x in zip(self.noisy, states[1:]):
            near = to_all_digits(kind.residual(s, *x, exact_h), z, J, 1e-17) if z else z
            after.append(kind.state(s, *x, exact_h, near))
        return after

    def refuse_long_step(self, before, after, h):
        """Refuses a step in which the forces change so much that its equations may have several solutions."""
        after = [float(v) for v in after[0]], [float(v) for v in after[1]]
        for slope, x in ((self.rough.H_q, before[1]), (self.rough.H_p, before[0])):
            change = max(abs(a - b) for a, b in zip(slope(*before), slope(*after)))
            if abs(h) * change > 0.2 * (1 + max(abs(v) for v in x)):
                raise NoSolution("a step that is too long for one clear answer")

    def values(self, s, first, x):
        q, p = x
        return {
            "energy at the start": [first],
            "q": q,
            "p": p,
            "energy at the end": [s.H(q, p)],
            "lambda": multiplier(s, q, p),
        }

    def size_of_forces(self, x):
        """What lambda is made of may be much larger than lambda: forces and centrifugal forces, over |G|."""
        s, (q, p) = self.exact, x
        if not s.m:
            return 0.0
        largest = lambda v: max(abs(a) for a in v)
        v = largest(s.H_p(q, p))
        return float((largest(s.H_q(q, p)) + v * largest(p) + v) / min(largest(row) for row in s.G(q)))


def spread_of(ends, name, least):
    """How far noise moves the entries of a vector, and the size of the vector or of what it is made of."""
    exact = ends[0][name]
    largest = max([abs(v) for v in exact] + [least])
    moved = max((abs(a - b) for other in ends[1:] for a, b in zip(other[name], exact)), default=0)
    return float(moved + largest * ROUNDING), float(largest)

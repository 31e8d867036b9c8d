"""A model of particles as data that can be changed piece by piece, and its text as a file."""
import dataclasses

from model import piece, quoted


@dataclasses.dataclass
class Table:
    name: str
    keys: dict

    def text(self):
        return "\n".join(
            ["[[" + self.name + "]]"] + [key + " = " + value_of(value) for key, value in self.keys.items()]
        )


def value_of(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(key + " = " + value_of(v) for key, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_of, value)) + "]"
    return piece(value)


@dataclasses.dataclass
class ParticleModel:
    dimension: int = 3
    count: int = 1
    box: object = None
    mass: object = None
    position: list = dataclasses.field(default_factory=list)
    velocity: list = None
    tables: list = dataclasses.field(default_factory=list)
    method: str = "rattle"
    step: str = "0.01"
    steps: int = 2
    project: bool = False
    options: list = dataclasses.field(default_factory=list)
    lattice: dict = None  # formulas in place of count and position, with the indices of their `for`
    quantities: list = dataclasses.field(default_factory=list)

    def text(self):
        lines = ["# " + " ".join(self.options)] if self.options else []
        lines += ["[particles]", "dimension = %d" % self.dimension]
        given = (
            {"count": str(self.count), "position": self.position} if self.lattice is None else self.lattice
        )
        given = {**given, "box": self.box, "mass": self.mass, "velocity": self.velocity}
        lines += [key + " = " + value_of(value) for key, value in given.items() if value is not None]
        lines += [table.text() for table in self.tables]
        lines += [
            "[run]",
            "method = " + quoted(self.method),
            "step = " + piece(self.step),
            "steps = %d" % self.steps,
        ]
        if self.quantities:
            lines += ["[output]", "quantities = [%s]" % ", ".join(map(quoted, self.quantities))]
        return "\n".join(lines) + "\n"

    def more_options(self):
        return self.options

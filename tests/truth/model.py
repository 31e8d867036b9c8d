"""A model as data that can be changed piece by piece, and its text as a file."""
import dataclasses


@dataclasses.dataclass
class Model:
    """Formulas and numbers as they are written; every value of a table is a piece of TOML."""

    title: str = ""
    parameters: dict = dataclasses.field(default_factory=dict)
    coordinates: list = dataclasses.field(default_factory=list)
    mass: object = None  # a formula, a list of them, or a list of lists; none with a hamiltonian
    potentials: dict = dataclasses.field(default_factory=dict)  # key of [system] -> list of terms
    constraints: list = dataclasses.field(default_factory=list)
    initial: dict = dataclasses.field(default_factory=dict)
    method: str = "rattle"
    step: str = "0.01"
    steps: int = 2
    project: bool = False  # the start is brought onto the manifold by the program
    options: list = dataclasses.field(default_factory=list)  # of the command line; none changes the answer

    def text(self):
        lines = ["# " + " ".join(self.more_options())] if self.more_options() else []
        lines.append("title = " + quoted(self.title))
        if self.parameters:
            lines += ["[parameters]"] + [
                name + " = " + piece(value) for name, value in self.parameters.items()
            ]
        lines += ["[system]", "coordinates = [%s]" % ", ".join(map(quoted, self.coordinates))]
        if self.mass is not None:
            lines.append("mass = " + piece(self.mass))
        lines += [key + " = " + quoted(sum_of(terms)) for key, terms in self.potentials.items()]
        if self.constraints:
            lines.append("constraints = [%s]" % ",\n  ".join(map(quoted, self.constraints)))
        lines += ["[initial]"] + [name + " = " + piece(value) for name, value in self.initial.items()]
        lines += [
            "[run]",
            "method = " + quoted(self.method),
            "step = " + piece(self.step),
            "steps = %d" % self.steps,
        ]
        return "\n".join(lines) + "\n"

    def more_options(self):
        return self.options + (["--project-start"] if self.project else [])


def sum_of(terms):
    return " + ".join(terms) if terms else "0"


def quoted(text):
    """A text of TOML in one of its two ways of quoting, chosen by the text."""
    if "'" not in text and len(text) % 3 == 0:
        return "'" + text + "'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def piece(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(piece, value)) + "]"
    if isinstance(value, (int, float)):
        return repr(value)
    return quoted(value) if not is_number(value) else value


def is_number(text):
    """Whether TOML reads the text as a number too; a point must have digits on either side there."""
    try:
        float(text)
    except ValueError:
        return False
    return text[0] in "+-0123456789" and not text.lstrip("+-").startswith("0") or text.startswith("0.")

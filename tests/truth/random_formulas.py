"""Random texts of formulas."""
from formula import FUNCTIONS


class Formulas:
    """Random texts of formulas of some names. Any text of the grammar will do, so operators stand as they
    fall.
    """

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
        return self.chance.choice(
            ["2", "3", "0.5", ".25", "1.5e-1", "3.", "1E+0", "0.1", "7/3", "pi", "1e-3", "12"]
        )

    def joined(self, depth):
        sign = self.chance.choice(["+", "-", "*", "/", " + ", " - ", "*", " * ", "*-", "- -", "/ ", "+-"])
        return self.wrapped(self.any(depth - 1)) + sign + self.wrapped(self.any(depth - 1))

    def wrapped(self, text):
        return "(" + text + ")" if self.chance.random() < 0.6 else text

    def power(self, depth):
        base = self.any(depth - 1)
        exponent = self.chance.choice(
            [
                "2",
                "2",
                "3",
                "4",
                "-1",
                "-2",
                "0.5",
                "(1/2)",
                "1.5",
                "2^1",
                "(-0.5)",
                "1",
                "0",
                "5",
                "(2-1/3)",
                self.leaf(),
            ]
        )
        return "(" + base + ")^" + exponent if self.chance.random() < 0.8 else base + "^" + exponent

    def call(self, depth):
        name = self.chance.choice(list(FUNCTIONS))
        arguments = [self.any(depth - 1) for _ in range(FUNCTIONS[name])]
        text = name + "(" + ", ".join(arguments) + ")"
        return self.chance.choice(["", "", "0.3*", "-", "2*"]) + text

"""Prints the model of a freely jointed chain of N beads in space, as ManifoldSampler's example has it: chain.py N > chain.toml.

It starts bent, with directions of its rods drawn at random: a straight chain takes long to forget that it was straight."""

import math
import random
import sys

n = int(sys.argv[1])
names = [f"{a}{i}" for i in range(1, n) for a in "xyz"]
print(f'title = "A chain of {n} beads"\n[system]\ncoordinates = {names!r}\nmass = 1.0\npotential = "0"'.replace("'", '"'))
print("constraints = [")
for i in range(1, n):
    ends = [(f"{a}{i}" if i == 1 else f"({a}{i} - {a}{i - 1})") for a in "xyz"]
    print('  "(' + " + ".join(f"{e}^2" for e in ends) + ' - 1)/2",')
print("]\n[initial]")
random.seed(1)
end = [0.0, 0.0, 0.0]
for i in range(1, n):
    rod = [random.gauss(0, 1) for _ in "xyz"]
    end = [at + a / math.hypot(*rod) for at, a in zip(end, rod)]
    print("".join(f"{name}{i} = {at!r}\n" for name, at in zip("xyz", end)), end="")
print('[quantities]\n' + f'end_squared = "x{n - 1}^2 + y{n - 1}^2 + z{n - 1}^2"')
print('[sampling]\ndensity = "0"\nmeasure = "surface"')

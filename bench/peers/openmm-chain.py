# A peer of bench/particles.cpp: a chain of rigid rods without forces in OpenMM (Debian's package python3-simtk), on its reference platform (double precision).
#   /usr/bin/python3 bench/peers/openmm-chain.py [RODS [TOLERANCE [STEPS]]]
# Prints the time of a step, moves included, and the largest relative error of a length at the end.
import math
import random
import sys
import time

import openmm as mm
from openmm import unit

rods = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
tolerance = float(sys.argv[2]) if len(sys.argv) > 2 else 1e-12
steps = int(sys.argv[3]) if len(sys.argv) > 3 else 200
length = 0.15  # nm

# A freely jointed chain: directions at random.
random.seed(1)
positions = [(0.0, 0.0, 0.0)]
for _ in range(rods):
    z, phi = random.uniform(-1, 1), random.uniform(0, 2 * math.pi)
    s = math.sqrt(1 - z * z)
    x = positions[-1]
    positions.append((x[0] + length * s * math.cos(phi), x[1] + length * s * math.sin(phi), x[2] + length * z))

system = mm.System()
for _ in positions:
    system.addParticle(14.0)
for i in range(rods):
    system.addConstraint(i, i + 1, length)
integrator = mm.VerletIntegrator(0.002)  # ps
integrator.setConstraintTolerance(tolerance)
context = mm.Context(system, integrator, mm.Platform.getPlatformByName("Reference"))
context.setPositions(positions)
context.setVelocitiesToTemperature(300, 1)
integrator.step(10)
began = time.process_time()
integrator.step(steps)
each = (time.process_time() - began) / steps
end = context.getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(unit.nanometer)
error = max(abs(math.dist(end[i], end[i + 1]) / length - 1) for i in range(rods))
print(f"OpenMM {mm.version.short_version}, {rods} rods, tolerance {tolerance:g}: {each * 1e6:.0f} us a step, lengths to {error:.1e}")

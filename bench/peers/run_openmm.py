#!/usr/bin/python3
# A peer of bench/particles.cpp: OpenMM on its reference platform, which computes in double precision (Debian's package python3-simtk).
#   bench/peers/run_openmm.py [chain|waters [COUNT [STEPS]]]
# Prints the time of a step, moves included, and the largest relative error of a length at the end. Waters it solves by SETTLE, whatever the tolerance.
import sys
import time

import systems

try:
    import openmm as mm
    from openmm import unit
except ImportError:
    sys.exit("OpenMM is not here: apt-get install python3-simtk, and call this file by Debian's /usr/bin/python3")


def run(system, count, steps, tolerance):
    x, masses, rods = getattr(systems, system)(count)
    model = mm.System()
    for mass in masses:
        model.addParticle(mass)
    for i, j, length in rods:
        model.addConstraint(i, j, length)
    integrator = mm.VerletIntegrator(systems.STEP)
    integrator.setConstraintTolerance(tolerance)
    context = mm.Context(model, integrator, mm.Platform.getPlatformByName("Reference"))
    context.setPositions(x)
    context.setVelocitiesToTemperature(systems.TEMPERATURE, 1)
    integrator.step(10)
    began = time.process_time()
    integrator.step(steps)
    microseconds = 1e6 * (time.process_time() - began) / steps
    end = context.getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(unit.nanometer)
    error = systems.largest_error(end, rods)
    systems.report(f"OpenMM {mm.version.short_version}", system, count, f"tolerance {tolerance:g}", microseconds, error)


def main():
    wanted = sys.argv[1:2] or ["chain", "waters"]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    for system in wanted:
        for tolerance in (1e-5, 1e-12):
            run(system, count, steps, tolerance)


main()

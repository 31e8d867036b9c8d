#!/usr/bin/python3
# A peer of bench/particles.cpp: GROMACS in double precision (gmx_d of Debian's package gromacs), one thread.
#   bench/peers/run_gromacs.py [chain|waters [COUNT [STEPS]]]
# Prints the time of `Constraints` in its own accounting, which is a position solve with its correction of the velocities, and the largest
# relative error of a length in the last frame.
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import systems

MDP = """integrator = md
nsteps = {steps}
dt = {step}
nstxout = {steps}
nstlog = 0
nstenergy = 0
nstcalcenergy = 100
cutoff-scheme = Verlet
verlet-buffer-tolerance = -1
nstlist = 100
rlist = 0.3
rvdw = 0.3
rcoulomb = 0.3
coulombtype = Cut-off
pbc = xyz
comm-mode = None
gen-vel = yes
gen-temp = {temperature}
gen-seed = 1
{how}
"""
HEAD = "[ defaults ]\n1 1 no\n[ atomtypes ]\nB 14.0 0 A 0 0\nO 15.999 0 A 0 0\nH 1.008 0 A 0 0\n"
METHODS = {
    "chain": {
        "LINCS, defaults": "constraint-algorithm = lincs",
        "SHAKE 1e-4": "constraint-algorithm = shake\nshake-tol = 1e-4",
        "SHAKE 1e-12": "constraint-algorithm = shake\nshake-tol = 1e-12",
    },
    "waters": {"SETTLE": ""},
}


def topology(system, count):
    if system == "chain":
        atoms = "".join(f"{i + 1} B 1 M B 1 0 {systems.BOND_MASS}\n" for i in range(count + 1))
        rods = "".join(f"{i + 1} {i + 2} 1 {systems.BOND}\n" for i in range(count))
        body = f"[ moleculetype ]\nM 1\n[ atoms ]\n{atoms}[ constraints ]\n{rods}"
        return f"{HEAD}{body}[ system ]\nchain\n[ molecules ]\nM 1\n"
    atoms = "1 O 1 W O 1 0 15.999\n2 H 1 W H1 1 0 1.008\n3 H 1 W H2 1 0 1.008\n"
    rest = f"[ settles ]\n1 1 {systems.OH!r} {systems.HH!r}\n[ exclusions ]\n1 2 3\n2 1 3\n3 1 2\n"
    return f"{HEAD}[ moleculetype ]\nW 2\n[ atoms ]\n{atoms}{rest}[ system ]\nwaters\n[ molecules ]\nW {count}\n"


def coordinates(x):
    lines = [f"{1:5d}{'M':<5}{'A':>5}{(i + 1) % 100000:5d}" + "".join(f"{c:20.15f}" for c in p) for i, p in enumerate(x)]
    box = " ".join([f"{systems.box_of(x):.5f}"] * 3)
    return f"peers\n{len(x)}\n" + "\n".join(lines) + f"\n{box}\n"


# The positions of the last frame of a trajectory in double precision: XDR, that is big-endian, behind a header of sizes.
def last_frame(path):
    data, at, x = open(path, "rb").read(), 0, None
    while at < len(data):
        magic, _, length = struct.unpack_from(">3i", data, at)
        assert magic == 1993
        at += 12 + (length + 3) // 4 * 4
        sizes = struct.unpack_from(">13i", data, at)
        box, virial, pressure, positions, velocities, forces, atoms = sizes[2], sizes[3], sizes[4], *sizes[7:11]
        at += 52 + 16  # time and lambda in double precision
        at += box + virial + pressure
        if positions:
            flat = struct.unpack_from(f">{3 * atoms}d", data, at)
            x = [flat[3 * i : 3 * i + 3] for i in range(atoms)]
        at += positions + velocities + forces
    return x


# Molecules that the periodic box has cut are put together: all rods are far shorter than it.
def whole(x, rods, box):
    x = [list(p) for p in x]
    for i, j, _ in rods:
        for a in range(3):
            x[j][a] -= box * round((x[j][a] - x[i][a]) / box)
    return x


def run(system, count, steps, name, how):
    x, _, rods = getattr(systems, system)(count)
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "grompp.mdp": MDP.format(steps=steps, step=systems.STEP, temperature=systems.TEMPERATURE, how=how),
            "topol.top": topology(system, count),
            "conf.gro": coordinates(x),
        }
        for file, text in files.items():
            with open(os.path.join(folder, file), "w") as out:
                out.write(text)
        for command in (["gmx_d", "grompp", "-maxwarn", "9"], ["gmx_d", "mdrun", "-ntmpi", "1", "-ntomp", "1"]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                print(f"GROMACS, {system} of {count}, {name}: failed\n{done.stderr[-800:]}")
                return
        log = open(os.path.join(folder, "md.log")).read()
        row = re.search(r"^ Constraints +\d+ +\d+ +(\d+) +([\d.]+)", log, re.M)
        version = re.search(r"GROMACS - gmx mdrun, ([\d.]+)", log)
        end = whole(last_frame(os.path.join(folder, "traj.trr")), rods, systems.box_of(x))
    microseconds = 1e6 * float(row[2]) / int(row[1])
    error = systems.largest_error(end, rods)
    systems.report(f"GROMACS {version[1] if version else ''}", system, count, name, microseconds, error)


def main():
    if not shutil.which("gmx_d"):
        sys.exit("gmx_d is not here: apt-get install gromacs")
    wanted = sys.argv[1:2] or ["chain", "waters"]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    for system in wanted:
        for name, how in METHODS[system].items():
            run(system, count, steps, name, how)


main()

#!/usr/bin/python3
# A peer of bench/particles.cpp: LAMMPS (lmp of Debian's package lammps), one process.
#   bench/peers/run_lammps.py [chain|waters [COUNT [STEPS]]]
# Prints the time of `Modify` in its own accounting, which is the constraint solve and the moves, and the largest relative error of a length at
# the end. Its `fix shake` and `fix rattle` take clusters of up to four atoms and refuse a chain; `fix ilves`, where this lmp has it, does not.
import os
import re
import shutil
import subprocess
import sys
import tempfile

import systems

# LAMMPS counts in angstrom and femtoseconds.
SCRIPT = """units real
atom_style full
newton on off
pair_style zero 3.0 nocoeff
bond_style zero
angle_style zero
special_bonds lj 1 1 1 coul 1 1 1
comm_modify cutoff 6.0
read_data data
pair_coeff * *
bond_coeff 1 {bond!r}
{angle}
velocity all create {temperature} 4711
fix move all nve
fix solve all {how}
timestep {step}
thermo {steps}
neigh_modify every 100 delay 0 check yes
run {steps}
write_dump all custom end id xu yu zu modify sort id format float %.17g
"""
METHODS = {
    "chain": {"shake 1e-12": "shake 1e-12 1000 0 b 1", "ilves 1e-12": "ilves 1e-12 100 0 b 1"},
    "waters": {
        "shake 1e-4": "shake 1e-4 1000 0 b 1 a 1",
        "shake 1e-12": "shake 1e-12 1000 0 b 1 a 1",
        "rattle 1e-12": "rattle 1e-12 1000 0 b 1 a 1",
    },
}


def data(system, count):
    x, masses, rods = getattr(systems, system)(count)
    water = system == "waters"
    bonds = [rod[:2] for rod in rods if rod[2] != systems.HH]
    angles = [(3 * k + 1, 3 * k, 3 * k + 2) for k in range(count)] if water else []
    box = 10 * systems.box_of(x)
    text = f"peers\n\n{len(x)} atoms\n{len(bonds)} bonds\n{len(angles)} angles\n"
    text += f"{2 if water else 1} atom types\n1 bond types\n{1 if water else 0} angle types\n"
    text += "2 extra bond per atom\n2 extra angle per atom\n8 extra special per atom\n"
    text += "".join(f"0 {box} {a}lo {a}hi\n" for a in "xyz")
    text += "\nMasses\n\n" + "".join(f"{t + 1} {m}\n" for t, m in enumerate(masses[: 2 if water else 1]))
    text += "\nAtoms # full\n\n"
    for i, p in enumerate(x):
        kind = 2 if water and i % 3 else 1
        text += f"{i + 1} {i // 3 + 1 if water else 1} {kind} 0 " + " ".join(f"{10 * c:.15f}" for c in p) + "\n"
    text += "\nBonds\n\n" + "".join(f"{k + 1} 1 {i + 1} {j + 1}\n" for k, (i, j) in enumerate(bonds))
    if water:
        text += "\nAngles\n\n" + "".join(f"{k + 1} 1 {a + 1} {b + 1} {c + 1}\n" for k, (a, b, c) in enumerate(angles))
    return text, rods


def run(system, count, steps, name, how):
    text, rods = data(system, count)
    water = system == "waters"
    script = SCRIPT.format(
        bond=10 * (systems.OH if water else systems.BOND),
        angle="angle_coeff 1 104.52" if water else "",
        temperature=systems.TEMPERATURE,
        step=1000 * systems.STEP,
        steps=steps,
        how=how,
    )
    with tempfile.TemporaryDirectory() as folder:
        for file, content in {"data": text, "in": script}.items():
            with open(os.path.join(folder, file), "w") as out:
                out.write(content)
        lmp = subprocess.run(["lmp", "-in", "in", "-log", "log"], cwd=folder, capture_output=True, text=True)
        if lmp.returncode != 0:
            why = re.search(r"ERROR.*", lmp.stdout + lmp.stderr)
            print(f"LAMMPS, {system} of {count}, {name}: {why[0] if why else 'failed'}")
            return
        log = open(os.path.join(folder, "log")).read()
        lines = open(os.path.join(folder, "end")).read().split("ITEM: ATOMS id xu yu zu\n")[1].splitlines()
    end = [tuple(float(c) / 10 for c in line.split()[1:]) for line in lines]
    seconds = float(re.search(r"^Modify +\| +([\d.eE+-]+)", log, re.M)[1])
    version = re.search(r"LAMMPS \((.*?)\)", log)
    error = systems.largest_error(end, rods)
    systems.report(f"LAMMPS {version[1] if version else ''}", system, count, name, 1e6 * seconds / steps, error)


def main():
    if not shutil.which("lmp"):
        sys.exit("lmp is not here: apt-get install lammps")
    wanted = sys.argv[1:2] or ["chain", "waters"]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    for system in wanted:
        for name, how in METHODS[system].items():
            run(system, count, steps, name, how)


main()

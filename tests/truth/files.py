"""A model whose particles come from a file of known content, against the oracle, which is given the content
itself.
"""
import compare
import foreign
from arithmetic import NoValue
from model import piece, quoted
from newton import NoSolution
from oracle import Oracle
from particle_model import Table
from particle_system import ParticleSystem

FIELD = Table("field", {"potential": "0.1*x + 0.2*sin(y) - m*z/20"})


def tables_of(chance, content):
    """Terms from what the file joins; rods only with velocities that turn all of it as one body."""
    tables, rigid = [FIELD], False
    if content.bonds:
        one = str(content.bonds[0][0])
        which = chance.choice([{}, {"type": one}, {"type": ["1", "2"]}]) if content.bonds[0][0] else {}
        rigid = chance.random() < 0.5
        more = {} if rigid else {"stiffness": "2", **({"length": "1"} if chance.random() < 0.5 else {})}
        tables.append(Table("rods" if rigid else "springs", {"from": "bonds", **which, **more}))
    if content.angles:
        tables.append(
            Table(
                *chance.choice(
                    [
                        ("bends", {"from": "angles", "stiffness": "1.5"}),
                        ("bends", {"from": "angles", "potential": "costheta/3"}),
                        ("springs", {"from": "angles", "stiffness": "0.5", "length": "2"}),
                    ]
                )
            )
        )
    if content.dihedrals:
        tables.append(Table("torsions", {"from": "dihedrals", "potential": "0.2*sin(phi)"}))
    pairs = {"potential": "0.3/r", "cutoff": "3.3"}
    if content.species and chance.random() < 0.5:
        pairs["species"] = chance.choice([content.species[0], sorted(set(content.species[:3]))])
    tables.append(Table("pairs", pairs))
    return tables, rigid


def text_of(chance, content, name, keys, tables, rigid):
    lines = ["[particles]", "file = " + quoted(name)] + [
        key + " = " + piece(value) for key, value in keys.items()
    ]
    if rigid or (content.velocity is None and chance.random() < 0.5):
        lines.append('velocity = ["0.1 - 0.2*y", "0.2*x", "0.3"]')
    lines += [table.text() for table in tables]
    return "\n".join(lines + ["[run]", "method = 'rattle'", "step = 0.01", "steps = 1", ""])


def check(number, program, backends):
    chance, form, content, file, name, keys = foreign.file_of(number)
    tables, rigid = tables_of(chance, content)
    text = text_of(chance, content, name, keys, tables, rigid)
    program.file(file, name)
    shown = {"model.toml": text, name: file}
    try:
        system = lambda text, kind, noise=None: ParticleSystem(text, kind, noise, content.data())
        oracle = Oracle(text, system)
        expected = oracle.answer("rattle", 0.01, 1, *oracle.start())
    except (NoValue, NoSolution) as error:
        return compare.Outcome("lost", str(error)), {}
    status, found, said = program.run(text, "--backend", "interpret")
    if status or found is None:
        kind = "stopped" if status == 1 and found is not None else "refused"
        return compare.Outcome(kind, "%s: exit %d, %s" % (form, status, said[:500])), shown
    difference, worst, worthless = compare.judge(expected, found, form)
    if difference:
        return compare.Outcome("differ", difference.sentence()), shown
    return compare.Outcome("worthless" if worthless else "agree", worst=worst), {}

"""Random kinetic energies, in all ways in which a model may have them."""


def energies(made, chance, kind, potential, formulas):
    masses = [chance.choice(["1", "2.5", "0.4", "1/3", "1e0", "pi"]) for _ in made.coordinates]
    if kind in ("diagonal", "split"):
        made.mass = chance.choice([masses, masses[0]])
    elif kind == "full":
        made.mass = full_mass(chance, masses)
    if kind == "split":
        made.potentials = {"potential_fast": potential(), "potential_slow": potential()}
    elif made.mass is not None:
        made.potentials = {"potential": potential()}
    else:
        kinetic = {"disguised": disguised, "curved": curved, "general": general}[kind]
        made.potentials = {"hamiltonian": kinetic(made, chance, formulas) + potential()}


def full_mass(chance, masses):
    size = len(masses)
    M = [[masses[i] if i == j else "0" for j in range(size)] for i in range(size)]
    for i in range(size):
        for j in range(i):
            M[i][j] = M[j][i] = chance.choice(["0", "0.1", "-0.05", "1/50", "0.02"])
    return M


def momenta(made):
    return ["p_" + name for name in made.coordinates]


def disguised(made, chance, _):
    """A constant positive definite form of the momenta, written in ways that do not show it."""
    forms = [
        "%s^2/2",
        "%s*%s/3",
        "0.5*(%s - 0)^2",
        "%s^2/(2*cos(0.3)^2)",
        "-(-%s^2)",
        "(%s + 1)^2/2 - %s - 0.5",
    ]
    terms = []
    for p in momenta(made):
        form = chance.choice(forms)
        terms.append(form.replace("%s", p))
    p = momenta(made)
    if len(p) > 1:
        terms.append("(%s - %s)^2/8" % (p[0], p[1]))
    return terms


def curved(made, chance, formulas):
    """Masses that depend on the coordinates."""
    terms = []
    for p in momenta(made):
        inner = formulas.any(chance.choice([0, 1, 2]))
        terms.append(
            chance.choice(
                ["%s^2/2*(1 + (%s)^2)", "%s^2/(2 + (%s)^2)", "%s^2*(2 + sin(%s))/4", "(%s/exp((%s)/4))^2/2"]
            )
            % (p, inner)
        )
    return terms


def general(made, chance, formulas):
    """Terms that are not quadratic in the momenta, terms that are linear in them, and magnetic fields."""
    terms = []
    for p in momenta(made):
        inner = formulas.any(chance.choice([0, 0, 1]))
        forms = [
            "sqrt(1 + %s^2)",
            "%s^2/2 + %s^4/20",
            "cosh(%s)",
            "(%s - 0.3*(" + inner + "))^2/2",
            "%s^2/2 + 0.2*%s*(" + inner + ")",
            "%s^2/2 + 0.1*abs(%s)",
            "%s^2/2 + 0.1*cos(%s - (" + inner + "))",
            "%s^2/2 + 0.05*abs(%s)^3",
            "%s^2/2",
            "abs(%s)^2/2",
            "sqrt(%s^4)/2",
            "sqrt(%s^2)*abs(%s)/3",
        ]
        terms.append(chance.choice(forms).replace("%s", p))
    return terms

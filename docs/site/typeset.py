"""Turns the formulas of the theory pages, which are written in Unicode, into TeX for the site.

The pages keep their plain formulas, which read well in an editor. On the site the column `equation` of their tables, and
indented formulas, are typeset. What is prose in a cell stays prose."""
import re
import unicodedata

SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₗₘₙₚₛₜₓ", "0123456789+-ijklmnpstx"))
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀʲᵏⁱⁿʳᵛˢᵖ", "0123456789+-()Tjkinrvsp"))
MARKS = {"\u0304": r"\bar", "\u0302": r"\hat", "\u0303": r"\tilde", "\u0307": r"\dot"}
UNEQUAL = "\ue000"  # Stands for the sign, which would fall apart with the letters that carry marks.
SYMBOLS = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta",
    "θ": r"\theta", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma",
    "τ": r"\tau", "φ": r"\varphi", "ψ": r"\psi", "ω": r"\omega", "χ": r"\chi", "κ": r"\kappa", "Δ": r"\Delta",
    "Λ": r"\Lambda", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "Γ": r"\Gamma", "∇": r"\nabla", "∂": r"\partial",
    "Σ": r"\sum", "Π": r"\prod", "∏": r"\prod", "∫": r"\int", "∧": r"\wedge", "·": r"\cdot", "≤": r"\le", "≥": r"\ge",
    UNEQUAL: r"\ne", "←": r"\leftarrow", "→": r"\to", "↦": r"\mapsto", "…": r"\ldots", "√": r"\surd", "∞": r"\infty",
    "‖": r"\Vert", "|": r"\vert", "ℓ": r"\ell", "±": r"\pm", "×": r"\times", "∈": r"\in", "≈": r"\approx", "∘": r"\circ",
    "½": r"\tfrac12", "¼": r"\tfrac14", "⟨": r"\langle", "⟩": r"\rangle", "~": r"\sim", "−": "-", "*": r"\cdot ",
    "#": r"\#", "%": r"\%", "&": r"\&", "ᐟ": "/"}
FUNCTIONS = {"exp", "sin", "cos", "tan", "log", "min", "max", "det", "rank", "sign", "diag"}
PIECE = re.compile(r"`[^`]*`|\[[^]]*\]\([^)]*\)|\$[^$]*\$|\*\*[^*]*\*\*")
WORD = re.compile(r"(?<![_^A-Za-z])[A-Za-z]+[a-z](?:-[A-Za-z]+)*\b(?![_^(\u0302-\u0304'])")


def is_prose(word):
    return word not in FUNCTIONS and not re.fullmatch(r"d[A-Za-z]", word)


def tex(text):
    """TeX for a formula without prose."""
    out, i = [], 0
    text = unicodedata.normalize("NFD", text.replace(r"\|\|", "‖").replace(r"\|", "|").replace("≠", UNEQUAL))

    def script(table, sign):
        nonlocal i
        end = i
        while end < len(text) and text[end] in table:
            end += 1
        inside, i = "".join(table[c] for c in text[i:end]), end
        return f"{sign}{{{inside}}}"

    while i < len(text):
        c = text[i]
        if c in "_^" and i + 1 < len(text):
            inside = re.match(r"\{([^{}]*)\}|([A-Za-z]),([ij])\b|([A-Za-z]+)|([0-9]+[a-z]?)|\(([^()]*)\)", text[i + 1:])
            if inside:
                i += 1 + inside.end()
                if inside[3]:
                    body = f"{inside[2]},{inside[3]}"
                elif inside[4] and len(inside[4]) > 1:
                    body = rf"\mathrm{{{inside[4]}}}" if len(inside[4]) > 2 else inside[4]
                else:
                    body = tex(next(g for g in (inside[1], inside[4], inside[5], inside[6]) if g is not None))
                rest = re.match(r",?([₀-₉ᵢⱼₖₗₛ])", text[i:]) if c == "_" else None
                if rest:  # r_g,ᵢ has two indices.
                    body, i = f"{body},{SUBSCRIPTS[rest[1]]}", i + rest.end()
                out.append(f"{c}{{{body}}}")
                continue
            out.append("\\" + c if c == "_" else r"\hat{}")
        elif c in SUBSCRIPTS:
            out.append(script(SUBSCRIPTS, "_"))
            continue
        elif c in SUPERSCRIPTS:
            primes = out.pop() if out and out[-1] == "'" else ""
            out.append(script(SUPERSCRIPTS, "^").replace("{", "{" + r"\prime" * len(primes), 1))
            continue
        elif c in MARKS and out:
            out.append(f"{MARKS[c]}{{{out.pop().strip()}}}")
        elif c == "½" and i and (text[i - 1].isalpha() or text[i - 1] in MARKS):
            out.append("_{1/2}")
        elif c in "{}":
            out.append("\\" + c)
        elif c.isalpha() and c.isascii():
            word = re.match(r"[A-Za-z]+", text[i:])[0]
            if word in FUNCTIONS:
                out.append(rf"\operatorname{{{word}}}")
                i += len(word)
                continue
            if len(word) > 3:
                out.append(rf"\mathrm{{{word}}}")
                i += len(word)
                continue
            out.append(c)
        elif c in SYMBOLS:
            out.append(SYMBOLS[c] + (" " if SYMBOLS[c][-1].isalpha() else ""))
        else:
            out.append(c)
        i += 1
    return "".join(out).strip()


def words_and_formulas(text):
    """Cuts a cell into (is a formula, text)."""
    at = 0
    for found in PIECE.finditer(text):
        yield from plain(text[at:found.start()])
        yield False, found[0]
        at = found.end()
    yield from plain(text[at:])


def plain(text):
    at = 0
    for word in WORD.finditer(text):
        if is_prose(word[0]):
            yield True, text[at:word.start()]
            yield False, word[0]
            at = word.end()
    yield True, text[at:]


LABELS = re.compile(r"(\(\s*[A-Z]{1,3}\d+[a-z]?\s*\)(?:\s*[-,]\s*)?)+")


def cell(text):
    """A cell of the column `equation`; mostly prose is left alone."""
    parts = list(words_and_formulas(text))
    prose = sum(len(part) for is_formula, part in parts if not is_formula and part.isascii() and "](" not in part)
    if prose > 0.35 * len(text):
        return text
    out = []
    for is_formula, part in parts:
        body = part.strip()
        if not is_formula or not body or LABELS.fullmatch(body) or re.fullmatch(r"a|[\s.,:;()-]*", body):
            out.append(part)
            continue
        lead = re.match(r"^[\s,:;]*", part)[0]
        tail = re.search(r"[\s,:;]*$", part)[0]
        core = part[len(lead):len(part) - len(tail)]
        out.append(f"{lead}${tex(core)}${tail}" if core else part)
    return "".join(out)


def cells(row):
    return re.split(r"(?<!\\)\|", row.strip())[1:-1]


def page(text):
    """A theory page with its formulas typeset."""
    lines, column, fence, out = text.split("\n"), None, False, []
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            fence = not fence
        if fence:
            out.append(line)
        elif line.startswith("|"):
            row = cells(line)
            names = [c.strip() for c in row]
            if "equation" in names:
                column = names.index("equation")
            elif column is not None and len(row) > column and not re.fullmatch(r"[-: ]*", row[column]):
                row[column] = " " + cell(row[column].strip()) + " "
                line = "|" + "|".join(row) + "|"
            out.append(line)
        elif line.startswith("    ") and (i == 0 or not lines[i - 1].strip()):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            block = [body for body in lines[i:end] if body.strip()]
            if all(is_equation(body) for body in block):
                out.append("$$")
                for k, body in enumerate(block):
                    out.append(r"\quad ".join(tex(part) for part in re.split(r"\s{3,}", body.strip())) +
                               (r" \\" if k + 1 < len(block) else ""))
                out += ["$$", ""]
            else:
                out += lines[i:end]
            i = end
            continue
        else:
            if line.strip():
                column = None
            out.append(line)
        i += 1
    return "\n".join(out)


def is_equation(text):
    prose = [w for w in WORD.findall(text) if is_prose(w)]
    return "=" in text and not prose and not text.lstrip().startswith(("$", "./", "Code")) and "`" not in text

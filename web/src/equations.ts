// The equations of the model, typeset by the browser from MathML: as the author wrote them, a Hamiltonian, a
// Lagrangian, or energies.
import katex from "katex";
import { make } from "./dom.ts";
import type { Description, Latex } from "./module.ts";

const longest = 10000;  // characters of LaTeX that are typeset
const most = 6;        // constraints, definitions and forces that are shown of each

// A thin space does not part names of several letters: a dot does.
const name = String.raw`\{?\\mathrm\{[^}]*\}(?:_\{[^}]*\})?\}?(?:\^\{[^}]*\})?`;
const before = new RegExp(String.raw`(${name}) \\, `, "g"), after = new RegExp(String.raw` \\, (?=${name})`, "g");
function parted(latex: string): string { return latex.replace(before, "$1 \\cdot ").replace(after, " \\cdot "); }

function formula(latex: string): HTMLElement {
  const place = make("div", { class: "formula" });
  if (latex.length > longest) {
    place.textContent = "a formula too long to typeset";
    return place;
  }
  try {
    katex.render(parted(latex), place, { output: "mathml", displayMode: true, throwOnError: true, trust: false, maxExpand: 200, maxSize: 20 });
  } catch {
    place.textContent = latex;
  }
  return place;
}

function mechanics({ hamiltonian, lagrangian, kinetic, mass, potential }: Latex): string[] {
  if (hamiltonian !== undefined) return [`H = ${hamiltonian}`];
  if (lagrangian !== undefined) return [`L = ${lagrangian}`];
  const first = kinetic !== undefined ? [`T = ${kinetic}`] : mass !== undefined ? [`M = ${mass}`] : [];
  return potential === undefined ? first : [...first, `V = ${potential}`];
}

function some(formulas: string[], what: string): HTMLElement[] {
  const left = formulas.length - most;
  return [...formulas.slice(0, most).map(formula), ...(left > 0 ? [make("p", { class: "note" }, `and ${left} more ${what}${left === 1 ? "" : "s"}`)] : [])];
}

export function equations({ latex, coordinates, constraint_count }: Description): HTMLElement[] {
  if (latex === undefined) return [make("p", { class: "note" }, `A system of particles: ${coordinates.length} coordinates, ${constraint_count} constraints.`)];
  const definitions = some(latex.definitions.map(({ name, formula }) => `${name} = ${formula}`), "definition");
  return [
    ...mechanics(latex).map(formula), ...some(latex.constraints.map(g => `0 = ${g}`), "constraint"),
    ...(definitions.length > 0 ? [make("p", { class: "note" }, "where"), ...definitions] : []),
    ...some(latex.forces.map(({ on, formula }) => `F_{${on}} = ${formula}`), "force"),
  ];
}

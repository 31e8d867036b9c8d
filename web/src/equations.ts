// The equations of the model, typeset by the browser from MathML.
import katex from "katex";
import { make } from "./dom.ts";
import type { Description } from "./module.ts";

const longest = 4000;  // characters of LaTeX that are typeset

function formula(latex: string): HTMLElement {
  const place = make("div", { class: "formula" });
  if (latex.length > longest) {
    place.textContent = "a formula too long to typeset";
    return place;
  }
  try {
    katex.render(latex, place, { output: "mathml", displayMode: true, throwOnError: true, trust: false, maxExpand: 200, maxSize: 20 });
  } catch {
    place.textContent = latex;
  }
  return place;
}

export function equations(about: Description): HTMLElement[] {
  if (about.latex === undefined) return [make("p", { class: "note" }, `A system of particles: ${about.coordinates.length} coordinates, ${about.constraint_count} constraints.`)];
  const all = [formula(`H = ${about.latex.hamiltonian}`)];
  const shown = about.latex.constraints.slice(0, 6);
  for (const g of shown) all.push(formula(`0 = ${g}`));
  const left = about.latex.constraints.length - shown.length;
  if (left > 0) all.push(make("p", { class: "note" }, `and ${left} more constraint${left === 1 ? "" : "s"}`));
  return all;
}

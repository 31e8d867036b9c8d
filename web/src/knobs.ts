// A slider and a field for every parameter and every start value of the model.
import { make } from "./dom.ts";
import type { Description } from "./module.ts";

const most = 40;  // start values of a large system have no sliders

// The range of a slider around the value that the model has: to zero and to twice the value, or from -1 to 1.
function range(value: number, isParameter: boolean): [number, number] {
  if (value === 0) return [-1, 1];
  if (isParameter) return value > 0 ? [0, 2 * value] : [2 * value, 0];
  const wide = Math.max(1, 2 * Math.abs(value));
  return [-wide, wide];
}

export class Knobs {
  private key = "";
  private readonly rows = new Map<string, { slider: HTMLInputElement; field: HTMLInputElement }>();

  constructor(private readonly parameters: HTMLElement, private readonly starts: HTMLElement, private readonly onSet: (name: string, value: number) => void) {}

  show(about: Description, state: { q: ArrayLike<number>; p: ArrayLike<number> }) {
    const parameters = about.parameters ?? {}, startNames = [...about.coordinates, ...about.momenta], startValues = [...Array.from(state.q), ...Array.from(state.p)];
    const key = JSON.stringify([about.text, Object.keys(parameters), about.coordinates.length <= most / 2 ? startNames : startNames.length]);
    const entries: [string, number, boolean][] = Object.entries(parameters).map(([name, value]) => [name, value, true]);
    const sliders = startNames.length <= most;
    if (sliders) startNames.forEach((name, k) => entries.push([name, startValues[k], false]));
    if (key !== this.key) {
      this.key = key;
      this.rows.clear();
      this.parameters.replaceChildren(...Object.keys(parameters).map(name => this.row(name, parameters[name], true)));
      if (Object.keys(parameters).length === 0) this.parameters.replaceChildren(make("p", { class: "note" }, "The model has no parameters."));
      this.starts.replaceChildren(...(sliders ? startNames.map((name, k) => this.row(name, startValues[k], false)) : [make("p", { class: "note" }, `${about.coordinates.length} coordinates: their start stands in the text.`)]));
    }
    for (const [name, value] of entries) {
      const row = this.rows.get(name);
      if (!row || document.activeElement === row.field) continue;
      if (document.activeElement !== row.slider) {
        if (value < Number(row.slider.min)) row.slider.min = String(2 * value);
        if (value > Number(row.slider.max)) row.slider.max = String(2 * value);
        row.slider.value = String(value);
      }
      row.field.value = String(Number(value.toPrecision(7)));
    }
  }

  private row(name: string, value: number, isParameter: boolean): HTMLElement {
    const [low, high] = range(value, isParameter), id = `knob-${name}`;
    const slider = make("input", { type: "range", min: low, max: high, step: "any", value, "aria-label": name });
    const field = make("input", { type: "text", inputmode: "decimal", id, value, size: 9, autocomplete: "off", spellcheck: "false" });
    slider.addEventListener("input", () => {
      field.value = String(Number(Number(slider.value).toPrecision(5)));
      this.onSet(name, Number(field.value));
    });
    field.addEventListener("change", () => {
      const x = Number(field.value.replace("−", "-"));
      if (field.value.trim() === "" || !Number.isFinite(x)) { field.setCustomValidity("a number"); field.reportValidity(); return; }
      field.setCustomValidity("");
      this.onSet(name, x);
    });
    this.rows.set(name, { slider, field });
    return make("div", { class: "knob" }, make("label", { for: id }, name), slider, field);
  }
}

// The methods beside the mechanism: a choice, and what each has kept.
import { colour, make, shown } from "./dom.ts";
import type { Frame, OpenAnswer } from "./protocol.ts";

const mostMethods = 4;

export class MethodRows {
  constructor(private readonly place: HTMLElement, private readonly choose: (methods: string[]) => void) {}

  show({ about, lanes, cost }: OpenAnswer) {
    const choices = [...about.methods, ...(about.methods.includes("rk4") ? [] : ["rk4"])], methods = lanes.map(lane => lane.method);
    const rows = lanes.map((lane, k) => {
      const select = make("select", { "aria-label": `method ${k + 1}` }, ...[...new Set([lane.method, ...choices])].map(m => make("option", { value: m, ...(m === lane.method ? { selected: true } : {}) }, m)));
      select.addEventListener("change", () => this.choose(methods.with(k, select.value)));
      const dot = make("i");
      dot.style.background = colour("c" + k);
      return make("div", { class: "live", "data-lane": k }, make("h4", {}, dot, select,
        ...(lanes.length > 1 ? [make("button", { type: "button", "aria-label": `take away ${lane.method}`, onclick: () => this.choose(methods.filter((_, i) => i !== k)) }, "×")] : [])),
        ...(cost ? [make("p", { class: "note" }, `step ${shown(lane.step, 4)}, for the same cost`)] : []),
        make("dl", {}, ...["H", "H − H₀", "max |g|", "max |G H_p|"].flatMap(label => [make("dt", {}, label), make("dd", {})])),
        make("p", { class: "warning", hidden: true }));
    });
    const more = () => this.choose([...methods, choices.find(m => !methods.includes(m)) ?? choices[0]]);
    this.place.replaceChildren(...rows, ...(lanes.length < mostMethods ? [make("button", { type: "button", id: "add-method", onclick: more }, "+ a method beside it")] : []));
  }

  take(frame: Frame) {
    frame.lanes.forEach((lane, k) => {
      const row = this.place.querySelector(`[data-lane="${k}"]`);
      if (!row) return;
      const values = row.querySelectorAll("dd"), texts = [shown(lane.energy, 9), shown(lane.error, 3), shown(lane.position, 3), shown(lane.momentum, 3)];
      values.forEach((dd, i) => { if (dd.textContent !== texts[i]) dd.textContent = texts[i]; });
      const warning = row.querySelector<HTMLElement>(".warning")!;
      warning.hidden = lane.failed === null;
      warning.textContent = lane.failed ?? "";
    });
  }
}

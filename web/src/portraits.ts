// What else of a run can be looked at: any quantity of the model, coordinate, momentum or multiplier over time, and the points where a
// Poincaré section is met.
import { choose, chosen, colour, make, onTheme, shown } from "./dom.ts";
import type { Panels } from "./link.ts";
import type { Description } from "./module.ts";
import { Course, CoursePlot } from "./plots.ts";
import type { Frame, LaneState, Section } from "./protocol.ts";

const most = 60;        // names in a list
const mostPoints = 20000;

export interface Column { name: string; of: (lane: LaneState) => number }

// What a state has, by its names: first what the model's author wants to see; of a large model the first coordinates.
export function columnsOf(about: Description, first: LaneState, most: number): Column[] {
  const indices = about.coordinates.slice(0, most).map((_, k) => k);
  return [
    ...Object.keys(about.quantities).map((name, k): Column => ({ name, of: lane => lane.quantities[k] })),
    ...indices.map((k): Column => ({ name: about.coordinates[k], of: lane => lane.q[k] })),
    ...indices.map((k): Column => ({ name: about.momenta[k], of: lane => lane.p[k] })),
    ...Array.from(first.lambda, (_, k): Column => ({ name: `λ${k + 1}`, of: lane => lane.lambda[k] })),
  ];
}

// One quantity over time, for each method.
export class QuantityPlot {
  private readonly chooser = make("select", { id: "quantity", "aria-label": "quantity over time" });
  private readonly course = new Course();
  private readonly plot = new CoursePlot("Over time", false, this.chooser);
  private of: (lane: LaneState) => number = () => NaN;
  private all: ((lane: LaneState) => number)[] = [];
  readonly element = this.plot.element;

  constructor() { this.chooser.addEventListener("change", () => this.clear()); }

  begin(about: Description, methods: string[], first: LaneState) {
    const columns = columnsOf(about, first, most), names = columns.map(column => column.name);
    if ([...this.chooser.options].map(o => o.text).join() !== names.join())
      this.chooser.replaceChildren(...names.map(name => make("option", { value: name }, name)));
    this.all = columns.map(column => column.of);
    this.methods = methods;
    this.clear();
  }
  get chosen(): string { return chosen(this.chooser); }
  set chosen(name: string) { choose(this.chooser, name); this.clear(); }
  private methods: string[] = [];
  private clear() {
    this.of = this.all[Math.max(0, this.chooser.selectedIndex)] ?? (() => NaN);
    this.course.begin(this.methods.length, 1);
    this.plot.begin(this.methods);
  }
  add(frame: Frame) {
    const live = frame.lanes.find(lane => lane.failed === null);
    if (!live) return;
    const value = (lane: LaneState) => {
      const x = this.of(lane);
      return lane.failed === null && Number.isFinite(x) ? x : null;
    };
    this.course.put(live.t, frame.lanes.map(lane => [value(lane)]));
    this.plot.show(this.course.t, this.course.values.map(lane => lane[0]));
  }
}

// The points where a coordinate or a momentum goes up through a value.
export class SectionPlot {
  private readonly through = make("select", { id: "section", "aria-label": "coordinate of the section" });
  private readonly level = make("input", { id: "section-level", type: "text", inputmode: "decimal", size: 5, value: "0", autocomplete: "off", "aria-label": "value of the section" });
  private readonly across = make("select", { "aria-label": "what is drawn to the right" });
  private readonly up = make("select", { "aria-label": "what is drawn upwards" });
  private readonly axes = make("div", { class: "controls", hidden: true }, this.across, " and ", this.up);
  private readonly canvas = make("canvas", { class: "phase", hidden: true, role: "img", "aria-label": "Poincaré section" });
  private readonly count = make("p", { class: "note", id: "section-count" });
  readonly element = make("div", { class: "panel" }, make("div", { class: "head" }, make("h3", {}, "Section"), make("label", {}, "where ", this.through, " goes up through ", this.level)),
    this.axes, this.canvas, this.count);
  private points: number[][][] = [];
  private names: string[] = [];
  private half = 0;

  constructor() {
    this.through.addEventListener("change", () => this.begun());
    this.level.addEventListener("change", () => {
      const wrong = this.level.value.trim() === "" || !Number.isFinite(Number(this.level.value));
      this.level.setCustomValidity(wrong ? "a number" : "");
      if (wrong) this.level.reportValidity(); else this.clear();
    });
    for (const select of [this.across, this.up]) select.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
  }

  // The place in the state that is looked at; null for none.
  private get coordinate(): number | null { return this.through.value === "" || this.through.selectedIndex < 1 ? null : Number(this.through.value); }
  get wanted(): Section | null { return this.coordinate === null ? null : { coordinate: this.coordinate, level: Number(this.level.value) }; }

  private begun() {
    // The next coordinate but one, where there is one, is not fixed by the section itself: a body in the plane
    // has two.
    const k = (this.coordinate ?? 0) % Math.max(1, this.half);
    this.across.selectedIndex = this.half > 1 ? (k + (this.half > 3 ? 2 : 1)) % this.half : 0;
    this.up.selectedIndex = this.half + this.across.selectedIndex;
    this.axes.hidden = this.canvas.hidden = this.coordinate === null;
    this.clear();
  }
  choose(name: string | null, how: { across?: string; up?: string; level?: number } = {}) {
    this.through.selectedIndex = 0;
    this.level.value = String(how.level ?? 0);
    if (name !== null) choose(this.through, name);
    this.begun();
    if (how.across !== undefined) choose(this.across, how.across);
    if (how.up !== undefined) choose(this.up, how.up);
    this.draw();
  }
  get choice(): Panels["section"] {
    return this.coordinate === null ? undefined : { through: chosen(this.through), level: Number(this.level.value), across: chosen(this.across), up: chosen(this.up) };
  }

  begin(coordinates: string[], momenta: string[], lanes: number) {
    const names = [...coordinates, ...momenta];
    if (names.join() !== this.names.join()) {
      this.names = names;
      this.half = coordinates.length;
      const options = () => names.map((name, k) => make("option", { value: k }, name));
      this.through.replaceChildren(make("option", { value: "" }, "–"), ...(coordinates.length <= most ? names.map((name, k) => make("option", { value: k }, name)) : []));
      if (coordinates.length <= most) { this.across.replaceChildren(...options()); this.up.replaceChildren(...options()); }
      this.up.selectedIndex = Math.min(names.length - 1, coordinates.length);
      this.axes.hidden = this.canvas.hidden = true;
    }
    this.points = Array.from({ length: lanes }, () => []);
    this.draw();
  }
  clear() { this.points = this.points.map(() => []); this.draw(); }
  add(frame: Frame) {
    let more = false;
    frame.crossings.forEach((states, k) => {
      for (let at = 0; at < states.length && this.points[k].length < mostPoints; at += 2 * this.half, more = true)
        this.points[k].push(Array.from(states.subarray(at, at + 2 * this.half)));
    });
    if (more) this.draw();
  }

  private draw() {
    const { canvas } = this, ratio = window.devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    const total = this.points.reduce((sum, list) => sum + list.length, 0);
    this.count.textContent = this.coordinate === null ? "Choose a coordinate, and let the mechanism run." : `${total} points, each between two steps by the cubic through four.`;
    if (!width || !height) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d")!, i = Math.max(0, this.across.selectedIndex), j = Math.max(0, this.up.selectedIndex);
    c.scale(ratio, ratio);
    const all = this.points.flat();
    if (all.length === 0) return;
    const range = (k: number) => {
      const low = all.reduce((x, s) => Math.min(x, s[k]), Infinity), high = all.reduce((x, s) => Math.max(x, s[k]), -Infinity), pad = (high - low) * 0.05 || 1;
      return [low - pad, high + pad];
    };
    const [x0, x1] = range(i), [y0, y1] = range(j);
    c.fillStyle = colour("soft"); c.font = "11px system-ui, sans-serif"; c.textAlign = "left";
    c.fillText(`${this.names[i]} from ${shown(x0, 3)} to ${shown(x1, 3)}, ${this.names[j]} from ${shown(y0, 3)} to ${shown(y1, 3)}`, 4, height - 4);
    this.points.forEach((list, k) => {
      c.fillStyle = colour("c" + k);
      for (const state of list) c.fillRect(8 + (width - 16) * (state[i] - x0) / (x1 - x0) - 1, height - 22 - (height - 30) * (state[j] - y0) / (y1 - y0) - 1, 2, 2);
    });
  }
}

// What else of a run can be looked at: any coordinate, momentum or multiplier over time, and the points where a
// Poincaré section is met.
import { colour, make, onTheme, shown } from "./dom.ts";
import { Course, CoursePlot } from "./plots.ts";
import type { Frame, LaneState } from "./protocol.ts";

const most = 60;        // names in a list
const mostPoints = 20000;

// One quantity over time, for each method.
export class QuantityPlot {
  private readonly chooser = make("select", { id: "quantity", "aria-label": "quantity over time" });
  private readonly course = new Course();
  private readonly plot = new CoursePlot("Over time", false, this.chooser);
  private count = 0;
  readonly element = this.plot.element;

  constructor() { this.chooser.addEventListener("change", () => this.clear()); }

  begin(coordinates: string[], momenta: string[], methods: string[], first: LaneState) {
    const names = [...coordinates.slice(0, most), ...momenta.slice(0, most), ...Array.from(first.lambda, (_, i) => `λ${i + 1}`)];
    if ([...this.chooser.options].map(o => o.text).join() !== names.join())
      this.chooser.replaceChildren(...names.map(name => make("option", { value: name }, name)));
    this.count = coordinates.length;
    this.methods = methods;
    this.clear();
  }
  private methods: string[] = [];
  private clear() {
    this.course.begin(this.methods.length, 1);
    this.plot.begin(this.methods);
  }
  private of(lane: LaneState): number | null {
    const shownOf = Math.min(this.count, most), k = Math.max(0, this.chooser.selectedIndex);
    const x = k < shownOf ? lane.q[k] : k < 2 * shownOf ? lane.p[k - shownOf] : lane.lambda[k - 2 * shownOf];
    return lane.failed === null && Number.isFinite(x) ? x : null;
  }
  add(frame: Frame) {
    const live = frame.lanes.find(lane => lane.failed === null);
    if (!live) return;
    this.course.put(live.t, frame.lanes.map(lane => [this.of(lane)]));
    this.plot.show(this.course.t, this.course.values.map(lane => lane[0]));
  }
}

// The points where a coordinate goes up through 0.
export class SectionPlot {
  private readonly through = make("select", { id: "section", "aria-label": "coordinate of the section" });
  private readonly across = make("select", { "aria-label": "what is drawn to the right" });
  private readonly up = make("select", { "aria-label": "what is drawn upwards" });
  private readonly axes = make("div", { class: "controls", hidden: true }, this.across, " and ", this.up);
  private readonly canvas = make("canvas", { class: "phase", hidden: true, role: "img", "aria-label": "Poincaré section" });
  private readonly count = make("p", { class: "note", id: "section-count" });
  readonly element = make("div", { class: "panel" }, make("div", { class: "head" }, make("h3", {}, "Section"), make("label", {}, "where ", this.through, " goes up through 0")),
    this.axes, this.canvas, this.count);
  private points: number[][][] = [];
  private names: string[] = [];
  private half = 0;

  constructor() {
    this.through.addEventListener("change", () => this.chosen());
    for (const select of [this.across, this.up]) select.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
  }

  // The coordinate that is looked at; null for none.
  get coordinate(): number | null { return this.through.value === "" || this.through.selectedIndex < 1 ? null : Number(this.through.value); }

  private chosen() {
    // The next coordinate but one, where there is one, is not fixed by the section itself: a body in the plane
    // has two.
    const k = this.coordinate ?? 0;
    this.across.selectedIndex = this.half > 1 ? (k + (this.half > 3 ? 2 : 1)) % this.half : 0;
    this.up.selectedIndex = this.half + this.across.selectedIndex;
    this.axes.hidden = this.canvas.hidden = this.coordinate === null;
    this.clear();
  }
  choose(name: string | null) {
    const k = [...this.through.options].findIndex(option => option.text === name);
    this.through.selectedIndex = Math.max(0, k);
    this.chosen();
  }

  begin(coordinates: string[], momenta: string[], lanes: number) {
    const names = [...coordinates, ...momenta];
    if (names.join() !== this.names.join()) {
      this.names = names;
      this.half = coordinates.length;
      const options = () => names.map((name, k) => make("option", { value: k }, name));
      this.through.replaceChildren(make("option", { value: "" }, "–"), ...(coordinates.length <= most ? coordinates.map((name, k) => make("option", { value: k }, name)) : []));
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

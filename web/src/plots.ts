// The courses of H - H₀ and of the residuals, and a phase portrait, on the report's plotting library.
import { choose, chosen, colour, make, onTheme, shown } from "./dom.ts";
import type { Frame } from "./protocol.ts";

interface UPlot { setData(data: unknown, reset?: boolean): void; setSize(size: { width: number; height: number }): void; destroy(): void }
declare const uPlot: new (options: object, data: unknown, place: HTMLElement) => UPlot;

const most = 3000;  // points of a course; beyond, every other one goes

// Values over time for each method, in the order of time. A run backwards takes its points away again.
export class Course {
  t: number[] = [];
  values: (number | null)[][][] = [];  // lane, quantity, point
  begin(lanes: number, quantities: number) {
    this.t = [];
    this.values = Array.from({ length: lanes }, () => Array.from({ length: quantities }, () => []));
  }
  private insert(t: number, of: (number | null)[][]) {
    const each = (f: (list: (number | null)[], x: number | null) => void) => this.values.forEach((lane, k) => lane.forEach((list, j) => f(list, of[k]?.[j] ?? null)));
    if (this.t.length === 0 || t > this.t[this.t.length - 1]) {
      this.t.push(t);
      each((list, x) => list.push(x));
    } else if (t < this.t[0]) {
      this.t.unshift(t);
      each((list, x) => list.unshift(x));
    } else {
      let keep = this.t.length;
      while (keep > 0 && this.t[keep - 1] >= t) --keep;
      this.t.length = keep;
      each(list => { list.length = keep; });
      this.t.push(t);
      each((list, x) => list.push(x));
    }
    if (this.t.length > most) {
      const thin = <T>(list: T[]) => list.filter((_, i) => i % 2 === 0 || i === list.length - 1);
      this.t = thin(this.t);
      this.values = this.values.map(lane => lane.map(thin));
    }
  }
  put(t: number, of: (number | null)[][]) { this.insert(t, of); }
  add(frame: Frame) {
    const live = frame.history.findIndex(h => h.length > 0);
    if (live < 0) return;
    const points = Math.max(...frame.history.map(h => h.length / 4));
    const longest = frame.history.find(h => h.length / 4 === points)!;
    for (let i = 0; i < points; ++i)
      this.insert(longest[4 * i], frame.history.map(h => i < h.length / 4 ? [h[4 * i + 1], h[4 * i + 2], h[4 * i + 3]] : [null, null, null]));
  }
}

// At most seven powers of ten.
function decades(_: unknown, __: number, low: number, high: number): number[] {
  const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9), every = Math.max(1, Math.ceil((to - from) / 6));
  const ticks: number[] = [];
  for (let k = from; k <= to; k += every) ticks.push(Number(`1e${k}`));
  return ticks;
}

// As many digits as tell the ticks from each other.
function digitsOf(ticks: (number | null)[]): number {
  const all = ticks.filter(v => v !== null), apart = Math.abs(all[1] - all[0]), largest = Math.max(...all.map(Math.abs));
  return apart > 0 && largest > 0 ? Math.min(15, Math.max(2, Math.ceil(Math.log10(largest / apart) + 1))) : 2;
}

export class CoursePlot {
  private plot: UPlot | null = null;
  private names: string[] = [];
  private readonly box = make("div");
  private hidden = new Set<number>();
  readonly element: HTMLElement;
  private readonly legend = make("div", { class: "legend" });
  private last: unknown[] = [[]];

  constructor(title: string, private readonly log: boolean, chooser?: HTMLElement) {
    this.element = make("div", { class: "panel" }, make("div", { class: "head" }, make("h3", {}, title), ...(chooser ? [chooser] : [])), this.box, make("div", { class: "under" }, this.legend));
    new ResizeObserver(() => this.resize()).observe(this.box);
    onTheme(() => this.build());
  }

  begin(names: string[]) {
    this.names = names;
    this.last = [[], ...names.map(() => [])];
    this.build();
  }

  show(t: number[], lanes: (number | null)[][]) {
    // A logarithmic axis has no place for 0: rounding in its last bit is drawn at 1e-18.
    this.last = [t, ...lanes.map((list, k) => this.hidden.has(k) ? list.map(() => null) : this.log ? list.map(x => x === null ? null : Math.max(x, 1e-18)) : list)];
    this.plot?.setData(this.last);
  }

  private build() {
    this.plot?.destroy();
    if (this.names.length === 0) return;
    this.legend.replaceChildren(...this.names.map((name, k) => {
      const button = make("button", { type: "button", title: "hide or show", "aria-pressed": !this.hidden.has(k), onclick: () => {
        if (this.hidden.has(k)) this.hidden.delete(k); else this.hidden.add(k);
        this.build();
      } });
      const line = make("i", { class: "line" });
      line.style.background = colour("c" + k);
      button.append(line, name);
      button.classList.toggle("off", this.hidden.has(k));
      return button;
    }));
    const axis = { stroke: colour("soft"), grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid"), width: 1 }, font: "11px system-ui, sans-serif" };
    this.plot = new uPlot({
      width: Math.max(200, this.box.clientWidth), height: 190, legend: { show: false }, cursor: { show: false },
      scales: {
        x: { time: false },
        y: this.log ? { distr: 3, range: (_: unknown, low: number, high: number) => [10 ** Math.floor(Math.log10(low || 1e-18)), 10 ** Math.ceil(Math.log10(high || 1) + 1e-9)] }
          : { range: (_: unknown, low: number, high: number) => high > low ? [low - 0.05 * (high - low), high + 0.05 * (high - low)] : [low - 1e-15, high + 1e-15] },
      },
      axes: [{ ...axis, size: 34 }, { ...axis, size: 70, ...(this.log ? { splits: decades, filter: (_: unknown, ticks: number[]) => ticks } : {}), values: (_: unknown, ticks: (number | null)[]) => ticks.map(v => v === null ? "" : shown(v, this.log ? 1 : digitsOf(ticks)).replace(/^1·/, "")) }],
      series: [{}, ...this.names.map((_, k) => ({ stroke: colour("c" + k), width: 1.5, points: { show: false }, spanGaps: false }))],
    }, this.last, this.box);
  }

  private resize() {
    if (this.plot && this.box.clientWidth > 0) this.plot.setSize({ width: this.box.clientWidth, height: 190 });
  }
}

// The path of one coordinate and its momentum, drawn by hand: a curve that crosses itself is no course.
export class PhasePlot {
  readonly element: HTMLElement;
  private readonly canvas = make("canvas", { class: "phase", role: "img", "aria-label": "phase portrait" });
  private readonly chooser = make("select", { "aria-label": "coordinate of the phase portrait" });
  private paths: number[][] = [];
  private names: string[] = [];

  constructor() {
    this.element = make("div", { class: "panel" }, make("div", { class: "head" }, make("h3", {}, "Phase portrait"), this.chooser), this.canvas);
    this.chooser.addEventListener("change", () => { this.clear(); });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
  }
  begin(coordinates: string[], lanes: number) {
    const before = this.chooser.selectedIndex;
    if (coordinates.join() !== this.names.join()) {
      this.names = coordinates;
      this.chooser.replaceChildren(...coordinates.slice(0, 60).map((name, k) => make("option", { value: k }, name)));
    } else this.chooser.selectedIndex = before;
    this.paths = Array.from({ length: lanes }, () => []);
    this.draw();
  }
  get chosen(): string { return chosen(this.chooser); }
  set chosen(name: string) { choose(this.chooser, name); this.clear(); }
  clear() { this.paths = this.paths.map(() => []); this.draw(); }
  add(frame: Frame) {
    const k = Math.max(0, this.chooser.selectedIndex);
    frame.lanes.forEach((lane, i) => {
      const path = this.paths[i] ??= [];
      path.push(lane.q[k], lane.p[k]);
      if (path.length > 8000) path.splice(0, 2000);
    });
    this.draw();
  }
  private draw() {
    const { canvas } = this, ratio = window.devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d")!;
    c.scale(ratio, ratio);
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const path of this.paths)
      for (let i = 0; i < path.length; i += 2) {
        if (!Number.isFinite(path[i]) || !Number.isFinite(path[i + 1])) continue;
        x0 = Math.min(x0, path[i]); x1 = Math.max(x1, path[i]);
        y0 = Math.min(y0, path[i + 1]); y1 = Math.max(y1, path[i + 1]);
      }
    c.fillStyle = colour("soft"); c.font = "11px system-ui, sans-serif";
    const name = this.names[Math.max(0, this.chooser.selectedIndex)] ?? "q";
    if (!(x1 > x0)) { x0 -= 1; x1 += 1; }
    if (!(y1 > y0)) { y0 -= 1; y1 += 1; }
    if (!Number.isFinite(x0) || !Number.isFinite(y0)) return;
    const left = 46, low = height - 24;
    const px = (x: number) => left + (width - left - 10) * (x - x0) / (x1 - x0), py = (y: number) => low - (low - 12) * (y - y0) / (y1 - y0);
    c.strokeStyle = colour("grid");
    c.strokeRect(left, 12, width - left - 10, low - 12);
    c.textAlign = "left"; c.fillText(shown(x0, 3), left, height - 8);
    c.textAlign = "right"; c.fillText(shown(x1, 3), width - 10, height - 8);
    c.fillText(shown(y1, 3), left - 4, 20); c.fillText(shown(y0, 3), left - 4, low);
    c.textAlign = "center"; c.fillText(name, (left + width) / 2, height - 8);
    c.fillText("p_" + name, left / 2, (12 + low) / 2);
    this.paths.forEach((path, k) => {
      c.strokeStyle = colour("c" + k); c.lineWidth = 1.2; c.globalAlpha = 0.85;
      c.beginPath();
      for (let i = 0; i < path.length; i += 2) c.lineTo(px(path[i]), py(path[i + 1]));
      c.stroke();
      c.globalAlpha = 1;
    });
  }
}

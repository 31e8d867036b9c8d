// The panel of the neighbours: a thousand starts that differ by a little, in as many workers as the machine has
// processors. Each worker has its part of the starts and a module of its own; nothing is shared between them.
import { choose, chosen, make, onTheme, shade, shown } from "./dom.ts";
import { workerCount, type Engine } from "./engine.ts";
import type { SwarmFrame, SwarmRequest } from "./protocol.ts";

export type SwarmStart = Omit<SwarmRequest, "kind" | "coordinate" | "spread" | "from" | "count" | "total">;
const total = 1000;
const mostSteps = 200;  // of one answer

export class SwarmPanel {
  readonly element: HTMLElement;
  private readonly toggle = make("button", { type: "button", id: "neighbours", "aria-pressed": "false" }, `${total} neighbours`);
  private readonly varied = make("select", { id: "neighbours-coordinate", "aria-label": "coordinate in which they differ" });
  private readonly spread = make("input", { id: "neighbours-spread", type: "text", inputmode: "decimal", size: 7, value: "0.001", autocomplete: "off", "aria-label": "spread of the starts" });
  private readonly canvas = make("canvas", { class: "phase", role: "img", "aria-label": "where the last body of every neighbour is" });
  private readonly words = make("p", { class: "note", id: "neighbours-said" });
  private readonly inside = make("div", { hidden: true });
  private engines: Engine[] = [];
  private asked: SwarmStart | null = null;
  private names: string[] = [];
  private frames: SwarmFrame[] = [];
  private broken = false;
  private busy = false;
  private stale = true;
  private target = 0;
  private reach = 0;

  constructor(private readonly engineFor: () => Engine) {
    this.inside.append(make("div", { class: "controls" }, make("label", {}, "differ in ", this.varied), make("label", {}, "by ", this.spread)), this.canvas, this.words);
    this.element = make("section", { class: "panel" }, make("div", { class: "head" }, make("h3", {}, "Neighbours"), this.toggle),
      make("p", { class: "note" }, "Starts that differ by a little in one coordinate, by the first method. They follow the mechanism while it runs forwards."), this.inside);
    this.toggle.addEventListener("click", () => this.turn(this.inside.hidden === true));
    this.varied.addEventListener("change", () => this.renew());
    this.spread.addEventListener("change", () => {
      const wrong = !(Number(this.spread.value) > 0) || !Number.isFinite(Number(this.spread.value));
      this.spread.setCustomValidity(wrong ? "a positive number" : "");
      if (wrong) this.spread.reportValidity(); else this.renew();
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
  }

  get choice(): { coordinate: string; spread: number } | undefined {
    return this.inside.hidden ? undefined : { coordinate: chosen(this.varied), spread: Number(this.spread.value) };
  }
  choose(choice: { coordinate: string; spread: number } | undefined) {
    if (choice) {
      choose(this.varied, choice.coordinate);
      this.spread.value = String(choice.spread);
    }
    this.turn(choice !== undefined);
  }
  turn(on: boolean) {
    this.inside.hidden = !on;
    this.toggle.setAttribute("aria-pressed", String(on));
    this.renew();
  }

  begin(start: SwarmStart, coordinates: string[]) {
    this.asked = start;
    if (coordinates.join() !== this.names.join()) {
      this.names = coordinates;
      this.varied.replaceChildren(...coordinates.slice(0, 60).map((name, k) => make("option", { value: k }, name)));
    }
    this.target = 0;
    this.renew();
  }
  // Time goes forwards alone: the neighbours wait while the mechanism runs backwards.
  follow(steps: number) {
    this.target = steps;
    this.work();
  }
  private renew() {
    this.stale = true;
    this.broken = false;
    this.work();
  }

  private work() {
    if (this.inside.hidden || this.busy || this.asked === null || this.broken) return;
    const made = this.frames[0]?.steps ?? 0;
    if (!this.stale && this.target <= made) return;
    this.busy = true;
    const again = this.stale;
    this.stale = false;
    const answers = again ? this.ask() : this.engines.map(engine => engine.ask<SwarmFrame>({ kind: "swarm-advance", to: Math.min(this.target, made + mostSteps) }));
    Promise.all(answers).then(frames => {
      if (again) this.reach = 0;
      if (!this.stale) this.take(frames);
    }, error => {
      this.broken = !this.stale;
      this.frames = [];
      this.words.textContent = error instanceof Error ? error.message : String(error);
      this.draw();
    }).finally(() => { this.busy = false; this.work(); });
  }

  private ask(): Promise<SwarmFrame>[] {
    const workers = workerCount();
    while (this.engines.length < workers) this.engines.push(this.engineFor());
    return this.engines.map((engine, k) => {
      const from = Math.floor(total * k / workers), count = Math.floor(total * (k + 1) / workers) - from;
      return engine.ask<SwarmFrame>({ kind: "swarm", ...this.asked!, coordinate: Math.max(0, this.varied.selectedIndex), spread: Number(this.spread.value), from, count, total });
    });
  }

  private take(frames: SwarmFrame[]) {
    this.frames = frames;
    const lost = frames.reduce((sum, frame) => sum + frame.lost, 0), { dimension: d, steps } = frames[0];
    let widest = 0;
    const first = frames[0].places.subarray(0, d);
    for (const { places } of frames)
      for (let i = 0; i < places.length; i += d) {
        let away = 0;
        for (let k = 0; k < d; ++k) away += (places[i + k] - first[k]) ** 2;
        if (away > widest) widest = away;
      }
    this.words.textContent = `${total} trajectories of ${this.asked!.method} in ${this.engines.length} workers, t = ${shown(steps * this.asked!.step, 5)}: the farthest is ${shown(Math.sqrt(widest), 3)} from the first${lost > 0 ? `; ${lost} failed` : ""}.`;
    this.draw();
  }

  private draw() {
    const { canvas } = this, ratio = window.devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d")!;
    c.scale(ratio, ratio);
    for (const { places } of this.frames) for (const x of places) if (Math.abs(x) > this.reach) this.reach = Math.abs(x);
    const unit = 0.46 * Math.min(width, height) / (this.reach || 1);
    let index = 0;
    for (const { places, dimension: d } of this.frames)
      for (let i = 0; i < places.length; i += d, ++index) {
        if (!Number.isFinite(places[i])) continue;
        // In space it is seen from the side: x to the right, z up.
        c.fillStyle = shade(index / (total - 1));
        c.fillRect(width / 2 + unit * places[i] - 1, height / 2 - unit * (places[i + (d === 3 ? 2 : 1)] ?? 0) - 1, 2.5, 2.5);
      }
  }
}

// The panel of the map: over two coordinates of the start, how long it takes until a third one goes up through 0,
// in squares that become finer while one watches. All processors of the machine work on it.
import { choose, chosen, make, onTheme, shade, shown } from "./dom.ts";
import { workerCount, type Engine } from "./engine.ts";
import type { MapRequest } from "./protocol.ts";

export type MapStart = Omit<MapRequest, "kind" | "across" | "up" | "until" | "most">;
const finest = 128;   // points of a side
const coarsest = 8;
const batch = 16;     // points of one question
const longest = 20;   // units of time from one start

export class MapPanel {
  readonly element: HTMLElement;
  private readonly toggle = make("button", { type: "button", id: "map", "aria-pressed": "false" }, "a map of starts");
  private readonly across = make("select", { "aria-label": "coordinate to the right" });
  private readonly up = make("select", { "aria-label": "coordinate upwards" });
  private readonly until = make("select", { id: "map-until", "aria-label": "coordinate that is waited for" });
  private readonly half = make("input", { id: "map-half", type: "text", inputmode: "decimal", size: 6, value: "1", autocomplete: "off", "aria-label": "how far to either side" });
  private readonly canvas = make("canvas", { class: "map", width: finest, height: finest, role: "img", "aria-label": "map of times" });
  private readonly axes = make("p", { class: "note", id: "map-axes" });
  private readonly words = make("p", { class: "note", id: "map-said" });
  private readonly inside = make("div", { hidden: true });
  private engines: Engine[] = [];
  private asked: MapStart | null = null;
  private names: string[] = [];
  private round = 0;  // what an earlier map still answers is dropped
  private queue: number[][] = [];  // column, row, and how wide it is drawn
  private times = new Map<number, [number, number]>();  // by place: time, width

  constructor(private readonly engineFor: () => Engine, begin: (changes: Map<number, number>) => void) {
    this.inside.append(make("div", { class: "controls" }, make("label", {}, "right ", this.across), make("label", {}, "up ", this.up), make("label", {}, "± ", this.half), make("label", {}, "until up through 0: ", this.until)),
      this.canvas, this.axes, this.words);
    this.element = make("section", { class: "panel" }, make("div", { class: "head" }, make("h3", {}, "Map of starts"), this.toggle),
      make("p", { class: "note" }, "How long it takes from a start until a coordinate goes up through 0, over two coordinates of the start, by the first method."), this.inside);
    this.toggle.addEventListener("click", () => this.turn(this.inside.hidden === true));
    for (const select of [this.across, this.up, this.until]) select.addEventListener("change", () => this.renew());
    this.half.addEventListener("change", () => {
      const wrong = !(Number(this.half.value) > 0) || !Number.isFinite(Number(this.half.value));
      this.half.setCustomValidity(wrong ? "a positive number" : "");
      if (wrong) this.half.reportValidity(); else this.renew();
    });
    this.canvas.addEventListener("click", e => {
      const { width, height } = this.canvas.getBoundingClientRect(), { at } = this.asked ?? {}, reach = Number(this.half.value);
      if (!at) return;
      const changes = new Map([[this.across.selectedIndex, at.q[this.across.selectedIndex]]]);
      changes.set(this.up.selectedIndex, at.q[this.up.selectedIndex]);
      const add = (k: number, x: number) => changes.set(k, changes.get(k)! + x);
      add(this.across.selectedIndex, reach * (2 * e.offsetX / width - 1));
      add(this.up.selectedIndex, reach * (1 - 2 * e.offsetY / height));
      begin(changes);
    });
    onTheme(() => this.drawAll());
  }

  get choice(): { across: string; up: string; until: string; half: number } | undefined {
    return this.inside.hidden ? undefined : { across: chosen(this.across), up: chosen(this.up), until: chosen(this.until), half: Number(this.half.value) };
  }
  choose(choice: { across: string; up: string; until: string; half: number } | undefined) {
    if (choice) {
      choose(this.across, choice.across);
      choose(this.up, choice.up);
      choose(this.until, choice.until);
      this.half.value = String(choice.half);
    }
    this.turn(choice !== undefined);
  }
  turn(on: boolean) {
    this.inside.hidden = !on;
    this.toggle.setAttribute("aria-pressed", String(on));
    this.renew();
  }

  begin(start: MapStart, coordinates: string[]) {
    this.asked = start;
    if (coordinates.join() !== this.names.join()) {
      this.names = coordinates;
      const some = coordinates.slice(0, 60), last = some.length - 1;
      for (const select of [this.across, this.up, this.until]) select.replaceChildren(...some.map((name, k) => make("option", { value: k }, name)));
      // Of two bodies in the plane: the two horizontal places, and the height of the second.
      this.up.selectedIndex = Math.min(last, last >= 3 ? 2 : 1);
      this.until.selectedIndex = last;
    }
    this.renew();
  }

  private renew() {
    ++this.round;
    this.queue = [];
    this.times.clear();
    this.canvas.getContext("2d")!.clearRect(0, 0, finest, finest);
    if (this.inside.hidden || this.asked === null) return;
    for (let width = finest / coarsest; width >= 1; width /= 2)
      for (let row = 0; row < finest; row += width)
        for (let column = 0; column < finest; column += width)
          if (width === finest / coarsest || row % (2 * width) !== 0 || column % (2 * width) !== 0) this.queue.push([column, row, width]);
    const range = (select: HTMLSelectElement) => {
      const x = this.asked!.at.q[select.selectedIndex], reach = Number(this.half.value);
      return `${chosen(select)} from ${shown(x - reach, 4)} to ${shown(x + reach, 4)}`;
    };
    this.axes.textContent = `To the right ${range(this.across)}, upwards ${range(this.up)}; the start is in the middle, and the projection takes each point to the manifold. A click begins there.`;
    while (this.engines.length < workerCount()) this.engines.push(this.engineFor());
    const most = Math.min(20000, Math.ceil(longest / Math.abs(this.asked.step)));
    const request: MapRequest = { kind: "map", ...this.asked, across: this.across.selectedIndex, up: this.up.selectedIndex, until: this.until.selectedIndex, most };
    const mine = this.round;
    for (const engine of this.engines) void this.work(engine, request, mine);
  }

  // One worker takes from the queue until it is empty.
  private async work(engine: Engine, request: MapRequest, mine: number) {
    try {
      await engine.ask(request);
      while (mine === this.round && this.queue.length > 0) {
        const some = this.queue.splice(0, batch), reach = Number(this.half.value);
        const points = some.flatMap(([column, row]) => [reach * (2 * column / finest - 1), reach * (1 - 2 * row / finest)]);
        const times = await engine.ask<Float64Array>({ kind: "map-times", points });
        if (mine !== this.round) return;
        some.forEach(([column, row, width], i) => {
          this.times.set(row * finest + column, [times[i], width]);
          this.draw(column, row, width, times[i]);
        });
        const done = this.times.size, none = done >= 64 && ![...this.times.values()].some(([time]) => Number.isFinite(time));
        this.words.textContent = `${done} of ${finest * finest} starts in ${this.engines.length} workers. Dark: at once; light: after ${shown(longest, 3)}; nothing: not until then, or no such start.${none ? ` So far ${chosen(this.until)} goes up through 0 from none of them: another coordinate, or starts farther away, may show more.` : ""}`;
      }
    } catch (error) {
      if (mine === this.round) this.words.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private draw(column: number, row: number, width: number, time: number) {
    const c = this.canvas.getContext("2d")!;
    c.clearRect(column, row, width, width);
    if (!Number.isFinite(time)) return;
    c.fillStyle = shade(Math.min(1, Math.max(0, time / longest)));
    c.fillRect(column, row, width, width);
  }
  private drawAll() {
    for (const [place, [time, width]] of [...this.times].sort((a, b) => b[1][1] - a[1][1])) this.draw(place % finest, Math.floor(place / finest), width, time);
  }
}

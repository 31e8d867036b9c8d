// The panel of the square: a border of 256 starts in one plane, its image under each method, and ∮ p·dq over
// time. It has a worker of its own, so that the mechanism does not wait for it.
import { choose, chosen, colour, make, onTheme, shown } from "./dom.ts";
import type { Engine } from "./engine.ts";
import { Course, CoursePlot } from "./plots.ts";
import type { CloudFrame, CloudRequest } from "./protocol.ts";

const none = "the largest area";

export class AreaPanel {
  readonly element: HTMLElement;
  private readonly toggle = make("button", { type: "button", id: "square", "aria-pressed": "false" }, "a square of 256 starts");
  private readonly plane = make("select", { id: "square-plane", "aria-label": "plane of the square" });
  private readonly size = make("input", { id: "square-size", type: "text", inputmode: "decimal", size: 6, value: "0.1", autocomplete: "off", "aria-label": "side of the square" });
  private readonly canvas = make("canvas", { class: "phase", role: "img", "aria-label": "the image of the square under each method" });
  private readonly numbers = make("dl", { id: "square-areas" });
  private readonly said = make("p", { class: "warning", hidden: true });
  private readonly inside = make("div", { hidden: true });
  private readonly course = new Course();
  private readonly plot = new CoursePlot("area over its start, minus 1", false);
  private engine: Engine | null = null;
  private asked: Omit<CloudRequest, "kind" | "coordinate" | "size"> | null = null;
  private names: string[] = [];
  private frame: CloudFrame | null = null;
  private first: number[] = [];
  private busy = false;
  private stale = true;  // the square is to begin anew
  private target = 0;

  constructor(private readonly engineFor: () => Engine) {
    const note = "Every point of the border is a start of its own. The number is ∮ p·dq around the border over all coordinates: for a system without constraints the area, summed over all planes. A symplectic method keeps it; what is drawn is its projection on one plane. Once the image folds more finely than its corners are apart, the number says nothing, and the doubt beside it tells.";
    this.inside.append(make("div", { class: "controls" }, make("label", {}, "plane ", this.plane), make("label", {}, "side ", this.size)),
      this.canvas, this.numbers, this.said, this.plot.element);
    this.element = make("section", { class: "panel" }, make("div", { class: "head" }, make("h3", {}, "What symplectic means"), this.toggle), make("p", { class: "note" }, note), this.inside);
    this.toggle.addEventListener("click", () => this.turn(!this.on));
    this.plane.addEventListener("change", () => this.renew());
    this.size.addEventListener("change", () => {
      const wrong = !(Number(this.size.value) > 0) || !Number.isFinite(Number(this.size.value));
      this.size.setCustomValidity(wrong ? "a positive number" : "");
      if (wrong) this.size.reportValidity(); else this.renew();
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(() => this.draw());
  }

  get choice(): { plane: string; side: number } | undefined {
    return this.on ? { plane: this.plane.value === "" ? "" : chosen(this.plane), side: Number(this.size.value) } : undefined;
  }
  choose(choice: { plane: string; side: number } | undefined) {
    if (choice) {
      choose(this.plane, choice.plane === "" ? none : choice.plane);
      this.size.value = String(choice.side);
    }
    this.turn(choice !== undefined);
  }
  turn(on: boolean) {
    this.inside.hidden = !on;
    this.toggle.setAttribute("aria-pressed", String(on));
    if (on) this.renew();
  }
  get on(): boolean { return this.inside.hidden === false; }

  // Another start, model or choice of methods: the square begins there.
  begin(request: Omit<CloudRequest, "kind" | "coordinate" | "size">, coordinates: string[]) {
    this.asked = request;
    if (coordinates.join() !== this.names.join()) {
      this.names = coordinates;
      this.plane.replaceChildren(make("option", { value: "" }, none), ...coordinates.slice(0, 60).map((name, k) => make("option", { value: k }, `${name}, p_${name}`)));
    }
    this.target = 0;
    this.renew();
  }
  // The mechanism has made so many steps; the square follows as fast as it can.
  follow(steps: number) {
    this.target = steps;
    this.work();
  }

  private renew() {
    this.stale = true;
    this.work();
  }

  private work() {
    if (!this.on || this.busy || this.asked === null) return;
    if (!this.stale && (this.frame === null || this.frame.steps === this.target)) return;
    this.busy = true;
    const engine = this.engine ??= this.engineFor();
    const again = this.stale;
    this.stale = false;
    const answer = again
      ? engine.ask<CloudFrame>({ kind: "cloud", ...this.asked, coordinate: this.plane.value === "" ? null : Number(this.plane.value), size: Number(this.size.value) })
      : engine.ask<CloudFrame>({ kind: "cloud-advance", to: this.target });
    answer.then(frame => this.take(frame, again), error => this.refuse(error)).finally(() => { this.busy = false; this.work(); });
  }

  private refuse(error: unknown) {
    this.said.hidden = false;
    this.said.textContent = error instanceof Error ? error.message : String(error);
    this.frame = null;
    this.numbers.replaceChildren();
    this.draw();
  }

  private take(frame: CloudFrame, again: boolean) {
    if (this.stale) return;
    this.said.hidden = true;
    this.frame = frame;
    const methods = this.asked!.methods;
    if (again) {
      this.first = frame.lanes.map(lane => lane.area);
      this.course.begin(methods.length, 1);
      this.plot.begin(methods);
    }
    const change = frame.lanes.map((lane, k) => lane.failed === null ? lane.area / this.first[k] - 1 : null);
    this.course.put(frame.t, change.map(x => [x]));
    this.plot.show(this.course.t, this.course.values.map(lane => lane[0]));
    this.numbers.replaceChildren(...frame.lanes.flatMap((lane, k) => {
      const dot = make("i");
      dot.style.background = `var(--c${k})`;
      const text = lane.failed ?? `${shown(lane.area, 7)} ± ${shown(lane.doubt, 1)}, changed by ${shown(change[k]!, 2)}`;
      return [make("dt", {}, dot, methods[k]), make("dd", { "data-change": change[k] ?? "" }, text)];
    }), make("dt", {}, "t"), make("dd", {}, shown(frame.t, 5)));
    this.draw();
  }

  private draw() {
    const { canvas, frame } = this, ratio = window.devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d")!;
    c.scale(ratio, ratio);
    if (frame === null) return;
    const box = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { polygon, failed } of frame.lanes)
      for (let i = 0; failed === null && i < polygon.length; i += 2) {
        box[0] = Math.min(box[0], polygon[i]); box[1] = Math.max(box[1], polygon[i]);
        box[2] = Math.min(box[2], polygon[i + 1]); box[3] = Math.max(box[3], polygon[i + 1]);
      }
    const [x0, x1, y0, y1] = box;
    if (!(x1 > x0) || !(y1 > y0)) return;
    const unit = 0.88 * Math.min(width / (x1 - x0), height / (y1 - y0));  // one scale for both: areas are seen as they are
    const px = (x: number) => width / 2 + unit * (x - (x0 + x1) / 2), py = (y: number) => height / 2 - unit * (y - (y0 + y1) / 2);
    c.fillStyle = colour("soft"); c.font = "11px system-ui, sans-serif"; c.textAlign = "left";
    const name = this.names[frame.coordinate] ?? "q";
    c.fillText(`${name} from ${shown(x0, 3)} to ${shown(x1, 3)}, p_${name} from ${shown(y0, 3)} to ${shown(y1, 3)}`, 4, height - 4);
    frame.lanes.forEach(({ polygon, failed }, k) => {
      if (failed !== null) return;
      c.strokeStyle = c.fillStyle = colour("c" + k); c.lineWidth = 1.6;
      c.beginPath();
      for (let i = 0; i < polygon.length; i += 2) c.lineTo(px(polygon[i]), py(polygon[i + 1]));
      c.closePath();
      c.globalAlpha = 0.12; c.fill(); c.globalAlpha = 1; c.stroke();
    });
  }
}

// A model with up to four methods that run side by side from one start.
import { Crossings } from "./crossings.ts";
import { type Grip, placeOf, same } from "./grip.ts";
import { dot, leastNorm, subtract } from "./linear.ts";
import { Model, Taut, TautError, type Picture } from "./module.ts";
import type { DropRequest, Frame, LaneState, OpenAnswer, OpenRequest, ReportRequest, Section } from "./protocol.ts";
import { stateHash } from "./sha256.ts";

const longestFrame = 60;  // milliseconds of steps in one answer; what is left over is not made

// A stepper takes steps of one size: of adaptive(M) the laboratory shows M.
export function steadyMethod(method: string): string { return /^adaptive\((.*)\)$/.exec(method)?.[1] ?? method; }

// The number of coordinates that are the model's own: where t stands in formulas, the library adds time as
// one more.
export function ownCoordinates(about: { coordinates: string[]; text: string }): number {
  const last = about.coordinates.length - 1, written = /^\s*coordinates\s*=\s*\[[^\]]*["']time["']/m.test(about.text);
  return about.coordinates[last] === "time" && !written ? last : last + 1;
}

const texts = new Map<string, string | null>();  // of the bundled models; null for a name that none of them has

function bundledText(taut: Taut, name: string): string | null {
  if (!texts.has(name)) {
    try {
      const model = taut.open(name);
      texts.set(name, model.about.text);
      model.free();
    } catch (error) {
      if (!(error instanceof TautError)) throw error;
      texts.set(name, null);
    }
  }
  return texts.get(name)!;
}

// Opens the model of a text. A bundled one that is as it came may name files that came with it.
export function openedModel(taut: Taut, text: string, name: string, set: Record<string, number | string>): Model {
  return bundledText(taut, name) === text ? taut.open(name, set) : taut.parse(text, name, set);
}

// Makes a stepper as the laboratory asks for it. Its events are left out, and the page says so. How many steps the
// model's run has is of no interest, but an `until` would forbid steps backwards.
export function stepperOf(taut: Taut, model: Model, method: string, step: number, at: { q: ArrayLike<number>; p: ArrayLike<number> }): number {
  return taut.stepper(model.handle, { ...optionsOf(method, step, at), backend: "compile", "without-events": true, steps: 1 });
}

// What a stepper and a run are asked for in the same way.
function optionsOf(method: string, step: number, at: { q: ArrayLike<number>; p: ArrayLike<number> }) {
  return {
    method, step, "project-start": true, "on-jump": "warn", start: { q: Array.from(at.q), p: Array.from(at.p) },
    ...(method === "rk4" ? { formulation: "underlying" } : {}),
  };
}

// Makes the report of runs by the program's own code. It is one page of HTML.
export function reportOf(taut: Taut, { text, name, set, runs, at, command }: ReportRequest): string {
  const model = openedModel(taut, text, name, set);
  try {
    return taut.report(model.handle, runs.map(({ method, step, steps }) => ({ ...optionsOf(method, step, at), steps, backend: "compile" })), command);
  } finally {
    model.free();
  }
}

// Finds the drawing: a short run on the side shows which distances stay as they are, and those are the rods.
export function drawingOf(taut: Taut, model: Model, method: string, step: number, at: { q: number[]; p: number[] }): { handle: number; picture: Picture } {
  const n = at.q.length, frames: number[] = [...at.q];
  let count = 1, scout = 0;
  try {
    scout = stepperOf(taut, model, method, step, at);
    for (; count < 12; ++count) {
      if (taut.step(scout, 3) !== null) break;
      frames.push(...taut.shown(scout, "q"));
    }
  } catch (error) {
    if (!(error instanceof TautError)) throw error;
  } finally {
    if (scout !== 0) taut.freeStepper(scout);
  }
  return taut.drawing(model.handle, new Float64Array(frames.slice(0, count * n)), count);
}

const mostDense = 300;  // coordinates of a model for which matrices of this size are formed

const mostMultipliers = 40;
const together = 8;       // steps of the first method, where methods are compared at the same cost
const mostParts = 1000;
const leastTiming = 5;    // milliseconds: a browser's clock is coarse

class Runner {
  stepper = 0;
  failed: string | null = null;
  steps = 0;      // since the start, backwards ones negative
  direction = 1;
  crossings: Crossings | null = null;
  parts = 1;      // steps of the method for one of all together
  constructor(readonly method: string) {}
}

export class Session {
  private readonly model: Model;
  private readonly runners: Runner[] = [];
  private readonly refused: (string | null)[] = [];
  private drawing = 0;
  private quantities = 0;
  private placesSize = 0;
  private step: number;  // what all go on by together
  private start: { q: number[]; p: number[] };
  private energy = 0;
  private held: { grip: Grip; q: Float64Array; past: { q: Float64Array; time: number }[] } | null = null;
  private forwards = true;
  private hasMultipliers = true;
  readonly answer: OpenAnswer;

  constructor(private readonly taut: Taut, request: OpenRequest) {
    this.model = openedModel(taut, request.text, request.name, request.set);
    try {
      const about = this.model.about;
      this.step = request.step ?? about.run.step;
      this.start = request.at ?? { q: about.start.q, p: about.start.p };
      const wanted = request.lanes.length > 0 ? request.lanes : [{ method: steadyMethod(about.run.method) }];
      for (const { method } of wanted) {
        const runner = new Runner(method);
        try {
          this.begin(runner, this.start, 1);
          this.refused.push(null);
        } catch (error) {
          if (!(error instanceof TautError)) throw error;
          this.refused.push(error.message);
          runner.failed = error.message;
          if (wanted.length === 1 && error.kind !== "choice") throw error;
        }
        this.runners.push(runner);
      }
      const base = this.step;
      if (request.cost) this.shareCost(request.cost);
      const first = this.runners.find(r => r.stepper !== 0);
      if (first) this.start = { q: [...taut.shown(first.stepper, "q")], p: [...taut.shown(first.stepper, "p")] };
      this.energy = this.model.evaluate("H", 1, this.start.q, this.start.p)[0];
      const { handle, picture } = drawingOf(taut, this.model, first?.method ?? "rattle", base, this.start);
      this.drawing = handle;
      this.placesSize = Math.max(1, picture.bodies.length) * picture.dimension;
      if (Object.keys(about.quantities).length > 0) this.quantities = taut.quantities(this.model.handle);
      this.answer = {
        about, picture, bundled: bundledText(taut, request.name) === request.text, step: this.step, base, ...(request.cost ? { cost: this.runners.map(r => r.parts) } : {}),
        lanes: this.runners.map((r, k) => ({ method: r.method, refused: this.refused[k], step: this.step / r.parts })),
        frame: this.frame([], 0),
      };
    } catch (error) {
      this.free();
      throw error;
    }
  }

  free() {
    for (const runner of this.runners) if (runner.stepper !== 0) this.taut.freeStepper(runner.stepper);
    if (this.drawing !== 0) this.taut.freeDrawing(this.drawing);
    if (this.quantities !== 0) this.taut.freeQuantities(this.quantities);
    this.model.free();
  }

  private begin(runner: Runner, at: { q: ArrayLike<number>; p: ArrayLike<number> }, direction: number) {
    const made = stepperOf(this.taut, this.model, runner.method, direction * this.step / runner.parts, at);
    if (runner.stepper !== 0) this.taut.freeStepper(runner.stepper);
    runner.stepper = made;
    runner.direction = direction;
    runner.failed = null;
    runner.crossings = null;
  }

  private stateOf(runner: Runner): LaneState {
    if (runner.stepper === 0) {
      const { q, p } = this.start;
      return {
        q: new Float64Array(q), p: new Float64Array(p), places: this.taut.places(this.drawing, this.placesSize, q, p),
        t: 0, energy: this.energy, error: 0, position: 0, momentum: 0, failed: runner.failed, lambda: new Float64Array(0), quantities: new Float64Array(0),
      };
    }
    const q = this.taut.shown(runner.stepper, "q"), p = this.taut.shown(runner.stepper, "p");
    const energy = this.taut.shown(runner.stepper, "energy")[0], residual = this.taut.shown(runner.stepper, "residual");
    const t = runner.steps * this.step, lambda = this.multipliers(q, p);
    return {
      q, p, places: this.taut.places(this.drawing, this.placesSize, q, p),
      t, energy, error: energy - this.energy, position: residual[0], momentum: residual[1],
      failed: runner.failed, lambda, quantities: this.quantitiesAt(q, p, lambda, t),
    };
  }

  // Gives every method as many steps as cost what `together` steps of the first one cost, by the numbers given or
  // by measurement, and begins anew with them.
  private shareCost(known: number[]) {
    const given = known.length === this.runners.length && known.every(n => Number.isInteger(n) && n >= 1 && n <= mostParts);
    const costs = given ? [] : this.runners.map(runner => this.costOf(runner));
    this.runners.forEach((runner, k) => {
      const measured = Math.round(together * costs[0] / costs[k]);
      runner.parts = given ? known[k] : Number.isFinite(measured) ? Math.min(mostParts, Math.max(1, measured)) : together;
    });
    this.step *= together;
    for (const runner of this.runners) if (runner.stepper !== 0) this.begin(runner, this.start, 1);
  }

  // Milliseconds of one step, NaN if none could be made.
  private costOf(runner: Runner): number {
    if (runner.stepper === 0) return NaN;
    const scout = stepperOf(this.taut, this.model, runner.method, this.step, this.start);
    try {
      let best = Infinity;
      for (let round = 0, count = 16; round < 3;) {
        const from = performance.now();
        if (this.taut.step(scout, count) !== null) return NaN;
        const spent = performance.now() - from;
        if (spent < leastTiming) { count *= 2; continue; }
        best = Math.min(best, spent / count);
        ++round;
      }
      return best;
    } finally {
      this.taut.freeStepper(scout);
    }
  }

  // Returns λ(q, p). A model that has none, or more than can be shown, is asked once.
  private multipliers(q: Float64Array, p: Float64Array): Float64Array {
    const count = this.model.about.constraint_count;
    if (!this.hasMultipliers || count === 0 || count > mostMultipliers) return new Float64Array(0);
    try {
      return this.model.evaluate("lambda", count, q, p);
    } catch (error) {
      if (!(error instanceof TautError)) throw error;
      this.hasMultipliers = false;
      return new Float64Array(0);
    }
  }

  private quantitiesAt(q: Float64Array, p: Float64Array, lambda: Float64Array, t: number): Float64Array {
    const { quantities, constraint_count } = this.model.about, known = lambda.length === constraint_count;
    if (this.quantities === 0) return new Float64Array(0);
    return this.taut.quantitiesAt(this.quantities, Object.keys(quantities).length, q, p, known ? lambda : new Float64Array(constraint_count).fill(NaN), t);
  }

  private frame(history: Float64Array[], milliseconds: number, crossings: Float64Array[] = []): Frame {
    const live = this.runners.find(r => r.stepper !== 0 && r.failed === null);
    return { lanes: this.runners.map(r => this.stateOf(r)), history, crossings, steps: live?.steps ?? 0, forwards: this.forwards, milliseconds };
  }

  // Makes n steps, one by one if a section is looked at: then the states on it come back too.
  private make(runner: Runner, n: number, section: Section | null, found: number[]): string | null {
    if (section === null) return this.taut.step(runner.stepper, n * runner.parts);
    const state = () => Float64Array.from([...this.taut.shown(runner.stepper, "q"), ...this.taut.shown(runner.stepper, "p")]);
    if (runner.crossings?.coordinate !== section.coordinate || runner.crossings.level !== section.level) {
      runner.crossings = new Crossings(section.coordinate, runner.direction, section.level);
      runner.crossings.add(state());
    }
    for (let k = 0; k < n * runner.parts; ++k) {
      const failed = this.taut.step(runner.stepper, 1);
      if (failed !== null) return failed;
      const crossing = runner.crossings.add(state());
      if (crossing !== null) found.push(...crossing);
    }
    return null;
  }

  // Makes so many steps with every method; fewer if they take too long, and for all methods as many.
  advance(steps: number, section: Section | null = null): Frame {
    const from = performance.now(), direction = steps < 0 ? -1 : 1;
    const live = this.runners.filter(r => r.stepper !== 0), crossings: number[][] = this.runners.map(() => []);
    if (direction < 0) this.forwards = false;
    for (const runner of live)
      if (runner.direction !== direction) this.begin(runner, { q: this.taut.shown(runner.stepper, "q"), p: this.taut.shown(runner.stepper, "p") }, direction);
    const points: number[][] = this.runners.map(() => []);
    const wanted = Math.abs(steps), piece = Math.max(1, Math.ceil(wanted / 4));
    for (let done = 0; done < wanted && (done === 0 || performance.now() - from < longestFrame); done += piece) {
      const now = Math.min(piece, wanted - done);
      this.runners.forEach((runner, k) => {
        if (runner.stepper === 0 || runner.failed !== null) return;
        runner.failed = this.make(runner, now, section, crossings[k]);
        if (runner.failed !== null) return;
        runner.steps += direction * now;
        const residual = this.taut.shown(runner.stepper, "residual");
        points[k].push(runner.steps * this.step, this.taut.shown(runner.stepper, "energy")[0] - this.energy, residual[0], residual[1]);
      });
    }
    return this.frame(points.map(x => new Float64Array(x)), performance.now() - from, crossings.map(x => new Float64Array(x)));
  }

  // Moves a body or a point of a rod towards a point of the picture, along the manifold: the least change of q that does it to
  // first order, and then the library's projection, a few times.
  drag(grip: Grip, to: number[], time: number): Frame {
    if (this.held === null || !same(this.held.grip, grip)) {
      const first = this.runners.find(r => r.stepper !== 0);
      this.held = { grip, q: first ? this.taut.shown(first.stepper, "q") : new Float64Array(this.start.q), past: [] };
    }
    const n = this.held.q.length, rest = new Float64Array(n);
    let q = this.held.q;
    for (let round = 0; round < 6; ++round) {
      const here = this.placeOf(grip, q), wish = to.map((x, k) => x - here[k]);
      const size = Math.hypot(...wish);
      if (size < 1e-9) break;
      const tangent = this.jacobian(grip, q);
      const move = leastNorm(tangent, wish);
      if (move === null) break;
      let moved: Float64Array | null = null;
      for (let part = 1; part > 0.01 && moved === null; part /= 2) {
        const tried = this.model.project(q.map((x, k) => x + part * move[k]), rest);
        if (tried === null) continue;
        const there = this.placeOf(grip, tried.q);
        if (Math.hypot(...to.map((x, k) => x - there[k])) < size) moved = tried.q;
      }
      if (moved === null) break;
      q = moved;
    }
    this.held.q = q;
    this.held.past.push({ q, time });
    while (this.held.past.length > 4 && time - this.held.past[0].time > 100) this.held.past.shift();
    this.restart(q, rest);
    return this.frame([], 0);
  }

  // Lets go: at rest, or with the velocity of the last moments before.
  drop({ flick, time, rate }: DropRequest): Frame {
    const held = this.held;
    this.held = null;
    if (held === null) return this.frame([], 0);
    const first = held.past[0], last = held.past[held.past.length - 1];
    const p = new Float64Array(held.q.length);
    // The hand was at rest if nothing came for much longer than its moves are apart.
    const apart = (last.time - first.time) / Math.max(1, held.past.length - 1);
    if (flick && held.q.length <= mostDense && last.time > first.time && time - last.time < Math.max(100, 3 * apart)) {
      const seconds = (last.time - first.time) / 1000 * rate;
      const v = last.q.map((x, k) => (x - first.q[k]) / seconds);
      p.set(this.momentum(held.q, v));
    }
    const found = this.model.project(held.q, p) ?? { q: held.q, p: new Float64Array(held.q.length) };
    this.restart(found.q, found.p);
    return this.frame([], 0);
  }

  hash(lane: number) {
    const runner = this.runners[lane];
    const own = ownCoordinates(this.model.about);
    const q = this.taut.shown(runner.stepper, "q").slice(0, own), p = this.taut.shown(runner.stepper, "p").slice(0, own);
    return { hash: stateHash(q, p), steps: runner.steps * runner.parts, step: this.step / runner.parts, direction: runner.direction };
  }

  private restart(q: Float64Array, p: Float64Array) {
    this.forwards = true;
    this.start = { q: [...q], p: [...p] };
    this.energy = this.model.evaluate("H", 1, q, p)[0];
    for (const runner of this.runners) {
      if (runner.stepper === 0) continue;
      runner.steps = 0;
      try {
        this.begin(runner, this.start, 1);
      } catch (error) {
        if (!(error instanceof TautError)) throw error;
        runner.failed = error.message;
      }
    }
  }

  private placeOf(grip: Grip, q: ArrayLike<number>): number[] {
    return placeOf(grip, this.taut.places(this.drawing, this.placesSize, q, new Float64Array(q.length)));
  }

  // The derivatives of the place of a grip by the coordinates, a row for each axis. Places are numbers of 24
  // bits, which is enough for a direction.
  private jacobian(grip: Grip, q: Float64Array): Float64Array[] {
    const d = grip.fixed.length, rows = Array.from({ length: d }, () => new Float64Array(q.length));
    for (let k = 0; k < ownCoordinates(this.model.about); ++k) {
      const step = 1e-3 * Math.max(1, Math.abs(q[k])), there = q.slice(), back = q.slice();
      there[k] += step;
      back[k] -= step;
      const a = this.placeOf(grip, there), b = this.placeOf(grip, back);
      for (let i = 0; i < d; ++i) rows[i][k] = (a[i] - b[i]) / (2 * step);
    }
    // What leaves the manifold is taken off: only the part along it moves the body.
    const constraints = this.model.about.constraint_count;
    if (constraints === 0 || q.length > mostDense) return rows;
    const G = this.model.evaluate("G", constraints * q.length, q, new Float64Array(q.length));
    const normals: Float64Array[] = [];
    for (let i = 0; i < constraints; ++i) {
      const row = G.slice(i * q.length, (i + 1) * q.length).fill(0, ownCoordinates(this.model.about));
      for (const e of normals) subtract(row, e, dot(row, e));
      const size = Math.sqrt(dot(row, row));
      if (size > 1e-12) normals.push(row.map(x => x / size));
    }
    for (const row of rows) for (const e of normals) subtract(row, e, dot(row, e));
    return rows;
  }

  // p with H_p(q, p) = v, by the columns of H_pp: exact where H is quadratic in p.
  private momentum(q: Float64Array, v: Float64Array): Float64Array {
    const n = q.length, zero = new Float64Array(n);
    const H_p = (p: Float64Array) => this.model.evaluate("H_p", n, q, p);
    const at0 = H_p(zero);
    const W = Array.from({ length: n }, () => new Float64Array(n));
    for (let k = 0; k < n; ++k) {
      const e = new Float64Array(n);
      e[k] = 1;
      const column = H_p(e);
      for (let i = 0; i < n; ++i) W[i][k] = column[i] - at0[i];
    }
    return leastNorm(W, Array.from(v, (x, k) => x - at0[k])) ?? zero;
  }
}

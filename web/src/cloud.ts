// What symplectic means, seen: the border of a small square of starts in the plane (q_k, p_k), carried along by
// each method. A symplectic map keeps the loop integral of p·dq over all coordinates; of a system with
// constraints that is what stays, and (q_k, p_k) is how it is drawn.
import { Model, Taut, TautError } from "./module.ts";
import type { CloudFrame, CloudLane, CloudRequest } from "./protocol.ts";
import { openedModel, ownCoordinates, stepperOf } from "./session.ts";

const side = 64;                 // starts on a side
export const corners = 4 * side;
const longest = 80;              // milliseconds of steps in one answer
const mostCoordinates = 60;

export interface Corner { q: ArrayLike<number>; p: ArrayLike<number> }

// The polygon's ∮ p·dq over the first `own` coordinates, by every corner or by every other one. The mean of p is
// taken off, which changes nothing but rounding.
function polygonIntegral(loop: Corner[], own: number, every: number): number {
  let sum = 0;
  for (let j = 0; j < own; ++j) {
    let mean = 0;
    for (const corner of loop) mean += corner.p[j] / loop.length;
    for (let i = 0; i < loop.length; i += every) {
      const a = loop[i], b = loop[(i + every) % loop.length];
      sum += ((a.p[j] - mean) + (b.p[j] - mean)) / 2 * (b.q[j] - a.q[j]);
    }
  }
  return sum;
}

// ∮ p·dq along the curve through the corners: the polygons of all corners and of every other one differ from it
// by terms that go with the square of the distance of the corners, and what is left of both is Simpson's rule.
export function loopIntegral(loop: Corner[], own: number): { area: number; doubt: number } {
  const fine = polygonIntegral(loop, own, 1), coarse = polygonIntegral(loop, own, 2);
  return { area: (4 * fine - coarse) / 3, doubt: Math.abs(fine - coarse) / 3 };
}

// The border of the square, clockwise from its lower left corner, so that ∮ p·dq is positive.
function border(size: number): [number, number][] {
  const h = size / 2, along = Array.from({ length: side }, (_, i) => -h + size * i / side);
  return [...along.map((x): [number, number] => [-h, x]), ...along.map((x): [number, number] => [x, h]),
    ...along.map((x): [number, number] => [h, -x]), ...along.map((x): [number, number] => [-x, -h])];
}

interface Lane { method: string; steppers: number[]; failed: string | null }

export class Cloud {
  private readonly model: Model;
  private readonly lanes: Lane[] = [];
  private readonly own: number;
  private coordinate = 0;
  private steps = 0;
  private direction = 1;

  constructor(private readonly taut: Taut, private readonly request: CloudRequest) {
    this.model = openedModel(taut, request.text, request.name, request.set);
    try {
      this.own = ownCoordinates(this.model.about);
      const loop = this.starts();
      for (const method of request.methods) {
        const lane: Lane = { method, steppers: [], failed: null };
        this.lanes.push(lane);
        try {
          this.begin(lane, loop, 1);
        } catch (error) {
          if (!(error instanceof TautError)) throw error;
          this.drop(lane);
          lane.failed = error.message;
        }
      }
    } catch (error) {
      this.free();
      throw error;
    }
  }

  free() {
    for (const lane of this.lanes) this.drop(lane);
    this.model.free();
  }
  private drop(lane: Lane) {
    for (const stepper of lane.steppers) this.taut.freeStepper(stepper);
    lane.steppers = [];
  }

  private begin(lane: Lane, loop: Corner[], direction: number) {
    this.drop(lane);
    for (const at of loop) lane.steppers.push(stepperOf(this.taut, this.model, lane.method, direction * this.request.step, at));
  }

  // The square on the manifold, in the plane that was asked for or in the one where it has the largest area.
  private starts(): Corner[] {
    if (this.own > mostCoordinates) throw new TautError(`a square of starts is carried along for at most ${mostCoordinates} coordinates; this model has ${this.own}.`, "choice");
    const asked = this.request.coordinate;
    if (asked !== null) {
      this.coordinate = asked;
      const loop = this.squareIn(asked);
      if (loop === null) throw new TautError("the square has corners near which the manifold has no point: take a smaller one.", "choice");
      return loop;
    }
    let best: Corner[] | null = null, most = -1;
    for (let k = 0; k < this.own; ++k) {
      const loop = this.squareIn(k), area = loop === null ? -1 : Math.abs(loopIntegral(loop, this.own).area);
      if (area > 1.001 * most) { best = loop; most = area; this.coordinate = k; }
    }
    if (best === null) throw new TautError("no square of this size lies near the manifold: take a smaller one.", "choice");
    return best;
  }

  private squareIn(k: number): Corner[] | null {
    const loop: Corner[] = [], { q, p } = this.request.at;
    for (const [x, y] of border(this.request.size)) {
      const on = this.model.project(q.with(k, q[k] + x), p.with(k, p[k] + y));
      if (on === null) return null;
      loop.push(on);
    }
    return loop;
  }

  private loopOf(lane: Lane): Corner[] {
    return lane.steppers.map(stepper => ({ q: this.taut.shown(stepper, "q"), p: this.taut.shown(stepper, "p") }));
  }

  // Goes on until so many steps are made since the start, or until the time for one answer is over; all methods
  // have made as many.
  advance(to: number): CloudFrame {
    const from = performance.now(), direction = to < this.steps ? -1 : 1;
    if (direction !== this.direction && to !== this.steps) {
      this.direction = direction;
      for (const lane of this.lanes) if (lane.failed === null) this.begin(lane, this.loopOf(lane), direction);
    }
    for (let first = true; this.steps !== to && (first || performance.now() - from < longest); first = false) {
      const now = Math.min(4, Math.abs(to - this.steps));
      for (const lane of this.lanes) {
        for (const stepper of lane.steppers) {
          if (lane.failed !== null) break;
          lane.failed = this.taut.step(stepper, now);
        }
      }
      this.steps += direction * now;
    }
    return this.frame();
  }

  frame(): CloudFrame {
    return { lanes: this.lanes.map(lane => this.stateOf(lane)), coordinate: this.coordinate, steps: this.steps, t: this.steps * this.request.step };
  }
  private stateOf(lane: Lane): CloudLane {
    const loop = this.loopOf(lane), k = this.coordinate;
    return { polygon: Float64Array.from(loop.flatMap(({ q, p }) => [q[k], p[k]])), ...loopIntegral(loop, this.own), failed: lane.failed };
  }
}

// A map over two coordinates of the start: how long it takes from there until a coordinate first goes up through 0.
import { Model, Taut, TautError } from "./module.ts";
import type { MapRequest } from "./protocol.ts";
import { ownCoordinates, openedModel, stepperOf } from "./session.ts";

export class Tiles {
  private readonly model: Model;

  constructor(private readonly taut: Taut, private readonly request: MapRequest) {
    this.model = openedModel(taut, request.text, request.name, request.set);
    const own = ownCoordinates(this.model.about);
    if (![request.across, request.up, request.until].every(k => k >= 0 && k < own)) {
      this.free();
      throw new TautError("the model has no such coordinate.", "call");
    }
  }
  free() { this.model.free(); }

  // The times at points of the map, each a pair of offsets. NaN: no such start, or a step failed. Infinity: it
  // did not happen within the steps that were asked for.
  times(points: ArrayLike<number>): Float64Array {
    return Float64Array.from({ length: points.length / 2 }, (_, i) => this.timeFrom(points[2 * i], points[2 * i + 1]));
  }

  private timeFrom(right: number, upwards: number): number {
    const { at, across, up, until, method, step, most } = this.request, q = [...at.q];
    q[across] += right;
    q[up] += upwards;
    const on = this.model.project(q, at.p);
    if (on === null) return NaN;
    let stepper = 0;
    try {
      stepper = stepperOf(this.taut, this.model, method, step, on);
      let before = on.q[until];
      for (let k = 1; k <= most; ++k) {
        if (this.taut.step(stepper, 1) !== null) return NaN;
        const now = this.taut.shown(stepper, "q")[until];
        if (before < 0 && now >= 0) return (k - now / (now - before)) * step;
        before = now;
      }
      return Infinity;
    } catch (error) {
      if (!(error instanceof TautError)) throw error;
      return NaN;
    } finally {
      if (stepper !== 0) this.taut.freeStepper(stepper);
    }
  }
}

// Neighbours: many starts of one model that differ a little in one coordinate. Every worker has a part of them.
import { Model, Taut, TautError, type Picture } from "./module.ts";
import type { SwarmFrame, SwarmRequest } from "./protocol.ts";
import { drawingOf, openedModel, ownCoordinates, stepperOf } from "./session.ts";

export class Swarm {
  private readonly model: Model;
  private readonly steppers: number[] = [];
  private lost = 0;
  private steps = 0;
  private drawing = 0;
  private picture: Picture | null = null;
  private body = 0;

  constructor(private readonly taut: Taut, private readonly request: SwarmRequest) {
    this.model = openedModel(taut, request.text, request.name, request.set);
    try {
      if (!(request.coordinate < ownCoordinates(this.model.about))) throw new TautError("the model has no such coordinate.", "call");
      for (let i = request.from; i < request.from + request.count; ++i) this.steppers.push(this.stepperFrom(i));
      const { handle, picture } = drawingOf(taut, this.model, request.method, request.step, request.at);
      this.drawing = handle;
      this.picture = picture;
      this.body = Math.max(0, picture.bodies.length - 1);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  private stepperFrom(i: number): number {
    const { at, coordinate: k, spread, total, method, step } = this.request;
    const on = this.model.project(at.q.with(k, at.q[k] + spread * (i / Math.max(1, total - 1) - 0.5)), at.p);
    if (on === null) throw new TautError("the manifold has no point near one of the starts: take a smaller spread.", "choice");
    return stepperOf(this.taut, this.model, method, step, on);
  }

  free() {
    for (const stepper of this.steppers) if (stepper !== 0) this.taut.freeStepper(stepper);
    if (this.drawing !== 0) this.taut.freeDrawing(this.drawing);
    this.model.free();
  }

  // Goes on to so many steps since the start. A trajectory whose step fails is left out from then on.
  advance(to: number): SwarmFrame {
    const n = to - this.steps;
    for (let i = 0; n > 0 && i < this.steppers.length; ++i) {
      if (this.steppers[i] === 0 || this.taut.step(this.steppers[i], n) === null) continue;
      this.taut.freeStepper(this.steppers[i]);
      this.steppers[i] = 0;
      ++this.lost;
    }
    if (n > 0) this.steps = to;
    return this.frame();
  }

  // The places of the last body of the drawing, NaN where a trajectory was lost.
  frame(): SwarmFrame {
    const d = this.picture!.dimension, size = Math.max(1, this.picture!.bodies.length) * d;
    const places = new Float64Array(d * this.steppers.length).fill(NaN);
    this.steppers.forEach((stepper, i) => {
      if (stepper === 0) return;
      const all = this.taut.places(this.drawing, size, this.taut.shown(stepper, "q"), this.taut.shown(stepper, "p"));
      places.set(all.subarray(this.body * d, this.body * d + d), i * d);
    });
    return { places, dimension: d, steps: this.steps, lost: this.lost };
  }
}

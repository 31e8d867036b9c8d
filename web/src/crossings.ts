// Where a coordinate or a momentum goes up through a value between two steps, for a Poincaré section: by the cubic through four
// steps, so that the error is of fourth order in the step.

const order = 4;

export class Crossings {
  private readonly past: Float64Array[] = [];  // states (q, p), oldest first
  // `coordinate` is a place in the state. `direction` is that of the steps: up is meant in the direction of time.
  constructor(readonly coordinate: number, private readonly direction: number, readonly level = 0) {}

  // Takes the next state; returns the one on the section if it was met since the last.
  add(state: Float64Array): Float64Array | null {
    const before = this.past.length > 0 ? this.above(this.past[this.past.length - 1][this.coordinate]) : 0;
    this.past.push(state);
    if (this.past.length > order) this.past.shift();
    return before < 0 && this.above(state[this.coordinate]) >= 0 ? this.onSection() : null;
  }
  private above(x: number) { return (x - this.level) * this.direction; }

  private onSection(): Float64Array {
    const k = this.coordinate;
    let low = -1, high = 0;  // in steps, the last state is at 0
    for (let round = 0; round < 60; ++round) {
      const middle = (low + high) / 2;
      if (this.above(this.at(middle, k)) < 0) low = middle; else high = middle;
    }
    return Float64Array.from(this.past[0], (_, j) => j === k ? this.level : this.at(high, j));
  }

  // Lagrange's polynomial through the last states, the oldest at 1 - n and the last at 0.
  private at(t: number, j: number): number {
    const n = this.past.length;
    let sum = 0;
    for (let a = 0; a < n; ++a) {
      let weight = 1;
      for (let b = 0; b < n; ++b) if (b !== a) weight *= (t - (b - n + 1)) / (a - b);
      sum += weight * this.past[a][j];
    }
    return sum;
  }
}

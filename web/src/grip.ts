// What a hand can hold: a body, or a point of a rod between two bodies or between a body and a pin.
export interface Grip {
  parts: [body: number, share: number][];  // the point is the sum of shares of bodies
  fixed: number[];                          // and this, the share of a pin
}

export interface Rods { bodies: readonly unknown[]; anchors: number[][]; links: [number, number][]; dimension: number }

export function ofBody(body: number, dimension: number): Grip {
  return { parts: [[body, 1]], fixed: new Array<number>(dimension).fill(0) };
}

// The point of a rod at a part of its length, counted from the first end. Ends beyond the bodies are pins.
export function ofRod(picture: Rods, link: number, along: number): Grip {
  const grip: Grip = { parts: [], fixed: new Array<number>(picture.dimension).fill(0) };
  picture.links[link].forEach((end, k) => {
    const share = k === 0 ? 1 - along : along, pin = picture.anchors[end - picture.bodies.length];
    if (pin === undefined) grip.parts.push([end, share]);
    else grip.fixed = grip.fixed.map((x, i) => x + share * pin[i]);
  });
  return grip;
}

export function placeOf(grip: Grip, places: ArrayLike<number>): number[] {
  const d = grip.fixed.length;
  return grip.fixed.map((x, i) => grip.parts.reduce((sum, [body, share]) => sum + share * places[body * d + i], x));
}

export const same = (a: Grip | null, b: Grip | null) => JSON.stringify(a) === JSON.stringify(b);

// The point of the segment from a to b that is nearest to p, as a part of its length, and how far it is.
export function nearestOn(a: ArrayLike<number>, b: ArrayLike<number>, p: [number, number]): { along: number; away: number } {
  const x = b[0] - a[0], y = b[1] - a[1], size = x * x + y * y;
  const along = size > 0 ? Math.max(0, Math.min(1, ((p[0] - a[0]) * x + (p[1] - a[1]) * y) / size)) : 0;
  return { along, away: Math.hypot(a[0] + along * x - p[0], a[1] + along * y - p[1]) };
}

// The mechanism on a canvas, with the report's bodies, rods, trails and colours, and a hand that can take a
// body or any point of a rod.
import { colour, onTheme, shown } from "./dom.ts";
import { type Grip, nearestOn, ofBody, ofRod, placeOf, same } from "./grip.ts";
import type { Picture } from "./module.ts";
import type { LaneState } from "./protocol.ts";

type Point3 = [number, number, number];
interface Stroke { depth: number; draw: () => void }

const trailLength = 500;

export interface Hand {
  grab(grip: Grip): void;
  move(grip: Grip, to: number[], time: number): void;  // time in milliseconds, of the event
  drop(flick: boolean, time: number): void;
}

export class Scene {
  private picture: Picture | null = null;
  private lanes: LaneState[] = [];
  private trails: Float64Array[][] = [];  // of each lane: places, oldest first
  private centre: Point3 = [0, 0, 0];
  private extent = 1;
  private firstExtent = 1;
  private unit = 1;
  private middle = [0, 0];
  private turn = { yaw: -0.6, pitch: 0.35 };
  private enlarge = 1;
  private readonly fingers = new Map<number, [number, number]>();
  private held: Grip | null = null;
  private nearest: Grip | null = null;
  private chosen = 0;  // by the keyboard
  private readonly c: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly hand: Hand) {
    this.c = canvas.getContext("2d")!;
    new ResizeObserver(() => this.draw()).observe(canvas);
    onTheme(() => this.draw());
    canvas.addEventListener("pointerdown", e => this.down(e));
    canvas.addEventListener("pointermove", e => { this.over(e); this.pinch(e); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, e => this.fingers.delete((e as PointerEvent).pointerId));
    canvas.addEventListener("pointerleave", () => { this.nearest = null; this.draw(); });
    canvas.addEventListener("wheel", e => { if (!e.ctrlKey) return; e.preventDefault(); this.zoom(Math.exp(-e.deltaY / 300)); }, { passive: false });
    canvas.addEventListener("keydown", e => this.key(e));
    // A finger beside the bodies of a plane scrolls the page.
    canvas.addEventListener("touchstart", e => {
      const touch = e.changedTouches[0];
      if (e.touches.length > 1 || this.picture?.dimension === 3 || (touch && this.pick({ clientX: touch.clientX, clientY: touch.clientY, pointerType: "touch" }) !== null)) e.preventDefault();
    }, { passive: false });
  }

  zoom(factor: number) { this.enlarge *= factor; this.draw(); }
  get view() { return [this.turn.yaw, this.turn.pitch, this.enlarge]; }
  set view([yaw, pitch, enlarge]: number[]) {
    this.turn = { yaw, pitch: Math.max(-1.55, Math.min(1.55, pitch)) };
    this.enlarge = Math.max(1e-3, Math.min(1e3, enlarge));
    this.draw();
  }

  // Begins with another picture.
  begin(picture: Picture, lanes: LaneState[], keepView: boolean) {
    this.picture = picture;
    this.nearest = null;
    this.canvas.style.touchAction = picture.dimension === 3 ? "none" : "pan-y";
    this.trails = lanes.map(() => []);
    this.lanes = lanes;
    this.chosen = Math.min(this.chosen, Math.max(0, picture.bodies.length - 1));
    if (!keepView) {
      this.enlarge = 1;
      this.frameAll();
    }
    this.draw();
  }

  show(lanes: LaneState[]) {
    this.lanes = lanes;
    this.widen(lanes[0]);
    lanes.forEach((lane, k) => {
      const trail = this.trails[k] ??= [];
      trail.push(lane.places);
      if (trail.length > trailLength) trail.shift();
    });
    this.draw();
  }
  clearTrails() { this.trails = this.lanes.map(() => []); }

  // Takes in every place that the mechanism can reach, as far as rods tell, and otherwise where it is.
  private frameAll() {
    const picture = this.picture!, d = picture.dimension, all: number[][] = [];
    const places = this.lanes[0].places;
    for (let b = 0; b < picture.bodies.length; ++b) all.push(Array.from(places.subarray(b * d, b * d + d)));
    // Anchors have three numbers in the plane too.
    const anchors = picture.anchors.map(p => p.slice(0, d)), fixed = [...anchors, ...picture.spheres.map(s => s.centre.slice(0, d))];
    const low = [0, 0, 0], high = [0, 0, 0];
    for (let k = 0; k < d; ++k) {
      const values = [...all, ...fixed].map(p => p[k]);
      low[k] = Math.min(...values);
      high[k] = Math.max(...values);
    }
    const hub = fixed.length > 0 ? fixed[0] : low.map((v, k) => (v + high[k]) / 2);
    let reach = Math.max(...[...all, ...fixed].map(p => Math.hypot(...p.map((x, k) => x - hub[k]))), ...picture.spheres.map(s => s.radius));
    if (!(reach > 1e-3)) reach = 1;  // one body and nothing else
    if (picture.anchors.length > 0) {  // a chain of rods may stretch as far as they are long together
      const place = (i: number) => i < all.length ? all[i] : anchors[i - all.length];
      const long = picture.links.reduce((sum, [a, b]) => sum + Math.hypot(...place(a).map((x, k) => x - place(b)[k])), 0);
      if (picture.links.length <= 6) reach = Math.max(reach, Math.min(long, 2.2 * reach));
    }
    const several = picture.anchors.length > 1;
    this.centre = (several ? [0, 1, 2].map(k => (low[k] + high[k]) / 2) : [hub[0] ?? 0, hub[1] ?? 0, hub[2] ?? 0]) as Point3;
    this.extent = this.firstExtent = 2.15 * reach;
  }

  // A body that leaves the picture, as one without rods may, makes it wider. One that flies away does not: the
  // picture grows to a thousand times its size and no further.
  private widen(lane: LaneState) {
    if (lane.failed !== null || this.held !== null || this.picture === null) return;
    const d = this.picture.dimension;
    let far = 0;
    for (let i = 0; i < lane.places.length; ++i) far = Math.max(far, Math.abs(lane.places[i] - this.centre[i % d]));
    if (far > this.extent / 2 && far < 500 * this.firstExtent) this.extent = 2.3 * far;
  }

  private project(p: ArrayLike<number>): Point3 {
    const x = p[0] - this.centre[0], y = p[1] - this.centre[1], z = (p[2] ?? 0) - this.centre[2];
    if (this.picture!.dimension === 2) return [this.middle[0] + this.unit * x, this.middle[1] - this.unit * y, 0];
    const { yaw, pitch } = this.turn, cy = Math.cos(yaw), sy = Math.sin(yaw), cp = Math.cos(pitch), sp = Math.sin(pitch);
    const right = cy * x - sy * y, back = sy * x + cy * y;
    return [this.middle[0] + this.unit * right, this.middle[1] - this.unit * (cp * z + sp * back), cp * -back + sp * z];
  }

  // Returns the place under a point of the canvas, at the depth of `at`.
  private unproject(sx: number, sy: number, at: ArrayLike<number>): number[] {
    const right = (sx - this.middle[0]) / this.unit, up = (this.middle[1] - sy) / this.unit;
    if (this.picture!.dimension === 2) return [this.centre[0] + right, this.centre[1] + up];
    const { yaw, pitch } = this.turn, cy = Math.cos(yaw), sy2 = Math.sin(yaw), cp = Math.cos(pitch), sp = Math.sin(pitch);
    const depth = this.project(at)[2];
    // up = cp z + sp back and depth = -cp back + sp z.
    const z = cp * up + sp * depth, back = sp * up - cp * depth;
    return [this.centre[0] + cy * right + sy2 * back, this.centre[1] - sy2 * right + cy * back, this.centre[2] + z];
  }

  private placeOf(lane: number, body: number): Float64Array {
    const d = this.picture!.dimension;
    return this.lanes[lane].places.subarray(body * d, body * d + d);
  }

  // Return where a body of the first method is, or a point of a rod, in pixels of the page: for tests, and for
  // who wants to point at it.
  bodyOnPage(body: number): [number, number] { return this.onPage(this.placeOf(0, body)); }
  rodOnPage(link: number, along: number): [number, number] { return this.onPage(this.gripped(ofRod(this.picture!, link, along))); }
  private onPage(place: ArrayLike<number>): [number, number] {
    const box = this.canvas.getBoundingClientRect(), at = this.project(place);
    return [box.left + at[0], box.top + at[1]];
  }

  // ---- the hand ----------------------------------------------------------------------------------------------

  // What is under the pointer: a body that is near, or else a point of a rod that is nearer.
  private pick(e: { clientX: number; clientY: number; pointerType: string }): Grip | null {
    const picture = this.picture;
    if (picture === null || this.lanes.length === 0) return null;
    const box = this.canvas.getBoundingClientRect(), touch = e.pointerType === "touch";
    const pointer: [number, number] = [e.clientX - box.left, e.clientY - box.top];
    const at = picture.bodies.map((_, b) => this.project(this.placeOf(0, b)));
    let best: Grip | null = null, least = touch ? 40 : 22;
    at.forEach((p, b) => {
      const { away } = nearestOn(p, p, pointer);
      if (away < least) { least = away; best = ofBody(b, picture.dimension); }
    });
    if (best !== null) return best;
    const ends = [...at, ...picture.anchors.map(p => this.project(p))];
    least = touch ? 24 : 10;
    picture.links.forEach(([a, b], k) => {
      const { along, away } = nearestOn(ends[a], ends[b], pointer);
      const grip = ofRod(picture, k, along);
      if (away < least && grip.parts.some(([, share]) => share > 0.02)) { least = away; best = grip; }
    });
    return best;
  }
  private gripped(grip: Grip): number[] { return placeOf(grip, this.lanes[0].places); }

  private over(e: PointerEvent) {
    if (this.held !== null || e.buttons !== 0) return;
    const nearest = this.pick(e);
    this.canvas.style.cursor = nearest !== null ? "grab" : this.picture?.dimension === 3 ? "move" : "default";
    if (!same(nearest, this.nearest)) { this.nearest = nearest; this.draw(); }
  }

  // Two fingers bring the picture nearer.
  private pinch(e: PointerEvent) {
    if (!this.fingers.has(e.pointerId)) return;
    const apart = () => { const [a, b] = [...this.fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
    const before = this.fingers.size === 2 ? apart() : 0;
    this.fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (before > 0 && this.held === null) this.zoom(Math.max(0.5, Math.min(2, apart() / before)));
  }

  private down(e: PointerEvent) {
    if (this.picture === null || e.button !== 0) return;
    if (e.pointerType === "touch") this.fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (this.fingers.size > 1) return;
    const grip = this.pick(e), box = this.canvas.getBoundingClientRect();
    if (grip === null && this.picture.dimension === 2) return;
    e.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(e.pointerId);
    let last = [e.clientX, e.clientY];
    if (grip !== null) {
      this.held = grip;
      this.canvas.style.cursor = "grabbing";
      this.hand.grab(grip);
    }
    const move = (m: PointerEvent) => {
      if (m.pointerId !== e.pointerId) return;
      if (this.fingers.size > 1) { last = [m.clientX, m.clientY]; return; }
      if (grip !== null) return this.hand.move(grip, this.unproject(m.clientX - box.left, m.clientY - box.top, this.gripped(grip)), m.timeStamp);
      this.turn.yaw += (m.clientX - last[0]) * 0.008;
      this.turn.pitch = Math.max(-1.55, Math.min(1.55, this.turn.pitch + (m.clientY - last[1]) * 0.008));
      last = [m.clientX, m.clientY];
      this.draw();
    };
    const up = (u: PointerEvent) => {
      if (u.pointerId !== e.pointerId) return;
      this.canvas.removeEventListener("pointermove", move);
      this.canvas.removeEventListener("pointerup", up);
      this.canvas.removeEventListener("pointercancel", up);
      this.canvas.style.cursor = "default";
      if (grip !== null) this.hand.drop(u.type === "pointerup", u.timeStamp);
      this.held = null;
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", up);
    this.canvas.addEventListener("pointercancel", up);
  }

  // With the keyboard: Tab leaves the canvas, n takes the next body, the arrows move it (in space, with
  // Shift, they turn the view).
  private key(e: KeyboardEvent) {
    if (this.picture === null) return;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = arrows[e.key];
    if (e.key === "n" || e.key === "N") this.chosen = (this.chosen + 1) % Math.max(1, this.picture.bodies.length);
    else if (way && e.shiftKey && this.picture.dimension === 3) {
      this.turn.yaw += 0.08 * way[0];
      this.turn.pitch = Math.max(-1.55, Math.min(1.55, this.turn.pitch + 0.08 * way[1]));
    } else if (way && this.picture.bodies.length > 0) {
      const grip = ofBody(this.chosen, this.picture.dimension), at = this.project(this.gripped(grip));
      this.hand.grab(grip);
      this.hand.move(grip, this.unproject(at[0] + 8 * way[0], at[1] - 8 * way[1], this.gripped(grip)), e.timeStamp);
      this.hand.drop(false, e.timeStamp);
    } else return;
    e.preventDefault();
    this.draw();
  }

  // ---- drawing -----------------------------------------------------------------------------------------------

  draw() {
    const { canvas, c } = this, ratio = window.devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height || this.picture === null || this.lanes.length === 0) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    this.middle = [width / 2, height / 2];
    this.unit = Math.min(width, height) / this.extent * this.enlarge;
    this.ground(width, height);
    const strokes: Stroke[] = [], picture = this.picture, many = this.lanes.length > 1;
    for (const sphere of picture.spheres) this.net(sphere, strokes);
    const anchors = picture.anchors.map(p => this.project(p));
    this.lanes.forEach((lane, k) => {
      const paint = colour("c" + k), wider = this.lanes.length - 1 - k;
      const at = picture.bodies.map((_, b) => this.project(this.placeOf(k, b)));
      picture.bodies.forEach((body, b) => { if (body.trail) this.trail(k, b, paint, strokes); });
      const ends = [...at, ...anchors];
      for (const [a, b] of picture.links)
        strokes.push({ depth: (ends[a][2] + ends[b][2]) / 2, draw: () => this.rod(ends[a], ends[b], many ? paint : colour("soft"), wider) });
      picture.bodies.forEach((body, b) => strokes.push({
        depth: at[b][2] + 1e-6, draw: () => {
          if (k === 0 && document.activeElement === canvas && b === this.chosen) this.ring(at[b]);
          if (body.disc) this.disc(at[b], paint, wider); else this.label(at[b], body.name, paint);
        },
      }));
      if (lane.failed !== null) strokes.push({ depth: Infinity, draw: () => {} });
    });
    for (const p of anchors) strokes.push({ depth: p[2], draw: () => this.pin(p) });
    const grip = this.held ?? this.nearest;
    if (grip !== null) { const p = this.project(this.gripped(grip)); strokes.push({ depth: p[2], draw: () => this.ring(p) }); }
    strokes.sort((a, b) => a.depth - b.depth).forEach(s => s.draw());
  }

  // A light grid in the plane, or the three directions in space; a bar shows the unit.
  private ground(width: number, height: number) {
    const c = this.c, raw = Math.min(width, height) / this.unit / 5, unit = 10 ** Math.floor(Math.log10(raw)), m = raw / unit;
    const step = unit * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
    c.lineWidth = 1;
    c.strokeStyle = colour("grid");
    if (this.picture!.dimension === 2) {
      c.beginPath();
      const [left, top] = this.unproject(0, 0, []), [right, bottom] = this.unproject(width, height, []);
      for (let x = Math.ceil(left / step) * step; x <= right; x += step) { const px = this.project([x, 0])[0]; c.moveTo(px, 0); c.lineTo(px, height); }
      for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) { const py = this.project([0, y])[1]; c.moveTo(0, py); c.lineTo(width, py); }
      c.stroke();
    } else {
      const origin = [34, height - 34], flat = this.project(this.centre);
      const axes: [string, Point3][] = [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]];
      for (const [name, e] of axes) {
        const tip = this.project(this.centre.map((v, k) => v + e[k] / this.unit * 22)), dx = tip[0] - flat[0], dy = tip[1] - flat[1];
        c.strokeStyle = c.fillStyle = colour("soft");
        c.beginPath(); c.moveTo(origin[0], origin[1]); c.lineTo(origin[0] + dx, origin[1] + dy); c.stroke();
        c.font = "11px system-ui, sans-serif"; c.textAlign = "center"; c.textBaseline = "middle";
        c.fillText(name, origin[0] + dx * 1.4, origin[1] + dy * 1.4);
      }
    }
    c.strokeStyle = c.fillStyle = colour("soft");
    c.font = "11px system-ui, sans-serif"; c.textAlign = "center"; c.textBaseline = "bottom";
    const x1 = width - 14, x0 = x1 - step * this.unit, y = height - 12;
    c.beginPath(); c.moveTo(x0, y - 3); c.lineTo(x0, y + 3); c.moveTo(x0, y); c.lineTo(x1, y); c.moveTo(x1, y - 3); c.lineTo(x1, y + 3); c.stroke();
    c.fillText(shown(step, 3), (x0 + x1) / 2, y - 3);
  }

  private net(sphere: { centre: number[]; radius: number }, strokes: Stroke[]) {
    const circles: ((t: number) => number[])[] = [], n = 48;
    for (let k = 1; k < 6; ++k) { const a = Math.PI * k / 6; circles.push(t => [Math.sin(a) * Math.cos(t), Math.sin(a) * Math.sin(t), Math.cos(a)]); }
    for (let k = 0; k < 6; ++k) { const a = Math.PI * k / 6; circles.push(t => [Math.sin(t) * Math.cos(a), Math.sin(t) * Math.sin(a), Math.cos(t)]); }
    const middle = this.project(sphere.centre)[2], sides: [Point3, Point3][][] = [[], []];
    for (const circle of circles)
      for (let i = 0; i < n; ++i) {
        const [p, q] = [i, i + 1].map(j => this.project(circle(2 * Math.PI * j / n).map((v, k) => sphere.centre[k] + sphere.radius * v)));
        sides[(p[2] + q[2]) / 2 > middle ? 1 : 0].push([p, q]);
      }
    sides.forEach((lines, front) => strokes.push({
      depth: middle + (front ? 1e-9 : -1e9), draw: () => {
        const c = this.c;
        c.strokeStyle = colour("line"); c.globalAlpha = front ? 0.9 : 0.45; c.lineWidth = 1;
        c.beginPath();
        for (const [p, q] of lines) { c.moveTo(p[0], p[1]); c.lineTo(q[0], q[1]); }
        c.stroke();
        c.globalAlpha = 1;
      },
    }));
  }

  private trail(lane: number, body: number, paint: string, strokes: Stroke[]) {
    const past = this.trails[lane] ?? [], pieces = 12, d = this.picture!.dimension;
    if (past.length < 2) return;
    for (let k = 0; k < pieces; ++k) {
      const from = Math.floor((past.length - 1) * k / pieces), to = Math.floor((past.length - 1) * (k + 1) / pieces);
      if (to <= from) continue;
      const points: Point3[] = [];
      for (let f = from; f <= to; ++f) points.push(this.project(past[f].subarray(body * d, body * d + d)));
      strokes.push({
        depth: points.reduce((sum, p) => sum + p[2], 0) / points.length - 1e-3 * this.extent, draw: () => {
          const c = this.c;
          c.strokeStyle = paint; c.globalAlpha = 0.65 * ((k + 1) / pieces) ** 1.6; c.lineWidth = 1.6; c.lineJoin = "round";
          c.beginPath(); c.moveTo(points[0][0], points[0][1]);
          for (const p of points) c.lineTo(p[0], p[1]);
          c.stroke();
          c.globalAlpha = 1;
        },
      });
    }
  }

  private rod(a: Point3, b: Point3, paint: string, wider: number) {
    const c = this.c, bodies = this.picture!.bodies.length;
    c.strokeStyle = paint; c.lineWidth = (bodies > 200 ? 1.2 : bodies > 20 ? 2 : 3.5) + 3 * wider; c.lineCap = "round";
    c.beginPath(); c.moveTo(a[0], a[1]); c.lineTo(b[0], b[1]); c.stroke();
  }
  private disc(p: Point3, paint: string, wider: number) {
    const c = this.c, bodies = this.picture!.bodies.length;
    c.fillStyle = paint; c.strokeStyle = colour("card"); c.lineWidth = 1.5;
    c.beginPath(); c.arc(p[0], p[1], (bodies > 200 ? 1.8 : bodies > 60 ? 3 : bodies > 20 ? 4.5 : 8) + 3 * wider, 0, 7); c.fill(); c.stroke();
  }
  private ring(p: Point3) {
    const c = this.c;
    c.strokeStyle = colour("accent"); c.lineWidth = 2;
    c.beginPath(); c.arc(p[0], p[1], 22, 0, 7); c.stroke();
  }
  private pin(p: Point3) {
    const c = this.c;
    c.fillStyle = colour("card"); c.strokeStyle = colour("ink"); c.lineWidth = 2;
    c.beginPath(); c.arc(p[0], p[1], 4.5, 0, 7); c.fill(); c.stroke();
  }
  private label(p: Point3, text: string, paint: string) {
    const c = this.c;
    c.fillStyle = paint;
    c.beginPath(); c.arc(p[0], p[1], 3.5, 0, 7); c.fill();
    c.fillStyle = colour("ink"); c.font = "13px system-ui, sans-serif"; c.textAlign = "left"; c.textBaseline = "bottom";
    c.fillText(text, p[0] + 6, p[1] - 4);
  }
}

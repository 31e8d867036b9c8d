// What the page and its worker say to each other. Every question has a number, and its answer has the same
// one.
import type { Grip } from "./grip.ts";
import type { Description, ErrorPlace, Picture } from "./module.ts";

export interface Lane { method: string }

export interface OpenRequest {
  kind: "open"; text: string; name: string; set: Record<string, number | string>;
  lanes: Lane[]; step: number | null;
  at?: { q: number[]; p: number[] };  // a start of one's own
  // The same cost for all: in the time of several steps of the first method, each other one makes as many as cost
  // the same. An empty list asks for a measurement, any other one has the numbers.
  cost?: number[];
}
export interface OpenAnswer {
  about: Description; picture: Picture;
  bundled: boolean;  // its text is that of the bundled model of its name
  step: number;    // what all methods go on by together
  base: number;    // the step that was asked for
  cost?: number[];
  lanes: { method: string; refused: string | null; step: number }[];
  frame: Frame;
}

// A place in the state (q, p) and the value whose crossing upwards is looked for.
export interface Section { coordinate: number; level: number }
// A number of steps, negative ones backwards.
export interface AdvanceRequest { kind: "advance"; steps: number; section?: Section | null }
export interface DragRequest { kind: "drag"; grip: Grip; to: number[]; time: number }
export interface DropRequest { kind: "drop"; flick: boolean; time: number; rate: number }
export interface HashRequest { kind: "hash"; lane: number }

export interface LaneState {
  q: Float64Array; p: Float64Array; places: Float64Array;
  t: number; energy: number; error: number; position: number; momentum: number;
  failed: string | null;
  lambda: Float64Array;  // λ(q, p) of the continuous equations; nothing where the model has none
  quantities: Float64Array;  // of the model, in its order
}
export interface Frame {
  lanes: LaneState[];
  history: Float64Array[];  // of each lane: t, H - H₀, max |g|, max |G H_p| at points inside the frame
  crossings: Float64Array[];  // of each lane: states (q, p), one after the other, where the section was met
  steps: number;              // since the start, backwards ones negative
  forwards: boolean;          // no step was made backwards
  milliseconds: number;
}

// A small square of starts in the plane of one coordinate and its momentum, for each method.
export interface CloudRequest {
  kind: "cloud"; text: string; name: string; set: Record<string, number | string>;
  methods: string[]; step: number; at: { q: number[]; p: number[] };
  coordinate: number | null;  // null: the one whose square has the largest area on the manifold
  size: number;
}
export interface CloudLane {
  polygon: Float64Array;  // q_k and p_k of the corners, in their order
  area: number;           // the loop integral of p·dq over all coordinates
  doubt: number;          // how much of it the corners leave open
  failed: string | null;
}
export interface CloudFrame { lanes: CloudLane[]; coordinate: number; steps: number; t: number }

// Starts `from` to `from + count` of `total` that differ in one coordinate.
export interface SwarmRequest {
  kind: "swarm"; text: string; name: string; set: Record<string, number | string>;
  method: string; step: number; at: { q: number[]; p: number[] };
  coordinate: number; spread: number; from: number; count: number; total: number;
}
export interface SwarmFrame { places: Float64Array; dimension: number; steps: number; lost: number }

// A map over two coordinates of the start, of the time until a third one goes up through 0.
export interface MapRequest {
  kind: "map"; text: string; name: string; set: Record<string, number | string>;
  method: string; step: number; at: { q: number[]; p: number[] };
  across: number; up: number; until: number; most: number;  // steps from one start
}

// The report of runs side by side, from the start and for as many steps as were made.
export interface ReportRequest {
  kind: "report"; text: string; name: string; set: Record<string, number | string>;
  runs: { method: string; step: number; steps: number }[]; at: { q: number[]; p: number[] }; command: string;
}

export type Request = ReportRequest | OpenRequest | AdvanceRequest | DragRequest | DropRequest | HashRequest
  | CloudRequest | { kind: "cloud-advance"; to: number } | SwarmRequest | { kind: "swarm-advance"; to: number }
  | MapRequest | { kind: "map-times"; points: number[] }
  | { kind: "list" } | { kind: "source"; name: string };
export type Answer = { id: number } & ({ value: unknown } | { error: string; errorKind: string; places: ErrorPlace[] });

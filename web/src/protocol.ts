// What the page and its worker say to each other. Every question has a number, and its answer has the same
// one.
import type { Description, ErrorPlace, Picture } from "./module.ts";

export interface Lane { method: string }

export interface OpenRequest {
  kind: "open"; text: string; name: string; set: Record<string, number | string>;
  lanes: Lane[]; step: number | null;
  at?: { q: number[]; p: number[] };  // a start of one's own
}
export interface OpenAnswer {
  about: Description; picture: Picture; step: number;
  lanes: { method: string; refused: string | null }[];
  frame: Frame;
}

export interface AdvanceRequest { kind: "advance"; steps: number }  // negative: backwards
export interface DragRequest { kind: "drag"; body: number; to: number[]; time: number }
export interface DropRequest { kind: "drop"; flick: boolean; time: number; rate: number }
export interface HashRequest { kind: "hash"; lane: number }

export interface LaneState {
  q: Float64Array; p: Float64Array; places: Float64Array;
  t: number; energy: number; error: number; position: number; momentum: number;
  failed: string | null;
}
export interface Frame {
  lanes: LaneState[];
  history: Float64Array[];  // of each lane: t, H - H₀, max |g|, max |G H_p| at points inside the frame
  milliseconds: number;
}

export type Request = OpenRequest | AdvanceRequest | DragRequest | DropRequest | HashRequest
  | { kind: "list" } | { kind: "source"; name: string };
export type Answer = { id: number } & ({ value: unknown } | { error: string; errorKind: string; places: ErrorPlace[] });

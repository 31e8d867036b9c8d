// The whole state as the fragment of the page's address, which browsers send to nobody.
import { bytesOf } from "./bytes.ts";

export interface Shared {
  text: string;
  name: string;
  set: Record<string, number>;
  methods: string[];
  step: number | null;
  at?: { q: number[]; p: number[] };
  steps?: number;  // that were made forwards from the start
  speed?: number;
  view?: number[];  // how the mechanism is looked at
  cost?: number[];  // how many steps of each method cost the same
  panels?: Panels;
}

// What is chosen in the panels, by the names of coordinates. Of square, neighbours and map there is one if it is open.
export interface Panels {
  quantity?: string;
  phase?: string;
  section?: { through: string; level: number; across: string; up: string };
  square?: { plane: string; side: number };  // an empty plane is the one with the largest area
  neighbours?: { coordinate: string; spread: number };
  map?: { across: string; up: string; until: string; half: number };
}

// A fragment that is no link of ours, or too much for one, in words.
export class LinkError extends Error {}

const longest = 200000;    // characters of a fragment
const mostSteps = 1e7;
const mostText = 1000000;  // characters of a model

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader(), parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) { await reader.cancel(); throw new Error("it unpacks to more than a model has"); }
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}

// Numbers keep every bit: JavaScript writes the shortest digits that read back as the same double. Only -0
// needs help.
const replacer = (_: string, x: unknown) => Object.is(x, -0) ? "-0" : x;
const number = (x: unknown): number => x === "-0" ? -0 : x as number;

export async function toFragment(state: Shared): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state, replacer)), new CompressionStream("deflate-raw"), 1e9);
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  const fragment = "1." + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (fragment.length > longest) throw new LinkError(`The model is too large for a link: ${fragment.length} characters of ${longest}. Save it as toml instead.`);
  return fragment;
}

// Reads a fragment that may come from anybody. Everything in it is looked at, and one that is not a whole link of
// ours is refused with a LinkError.
export async function fromFragment(fragment: string): Promise<Shared> {
  if (!fragment.startsWith("1.")) throw new LinkError("The link could not be read: it is none of this page.");
  if (fragment.length > longest) throw new LinkError(`The link could not be read: it has ${fragment.length} characters, more than ${longest}.`);
  const shared = await sharedIn(fragment);
  if (shared === null) throw new LinkError("The link could not be read: it is damaged.");
  return shared;
}

// A name becomes the name of a file, in downloads and in commands for a terminal.
function plainName(name: string): string { return name.slice(0, 80).replace(/[^\w.-]/g, "_").replace(/^[.-]+/, "") || "model"; }

type Unknown = Record<string, unknown>;
const object = (x: unknown): Unknown | null => typeof x === "object" && x !== null ? x as Unknown : null;
const isName = (x: unknown): x is string => typeof x === "string" && x.length <= 80;
const isNumber = (x: unknown): x is number => typeof x === "number" && Number.isFinite(x);
const isSize = (x: unknown): x is number => isNumber(x) && x > 0;

function panelsIn(read: unknown): Panels | null {
  const all = object(read);
  if (all === null) return null;
  const panels: Panels = {}, { quantity, phase } = all;
  if (isName(quantity)) panels.quantity = quantity;
  if (isName(phase)) panels.phase = phase;
  const section = object(all.section), square = object(all.square), neighbours = object(all.neighbours), map = object(all.map);
  if (section && isName(section.through) && isName(section.across) && isName(section.up)) panels.section = { through: section.through, level: isNumber(section.level) ? section.level : 0, across: section.across, up: section.up };
  if (square && isName(square.plane) && isSize(square.side)) panels.square = { plane: square.plane, side: square.side };
  if (neighbours && isName(neighbours.coordinate) && isSize(neighbours.spread)) panels.neighbours = { coordinate: neighbours.coordinate, spread: neighbours.spread };
  if (map && isName(map.across) && isName(map.up) && isName(map.until) && isSize(map.half)) panels.map = { across: map.across, up: map.up, until: map.until, half: map.half };
  return panels;
}

async function sharedIn(fragment: string): Promise<Shared | null> {
  try {
    const packed = bytesOf(fragment.slice(2).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"), 4 * mostText);
    const read = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const isText = (x: unknown): x is string => typeof x === "string" && x.length <= mostText;
    const finite = (x: unknown) => typeof number(x) === "number" && Number.isFinite(number(x));
    const numbers = (x: unknown) => Array.isArray(x) && x.every(finite) ? x.map(number) : null;
    if (!isText(read.text) || !isText(read.name)) return null;
    const set: Record<string, number> = {};
    if (typeof read.set === "object" && read.set !== null)
      for (const [name, value] of Object.entries(read.set)) if (/^[\w]+$/.test(name) && finite(value)) set[name] = number(value);
    const methods = Array.isArray(read.methods) ? read.methods.filter(isText).slice(0, 4) : [];
    const shared: Shared = { text: read.text, name: plainName(read.name), set, methods, step: finite(read.step) ? number(read.step) : null };
    const at = read.at as { q?: unknown; p?: unknown } | undefined, q = numbers(at?.q), p = numbers(at?.p);
    if (q && p && q.length === p.length) shared.at = { q, p };
    if (Number.isInteger(read.steps) && read.steps as number > 0 && read.steps as number <= mostSteps) shared.steps = read.steps as number;
    if (finite(read.speed) && number(read.speed) > 0) shared.speed = number(read.speed);
    const view = numbers(read.view);
    if (view && view.length === 3) shared.view = view;
    const panels = panelsIn(read.panels);
    if (panels) shared.panels = panels;
    const cost = numbers(read.cost);
    if (cost && cost.length <= 4) shared.cost = cost;
    return shared;
  } catch {
    return null;
  }
}

// The whole state as the fragment of the page's address, which browsers send to nobody.

export interface Shared {
  text: string;
  name: string;
  set: Record<string, number>;
  methods: string[];
  step: number | null;
  at?: { q: number[]; p: number[] };
}

const longest = 200000;    // characters of a fragment that is looked at
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
  return "1." + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Reads a fragment that may come from anybody; null if it is none of ours. Everything in it is looked at.
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith("1.") || fragment.length > longest) return null;
  try {
    const text = atob(fragment.slice(2).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(text, c => c.charCodeAt(0)), new DecompressionStream("deflate-raw"), 4 * mostText);
    const read = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const isText = (x: unknown): x is string => typeof x === "string" && x.length <= mostText;
    const finite = (x: unknown) => typeof number(x) === "number" && Number.isFinite(number(x));
    const numbers = (x: unknown) => Array.isArray(x) && x.every(finite) ? x.map(number) : null;
    if (!isText(read.text) || !isText(read.name)) return null;
    const set: Record<string, number> = {};
    if (typeof read.set === "object" && read.set !== null)
      for (const [name, value] of Object.entries(read.set)) if (/^[\w]+$/.test(name) && finite(value)) set[name] = number(value);
    const methods = Array.isArray(read.methods) ? read.methods.filter(isText).slice(0, 4) : [];
    const shared: Shared = { text: read.text, name: read.name.slice(0, 80), set, methods, step: finite(read.step) ? number(read.step) : null };
    const at = read.at as { q?: unknown; p?: unknown } | undefined, q = numbers(at?.q), p = numbers(at?.p);
    if (q && p && q.length === p.length) shared.at = { q, p };
    return shared;
  } catch {
    return null;
  }
}

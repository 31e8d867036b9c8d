// The C interface of taut.h, as the compiled module has it, for TypeScript: texts, numbers and errors cross
// here.

export interface ErrorPlace { origin?: string; line?: number; column?: number; sentence: string; note?: string }

// A call that failed: the library's own words, and for an error in a model's text the places.
export class TautError extends Error {
  readonly kind: string;
  readonly places: ErrorPlace[];
  constructor(sentence: string, kind: string, places: ErrorPlace[] = []) {
    super(sentence);
    this.kind = kind;
    this.places = places;
  }
}

export interface Description {
  name: string; title: string; text: string; form: string; tier: string;
  coordinates: string[]; momenta: string[];
  parameters?: Record<string, number>; definitions: Record<string, string>;
  hamiltonian?: string; potential?: string; mass?: string[];
  constraint_count: number;
  start: { q: number[]; p: number[] };
  settable: string[]; methods: string[];
  run: { method: string; step: number; steps: number; every: number };
  quantities: Record<string, string>;
  latex?: Latex;  // none for a system of particles
}

// A model has one of the first four: what its author wrote.
export interface Latex {
  hamiltonian?: string; lagrangian?: string; kinetic?: string; mass?: string; potential?: string;
  constraints: string[]; definitions: { name: string; formula: string }[]; forces: { on: string; formula: string }[];
}

export interface Picture {
  dimension: number;
  bodies: { name: string; disc: boolean; trail: boolean }[];
  anchors: number[][]; links: [number, number][]; spheres: { centre: number[]; radius: number }[];
  note: string;
}

type Exports = Record<string, (...args: (number | bigint)[]) => number> & { memory: WebAssembly.Memory; __indirect_function_table: WebAssembly.Table };

const decoder = new TextDecoder();
const encoder = new TextEncoder();

// What the C library asks of its system. There are no files, no arguments and no environment; there is a
// clock, and what is written to the standard streams goes to the console.
function wasi(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  const view = () => new DataView(memory().buffer);
  const badFile = 8, ok = 0;
  const calls: WebAssembly.ModuleImports = {
    clock_time_get: (_clock: number, _precision: bigint, out: number) => {
      view().setBigUint64(out, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)), true);
      return ok;
    },
    clock_res_get: (_clock: number, out: number) => { view().setBigUint64(out, 1000n, true); return ok; },
    environ_get: () => ok,
    environ_sizes_get: (count: number, size: number) => { view().setUint32(count, 0, true); view().setUint32(size, 0, true); return ok; },
    args_get: () => ok,
    args_sizes_get: (count: number, size: number) => { view().setUint32(count, 0, true); view().setUint32(size, 0, true); return ok; },
    fd_write: (file: number, vectors: number, count: number, written: number) => {
      let text = "", total = 0;
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(vectors + 8 * i, true), size = view().getUint32(vectors + 8 * i + 4, true);
        text += decoder.decode(new Uint8Array(memory().buffer, at, size).slice());
        total += size;
      }
      if (file === 2) console.warn(text); else console.log(text);
      view().setUint32(written, total, true);
      return ok;
    },
    random_get: (at: number, size: number) => { crypto.getRandomValues(new Uint8Array(memory().buffer, at, size)); return ok; },
    proc_exit: (code: number) => { throw new Error(`the module ended with ${code}`); },
  };
  return new Proxy(calls, { get: (known, name) => known[name as string] ?? (() => badFile) });
}

// Machine code for formulas: port/compiled_formulas.cpp writes a module, whose functions come into the table of the
// large one. Places that are given back are used again.
function compiler(exports: () => Exports): WebAssembly.ModuleImports {
  const free = new Map<number, number[]>();
  return {
    compile: (at: number, size: number, count: number) => {
      try {
        const { memory, __indirect_function_table: table } = exports();
        const module = new WebAssembly.Module(new Uint8Array(memory.buffer, at >>> 0, size).slice());
        const made = new WebAssembly.Instance(module, { e: { memory, table } }).exports;
        const first = free.get(count)?.pop() ?? table.grow(count);
        for (let k = 0; k < count; ++k) table.set(first + k, made[k]);
        return first;
      } catch (error) {
        console.warn(`formulas are interpreted: ${error}`);
        return 0;
      }
    },
    release: (first: number, count: number) => {
      for (let k = 0; k < count; ++k) exports().__indirect_function_table.set(first + k, null);
      free.set(count, [...free.get(count) ?? [], first]);
    },
  };
}

export class Taut {
  private constructor(private readonly c: Exports) {}

  static async load(bytes: BufferSource | WebAssembly.Module): Promise<Taut> {
    let c: Exports | null = null;
    const system = wasi(() => c!.memory), own = compiler(() => c!);
    const module = bytes instanceof WebAssembly.Module ? bytes : await WebAssembly.compile(bytes);
    const imports: WebAssembly.Imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module))
      (imports[from] ??= {})[name] = ((from === "lab" ? own : system) as Record<string, WebAssembly.ImportValue>)[name];
    c = (await WebAssembly.instantiate(module, imports)).exports as unknown as Exports;
    c._initialize();
    return new Taut(c);
  }

  // ---- Memory ------------------------------------------------------------------------------------------------

  private view() { return new DataView(this.c.memory.buffer); }
  memoryBytes() { return this.c.memory.buffer.byteLength; }

  private allocate(size: number): number {
    const at = this.c.malloc(Math.max(size, 8)) >>> 0;
    if (at === 0) throw new TautError("there is not enough memory.", "memory");
    return at;
  }
  private text(at: number): string {
    const bytes = new Uint8Array(this.c.memory.buffer);
    let end = at >>> 0;
    while (bytes[end] !== 0) ++end;
    return decoder.decode(bytes.slice(at >>> 0, end));
  }

  // Lends C some texts and numbers, and takes them back.
  private lending<T>(use: (put: (x: string | null) => number, room: (size: number) => number) => T): T {
    const lent: number[] = [];
    const room = (size: number) => { const at = this.allocate(size); lent.push(at); return at; };
    const put = (x: string | null) => {
      if (x === null) return 0;
      const bytes = encoder.encode(x.replaceAll("\0", "\ufffd"));
      const at = room(bytes.length + 1);
      const memory = new Uint8Array(this.c.memory.buffer);
      memory.set(bytes, at);
      memory[at + bytes.length] = 0;
      return at;
    };
    try {
      return use(put, room);
    } finally {
      for (const at of lent) this.c.free(at);
    }
  }

  private check(status: number, allowed = 0): number {
    if (status === 0 || status === allowed) return status;
    const error = JSON.parse(this.text(this.c.taut_last_error_json())) as { sentence?: string; kind?: string; errors?: ErrorPlace[] };
    throw new TautError(error.sentence ?? "an error without words", error.kind ?? "internal", error.errors ?? []);
  }

  // Calls a function whose last argument takes a text, and returns the text.
  private answer(call: (out: number) => number): string {
    return this.lending((_, room) => {
      const out = room(4);
      this.view().setUint32(out, 0, true);
      this.check(call(out));
      const at = this.view().getUint32(out, true), text = this.text(at);
      this.c.taut_free(at);
      return text;
    });
  }

  private numbersIn(at: number, count: number): Float64Array {
    return new Float64Array(this.c.memory.buffer, at >>> 0, count);
  }

  // ---- Lists -------------------------------------------------------------------------------------------------

  version() { return this.text(this.c.taut_version()); }
  problems() {
    return JSON.parse(this.answer(out => this.c.taut_problems(out))) as { name: string; description: string }[];
  }
  methods() {
    return JSON.parse(this.answer(out => this.c.taut_methods(out))) as Record<string, unknown>[];
  }

  // ---- Models ------------------------------------------------------------------------------------------------

  open(name: string, set: Record<string, number | string> = {}): Model {
    return this.lending((put, room) => {
      const out = room(4);
      this.check(this.c.taut_model_open(put(name), put(JSON.stringify({ set })), out));
      return new Model(this, this.view().getUint32(out, true));
    });
  }
  parse(text: string, name: string, set: Record<string, number | string> = {}): Model {
    return this.lending((put, room) => {
      const out = room(4);
      this.check(this.c.taut_model_parse(put(text), put(name), 0, put(JSON.stringify({ set })), out));
      return new Model(this, this.view().getUint32(out, true));
    });
  }
  freeModel(model: number) { this.c.taut_model_free(model); }
  describe(model: number): Description {
    return JSON.parse(this.answer(out => this.c.taut_model_describe(model, out))) as Description;
  }
  evaluate(model: number, what: string, size: number, q: ArrayLike<number>, p: ArrayLike<number>): Float64Array {
    return this.lending((put, room) => {
      const n = q.length, at = room(8 * n), beside = room(8 * n), out = room(8 * size);
      this.numbersIn(at, n).set(q);
      this.numbersIn(beside, n).set(p);
      this.check(this.c.taut_evaluate(model, put(what), 1n, at, BigInt(8 * n), beside, BigInt(8 * n), out));
      return this.numbersIn(out, size).slice();
    });
  }
  // Brings a state onto the manifold; null if no point of it was found nearby.
  project(model: number, q: ArrayLike<number>, p: ArrayLike<number>): { q: Float64Array; p: Float64Array } | null {
    return this.lending((_, room) => {
      const n = q.length, at = room(8 * n), beside = room(8 * n), moved = room(16);
      this.numbersIn(at, n).set(q);
      this.numbersIn(beside, n).set(p);
      if (this.check(this.c.taut_project(model, 1n, at, beside, moved), 1) !== 0) return null;
      return { q: this.numbersIn(at, n).slice(), p: this.numbersIn(beside, n).slice() };
    });
  }

  // ---- Steppers ----------------------------------------------------------------------------------------------

  stepper(model: number, options: object): number {
    return this.lending((put, room) => {
      const out = room(4);
      this.check(this.c.taut_stepper_new(model, put(JSON.stringify(options)), out));
      return this.view().getUint32(out, true);
    });
  }
  freeStepper(stepper: number) { this.c.taut_stepper_free(stepper); }
  // Returns the sentence of the step that failed; null if none did.
  step(stepper: number, n: number): string | null {
    const status = this.c.taut_stepper_step(stepper, BigInt(n));
    if (status === 1) return this.text(this.c.taut_last_error());
    this.check(status);
    return null;
  }
  summary(stepper: number) { return JSON.parse(this.answer(out => this.c.taut_stepper_summary(stepper, out))) as { backend: string }; }
  tableSize() { return this.c.__indirect_function_table.length; }
  shown(stepper: number, name: string): Float64Array {
    return this.lending((put, room) => {
      const view = room(72);
      this.check(this.c.taut_stepper_view(stepper, put(name), view));
      const data = this.view().getUint32(view, true);
      const count = Number(this.view().getBigInt64(view + 16, true));
      return this.numbersIn(data, count).slice();
    });
  }

  // ---- Reports -----------------------------------------------------------------------------------------------

  report(model: number, runs: object[], command: string): string {
    return this.lending(put => {
      const options = put(runs.map(run => JSON.stringify(run)).join("\n")), words = put(command);
      return this.answer(out => this.c.lab_report(model, options, words, out));
    });
  }

  // ---- Quantities --------------------------------------------------------------------------------------------

  quantities(model: number): number {
    return this.lending((_, room) => {
      const out = room(4);
      this.check(this.c.lab_quantities_new(model, out));
      return this.view().getUint32(out, true);
    });
  }
  freeQuantities(quantities: number) { this.c.lab_quantities_free(quantities); }
  quantitiesAt(quantities: number, size: number, q: ArrayLike<number>, p: ArrayLike<number>, lambda: ArrayLike<number>, t: number): Float64Array {
    return this.lending((_, room) => {
      const n = q.length, m = lambda.length, at = room(8 * n), beside = room(8 * n), multipliers = room(8 * m), out = room(8 * size);
      this.numbersIn(at, n).set(q);
      this.numbersIn(beside, n).set(p);
      this.numbersIn(multipliers, m).set(lambda);
      this.check(this.c.lab_quantities_at(quantities, at, beside, multipliers, t, out));
      return this.numbersIn(out, size).slice();
    });
  }

  // ---- Drawings ----------------------------------------------------------------------------------------------

  drawing(model: number, frames: Float64Array, count: number): { handle: number; picture: Picture } {
    return this.lending((_, room) => {
      const at = room(8 * frames.length), out = room(4);
      this.numbersIn(at, frames.length).set(frames);
      const picture = JSON.parse(this.answer(json => this.c.lab_drawing_new(model, at, BigInt(count), out, json))) as Picture;
      return { handle: this.view().getUint32(out, true), picture };
    });
  }
  freeDrawing(drawing: number) { this.c.lab_drawing_free(drawing); }
  places(drawing: number, size: number, q: ArrayLike<number>, p: ArrayLike<number>): Float64Array {
    return this.lending((_, room) => {
      const n = q.length, at = room(8 * n), beside = room(8 * n), out = room(8 * size);
      this.numbersIn(at, n).set(q);
      this.numbersIn(beside, n).set(p);
      this.check(this.c.lab_drawing_put(drawing, at, beside, BigInt(n), out));
      return this.numbersIn(out, size).slice();
    });
  }
}

// A model that is open.
export class Model {
  readonly about: Description;
  constructor(private readonly taut: Taut, readonly handle: number) {
    this.about = taut.describe(handle);
  }
  free() { this.taut.freeModel(this.handle); }
  evaluate(what: string, size: number, q: ArrayLike<number>, p: ArrayLike<number>) {
    return this.taut.evaluate(this.handle, what, size, q, p);
  }
  project(q: ArrayLike<number>, p: ArrayLike<number>) { return this.taut.project(this.handle, q, p); }
}

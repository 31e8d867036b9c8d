// The page: a model, its picture, methods side by side, and what they keep.
import { AreaPanel } from "./area.ts";
import { bytesOf, bytesOfDense } from "./bytes.ts";
import { hashCommand, reportCommand } from "./command.ts";
import { applyTheme, download, found, make, nextTheme, onPrint, onTheme, shown } from "./dom.ts";
import { Editor } from "./editor.ts";
import { Engine, EngineError } from "./engine.ts";
import { equations } from "./equations.ts";
import { Film } from "./film.ts";
import { Gallery } from "./gallery.ts";
import type { Grip } from "./grip.ts";
import { Knobs } from "./knobs.ts";
import type { LabBlock } from "./labblock.ts";
import { Lessons } from "./lessons.ts";
import { fromFragment, LinkError, type Panels, type Shared } from "./link.ts";
import { MethodRows } from "./methodrows.ts";
import { Scene } from "./picture.ts";
import { Course, CoursePlot, PhasePlot } from "./plots.ts";
import { QuantityPlot, SectionPlot } from "./portraits.ts";
import type { Frame, OpenAnswer } from "./protocol.ts";
import { MapPanel } from "./mappanel.ts";
import { ownCoordinates } from "./session.ts";
import { Samples } from "./samples.ts";
import { share } from "./sharing.ts";
import { SwarmPanel } from "./swarmpanel.ts";

const mostSteps = 20000;  // of one frame
const still = matchMedia("(prefers-reduced-motion: reduce)");

async function unpacked(id: string, read = bytesOf): Promise<ArrayBuffer> {
  const bytes = read(found(id).textContent!.trim());
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

class Laboratory {
  private readonly engine: Engine;
  private readonly another: () => Engine;
  private readonly editor: Editor;
  private readonly knobs: Knobs;
  readonly scene: Scene;
  private readonly methods = new MethodRows(found("methods"), methods => this.setMethods(methods));
  private readonly course = new Course();
  private readonly energy = new CoursePlot("H − H₀", false);
  private readonly position = new CoursePlot("max |g|", true);
  private readonly momentum = new CoursePlot("max |G H_p|", true);
  private readonly phase = new PhasePlot();
  private readonly quantity = new QuantityPlot();
  private readonly samples = new Samples();
  private readonly section = new SectionPlot();
  private readonly area: AreaPanel;
  private readonly swarm: SwarmPanel;
  private readonly map: MapPanel;
  private reporter: Engine | null = null;
  private afterwards: (() => void) | null = null;  // what is to be chosen in the panels once the model is open
  private state: Shared = { text: "", name: "model", set: {}, methods: [], step: null };
  private open: OpenAnswer | null = null;
  frame: Frame | null = null;
  private playing = false;
  private backwards = false;
  private busy = false;
  private wanted: (() => Promise<void>) | null = null;  // what is to be done when the worker is free
  private readonly due: (() => Promise<void>)[] = [];   // what must be done before
  private opensAgain = false;  // a task that opens the model is due
  private keepsView = true;    // ... and it keeps how the mechanism is looked at
  private owed = 0;  // steps that the clock has gone ahead of
  private before: number | null = null;
  private speed = 1;
  private held: { grip: Grip; to: number[] | null; time: number } | null = null;
  private resumes = false;
  private sequence = 0;
  private readonly made = { frames: 0, steps: 0, first: 0 };  // advances drawn, their steps, and when the first frame came

  constructor(code: string, module: ArrayBuffer) {
    this.another = () => new Engine(code, module);
    this.engine = this.another();
    this.area = new AreaPanel(this.another);
    this.swarm = new SwarmPanel(this.another);
    this.map = new MapPanel(this.another, changes => this.beginAt(changes));
    this.engine.onRestart = () => { this.pause(); this.open = null; };
    this.editor = new Editor(found("editor"), text => this.changeText(text));
    this.knobs = new Knobs(found("parameters"), found("starts"), (name, value) => this.set(name, value));
    this.scene = new Scene(found("picture"), {
      grab: grip => {
        this.resumes = this.playing;
        this.pause();
        this.held = { grip, to: null, time: 0 };
      },
      move: (grip, to, time) => { this.held = { grip, to, time }; this.drag(); },
      drop: (flick, time) => this.drop(flick, time),
    });
    found("plots").append(this.energy.element, this.position.element, this.momentum.element, this.phase.element, this.section.element, this.quantity.element, this.area.element, this.swarm.element, this.map.element);
    this.buttons();
    new Lessons(block => { void this.showBlock(block).catch(e => this.complain(e)); });
    onTheme(() => this.methodRows());
    // The editor has only the lines that are in sight.
    onPrint(() => { found("text-on-paper").textContent = this.editor.text; });
  }

  // ---- the worker, one question at a time ------------------------------------------------------------------

  // Runs a task now, or when the present one is done. Of those that may be left out, steps and moves of the hand,
  // only the newest waits; the others are kept, in their order, and come first.
  private queue(task: () => Promise<void>, isKept = false) {
    if (this.busy) {
      if (isKept) this.due.push(task); else this.wanted = task;
      return;
    }
    this.busy = true;
    void task().catch(error => this.complain(error)).finally(() => {
      this.busy = false;
      const kept = this.due.shift(), next = kept ?? this.wanted;
      if (!kept) this.wanted = null;
      if (next) this.queue(next);
    });
  }

  private complain(error: unknown) {
    const said = error instanceof Error ? error.message : String(error), places = error instanceof EngineError ? error.places : [];
    this.editor.mark(places);
    const list = found("errors");
    list.hidden = false;
    const words = places.length > 0
      ? places.map(place => {
        const where = place.line !== undefined ? `${place.line}:${place.column ?? 1}` : place.origin ?? "";
        return make("button", { type: "button", class: "error", onclick: () => this.editor.goTo(place) }, make("b", {}, where), ` ${place.sentence}`, ...(place.note ? ["\n" + place.note] : []));
      })
      : [make("p", {}, said)];
    list.replaceChildren(...words);
    this.pause();
  }

  // ---- the model -------------------------------------------------------------------------------------------

  async begin() {
    if (!await this.openLink()) await this.load("double-pendulum");
    addEventListener("hashchange", () => { void this.openLink(); });
    requestAnimationFrame(now => this.tick(now));
    // To list the models is to read them all: the first frame does not wait for that.
    const { models, version } = await this.engine.ask<{ models: { name: string; description: string }[]; version: string }>({ kind: "list" });
    found("version").textContent = `taut ${version}`;
    const gallery = found<HTMLSelectElement>("gallery");
    gallery.append(...models.map(m => make("option", { value: m.name, title: m.description }, m.name)));
    this.chooseInGallery();
    const load = (name: string) => { void this.load(name).catch(e => this.complain(e)); };
    gallery.addEventListener("change", () => load(gallery.value));
    const pictures = new Gallery(this.another, models, name => { gallery.value = name; load(name); });
    found("show-pictures").addEventListener("click", () => pictures.open());
    found("show-pictures").removeAttribute("disabled");
  }

  private chooseInGallery() {
    const gallery = found<HTMLSelectElement>("gallery"), { name } = this.state;
    gallery.value = [...gallery.options].some(o => o.value === name) ? name : "";
  }

  // Opens the link in the page's address, if there is one that can be read.
  private async openLink(): Promise<boolean> {
    const [fragment, ...words] = location.hash.slice(1).split("&");
    document.documentElement.classList.toggle("embed", words.includes("embed"));
    if (fragment === "") return false;
    try {
      const shared = await fromFragment(fragment);
      found("said").textContent = "";
      this.show(shared);
      return true;
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      found("said").textContent = error.message;
      return false;
    }
  }

  private show(shared: Shared) {
    this.state = shared;
    this.chooseInGallery();
    this.editor.text = shared.text;
    this.reopen(false);
  }

  private async load(name: string) {
    const text = await this.engine.ask<string>({ kind: "source", name });
    this.state = { text, name, set: {}, methods: [], step: null };
    this.editor.text = text;
    this.reopen(false);
  }

  // Opens what a block of a lesson says.
  private async showBlock({ name, text, methods, step, speed, set, section, level, quantity, square, neighbours, map }: LabBlock) {
    const source = text ?? await this.engine.ask<string>({ kind: "source", name });
    this.afterwards = () => {
      this.section.choose(section, { level });
      if (quantity !== null) this.quantity.chosen = quantity;
      this.area.turn(square);
      this.swarm.turn(neighbours);
      this.map.turn(map);
    };
    this.show({ text: source, name, set, methods, step, ...(speed === null ? {} : { speed }) });
    found("picture").scrollIntoView({ block: "nearest" });
  }

  private changeText(text: string) {
    this.state = { ...this.state, text, set: {}, at: undefined };
    const mine = ++this.sequence;
    setTimeout(() => { if (mine === this.sequence) this.reopen(true); }, 180);
  }

  private set(name: string, value: number) {
    const about = this.open?.about;
    this.state.set = { ...this.state.set, [name]: value };
    if (about && this.state.at) {
      // A start of one's own is changed in place; its other values stay.
      const k = [...about.coordinates, ...about.momenta].indexOf(name), n = about.coordinates.length;
      if (k >= 0) {
        delete this.state.set[name];
        const { q, p } = this.state.at;
        this.state.at = k < n ? { q: q.with(k, value), p } : { q, p: p.with(k - n, value) };
      }
    }
    this.reopen(true);
  }

  // Begins at the present start with other values of some coordinates, on the manifold.
  private beginAt(changes: Map<number, number>) {
    if (this.open === null) return;
    const { q, p } = this.state.at ?? this.open.about.start, moved = [...q];
    for (const [k, x] of changes) moved[k] = x;
    this.state.at = { q: moved, p: [...p] };
    this.reopen(true);
  }

  // Opens the model as the state says it by then: changes that come before need no opening of their own.
  private reopen(keepsView: boolean) {
    this.keepsView &&= keepsView;
    if (this.opensAgain) return;
    this.opensAgain = true;
    this.queue(async () => {
      const keepView = this.keepsView;
      this.opensAgain = false;
      this.keepsView = true;
      const { text, name, set, methods, step, at, steps, speed, view, cost, panels } = this.state;
      this.state = { text, name, set, methods, step, at, cost };
      const answer = await this.engine.ask<OpenAnswer>({ kind: "open", text, name, set, step, lanes: methods.map(method => ({ method })), at, cost });
      const sameShape = this.open !== null && this.open.picture.bodies.length === answer.picture.bodies.length && this.open.picture.dimension === answer.picture.dimension;
      this.open = answer;
      this.state.methods = answer.lanes.map(l => l.method);
      this.state.cost = answer.cost;
      found("same-cost").setAttribute("aria-pressed", String(answer.cost !== undefined));
      this.editor.mark([]);
      found("errors").hidden = true;
      found("title").textContent = answer.about.title;
      const events = /^\s*\[\[events\]\]/m.test(text) ? "Events of the model are not looked for here: no reflection, no stop. " : "";
      found("note").textContent = events + answer.picture.note;
      found("equations").replaceChildren(...equations(answer.about));
      found<HTMLInputElement>("step-size").value = String(answer.base);
      if (!keepView) this.choosePace(answer);
      this.scene.begin(answer.picture, answer.frame.lanes, keepView && sameShape);
      if (speed) this.choosePaceOf(speed);
      if (view) this.scene.view = view;
      this.restarted(answer.frame);
      this.methodRows();
      if (panels) this.choosePanels(panels);
      this.afterwards?.();
      this.afterwards = null;
      if (steps) await this.goTo(steps);
      else if (!keepView && !still.matches) this.play();
    }, true);
  }

  private choosePanels({ quantity, phase, section, square, neighbours, map }: Panels) {
    if (quantity !== undefined) this.quantity.chosen = quantity;
    if (phase !== undefined) this.phase.chosen = phase;
    this.section.choose(section?.through ?? null, section);
    this.area.choose(square);
    this.swarm.choose(neighbours);
    this.map.choose(map);
  }

  // Makes as many steps as a link says, and waits there. Whatever is asked meanwhile ends it.
  private async goTo(steps: number) {
    this.pause();
    const said = found("said");
    while (this.frame!.steps < steps && this.frame!.lanes.some(l => l.failed === null)) {
      if (this.playing || this.wanted !== null || this.due.length > 0) break;
      const before = this.frame!.steps;
      await this.advance(Math.min(mostSteps, steps - before));
      if (this.frame!.steps === before) break;
      said.textContent = `The link has ${steps} steps; ${this.frame!.steps} are made.`;
    }
    said.textContent = "";
  }

  // What is shown begins anew, at another start or with other methods.
  private restarted(frame: Frame) {
    const names = this.state.methods;
    this.course.begin(names.length, 3);
    for (const plot of [this.energy, this.position, this.momentum]) plot.begin(names);
    const { coordinates, momenta } = this.open!.about;
    this.phase.begin(coordinates, names.length);
    this.section.begin(coordinates, momenta, names.length);
    this.quantity.begin(this.open!.about, names, frame.lanes[0]);
    this.samples.begin(this.open!.about, names, frame.lanes[0]);
    const { text, name, set } = this.state, { q, p } = frame.lanes[0];
    const start = { text, name, set, step: this.open!.base, at: { q: [...q], p: [...p] } };
    this.area.begin({ ...start, methods: names }, coordinates);
    this.swarm.begin({ ...start, method: names[0] }, coordinates);
    this.map.begin({ ...start, method: names[0] }, coordinates);
    this.scene.clearTrails();
    this.owed = 0;
    this.take(frame);
    this.knobs.show(this.open!.about, frame.lanes[0]);
    found("hash").textContent = "";
  }

  private choosePace(answer: OpenAnswer) {
    // A step of a model with a step of about 0.01 to 0.1 s looks well in real time; others are brought near
    // 60 steps a second.
    const perFrame = answer.step * 60, speeds = [...found<HTMLSelectElement>("speed").options].map(o => Number(o.value));
    const wish = Math.abs(perFrame) > 8 ? 8 : Math.abs(perFrame) < 0.06 ? Math.abs(perFrame) * 20 : 1;
    this.choosePaceOf(wish, speeds);
  }
  // Takes the speed of the list that is nearest.
  private choosePaceOf(wish: number, speeds = [...found<HTMLSelectElement>("speed").options].map(o => Number(o.value))) {
    this.speed = speeds.reduce((a, b) => Math.abs(Math.log(b / wish)) < Math.abs(Math.log(a / wish)) ? b : a);
    found<HTMLSelectElement>("speed").value = String(this.speed);
  }

  // ---- time ------------------------------------------------------------------------------------------------

  private tick(now: number) {
    requestAnimationFrame(next => this.tick(next));
    const seconds = this.before === null ? 0 : Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    if (!this.playing || this.open === null) return;
    this.owed = Math.min(this.owed + seconds * this.speed / Math.abs(this.open.step), mostSteps);
    const steps = Math.floor(this.owed);
    if (steps < 1 || this.busy) return;
    this.owed -= steps;
    this.queue(() => this.advance(steps));
  }

  private async advance(steps: number) {
    const before = this.frame!.steps;
    this.take(await this.engine.ask<Frame>({ kind: "advance", steps: this.backwards ? -steps : steps, section: this.section.wanted }));
    const frame = this.frame!;
    ++this.made.frames;
    this.made.steps += Math.abs(frame.steps - before);
    if (frame.lanes.every(l => l.failed !== null)) this.pause();
  }

  private take(frame: Frame) {
    this.frame = frame;
    this.made.first ||= performance.now();
    this.course.add(frame);
    this.scene.show(frame.lanes);
    this.phase.add(frame);
    this.section.add(frame);
    this.quantity.add(frame);
    this.samples.add(frame);
    const made = Math.round(frame.steps * this.open!.step / this.open!.base);
    this.area.follow(made);
    this.swarm.follow(made);
    [this.energy, this.position, this.momentum].forEach((plot, j) => plot.show(this.course.t, this.course.values.map(lane => lane[j])));
    const live = frame.lanes.find(l => l.failed === null) ?? frame.lanes[0];
    found("clock").replaceChildren(make("small", {}, "t = "), shown(live.t, 5));
    this.methods.take(frame);
  }

  private play() {
    this.playing = true;
    this.before = null;
    found("play").textContent = "❚❚ pause";
  }
  private pause() {
    this.playing = false;
    found("play").textContent = "▶ play";
  }
  private single(direction: number) {
    this.pause();
    const steps = direction;
    this.queue(async () => this.take(await this.engine.ask<Frame>({ kind: "advance", steps, section: this.section.wanted })));
  }

  // ---- the hand --------------------------------------------------------------------------------------------

  private drag() {
    this.queue(async () => {
      const held = this.held;
      if (held === null || held.to === null) return;
      const frame = await this.engine.ask<Frame>({ kind: "drag", grip: held.grip, to: held.to, time: held.time });
      this.frame = frame;
      this.scene.show(frame.lanes);
      this.methods.take(frame);
    });
  }

  private drop(flick: boolean, time: number) {
    const resumes = this.resumes, moved = this.held?.to !== null && this.held !== null;
    const finish = async () => {
      this.held = null;
      if (moved) {
        const frame = await this.engine.ask<Frame>({ kind: "drop", flick, time, rate: this.speed });
        this.state.at = { q: [...frame.lanes[0].q], p: [...frame.lanes[0].p] };
        this.restarted(frame);
      }
      if (resumes) this.play();
    };
    // The last place of the hand, if it still waits, comes first.
    const last = this.wanted;
    this.wanted = null;
    this.queue(last && moved ? async () => { await last(); await finish(); } : finish, true);
  }

  // ---- methods ---------------------------------------------------------------------------------------------

  private methodRows() {
    if (this.open === null) return;
    this.methods.show(this.open);
    if (this.frame) this.methods.take(this.frame);
  }

  private setMethods(methods: string[]) {
    this.state.methods = methods;
    if (this.state.cost) this.state.cost = [];
    this.reopen(true);
  }

  // ---- buttons ---------------------------------------------------------------------------------------------

  private buttons() {
    const on = (id: string, action: () => void) => found(id).addEventListener("click", action);
    on("theme", nextTheme);
    on("play", () => this.playing ? this.pause() : this.play());
    on("forward", () => this.single(1));
    on("back", () => this.single(-1));
    on("backwards", () => {
      this.backwards = !this.backwards;
      found("backwards").setAttribute("aria-pressed", String(this.backwards));
    });
    on("restart", () => this.reopen(true));
    on("same-cost", () => {
      this.state.cost = this.state.cost ? undefined : [];
      this.reopen(true);
    });
    on("nearer", () => this.scene.zoom(1.25));
    on("farther", () => this.scene.zoom(0.8));
    const shared = (): Shared => {
      const { frame } = this, made = frame && frame.forwards && frame.steps > 0 ? { steps: frame.steps } : {};
      const panels = {
        quantity: this.quantity.chosen, phase: this.phase.chosen, section: this.section.choice,
        square: this.area.choice, neighbours: this.swarm.choice, map: this.map.choice,
      };
      return { ...this.state, ...made, speed: this.speed, view: this.scene.view, panels };
    };
    on("share", () => { void share(shared(), ""); });
    on("embed", () => { void share(shared(), "&embed"); });
    const film = new Film(found("picture"), found("film"), () => this.state.name);
    on("film", () => film.turn());
    on("save-model", () => download(`${this.state.name}.toml`, this.state.text, "text/plain"));
    on("save-samples", () => this.samples.save(this.state.name));
    on("save-picture", () => found<HTMLCanvasElement>("picture").toBlob(blob => { if (blob) download(`${this.state.name}.png`, blob, "image/png"); }));
    on("same-bits", () => this.sameBits());
    on("save-report", () => { void this.saveReport(); });
    found("speed").addEventListener("change", () => { this.speed = Number(found<HTMLSelectElement>("speed").value); });
    found("step-size").addEventListener("change", () => {
      const h = Number(found<HTMLInputElement>("step-size").value);
      if (!(h > 0) || !Number.isFinite(h)) return this.complain(new Error("a step is a positive number; backwards has a button."));
      this.state.step = h;
      if (this.state.cost) this.state.cost = [];
      this.reopen(true);
    });
    document.addEventListener("keydown", e => {
      const at = e.target as HTMLElement;
      if (e.ctrlKey || e.metaKey || e.altKey || at.closest(".cm-editor, input, select, textarea, button")) return;
      const keys: Record<string, () => void> = {
        " ": () => found("play").click(), ".": () => this.single(1), ",": () => this.single(-1), b: () => found("backwards").click(), r: () => this.reopen(true),
      };
      if (!keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
  }

  // How the program is told of this model and its start.
  private inTerminal(): { model: string; set: [string, number][] } {
    const about = this.open!.about, set: [string, number][] = [...Object.entries(this.state.set)];
    if (this.state.at) {
      const own = ownCoordinates(about);
      about.coordinates.forEach((name, k) => set.push([name, this.state.at!.q[k]]));
      about.momenta.slice(0, own).forEach((name, k) => set.push([name, this.state.at!.p[k]]));
    }
    return { model: this.open!.bundled && !this.edited() ? this.state.name : `${this.state.name}.toml`, set };
  }

  // The report that the program makes of such a run: as long as the one on the page, or as the model says if that
  // has not begun. A worker of its own makes it, so that the mechanism goes on.
  private async saveReport() {
    if (this.open === null || this.frame === null) return;
    const button = found<HTMLButtonElement>("save-report"), { about, base, step, lanes } = this.open;
    const { text, name, set } = this.state, made = Math.round(Math.abs(this.frame.steps) * step / base);
    const methods = lanes.filter(lane => lane.refused === null).map(lane => lane.method), steps = made > 0 ? made : Math.min(mostSteps, about.run.steps);
    const at = this.state.at ?? { q: [...about.start.q], p: [...about.start.p] };
    const command = reportCommand({ ...this.inTerminal(), methods, step: base, steps });
    button.disabled = true;
    button.textContent = "report …";
    try {
      const engine = this.reporter ??= this.another();
      const page = await engine.ask<string>({ kind: "report", text, name, set, at, command, runs: methods.map(method => ({ method, step: base, steps })) });
      download(`${name}.html`, page, "text/html");
    } catch (error) {
      found("hash").textContent = `There is no report: ${error instanceof Error ? error.message : error}`;
    } finally {
      button.disabled = false;
      button.textContent = "report";
    }
  }

  // The hash of the state, beside the command that prints the same one.
  private sameBits() {
    this.queue(async () => {
      const lane = this.frame!.lanes.findIndex(l => l.failed === null);
      if (lane < 0) { found("hash").textContent = "No method has made a step that could be hashed."; return; }
      const { hash, steps, step, direction } = await this.engine.ask<{ hash: string; steps: number; step: number; direction: number }>({ kind: "hash", lane });
      const place = found("hash");
      if (steps < 1 || direction < 0) { place.textContent = "A hash belongs to a state after some steps forwards from the start."; return; }
      const method = this.state.methods[lane], made = this.inTerminal(), command = hashCommand({ ...made, method, step, steps });
      const leftOut = /^\s*do\s*=\s*["'](stop|reflect)["']/m.test(this.state.text)
        ? [make("p", {}, "Save the model and take its [[events]] out first: the page leaves out those that stop or reflect, and the program does not.")] : [];
      place.replaceChildren(...leftOut, make("p", {}, `After ${steps} steps of ${method}, the SHA-256 of q and p is`), make("code", { id: "hash-value" }, hash),
        make("p", {}, made.model === this.state.name ? "This prints the same in a terminal:" : `Save the model (the button toml) as ${made.model}. Beside it, this prints the same in a terminal:`), make("code", { id: "hash-command" }, command));
    });
  }
  private edited() { return this.editor.text !== this.state.text; }

  // What tests ask.
  get now() { return { playing: this.playing, state: this.state, frame: this.frame, open: this.open, busy: this.busy, made: { ...this.made } }; }
}

async function main() {
  applyTheme();
  const laboratory = new Laboratory(new TextDecoder().decode(await unpacked("worker")), await unpacked("module", bytesOfDense));
  (window as unknown as { laboratory: Laboratory }).laboratory = laboratory;
  await laboratory.begin();
}
main().catch(error => {
  const list = found("errors");
  list.hidden = false;
  list.textContent = `The laboratory could not begin: ${error instanceof Error ? error.message : error}`;
});

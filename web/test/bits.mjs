// node bits.mjs MODULE.wasm TAUT: every bundled model ends in the same bits in the module and in the program,
// by the model's own method and by others; and a start of one's own, a method of every family, an error.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sources, wasm } from "./module.mjs";

const [module, program] = process.argv.slice(-2);
const { Taut, TautError, stateHash, sha256, Session, steadyMethod, ownCoordinates, Cloud, Crossings, labBlock, Swarm, Tiles, loopIntegral, toFragment, fromFragment, hashCommand, reportCommand, reportOf, LinkError, stepperOf } = await sources();
const taut = await Taut.load(wasm(module));

function native(model, options) {
  return JSON.parse(execFileSync(program, ["run", model, "--json", "--backend", "interpret", ...options], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 }));
}

test("SHA-256 gives the digests of FIPS 180-4", () => {
  const of = text => sha256(new TextEncoder().encode(text));
  assert.equal(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  assert.equal(of("a".repeat(1000000)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
});

function endOf(model, options, steps, own) {
  const stepper = taut.stepper(model.handle, options);
  try {
    assert.equal(taut.step(stepper, steps), null);
    assert.equal(taut.summary(stepper).backend, model.about.form === "particles" ? "interpret" : options.backend);
    return { q: taut.shown(stepper, "q").slice(0, own), p: taut.shown(stepper, "p").slice(0, own) };
  } finally {
    taut.freeStepper(stepper);
  }
}

// Runs both from the model's own start, without its events: a stepper does not look for them.
function ends(name, method, steps) {
  const folder = mkdtempSync(join(tmpdir(), "taut-bits-"));
  const bundled = taut.open(name);
  try {
    const events = bundled.about.text.includes("[[events]]"), file = join(folder, "model.toml");
    const text = bundled.about.text.replace(/\[\[events\]\][^[]*/g, "");
    if (events) writeFileSync(file, text);
    const model = events ? taut.parse(text, "model") : taut.open(name);
    try {
      const large = model.about.coordinates.length > 60 || model.about.form === "particles", made = large ? 20 : steps;
      const chosen = method ?? steadyMethod(model.about.run.method);
      const there = native(events ? file : name, ["--method", chosen, "--steps", String(made), "--on-jump", "warn"]), own = ownCoordinates(model.about);
      assert.equal(there.error, undefined);
      assert.equal(there.steps, made);
      return { there, here: ["interpret", "compile"].map(backend => endOf(model, { method: chosen, backend, "on-jump": "warn" }, made, own)) };
    } finally {
      model.free();
    }
  } finally {
    bundled.free();
    rmSync(folder, { recursive: true });
  }
}

function compare(name, method, steps) {
  const { here, there } = ends(name, method, steps), wanted = stateHash(there.q, there.p);
  for (const { q, p } of here) assert.equal(stateHash(q, p), wanted, `${name}: ${[...q].slice(0, 3)} and ${there.q.slice(0, 3)}`);
}

for (const { name } of taut.problems())
  test(`${name} ends in the bits of the program`, () => compare(name, null, 300));
for (const method of ["rattle", "shake", "midpoint", "yoshida8a", "lobatto(4)", "dirac-gauss(2)", "radau(3)", "bdf(3)", "multistep8", "half-explicit(4)"])
  test(`${method} on the double pendulum has the bits of the program`, () => compare("double-pendulum", method, 1000));

test("compiled formulas have the bits of interpreted ones: every function, shared values, long programs, wrong arguments", () => {
  const of = (body, more = "") => `[system]\ncoordinates = ["x", "y"]\nmass = [1.0, 2.0]\npotential = "${body}"\n${more}[initial]\nx = 0.3\ny = 0.7\np_x = 0.2\n[run]\nmethod = "rattle"\nstep = 0.01\nsteps = 10\n`;
  const functions = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "erf", "erfc", "cbrt", "abs"];
  const texts = [
    ...functions.map(f => of(`${f}(x*y) + (${f}(x*y))^2 + ${f}(0.3 + x/9)`)), of("atan2(y, x) + x^2.5 + y^x + x^3"), of("x"), of("0"),
    of(Array.from({ length: 300 }, (_, k) => `cos(${k}*x + y)/${k + 1}`).join(" + ")), of(`x^2${"*(1 + y".repeat(60)}${")".repeat(60)}`), of("abs(x - 0.3)*sqrt(x^2 + y^2)", 'constraints = ["x^2 + y^2 - 0.58"]\n'),
  ];
  for (const text of texts) {
    const model = taut.parse(text, "m");
    // A run may leave what a function is defined for, and then both fail in the same step.
    const [one, other] = ["interpret", "compile"].map(backend => {
      const stepper = taut.stepper(model.handle, { method: "rattle", backend, "project-start": true }), failed = taut.step(stepper, 200);
      const end = { failed, q: taut.shown(stepper, "q"), p: taut.shown(stepper, "p") };
      assert.equal(taut.summary(stepper).backend, backend);
      taut.freeStepper(stepper);
      return end;
    });
    assert.deepEqual(other, one, text.slice(0, 200));
    model.free();
  }
});

test("compiled formulas are given back: two hundred models leave the table as large as it was", () => {
  const open = k => {
    const model = taut.open("pendulum", { gravity: 1 + k / 200 }), stepper = taut.stepper(model.handle, { method: "rattle", backend: "compile" });
    assert.equal(taut.step(stepper, 2), null);
    taut.freeStepper(stepper);
    model.free();
  };
  open(1);
  const before = taut.tableSize();
  for (let k = 0; k < 200; ++k) open(k);
  assert.ok(taut.tableSize() - before < 50, `${before} and ${taut.tableSize()} functions`);
});

test("the quantities of a model have the program's values", () => {
  for (const name of ["governor", "foucault-pendulum", "kepler-on-sphere"]) {
    const model = taut.open(name), { text, run } = model.about, method = steadyMethod(run.method);
    model.free();
    const session = new Session(taut, { kind: "open", text, name, set: {}, lanes: [{ method }], step: run.step });
    let frame = session.advance(50);
    while (frame.steps < 50) frame = session.advance(50 - frame.steps);
    const there = native(name, ["--method", method, "--step", String(run.step), "--steps", "50"]).quantities;
    assert.deepEqual(Object.fromEntries(Object.keys(session.answer.about.quantities).map((key, k) => [key, frame.lanes[0].quantities[k]])), there, name);
    session.free();
  }
});

test("the report is the program's: one page with both methods, the command and the model", () => {
  const model = taut.open("double-pendulum"), { text, start: at } = model.about;
  model.free();
  const command = "taut compare double-pendulum --methods rattle,rk4 --report";
  const page = reportOf(taut, { kind: "report", text, name: "double-pendulum", set: {}, at, command, runs: ["rattle", "rk4"].map(method => ({ method, step: 0.05, steps: 200 })) });
  assert.match(page, /^<!doctype html>/i);
  for (const words of ["rattle", "rk4", command, "Double pendulum"]) assert.ok(page.includes(words), words);
});

test("a stepper's hash is the one that the program prints with --hash", () => {
  const model = taut.open("double-pendulum", { gravity: 1.5 });
  const stepper = taut.stepper(model.handle, { method: "lobatto(3)", step: 0.02, backend: "interpret" });
  assert.equal(taut.step(stepper, 500), null);
  const printed = execFileSync(program, ["run", "double-pendulum", "--method", "lobatto(3)", "--step", "0.02", "--steps", "500", "--backend", "interpret", "--set", "gravity=1.5", "--hash"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  assert.ok(printed.includes(stateHash(taut.shown(stepper, "q"), taut.shown(stepper, "p"))), printed);
});

test("ten wrong models are refused at their characters, in the program's words", () => {
  const good = taut.open("pendulum").about.text;
  const wrong = [
    ["[system", 1, 8], ["title = 3", 1], ['[system]\ncoordinates = ["x"]\nmass = [1.0]\npotential = "x^2 + L0"\n[initial]\nx = 1\n', 4, 20],
    ['[system]\ncoordinates = ["x"]\nmass = [1.0]\npotential = "sin(x"\n', 4], ['[system]\ncoordinates = ["x"]\nmass = [1.0]\npotential = "x +* 2"\n', 4, 17],
    ['[system]\ncoordinates = ["sin"]\nmass = [1.0]\npotential = "0"\n', 2], ['[system]\ncoordinates = ["x", "x"]\nmass = [1.0, 1.0]\npotential = "0"\n', 2],
    ['[system]\ncoordinates = ["x"]\nmass = [1.0]\npotential = "0"\nconstrains = ["x"]\n', 5], ['[system]\ncoordinates = ["x"]\nmass = [1.0, 2.0, 3.0]\npotential = "0"\n', 3],
    [good + '\n[parameters2]\na = 1\n', good.split("\n").length + 1],
  ];
  for (const [text, line, column] of wrong) {
    assert.throws(() => taut.parse(text, "model"), error => {
      assert.ok(error instanceof TautError, `${error}`);
      assert.equal(error.kind, "model");
      assert.ok(error.places.some(place => place.line === line && (column === undefined || place.column === column)), JSON.stringify([text, error.places]));
      return true;
    });
  }
});

test("a megabyte of parentheses is refused, and the module lives on", () => {
  const text = `[system]\ncoordinates = ["x"]\nmass = [1.0]\npotential = "${"(".repeat(1e6)}x${")".repeat(1e6)}"\n[initial]\nx = 1\n`;
  assert.throws(() => taut.parse(text, "model"), TautError);
  compare("pendulum", "rattle", 100);
});

test("dragging keeps |g| at rounding, and a flick gives momentum along the manifold", () => {
  const text = taut.open("double-pendulum").about.text;
  const session = new Session(taut, { kind: "open", text, name: "m", set: {}, lanes: [{ method: "rattle" }, { method: "lobatto(3)" }], step: null });
  for (let k = 0; k < 40; ++k) {
    const frame = session.drag({ parts: [[1, 1]], fixed: [0, 0] }, [1.9 * Math.sin(k / 8), -1.9 * Math.cos(k / 8)], 16 * k);
    for (const lane of frame.lanes) assert.ok(lane.position <= 1e-14, `${lane.position}`);
    const far = Math.hypot(frame.lanes[0].places[2] - 1.9 * Math.sin(k / 8), frame.lanes[0].places[3] + 1.9 * Math.cos(k / 8));
    if (k > 0) assert.ok(far < 1e-6, `the body is ${far} from the hand`);
  }
  const frame = session.drop({ flick: true, time: 16 * 40, rate: 1 });
  assert.ok(frame.lanes[0].momentum <= 1e-13);
  const speed = Math.hypot(frame.lanes[0].p[2], frame.lanes[0].p[3]);  // masses are 1
  assert.ok(Math.abs(speed - 1.9 / 8 / 0.016) < 0.05 * speed, `${speed}`);
  session.free();
});

test("every bundled model opens as the page asks for it, and makes a step", () => {
  const names = taut.problems().map(problem => problem.name);
  assert.ok(names.length >= 30 && names.includes("ellipsoid-billiard"));
  for (const name of names) {
    const bundled = taut.open(name), text = bundled.about.text;
    bundled.free();
    const session = new Session(taut, { kind: "open", text, name, set: {}, lanes: [], step: null });
    const { lanes, steps } = session.advance(1);
    assert.equal(lanes[0].failed, null, name);
    assert.equal(steps, 1, name);
    const back = session.advance(-1);
    assert.equal(back.lanes[0].failed, null, name);
    assert.equal(back.steps, 0, name);
    assert.equal(back.forwards, false, name);
    session.free();
  }
});

const free = '[system]\ncoordinates = ["x"]\nmass = [1.0]\npotential = "x^2/2"\n[initial]\nx = 0.3\np_x = 0.1\n[run]\nmethod = "rattle"\nstep = 0.1\nsteps = 10\n';

test("without constraints the square has its area, and a linear symplectic map keeps it to rounding", () => {
  const cloud = new Cloud(taut, { kind: "cloud", text: free, name: "m", set: {}, methods: ["rattle", "radau(2)"], step: 0.1, at: { q: [0.3], p: [0.1] }, coordinate: null, size: 0.25 });
  const first = cloud.frame();
  assert.ok(Math.abs(first.lanes[0].area - 0.0625) < 1e-14, `${first.lanes[0].area}`);
  assert.equal(first.lanes[0].polygon.length, 512);
  let frame = first;
  while (frame.steps < 100) frame = cloud.advance(100);
  assert.ok(Math.abs(frame.lanes[0].area / 0.0625 - 1) < 1e-13, `rattle: ${frame.lanes[0].area}`);
  assert.ok(frame.lanes[1].area / 0.0625 < 1 - 1e-4, `radau(2) shrinks it: ${frame.lanes[1].area}`);
  cloud.free();
});

test("on the double pendulum rattle keeps the loop integral of p dq, rk4 and radau do not, and backwards it comes back", () => {
  const model = taut.open("double-pendulum"), { text, start } = model.about;
  model.free();
  const cloud = new Cloud(taut, { kind: "cloud", text, name: "double-pendulum", set: {}, methods: ["rattle", "rk4", "radau-projected(2)"], step: 0.2, at: start, coordinate: null, size: 0.1 });
  const first = cloud.frame(), to = 100;
  assert.ok(first.lanes[0].area > 1e-3, `${first.lanes[0].area}`);
  let frame = first;
  while (frame.steps < to) frame = cloud.advance(to);
  const change = frame.lanes.map((lane, k) => Math.abs(lane.area / first.lanes[k].area - 1));
  assert.ok(change[0] < 1e-9, `rattle: ${change[0]}`);
  assert.ok(change[1] > 1e-2, `rk4: ${change[1]}`);
  assert.ok(change[2] > 1e-2, `radau-projected(2): ${change[2]}`);
  while (frame.steps > 0) frame = cloud.advance(0);
  const away = frame.lanes[0].polygon.map((x, i) => Math.abs(x - first.lanes[0].polygon[i]));
  assert.ok(Math.max(...away) < 1e-11, `${Math.max(...away)}`);
  cloud.free();
});

test("the loop integral of a circle is its area, by Simpson's rule, and its doubt covers the error", () => {
  const circle = Array.from({ length: 256 }, (_, i) => ({ q: [Math.sin(2 * Math.PI * i / 256)], p: [Math.cos(2 * Math.PI * i / 256)] }));
  const { area, doubt } = loopIntegral(circle, 1);
  assert.ok(Math.abs(area - Math.PI) < 1e-6 && Math.abs(area - Math.PI) <= doubt, `${area} ± ${doubt}`);
});

test("a section is met with an error of fourth order in the step, in either direction of time, at any value", () => {
  const error = (h, direction, level) => {
    const crossings = new Crossings(0, direction, level), found = [];
    for (let k = 0; k * h < 20; ++k) {
      const t = direction * (0.4 + k * h), at = crossings.add(Float64Array.of(Math.sin(t), Math.cos(t)));
      if (at) found.push(at);
    }
    assert.equal(found.length, 3);
    return Math.max(...found.map(([x, p]) => { assert.equal(x, level); return Math.abs(p - Math.sqrt(1 - level ** 2)); }));
  };
  for (const direction of [1, -1]) {
    assert.ok(error(0.1, direction, 0) < 1e-5, `${error(0.1, direction, 0)}`);
    assert.ok(error(0.1, direction, 0) / error(0.05, direction, 0) > 12, `${error(0.1, direction, 0)} and ${error(0.05, direction, 0)}`);
    assert.ok(error(0.1, direction, 0.25) < 1e-5 && error(0.05, direction, 0.25) < 1e-6, `${error(0.1, direction, 0.25)}`);
  }
});

test("a link keeps its state; one that is too long is not written, and a damaged one is refused in words", async () => {
  const state = { text: free, name: "m", set: { a: -0 }, methods: ["rattle"], step: 0.1, at: { q: [0.1 + 0.2], p: [-0] }, steps: 12, speed: 2, view: [0.1, 0.2, 1.5],
    panels: { quantity: "λ1", phase: "x", section: { through: "x", level: -0.5, across: "x", up: "p_x" }, square: { plane: "", side: 0.25 }, neighbours: { coordinate: "x", spread: 1e-3 }, map: { across: "x", up: "x", until: "x", half: 2 } } };
  const fragment = await toFragment(state);
  assert.deepEqual(await fromFragment(fragment), state);
  let noise = "#", x = 1;
  for (let k = 0; k < 400000; ++k) noise += String.fromCharCode(33 + (x = x * 48271 % 2147483647) % 90);
  await assert.rejects(toFragment({ ...state, text: noise }), error => error instanceof LinkError && /too large for a link/.test(error.message));
  for (const [wrong, why] of [["hello", /none of this page/], [fragment.slice(0, -20), /damaged/], ["1." + "A".repeat(300000), /300002 characters/], ["1.AAAA", /damaged/]])
    await assert.rejects(fromFragment(wrong), error => error instanceof LinkError && why.test(error.message), wrong.slice(0, 20));
});

test("whoever copies the command of a hostile link runs taut and nothing else", async () => {
  const shared = await fromFragment(await toFragment({ text: free, name: "-$(touch /tmp/x);'`id`", set: {}, methods: ["rattle"], step: 0.1 }));
  assert.match(shared.name, /^[\w.-]+$/);
  assert.ok(!shared.name.startsWith("-"));
  const words = hashCommand({ model: "a b'; echo wrong; '", method: "lobatto(3)$(echo wrong)", step: 1e-7, steps: 3, set: [["x", -1e-9]] });
  const told = execFileSync("bash", ["-c", words.replace(/^taut/, "printf '%s\\n'")], { encoding: "utf8" }).trimEnd().split("\n");
  assert.deepEqual(told, ["run", "a b'; echo wrong; '", "--method", "lobatto(3)$(echo wrong)", "--step", "1e-7", "--steps", "3", "--backend", "interpret", "--project-start", "--set", "x=-1e-9", "--hash"]);
  const report = reportCommand({ model: "m$(x)", methods: ["rattle", "rk4"], step: 0.1, steps: 3, set: [] });
  assert.equal(report, "taut compare 'm$(x)' --methods 'rattle,rk4' --formulation underlying --step 0.1 --steps 3 --project-start --report");
});

test("a lab block of a lesson is read, and what is wrong in one is said", () => {
  assert.deepEqual(labBlock('model = "pendulum"  # a comment\nmethods = ["rattle", "rk4"]\nstep = 0.2\nset.L = 2\nsquare = true\n'),
    { name: "pendulum", text: null, methods: ["rattle", "rk4"], step: 0.2, speed: null, set: { L: 2 }, section: null, level: 0, quantity: null, square: true, neighbours: false, map: false });
  assert.equal(labBlock("step = 0.1\n---\n" + free).text, free);
  for (const [wrong, why] of [["", /names no model/], ["model", /NAME = VALUE/], ["model = pendulum", /no text, number/], ['model = "p"\nstep = -1', /step takes a positive number/],
    ['model = "p"\nmethods = ["a", "b", "c", "d", "e"]', /up to four/], ['model = "p"\ncolour = 1', /there is no colour/]])
    assert.throws(() => labBlock(wrong), why);
});

test("the multipliers are those of the program", () => {
  const model = taut.open("double-pendulum"), { text } = model.about;
  model.free();
  const session = new Session(taut, { kind: "open", text, name: "double-pendulum", set: {}, lanes: [{ method: "rattle" }], step: 0.05 });
  let frame = session.advance(100);
  while (frame.steps < 100) frame = session.advance(100 - frame.steps);
  assert.deepEqual([...frame.lanes[0].lambda], native("double-pendulum", ["--method", "rattle", "--step", "0.05", "--steps", "100"]).lambda);
  session.free();
});

test("a stepper of the page is one of the C interface that leaves events out", () => {
  const model = taut.open("ellipsoid-billiard");
  assert.throws(() => taut.stepper(model.handle, { method: "lobatto(4)" }), error => error instanceof TautError && /does not stop or reflect/.test(error.message));
  const stepper = stepperOf(taut, model, "lobatto(4)", 0.05, model.about.start);
  let highest = 0;
  for (let k = 0; k < 100; ++k) {
    assert.equal(taut.step(stepper, 1), null);
    highest = Math.max(highest, taut.shown(stepper, "q")[0]);
  }
  assert.ok(highest > 0.61, `the side wall is at 0.6, and the point came to ${highest}`);
  taut.freeStepper(stepper);
  model.free();
});

test("neighbours are the same trajectories however many workers share them", () => {
  const model = taut.open("double-pendulum"), { text, start } = model.about;
  model.free();
  const ask = (from, count) => ({ kind: "swarm", text, name: "double-pendulum", set: {}, method: "rattle", step: 0.05, at: start, coordinate: 0, spread: 0.01, from, count, total: 10 });
  const run = (from, count) => {
    const swarm = new Swarm(taut, ask(from, count)), first = swarm.frame().places, { places, lost, steps, dimension } = swarm.advance(100);
    assert.deepEqual([lost, steps, dimension], [0, 100, 2]);
    assert.notDeepEqual([...places], [...first]);
    swarm.free();
    return [...places];
  };
  const whole = run(0, 10);
  assert.equal(new Set(whole).size, 20, "ten different trajectories");
  assert.deepEqual([...run(0, 3), ...run(3, 7)], whole);
});

test("the map tells the time until a coordinate goes up through 0", () => {
  // At rest at x < 0 an oscillator goes up through 0 at π/2, at x > 0 at 3π/2, whatever y is.
  const text = '[system]\ncoordinates = ["x", "y"]\nmass = [1.0, 1.0]\npotential = "(x^2 + y^2)/2"\n[initial]\nx = -1\ny = 1\n[run]\nmethod = "rattle"\nstep = 0.01\nsteps = 10\n';
  const tiles = new Tiles(taut, { kind: "map", text, name: "m", set: {}, method: "rattle", step: 0.01, at: { q: [-1, 1], p: [0, 0] }, across: 0, up: 1, until: 0, most: 400 });
  const [left, right] = tiles.times([0, 0, 2, 0.5]);
  assert.ok(Math.abs(left - Math.PI / 2) < 1e-4, `${left}`);
  assert.equal(right, Infinity, "from x = 1 it is 3π/2, which is beyond the steps");
  tiles.free();
  assert.throws(() => new Tiles(taut, { kind: "map", text, name: "m", set: {}, method: "rattle", step: 0.01, at: { q: [-1, 1], p: [0, 0] }, across: 0, up: 7, until: 0, most: 4 }), TautError);
});

test("at the same cost every method has steps of its own, all arrive together, and a link has the same bits", () => {
  const model = taut.open("double-pendulum"), { text } = model.about;
  model.free();
  const open = cost => new Session(taut, { kind: "open", text, name: "double-pendulum", set: {}, lanes: [{ method: "rattle" }, { method: "lobatto(4)" }], step: 0.02, cost });
  const measured = open([]), { cost, lanes, base, step } = measured.answer;
  assert.equal(base, 0.02);
  assert.equal(step, 0.16);
  assert.equal(cost[0], 8);
  assert.ok(cost[1] >= 1 && cost[1] < 8, `lobatto(4) costs more than rattle: ${cost}`);
  assert.equal(lanes[1].step, 0.16 / cost[1]);
  const go = session => {
    let frame = session.advance(5);
    while (frame.steps < 5) frame = session.advance(5 - frame.steps);
    return frame;
  };
  const frame = go(measured);
  assert.deepEqual(frame.lanes.map(lane => lane.t), [0.8, 0.8]);
  const { hash, steps, step: own } = measured.hash(1);
  assert.equal(steps, 5 * cost[1]);
  const again = open(cost);
  assert.deepEqual(again.answer.cost, cost);
  go(again);
  assert.equal(again.hash(1).hash, hash);
  const there = native("double-pendulum", ["--method", "lobatto(4)", "--step", String(own), "--steps", String(steps)]);
  assert.equal(hash, stateHash(there.q, there.p));
  measured.free();
  again.free();
});

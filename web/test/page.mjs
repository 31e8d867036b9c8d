// node page.mjs LAB.html TAUT [PICTURES]: the page in Chromium, driven by real mouse and key events. With a
// folder for pictures it leaves screenshots there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { sources } from "./module.mjs";

const words = process.argv.slice(2).filter(word => !word.endsWith("page.mjs"));
const [lab, program, pictures] = words;
const { toFragment } = await sources();
const address = pathToFileURL(lab).href;
let browser;
before(async () => { browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] }); });
after(async () => { await browser.close(); });

// Opens the page. Whatever it asks for over a network, and whatever goes wrong in it, is kept.
async function opened(fragment = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  const page = await context.newPage(), asked = [], wrong = [];
  page.on("request", request => { if (!/^(file|blob|data):/.test(request.url())) asked.push(request.url()); });
  page.on("pageerror", error => wrong.push(error.message));
  page.on("dialog", dialog => { wrong.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  await page.goto(address + (fragment ? "#" + fragment : ""));
  return {
    page, asked, wrong,
    ready: () => page.waitForFunction(() => window.laboratory?.now.frame, null, { timeout: 60000 }),
    now: () => page.evaluate(() => {
      const { playing, state, frame, open } = window.laboratory.now;
      return { playing, state, title: document.getElementById("title").textContent, lanes: frame?.lanes.map(l => ({ ...l, q: [...l.q], p: [...l.p], places: [...l.places] })), step: open?.step };
    }),
    pause: async () => {
      if (await page.evaluate(() => window.laboratory.now.playing)) await page.click("#play");
      await page.waitForFunction(() => !window.laboratory.now.busy);
    },
    picture: async name => { if (pictures) await page.screenshot({ path: join(pictures, name), fullPage: true }); },
    close: async () => {
      await context.close();
      assert.deepEqual(asked, [], "the page asks for nothing");
      assert.deepEqual(wrong, [], "nothing goes wrong in the page");
    },
  };
}

test("the first model runs in real time, and asks for nothing", async () => {
  const { page, ready, now, picture, close } = await opened();
  await ready();
  const first = await now();
  await page.waitForTimeout(1500);
  const later = await now();
  assert.ok(later.lanes[0].t > first.lanes[0].t + 0.8, `${first.lanes[0].t} to ${later.lanes[0].t}`);
  assert.ok(later.lanes[0].position < 1e-14);
  await picture("lab-1400-light.png");
  await close();
});

test("a body that is dragged moves on the manifold, and a flick gives it momentum", async () => {
  const { page, ready, now, pause, picture, close } = await opened();
  await ready();
  await pause();
  await page.evaluate(() => document.getElementById("picture").scrollIntoView());
  const [x, y] = await page.evaluate(() => window.laboratory.scene.bodyOnPage(1));
  const start = await now();
  await page.mouse.move(x, y);
  await page.mouse.down();
  let worst = 0;
  for (let k = 1; k <= 16; ++k) {
    await page.mouse.move(x + 5 * k, y - 3 * k);
    await page.waitForTimeout(20);
    worst = Math.max(worst, ...(await now()).lanes.map(l => l.position));
  }
  // A flick: the mouse moves until the button is let go.
  for (let k = 17; k <= 20; ++k) await page.mouse.move(x + 5 * k, y - 3 * k);
  await page.mouse.up();
  await page.waitForFunction(() => !window.laboratory.now.busy && window.laboratory.now.state.at);
  assert.ok(worst <= 1e-14, `|g| was ${worst}`);
  const end = await now();
  assert.notDeepEqual(end.lanes[0].q, start.lanes[0].q);
  assert.ok(Math.hypot(...end.lanes[0].p) > 0.1, "the flick gives momentum");
  assert.ok(end.lanes[0].momentum <= 1e-13, "along the manifold");
  const [x2, y2] = await page.evaluate(() => window.laboratory.scene.bodyOnPage(1));
  assert.ok(Math.hypot(x2 - x - 100, y2 - y + 60) < 12, `the body is at ${[x2, y2]}, the mouse at ${[x + 100, y - 60]}`);
  await picture("lab-1400-dragged.png");
  await close();
});

test("backwards, a symmetric method returns to its start, and rk4 does not", async () => {
  const { page, ready, now, pause, close } = await opened(await toFragment({
    text: pendulum, name: "model", set: {}, methods: ["rattle", "rk4"], step: 0.2,
  }));
  await ready();
  await pause();
  await page.click("#restart");
  await page.waitForFunction(() => !window.laboratory.now.busy);
  const start = await now();
  for (let k = 0; k < 40; ++k) await page.click("#forward");
  await page.waitForFunction(() => !window.laboratory.now.busy);
  const there = await now();
  assert.ok(there.lanes[0].t > 5, `${there.lanes[0].t}`);
  const steps = Math.round(there.lanes[0].t / 0.2);
  for (let k = 0; k < steps; ++k) {
    await page.click("#back");
    await page.waitForFunction(() => !window.laboratory.now.busy);
  }
  const end = await now();
  assert.ok(Math.abs(end.lanes[0].t) < 1e-12);
  const away = k => Math.hypot(...end.lanes[k].q.map((x, i) => x - start.lanes[k].q[i]));
  assert.ok(away(0) < 1e-12, `rattle returns: ${away(0)}`);
  assert.ok(away(1) > 1e-7, `rk4 does not: ${away(1)}`);
  await close();
});

test("four methods run side by side, 60 times a second as far as the machine does", async () => {
  const { page, ready, now, picture, close } = await opened();
  await ready();
  for (let k = 0; k < 3; ++k) {
    await page.click("#add-method");
    await page.waitForFunction(count => window.laboratory.now.frame.lanes.length === count, k + 2);
  }
  await page.selectOption('[aria-label="method 2"]', "rk4");
  await page.waitForFunction(() => window.laboratory.now.state.methods[1] === "rk4" && !window.laboratory.now.busy);
  await page.waitForTimeout(2500);
  const { lanes } = await now();
  assert.equal(lanes.length, 4);
  for (const lane of lanes) assert.equal(lane.failed, null);
  assert.ok(new Set(lanes.map(l => l.t)).size === 1, "all at one time");
  assert.ok(Math.abs(lanes[1].position) > 1e-13, "rk4 leaves the constraint");
  await picture("lab-1400-four.png");
  await close();
});

test("an error in the text is shown at its character, and the page lives on", async () => {
  const { page, ready, now, close } = await opened(await toFragment({ text: pendulum, name: "model", set: {}, methods: [], step: null }));
  await ready();
  await page.click(".cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n[quantities]\nspin = \"x*p_y - y*q_x\"\n");
  await page.waitForFunction(() => /q_x/.test(document.getElementById("errors").textContent) && !document.getElementById("errors").hidden);
  const said = await page.textContent("#errors");
  const line = pendulum.split("\n").length + 2;
  assert.match(said, /q_x/);
  assert.ok(said.startsWith(`${line}:`), said);
  assert.equal(await page.locator(".cm-lintRange-error").count(), 1);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.getElementById("errors").hidden);
  const before = (await now()).lanes[0].t;
  await page.waitForTimeout(800);
  if (!(await now()).playing) await page.click("#play");
  await page.waitForTimeout(800);
  assert.notEqual((await now()).lanes[0].t, before);
  await close();
});

test("a slider sets a parameter", async () => {
  const { page, ready, now, close } = await opened();
  await ready();
  await page.fill("#knob-gravity", "2.5");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.laboratory.now.open.about.parameters.gravity === 2.5);
  assert.deepEqual((await now()).state.set, { gravity: 2.5 });
  await close();
});

test("a link brings back the same bits, and the command beside the hash prints the same hash", async () => {
  const first = await opened();
  const { page } = first;
  await first.ready();
  await first.pause();
  await page.fill("#knob-gravity", "1.25");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.laboratory.now.open.about.parameters.gravity === 1.25 && !window.laboratory.now.busy);
  await page.evaluate(() => document.getElementById("picture").scrollIntoView());
  const [x, y] = await page.evaluate(() => window.laboratory.scene.bodyOnPage(0));
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= 10; ++k) { await page.mouse.move(x + 6 * k, y - 2 * k); await page.waitForTimeout(16); }
  await page.mouse.up();
  await page.waitForFunction(() => !window.laboratory.now.busy && window.laboratory.now.state.at);
  await page.click("#share");
  await page.waitForFunction(() => location.hash.length > 10);
  const fragment = (await page.evaluate(() => location.hash)).slice(1);
  const forward = async one => {
    await one.pause();
    for (let k = 0; k < 25; ++k) { await one.page.click("#forward"); await one.page.waitForFunction(() => !window.laboratory.now.busy); }
    return (await one.now()).lanes[0];
  };
  const here = await forward(first);
  const second = await opened(fragment);
  await second.ready();
  await second.pause();
  await second.page.click("#restart");
  await second.page.waitForFunction(() => !window.laboratory.now.busy);
  const there = await forward(second);
  assert.deepEqual([there.q, there.p], [here.q, here.p]);
  await page.click("#same-bits");
  await page.waitForSelector("#hash-value");
  const hash = await page.textContent("#hash-value"), command = await page.textContent("#hash-command");
  const printed = execFileSync("bash", ["-c", command.replace(/^taut/, `'${program}'`)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  assert.equal(printed.trim(), hash, command);
  await first.close();
  await second.close();
});

test("a hostile link and a hostile model do nothing", async () => {
  const title = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';
  const hostile = `title = '''${title}'''\n` + pendulum.replace(/^title.*\n/m, "");
  const one = await opened(await toFragment({ text: hostile, name: "<script>alert(3)</script>", set: { "<b>": 1 }, methods: [], step: null }));
  await one.ready();
  assert.equal((await one.now()).title, title);
  await one.close();
  for (const fragment of ["1.AAAA", "1." + "A".repeat(5000), "<script>alert(4)</script>"]) {
    const other = await opened(fragment);
    await other.ready();
    await other.close();
  }
  const deep = await opened(await toFragment({ text: `[system]\ncoordinates = ["x"]\nmass = [1.0]\npotential = "${"(".repeat(3e5)}x${")".repeat(3e5)}"\n`, name: "deep", set: {}, methods: [], step: null }));
  await deep.page.waitForFunction(() => !document.getElementById("errors").hidden, null, { timeout: 60000 });
  await deep.page.selectOption("#gallery", "pendulum");
  await deep.ready();
  await deep.close();
});

test("every bundled model opens and draws", async () => {
  const { page, ready, now, close } = await opened();
  await ready();
  const names = await page.$$eval("#gallery option", options => options.map(o => o.value));
  assert.ok(names.length >= 30);
  for (const name of names) {
    await page.selectOption("#gallery", name);
    await page.waitForFunction(wanted => !document.getElementById("errors").hidden || window.laboratory.now.open?.about.name === wanted, name, { timeout: 60000 });
    assert.ok(await page.evaluate(() => document.getElementById("errors").hidden), `${name}: ${await page.textContent("#errors")}`);
    assert.ok((await now()).lanes.every(l => l.places.every(Number.isFinite)), name);
  }
  await close();
});

test("on a phone nothing is wider than the screen, and a thumb can drag", async () => {
  const { page, ready, now, picture, close } = await opened("", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: "dark" });
  await ready();
  await page.waitForTimeout(1200);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} pixels wide`);
  assert.equal(await page.evaluate(() => document.documentElement.classList.contains("dark")), true);
  await picture("lab-390-dark.png");
  await page.tap("#play");
  assert.equal((await now()).playing, false);
  await close();
});

test("with reduced motion nothing moves by itself, and the keyboard reaches everything", async () => {
  const { page, ready, now, close } = await opened("", { reducedMotion: "reduce" });
  await ready();
  const before = await now();
  assert.equal(before.playing, false);
  await page.focus("#picture");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => !window.laboratory.now.busy && window.laboratory.now.state.at);
  const moved = await now();
  assert.notDeepEqual(moved.lanes[0].q, before.lanes[0].q);
  assert.ok(moved.lanes[0].position <= 1e-14);
  await page.keyboard.press(".");
  await page.waitForFunction(() => window.laboratory.now.frame.lanes[0].t > 0);
  await page.keyboard.press(" ");
  assert.equal((await now()).playing, true);
  await close();
});

const pendulum = `title = "A pendulum"

[parameters]
L = 1.0
gravity = 1.0

[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "gravity*y"
constraints = ["(x^2 + y^2 - L^2)/2"]

[initial]
x = "L"

[run]
method = "rattle"
step = 0.05
steps = 1000
`;

// node page.mjs LAB.html TAUT [PICTURES]: the page in Chromium, driven by real mouse, touch and key events. With a
// folder for pictures it leaves screenshots there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { sources } from "./module.mjs";

const words = process.argv.slice(2).filter(word => !word.endsWith("page.mjs"));
const [lab, program, pictures] = words;
const { toFragment } = await sources();
const address = pathToFileURL(lab).href;
const leastFrames = 5, leastSteps = 20000;  // a second
const longestFirst = 3000;                 // milliseconds
const doublePendulum = readFileSync(new URL("../../examples/double-pendulum.toml", import.meta.url), "utf8");
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
    // The editor lays out its lines when it is in sight.
    picture: async name => {
      if (!pictures) return;
      await page.evaluate(() => document.getElementById("editor").scrollIntoView());
      await page.waitForTimeout(500);
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: join(pictures, name), fullPage: true, scale: "css" });
    },
    close: async () => {
      await context.close();
      assert.deepEqual(asked, [], "the page asks for nothing");
      assert.deepEqual(wrong, [], "nothing goes wrong in the page");
    },
  };
}

test("the first model runs in real time, and asks for nothing", async () => {
  const { page, ready, now, close } = await opened();
  await ready();
  const first = await now();
  await page.waitForTimeout(1500);
  const later = await now();
  assert.ok(later.lanes[0].t > first.lanes[0].t + 0.8, `${first.lanes[0].t} to ${later.lanes[0].t}`);
  assert.ok(later.lanes[0].position < 1e-14);
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

test("any point of a rod can be dragged, and stays under the mouse", async () => {
  const { page, ready, now, pause, close } = await opened();
  await ready();
  await pause();
  await page.evaluate(() => document.getElementById("picture").scrollIntoView());
  const rods = await page.evaluate(() => window.laboratory.scene.picture.links.length);
  assert.ok(rods >= 2, `${rods} rods`);
  for (let rod = 0; rod < rods; ++rod) {
    const along = 0.55, at = () => page.evaluate(([k, part]) => window.laboratory.scene.rodOnPage(k, part), [rod, along]);
    const [x, y] = await at(), start = await now();
    await page.mouse.move(x, y);
    await page.mouse.down();
    let worst = 0, mouse = [x, y];
    // A rod that turns on a pin follows in the angle only.
    for (let k = 1; k <= 12; ++k) {
      mouse = [x + 3 * k, y - 2 * k];
      await page.mouse.move(...mouse);
      await page.waitForTimeout(20);
      worst = Math.max(worst, ...(await now()).lanes.map(l => l.position));
    }
    await page.waitForTimeout(150);
    await page.mouse.up();
    await page.waitForFunction(() => !window.laboratory.now.busy && window.laboratory.now.state.at);
    assert.ok(worst <= 1e-14, `|g| was ${worst}`);
    const end = await now(), [x2, y2] = await at();
    assert.notDeepEqual(end.lanes[0].q, start.lanes[0].q);
    const before = Math.hypot(mouse[0] - x, mouse[1] - y), after = Math.hypot(mouse[0] - x2, mouse[1] - y2);
    assert.ok(after < 0.75 * before, `rod ${rod}: the point is ${after} from the mouse, which went ${before}`);
  }
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

// The rates are those of this machine, with all else that runs on it: they are told, and what is held is a bound
// that a page that became several times slower would miss.
test("four methods run side by side with 200 steps a frame, and as many frames as the machine makes", async t => {
  const { page, ready, now, picture, close } = await opened();
  await ready();
  for (let k = 0; k < 3; ++k) {
    await page.click("#add-method");
    await page.waitForFunction(count => window.laboratory.now.frame.lanes.length === count, k + 2);
  }
  await page.selectOption('[aria-label="method 2"]', "rk4");
  await page.waitForFunction(() => window.laboratory.now.open.lanes[1]?.method === "rk4");
  await page.fill("#step-size", "0.008");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.laboratory.now.open.step === 0.008);
  await page.selectOption("#speed", "100");  // 208 steps in a sixtieth of a second
  if (!(await now()).playing) await page.click("#play");
  const about = await page.context().newCDPSession(page);
  await about.send("Performance.enable", { timeDomain: "threadTicks" });
  const made = async () => {
    const { metrics } = await about.send("Performance.getMetrics"), own = metrics.find(m => m.name === "TaskDuration").value;
    return { ...await page.evaluate(() => ({ ...window.laboratory.now.made, t: performance.now() })), own };
  };
  const first = await made();
  await page.waitForTimeout(4000);
  const last = await made();
  const seconds = (last.t - first.t) / 1000, frames = (last.frames - first.frames) / seconds, steps = (last.steps - first.steps) / seconds;
  t.diagnostic(`${frames.toFixed(1)} frames a second, ${(steps / frames).toFixed(0)} steps a frame, ${(4 * steps).toFixed(0)} steps a second of four methods together; ${(1000 * (last.own - first.own) / (last.frames - first.frames)).toFixed(1)} ms of the page's own thread a frame`);
  const { lanes } = await now();
  assert.equal(lanes.length, 4);
  for (const lane of lanes) assert.equal(lane.failed, null);
  assert.ok(new Set(lanes.map(l => l.t)).size === 1, "all at one time");
  assert.ok(Math.abs(lanes[1].position) > 1e-13, "rk4 leaves the constraint");
  assert.ok(frames >= leastFrames, `${frames} frames a second`);
  assert.ok(4 * steps >= leastSteps, `${4 * steps} steps a second`);
  await picture("lab-1400-four.png");
  await close();
});

test("the first frame is there soon after the page is opened", async t => {
  const { page, ready, close } = await opened();
  await ready();
  const milliseconds = await page.evaluate(() => window.laboratory.now.made.first);
  t.diagnostic(`${milliseconds.toFixed(0)} ms to the first frame`);
  assert.ok(milliseconds <= longestFirst, `${milliseconds} ms`);
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

test("a change is not lost if a key comes right after it while the worker is busy", async () => {
  const { page, ready, pause, now, close } = await opened();
  await ready();
  await pause();
  await page.evaluate(() => {
    const click = id => document.getElementById(id).click(), field = document.getElementById("step-size");
    click("forward");
    field.value = "0.02";
    field.dispatchEvent(new Event("change"));
    click("forward");
  });
  await page.waitForFunction(() => window.laboratory.now.open.step === 0.02 && !window.laboratory.now.busy);
  assert.equal((await now()).lanes[0].t, 0.02, "the step that came after the change");
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
    assert.match(await other.page.textContent("#said"), /The link could not be read/);
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
  await page.waitForSelector("#show-pictures:enabled");
  const names = await page.$$eval("#gallery option", options => options.map(o => o.value));
  assert.ok(names.length >= 30);
  for (const name of names) {
    await page.selectOption("#gallery", name);
    await page.waitForFunction(wanted => !document.getElementById("errors").hidden || window.laboratory.now.open?.about.name === wanted, name, { timeout: 60000 });
    assert.ok(await page.evaluate(() => document.getElementById("errors").hidden), `${name}: ${await page.textContent("#errors")}`);
    assert.ok((await now()).lanes.every(l => l.places.every(Number.isFinite)), name);
    const outside = await page.evaluate(() => {
      const { scene, now: { open } } = window.laboratory, box = document.getElementById("picture").getBoundingClientRect();
      return open.picture.bodies.map((_, b) => scene.bodyOnPage(b)).filter(([x, y]) => !(x >= box.left && x <= box.right && y >= box.top && y <= box.bottom)).length;
    });
    assert.equal(outside, 0, `${name}: bodies that are not in the picture`);
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
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForTimeout(300);
  await picture("lab-390-light.png");
  await page.tap("#play");
  assert.equal((await now()).playing, false);
  await page.waitForFunction(() => !window.laboratory.now.busy);
  await page.evaluate(() => document.getElementById("picture").scrollIntoView());
  const before = await now(), scrolled = await page.evaluate(() => scrollY);
  const [x, y] = await page.evaluate(() => window.laboratory.scene.bodyOnPage(1));
  const thumb = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => thumb.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", { x, y });
  let worst = 0;
  for (let k = 1; k <= 12; ++k) {
    await touch("touchMove", { x: x + 4 * k, y: y - 3 * k });
    await page.waitForTimeout(25);
    worst = Math.max(worst, ...(await now()).lanes.map(l => l.position));
  }
  await page.waitForTimeout(300);
  await touch("touchEnd");
  await page.waitForFunction(() => !window.laboratory.now.busy && window.laboratory.now.state.at);
  const after = await now(), [x2, y2] = await page.evaluate(() => window.laboratory.scene.bodyOnPage(1));
  assert.ok(worst <= 1e-14, `|g| was ${worst}`);
  assert.notDeepEqual(after.lanes[0].q, before.lanes[0].q);
  assert.ok(Math.hypot(x2 - x - 48, y2 - y + 36) < 12, `the body is at ${[x2, y2]}, the thumb at ${[x + 48, y - 36]}`);
  assert.equal(await page.evaluate(() => scrollY), scrolled, "the page stays where it is");
  await picture("lab-390-dragged.png");
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

// Differences of colours in CIE Lab, for normal eyes and for the three kinds of colour blindness (Machado, Oliveira
// and Fernandes 2009, at full severity). 2 can just be told apart; the colours of a palette should be 15 apart.
const eyes = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const times = (m, v) => m.map(row => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const linear = colour => [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
const xyz = rgb => times([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], rgb.map(x => Math.min(1, Math.max(0, x))));
function seen(colour, eye) {
  const [x, y, z] = xyz(times(eye, linear(colour))).map((v, k) => v / [0.95047, 1, 1.08883][k]).map(v => v > 0.008856 ? Math.cbrt(v) : 7.787 * v + 16 / 116);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("the colours of four methods are safe for the colour-blind, on light and on dark", async t => {
  const { page, ready, close } = await opened();
  await ready();
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForFunction(dark => document.documentElement.classList.contains("dark") === dark, scheme === "dark");
    const [ground, ...colours] = await page.evaluate(() => ["card", "c0", "c1", "c2", "c3"].map(name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()));
    for (const colour of colours) {
      const [a, b] = [colour, ground].map(c => xyz(linear(c))[1] + 0.05);
      assert.ok(Math.max(a, b) / Math.min(a, b) >= 3, `${colour} on ${ground}`);
    }
    for (const [name, eye] of Object.entries(eyes)) {
      const all = colours.map(colour => seen(colour, eye));
      const least = Math.min(...all.flatMap((a, i) => all.slice(0, i).map(b => Math.hypot(...a.map((x, k) => x - b[k])))));
      t.diagnostic(`${scheme}, ${name}: ${least.toFixed(0)}`);
      assert.ok(least >= 15, `${scheme}, ${name}: ${least}`);
    }
  }
  await close();
});

test("if every method failed, there is no hash, and the page lives on", async () => {
  const { page, ready, pause, now, close } = await opened(await toFragment({ text: pendulum, name: "model", set: {}, methods: ["verlet"], step: 40 }));
  await ready();
  await page.waitForFunction(() => window.laboratory.now.frame.lanes.every(l => l.failed !== null));
  await pause();
  const sessions = await page.evaluate(() => window.laboratory.now.open !== null);
  await page.click("#same-bits");
  await page.waitForFunction(() => /No method/.test(document.getElementById("hash").textContent));
  assert.ok(sessions && await page.evaluate(() => window.laboratory.now.open !== null), "the worker was not ended");
  assert.equal((await now()).lanes.length, 1);
  await close();
});

test("a link carries the steps that were made, the speed and the view, to the same bits", async () => {
  const first = await opened();
  await first.ready();
  await first.pause();
  await first.page.click("#restart");
  await first.page.waitForFunction(() => !window.laboratory.now.busy);
  await first.pause();
  for (let k = 0; k < 7; ++k) { await first.page.click("#forward"); await first.page.waitForFunction(() => !window.laboratory.now.busy); }
  await first.page.selectOption("#speed", "0.25");
  await first.page.click("#nearer");
  await first.page.click("#share");
  await first.page.waitForFunction(() => location.hash.length > 10);
  const there = (await first.now()).lanes[0], fragment = (await first.page.evaluate(() => location.hash)).slice(1);
  const second = await opened(fragment);
  await second.ready();
  await second.page.waitForFunction(steps => window.laboratory.now.frame.steps === steps && !window.laboratory.now.busy, await first.page.evaluate(() => window.laboratory.now.frame.steps));
  const here = await second.now();
  assert.equal(here.playing, false);
  assert.deepEqual([here.lanes[0].q, here.lanes[0].p], [there.q, there.p]);
  assert.equal(await second.page.inputValue("#speed"), "0.25");
  assert.equal(await second.page.evaluate(() => window.laboratory.scene.view[2]), 1.25);
  await first.page.click("#embed");
  await first.page.waitForFunction(() => !document.getElementById("embed-text").hidden);
  const frame = await first.page.inputValue("#embed-text");
  assert.ok(frame.startsWith('<iframe src="file:') && frame.includes("&embed\""), frame.slice(0, 80));
  const third = await opened(fragment + "&embed");
  await third.ready();
  assert.equal(await third.page.isVisible("#picture"), true);
  assert.equal(await third.page.isVisible("#editor"), false);
  for (const one of [first, second, third]) await one.close();
});

test("a link with ten million steps holds nobody up", async () => {
  const { page, ready, now, close } = await opened(await toFragment({ text: doublePendulum, name: "double-pendulum", set: {}, methods: ["rattle", "lobatto(4)"], step: 1e-3, steps: 1e7 }));
  await ready();
  await page.waitForFunction(() => /The link has 10000000 steps/.test(document.getElementById("said").textContent));
  await page.waitForSelector("#show-pictures:enabled");
  await page.selectOption("#gallery", "pendulum");
  await page.waitForFunction(() => window.laboratory.now.open?.about.name === "pendulum", null, { timeout: 5000 });
  await page.click("#play");
  assert.equal((await now()).title, "Planar pendulum (Reich 1996)");
  await close();
});

test("a model too large for a link is not copied, and that is said", async () => {
  const { page, ready, close } = await opened();
  await ready();
  await page.evaluate(() => {
    let noise = "", x = 1;
    for (let k = 0; k < 400000; ++k) noise += String.fromCharCode(33 + (x = x * 48271 % 2147483647) % 90);
    window.laboratory.now.state.text += "\n# " + noise + "\n";
  });
  await page.click("#share");
  await page.waitForFunction(() => /too large for a link/.test(document.getElementById("said").textContent));
  assert.equal(await page.evaluate(() => location.hash), "");
  await close();
});

test("the square of 256 starts keeps its number under rattle and not under rk4", async () => {
  const { page, ready, pause, picture, close } = await opened(await toFragment({ text: pendulum, name: "model", set: {}, methods: ["rattle", "rk4"], step: 0.2 }));
  await ready();
  await pause();
  await page.click("#restart");
  await page.waitForFunction(() => !window.laboratory.now.busy);
  await page.click("#square");
  await page.waitForFunction(() => document.querySelectorAll("#square-areas dd").length === 3, null, { timeout: 60000 });
  await page.selectOption("#speed", "4");
  await page.click("#play");
  const changes = () => page.$$eval("#square-areas dd[data-change]", all => all.map(x => Math.abs(Number(x.dataset.change))));
  await page.waitForFunction(() => Number(document.querySelectorAll("#square-areas dd")[2].textContent) > 12, null, { timeout: 60000 });
  const [rattle, rk4] = await changes();
  assert.ok(rattle < 1e-4, `rattle: ${rattle}`);
  assert.ok(rk4 > 3 * rattle && rk4 > 1e-4, `rk4: ${rk4}, rattle: ${rattle}`);
  await page.click("#play");
  await picture("lab-1400-light.png");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(300);
  await picture("lab-1400-dark.png");
  await page.fill("#square-size", "-1");
  await page.keyboard.press("Enter");
  assert.equal(await page.$eval("#square-size", x => x.validity.valid), false);
  await close();
});

test("a thousand neighbours run in as many workers as the machine has, and part from each other", async t => {
  const { page, ready, pause, picture, close } = await opened(await toFragment({ text: doublePendulum, name: "double-pendulum", set: { angle: 2 }, methods: ["rattle"], step: 0.05, speed: 10 }));
  await ready();
  await page.click("#neighbours");
  const far = () => page.$eval("#neighbours-said", p => Number(/t = ([\d.]+): the farthest is ([\d.]+)/.exec(p.textContent)?.[2] ?? NaN));
  const workers = await page.evaluate(() => navigator.hardwareConcurrency);
  await page.waitForFunction(n => new RegExp(`^1000 trajectories of rattle in ${n} worker`).test(document.getElementById("neighbours-said").textContent), Math.min(16, workers), { timeout: 60000 });
  await page.waitForFunction(() => Number(/t = ([\d.]+)/.exec(document.getElementById("neighbours-said").textContent)[1]) > 30, null, { timeout: 90000 });
  t.diagnostic(await page.textContent("#neighbours-said"));
  assert.ok(await far() > 0.1, "a thousandth has grown");
  assert.ok(!/failed/.test(await page.textContent("#neighbours-said")));
  await pause();
  await picture("lab-1400-neighbours.png");
  await close();
});

test("a map of starts becomes finer", async () => {
  const { page, ready, pause, picture, close } = await opened(await toFragment({ text: doublePendulum, name: "double-pendulum", set: { angle: 2 }, methods: ["rattle"], step: 0.05 }));
  await ready();
  await pause();
  await page.click("#map");
  const done = () => page.$eval("#map-said", p => Number(/^(\d+) of 16384/.exec(p.textContent)?.[1] ?? 0));
  await page.waitForFunction(() => Number(/^(\d+)/.exec(document.getElementById("map-said").textContent)?.[1] ?? 0) >= 64, null, { timeout: 60000 });
  const colours = () => page.$eval("canvas.map", map => new Set(new Uint32Array(map.getContext("2d").getImageData(0, 0, 128, 128).data.buffer)).size);
  const coarse = await colours(), first = await done();
  await page.waitForFunction(n => Number(/^(\d+)/.exec(document.getElementById("map-said").textContent)[1]) >= n, 4 * first, { timeout: 120000 });
  assert.ok(coarse > 3 && await colours() > coarse, `${coarse} colours at first`);
  await picture("lab-1400-map.png");
  const before = await page.evaluate(() => [...window.laboratory.now.frame.lanes[0].q]);
  await page.click("canvas.map", { position: { x: 30, y: 30 } });
  await page.waitForFunction(() => window.laboratory.now.state.at && !window.laboratory.now.busy);
  const begun = await page.evaluate(() => ({ q: [...window.laboratory.now.frame.lanes[0].q], g: window.laboratory.now.frame.lanes[0].position }));
  assert.notDeepEqual(begun.q, before, "a click begins there");
  assert.ok(begun.g <= 1e-14);
  await page.click("#map");
  await close();
});

test("equations are those that the author wrote, a Lagrangian too, and its quantities are drawn over time", async () => {
  const { page, ready, picture, close } = await opened();
  await ready();
  await page.waitForSelector("#show-pictures:enabled");
  for (const name of await page.$$eval("#gallery option", options => options.map(o => o.value))) {
    await page.selectOption("#gallery", name);
    await page.waitForFunction(wanted => window.laboratory.now.open?.about.name === wanted, name, { timeout: 60000 });
    assert.doesNotMatch(await page.textContent("#equations"), /undefined/, name);
    assert.equal(await page.locator("#equations .formula:not(:has(math))").count(), 0, name);
  }
  await page.selectOption("#gallery", "governor");
  await page.waitForFunction(() => window.laboratory.now.open?.about.name === "governor");
  assert.match(await page.textContent("#equations"), /^L=/);
  assert.match(await page.textContent("#equations"), /where/);
  const quantities = await page.evaluate(() => Object.keys(window.laboratory.now.open.about.quantities));
  assert.ok(quantities.length > 0);
  assert.equal(await page.$eval("#quantity", list => list.selectedOptions[0].text), quantities[0]);
  assert.ok(await page.evaluate(() => window.laboratory.now.frame.lanes[0].quantities.every(Number.isFinite)));
  await picture("lab-1400-governor.png");
  await close();
});

test("the table of samples has the states, and the report is one page that opens by itself", async () => {
  const { page, ready, pause, now, close } = await opened(await toFragment({ text: pendulum, name: "model", set: {}, methods: ["rattle", "rk4"], step: 0.05 }));
  await ready();
  await pause();
  await page.click("#restart");
  await page.waitForFunction(() => !window.laboratory.now.busy);
  await pause();
  for (let k = 0; k < 40; ++k) await page.click("#forward");
  await page.waitForFunction(() => !window.laboratory.now.busy);
  const [csv] = await Promise.all([page.waitForEvent("download"), page.click("#save-samples")]);
  const [head, ...rows] = readFileSync(await csv.path(), "utf8").trim().split("\n").map(line => line.replaceAll('"', "").split(","));
  assert.deepEqual(head.slice(0, 10), ["t", "H (rattle)", "H - H0 (rattle)", "max |g| (rattle)", "max |G H_p| (rattle)", "x (rattle)", "y (rattle)", "p_x (rattle)", "p_y (rattle)", "λ1 (rattle)"]);
  const { lanes } = await now();
  assert.deepEqual(rows.at(-1).slice(5, 9).map(Number), [...lanes[0].q, ...lanes[0].p]);
  const [report] = await Promise.all([page.waitForEvent("download"), page.click("#save-report")]);
  assert.equal(report.suggestedFilename(), "model.html");
  const path = await report.path(), context = await browser.newContext(), other = await context.newPage(), wrong = [];
  other.on("pageerror", error => wrong.push(error.message));
  await other.route("https://lab.test/", route => route.fulfill({ contentType: "text/html", body: readFileSync(path, "utf8") }));
  await other.goto("https://lab.test/");
  assert.ok(await other.locator("canvas").count() >= 2);
  assert.match(await other.textContent("body"), /rattle/);
  assert.deepEqual(wrong, []);
  await context.close();
  await close();
});

test("a bundled model whose text was changed is not called by its name in a terminal", async () => {
  const { page, ready, pause, close } = await opened();
  await ready();
  await pause();
  await page.click(".cm-content");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# mine\n");
  await page.waitForFunction(() => window.laboratory.now.open?.about.text.startsWith("# mine") && !window.laboratory.now.busy);
  await pause();
  await page.click("#forward");
  await page.waitForFunction(() => window.laboratory.now.frame.steps === 1 && !window.laboratory.now.busy);
  await page.click("#same-bits");
  await page.waitForSelector("#hash-command");
  assert.match(await page.textContent("#hash-command"), /^taut run double-pendulum\.toml /);
  assert.match(await page.textContent("#hash"), /Save the model/);
  await close();
});

test("a link carries what is chosen in the panels", async () => {
  const first = await opened();
  await first.ready();
  await first.pause();
  const { page } = first;
  await page.selectOption("#quantity", { label: "λ1" });
  await page.selectOption("#section", { label: "p_x1" });
  await page.fill("#section-level", "0.1");
  await page.keyboard.press("Enter");
  await page.click("#square");
  await page.fill("#square-size", "0.2");
  await page.keyboard.press("Enter");
  await page.click("#neighbours");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.length > 10);
  const second = await opened((await page.evaluate(() => location.hash)).slice(1));
  await second.ready();
  await second.page.waitForFunction(() => document.getElementById("square-size").value === "0.2");
  assert.equal(await second.page.$eval("#quantity", list => list.selectedOptions[0].text), "λ1");
  assert.equal(await second.page.$eval("#section", list => list.selectedOptions[0].text), "p_x1");
  assert.equal(await second.page.inputValue("#section-level"), "0.1");
  assert.equal(await second.page.getAttribute("#square", "aria-pressed"), "true");
  assert.equal(await second.page.getAttribute("#neighbours", "aria-pressed"), "true");
  assert.equal(await second.page.getAttribute("#map", "aria-pressed"), "false");
  await first.close();
  await second.close();
});

test("a section collects its points, and a multiplier is shown over time", async () => {
  const { page, ready, close } = await opened();
  await ready();
  await page.selectOption("#section", { label: "x1" });
  await page.selectOption("#quantity", { label: "λ1" });
  await page.selectOption("#speed", "30");
  await page.waitForFunction(() => Number(/^\d+/.exec(document.getElementById("section-count").textContent)?.[0] ?? 0) >= 8, null, { timeout: 30000 });
  assert.ok(await page.evaluate(() => Number.isFinite(window.laboratory.now.frame.lanes[0].lambda[0])));
  await close();
});

test("at the same cost each method has a step of its own, and the clock is one", async () => {
  const { page, ready, pause, now, close } = await opened(await toFragment({ text: pendulum, name: "model", set: {}, methods: ["rattle", "lobatto(4)"], step: 0.05 }));
  await ready();
  await page.click("#same-cost");
  await page.waitForFunction(() => window.laboratory.now.open.cost?.length === 2 && window.laboratory.now.frame.steps > 3);
  await pause();
  const { lanes, state } = await now();
  assert.equal(lanes[0].t, lanes[1].t);
  assert.ok(state.cost[0] === 8 && state.cost[1] < 8, `${state.cost}`);
  assert.match(await page.textContent("#methods"), /step 0\.05, for the same cost/);
  await page.click("#same-cost");
  await page.waitForFunction(() => window.laboratory.now.open.cost === undefined);
  await close();
});

test("every block of every lesson opens, and a section or a square comes with it", async () => {
  const { page, ready, pause, picture, close } = await opened();
  await ready();
  const lessons = (await page.$$eval("#lessons option", options => options.map(o => o.value))).filter(value => /^\d+$/.test(value));
  assert.equal(lessons.length, 6);
  for (const lesson of lessons) {
    await page.selectOption("#lessons", lesson);
    assert.equal(await page.locator("#lesson .warning").count(), 0, lesson);
    const blocks = await page.locator("#lesson .lab-block button").count();
    assert.ok(blocks > 0, lesson);
    for (let k = 0; k < blocks; ++k) {
      const words = await page.locator("#lesson .lab-block .note").nth(k).textContent();
      await page.evaluate(() => { window.laboratory.now.open.seen = true; });
      await page.locator("#lesson .lab-block button").nth(k).click();
      await page.waitForFunction(() => window.laboratory.now.open && !window.laboratory.now.open.seen || !document.getElementById("errors").hidden);
      assert.ok(await page.evaluate(() => document.getElementById("errors").hidden), `${words}: ${await page.textContent("#errors")}`);
      const { methods, refused } = await page.evaluate(() => ({ methods: window.laboratory.now.state.methods, refused: window.laboratory.now.open.lanes.map(l => l.refused) }));
      assert.ok(words.includes(methods.join(", ")) && refused.every(x => x === null), `${words}: ${refused}`);
    }
    if (lesson === "0") await picture("lab-1400-lesson.png");
  }
  await pause();
  await close();
});

test("a teacher's own lesson is read from a file, and a hostile one does nothing", async () => {
  const { page, ready, close } = await opened();
  await ready();
  const text = "# Mine\n\n<img src=x onerror=alert(1)> and [a link](javascript:alert(2)), *stressed*\n\n```lab\nmethods = [\"rattle\"]\nstep = 0.1\n---\n" + pendulum + "```\n\n```lab\nmodel = 3\n```\n";
  await page.setInputFiles("#lesson-file", { name: "mine.md", mimeType: "text/markdown", buffer: Buffer.from(text) });
  await page.waitForSelector("#lesson h2");
  assert.equal(await page.textContent("#lesson h2"), "Mine");
  assert.equal(await page.locator("#lesson img, #lesson a, #lesson script").count(), 0);
  assert.match(await page.textContent("#lesson .warning"), /model takes a text/);
  await page.click("#lesson .lab-block button");
  await page.waitForFunction(() => window.laboratory.now.open?.about.title === "A pendulum" && window.laboratory.now.open.step === 0.1);
  await close();
});

test("the gallery draws every bundled model, and opens the one that is chosen", async () => {
  const { page, ready, picture, close } = await opened();
  await ready();
  await page.click("#show-pictures");
  const count = await page.locator(".thumbs button").count();
  assert.equal(count, await page.locator("#gallery option").count());
  await page.waitForFunction(n => document.querySelectorAll(".thumbs canvas[data-drawn]").length === n, count, { timeout: 60000 });
  const blank = await page.$$eval(".thumbs canvas", all => all.filter(canvas => new Set(new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size < 3).length);
  assert.equal(blank, 0);
  assert.equal(await page.textContent('.thumbs button[data-model="pendulum"] .note'), "Planar pendulum (Reich 1996)");
  await picture("lab-1400-gallery.png");
  await page.click('.thumbs button[data-model="four-bar"]');
  await page.waitForFunction(() => window.laboratory.now.open?.about.name === "four-bar");
  await close();
});

test("a film of the picture is handed out", async () => {
  const { page, ready, close } = await opened();
  await ready();
  await page.click("#film");
  await page.waitForTimeout(1000);
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("#film")]);
  assert.match(file.suggestedFilename(), /^double-pendulum\.(webm|mp4)$/);
  assert.ok(statSync(await file.path()).size > 1000);
  await close();
});

test("ten wrong models show the place in the page", async () => {
  const { page, ready, close } = await opened();
  await ready();
  const body = 'coordinates = ["x"]\nmass = [1.0]\n';
  const wrong = [
    ["[system", 1], ["title = 3", 1], [`[system]\n${body}potential = "x^2 + L0"\n`, 4], [`[system]\n${body}potential = "sin(x"\n`, 4], [`[system]\n${body}potential = "x +* 2"\n`, 4],
    ['[system]\ncoordinates = ["sin"]\nmass = [1.0]\npotential = "0"\n', 2], ['[system]\ncoordinates = ["x", "x"]\nmass = [1.0, 1.0]\npotential = "0"\n', 2],
    [`[system]\n${body}potential = "0"\nconstrains = ["x"]\n`, 5], ['[system]\ncoordinates = ["x"]\nmass = [1.0, 2.0, 3.0]\npotential = "0"\n', 3], [pendulum + "\n[parameters2]\na = 1\n", pendulum.split("\n").length + 1],
  ];
  for (const [text, line] of wrong) {
    const fragment = await toFragment({ text, name: "model", set: {}, methods: [], step: null });
    await page.evaluate(hash => { document.getElementById("errors").hidden = true; location.hash = hash; }, fragment);
    await page.waitForFunction(() => !document.getElementById("errors").hidden, null, { timeout: 30000 });
    assert.ok((await page.textContent("#errors")).startsWith(`${line}:`), `${text}: ${await page.textContent("#errors")}`);
    assert.ok(await page.locator(".cm-lint-marker-error").count() >= 1, text);
  }
  await page.selectOption("#gallery", "pendulum");
  await page.waitForFunction(() => window.laboratory.now.open?.about.name === "pendulum" && document.getElementById("errors").hidden);
  await close();
});

test("a model that never ends and one beyond the memory stop with a word, and the page lives on", async t => {
  const { page, ready, close } = await opened();
  await ready();
  const particles = count => `[particles]\ndimension = 3\ncount = ${count}\nmass = 1.0\nposition = ["i", "sin(i)", "0.3*cos(i)"]\n[run]\nmethod = "rattle"\nstep = 0.01\nsteps = 10\n`;
  // Twelve million pairs with functions that take their time, and less than a gigabyte.
  const endless = particles(5000) + '[[pairs]]\npotential = "exp(-r)*sin(r)*cos(2*r)*tanh(r)*log(1 + r)/r"\ncutoff = 1e6\n';
  for (const [text, word] of [[endless, /longer than 12 s/], [particles(100000000), /memory|needed more than there is/]]) {
    const fragment = await toFragment({ text, name: "model", set: {}, methods: [], step: null });
    await page.evaluate(hash => { document.getElementById("errors").hidden = true; location.hash = hash; }, fragment);
    await page.waitForFunction(() => !document.getElementById("errors").hidden, null, { timeout: 60000 });
    const said = await page.textContent("#errors");
    t.diagnostic(said);
    assert.match(said, word);
    await page.selectOption("#gallery", "double-pendulum");
    await page.selectOption("#gallery", "pendulum");
    await page.waitForFunction(() => window.laboratory.now.open?.about.name === "pendulum" && window.laboratory.now.frame.steps > 0, null, { timeout: 60000 });
  }
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

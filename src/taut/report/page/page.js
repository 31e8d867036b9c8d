"use strict";
(() => {

// ---- data ----

const report = JSON.parse(document.getElementById("report").textContent);

function numbers(packed) {
  const text = atob(packed.f32 ?? packed.f64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return packed.f32 !== undefined ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
}

// ---- text ----

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const power = exponent => [...String(exponent)].map(c => raised[c]).join("");

// Writes 1.23·10⁻⁷ or 0.0123, with `digits` significant ones.
function shown(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return mantissa.replace("-", "−") + "·10" + power(Number(exponent));
}

function paragraphs(text) {
  return text.split(/\n\s*\n/).filter(t => t.trim()).map(t => make("p", t.startsWith("!") ? { class: "warning" } : {}, t.replace(/^!\s*/, "")));
}

// ---- light and dark ----

const theme = { choice: "system", listeners: [] };
const system = matchMedia("(prefers-color-scheme: dark)"), paper = matchMedia("print");
function applyTheme(printing = paper.matches) {
  const dark = !printing && (theme.choice === "dark" || (theme.choice === "system" && system.matches));
  document.documentElement.classList.toggle("dark", dark);
  document.getElementById("theme").textContent = { system: "colours: system", light: "colours: light", dark: "colours: dark" }[theme.choice];
  theme.listeners.forEach(f => f());
}
document.getElementById("theme").addEventListener("click", () => {
  theme.choice = { system: "light", light: "dark", dark: "system" }[theme.choice];
  applyTheme();
});
system.addEventListener("change", () => applyTheme());
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const curveColour = k => colour("c" + k % 8);

// ---- axes ----

// Returns steps of 1, 2 or 5 times a power of ten, about `count` of them.
function evenTicks(low, high, count) {
  const raw = (high - low) / count, unit = 10 ** Math.floor(Math.log10(raw)), m = raw / unit;
  const step = unit * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10), ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12); ++k) ticks.push(k * step);
  return ticks;
}

function logTicks(low, high, count) {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high)), every = Math.max(1, Math.ceil((to - from - 1) / count)), ticks = [];
  for (let d = from; d <= to; ++d)
    for (const m of to - from > 3 ? [1] : [1, 2, 5])
      if (d % every === 0 && m * 10 ** d >= low && m * 10 ** d <= high) ticks.push(Number(m + "e" + d));
  return ticks.length > 1 ? ticks : evenTicks(low, high, Math.min(count, 5)).filter(v => v > 0);
}

// Writes decimals if all of them are short, otherwise powers of ten.
function tickLabels(ticks, log) {
  const sizes = ticks.map(Math.abs).filter(v => v > 0), largest = Math.max(...sizes), least = Math.min(...sizes);
  const step = log ? least : ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : largest || 1, digits = log ? 3 : Math.min(12, Math.max(1, Math.ceil(Math.log10(largest / step) - 1e-9) + 1));
  const plain = largest < 1e5 && (step >= 1e-3 || (!log && largest >= 1e-2 && digits <= 8));
  const scientific = v => {
    const [mantissa, exponent] = v.toExponential(digits - 1).split("e"), short = String(Number(mantissa)).replace("-", "−");
    return (short === "1" ? "" : short === "−1" ? "−" : short + "·") + "10" + power(Number(exponent));
  };
  return ticks.map(v => Math.abs(v) < step * 1e-6 ? "0" : plain ? String(Number(v.toPrecision(digits + 1))).replace("-", "−") : scientific(v));
}

// ---- plots ----

const timePlots = [];  // one zoom over time moves all of them

class Plot {
  constructor(figure, place, chooser) {
    this.time = null;
    this.clicked = null;  // called with the x that was clicked
    this.box = make("div");
    this.top = make("div", { class: "head" });
    this.names = make("div", { class: "legend" });
    this.readout = make("div", { class: "readout" });
    this.reset = make("button", { type: "button", hidden: "", onclick: () => this.showAll() }, "show all");
    place.append(this.top, ...(chooser ? [chooser] : []), this.box, make("div", { class: "under" }, this.names, this.readout));
    if (figure.note) place.append(make("p", { class: "note" }, figure.note));
    this.take(figure);
    if (this.label.x === "t") timePlots.push(this);
    new ResizeObserver(() => this.resize()).observe(this.box);
    theme.listeners.push(() => { this.legend(); this.draw(); });
  }

  // Shows a figure in place of the one before; what was zoomed over time stays.
  take(figure) {
    const zoomed = this.figure?.x.label === "t" && figure.x.label === "t" ? this.zoom?.x : null;
    this.figure = figure;
    this.series = figure.series.map(s => ({ ...s, x: s.x.length === undefined ? numbers(s.x) : s.x, y: s.y.length === undefined ? numbers(s.y) : s.y, show: true }));
    for (const s of this.series) s.signed = s.y;
    this.log = { x: figure.x.log, y: figure.y.log };
    this.label = { x: figure.x.label, y: figure.y.label };
    this.zoom = zoomed ? { x: zoomed } : null;  // {x: [from, to], y: [from, to]}
    this.course = this.series.every(s => s.x.every((v, i) => i === 0 || v >= s.x[i - 1]) || s.x.every((v, i) => i === 0 || v <= s.x[i - 1]));
    const toggles = ["x", "y"].filter(axis => this.canBeLog(axis)).map(axis => {
      const button = make("button", { type: "button", "aria-pressed": this.log[axis], title: "logarithmic axis", onclick: () => {
        this.log[axis] = !this.log[axis];
        button.setAttribute("aria-pressed", this.log[axis]);
        this.zoom = null;
        if (axis === "y") this.takeSize();
        this.draw();
      } }, "log " + axis);
      return button;
    });
    const save = make("button", { type: "button", title: "the numbers of this plot as a CSV file", onclick: () => this.save() }, "csv");
    this.top.replaceChildren(make("h3", {}, figure.title), this.reset, ...toggles, save);
    this.legend();
    this.draw();
  }

  canBeLog(axis) {
    if (this.figure[axis].log) return true;
    if (!this.course) return false;  // a phase portrait
    let low = Infinity, high = 0;
    for (const s of this.series)
      for (const v of s[axis]) {
        if (v < 0 && axis === "x") return false;
        if (v) { low = Math.min(low, Math.abs(v)); high = Math.max(high, Math.abs(v)); }
      }
    return high > 20 * low;
  }

  // If values have both signs, a logarithmic axis shows the logarithm of their size.
  takeSize() {
    const size = this.log.y && !this.figure.y.log && this.series.some(s => s.signed.some(v => v < 0));
    for (const s of this.series) s.y = size ? s.signed.map(Math.abs) : s.signed;
    this.label.y = size ? `|${this.figure.y.label}|` : this.figure.y.label;
  }

  legend() {
    this.names.replaceChildren();
    for (const [k, s] of this.series.entries()) {
      if (!s.name) continue;
      const button = make("button", { type: "button", title: "hide or show", class: s.show ? "" : "off" }), c = curveColour(s.colour);
      const line = s.line ? `<line x1="0" x2="20" y1="5" y2="5" stroke="${c}" stroke-width="2"${s.dashed ? ' stroke-dasharray="5 3"' : ""}/>` : "";
      button.innerHTML = `<svg width="20" height="10" aria-hidden="true">${line}${s.points ? `<circle cx="10" cy="5" r="3" fill="${c}"/>` : ""}</svg>`;
      button.append(s.name);
      button.addEventListener("click", () => {
        s.show = !s.show;
        button.classList.toggle("off", !s.show);
        this.plot.setSeries(k + 1, { show: s.show });
        this.range();
      });
      this.names.append(button);
    }
  }

  usable(axis, v) { return Number.isFinite(v) && (!this.log[axis] || v > 0); }

  // Returns the extent of the shown curves, within `window` on the other axis if that is given.
  extent(axis, window) {
    const across = axis === "x" ? "y" : "x";
    let low = Infinity, high = -Infinity;
    for (const s of this.series) {
      if (!s.show) continue;
      const v = s[axis], w = s[across];
      for (let i = 0; i < v.length; ++i) {
        if (!this.usable(axis, v[i]) || !this.usable(across, w[i])) continue;
        if (window && (w[i] < window[0] || w[i] > window[1])) continue;
        if (v[i] < low) low = v[i];
        if (v[i] > high) high = v[i];
      }
    }
    if (!(low <= high)) {
      this.readout.textContent = "nothing that these axes can show" + (this.log.y ? ": a logarithm needs more than 0" : "");
      return this.log[axis] ? [0.1, 10] : [-1, 1];
    }
    if (this.log[axis]) {
      const pad = Math.max((high / low) ** 0.04, low === high ? 10 : 1.05);
      return [low / pad, high * pad];
    }
    const pad = high > low ? 0.04 * (high - low) : Math.abs(low) / 2 || 1e-12;
    const tight = axis === "x" && this.series.every(s => s.line && !s.points) && !this.figure.equal;  // a course over time fills the width
    return tight && high > low ? [low, high] : [low - pad, high + pad];
  }

  range() {
    const x = this.zoom?.x ?? this.extent("x"), y = this.zoom?.y ?? this.extent("y", this.zoom?.x);
    if (this.figure.equal) {
      const area = this.plot.bbox, perX = (x[1] - x[0]) / area.width, perY = (y[1] - y[0]) / area.height;
      const [narrow, factor] = perX < perY ? [x, perY / perX] : [y, perX / perY];
      const middle = (narrow[0] + narrow[1]) / 2, half = (narrow[1] - narrow[0]) / 2 * factor;
      narrow[0] = middle - half;
      narrow[1] = middle + half;
    }
    this.plot.batch(() => {
      this.plot.setScale("x", { min: x[0], max: x[1] });
      this.plot.setScale("y", { min: y[0], max: y[1] });
    });
    this.reset.hidden = !this.zoom;
    this.placeHead();
  }

  showAll() {
    this.zoom = null;
    this.range();
    this.share();
  }

  // Moves the other plots over time along.
  share() {
    if (this.label.x !== "t") return;
    for (const other of timePlots) {
      if (other === this) continue;
      other.zoom = this.zoom?.x ? { x: this.zoom.x } : null;
      other.range();
    }
  }

  draw() {
    this.plot?.destroy();
    this.width = this.box.clientWidth || 480;
    const axis = (name, label) => ({
      stroke: colour("soft"), grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("line"), width: 1, size: 5 },
      font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", label, labelSize: 20, scale: name, side: name === "x" ? 2 : 3,
      size: name === "x" ? 34 : (u, labels) => 16 + 6.6 * Math.max(3, ...(labels ?? []).map(l => l.length)),
      splits: (u, k, low, high) => {
        const count = Math.max(2, (name === "x" ? u.width / 80 : u.height / 46));
        return this.apart(name, this.log[name] ? logTicks(low, high, count) : evenTicks(low, high, count));
      },
      filter: (u, ticks) => ticks,
      values: (u, ticks) => tickLabels(ticks, this.log[name]),
    });
    const scale = name => ({ time: false, auto: false, distr: this.log[name] ? 3 : 1, range: this.log[name] ? [0.1, 10] : [0, 1] });
    this.plot = new uPlot({
      mode: 2, width: this.width, height: Math.min(330, Math.max(220, this.width * 0.58)),
      padding: [8, 20, 0, 0],
      legend: { show: false },
      scales: { x: scale("x"), y: scale("y") },
      axes: [axis("x", this.label.x), axis("y", this.label.y)],
      series: [{}, ...this.series.map(s => ({
        show: s.show, stroke: curveColour(s.colour), fill: curveColour(s.colour), width: s.x.length > 2000 ? 1 : 1.6, dash: s.dashed ? [6, 4] : undefined,
        facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }], points: { show: false }, paths: (u, k) => this.path(u, k),
      }))],
      cursor: {
        points: { show: false }, drag: { x: true, y: true, uni: 18, setScale: false }, dataIdx: () => null,
        bind: { dblclick: () => () => { this.showAll(); return null; } },
      },
      hooks: { setSelect: [u => this.select(u)], setCursor: [u => this.read(u)] },
    }, [null, ...this.series.map(s => [s.x, s.y])], this.box);
    this.head = make("div", { class: "playhead", hidden: "" });
    this.dot = make("div", { class: "nearest", hidden: "" });
    this.plot.over.append(this.head, this.dot);
    this.touch(this.plot.over);
    let down = null;
    this.plot.over.addEventListener("mousedown", e => { down = [e.clientX, e.clientY]; });
    this.plot.over.addEventListener("click", e => {
      if (this.clicked && down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 4) this.clicked(this.plot.posToVal(e.offsetX, "x"));
    });
    this.range();
  }

  // Leaves out every second tick, and again, until the labels under a narrow plot do not touch.
  apart(name, ticks) {
    if (name === "y") return ticks;
    const room = (this.width - 80) / 7;  // letters
    while (ticks.length > 2 && tickLabels(ticks, this.log.x).reduce((sum, label) => sum + label.length + 2, 0) > room) ticks = ticks.filter((v, k) => k % 2 === 0);
    return ticks;
  }

  // A finger reads values off; one that moves sideways chooses a stretch, as dragging with a mouse does.
  touch(over) {
    let from = null;
    const x = e => Math.min(over.clientWidth, Math.max(0, e.clientX - over.getBoundingClientRect().left));
    over.addEventListener("pointerdown", e => {
      if (e.pointerType !== "touch") return;
      from = x(e);
      this.plot.setCursor({ left: from, top: e.clientY - over.getBoundingClientRect().top });
    });
    over.addEventListener("pointermove", e => {
      if (from === null || e.pointerType !== "touch") return;
      this.plot.setSelect({ left: Math.min(from, x(e)), width: Math.abs(x(e) - from), top: 0, height: over.clientHeight }, false);
    });
    const end = e => {
      if (from === null) return;
      const chosen = Math.abs(x(e) - from) > 24 && e.type === "pointerup";
      from = null;
      if (chosen) this.select(this.plot); else this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    };
    over.addEventListener("pointerup", end);
    over.addEventListener("pointercancel", end);
  }

  path(u, k) {
    const s = this.series[k - 1], line = new Path2D(), discs = new Path2D(), ratio = uPlot.pxRatio, { left, top, width, height } = u.bbox;
    const disc = (s.x.length > 400 ? 1.2 : 3.2) * ratio;
    let down = false;
    for (let i = 0; i < s.x.length; ++i) {
      if (!this.usable("x", s.x[i]) || !this.usable("y", s.y[i])) { down = false; continue; }
      const x = u.valToPos(s.x[i], "x", true), y = u.valToPos(s.y[i], "y", true);
      if (s.line && !down) line.moveTo(x, y);
      if (s.line) line.lineTo(x, y);  // even to itself: a point between two gaps is a dot
      down = true;
      if (s.points) { discs.moveTo(x, y); discs.arc(x, y, disc, 0, 7); }
    }
    const clip = new Path2D();
    clip.rect(left, top, width, height);
    return { stroke: s.line ? line : null, fill: discs, clip, band: null, gaps: null, flags: 3 };
  }

  select(u) {
    const { left, top, width, height } = u.select;
    if (width < 3 && height < 3) return;
    const area = { width: u.over.clientWidth, height: u.over.clientHeight }, zoom = { ...(this.zoom ?? {}) };
    if (width < area.width) zoom.x = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
    if (height < area.height) zoom.y = [u.posToVal(top + height, "y"), u.posToVal(top, "y")];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoom = zoom;
    this.range();
    this.share();
  }

  // Returns the values of all shown curves at the x of the cursor.
  valuesAt(x) {
    const values = [];
    for (const s of this.series) {
      const n = s.x.length, sign = n && s.x[n - 1] < s.x[0] ? -1 : 1;
      if (!s.show || s.dashed || !n || sign * (x - s.x[0]) < 0 || sign * (x - s.x[n - 1]) > 0) continue;
      let low = 0, high = n - 1;
      while (high - low > 1) { const middle = (low + high) >> 1; if (sign * (s.x[middle] - x) <= 0) low = middle; else high = middle; }
      const i = Math.abs(s.x[low] - x) <= Math.abs(s.x[high] - x) ? low : high;
      values.push({ s, i });
    }
    return values;
  }

  // Shows the point nearest to the cursor, its curve and its numbers.
  read(u) {
    const { left, top } = u.cursor;
    let best = null, least = 40 * 40;
    if (left >= 0)
      for (const s of this.series) {
        if (!s.show) continue;
        for (let i = 0; i < s.x.length; ++i) {
          if (!this.usable("x", s.x[i]) || !this.usable("y", s.y[i])) continue;
          const dx = u.valToPos(s.x[i], "x") - left;
          if (dx * dx > least) continue;
          const dy = u.valToPos(s.y[i], "y") - top, d = dx * dx + dy * dy;
          if (d < least) { least = d; best = { s, i }; }
        }
      }
    this.dot.hidden = !best;
    if (best) {
      const { s, i } = best;
      this.dot.style.left = u.valToPos(s.x[i], "x") + "px";
      this.dot.style.top = u.valToPos(s.y[i], "y") + "px";
      const others = this.course && this.series.length > 1 ? this.valuesAt(s.x[i]).filter(v => v.s !== s) : [];
      this.readout.textContent = `${this.label.x} = ${shown(s.x[i], 7)}, ${s.name || this.label.y} = ${shown(s.y[i], 7)}` + others.map(v => `, ${v.s.name || this.label.y} = ${shown(v.s.y[v.i], 7)}`).join("");
    } else if (left >= 0 && this.course && this.valuesAt(u.posToVal(left, "x")).length) {
      const x = u.posToVal(left, "x");
      this.readout.textContent = `${this.label.x} = ${shown(x, 5)}` + this.valuesAt(x).map(v => `, ${v.s.name || this.label.y} = ${shown(v.s.y[v.i], 7)}`).join("");
    } else {
      this.readout.textContent = left >= 0 ? `${this.label.x} = ${shown(u.posToVal(left, "x"), 4)}, ${this.label.y} = ${shown(u.posToVal(top, "y"), 4)}` : "";
    }
  }

  // Draws a line at time t, which the animation moves.
  follow(t) {
    this.time = t;
    this.placeHead();
  }
  placeHead() {
    if (this.time === null) return;
    const x = this.plot.valToPos(this.time, "x");
    this.head.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
    this.head.style.left = x + "px";
  }

  resize() {
    const width = this.box.clientWidth;
    if (!width || Math.abs(width - this.width) < 2) return;
    this.width = width;
    this.plot.setSize({ width, height: Math.min(330, Math.max(220, width * 0.58)) });
    this.range();
  }

  // Returns "pendulum-energy-error.csv" for example, so that files of several plots and pages keep apart.
  fileName(ending) {
    const plain = text => text.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
    return [report.title, this.figure.title].map(plain).filter(Boolean).join("-") + "." + ending;
  }

  save() {
    const rows = ["series," + [this.figure.x.label, this.figure.y.label].map(t => JSON.stringify(t)).join(",")];
    for (const s of this.series) for (let i = 0; i < s.x.length; ++i) rows.push(`${JSON.stringify(s.name)},${s.x[i]},${s.signed[i]}`);
    download(this.fileName("csv"), rows.join("\n") + "\n", "text/csv");
  }
}

// ---- columns ----

// Two plots in which the reader chooses: any columns over time, and any column over another.
class Columns {
  constructor(data, first, second) {
    this.data = data;
    this.runs = data.runs.map(run => {
      const frames = run.frames.map(numbers), times = numbers(run.times);
      return { name: run.name, frames, series: run.series.map((s, k) => this.merged(numbers(s.x), numbers(s.y), times, frames[k])) };
    });
    this.chosen = new Set(data.overTime);
    this.pair = [...data.path];
    const chips = make("div", { class: "chips", role: "group", "aria-label": "columns over time" }, ...data.names.map((name, k) => {
      const chip = make("button", { type: "button", "aria-pressed": this.chosen.has(k), onclick: () => {
        if (!this.chosen.delete(k)) this.chosen.add(k);
        if (!this.chosen.size) this.chosen.add(k);
        chip.setAttribute("aria-pressed", this.chosen.has(k));
        this.courses.take(this.overTime());
      } }, name);
      return chip;
    }));
    const select = at => {
      const box = make("select", { "aria-label": at ? "column across" : "column along" }, ...data.names.map((name, k) => make("option", k === this.pair[at] ? { value: k, selected: "" } : { value: k }, name)));
      box.addEventListener("change", () => { this.pair[at] = Number(box.value); this.paths.take(this.path()); });
      return box;
    };
    this.courses = new Plot(this.overTime(), first, chips);
    this.paths = new Plot(this.path(), second, make("div", { class: "chips" }, select(1), " over ", select(0)));
    if (data.note) first.append(make("p", { class: "note" }, data.note));
  }

  // Joins the thinned course of a whole run, which has the extremes, with its frames, which have the waves.
  merged(x, y, times, values) {
    const sign = x[x.length - 1] < x[0] ? -1 : 1, out = { x: [], y: [] };
    for (let i = 0, j = 0; i < x.length || j < times.length;) {
      const frame = i >= x.length || (j < times.length && sign * (times[j] - x[i]) < 0);
      if (!frame && j < times.length && times[j] === x[i]) ++j;  // the same sample
      out.x.push(frame ? times[j] : x[i]);
      out.y.push(frame ? Number(values[j].toPrecision(8)) : y[i]);
      if (frame) ++j; else ++i;
    }
    return out;
  }

  figure(title, x, y, series, equal) {
    return { title, note: "", x: { label: x, log: false }, y: { label: y, log: false }, equal,
      series: series.map(s => ({ line: true, points: false, dashed: false, ...s })) };
  }

  overTime() {
    const columns = [...this.chosen].sort((a, b) => a - b), series = [], names = this.data.names;
    for (const run of this.runs)
      for (const k of columns)
        series.push({ name: this.runs.length > 1 ? `${run.name}: ${names[k]}` : names[k], colour: series.length, ...run.series[k] });
    return this.figure("Over time", "t", columns.length < 4 ? columns.map(k => names[k]).join(", ") : "", series, false);
  }

  path() {
    const [x, y] = this.pair, names = this.data.names, place = name => !/^(p_|lambda|f_|H )/.test(name);
    const series = this.runs.map((run, k) => ({ name: this.runs.length > 1 ? run.name : "", colour: k, x: run.frames[x], y: run.frames[y] }));
    return this.figure(`${names[y]} over ${names[x]}`, names[x], names[y], series, x !== y && place(names[x]) && place(names[y]));
  }
}

// ---- animation ----

class Scene {
  constructor(data, place) {
    this.data = data;
    this.times = numbers(data.times);
    this.bodies = data.bodies.length;
    this.runs = data.runs.map((run, k) => ({
      ...run, places: numbers(run.places), energyError: numbers(run.energyError), position: numbers(run.position), momentum: numbers(run.momentum), colour: k, show: true,
    }));
    for (const run of this.runs) run.frames = Math.floor(run.places.length / (this.bodies * data.dimension));
    this.end = this.times[this.times.length - 1];
    this.time = this.times[0];
    this.turn = { yaw: -0.6, pitch: 0.35 };
    this.enlarge = 1;
    this.playing = false;
    this.loops = false;
    this.followers = [];
    this.measure();
    this.build(place);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    theme.listeners.push(() => this.draw());
    this.setTime(this.time);
  }

  // Measures centre and size of everything, and how fast it moves.
  measure() {
    const d = this.data.dimension, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const include = (p, r = 0) => { for (let k = 0; k < d; ++k) { low[k] = Math.min(low[k], p[k] - r); high[k] = Math.max(high[k], p[k] + r); } };
    let way = 0, moved = 0;
    for (const run of this.runs)
      for (let f = 0; f < run.frames; ++f)
        for (let b = 0; b < this.bodies; ++b) {
          const at = (f * this.bodies + b) * d;
          include(run.places.subarray(at, at + d));
          if (f === 0 || f > 2000) continue;
          let square = 0;
          for (let k = 0; k < d; ++k) square += (run.places[at + k] - run.places[at + k - this.bodies * d]) ** 2;
          way += Math.sqrt(square);
          moved += Math.abs(this.times[f] - this.times[f - 1]);
        }
    this.data.anchors.forEach(p => include(p));
    this.data.spheres.forEach(s => include(s.centre, s.radius));
    this.centre = low.map((v, k) => k < d ? (v + high[k]) / 2 : 0);
    const size = high.map((v, k) => k < d ? v - low[k] : 0);
    const extent = Math.max(...size) || 1;
    this.size = d === 2 ? size : [2 * this.reach(), 2 * this.reach()];
    const perTime = moved > 0 ? way / moved : 0;
    // A body crosses a third of the picture in a second.
    this.pace = perTime > 0 ? extent / 3 / perTime : Math.abs(this.end - this.times[0]) / 10 || 1;
    this.extent = extent;
  }

  // Returns the distance from the centre to the farthest point, whichever way the picture is turned.
  reach() {
    let most = 0;
    const include = (p, r = 0) => { most = Math.max(most, Math.hypot(p[0] - this.centre[0], p[1] - this.centre[1], p[2] - this.centre[2]) + r); };
    for (const run of this.runs) for (let at = 0; at + 3 <= run.places.length; at += 3) include(run.places.subarray(at, at + 3));
    this.data.anchors.forEach(p => include(p));
    this.data.spheres.forEach(s => include(s.centre, s.radius));
    return most;
  }

  build(place) {
    const space = this.data.dimension === 3;
    this.canvas = make("canvas", { class: space ? "space" : "", tabindex: "0", role: "img", "aria-label": this.data.title });
    this.play = make("button", { type: "button", class: "play", onclick: () => this.toggle() }, "▶ play");
    this.slider = make("input", { type: "range", min: "0", max: "10000", value: "0", step: "any", "aria-label": "time" });
    this.slider.addEventListener("input", () => { this.pause(); this.setTime(this.times[0] + this.slider.value / 10000 * (this.end - this.times[0])); });
    this.speed = this.speeds();
    this.again = make("button", { type: "button", "aria-pressed": "false", title: "begin anew at the end", onclick: () => {
      this.loops = !this.loops;
      this.again.setAttribute("aria-pressed", this.loops);
    } }, "loop");
    const zoom = factor => () => { this.enlarge *= factor; this.draw(); };
    const controls = make("div", { class: "controls" }, this.play, this.slider, this.speed, this.again,
      make("button", { type: "button", title: "nearer", onclick: zoom(1.25) }, "+"), make("button", { type: "button", title: "farther", onclick: zoom(0.8) }, "−"));
    if (space) controls.append(make("button", { type: "button", title: "the view of the beginning", onclick: () => { this.turn = { yaw: -0.6, pitch: 0.35 }; this.enlarge = 1; this.draw(); } }, "view"));
    this.clock = make("div", { class: "clock" });
    this.recent = make("canvas", { class: "recent", role: "img", "aria-label": "the energy error of the last frames" });
    const side = make("div", { class: "side" }, this.clock, ...this.runs.map(run => this.liveValues(run)), make("div", { class: "live" }, make("h4", {}, "H − H₀, the last frames"), this.recent));
    // One frame is a picture: it has no time to play, and nothing that changes.
    if (this.times.length === 1) {
      for (const player of [this.play, this.slider, this.speed, this.again]) player.hidden = true;
      side.replaceChildren(...this.runs.map(run => this.legendOf(run)));
    }
    place.append(make("div", { class: "head" }, make("h3", {}, this.data.title)), make("div", { class: "stage" }, make("div", {}, this.canvas, controls), side));
    if (this.data.note) place.append(make("p", { class: "note" }, this.data.note));
    this.canvas.addEventListener("keydown", e => this.key(e));
    this.canvas.addEventListener("wheel", e => { if (!e.ctrlKey) return; e.preventDefault(); this.enlarge *= Math.exp(-e.deltaY / 300); this.draw(); }, { passive: false });
    if (space) this.canvas.addEventListener("pointerdown", e => this.grab(e));
  }

  // Offers speeds in units of time a second: 1× is real time if the model has seconds. The first is the one nearest
  // to a speed that looks well.
  speeds() {
    const all = [0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 100, 300, 1000, 10000];
    if (this.pace < all[0] / 2 || this.pace > 2 * all[all.length - 1]) all.push(Number(this.pace.toPrecision(1)));
    const far = v => Math.abs(Math.log(v / this.pace)), first = all.reduce((a, b) => far(b) < far(a) ? b : a);
    return make("select", { "aria-label": "speed", title: "units of time a second: 1× is real time if the unit is a second" }, ...all.sort((a, b) => a - b).map(v => make("option", v === first ? { value: v, selected: "" } : { value: v }, v + "×")));
  }

  legendOf(run) {
    const dot = make("i");
    const paint = () => { dot.style.background = curveColour(run.colour); };
    paint();
    theme.listeners.push(paint);
    return make("div", { class: "live" }, make("h4", {}, dot, run.name));
  }

  liveValues(run) {
    const dot = make("i"), rows = make("dl");
    const paint = () => { dot.style.background = curveColour(run.colour); };
    paint();
    theme.listeners.push(paint);
    run.live = {};
    for (const [key, label] of [["energy", "H"], ["energyError", "H − H₀"], ["position", "max |g|"], ["momentum", "max |G H_p|"]]) {
      run.live[key] = make("dd");
      rows.append(make("dt", {}, label), run.live[key]);
    }
    return make("div", { class: "live" }, make("h4", {}, dot, run.name), rows);
  }

  grab(start) {
    this.canvas.setPointerCapture(start.pointerId);
    let last = [start.clientX, start.clientY];
    const move = e => {
      this.turn.yaw += (e.clientX - last[0]) * 0.008;
      this.turn.pitch = Math.max(-1.55, Math.min(1.55, this.turn.pitch + (e.clientY - last[1]) * 0.008));
      last = [e.clientX, e.clientY];
      this.draw();
    };
    const up = () => { this.canvas.removeEventListener("pointermove", move); this.canvas.removeEventListener("pointerup", up); };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", up);
  }

  key(e) {
    const frame = this.frame(), step = e.shiftKey ? 20 : 1;
    if (e.key === " ") this.toggle();
    else if (e.key === "ArrowRight") { this.pause(); this.setTime(this.times[Math.min(this.times.length - 1, frame.index + step)]); }
    else if (e.key === "ArrowLeft") { this.pause(); this.setTime(this.times[Math.max(0, frame.part > 0 ? frame.index : frame.index - step)]); }
    else return;
    e.preventDefault();
  }

  toggle() { this.playing ? this.pause() : this.start(); }
  pause() {
    this.playing = false;
    this.play.textContent = "▶ play";
  }
  start() {
    if (this.playing) return;
    if (this.time === this.end) this.setTime(this.times[0]);
    this.playing = true;
    this.play.textContent = "❚❚ pause";
    let before = null;
    const tick = now => {
      if (!this.playing) return;
      if (before !== null) {
        const sign = Math.sign(this.end - this.times[0]) || 1, next = this.time + sign * Math.min(0.1, (now - before) / 1000) * this.speed.value;
        const over = sign * (next - this.end) >= 0;
        this.setTime(over ? this.end : next);
        if (over && !this.loops) return this.pause();
        if (over) this.setTime(this.times[0]);
      }
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  setTime(t) {
    this.time = t;
    this.slider.value = (t - this.times[0]) / ((this.end - this.times[0]) || 1) * 10000;
    const { index, part } = this.frame();
    this.clock.replaceChildren(make("small", {}, "t = "), shown(t, 5));
    for (const run of this.runs) {
      const ended = index >= run.frames, at = Math.min(part > 0.5 ? index + 1 : index, run.frames - 1);
      const error = run.energyError[at];
      run.live.energy.textContent = ended ? "ended" : shown(run.energy + error, 9);
      run.live.energyError.textContent = shown(error, 3);
      run.live.position.textContent = shown(run.position[at], 3);
      run.live.momentum.textContent = shown(run.momentum[at], 3);
    }
    this.followers.forEach(f => f(t));
    this.draw();
  }

  // Returns the frame before the present time, and how far it is to the next.
  frame() {
    const t = this.times, sign = this.end >= t[0] ? 1 : -1;
    let low = 0, high = t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (sign * (t[middle] - this.time) <= 0) low = middle; else high = middle - 1;
    }
    return { index: low, part: low + 1 < t.length ? (this.time - t[low]) / (t[low + 1] - t[low]) : 0 };
  }

  place(run, body, index, part) {
    const d = this.data.dimension, f = Math.min(index, run.frames - 1), next = Math.min(f + 1, run.frames - 1), p = [0, 0, 0];
    for (let k = 0; k < d; ++k) {
      const a = run.places[(f * this.bodies + body) * d + k], b = run.places[(next * this.bodies + body) * d + k];
      p[k] = a + (index < run.frames ? part : 0) * (b - a);
    }
    return p;
  }

  // Returns screen x, y and depth, which grows towards the viewer.
  project(p) {
    const x = p[0] - this.centre[0], y = p[1] - this.centre[1], z = p[2] - this.centre[2];
    if (this.data.dimension === 2) return [this.middle[0] + this.unit * x, this.middle[1] - this.unit * y, 0];
    const { yaw, pitch } = this.turn, cy = Math.cos(yaw), sy = Math.sin(yaw), cp = Math.cos(pitch), sp = Math.sin(pitch);
    const right = cy * x - sy * y, back = sy * x + cy * y;  // turned about z, then tipped towards the viewer
    return [this.middle[0] + this.unit * right, this.middle[1] - this.unit * (cp * z + sp * back), cp * -back + sp * z];
  }

  draw() {
    const ratio = window.devicePixelRatio, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width || !height) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const c = this.context = this.canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    this.middle = [width / 2, height / 2];
    this.unit = 0.84 * Math.min(width / (this.size[0] || this.extent), height / (this.size[1] || this.extent)) * this.enlarge;
    this.ground(width, height);
    const { index, part } = this.frame(), strokes = [];
    this.data.spheres.forEach(s => this.net(s, strokes));
    const anchors = this.data.anchors.map(p => this.project(p));
    for (const [k, run] of this.runs.entries()) {
      const paint = curveColour(run.colour), at = [], wider = this.runs.length - 1 - k;  // what is under stays visible
      for (let b = 0; b < this.bodies; ++b) at.push(this.project(this.place(run, b, index, part)));
      at.push(...anchors);
      this.data.bodies.forEach((body, b) => { if (body.trail) this.trail(run, b, index, part, paint, strokes); });
      for (const [a, b] of this.data.links) strokes.push({ depth: (at[a][2] + at[b][2]) / 2, draw: () => this.rod(at[a], at[b], this.runs.length > 1 ? paint : colour("soft"), wider) });
      this.data.bodies.forEach((body, b) => strokes.push({ depth: at[b][2] + 1e-6, draw: () => body.disc ? this.disc(at[b], paint, wider) : this.label(at[b], body.name, paint) }));
    }
    anchors.forEach(p => strokes.push({ depth: p[2], draw: () => this.pin(p) }));
    strokes.sort((a, b) => a.depth - b.depth).forEach(s => s.draw());
    this.strip(index);
  }

  // Draws the energy error of the last frames as a strip, newest at the right.
  strip(index) {
    const ratio = window.devicePixelRatio, width = this.recent.clientWidth, height = this.recent.clientHeight, count = 300;
    if (!width) return;
    this.recent.width = width * ratio;
    this.recent.height = height * ratio;
    const c = this.recent.getContext("2d"), from = Math.max(0, index - count), parts = this.runs.map(run => run.energyError.subarray(from, Math.min(index + 1, run.frames)));
    let low = 0, high = 0;
    for (const part of parts) for (const v of part) { low = Math.min(low, v); high = Math.max(high, v); }
    if (high === low) return;
    const y = v => 6 + (height - 12) * (high - v) / (high - low);
    c.scale(ratio, ratio);
    c.strokeStyle = colour("line");
    c.beginPath(); c.moveTo(0, y(0)); c.lineTo(width, y(0)); c.stroke();
    parts.forEach((part, k) => {
      c.strokeStyle = curveColour(this.runs[k].colour); c.lineWidth = 1.4;
      c.beginPath();
      part.forEach((v, i) => c.lineTo(width - (index - from - i) * width / count, y(v)));
      c.stroke();
    });
    c.fillStyle = colour("soft"); c.font = "11px system-ui, sans-serif";
    if (high > 0) c.fillText(shown(high, 2), 2, 12);
    if (low < 0) c.fillText(shown(low, 2), 2, height - 4);
  }

  // Draws a light grid in the plane, or the three directions in space. A bar shows the unit.
  ground(width, height) {
    const c = this.context, step = evenTicks(0, Math.min(width, height) / this.unit, 5)[1] || 1;
    c.lineWidth = 1;
    c.strokeStyle = colour("grid");
    if (this.data.dimension === 2) {
      const left = this.centre[0] - this.middle[0] / this.unit, low = this.centre[1] - this.middle[1] / this.unit;
      c.beginPath();
      for (const x of evenTicksBy(left, left + width / this.unit, step)) { const px = this.project([x, 0, 0])[0]; c.moveTo(px, 0); c.lineTo(px, height); }
      for (const y of evenTicksBy(low, low + height / this.unit, step)) { const py = this.project([0, y, 0])[1]; c.moveTo(0, py); c.lineTo(width, py); }
      c.stroke();
    } else {
      const origin = [34, height - 34], flat = this.project(this.centre);
      [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]].forEach(([name, e]) => {
        const tip = this.project(this.centre.map((v, k) => v + e[k] / this.unit * 22)), dx = tip[0] - flat[0], dy = tip[1] - flat[1];
        c.strokeStyle = colour("soft");
        c.beginPath(); c.moveTo(...origin); c.lineTo(origin[0] + dx, origin[1] + dy); c.stroke();
        c.fillStyle = colour("soft"); c.font = "11px system-ui, sans-serif"; c.textAlign = "center"; c.textBaseline = "middle";
        c.fillText(name, origin[0] + dx * 1.4, origin[1] + dy * 1.4);
      });
    }
    c.strokeStyle = c.fillStyle = colour("soft");
    c.font = "11px system-ui, sans-serif"; c.textAlign = "center"; c.textBaseline = "bottom";
    const x1 = width - 14, x0 = x1 - step * this.unit, y = height - 12;
    c.beginPath(); c.moveTo(x0, y - 3); c.lineTo(x0, y + 3); c.moveTo(x0, y); c.lineTo(x1, y); c.moveTo(x1, y - 3); c.lineTo(x1, y + 3); c.stroke();
    c.fillText(shown(step, 3), (x0 + x1) / 2, y - 3);
  }

  // Draws circles of latitude and longitude, the far side fainter.
  net(sphere, strokes) {
    const circles = [], n = 72;
    for (let k = 1; k < 6; ++k) { const a = Math.PI * k / 6; circles.push(t => [Math.sin(a) * Math.cos(t), Math.sin(a) * Math.sin(t), Math.cos(a)]); }
    for (let k = 0; k < 6; ++k) { const a = Math.PI * k / 6; circles.push(t => [Math.sin(t) * Math.cos(a), Math.sin(t) * Math.sin(a), Math.cos(t)]); }
    const middle = this.project(sphere.centre)[2], sides = [[], []];
    for (const circle of circles)
      for (let i = 0; i < n; ++i) {
        const [p, q] = [i, i + 1].map(j => this.project(circle(2 * Math.PI * j / n).map((v, k) => sphere.centre[k] + sphere.radius * v)));
        sides[(p[2] + q[2]) / 2 > middle ? 1 : 0].push([p, q]);
      }
    sides.forEach((lines, front) => strokes.push({
      depth: middle + (front ? 1e-9 : -1e9), draw: () => {
        const c = this.context;
        c.strokeStyle = colour("line"); c.globalAlpha = front ? 0.9 : 0.45; c.lineWidth = 1;
        c.beginPath();
        lines.forEach(([p, q]) => { c.moveTo(p[0], p[1]); c.lineTo(q[0], q[1]); });
        c.stroke();
        c.globalAlpha = 1;
      },
    }));
  }

  // Draws where a body has been, fading, in pieces, so that each has its depth.
  trail(run, body, index, part, paint, strokes) {
    const length = Math.min(index, 600), pieces = 24, last = Math.min(index, run.frames - 1), from = Math.max(0, last - length);
    const end = this.project(this.place(run, body, index, part));
    for (let k = 0; k < pieces; ++k) {
      const a = from + Math.floor((last - from) * k / pieces), b = from + Math.floor((last - from) * (k + 1) / pieces), points = [];
      for (let f = a; f <= b; ++f) points.push(this.project(this.place(run, body, f, 0)));
      if (k === pieces - 1) points.push(end);
      if (points.length < 2) continue;
      strokes.push({
        depth: points.reduce((sum, p) => sum + p[2], 0) / points.length - 1e-3 * this.extent, draw: () => {
          const c = this.context;
          c.strokeStyle = paint; c.globalAlpha = 0.65 * ((k + 1) / pieces) ** 1.6; c.lineWidth = 1.6; c.lineJoin = "round";
          c.beginPath(); c.moveTo(points[0][0], points[0][1]);
          points.slice(1).forEach(p => c.lineTo(p[0], p[1]));
          c.stroke();
          c.globalAlpha = 1;
        },
      });
    }
  }

  rod(a, b, paint, wider) {
    const c = this.context;
    c.strokeStyle = paint; c.lineWidth = (this.bodies > 200 ? 1.2 : this.bodies > 20 ? 2 : 3.5) + 3 * wider; c.lineCap = "round";
    c.beginPath(); c.moveTo(a[0], a[1]); c.lineTo(b[0], b[1]); c.stroke();
  }
  disc(p, paint, wider) {
    const c = this.context;
    if (this.times.length === 1) {  // the points of a cloud are small, and none hides another
      c.fillStyle = paint;
      c.beginPath(); c.arc(p[0], p[1], 1.6, 0, 7); c.fill();
      return;
    }
    c.fillStyle = paint; c.strokeStyle = colour("card"); c.lineWidth = 1.5;
    c.beginPath(); c.arc(p[0], p[1], (this.bodies > 200 ? 1.8 : this.bodies > 60 ? 3 : this.bodies > 20 ? 4.5 : 8) + 3 * wider, 0, 7); c.fill(); c.stroke();
  }
  pin(p) {
    const c = this.context;
    c.fillStyle = colour("card"); c.strokeStyle = colour("ink"); c.lineWidth = 2;
    c.beginPath(); c.arc(p[0], p[1], 4.5, 0, 7); c.fill(); c.stroke();
  }
  label(p, text, paint) {
    const c = this.context;
    c.fillStyle = paint;
    c.beginPath(); c.arc(p[0], p[1], 3.5, 0, 7); c.fill();
    c.fillStyle = colour("ink"); c.font = "13px system-ui, sans-serif"; c.textAlign = "left"; c.textBaseline = "bottom";
    c.fillText(text, p[0] + 6, p[1] - 4);
  }
}

function evenTicksBy(low, high, step) {
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) ticks.push(k * step);
  return ticks;
}

// ---- tables ----

// ---- maps ----

// From dark to light, so that it reads in print too (the colours of viridis).
const heat = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function heatColour(part) {
  const at = Math.min(Math.max(part, 0), 1) * (heat.length - 1), k = Math.min(Math.floor(at), heat.length - 2);
  return "rgb(" + heat[k].map((c, j) => Math.round(c + (at - k) * (heat[k + 1][j] - c))).join(",") + ")";
}

class HeatMap {
  constructor(data, place) {
    this.data = data;
    this.x = numbers(data.x); this.y = numbers(data.y); this.values = numbers(data.values);
    this.canvas = make("canvas", { class: "map", tabindex: "0", role: "img", "aria-label": data.title });
    this.readout = make("div", { class: "readout" });
    this.names = make("div", { class: "legend" });
    const save = make("button", { type: "button", title: "the numbers of this map as a CSV file", onclick: () => this.save() }, "csv");
    place.append(make("div", { class: "head" }, make("h3", {}, data.title), save), this.canvas, make("div", { class: "under" }, this.names, this.readout));
    if (data.note) place.append(make("p", { class: "note" }, data.note));
    const fit = [...this.values].filter(v => Number.isFinite(v) && (!data.log || v > 0)).map(v => data.log ? Math.log10(v) : v);
    this.low = fit.length ? fit.reduce((a, b) => Math.min(a, b)) : 0;
    this.high = fit.length ? fit.reduce((a, b) => Math.max(a, b)) : 1;
    this.canvas.addEventListener("pointermove", e => this.read(e));
    this.canvas.addEventListener("pointerleave", () => { this.readout.textContent = ""; });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    theme.listeners.push(() => this.draw());
    this.draw();
  }

  fill(value) {
    if (this.data.kinds.length) return Number.isFinite(value) ? (value === 0 ? colour("grid") : curveColour(value)) : null;
    if (!Number.isFinite(value)) return null;
    if (this.data.log && value <= 0) return heatColour(0);
    const v = this.data.log ? Math.log10(value) : value;
    return heatColour(this.high > this.low ? (v - this.low) / (this.high - this.low) : 0.5);
  }

  draw() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (!width) return;
    this.canvas.width = width * ratio; this.canvas.height = height * ratio;
    const c = this.canvas.getContext("2d");
    c.scale(ratio, ratio);
    this.area = { left: 62, top: 8, width: width - 62 - (this.data.kinds.length ? 12 : 104), height: height - 8 - 44 };
    const { left, top, width: w, height: h } = this.area, nx = this.x.length, ny = this.y.length;
    for (let j = 0; j < ny; ++j)
      for (let i = 0; i < nx; ++i) {
        const fill = this.fill(this.values[j * nx + i]);
        if (!fill) continue;
        const x0 = Math.floor(left + i * w / nx), x1 = Math.floor(left + (i + 1) * w / nx), y0 = Math.floor(top + h - (j + 1) * h / ny), y1 = Math.floor(top + h - j * h / ny);
        c.fillStyle = fill;
        c.fillRect(x0, y0, x1 - x0, y1 - y0);
      }
    c.strokeStyle = colour("line"); c.strokeRect(left, top, w, h);
    c.fillStyle = colour("soft"); c.font = "12px system-ui, sans-serif";
    // Cells may have any distance from each other, so that some of their middles are labelled, not round numbers.
    const every = (count, room) => Math.max(1, Math.ceil(count / Math.max(1, Math.floor(room))));
    c.textAlign = "center"; c.textBaseline = "top";
    const ex = every(nx, w / 64);
    for (let i = 0; i < nx; i += ex) c.fillText(shown(this.x[i]), left + (i + 0.5) * w / nx, top + h + 6);
    c.fillText(this.data.xLabel, left + w / 2, top + h + 24);
    c.textAlign = "right"; c.textBaseline = "middle";
    const ey = every(ny, h / 22);
    for (let j = 0; j < ny; j += ey) c.fillText(shown(this.y[j]), left - 6, top + h - (j + 0.5) * h / ny);
    c.save(); c.translate(12, top + h / 2); c.rotate(-Math.PI / 2); c.textAlign = "center"; c.fillText(this.data.yLabel, 0, 0); c.restore();
    if (this.data.kinds.length) this.legend(); else this.bar(c);
  }

  bar(c) {
    const { left, top, width: w, height: h } = this.area, at = left + w + 14;
    for (let k = 0; k < 64; ++k) {
      c.fillStyle = heatColour(k / 63);
      c.fillRect(at, top + h - (k + 1) * h / 64, 14, h / 64 + 1);
    }
    c.fillStyle = colour("soft"); c.textAlign = "left"; c.textBaseline = "middle";
    for (const part of this.high > this.low ? [0, 0.5, 1] : [0.5]) {
      const v = this.low + part * (this.high - this.low);
      c.fillText(shown(this.data.log ? 10 ** v : v, 2), at + 18, Math.min(top + h - 6, Math.max(top + 6, top + h - part * h)));
    }
  }

  legend() {
    const there = new Set(this.values);
    this.names.replaceChildren(...this.data.kinds.map((name, k) => {
      const entry = make("span", { class: "kind" });
      entry.append(make("i", { style: "background:" + this.fill(k) }), name);
      return there.has(k) ? entry : null;
    }).filter(e => e));
  }

  read(event) {
    const box = this.canvas.getBoundingClientRect(), { left, top, width, height } = this.area, nx = this.x.length, ny = this.y.length;
    const i = Math.floor((event.clientX - box.left - left) / width * nx), j = Math.floor((top + height - (event.clientY - box.top)) / height * ny);
    if (i < 0 || j < 0 || i >= nx || j >= ny) { this.readout.textContent = ""; return; }
    const v = this.values[j * nx + i];
    this.readout.textContent = `${this.data.xLabel} = ${shown(this.x[i])}, ${this.data.yLabel} = ${shown(this.y[j])}: ` + (this.data.kinds.length ? this.data.kinds[v] : Number.isFinite(v) ? shown(v) : "no value");
  }

  save() {
    const rows = [[this.data.xLabel, this.data.yLabel, this.data.title].map(t => JSON.stringify(t)).join(",")], nx = this.x.length;
    this.values.forEach((v, k) => rows.push([this.x[k % nx], this.y[Math.floor(k / nx)], this.data.kinds.length ? this.data.kinds[v] : v].join(",")));
    download("map.csv", rows.join("\n") + "\n", "text/csv");
  }
}

const verdictMarks = { good: "✓ ", fair: "~ ", bad: "✗ " };
function table(data, place) {
  if (data.title) place.append(make("div", { class: "head" }, make("h3", {}, data.title)));
  const shownText = c => c.section ? make("a", { href: "#section-" + c.section }, c.text) : (verdictMarks[c.verdict] ?? "") + c.text;
  const cell = (c, k) => make("td", { class: (c.verdict || "") + (c.text.length < 28 ? " short" : ""), "data-name": data.columns[k] ?? "" }, shownText(c));
  // A table with sentences in it is wider than a phone: there its rows become lists.
  const sentences = data.rows.some(row => row.some((c, k) => k > 0 && c.text.length >= 28));
  place.append(make("div", { class: "scroll" }, make("table", { class: sentences ? "sentences" : "" },
    make("thead", {}, make("tr", {}, ...data.columns.map(name => make("th", {}, name)))),
    make("tbody", {}, ...data.rows.map(row => make("tr", {}, ...row.map(cell)))))));
  if (data.note) place.append(make("p", { class: "note" }, data.note));
}

// ---- what was computed ----

function download(name, text, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function computed(data, place) {
  if (!data.statements.length) return;
  place.append(make("div", { class: "statements" }, ...data.statements.map(s =>
    make("div", s.lines.some(l => l.length > 64) ? { class: "long" } : {}, make("h3", {}, s.title), make("pre", {}, s.lines.join("\n"))))));
  const copy = make("button", { type: "button", title: "copy the command", onclick: () => {
    navigator.clipboard?.writeText(data.command).then(() => { copy.textContent = "copied"; setTimeout(() => { copy.textContent = "copy"; }, 1500); });
  } }, "copy");
  const files = data.files.map((f, k) => make("a", { href: "#", onclick: e => { e.preventDefault(); download(f.name, f.text, "text/plain"); } }, k ? f.name : "download model"));
  place.append(make("div", { class: "origin" }, ...(data.command ? [make("code", {}, data.command), copy] : []), make("span", { class: "files" }, ...files.flatMap((f, k) => k ? [" · ", f] : [f]))));
  if (data.files.length) place.append(make("details", {}, make("summary", {}, data.files[0].name), make("pre", {}, data.files[0].text)));
}

// ---- the page ----

const state = window.taut = { report, plots: [], scenes: [], columns: [], maps: [] };
document.getElementById("program").textContent = report.program + (report.computed.date ? " · " + report.computed.date : "");
document.getElementById("title").textContent = report.title;
document.getElementById("text").append(...paragraphs(report.text));
for (const fact of report.facts) document.getElementById("facts").append(make("div", {}, make("dt", {}, fact.name), make("dd", {}, fact.value)));
computed(report.computed, document.getElementById("computed"));
applyTheme();
report.sections.forEach((section, k) => {
  const panels = make("div", { class: "panels" }), scenes = [], plots = [];
  const box = make("section", { id: "section-" + (k + 1) }, make("h2", {}, section.title), ...paragraphs(section.text), panels);
  document.getElementById("sections").append(box);
  if (report.sections.length > 2) document.getElementById("contents").append(make("a", { href: "#section-" + (k + 1) }, section.title));
  const figures = section.panels.filter(p => p.kind === "figure"), alone = figures.length % 2 ? figures[0] : null;  // two in a row
  for (const panel of section.panels) {
    if (panel.kind === "columns") {
      const [first, second] = [0, 1].map(() => make("div", { class: "panel figure" }));
      panels.append(first, second);
      const columns = new Columns(panel, first, second);
      plots.push(columns.courses, columns.paths);
      state.columns.push(columns);
      continue;
    }
    const isNarrow = panel.kind === "map" || (panel.kind === "figure" && panel !== alone);
    const place = make("div", { class: "panel " + panel.kind + (isNarrow ? "" : " wide") });
    panels.append(place);
    if (panel.kind === "figure") plots.push(new Plot(panel, place));
    else if (panel.kind === "table") table(panel, place);
    else if (panel.kind === "map") state.maps.push(new HeatMap(panel, place));
    else scenes.push(new Scene(panel, place));
  }
  // Plots over time follow the animation of their section, and lead it when clicked.
  for (const scene of scenes)
    for (const plot of plots.filter(p => p.figure.x.label === "t")) {
      scene.followers.push(t => plot.follow(t));
      plot.clicked = t => { scene.pause(); const [a, b] = [scene.times[0], scene.end].sort((p, q) => p - q); scene.setTime(Math.min(b, Math.max(a, t))); };
      plot.follow(scene.time);
    }
  state.plots.push(...plots);
  state.scenes.push(...scenes);
});
// With many sections the contents stay in sight, by the short names, and show which section is being read.
if (report.sections.length > 6) {
  const contents = document.getElementById("contents"), links = [...contents.children];
  document.body.insertBefore(contents, document.getElementById("sections"));
  contents.classList.add("sticky");
  links.forEach(link => { link.title = link.textContent; link.textContent = link.textContent.split(":")[0]; });
  const read = () => {
    const edge = contents.offsetHeight + 24, boxes = [...document.querySelectorAll("main > section")];
    const at = Math.max(0, boxes.findLastIndex(box => box.getBoundingClientRect().top <= edge));
    links.forEach((link, k) => { if (k === at) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current"); });
  };
  document.documentElement.style.setProperty("--bar", contents.offsetHeight + "px");
  addEventListener("scroll", read, { passive: true });
  addEventListener("resize", () => { document.documentElement.style.setProperty("--bar", contents.offsetHeight + "px"); read(); });
  read();
}
addEventListener("beforeprint", () => applyTheme(true));
addEventListener("afterprint", () => applyTheme(false));

// Moving pictures start when they are seen, unless the reader has asked for less motion.
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
  const seen = new IntersectionObserver(entries => entries.forEach(e => {
    if (!e.isIntersecting) return;
    seen.unobserve(e.target);
    state.scenes.find(s => s.canvas === e.target).start();
  }), { threshold: 0.5 });
  state.scenes.forEach(s => seen.observe(s.canvas));
}

})();

// Elements, numbers for people, and colours, as the report has them (src/taut/report/page/page.js).

type Child = Node | string;
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, unknown> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

// Chooses an option by its words; one that is not there leaves the choice as it is.
export function choose(list: HTMLSelectElement, words: string) {
  const k = [...list.options].findIndex(option => option.text === words);
  if (k >= 0) list.selectedIndex = k;
}
export function chosen(list: HTMLSelectElement): string { return list.selectedOptions[0]?.text ?? ""; }

export function found<T extends HTMLElement>(id: string): T { return document.getElementById(id) as T; }

const raised: Record<string, string> = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// Writes 1.23·10⁻⁷ or 0.0123, with `digits` significant ones.
export function shown(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return mantissa.replace("-", "−") + "·10" + [...String(Number(exponent))].map(c => raised[c]).join("");
}

// ---- light and dark ----

const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let choice: "system" | "light" | "dark" = "system";
let colours: Record<string, string> = {};

export function onTheme(listener: () => void) { listeners.push(listener); }
export function colour(name: string): string {
  return colours[name] ??= getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
export function applyTheme(next = choice) {
  choice = next;
  document.documentElement.classList.toggle("dark", choice === "dark" || (choice === "system" && system.matches));
  found("theme").textContent = `colours: ${choice}`;
  colours = {};
  for (const listener of listeners) listener();
}
export function nextTheme() { applyTheme(choice === "system" ? "light" : choice === "light" ? "dark" : "system"); }
system.addEventListener("change", () => applyTheme());

// Paper is light, whatever the screen is.
export function onPrint(before: () => void) {
  addEventListener("beforeprint", () => {
    before();
    document.documentElement.classList.remove("dark");
    colours = {};
    for (const listener of listeners) listener();
  });
  addEventListener("afterprint", () => applyTheme());
}

// Purple, blue, green, yellow: viridis, which differs in lightness for every eye; x is between 0 and 1.
const ramp = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
export function shade(x: number): string {
  const at = Math.min(ramp.length - 2, Math.floor(x * (ramp.length - 1))), part = x * (ramp.length - 1) - at;
  return `rgb(${ramp[at].map((a, k) => Math.round(a + part * (ramp[at + 1][k] - a))).join(",")})`;
}

export function download(name: string, content: BlobPart, type: string) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

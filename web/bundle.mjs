// Puts the page together: node bundle.mjs MODULE.wasm OUTPUT.html. Everything is inside one file, which asks
// for nothing.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [module, output] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const report = join(here, "../src/taut/report/page");
const text = path => readFileSync(path, "utf8");

const inputs = new Set();
async function bundle(entry) {
  const made = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, format: "iife", target: "es2022", charset: "utf8", loader: { ".md": "text" },
    legalComments: "none", write: false, metafile: true, absWorkingDir: here,
  });
  for (const path of Object.keys(made.metafile.inputs)) inputs.add(path);
  return made.outputFiles[0].text;
}

const packed = bytes => gzipSync(bytes, { level: 9 }).toString("base64");
// For the largest parts two characters hold 13 bits, where base64 has 12.
const digits = Array.from({ length: 94 }, (_, k) => String.fromCharCode(33 + k)).filter(c => !"&<\\".includes(c));
function dense(bytes) {
  const pairs = [];
  let bits = 0, held = 0;
  const put = () => { const x = bits & 8191; pairs.push(digits[x % 91] + digits[Math.floor(x / 91)]); bits >>>= 13; held -= 13; };
  for (const byte of bytes) {
    bits |= byte << held;
    for (held += 8; held >= 13;) put();
  }
  if (held > 0) put();
  return `${bytes.length} ${pairs.join("")}`;
}

const bytesOfDense = (await build({
  entryPoints: [join(here, "src/bytes.ts")], bundle: true, minify: true, format: "iife", target: "es2022", globalName: "packed",
  legalComments: "none", write: false,
})).outputFiles[0].text.trim();
// Unpacks the page's own script, and uPlot before it, and starts them.
const loader = `${bytesOfDense}(async () => {
  const bytes = packed.bytesOfDense(document.getElementById("script").textContent);
  const code = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const script = document.createElement("script");
  script.src = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  document.body.append(script);
})()`;
const digest = code => `'sha256-${createHash("sha256").update(code).digest("base64")}'`;
const policy = [
  "default-src 'none'", `script-src ${digest(loader)} blob: 'wasm-unsafe-eval'`, "style-src 'unsafe-inline'",
  "worker-src blob:", "img-src data: blob:", "connect-src 'none'", "form-action 'none'", "base-uri 'none'",
].join("; ");

const parts = {
  policy, loader, script: dense(gzipSync(`${text(join(report, "vendor/uPlot.min.js"))};\n${await bundle("lab.ts")}`, { level: 9 })),
  worker: packed(await bundle("worker.ts")),
  style: text(join(report, "page.css")) + text(join(report, "vendor/uPlot.min.css")) + text(join(here, "src/lab.css")),
  module: dense(gzipSync(readFileSync(module), { level: 9 })),
};

// The licences of the packages that are inside.
const packages = new Set([...inputs].map(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
const licences = [...packages].sort().map(name => {
  const folder = join(here, "node_modules", name), { version } = JSON.parse(text(join(folder, "package.json")));
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map(f => join(folder, f)).find(existsSync);
  if (!file) throw new Error(`${name} has no licence beside it`);
  return `${name} ${version}\n\n${text(file)}`;
});
licences.push(`uPlot\n\n${text(join(report, "vendor/uPlot.LICENSE"))}`, `taut\n\n${text(join(here, "../LICENSE"))}`);
const notice = `<!--\n${licences.join("\n\n----\n\n").replaceAll("--", "- -")}\n-->\n`;

const page = text(join(here, "src/page.html")).replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]) + notice;
writeFileSync(output, page);
const most = 2.5e6;
if (Buffer.byteLength(page) > most) throw new Error(`${output} has ${Buffer.byteLength(page)} bytes: more than ${most}`);
console.log(`${output}: ${(Buffer.byteLength(page) / 1e6).toFixed(2)} MB`);

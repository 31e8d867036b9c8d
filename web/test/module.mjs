// The module in Node, for tests: the same TypeScript that the page has.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");

export async function sources() {
  const folder = mkdtempSync(join(tmpdir(), "taut-lab-")), out = join(folder, "lab.mjs");
  try {
    await build({
      stdin: { contents: 'export * from "./module.ts"; export * from "./sha256.ts"; export * from "./session.ts"; export * from "./link.ts"; export * from "./command.ts"; export * from "./cloud.ts"; export * from "./crossings.ts"; export * from "./labblock.ts"; export * from "./swarm.ts"; export * from "./tiles.ts";', resolveDir: join(web, "src") },
      bundle: true, format: "esm", platform: "node", outfile: out, legalComments: "none",
    });
    return await import(pathToFileURL(out).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const wasm = path => readFileSync(path);

// The command that makes in a terminal what the page has made. Its words may come from a link of anybody, and
// whoever copies it runs it in a shell: what is not plain is quoted.

const quoted = (word: string) => /^[\w.=/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export interface Made { model: string; method: string; step: number; steps: number; set: [string, number][] }

export function hashCommand({ model, method, step, steps, set }: Made): string {
  const words = ["taut", "run", model, "--method", method, ...(method === "rk4" ? ["--formulation", "underlying"] : []), "--step", String(step), "--steps", String(steps), "--backend", "interpret",
    "--project-start", ...set.flatMap(([name, x]) => ["--set", `${name}=${x}`]), "--hash"];
  return words.map(quoted).join(" ");
}

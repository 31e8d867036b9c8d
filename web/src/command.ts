// The command that makes in a terminal what the page has made. Its words may come from a link of anybody, and
// whoever copies it runs it in a shell: what is not plain is quoted.

const quoted = (word: string) => /^[\w.=/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export interface Made { model: string; method: string; step: number; steps: number; set: [string, number][] }

const onEquations = (methods: string[]) => methods.includes("rk4") ? ["--formulation", "underlying"] : [];
const settings = (set: [string, number][]) => ["--project-start", ...set.flatMap(([name, x]) => ["--set", `${name}=${x}`])];

export function hashCommand({ model, method, step, steps, set }: Made): string {
  const words = ["taut", "run", model, "--method", method, ...onEquations([method]), "--step", String(step), "--steps", String(steps), "--backend", "interpret", ...settings(set), "--hash"];
  return words.map(quoted).join(" ");
}

// The command that makes the report of the page.
export function reportCommand({ model, methods, step, steps, set }: Omit<Made, "method"> & { methods: string[] }): string {
  const words = ["taut", "compare", model, "--methods", methods.join(","), ...onEquations(methods), "--step", String(step), "--steps", String(steps), ...settings(set), "--report"];
  return words.map(quoted).join(" ");
}

// node speed.mjs MODULE.wasm TAUT: steps a second with interpreted and with compiled formulas, in the module in Node
// and in the program, and their quotient. It is a measurement and no test.
import { execFileSync } from "node:child_process";
import { sources, wasm } from "./module.mjs";

const [module, program] = process.argv.slice(2);
const { Taut } = await sources();
const taut = await Taut.load(wasm(module));
const cases = [["pendulum", "rattle", 800000], ["pendulum", "lobatto(3)", 150000], ["double-pendulum", "rattle", 300000], ["double-pendulum", "lobatto(3)", 60000], ["six-node-chain", "rattle", 60000], ["six-node-chain", "lobatto(3)", 10000]];
const rounds = 5;

// Both are the best of several rounds, in seconds of the processor: those of the program are what the shell tells
// of it, less what a run of one step takes.
const best = once => Math.min(...Array.from({ length: rounds }, once));

function native(backend, model, method, steps) {
  const run = count => {
    const command = `'${program}' run ${model} --method '${method}' --steps ${count} --every ${count} --backend ${backend} --json >/dev/null 2>&1; times`;
    const told = execFileSync("bash", ["-c", command], { encoding: "utf8" }).trim().split("\n")[1];
    return told.split(" ").reduce((sum, part) => { const [, minutes, seconds] = /(\d+)m([\d.]+)s/.exec(part); return sum + 60 * Number(minutes) + Number(seconds); }, 0);
  };
  return best(() => run(steps)) - best(() => run(1));
}

function inModule(backend, model, method, steps) {
  const opened = taut.open(model);
  const once = () => {
    const stepper = taut.stepper(opened.handle, { method, backend }), from = process.cpuUsage();
    const failed = taut.step(stepper, steps), spent = process.cpuUsage(from);
    taut.freeStepper(stepper);
    if (failed !== null) throw new Error(failed);
    return (spent.user + spent.system) / 1e6;
  };
  once();  // the engine compiles what is hot
  const seconds = best(once);
  opened.free();
  return seconds;
}

console.log("formulas   model            method        program, steps/s  module, steps/s  quotient");
for (const backend of ["interpret", "compile"]) for (const [model, method, steps] of cases) {
  const there = steps / native(backend, model, method, steps), here = steps / inModule(backend, model, method, steps);
  console.log(`${backend.padEnd(10)} ${model.padEnd(16)} ${method.padEnd(12)} ${there.toFixed(0).padStart(17)} ${here.toFixed(0).padStart(16)} ${(here / there).toFixed(2).padStart(9)}`);
}

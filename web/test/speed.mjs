// node speed.mjs MODULE.wasm TAUT: steps a second of the interpreter, in the module in Node and in the program,
// and their quotient. It is a measurement and no test: run it on a machine that does nothing else.
import { execFileSync } from "node:child_process";
import { sources, wasm } from "./module.mjs";

const [module, program] = process.argv.slice(2);
const { Taut } = await sources();
const taut = await Taut.load(wasm(module));
const cases = [["pendulum", "rattle", 200000], ["pendulum", "lobatto(3)", 60000], ["double-pendulum", "rattle", 100000], ["double-pendulum", "lobatto(3)", 30000], ["six-node-chain", "rattle", 30000], ["six-node-chain", "lobatto(3)", 10000]];
const rounds = 5;

// Both are the best of several rounds, in seconds of the processor's own clock where the system tells it.
const best = once => Math.min(...Array.from({ length: rounds }, once));

function native(model, method, steps) {
  const run = () => JSON.parse(execFileSync(program, ["run", model, "--method", method, "--steps", String(steps), "--every", String(steps), "--backend", "interpret", "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })).seconds;
  return best(run);
}

function inModule(model, method, steps) {
  const opened = taut.open(model);
  const once = () => {
    const stepper = taut.stepper(opened.handle, { method, backend: "interpret" }), from = process.cpuUsage();
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

console.log("model            method        program, steps/s  module, steps/s  quotient");
for (const [model, method, steps] of cases) {
  const there = steps / native(model, method, steps), here = steps / inModule(model, method, steps);
  console.log(`${model.padEnd(16)} ${method.padEnd(12)} ${there.toFixed(0).padStart(17)} ${here.toFixed(0).padStart(16)} ${(here / there).toFixed(2).padStart(9)}`);
}

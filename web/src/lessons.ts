// The lessons that come with the page, and one of the reader's own.
import chaos from "../lessons/chaos-and-sections.md";
import constraints from "../lessons/constraint-drift.md";
import energy from "../lessons/energy-drift.md";
import steps from "../lessons/multiple-time-steps.md";
import order from "../lessons/order-by-eye.md";
import reversibility from "../lessons/reversibility.md";
import { found, make } from "./dom.ts";
import type { LabBlock } from "./labblock.ts";
import { rendered } from "./markdown.ts";

const all = [energy, constraints, order, chaos, reversibility, steps];
const own = "own";
const mostText = 1000000;

const titleOf = (markdown: string) => /^#\s+(.*)$/m.exec(markdown)?.[1] ?? "a lesson";

export class Lessons {
  private readonly list = found<HTMLSelectElement>("lessons");
  private readonly place = found("lesson");
  private readonly file = make("input", { type: "file", id: "lesson-file", accept: ".md,.markdown,text/markdown,text/plain", hidden: true, "aria-label": "a lesson of your own" });

  constructor(private readonly open: (block: LabBlock) => void) {
    this.list.append(make("option", { value: "" }, "–"), ...all.map((text, k) => make("option", { value: k }, titleOf(text))), make("option", { value: own }, "from a file …"));
    this.list.after(this.file);
    this.list.addEventListener("change", () => {
      if (this.list.value === own) { this.file.value = ""; this.file.click(); } else this.show(this.list.value === "" ? null : all[Number(this.list.value)]);
    });
    this.file.addEventListener("change", () => { void this.read(this.file.files?.[0]); });
    document.addEventListener("dragover", event => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
    document.addEventListener("drop", event => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      void this.read(file);
    });
  }

  private async read(file: File | undefined) {
    if (!file) return;
    if (file.size > mostText) { found("said").textContent = `${file.name} is no lesson: it has more than a megabyte.`; return; }
    this.list.value = own;
    this.show(await file.text());
  }

  private show(markdown: string | null) {
    this.place.hidden = markdown === null;
    this.place.replaceChildren(...(markdown === null ? [] : rendered(markdown, this.open)));
    if (markdown !== null) this.place.scrollIntoView({ block: "nearest" });
  }
}

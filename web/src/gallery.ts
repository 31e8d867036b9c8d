// The bundled models with their pictures, drawn one after the other while the gallery is open.
import { found, make } from "./dom.ts";
import type { Engine } from "./engine.ts";
import { Scene } from "./picture.ts";
import type { OpenAnswer } from "./protocol.ts";

const noHand = { grab: () => {}, move: () => {}, drop: () => {} };

export class Gallery {
  private readonly dialog = found<HTMLDialogElement>("pictures");
  private engine: Engine | null = null;
  private left: { name: string; canvas: HTMLCanvasElement; words: HTMLElement }[] = [];
  private working = false;

  constructor(private readonly engineFor: () => Engine, models: { name: string; description: string }[], choose: (name: string) => void) {
    const entries = models.map(({ name, description }) => {
      const canvas = make("canvas", { "aria-hidden": "true" }), words = make("span", { class: "note" }, description);
      this.left.push({ name, canvas, words });
      return make("button", { type: "button", "data-model": name, onclick: () => { this.dialog.close(); choose(name); } }, canvas, make("b", {}, name), words);
    });
    this.dialog.append(make("div", { class: "head" }, make("h3", {}, "Models"), make("button", { type: "button", onclick: () => this.dialog.close() }, "close")), make("div", { class: "thumbs" }, ...entries));
  }

  open() {
    this.dialog.showModal();
    void this.work();
  }

  private async work() {
    if (this.working) return;
    this.working = true;
    const engine = this.engine ??= this.engineFor();
    while (this.dialog.open && this.left.length > 0) {
      const { name, canvas, words } = this.left.shift()!;
      try {
        const text = await engine.ask<string>({ kind: "source", name });
        const { picture, frame } = await engine.ask<OpenAnswer>({ kind: "open", text, name, set: {}, lanes: [], step: null });
        new Scene(canvas, noHand).begin(picture, frame.lanes, false);
        canvas.dataset.drawn = "";
      } catch (error) {
        words.textContent = error instanceof Error ? error.message : String(error);
      }
    }
    this.working = false;
  }
}

// The worker as the page sees it: questions with answers. A worker that takes too long or breaks is ended,
// and another one takes its place.
import type { ErrorPlace } from "./module.ts";
import type { Answer, Request } from "./protocol.ts";

export class EngineError extends Error {
  constructor(sentence: string, readonly kind: string, readonly places: ErrorPlace[]) { super(sentence); }
}

// As many as the machine has processors.
export function workerCount() { return Math.max(1, Math.min(16, navigator.hardwareConcurrency || 1)); }

const patience = 12000;  // milliseconds

export class Engine {
  private worker: Worker | null = null;
  private ready: Promise<unknown> = Promise.resolve();
  private asked = 0;
  private readonly waiting = new Map<number, { resolve: (x: unknown) => void; reject: (e: EngineError) => void; timer: number }>();
  onRestart: () => void = () => {};

  constructor(private readonly code: string, private readonly module: ArrayBuffer) { this.begin(); }

  private begin() {
    const address = URL.createObjectURL(new Blob([this.code], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = (event: MessageEvent<Answer>) => this.take(event.data);
    this.worker.onerror = event => this.giveUp(`the laboratory's worker broke: ${event.message}`);
    this.ready = this.post({ module: this.module });
    this.ready.catch(() => {});
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  private post(body: object): Promise<unknown> {
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => this.giveUp(`the answer took longer than ${patience / 1000} s, and the calculation was ended.`), patience);
      this.waiting.set(id, { resolve, reject, timer });
      this.worker!.postMessage({ id, ...body });
    });
  }

  private take(answer: Answer) {
    const who = this.waiting.get(answer.id);
    if (!who) return;
    this.waiting.delete(answer.id);
    clearTimeout(who.timer);
    if ("value" in answer) return who.resolve(answer.value);
    who.reject(new EngineError(answer.error, answer.errorKind, answer.places));
    if (answer.errorKind === "broken") this.giveUp(`the model needed more than there is (${answer.error}), and the calculation was ended.`);
  }

  private giveUp(sentence: string) {
    this.worker?.terminate();
    const all = [...this.waiting.values()];
    this.waiting.clear();
    this.begin();
    for (const who of all) {
      clearTimeout(who.timer);
      who.reject(new EngineError(sentence, "ended", []));
    }
    this.onRestart();
  }

  async ask<T>(request: Request): Promise<T> {
    await this.ready;
    return await this.post({ request }) as T;
  }
}

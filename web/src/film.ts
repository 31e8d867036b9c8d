// A film of the picture, as the browser records it.
import { download } from "./dom.ts";

export class Film {
  private recorder: MediaRecorder | null = null;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly button: HTMLElement, private readonly name: () => string) {
    if (typeof MediaRecorder === "undefined" || !canvas.captureStream) {
      button.setAttribute("disabled", "");
      button.title = "this browser records no films";
    }
  }

  turn() {
    if (this.recorder !== null) return this.recorder.stop();
    const type = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find(t => MediaRecorder.isTypeSupported(t)), parts: Blob[] = [];
    const recorder = this.recorder = new MediaRecorder(this.canvas.captureStream(60), type ? { mimeType: type } : {});
    recorder.ondataavailable = event => parts.push(event.data);
    recorder.onstop = () => {
      this.recorder = null;
      this.show(false);
      const made = recorder.mimeType || "video/webm";
      download(`${this.name()}.${made.includes("mp4") ? "mp4" : "webm"}`, new Blob(parts, { type: made }), made);
    };
    recorder.start();
    this.show(true);
  }
  private show(on: boolean) {
    this.button.setAttribute("aria-pressed", String(on));
    this.button.textContent = on ? "end the film" : "film";
  }
}

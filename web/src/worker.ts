// The worker: it holds the module, and answers the page.
import { Cloud } from "./cloud.ts";
import { Taut, TautError } from "./module.ts";
import type { Answer, Request } from "./protocol.ts";
import { reportOf, Session } from "./session.ts";
import { Swarm } from "./swarm.ts";
import { Tiles } from "./tiles.ts";

let taut: Taut | null = null;
let session: Session | null = null;
let cloud: Cloud | null = null;
let swarm: Swarm | null = null;
let tiles: Tiles | null = null;

function answer(request: Request): unknown {
  if (taut === null) throw new Error("the module is not there yet");
  switch (request.kind) {
    case "list": {
      const models = taut.problems();
      return { version: taut.version(), models };
    }
    case "source": {
      const model = taut.open(request.name);
      try {
        return model.about.text;
      } finally {
        model.free();
      }
    }
    case "open": {
      const opened = new Session(taut, request);
      session?.free();
      session = opened;
      return session.answer;
    }
    case "report": return reportOf(taut, request);
    case "cloud": {
      cloud?.free();
      cloud = null;
      cloud = new Cloud(taut, request);
      return cloud.frame();
    }
    case "cloud-advance": {
      if (cloud === null) throw new TautError("no square is open.", "call");
      return cloud.advance(request.to);
    }
    case "swarm": {
      swarm?.free();
      swarm = null;
      swarm = new Swarm(taut, request);
      return swarm.frame();
    }
    case "swarm-advance": {
      if (swarm === null) throw new TautError("no neighbours are open.", "call");
      return swarm.advance(request.to);
    }
    case "map": {
      tiles?.free();
      tiles = null;
      tiles = new Tiles(taut, request);
      return null;
    }
    case "map-times": {
      if (tiles === null) throw new TautError("no map is open.", "call");
      return tiles.times(request.points);
    }
  }
  if (session === null) throw new TautError("no model is open.", "call");
  switch (request.kind) {
    case "advance": return session.advance(request.steps, request.section ?? null);
    case "drag": return session.drag(request.grip, request.to, request.time);
    case "drop": return session.drop(request);
    case "hash": return session.hash(request.lane);
  }
}

self.onmessage = async (event: MessageEvent<{ id: number; module: BufferSource } | { id: number; request: Request }>) => {
  const { id } = event.data;
  const reply = (body: object) => (self as unknown as Worker).postMessage({ id, ...body } as Answer);
  try {
    if ("module" in event.data) {
      taut = await Taut.load(event.data.module);
      reply({ value: null });
    } else {
      reply({ value: answer(event.data.request) });
    }
  } catch (error) {
    if (error instanceof TautError) return reply({ error: error.message, errorKind: error.kind, places: error.places });
    // The module itself broke (its stack, its memory): the page starts another worker.
    reply({ error: error instanceof Error ? error.message : String(error), errorKind: "broken", places: [] });
  }
};

// The states that were drawn, as a table: one row a frame, with the columns of every method beside each other.
import { download } from "./dom.ts";
import type { Description } from "./module.ts";
import { Course } from "./plots.ts";
import { columnsOf, type Column } from "./portraits.ts";
import type { Frame, LaneState } from "./protocol.ts";

const mostCoordinates = 100;  // of a larger model the first ones are kept

export class Samples {
  private readonly course = new Course();
  private columns: Column[] = [];
  private methods: string[] = [];

  begin(about: Description, methods: string[], first: LaneState) {
    this.methods = methods;
    this.columns = [
      { name: "H", of: lane => lane.energy }, { name: "H - H0", of: lane => lane.error },
      { name: "max |g|", of: lane => lane.position }, { name: "max |G H_p|", of: lane => lane.momentum },
      ...columnsOf(about, first, mostCoordinates),
    ];
    this.course.begin(methods.length, this.columns.length);
  }
  add(frame: Frame) {
    const live = frame.lanes.find(lane => lane.failed === null);
    if (live) this.course.put(live.t, frame.lanes.map(lane => this.columns.map(({ of }) => lane.failed === null ? of(lane) : null)));
  }
  // Numbers have all digits: they read back as the same doubles.
  save(name: string) {
    const quote = (x: string) => `"${x.replaceAll('"', '""')}"`;
    const head = ["t", ...this.methods.flatMap(method => this.columns.map(column => this.methods.length > 1 ? `${column.name} (${method})` : column.name))];
    const rows = this.course.t.map((t, i) => [t, ...this.course.values.flatMap(lane => lane.map(list => list[i] ?? ""))].join(","));
    download(`${name}.csv`, [head.map(quote).join(","), ...rows].join("\n") + "\n", "text/csv");
  }
}

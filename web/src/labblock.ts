// A lab block of a lesson: lines NAME = VALUE, and after a line of three dashes the text of a model of one's own.

export interface LabBlock {
  name: string;
  text: string | null;  // null: the bundled model of that name
  methods: string[];
  step: number | null;
  speed: number | null;
  set: Record<string, number>;
  section: string | null;
  level: number;
  quantity: string | null;
  square: boolean;
  neighbours: boolean;
  map: boolean;
}

const mostText = 200000;

export function labBlock(source: string): LabBlock {
  if (source.length > mostText) throw new Error(`it has more than ${mostText} characters`);
  const [head, ...rest] = source.split(/^---[ \t]*$/m);
  const block: LabBlock = { name: "", text: rest.length > 0 ? rest.join("---").replace(/^\n/, "") : null, methods: [], step: null, speed: null, set: {}, section: null, level: 0, quantity: null, square: false, neighbours: false, map: false };
  for (const line of head.split("\n")) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const match = /^\s*([\w.]+)\s*=\s*(.+)$/.exec(line);
    if (!match) throw new Error(`\`${line.trim()}\` is not NAME = VALUE`);
    take(block, match[1], valueOf(match[2]));
  }
  if (block.name === "" && block.text === null) throw new Error("it names no model, and has none after a line ---");
  if (block.name === "") block.name = "model";
  return block;
}

function valueOf(text: string): unknown {
  const bare = text.replace(/\s+#[^"\]]*$/, "").trim();
  try {
    return JSON.parse(bare);
  } catch {
    throw new Error(`\`${bare}\` is no text, number, list of texts, true or false`);
  }
}

function take(block: LabBlock, key: string, value: unknown) {
  const refuse = (wanted: string): never => { throw new Error(`${key} takes ${wanted}`); };
  const number = () => typeof value === "number" && Number.isFinite(value) ? value : refuse("a number");
  const positive = () => number() > 0 ? number() : refuse("a positive number");
  const text = () => typeof value === "string" && value.length <= 80 ? value : refuse("a text");
  if (key === "model") block.name = text();
  else if (key === "methods") block.methods = Array.isArray(value) && value.length <= 4 && value.every(x => typeof x === "string") ? value : refuse("a list of up to four texts");
  else if (key === "step") block.step = positive();
  else if (key === "speed") block.speed = positive();
  else if (key === "section") block.section = text();
  else if (key === "level") block.level = number();
  else if (key === "quantity") block.quantity = text();
  else if (key === "square" || key === "neighbours" || key === "map") block[key] = typeof value === "boolean" ? value : refuse("true or false");
  else if (/^set\.\w+$/.test(key)) block.set[key.slice(4)] = number();
  else throw new Error(`there is no ${key}: known are model, methods, step, speed, section, level, quantity, square, neighbours, map and set.NAME`);
}

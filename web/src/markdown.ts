// Lessons: Markdown as far as a lesson needs it, made into elements. Text becomes text and nothing else, wherever
// it comes from: no HTML, no links to elsewhere, no pictures.
import { make } from "./dom.ts";
import { labBlock, type LabBlock } from "./labblock.ts";

type Inline = HTMLElement | string;

// *emphasis*, **strong**, `code`.
function inline(text: string): Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*/g)) {
    parts.push(text.slice(from, match.index));
    parts.push(match[1] !== undefined ? make("code", {}, match[1]) : match[2] !== undefined ? make("strong", {}, match[2]) : make("em", {}, match[3]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

function table(lines: string[]): HTMLElement {
  const cells = (line: string) => line.trim().replace(/^\||\|$/g, "").split("|").map(x => x.trim());
  const row = (line: string, tag: "th" | "td") => make("tr", {}, ...cells(line).map(x => make(tag, {}, ...inline(x))));
  const body = lines.slice(/^[\s|:-]+$/.test(lines[1] ?? "") ? 2 : 1);
  return make("table", {}, row(lines[0], "th"), ...body.map(line => row(line, "td")));
}

function block(lines: string[]): HTMLElement {
  const heading = /^(#{1,4})\s+(.*)$/.exec(lines[0]);
  if (heading) return make(heading[1].length === 1 ? "h2" : "h3", {}, ...inline(heading[2]));
  if (lines[0].startsWith("|")) return table(lines);
  const item = /^\s*(?:[-*]|\d+\.)\s+/;
  if (item.test(lines[0])) {
    const items: string[] = [];
    for (const line of lines) if (item.test(line)) items.push(line.replace(item, "")); else items[items.length - 1] += " " + line.trim();
    return make(/^\s*\d/.test(lines[0]) ? "ol" : "ul", {}, ...items.map(text => make("li", {}, ...inline(text))));
  }
  return make("p", {}, ...inline(lines.join(" ")));
}

// A block that opens the laboratory; if something is wrong with it, that is said in its place.
function opener(text: string, open: (block: LabBlock) => void): HTMLElement {
  try {
    const asked = labBlock(text);
    return make("div", { class: "lab-block" }, make("button", { type: "button", class: "play", onclick: () => open(asked) }, "▶ show it"),
      make("span", { class: "note" }, ` ${asked.name}${asked.methods.length > 0 ? `: ${asked.methods.join(", ")}` : ""}${asked.step === null ? "" : `, step ${asked.step}`}`));
  } catch (error) {
    return make("p", { class: "warning" }, `This block is wrong: ${error instanceof Error ? error.message : error}`);
  }
}

export function rendered(markdown: string, open: (block: LabBlock) => void): HTMLElement[] {
  const all: HTMLElement[] = [], lines = markdown.replaceAll("\r", "").split("\n");
  let paragraph: string[] = [];
  const flush = () => { if (paragraph.length > 0) all.push(block(paragraph)); paragraph = []; };
  for (let i = 0; i < lines.length; ++i) {
    const fence = /^```\s*(\w*)/.exec(lines[i]);
    if (fence) {
      flush();
      let end = i + 1;
      while (end < lines.length && !lines[end].startsWith("```")) ++end;
      const inside = lines.slice(i + 1, end).join("\n");
      all.push(fence[1] === "lab" ? opener(inside, open) : make("pre", {}, inside));
      i = end;
    } else if (lines[i].trim() === "") flush();
    else {
      if (/^#{1,4}\s/.test(lines[i])) flush();
      paragraph.push(lines[i]);
      if (/^#{1,4}\s/.test(lines[i])) flush();
    }
  }
  flush();
  return all;
}

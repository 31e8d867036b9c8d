// The text of the model, with the library's errors at their characters.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { ErrorPlace } from "./module.ts";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace', lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--soft)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 24%, transparent) !important" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", color: "var(--ink)", backgroundColor: "var(--card)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", borderColor: "var(--line)" },
});
const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--c2)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--c1)" },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: "var(--c0)" },
]);

export class Editor {
  private readonly view: EditorView;
  private quiet = false;

  constructor(place: HTMLElement, onChange: (text: string) => void) {
    this.view = new EditorView({
      parent: place,
      state: EditorState.create({
        extensions: [
          lineNumbers(), history(), drawSelection(), highlightActiveLine(), lintGutter(), theme, syntaxHighlighting(colours),
          StreamLanguage.define(toml), keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ "aria-label": "text of the model" }),
          EditorView.updateListener.of(update => { if (update.docChanged && !this.quiet) onChange(this.text); }),
        ],
      }),
    });
  }

  get text() { return this.view.state.doc.toString(); }
  set text(text: string) {
    this.quiet = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.quiet = false;
  }

  // Marks the places. Those that lie in no line of the text (a slider's value) are said elsewhere.
  mark(places: ErrorPlace[]) {
    const doc = this.view.state.doc, marks: Diagnostic[] = [];
    for (const place of places) {
      if (place.line === undefined || place.line < 1 || place.line > doc.lines) continue;
      const line = doc.line(place.line), from = Math.min(line.to, line.from + Math.max(0, (place.column ?? 1) - 1));
      const word = /^[\p{L}\p{N}_]+/u.exec(line.text.slice(from - line.from));
      marks.push({ from, to: Math.min(line.to, from + (word ? word[0].length : 1)), severity: "error", message: place.note ? `${place.sentence}\n${place.note}` : place.sentence });
    }
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }
  goTo(place: ErrorPlace) {
    if (place.line === undefined || place.line < 1 || place.line > this.view.state.doc.lines) return;
    const at = this.view.state.doc.line(place.line).from + Math.max(0, (place.column ?? 1) - 1);
    this.view.dispatch({ selection: { anchor: Math.min(at, this.view.state.doc.length) }, scrollIntoView: true });
    this.view.focus();
  }
}

// What is handed on: a link, a frame for a page of one's own.
import { found } from "./dom.ts";
import { LinkError, toFragment, type Shared } from "./link.ts";

// Puts a text into the clipboard if the browser lets a page do so.
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// Hands out the whole state as a link; for a page of one's own, as the words that put the mechanism there.
export async function share(state: Shared, word: "" | "&embed") {
  const said = found("said");
  try {
    const address = location.href.replace(/#.*$/, "") + "#" + await toFragment(state);
    if (word === "") history.replaceState(null, "", address);
    const text = word === "" ? address : `<iframe src="${address.replaceAll('"', "%22")}${word}" width="640" height="560" title="taut: the laboratory"></iframe>`;
    found<HTMLTextAreaElement>("embed-text").value = word === "" ? "" : text;
    found("embed-text").hidden = word === "";
    const here = word === "" ? "The link is in the address bar" : "The frame is in the field below", there = word === "" ? "The link is in the clipboard and in the address bar." : "The frame is in the clipboard and in the field below.";
    said.textContent = await copied(text) ? there : here + ".";
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    said.textContent = error.message;
  }
}

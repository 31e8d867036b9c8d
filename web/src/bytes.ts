// The bytes of a text in base64. The mapping of Uint8Array.from takes fifty times as long.
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Undoes `dense` of bundle.mjs: a number of bytes, a space, and two characters for every 13 bits. The characters are
// those from ! to ~ without &, < and the backslash.
export function bytesOfDense(text: string): Uint8Array<ArrayBuffer> {
  const space = text.indexOf(" "), bytes = new Uint8Array(Number(text.slice(0, space)));
  const digit = (at: number) => { const code = text.charCodeAt(at); return code - 33 - (code > 38 ? 1 : 0) - (code > 60 ? 1 : 0) - (code > 92 ? 1 : 0); };
  let bits = 0, held = 0;
  for (let i = space + 1, to = 0; to < bytes.length; i += 2) {
    bits |= (digit(i) + 91 * digit(i + 1)) << held;
    for (held += 13; held >= 8 && to < bytes.length; held -= 8, bits >>>= 8) bytes[to++] = bits & 255;
  }
  return bytes;
}

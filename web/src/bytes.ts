// The bytes of a text in base64. The mapping of Uint8Array.from takes fifty times as long.
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// SHA-256 (FIPS 180-4). The browser's own is not there for pages from file:// in a worker.

const constants = (() => {  // the first 32 bits of the fractional parts of the cube roots of the first 64 primes
  const found: number[] = [], primes: number[] = [];
  for (let n = 2; primes.length < 64; ++n) if (primes.every(p => n % p !== 0)) primes.push(n);
  for (const p of primes) {
    // ⌊2³²·p^(1/3)⌋ in whole numbers: the cube root of p·2⁹⁶.
    const wanted = BigInt(p) << 96n;
    let low = 0n, high = 1n << 36n;
    while (low < high) {
      const middle = (low + high + 1n) >> 1n;
      if (middle * middle * middle <= wanted) low = middle; else high = middle - 1n;
    }
    found.push(Number(low & 0xffffffffn));
  }
  return new Uint32Array(found);
})();

export function sha256(bytes: Uint8Array): string {
  const h = new Uint32Array([0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]);
  const padded = new Uint8Array((bytes.length + 72) >> 6 << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const w = new Uint32Array(64);
  const turned = (x: number, k: number) => (x >>> k) | (x << (32 - k));
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; ++i) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; ++i) {
      const a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, k] = h;
    for (let i = 0; i < 64; ++i) {
      const t1 = (k + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i]) | 0;
      const t2 = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [k, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += k;
  }
  return [...h].map(x => x.toString(16).padStart(8, "0")).join("");
}

// The hash of a state, as `taut run --hash` prints it: q, then p, each number as eight little-endian bytes.
export function stateHash(q: ArrayLike<number>, p: ArrayLike<number>): string {
  const bytes = new DataView(new ArrayBuffer(8 * (q.length + p.length)));
  for (let i = 0; i < q.length; ++i) bytes.setFloat64(8 * i, q[i], true);
  for (let i = 0; i < p.length; ++i) bytes.setFloat64(8 * (q.length + i), p[i], true);
  return sha256(new Uint8Array(bytes.buffer));
}

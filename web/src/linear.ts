// Sums of numbers, for the hand that drags.

export function dot(a: Float64Array, b: Float64Array) { return a.reduce((sum, x, k) => sum + x * b[k], 0); }
export function subtract(a: Float64Array, e: Float64Array, by: number) { for (let k = 0; k < a.length; ++k) a[k] -= by * e[k]; }

// The shortest x with A x = b, by A Aᵀ y = b with a little on the diagonal, x = Aᵀ y; null if A is nothing.
export function leastNorm(A: Float64Array[], b: number[]): Float64Array | null {
  const m = A.length, K = A.map((row, i) => [...A.map(other => dot(row, other)), b[i]]);
  const most = Math.max(...K.map((row, i) => row[i]));
  if (!(most > 0)) return null;
  for (let i = 0; i < m; ++i) K[i][i] += 1e-12 * most;
  for (let i = 0; i < m; ++i) {
    for (let r = i + 1; r < m; ++r) {
      const factor = K[r][i] / K[i][i];
      for (let c = i; c <= m; ++c) K[r][c] -= factor * K[i][c];
    }
  }
  const y = new Array<number>(m).fill(0);
  for (let i = m - 1; i >= 0; --i) {
    let sum = K[i][m];
    for (let c = i + 1; c < m; ++c) sum -= K[i][c] * y[c];
    y[i] = sum / K[i][i];
  }
  const x = new Float64Array(A[0].length);
  A.forEach((row, i) => row.forEach((a, k) => { x[k] += a * y[i]; }));
  return x.every(Number.isFinite) ? x : null;
}

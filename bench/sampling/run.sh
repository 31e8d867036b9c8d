#!/usr/bin/env bash
# Measures effective draws per second of one core and per gradient: the torus of mici's README with every kernel, and
# SO(11) of Zappa, Holmes-Cerfon and Goodman. mici.py, beside this, measures mici on the same torus where it is installed.
#   bench/sampling/run.sh [PROGRAM]
set -eu
program=${1:-build/release/cli/taut}
here=$(cd "$(dirname "$0")" && pwd)
line() {
  python3 -c '
import json, sys
d = json.load(sys.stdin)
x = sys.argv[2]
print("%-28s %8.0f draws  ESS(%s) %8.0f  per second %9.0f  per gradient %7.4f  CPU %6.2f s" % (sys.argv[1],
    d["draws"] * d["chains"], x, d["ess_bulk"][x], d["ess_per_second"][x], d["ess_per_gradient"][x] or 0, d["draw_seconds"]))
' "$1" "$2"
}
for kernel in nuts 'hmc(5)' ghmc random-walk; do
  draws=20000
  case $kernel in ghmc | random-walk) draws=200000 ;; esac
  "$program" sample "$here/../../examples/sampling/torus.toml" --draws $draws --warmup 500 --threads 1 --kernel "$kernel" \
    --json 2> /dev/null | line "torus $kernel" x
done
"$program" sample "$here/../../examples/sampling/so11.toml" --draws 25000 --warmup 200 --chains 4 --threads 1 --kernel 'hmc(3)' --json \
  2> /dev/null | line "SO(11) hmc(3)" trace
# Proposals of the random walk on a chain of 1000 beads, each solved to rounding there and back.
chain=$(mktemp --suffix .toml)
trap 'rm -f "$chain"' EXIT
python3 "$here/chain.py" 1000 > "$chain"
"$program" sample "$chain" --draws 40000 --warmup 1000 --chains 1 --threads 1 --kernel random-walk --json 2> /dev/null |
  python3 -c 'import json, sys; d = json.load(sys.stdin); print("chain of 1000 beads          %.0f us a proposal, accepted %.2f" % (1e6 * d["draw_seconds"] / d["draws"], d["accept"]))'

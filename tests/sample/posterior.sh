#!/usr/bin/env bash
# Samples the torus, exports the draws as CmdStan does, and lets the R package posterior judge the diagnostics.
#   tests/sample/posterior.sh PROGRAM
# It exits with 77 if R or posterior is not installed. If r-cran-rstan is there, it reads the files too.
set -eu
program=${1:-build/release/cli/taut}
here=$(cd "$(dirname "$0")" && pwd)
Rscript -e 'library(posterior)' > /dev/null 2>&1 || { echo "Rscript with r-cran-posterior is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kernel in nuts ghmc random-walk; do
  "$program" sample "$here/../../examples/sampling/torus.toml" --draws 1501 --warmup 300 --chains 3 --kernel $kernel \
    --out "$work/$kernel" --json > "$work/$kernel.json" 2> /dev/null
  "$program" export "$work/$kernel" --cmdstan --out "$work/$kernel" 2> /dev/null
  python3 - "$work/$kernel.json" > "$work/$kernel.table" << 'P'
import json, sys
d = json.load(open(sys.argv[1]))
print("name,mean,sd,mcse,rhat,ess_bulk,ess_tail")
for name in d["mean"]:
    print(name + "," + ",".join(repr(d[k][name]) for k in ("mean", "sd", "mcse", "rhat", "ess_bulk", "ess_tail")))
P
  echo -n "$kernel: "
  Rscript "$here/posterior.R" "$work/$kernel.table" "$work/$kernel"-[123].csv
done

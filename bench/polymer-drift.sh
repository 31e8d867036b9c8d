#!/bin/sh
# Does the energy of a warm polymer with rigid bonds drift? Some seconds; results and figures go to the folder of the first argument.
set -e
here=$(dirname "$0")
taut=${TAUT:-"$here/../taut"}
out=${1:-out/polymer-drift}
mkdir -p "$out"
# From this cold start H moves while the angles take their share of the energy; the run that counts begins where this one ends.
"$taut" run "$here/polymer-warm.toml" --project-start --format binary --overwrite --out "$out/warm"
"$taut" export "$out/warm" --xyz --out "$out/warm.xyz"
cp "$here/polymer-drift.toml" "$out"
"$taut" run "$out/polymer-drift.toml" --figures "$out"

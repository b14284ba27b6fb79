#!/usr/bin/env bash
# Makes the plots of docs/science.md again: ten minutes on two cores. The results go into the folder that is named,
# or a new one; what is there is not computed again.
set -euo pipefail
cd "$(dirname "$0")/.."
out="$(realpath -m "${1:-$(mktemp -d)}")"
if [ -z "${FLOCKWORK:-}" ]; then
  cargo build --release --locked --bin flockwork
fi
program="$(realpath "${FLOCKWORK:-${CARGO_TARGET_DIR:-target}/release/flockwork}")"

# study NAME OPTIONS...: one sweep and its plot, with docs/science/NAME.csv as the reference if it is there.
study() {
  local name=$1 reference=()
  shift
  [ ! -e "docs/science/$name.csv" ] || reference=(--reference "docs/science/$name.csv")
  "$program" sweep --engine cpu --out "$out/$name" --plot "docs/science/$name.svg" "${reference[@]}" "$@"
}

noise=agent.rules.align.parameters.noise.value

study sweep --scene vicsek --vary $noise=0..5:11 --seeds 5 --ticks 5000 --metric polarisation
study vicsek-40 --scene vicsek --count 40 --density 12.566 --vary $noise=0.5..5:10 --ticks 105000 --settle 5000 \
  --metric polarisation
study vicsek-400 --scene vicsek --vary $noise=0.5..5:10 --ticks 35000 --settle 5000 --metric polarisation
study vicsek-size --scene vicsek --density 12.566 --vary $noise=0.5..5:10 --vary count=40,100,400 --seeds 3 \
  --ticks 12000 --settle 2000 --metric polarisation
study vicsek-density --scene vicsek --set 'world.size=[20,20]' --set world.grows=false --set $noise=2 \
  --vary count=40,100,400,1000,2000,4000 --ticks 6000 --settle 3000 --metric polarisation
study gregoire-chate --scene gregoire-chate --vary $noise=0.5..0.7:11 --ticks 8000 --settle 2000 --metric polarisation
study couzin --scene couzin --design hysteresis --vary fish.rules.school.parameters.orientation.value=0..5:21 \
  --seeds 5 --ticks 3000 --settle 1000 --metric polarisation,rotation
study number-fluctuations --scene vicsek --count 10000 --set agent.max_speed=0.5 --vary $noise=0.5..6:12 --seeds 2 \
  --ticks 5000 --settle 2500 --metric number_exponent,polarisation
study mills --scene mills --vary agent.rules.drive.parameters.alpha.value=0.25..3:12 --ticks 8000 \
  --metric mean_speed,rotation,polarisation

# With the Python package there, also what is no average.
if python3 -c 'import pyflockwork, matplotlib' 2>/dev/null; then
  python3 docs/density.py docs/science/density.svg
fi

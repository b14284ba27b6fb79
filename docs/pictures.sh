#!/usr/bin/env bash
# Makes the pictures of README.md and docs/gallery.md again. On the CPU engine and the CPU rasteriser:
# they need no driver, and the same seed gives the same bytes on any processor.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked
flockwork="${CARGO_TARGET_DIR:-target}/release/flockwork"

"$flockwork" capture --engine cpu --count 10000 --ticks 1000 --size 1280x720 --out docs/flock.png
"$flockwork" capture --engine cpu --count 1000 --ticks 480 --every 4 --fps 30 --size 400x225 \
  --out docs/flock.gif

mkdir -p docs/gallery
# Scene, ticks, and the count where it is not the scene's own.
while read -r scene ticks count; do
  "$flockwork" capture --engine cpu --scene "$scene" ${count:+--count "$count"} --ticks "$ticks" \
    --size 640x360 --out "docs/gallery/$scene.png"
done <<'SCENES'
arrive 60
avoid-ahead 150
avoid-box 400
avoid-feeler 400
big-and-small 600
embers 600 400
evade 300
fish 120
flee 20
flock 900 3000
flock-fov 900 1000
flock-noise 600 1000
flock-pointer 600 1000
flock-view 900 1000
flow 300 400
foam 1500
gather 400
path 200
path-loop 600
predators 600
pursuit 40
seek 60
seek-proximity 60
seek-separate 1000
separation 1000
walls 300
wander 400 200
SCENES

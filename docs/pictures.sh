#!/usr/bin/env bash
# Makes the pictures of README.md again. On the CPU engine: it needs no driver, and the same seed
# gives the same bytes on any processor.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked
flockwork="${CARGO_TARGET_DIR:-target}/release/flockwork"

"$flockwork" capture --engine cpu --count 10000 --ticks 1000 --size 1280x720 --out docs/flock.png
"$flockwork" capture --engine cpu --count 1000 --ticks 480 --every 4 --fps 30 --size 400x225 \
  --out docs/flock.gif

#!/usr/bin/env bash
# Makes the figures of docs/performance.md again, and its picture: a quarter of an hour on two cores
# without a GPU. The tables go to the terminal, and as JSON into the folder that is named, or a new one.
set -euo pipefail
cd "$(dirname "$0")/.."
out="$(realpath -m "${1:-$(mktemp -d)}")"
mkdir -p "$out"
cargo build --release --locked
bench() {
  local name=$1
  shift
  "${CARGO_TARGET_DIR:-target}/release/flockwork" bench --json "$out/$name.json" "$@"
}

# Three times, for medians over minutes that differ.
for round in 1 2 3; do
  # Counts, at one density.
  bench "counts-$round" --counts 10000,100000,1000000,8000000 --ticks 100 --engines gpu,cpu \
    --plot docs/performance.svg
  # Neighbours, at one count.
  bench "densities-$round" --count 200000 --densities 10,30,100 --ticks 20
  # A flock that has flown for a while.
  bench "flocked-$round" --count 200000 --state flocked --ticks 20
  # Space: neighbours at one count, and counts at one density.
  bench "space-$round" --scene flock-3d --count 100000 --densities 7,10,30,100 --ticks 20
  bench "space-counts-$round" --scene flock-3d --counts 10000,100000,1000000 --ticks 20 \
    --engines gpu,cpu
  # Crowds, and the even flock beside them.
  for count in 200000 1000000; do
    bench "even-$count-$round" --count "$count" --ticks 10 --engines gpu,cpu
    for crowd in one-point one-row seek-one-point; do
      bench "$crowd-$count-$round" --scene "benches/scenes/$crowd.toml" --count "$count" \
        --ticks 10 --engines gpu,cpu
    done
    bench "clumped-$count-$round" --count "$count" --state clumped --ticks 10 --engines gpu,cpu
  done
done
# Frames and starts.
cargo bench --locked -p benches --bench frame
echo "the figures are in $out"

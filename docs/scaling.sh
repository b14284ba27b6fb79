#!/usr/bin/env bash
# Makes the tables of docs/scaling.md again: ten minutes on two cores. It needs Open MPI, libclang, jq and
# awk. The JSON of every run goes into the folder that is named, or a new one.
#
# CPU time is what counts here, so more ranks than cores are no problem; other work on the machine is a small
# one. Borders stay where they are: they move by wall time, which says little where ranks share a core.
set -euo pipefail
cd "$(dirname "$0")/.."
out="$(realpath -m "${1:-$(mktemp -d)}")"
mkdir -p "$out"
if [ -z "${FLOCKWORK:-}" ]; then
  cargo build --release --locked --features mpi --bin flockwork --example messages
fi
program="$(realpath "${FLOCKWORK:-${CARGO_TARGET_DIR:-target}/release/flockwork}")"
messages="$(dirname "$program")/examples/messages"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# ranks NUMBER NAME OPTIONS...: one bench; a file that is there stays.
ranks() {
  local number=$1 name=$2
  shift 2
  [ -s "$out/$name-$number.json" ] || mpirun -q --oversubscribe -n "$number" "$program" bench \
    --engines cpu1 --json "$out/$name-$number.json" "$@" >/dev/null
}

# seconds TICKS OPTIONS...: CPU time of one process that runs so many ticks.
seconds() {
  local ticks=$1
  shift
  TIMEFORMAT='%U %S'
  { time RAYON_NUM_THREADS=1 "$program" simulate --engine cpu --threads 1 --ticks "$ticks" \
    --metrics "$out/metrics.csv" --metrics-every 1000000 "$@" >/dev/null 2>&1; } 2>&1 |
    awk '{ print $1 + $2 }'
}

# alone NAME BEGIN TICKS OPTIONS...: milliseconds of CPU time a tick in one process, after BEGIN ticks.
alone() {
  local name=$1 begin=$2 ticks=$3 before after
  shift 3
  [ -s "$out/$name-1.txt" ] && return
  before=$(seconds "$begin" "$@")
  after=$(seconds $((begin + ticks)) "$@")
  echo "$before $after $ticks" | awk '{ print ($2 - $1) * 1000 / $3 }' >"$out/$name-1.txt"
}

# lines NAME: ranks, agents, then of a rank CPU ms (mean, largest), ghosts, bytes, most agents over mean.
lines() {
  local file
  for file in "$out/$1"-[0-9]*.json; do
    jq -r '.reports[0] as $r | $r.rows[0].ranks as $k | ($k | length) as $n
      | [$n, $r.agents, ([$k[].cpu_ms] | add / $n), ([$k[].cpu_ms] | max),
         ([$k[].ghosts] | add / $n), ([$k[].sent_bytes] | add / $n),
         ([$k[].agents] | max) * $n / $r.agents] | @tsv' "$file"
  done | sort -n
}

# table NAME AXES AGENTS: measured, and what the model says. The time of an agent comes from one process with so many, the
# time of a ghost from the run on the most ranks; all else is geometry.
table() {
  echo
  echo "$1:"
  echo
  lines "$1" | awk -v one="$(cat "$out/$1-1.txt")" -v axes="$2" -v alone="$3" '
    { ranks[NR] = $1; agents[NR] = $2; mean[NR] = $3; most[NR] = $4; ghosts[NR] = $5
      sent[NR] = $6; uneven[NR] = $7 }
    END {
      pi = atan2(0, -1)
      each = one / alone
      last = NR
      ghost = (mean[last] - each * agents[last] / ranks[last]) / ghosts[last]
      printf "| ranks | agents | ghosts | model | sent, kB | model | CPU ms, mean | model | slowest | model |\n"
      printf "|---|---|---|---|---|---|---|---|---|---|\n"
      printf "| 1 | %d | 0 | | 0 | | %.2f | | %.2f | |\n", alone, one, one
      for (row = 1; row <= NR; row++) {
        n = agents[row] / ranks[row]
        # Slices of a world with 10 neighbours: 16 by 9, or 16 by 12 by 9.
        slices = axes == 2 ? sqrt(agents[row] * pi / 10 * 9 / 16) \
                           : exp(log(agents[row] * 4 / 3 * pi / 10 * 81 / 192) / 3)
        slices = int(slices)
        own = slices / ranks[row]
        even = int(own) == own ? 1 : (int(own) + 1) / own
        g = 2 * agents[row] / slices
        bytes = g * (axes == 2 ? 17 : 25)
        cpu = each * n + ghost * g
        slowest = each * n * even + ghost * g
        printf "| %d | %d | %d | %+.0f %% | %.1f | %+.0f %% | %.2f | %+.0f %% | %.2f | %+.0f %% |\n", \
          ranks[row], n, ghosts[row], 100 * (g / ghosts[row] - 1), sent[row] / 1e3, \
          100 * (bytes / sent[row] - 1), mean[row], 100 * (cpu / mean[row] - 1), most[row], \
          100 * (slowest / most[row] - 1)
      }
      printf "\n%.1f ns an agent, %.0f ns a ghost\n", each * 1e6, ghost * 1e6
    }' | sed 's/[+-]0 %/0 %/g'
}

plane="--count 400000"
space="--scene flock-3d --count 200000"
alone plane 11 60 $plane
alone plane-flocked 311 60 $plane
alone space 11 60 $space
alone space-flocked 111 60 $space
for number in 2 3 4 6 8; do
  ranks $number plane --keep-borders --ticks 60 $plane
  ranks $number plane-flocked --keep-borders --ticks 60 --state flocked --settle 300 $plane
  ranks $number space --keep-borders --ticks 60 $space
  ranks $number space-flocked --keep-borders --ticks 60 --state flocked --settle 100 $space
done
alone weak 11 60 --count 100000
alone weak-space 11 60 --scene flock-3d --count 50000
for number in 2 4 8; do
  ranks $number weak --keep-borders --ticks 60 --count $((number * 100000))
  ranks $number weak-space --keep-borders --ticks 60 --scene flock-3d --count $((number * 50000))
done
ranks 4 stay --keep-borders --scene benches/scenes/dense-box.toml --count 400000 --ticks 100
ranks 4 move --scene benches/scenes/dense-box.toml --count 400000 --ticks 100
table plane 2 400000
table plane-flocked 2 400000
table weak 2 100000
table space 3 200000
table space-flocked 3 200000
table weak-space 3 50000
for name in stay move; do
  echo
  echo "dense-box on 4 ranks, borders $name: CPU ms of each"
  jq -c '.reports[0].rows[0] | [.borders_moved, (.ranks[].cpu_ms * 100 | round / 100)]' "$out/$name-4.json"
done
echo
mpirun -q --oversubscribe -n 2 "$messages"
echo "the files are in $out"

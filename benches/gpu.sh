#!/usr/bin/env bash
# The first thing to run on a machine with a GPU: the tests of the GPU engine, then the times of ticks and
# passes at all counts and densities beside the floors of an H200, crowds, and the variants of the
# engine. Nine minutes at most; one table at the end.
#
#     benches/gpu.sh                                  builds what it needs
#     benches/gpu.sh FLOCKWORK [EXPERIMENTS [TEST…]]  takes built programs: no compiler is needed
#
# FLOCKWORK is the program. EXPERIMENTS is the bench `experiments`, TEST a test, as cargo builds them;
# "" leaves EXPERIMENTS out. `benches/gpu.sh --build` builds them and prints this command line.
#
#     COUNTS=10000,100000  DENSITIES=10,30  ADAPTER=NAME  SECONDS_IN_ALL=540  OUT=FOLDER
#
# Without a GPU, `COUNTS=10000,100000 benches/gpu.sh` shows that it works.
set -uo pipefail
cd "$(dirname "$0")/.."

COUNTS=${COUNTS:-10000,100000,1000000,10000000,100000000}
DENSITIES=${DENSITIES:-10,30,100}
SECONDS_IN_ALL=${SECONDS_IN_ALL:-540}
OUT=$(realpath -m "${OUT:-$(mktemp -d)}")
mkdir -p "$OUT"
adapter=()
if [ -n "${ADAPTER:-}" ]; then
  adapter=(--adapter "$ADAPTER")
  export FLOCKWORK_TEST_ADAPTER=$ADAPTER
fi
# Vulkan loaders complain on every run where this is unset.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$OUT}"

# Builds the programs and prints their paths: the program, the experiments, the tests.
build() {
  cargo build --release --locked >&2 || exit 1
  local found
  found=$({
    cargo test --release --locked --no-run --message-format=short --test engines --test pictures
    cargo bench --locked -p benches --no-run --message-format=short --bench experiments
  } 2>&1 | tee /dev/stderr | sed -n 's/^ *Executable .*(\(.*\))$/\1/p')
  [ -n "$found" ] || exit 1
  echo "${CARGO_TARGET_DIR:-target}/release/flockwork"
  grep '/experiments-' <<<"$found"
  grep -v '/experiments-' <<<"$found"
}

if [ $# -eq 0 ] || [ "$1" = --build ]; then
  mapfile -t programs < <(build)
  [ ${#programs[@]} -gt 2 ] || { echo "the build failed" >&2; exit 1; }
  if [ "${1:-}" = --build ]; then
    echo "benches/gpu.sh ${programs[*]}"
    exit
  fi
  set -- "${programs[@]}"
fi
program=$1
experiments=${2:-}
shift
[ $# -eq 0 ] || shift

begin=$SECONDS
# Runs a command for at most $1 seconds, and not beyond the end; its output goes to the file $2.
within() {
  local most=$1 log=$2 left=$((SECONDS_IN_ALL - (SECONDS - begin)))
  shift 2
  [ "$left" -ge 5 ] || { echo "no time is left" >"$log"; return 124; }
  timeout --signal=INT --kill-after=10 "$((most < left ? most : left))" "$@" >"$log" 2>&1
}

"$program" adapters || exit 1

tests=()
for test in "$@"; do
  name=$(basename "$test" | sed 's/-[0-9a-f]*$//')
  log=$OUT/test-$name.txt
  within 240 "$log" "$test" --quiet gpu_passes:: gpu_engine:: gpu_runs::flocks_of gpu_runs::a_mixed_scene_is renderer:: splat::
  case $? in
    0) verdict=passed ;;
    124 | 130 | 137) verdict="not done in time" ;;
    *) verdict="FAILED: see $log" ;;
  esac
  tests+=("$name: $verdict")
  echo "test ${tests[-1]}"
done

# One measurement: a name for its files, the row's label, at most so many seconds, arguments.
reports=()
bench() {
  local name=$1 label=$2 most=$3
  shift 3
  # Stopped for its time it writes what it has.
  within "$most" "$OUT/$name.txt" "$program" bench "${adapter[@]}" --engines gpu \
    --json "$OUT/$name.json" "$@"
  if grep -q ms_p50 "$OUT/$name.json" 2>/dev/null; then
    reports+=("$label=$OUT/$name.json")
    echo "$name: done, $((SECONDS - begin)) s"
  else
    echo "$name: $(tail -n 1 "$OUT/$name.txt")"
  fi
}

IFS=, read -ra counts <<<"$COUNTS"
IFS=, read -ra densities <<<"$DENSITIES"
for count in "${counts[@]}"; do
  # A thousand million agent-ticks are a tenth of a second where 10,000 million are moved a second.
  ticks=$((1000000000 / count))
  ticks=$((ticks > 1000 ? 1000 : ticks < 20 ? 20 : ticks))
  for density in "${densities[@]}"; do
    bench "uniform-$count-$density" uniform 30 --count "$count" --density "$density" --ticks "$ticks"
  done
done
# Flocks in space.
for count in "${counts[@]}"; do
  ticks=$((500000000 / count))
  ticks=$((ticks > 500 ? 500 : ticks < 20 ? 20 : ticks))
  for density in "${densities[@]}"; do
    bench "space-$count-$density" space 30 --scene flock-3d --count "$count" --density "$density" \
      --ticks "$ticks"
  done
done
# Flocks that have formed, and crowds, at the count in the middle, beside the even flock above.
middle=${counts[$((${#counts[@]} / 2))]}
bench "flocked-$middle" flocked 60 --count "$middle" --state flocked --ticks 50
bench "clumped-$middle" clumped 30 --count "$middle" --state clumped --ticks 20
for crowd in one-point one-row seek-one-point; do
  bench "$crowd-$middle" "$crowd" 30 --scene "benches/scenes/$crowd.toml" --count "$middle" --ticks 20
done
if [ -n "$experiments" ]; then
  within 90 "$OUT/experiments.txt" "$experiments" "$middle" "${ADAPTER:-}"
  echo "experiments: done, $((SECONDS - begin)) s"
fi

# The JSON has one value on a line, in a fixed order. A floor is what an H200 needs at least to move
# the bytes and to issue the instructions of a uniform flock, and to launch the passes of one tick.
table() {
  printf '%-15s %10s %5s %11s %10s %10s %9s %7s  %s\n' \
    what agents k 'k measured' 'ms a tick' 'M a second' 'floor ms' times 'passes, ms'
  local report
  for report in "${reports[@]}"; do
    awk -v label="${report%%=*}" '
      { value = $0; sub(/^[^:]*: */, "", value); sub(/,$/, "", value); gsub(/"/, "", value) }
      /^ *"agents":/ { agents = value }
      /^ *"uniform_neighbours":/ { k = value }
      /^ *"mean_neighbours":/ { getline; getline; near = $1 + 0 }
      /^ *"ms_p50":/ { ms = value }
      /^ *"million_agent_ticks":/ { rate = value }
      /^ *"passes":/ { inside = 1; next }
      inside && /^ *"[a-z_]+",$/ {
        name = $1; gsub(/[",]/, "", name); getline
        passes = passes sprintf(" %s %.3g", name, $1)
      }
      /^ *"passes_by_timestamps": false/ { passes = passes " (wall time)" }
      END {
        # 1,000,000 agents: 41, 71 and 178 us at 10, 30 and 100 neighbours; launches: 20 us.
        per = k < 30 ? 41 + (k - 10) * 1.5 : 71 + (k - 30) * 107 / 70
        floor = (label == "uniform") ? per * agents / 1e9 + 0.02 : 0
        printf "%-15s %10d %5.0f %11.1f %10.3f %10.1f ", label, agents, k, near, ms, rate
        if (floor) printf "%9.3f %7.1f ", floor, ms / floor; else printf "%9s %7s ", "", ""
        print passes
      }' "${report#*=}"
  done
}
{
  echo
  "$program" adapters
  echo "k: neighbours of a uniform flock; k measured: after the run. Floors are of an H200."
  table
  [ -z "$experiments" ] || { echo; cat "$OUT/experiments.txt"; }
  [ ${#tests[@]} -eq 0 ] || printf 'test %s\n' "${tests[@]}"
  echo "in $((SECONDS - begin)) s; files: $OUT"
} | tee "$OUT/table.txt"
# Fails with a test, and when nothing was measured.
[ ${#reports[@]} -gt 0 ] && ! printf '%s\n' "${tests[@]}" | grep -q FAILED

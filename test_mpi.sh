#!/usr/bin/env bash
# Tests one flock over several processes with MPI. On Debian and Ubuntu it first installs Open MPI and
# libclang (as root or with sudo); elsewhere it needs both.
set -euo pipefail
cd "$(dirname "$0")"

packages=(openmpi-bin libopenmpi-dev libclang-dev clang procps)
if command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
fi
command -v mpirun >/dev/null || { echo "no mpirun: install Open MPI" >&2; exit 1; }
cargo test --release --locked --features mpi --test ranks_mpi "$@"

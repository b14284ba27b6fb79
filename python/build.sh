#!/usr/bin/env bash
# Builds the wheel of the package into the folder `wheels` of target or CARGO_TARGET_DIR and prints its path. PROFILE
# names a build profile: `release` (the default) takes what other builds have made, `dist` makes the smallest and fastest
# wheel. MANYLINUX=2_28 makes one for every Linux with a C library of that version or later, by the linker of zig;
# without it, of this machine's or later.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=target/python
if [ ! -x "$environment/bin/maturin" ]; then
  python3 -m venv "$environment" || {
    echo "python3 cannot make a virtual environment: apt-get install python3-venv" >&2
    exit 1
  }
  "$environment/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.16,<2'
fi
options=()
if [ -n "${MANYLINUX:-}" ]; then
  "$environment/bin/pip" install --quiet --disable-pip-version-check ziglang
  options=(--zig --compatibility "manylinux_$MANYLINUX")
  # maturin looks for zig through the first Python.
  export PATH="$PWD/$environment/bin:$PATH"
fi
wheels=${CARGO_TARGET_DIR:-target}/wheels
rm -f "$wheels"/pyflockwork-*.whl
"$environment/bin/maturin" build --quiet --locked --profile "${PROFILE:-release}" "${options[@]}" \
  --manifest-path python/Cargo.toml --out "$wheels" >&2
realpath "$wheels"/pyflockwork-*.whl

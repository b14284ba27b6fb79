#!/usr/bin/env bash
# Builds the wheel of the package into target/wheels and prints its path. PROFILE names a build profile: `release`
# (the default) takes what other builds have made, `dist` makes the smallest and fastest wheel.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=${PYFLOCKWORK_ENVIRONMENT:-target/python}
if [ ! -x "$environment/bin/maturin" ]; then
  python3 -m venv "$environment" || {
    echo "python3 cannot make a virtual environment: apt-get install python3-venv" >&2
    exit 1
  }
  "$environment/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.16,<2'
fi
rm -f target/wheels/pyflockwork-*.whl
"$environment/bin/maturin" build --quiet --locked --profile "${PROFILE:-release}" --manifest-path python/Cargo.toml >&2
realpath target/wheels/pyflockwork-*.whl

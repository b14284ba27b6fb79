#!/usr/bin/env bash
# Makes the page and tests it in Chromium, which it installs on Debian and Ubuntu (as root or with sudo).
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v chromium >/dev/null && command -v dpkg-query >/dev/null; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "installing chromium"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium python3-venv >/dev/null
fi
web/build.sh
cargo build --release --locked --bin flockwork
# With the package, whose features of the dependencies the other tests have compiled.
cargo test --release --locked -p flockwork -p flockwork-web --lib link::
environment=${CARGO_TARGET_DIR:-target}/page
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --requirement web/tests/requirements.txt
FLOCKWORK_PAGE=$(realpath web/dist)
FLOCKWORK_PROGRAM=$(realpath "${CARGO_TARGET_DIR:-target}/release/flockwork")
CHROMIUM=$(command -v chromium)
export FLOCKWORK_PAGE FLOCKWORK_PROGRAM CHROMIUM
# Two at a time, for most of them wait.
"$environment/bin/python" -m pytest --quiet -p no:cacheprovider --numprocesses 2 --dist worksteal "$@" web/tests

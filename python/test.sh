#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own, and runs all that tests it: tests, examples of the
# documents, types, stubs and notebooks. On Debian and Ubuntu it first installs Python. With arguments, those tests alone.
set -euo pipefail
cd "$(dirname "$0")"
if ! python3 -c 'import ensurepip, venv' 2>/dev/null && command -v dpkg-query >/dev/null; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "installing python3-venv"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
fi
cd ..
environment=$PWD/target/python-tests
python3 -m venv "$environment"
# Beside the wheel, whose crates wait for one another.
"$environment/bin/pip" install --quiet --disable-pip-version-check --requirement python/tests/requirements.txt &
installed=$!
wheel=$(python/build.sh)
wait $installed
export PATH="$environment/bin:$PATH"
pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
# Vulkan loaders complain on every run where this is unset.
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
  XDG_RUNTIME_DIR=$(mktemp -d)
  export XDG_RUNTIME_DIR
  trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
fi
# The sources beside the tests have no extension: Python must find the wheel.
cd python/tests
pytest --quiet -p no:cacheprovider "$@"
[ $# -eq 0 ] || exit 0
pytest --quiet -p no:cacheprovider --doctest-modules --pyargs pyflockwork
mypy --strict --cache-dir=/dev/null -p pyflockwork
stubtest pyflockwork
cd ../examples
out=$(mktemp -d)
python -m ipykernel install --sys-prefix >/dev/null 2>&1
for notebook in *.py; do
  jupytext --quiet --to ipynb --execute --output "$out/${notebook%.py}.ipynb" "$notebook" 2>"$out/log" || {
    cat "$out/log" >&2
    exit 1
  }
  # The notebook that is kept is the script's.
  jupytext --quiet --to py:percent --opt notebook_metadata_filter=-all --opt cell_metadata_filter=-all \
    --output - "${notebook%.py}.ipynb" | diff - "$notebook"
done
rm -rf "$out"
echo "wheel tested: $(basename "$wheel"), $(du -h "$wheel" | cut -f 1)"

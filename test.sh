#!/usr/bin/env bash
# Runs every test, and the tests of the GPU engine once more on a second Vulkan driver. On Debian and Ubuntu
# it first installs what they need (as root or with sudo); elsewhere it says what to install. With a
# Vulkan driver at hand, `cargo test --release` is enough.
#
# FLOCKWORK_SECOND_DRIVER=required makes it an error that there is no second driver, =no leaves it out.
set -euo pipefail
cd "$(dirname "$0")"

packages=(
  mesa-vulkan-drivers libvulkan1         # lavapipe: a Vulkan driver for machines without a GPU
  xvfb xdotool x11-utils imagemagick     # the window, with keys and mouse, and a look at it
  libxkbcommon-x11-0 libxcursor1 libxi6 libxrandr2 libx11-xcb1
  ffmpeg                                 # MP4
  parallel                               # spreads a sweep
  gcc libc6-dev                          # Rust's linker
)

missing=()
if command -v dpkg-query >/dev/null; then
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
fi
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "as root: apt-get install ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
elif ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system. The tests need a Vulkan driver (Mesa's lavapipe will do), Xvfb, xdotool," >&2
  echo "ImageMagick, GNU parallel and ffmpeg from your package manager." >&2
fi
command -v cargo >/dev/null || { echo "no cargo: install Rust from rustup.rs" >&2; exit 1; }

# Vulkan loaders complain on every run where this is unset.
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
  XDG_RUNTIME_DIR=$(mktemp -d)
  export XDG_RUNTIME_DIR
  trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
fi

# Prints where the Vulkan description of SwiftShader is, the software driver of Chromium: installed, or
# taken out of Debian's package.
second_driver() {
  local file=usr/lib/chromium/vk_swiftshader_icd.json folder=target/swiftshader
  if [ -e "/$file" ]; then
    echo "/$file"
    return
  fi
  if [ ! -e "$folder/$file" ] && command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null; then
    mkdir -p "$folder"
    # A download needs no root, but lists of packages, which only root may fetch.
    (
      cd "$folder"
      apt-get download -qq chromium-common 2>/dev/null ||
        { [ "$(id -u)" -eq 0 ] && apt-get update -qq && apt-get download -qq chromium-common 2>/dev/null; }
      dpkg-deb --fsys-tarfile chromium-common_*.deb | tar -x --wildcards './usr/lib/chromium/*swiftshader*'
      rm -f chromium-common_*.deb
    ) >&2 || true
  fi
  [ ! -e "$folder/$file" ] || echo "$PWD/$folder/$file"
}

cargo test --release --locked "$@"

# With arguments it is those tests that are wanted, once.
[ $# -eq 0 ] || exit 0
[ "${FLOCKWORK_SECOND_DRIVER:-}" != no ] && [ "${FLOCKWORK_SKIP_GPU:-}" != 1 ] || exit 0
icd=$(second_driver)
if [ -z "$icd" ]; then
  echo "no second Vulkan driver: SwiftShader is in Debian's package chromium-common" >&2
  [ "${FLOCKWORK_SECOND_DRIVER:-}" != required ] || exit 1
  exit 0
fi
# SwiftShader takes four times as long as lavapipe: one situation in eight.
export FLOCKWORK_TEST_ADAPTER=SwiftShader FLOCKWORK_TEST_SHARE=8
begin=$SECONDS
# Left out is the test that holds thousands of blended triangles against the same flock drawn into
# cells: drivers round 8-bit blending differently. Lavapipe's triangles are 0.6 % brighter, SwiftShader's
# 1.2 %; an eye tells 1 % apart. And two controls, which test the tests; a test of the CPU engine; and one that bounds
# how far the engines part, where another test wants the same bits.
second=(gpu_passes gpu_engine gpu_runs ranks_gpu formulas rules_in_text rule_values broken_forces everybody limits traits bodies nearest pick kept renderer space_pictures splat clusters)
VK_DRIVER_FILES=$icd cargo test --release --locked --test engines --test pictures -- \
  "${second[@]/%/::}" --skip no_seam --skip every_poisoned_parameter --skip a_skipped_pass \
  --skip every_state_of_the_cpu_engine --skip both_engines_move_a_mixed_scene
first=$("${CARGO_TARGET_DIR:-target}/release/flockwork" adapters 2>/dev/null | sed -n 's/^0: //p')
echo "drivers tested: $first; SwiftShader, one situation in $FLOCKWORK_TEST_SHARE, in $((SECONDS - begin)) s"

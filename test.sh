#!/usr/bin/env bash
# Runs every test. On Debian and Ubuntu it first installs what they need (as root or with sudo);
# elsewhere it says what to install. With a Vulkan driver at hand, `cargo test --release` is enough.
set -euo pipefail
cd "$(dirname "$0")"

packages=(
  mesa-vulkan-drivers libvulkan1         # lavapipe: a Vulkan driver for machines without a GPU
  xvfb xdotool x11-utils imagemagick     # the window, with keys and mouse, and a look at it
  libxkbcommon-x11-0 libxcursor1 libxi6 libxrandr2 libx11-xcb1
  ffmpeg                                 # MP4
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
  echo "ImageMagick and ffmpeg from your package manager." >&2
fi
command -v cargo >/dev/null || { echo "no cargo: install Rust from rustup.rs" >&2; exit 1; }

# Vulkan loaders complain on every run where this is unset.
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
  XDG_RUNTIME_DIR=$(mktemp -d)
  export XDG_RUNTIME_DIR
  trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
fi

cargo test --release --locked "$@"

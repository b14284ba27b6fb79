#!/usr/bin/env bash
# Makes packages that install without a compiler, in target/packages: a Debian package, a release archive that
# cargo-binstall finds, and their checksums. PROFILE=release takes the quick build, to try this script.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${PROFILE:-dist}
version=$(sed -n '/^\[workspace.package\]/,/^version/s/^version = "\(.*\)"/\1/p' Cargo.toml)
target=$(rustc --print host-tuple)
name=flockwork-$version-$target
grep --quiet --line-regexp "version: $version" CITATION.cff || {
  echo "CITATION.cff: its version is not $version, as Cargo.toml has it; change it there" >&2
  exit 1
}
# One place, which packaging/Cargo.toml names too.
export CARGO_TARGET_DIR=$PWD/target
packages=$CARGO_TARGET_DIR/packages
files=$packages/files
cargo_home=${CARGO_HOME:-$HOME/.cargo}
# Every file in the packages is as old as the commit, so the same commit gives the same packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# Prints the licences of the libraries in the program: each text once, under the names of those that have it.
licences() {
  local crate version licence file text
  local -A users=() texts=()
  printf '%s\n' "The libraries in flockwork and their licences" "" "Rust's standard library: MIT OR Apache-2.0"
  while IFS='|' read -r crate licence; do
    echo "$crate: $licence"
    version=${crate##* v}
    while IFS= read -r file; do
      text=$(sha256sum <"$file")
      texts[$text]=$file
      users[$text]+=${users[$text]:+, }$crate
    done < <(find "$cargo_home"/registry/src/*/"${crate%% *}-$version" -type f -size +0 -iregex \
      '.*/\(licen[cs]e\|copying\|copyright\|notice\|[ou]fl\)[^/]*' ! -name '*.rs' | sort)
  done < <(cargo tree --locked --package flockwork --edges normal,no-proc-macro --target "$target" --prefix none \
    --format '{p}|{l}' | sed 's/ (\*)//' | grep -vF ' (/' | sort -u)
  [ ${#texts[@]} -gt 0 ] || {
    echo "no licences of libraries in $cargo_home/registry/src: run cargo fetch --locked" >&2
    return 1
  }
  for text in $(printf '%s\n' "${!texts[@]}" | cut -d ' ' -f 1 | sort); do
    printf '\n%s\n%s\n\n' "${users["$text  -"]}" "$(printf '=%.0s' {1..78})"
    cat "${texts["$text  -"]}"
  done
}

if [ ! -x "$CARGO_TARGET_DIR/tools/bin/cargo-deb" ]; then
  cargo install --quiet --locked --root "$CARGO_TARGET_DIR/tools" cargo-deb
fi

if [ "$profile" != release ]; then
  # Messages of a program that is given away name no folder of this machine.
  CARGO_ENCODED_RUSTFLAGS=$(printf -- '--remap-path-prefix=%s=%s\037' "$cargo_home" cargo "$PWD" flockwork)
  CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%?}
  export CARGO_ENCODED_RUSTFLAGS
fi
begin=$SECONDS
cargo build --locked --profile "$profile" --package flockwork --package packaging
echo "built in $((SECONDS - begin)) s"

rm -rf "$packages"
mkdir -p "$files"
"$CARGO_TARGET_DIR/$profile/packaging" "$files"
cp "$CARGO_TARGET_DIR/$profile/flockwork" packaging/files/* LICENSE-* "$files"
strip "$files/flockwork"
licences >"$files/THIRD-PARTY.txt"
{
  cat packaging/copyright
  sed 's/^$/./; s/^/ /' LICENSE-MIT
} >"$packages/copyright"

(cd packaging && "$CARGO_TARGET_DIR/tools/bin/cargo-deb" deb --quiet --no-build --no-strip --locked --output "$packages")
tar --create --directory "$packages" --transform "s,^files,$name," --sort name --owner 0 --group 0 \
  --numeric-owner --mode go-w --mtime "@$SOURCE_DATE_EPOCH" files | gzip -9 --no-name >"$packages/$name.tar.gz"
cd "$packages"
sha256sum -- *.deb *.tar.gz | tee SHA256SUMS
du -b files/flockwork *.deb *.tar.gz

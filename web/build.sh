#!/usr/bin/env bash
# Makes the page: web/dist, a folder that any static host serves, with the documents as a site (BOOK=no leaves them
# out).
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
if [ ! -d "$(rustc --print target-libdir --target $target)" ]; then
  rustup target add $target
fi
profile=${PROFILE:-web}
tools=${CARGO_TARGET_DIR:-target}/tools
make_tools() {
  # In a folder of their own, which no other build locks.
  nice cargo build --quiet --release --locked -p flockwork-web-bindings --target-dir "$tools/build"
  if [ "${BOOK:-yes}" = yes ] && [ ! -x "$tools/bin/mdbook" ]; then
    # It runs for a second: it need not be optimised.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 nice cargo install --quiet --locked --root "$tools" --no-default-features --features search mdbook
  fi
}
# Beside the page, whose last step has one thread.
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
make_tools &
tools_made=$!
# All browsers with WebGPU have SIMD. PAGE_RUSTFLAGS are more flags for the page alone.
RUSTFLAGS="${PAGE_RUSTFLAGS:-} -C target-feature=+simd128" \
  cargo build --profile "$profile" --locked --target $target -p flockwork-web --lib
wait $tools_made
dist=web/dist
rm -rf $dist
mkdir -p $dist
"$tools/build/release/flockwork-web-bindings" \
  "${CARGO_TARGET_DIR:-target}/$target/$profile/flockwork_web.wasm" $dist
cp web/index.html web/page.js $dist
# The same in one file, which opens from a disk.
{
  sed '/<script src=/,$d' web/index.html
  printf '<script>\n%s\n</script>\n' "$(cat web/page.js)"
  printf '<script type="text/plain" id="glue">\n%s\n</script>\n' "$(cat $dist/flockwork_web.js)"
  printf '<script type="text/plain" id="module">%s</script>\n' "$(gzip -9 -n <$dist/flockwork_web_bg.wasm | base64 | tr -d '\n')"
  cat <<'END'
<script>
const text = (id) => document.getElementById(id).textContent;
const packed = Uint8Array.from(atob(text("module")), (letter) => letter.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const glue = URL.createObjectURL(new Blob([text("glue")], { type: "text/javascript" }));
show(glue, new Response(unpacked, { headers: { "Content-Type": "application/wasm" } }));
</script>
</body>
</html>
END
} >$dist/flockwork.html
if [ "${BOOK:-yes}" = yes ]; then
  book=${CARGO_TARGET_DIR:-target}/book
  rm -rf "$book"
  mkdir -p "$book"/src/{packaging,python}
  cp web/book/* "$book"
  cp -r *.md LICENSE-* docs examples "$book/src"
  cp -r packaging/README.md "$book/src/packaging"
  cp -r python/README.md python/examples "$book/src/python"
  for page in README.md {docs,python,packaging,docs/upstream}/*.md ARCHITECTURE.md CHANGELOG.md; do
    echo "- [$(sed -n '/^# /{s/^# //p;q}' $page)]($page)"
  done >"$book/src/SUMMARY.md"
  "$tools/bin/mdbook" build --dest-dir "$PWD/$dist/book" "$book"
fi
du --apparent-size -sk $dist/* | sed 's/\t/ kB /'

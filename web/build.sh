#!/usr/bin/env bash
# Makes the page: web/dist, a folder that any static host serves. With PROFILE=release it is made sooner, and is
# eight times as large.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
if [ ! -d "$(rustc --print target-libdir --target $target)" ]; then
  rustup target add $target
fi
profile=${PROFILE:-web}
# All browsers with WebGPU have SIMD.
RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+simd128" \
  cargo build --profile "$profile" --locked --target $target -p flockwork-web --lib
dist=web/dist
rm -rf $dist
mkdir -p $dist
cargo run --quiet --release --locked -p flockwork-web-bindings -- \
  "${CARGO_TARGET_DIR:-target}/$target/$profile/flockwork_web.wasm" $dist
if [ "$profile" = web ] && command -v wasm-opt >/dev/null; then
  wasm-opt -O2 --all-features -o $dist/smaller.wasm $dist/flockwork_web_bg.wasm
  mv $dist/smaller.wasm $dist/flockwork_web_bg.wasm
fi
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
du --apparent-size -k $dist/* | sed 's/\t/ kB /'

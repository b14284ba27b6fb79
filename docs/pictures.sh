#!/usr/bin/env bash
# Makes the pictures of README.md, docs/looks.md, docs/space.md and docs/gallery.md again. All but the pictures of the
# window and of light are made on the CPU engine and the CPU rasteriser: no driver is needed, and the same
# seed gives the same bytes on any processor. Light needs a Vulkan driver, which may be software.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked
flockwork="${CARGO_TARGET_DIR:-target}/release/flockwork"

ink='style.palette=["#1F3B4D", "#D1495B", "#EDAE49", "#00798C"]'
"$flockwork" capture --engine cpu --count 40000 --seed 7 --ticks 900 --set style.background=paper \
  --set style.trail=60 --set "$ink" --out docs/flock.png
"$flockwork" capture --engine cpu --count 2000 --seed 7 --from 600 --ticks 882 --every 6 --fps 15 --loop 10 \
  --max-mb 3 --size 480x270 --set style.background=paper --set style.trail=20 --set "$ink" --out docs/flock.gif
if command -v ffmpeg; then
  "$flockwork" capture --engine cpu --count 5000 --seed 7 --from 300 --ticks 960 --every 2 --loop 30 \
    --size 960x540 --set style.background=paper --set style.trail=30 --set "$ink" --quality draft \
    --out docs/flock.mp4
fi

# The window, on a display without a screen; it moves in real time, so no two pictures are the same.
if command -v Xvfb && command -v xdotool && command -v import; then
  exec 3< <(exec Xvfb -displayfd 1 -nolisten tcp -screen 0 1280x720x24 2>/dev/null)
  server=$!
  read -r number <&3
  export DISPLAY=":$number"
  "$flockwork" --engine cpu --count 4000 --seed 5 --size 1280x720 &
  window=$(xdotool search --sync --onlyvisible --name Flockwork | head -n 1)
  xdotool windowfocus "$window" mousemove 430 470 sleep 8
  xdotool key Tab sleep 1 key h sleep 1 key g sleep 2
  import -window root -depth 8 docs/window.png
  xdotool key ctrl+q
  wait %1
  kill "$server"
  unset DISPLAY
fi

mkdir -p docs/looks
small=(--count 1500 --ticks 150 --size 480x270)
look() {
  local name=$1
  shift
  "$flockwork" capture --engine cpu "$@" --out "docs/looks/$name.png"
}
look paper "${small[@]}" --set style.background=paper
look dusk "${small[@]}" --set style.background=dusk
look speed "${small[@]}" --set style.colour=speed
look trails "${small[@]}" --set style.trail=16
look glow "${small[@]}" --set style.look=glow --set style.palette=viridis --set starling.size=3
look acceleration "${small[@]}" --set style.colour=acceleration
look structure --count 60000 --ticks 600 --size 960x540 --set style.colour=structure
look cluster --count 10000 --density 3 --seed 7 --ticks 500 --size 960x540 --set style.colour=cluster
look murmuration --scene murmuration --count 100000 --ticks 600 --size 960x540
look shade --scene tornado --count 60000 --ticks 400 --size 960x540 --set style.matter=4 --set style.exposure=1 \
  --set style.bloom=0.1 --set style.arrows=false --set style.frame=false
"$flockwork" capture --engine cpu --scene pursuit --count 300 --ticks 600 --size 480x270 \
  --set vehicle.colour=age --set style.age=200 --out docs/looks/age.png

mkdir -p docs/space
space() {
  local name=$1
  shift
  "$flockwork" capture --engine cpu --size 640x360 "$@" --out "docs/space/$name.png"
}
space near --scene flock-3d --ticks 900 --view 320,240,180,2.2
space many --scene flock-3d --count 200000 --ticks 300
space dusk --scene flock-3d --count 60000 --ticks 300 --set style.background=dusk --set camera.elevation=-4
space things --scene school --ticks 900 --view 240,160,70,1.3,60
space water --scene murmuration --ticks 600 --set style.ground=water --set camera.elevation=4 \
  --set 'camera.centre=[600, 600, 60]' --set camera.zoom=1.3

mkdir -p docs/gallery
wall() {
  local quality=$1 name=$2
  shift 2
  "$flockwork" capture --engine cpu --size 1920x1080 "$@" --out "docs/gallery/$name.png"
  convert "docs/gallery/$name.png" -strip -sampling-factor 4:2:0 -interlace Plane -quality "$quality" \
    "docs/gallery/$name.jpg"
  rm "docs/gallery/$name.png"
}
if command -v convert; then
  wall 88 starlings --scene docs/gallery/starlings.toml --ticks 1000 --samples 4
  wall 70 ink --count 20000 --seed 7 --ticks 1200 --set style.background=paper --set style.trail=60 \
    --set 'starling.colour="#20242C"'
  wall 82 motes --scene curl --ticks 400 --set camera.zoom=2.5 --set camera.lens=4 --set style.frame=false \
    --set style.arrows=false --set style.exposure=1.5 --set style.bloom=0.2 --samples 64
  wall 80 shoal --scene docs/gallery/shoal.toml --ticks 540 --samples 4
  wall 66 million --count 1000000 --seed 7 --ticks 3000 --set style.colour=structure --set style.exposure=2.5 \
    --set style.bloom=0.12
  # The five states of the paper: j and k.
  states=$(mktemp -d)
  while read -r nth j k; do
    "$flockwork" capture --engine cpu --scene swarmalators --ticks 1500 --size 320x320 --set camera.zoom=1.15 \
      --set "swarmalator.rules.swarm.parameters.j.value=$j" \
      --set "swarmalator.rules.swarm.parameters.k.value=$k" --out "$states/$nth.png"
  done <<'STATES'
1 0.1 -1
2 0.1 1
3 1 -0.1
4 1 -0.75
5 1 0
STATES
  convert "$states"/[1-5].png +append docs/gallery/swarmalators-five.png
  rm -r "$states"
fi
# Films of the five for the wall.
reel() {
  local name=$1
  shift
  "$flockwork" capture --engine cpu --max-mb 2 "$@" --out "docs/gallery/$name.mp4"
}
if command -v ffmpeg; then
  reel shoal --scene docs/gallery/shoal.toml --from 300 --ticks 900 --every 2
  reel million --count 1000000 --seed 7 --from 3000 --ticks 3600 --every 2 --set style.colour=structure \
    --set style.exposure=2.5 --set style.bloom=0.12
  reel starlings --scene docs/gallery/starlings.toml --from 700 --ticks 1300 --every 2
  reel ink --count 20000 --seed 7 --from 1200 --ticks 1800 --every 2 --set style.background=paper \
    --set style.trail=60 --set 'starling.colour="#20242C"'
  reel motes --scene curl --count 1500 --from 400 --ticks 700 --set camera.zoom=2 --set camera.lens=4 \
    --set style.frame=false --set style.arrows=false --set style.exposure=1.5 --set style.bloom=0.2 --samples 16 \
    --size 960x540
fi
# Scene, ticks, the count where it is not the scene's own, `+` for the geometry of steering, and other
# options: trails where a motion is to be seen, and a view of the part where something happens.
while read -r scene ticks count geometry others; do
  options=(--scene "$scene" --ticks "$ticks")
  [ "$count" = "-" ] || options+=(--count "$count")
  [ "$geometry" = "+" ] && options+=(--geometry)
  read -ra others <<<"$others"
  "$flockwork" capture --engine cpu "${options[@]}" "${others[@]}" --size 640x360 --out "docs/gallery/$scene.png"
done <<'SCENES'
active-particles 8000 -
arrive 60 - + --set style.trail=60 --view 440,240,1.5
arrive-gain 150 - + --set style.trail=60 --view 480,340,1.1
arrive-half 60 - + --set style.trail=60 --view 440,240,1.5
asteroids 300 - - --set style.frame=false --set camera.zoom=1.8 --set style.trail=8
avoid-ahead 50 - + --view 300,285,1.7
avoid-box 400 15 +
avoid-feeler 400 15 +
basin 500 -
big-and-small 600 - - --set style.trail=20 --view 330,190,1.2
bodyguards 600 -
bubbles 1200 - - --set style.frame=false --set camera.follow=centre --set camera.zoom=2
chiral 600 -
couzin 2000 - - --set camera.orbit=none --set camera.azimuth=150
crossing 400 -
cucker-smale 120 -
curl 400 - - --set style.frame=false --set style.arrows=false --set style.exposure=1.5 --set style.bloom=0.2 --set camera.zoom=1.6
docking 150 -
doorway 500 -
embers 600 400
escort 900 -
evade 300 - +
fish 100 - + --set camera.follow=centre --set camera.zoom=2
fireflies 1500 -
flee 20 - + --set style.trail=60 --view 340,190,2.5
flock 900 3000
flock-3d 900 8000 - --set style.frame=false --set style.exposure=1 --set style.bloom=0.1
flock-fov 900 -
flock-noise 800 - - --set camera.follow=centre --set camera.zoom=1.6
flock-pointer 600 1000
flock-view 900 400
flow 150 400
foam 600 300 -
gather 300 - - --set camera.follow=centre --set camera.zoom=2
gregoire-chate 2500 32768 - --set agent.size=0.4
helix 600 -
hide 500 -
hunger 60 - - --set style.trail=12
meander 300 -
mills 2500 - - --set camera.follow=centre --set camera.zoom=1.6
murmuration 600 -
nematic 600 -
non-reciprocal 600 -
particle-life 800 -
path 150 - +
path-line 80 - +
path-loop 600 -
predators 600 -
procession 3280 -
pursuit 60 - + --set style.trail=60
pursuit-gain 400 - + --set style.trail=60
roost 400 - - --set camera.zoom=2.2
school 900 -
schooling-by-noise 400 -
seek 60 - + --set style.trail=60 --view 470,245,1.8
seek-gain 60 - + --set style.trail=60 --view 470,330,1.8
seek-proximity 60 - + --set style.trail=60 --view 450,240,1.7
seek-separate 1000 -
separation 1000 - - --set style.trail=20
shadow 2300 -
swarmalators 1500 - - --set camera.zoom=1.15
topological 210 - - --set camera.zoom=1.2
tornado 800 20000 - --set style.frame=false --set style.arrows=false --set style.exposure=1 --set style.matter=4 --set style.bloom=0.1
vicsek 600 -
walls 300 - +
wander 400 12 +
wander-nervous 200 - +
woods 400 - - --set style.trail=36
SCENES

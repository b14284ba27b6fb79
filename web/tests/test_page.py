"""The page in a browser without a screen, whose WebGPU is SwiftShader: the bytes of flocks, pictures, links."""

import base64
import functools
import http.server
import io
import json
import os
import pathlib
import re
import subprocess
import threading
import tomllib
import zlib

import brotli
import numpy as np
import PIL.Image
import pytest
from playwright.sync_api import sync_playwright

DIST = pathlib.Path(os.environ["FLOCKWORK_PAGE"])
PROGRAM = os.environ["FLOCKWORK_PROGRAM"]
# Bytes that a visitor loads, compressed as static hosts do.
MOST = 2_400_000
FLAGS = [
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--use-vulkan=swiftshader",
    "--enable-features=Vulkan",
    "--use-angle=vulkan",
    # Shaders take seconds here, and a slow GPU would be taken for one that hangs.
    "--disable-gpu-watchdog",
]
SCENES = (
    "flock murmuration flock-3d predators wander walls woods school vicsek fireflies couzin curl particle-life".split()
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    handler = functools.partial(Quiet, directory=str(DIST))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 800, "height": 450}, has_touch=True)
    page.set_default_timeout(120_000)
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    # Warnings too: a browser warns of shaders that it finds odd.
    page.on("console", lambda said: page.problems.append(said.text))
    yield page
    page.close()


def picture(page):
    image = PIL.Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return np.asarray(image, np.int16)


def message(page):
    return page.evaluate("document.getElementById('message').textContent")


def shows(page, least=500):
    """Waits until so many pixels differ from the background."""
    for _ in range(60):
        page.wait_for_timeout(1000)
        assert message(page) == "" and not page.problems, (message(page), page.problems)
        seen = picture(page)
        if (np.abs(seen - seen[200, 2]).max(axis=2) > 40).sum() > least:
            return seen
    raise AssertionError("the page stays empty")


def has_panel(page, act):
    """The panel of parameters stands at the right after `act`."""
    act()
    page.wait_for_timeout(3000)
    panel = picture(page)[50:350, 560:780]
    assert (panel.std(axis=2) < 2).mean() > 0.8 and panel.mean() > 20, "there is no panel"


def native(tmp_path, scene, seed):
    out = tmp_path / "flock.npz"
    words = f"simulate --engine cpu --scene {scene} --count 200 --seed {seed} --ticks 100 --every 100 --out"
    subprocess.run([PROGRAM, *words.split(), out], check=True, capture_output=True)
    arrays = np.load(out)
    rows = arrays["tick"] == 100
    of_rows = [name for name in arrays.files if name != "run.toml" and arrays[name].shape[:1] == rows.shape]
    return {name: arrays[name][rows] for name in of_rows}


def test_bytes_are_those_of_the_program(page, address, tmp_path):
    page.goto(address + "#name=flock&count=1&engine=cpu")
    page.wait_for_function("window.flockwork !== undefined")
    ask = """async ([link, ticks]) => {
        const bytes = await flockwork.simulate(link, ticks);
        let text = "";
        for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
        return btoa(text);
    }"""
    for scene in SCENES:
        expected = native(tmp_path, scene, 3)
        other = native(tmp_path, scene, 4)
        for engine in ["cpu", "gpu"]:
            link = f"#name={scene}&count=200&seed=3&engine={engine}"
            found = np.load(io.BytesIO(base64.b64decode(page.evaluate(ask, [link, 100]))))
            for name, values in expected.items():
                np.testing.assert_array_equal(found[name], values, f"{scene} on {engine}: {name}")
            assert not np.array_equal(found["position"], other["position"]), "another seed"
    assert not page.problems, page.problems


@pytest.mark.parametrize("link", ["#name=flock&count=300", "#name=flock-3d&count=500&engine=cpu"])
def test_a_link_shows_its_flock(page, address, link):
    page.goto(address + link)
    first = shows(page)
    page.wait_for_timeout(3000)
    later = shows(page)
    assert (np.abs(first - later).max(axis=2) > 40).sum() > 300, "the flock stands still"
    has_panel(page, lambda: page.keyboard.press("Tab"))
    assert message(page) == "" and not page.problems


@pytest.fixture
def saved(page, tmp_path):
    """What the page hands over as files: each call returns the next one, after `act`."""

    def next_file(act):
        with page.expect_download(timeout=60_000) as waiting:
            act()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    return next_file


def test_what_needs_the_whole_flock_works_on_the_gpu(page, address, saved):
    def pictured():
        path = saved(lambda: page.keyboard.press("F12"))
        image = PIL.Image.open(path)
        seen = np.asarray(image.convert("RGB"), np.int16)
        assert (np.abs(seen - seen[0, 0]).max(axis=2) > 40).sum() > 50, f"{path.name} shows nothing"
        return path.name.split("-tick")[0], tomllib.loads(image.text["Comment"])["engine"]

    def scene():
        path = saved(lambda: page.keyboard.press("Control+s"))
        return tomllib.loads(path.read_text())

    # Targets that move by themselves.
    page.goto(address + "#name=murmuration&count=300")
    shows(page, 100)
    assert pictured() == ("murmuration", "gpu")
    page.keyboard.press("e")
    assert pictured() == ("murmuration", "cpu")
    page.keyboard.press("e")
    assert pictured() == ("murmuration", "gpu")
    species = set(scene()["species"])
    assert len(species) > 1
    for name in species:
        page.evaluate("name => flockwork.edit(`without = \"${name}\"`)", name)
        page.wait_for_timeout(3000)
        assert set(scene()["species"]) == species - {name}
        page.keyboard.press("Control+z")
        page.wait_for_timeout(3000)
        assert set(scene()["species"]) == species
    page.keyboard.press("PageDown")
    page.wait_for_timeout(3000)
    after, engine = pictured()
    assert after != "murmuration" and engine == "gpu"
    page.keyboard.press("Control+z")
    page.wait_for_timeout(3000)
    assert pictured() == ("murmuration", "gpu")
    shows(page, 100)


def test_a_script_changes_the_flock_and_hears_of_it(page, address, saved):
    page.goto(address + "#name=walls&count=100")
    shows(page, 100)
    page.evaluate("flockwork.onTick(tick => { window.tick = tick })")
    page.wait_for_function("window.tick > 5")
    page.evaluate("flockwork.set('vehicle.max_speed', 1.5)")
    page.evaluate("flockwork.edit('add_obstacle = [100, 50]')")
    page.wait_for_timeout(1000)
    changed = tomllib.loads(saved(lambda: page.keyboard.press("Control+s")).read_text())
    assert changed["species"]["vehicle"]["max_speed"] == 1.5 and changed["obstacles"][-1]["position"] == [100, 50]
    for wrong in ["jump = 1", "move = {", "set = 3"]:
        said = page.evaluate("text => { try { flockwork.edit(text) } catch (problem) { return problem } }", wrong)
        assert said.startswith("no edit: "), said
    for call, part in [
        ("set('vehicle.max_speed')", "no value"),
        ("press('quit')", "pause, scenes"),
        ("onTick(3)", "no function"),
        ("start(null, '')", "canvas"),
        ("start(document.getElementById('flock'), '')", "one flock"),
    ]:
        ask = f"async () => {{ try {{ await flockwork.{call} }} catch (problem) {{ return problem }} }}"
        assert part in page.evaluate(ask), call
    # A key of the window that a page leaves alone.
    page.keyboard.press("Control+q")
    # Edits that the flock cannot take are said in the window.
    page.evaluate("flockwork.set('vehicle.max_spede', 1)")
    page.evaluate("flockwork.edit('count = { species = \"vehicle\", count = 4000000000 }')")
    text = 'about = "mine"\n[species.own]\ncount = 50\nwander = {}\n'
    page.evaluate(
        """text => {
            const files = new DataTransfer();
            files.items.add(new File([text], "mine.toml"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));
        }""",
        text,
    )
    page.wait_for_timeout(2000)
    path = saved(lambda: page.keyboard.press("Control+s"))
    assert path.name == "mine.toml" and "species.own" in path.read_text()
    shows(page, 30)


def test_a_lost_gpu_is_opened_again(page, address):
    page.add_init_script(
        """
        window.opened = [];
        const open = GPUAdapter.prototype.requestDevice;
        GPUAdapter.prototype.requestDevice = async function (...asked) {
            const device = await open.apply(this, asked);
            window.opened.push(device);
            return device;
        };
        """
    )
    page.goto(address + "#name=murmuration&count=300")
    page.wait_for_function("window.flockwork !== undefined")
    page.evaluate("flockwork.onTick(tick => { window.tick = tick })")
    shows(page, 100)
    for devices in [1, 2]:
        assert page.evaluate("window.opened.length") == devices
        # The last state on the host is some seconds old at most.
        page.wait_for_timeout(4000)
        before = page.evaluate("window.tick")
        page.evaluate("window.opened.at(-1).destroy()")
        page.wait_for_function(f"window.opened.length === {devices + 1}")
        page.wait_for_timeout(2000)
        after = page.evaluate("window.tick")
        assert after > before / 2 > 5, (before, after)
        shows(page, 100)


def test_a_hidden_page_rests(page, address):
    page.goto(address + "#name=flock&count=100")
    shows(page)
    page.evaluate("flockwork.onTick(tick => { window.tick = tick })")

    def turn(state):
        page.evaluate(
            """state => {
                Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
                document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
            }""",
            state,
        )
        page.wait_for_timeout(500)
        return page.evaluate("window.tick")

    hidden = turn("hidden")
    page.wait_for_timeout(4000)
    assert page.evaluate("window.tick") == hidden, "it goes on while nobody looks"
    # The time in between does not count.
    back = turn("visible")
    page.wait_for_timeout(3000)
    assert hidden < back + 1 and back < hidden + 100 and page.evaluate("window.tick") > back
    shows(page)


def test_without_webgpu_the_cpu_draws(page, address):
    page.add_init_script("Object.defineProperty(navigator, 'gpu', { value: undefined })")
    page.goto(address + "#name=flock-3d&count=300")
    page.wait_for_function("document.getElementById('message').textContent !== ''")
    assert message(page).startswith("This browser has no WebGPU.") and "the CPU" in message(page)
    page.evaluate("flockwork.onTick(tick => { window.tick = tick })")
    page.wait_for_function("document.getElementById('message').textContent === ''", timeout=30_000)
    shows(page, 300)
    assert page.evaluate("window.tick") > 100
    page.evaluate("flockwork.open('own', '[species.own]\\ncount = 50\\nwander = {}')")
    page.wait_for_function("window.tick < 100")
    shows(page, 30)
    for text, part in [("[species.own", "own:1"), ("[species.own]\ncount = 99999999", "a page holds")]:
        page.evaluate("text => flockwork.open('own', text)", text)
        page.wait_for_function("part => document.getElementById('message').textContent.includes(part)", arg=part)
    # A good text takes the sentence about a bad one away.
    page.evaluate("flockwork.open('own', '[species.own]\\ncount = 50\\nwander = {}')")
    page.wait_for_function("document.getElementById('message').textContent === ''", timeout=10_000)
    page.tap("text=Pause")
    page.wait_for_timeout(500)
    paused = page.evaluate("window.tick")
    page.wait_for_timeout(1000)
    assert page.evaluate("window.tick") == paused


def test_a_film_is_what_the_canvas_shows(page, address, saved):
    page.goto(address + "#name=flock&count=60")
    shows(page)
    page.keyboard.press("F9")
    page.wait_for_timeout(2000)
    # A canvas of another size, such as a phone has that is turned, goes on being filmed.
    page.set_viewport_size({"width": 700, "height": 500})
    page.wait_for_timeout(2000)
    page.set_viewport_size({"width": 800, "height": 450})
    page.wait_for_timeout(1000)
    film = saved(lambda: page.keyboard.press("F9"))
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames", "-of", "json", film],
        check=True,
        capture_output=True,
    )
    stream = json.loads(found.stdout)["streams"][0]
    size = page.evaluate("[flock.width, flock.height]")
    assert [stream["width"], stream["height"]] == size and int(stream["nb_read_frames"]) > 3, stream


def test_one_file_opens_from_a_disk(page):
    page.goto((DIST / "flockwork.html").as_uri() + "#name=walls&count=100")
    shows(page, 100)


def test_a_link_to_what_is_shown_is_copied(page, address):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = pathlib.Path("scenes/walls.toml").read_text().replace("about = ", "# mine\nabout = ", 1)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text.encode()) + packer.flush()
    own = "#scene=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
    cpu = "#name=walls&seed=5&engine=cpu"
    for link, begins in [("#name=walls&seed=5", "#name=walls&seed=5"), (own, "#scene="), (cpu, cpu)]:
        page.goto("about:blank")
        page.goto(address + link)
        shows(page, 100)
        page.keyboard.press("Control+Shift+C")
        page.wait_for_timeout(1000)
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(address + begins), copied
        page.goto("about:blank")
        page.goto(copied)
        shows(page, 100)


def test_fingers_are_a_mouse(page, address):
    touch = page.context.new_cdp_session(page)

    def fingers(kind, *places):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_timeout(200)

    page.goto(address + "#name=flock&count=60")
    shows(page)
    page.keyboard.press("Space")
    page.wait_for_timeout(3000)
    wide = picture(page)
    fingers("touchStart", (350, 225))
    fingers("touchStart", (350, 225), (450, 225))
    for apart in range(100, 301, 40):
        fingers("touchMove", (400 - apart // 2, 225), (400 + apart // 2, 225))
    fingers("touchEnd")
    page.wait_for_timeout(3000)
    near = picture(page)
    assert (np.abs(wide - near).max(axis=2) > 40).sum() > 500, "two fingers zoom"
    page.wait_for_timeout(2000)
    assert (np.abs(picture(page) - near).max(axis=2) > 40).sum() < 50, "the flock is paused"
    has_panel(page, lambda: page.tap("text=Values"))
    assert message(page) == "" and not page.problems


@pytest.mark.parametrize(
    ("link", "part"),
    [
        ("#name=murmurations", "did you mean `murmuration`?"),
        ("#set=starling.cohesion.weigth=2", "weigth"),
        ("#set=<img src=x onerror=alert(1)>", "<img"),
        ("#count=0", "count"),
        ("#count=99999999999", "a page holds 5000000 at most"),
        ("#count=100000000&engine=cpu", "a page holds 5000000 at most"),
        ("#count=4294967295", "a page holds 5000000 at most"),
    ],
)
def test_a_wrong_link_is_one_sentence(page, address, link, part):
    page.goto(address + link)
    page.wait_for_function("document.getElementById('message').textContent !== ''")
    said = message(page)
    assert part in said and len(said) < 500, said
    # There is no flock for the buttons.
    assert page.is_hidden("text=Pause") and page.is_visible("text=Show the usual flock")
    assert not page.problems, page.problems


def test_after_a_wrong_link_a_flock_can_be_started(page, address):
    page.goto(address + "#name=nowhere")
    page.wait_for_function("document.getElementById('message').textContent !== ''")
    with pytest.raises(Exception, match="there is no flock"):
        page.evaluate("flockwork.press('pause')")
    page.evaluate("flockwork.start(document.getElementById('flock'), '#name=walls&count=100')")
    page.evaluate("flockwork.onTick(tick => { window.tick = tick })")
    page.wait_for_function("window.tick > 5")
    with pytest.raises(Exception, match="A page shows one flock"):
        page.evaluate("flockwork.start(document.getElementById('flock'), '')")
    for call, part in [
        ("simulate('#name=walls', -1)", "-1 ticks; it takes a whole number"),
        ("simulate('#name=walls', 1.5)", "1.5 ticks"),
        ("simulate(3, 3)", "simulate takes a text"),
        ("open('a', 5)", "open takes a text"),
        ("edit()", "edit takes a text"),
        ("set()", "set takes a text"),
        ("press(1)", "press takes a text"),
    ]:
        with pytest.raises(Exception, match=part):
            page.evaluate("flockwork." + call)


def test_some_keys_are_the_browsers(page, address):
    page.goto(address + "#name=walls&count=100")
    shows(page, 100)
    page.focus("#flock")
    page.evaluate("addEventListener('keydown', event => { window.taken[event.key] = event.defaultPrevented })")
    page.evaluate("window.taken = {}")
    for key in ["F1", "Control+s", "Alt+ArrowLeft", "F3", "Control+f", "Control+p"]:
        page.keyboard.press(key)
    assert page.evaluate("taken.F1 && taken.s")
    assert not page.evaluate("taken.ArrowLeft || taken.F3 || taken.f || taken.p")


def test_drops_that_open_nothing_say_why(page, address):
    page.goto(address + "#name=walls&count=100")
    shows(page, 100)
    drop = """names => {
        const dropped = new DataTransfer();
        names.forEach(name => dropped.items.add(new File(['[species.own'], name)));
        dispatchEvent(new DragEvent('drop', { dataTransfer: dropped }));
    }"""
    for names in [[], ["a.toml", "b.toml"]]:
        page.evaluate(drop, names)
        assert message(page).startswith("Drop one file"), message(page)


def test_pictures_and_texts_of_the_book_become_flocks(page, address):
    def becomes_flock(name, place, link):
        page.goto(f"{address}book/docs/{name}.html")
        page.click(place)
        page.wait_for_selector("main iframe")
        [flock] = [frame for frame in page.frames if link in frame.url]
        flock.wait_for_function("window.flockwork !== undefined")
        flock.evaluate("flockwork.onTick(tick => { window.tick = tick })")
        flock.wait_for_function("window.tick > 5")

    becomes_flock("gallery", "main img[src*='gallery/walls']", "#name=walls")
    becomes_flock("rules", "main button:has-text('Show this flock') >> nth=0", "#scene=")
    assert not page.problems, page.problems


def test_links_of_the_book_lead_somewhere():
    checked = 0
    for file in (DIST / "book").rglob("*.html"):
        # Files of the repository that the site does not hold.
        for link in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^"]*)?"', file.read_text()):
            checked += 1
            assert (file.parent / link).exists() or file.name in ["404.html", "print.html"], f"{file.name}: {link}"
    assert checked > 1000


def test_the_page_is_small():
    files = [DIST / name for name in ["index.html", "page.js", "flockwork_web.js", "flockwork_web_bg.wasm"]]
    sizes = {file.name: len(brotli.compress(file.read_bytes())) for file in files}
    print(sizes)
    assert sum(sizes.values()) <= MOST, sizes

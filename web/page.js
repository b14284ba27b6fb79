// Shows sentences: one that stands, and notices that pass.
const line = document.getElementById("message");
let standing = "", passing;
function say(text) {
  standing = text;
  tell(text, 0);
}
function tell(text, milliseconds = 15000) {
  line.textContent = text;
  clearTimeout(passing);
  passing = setTimeout(() => { line.textContent = standing; }, milliseconds);
}
const sentence = (problem) => String(problem?.message ?? problem);

// Shows the flock of the address in the whole page: `glue` is the address of flockwork_web.js, and `module` the
// WebAssembly, as its function `default` takes it.
async function show(glue, module) {
  try {
    const flockwork = await import(glue);
    await flockwork.default({ module_or_path: module });
    window.flockwork = flockwork;
    flockwork.onNotice((notice) => tell(notice));
    flockwork.onEnd((why) => say(why + " Load the page again."));
    const note = await flockwork.start(document.getElementById("flock"), location.hash);
    // A note says that there are no panels.
    document.body.className = note ? "plain" : "panels";
    if (note) tell(note);
    else if (location.search) tell(`Not read: ${location.search}. A link names its flock behind #, as in #name=walls.`);
  } catch (problem) {
    const disk = location.protocol === "file:" && !window.flockwork;
    say(disk ? "From a disk opens flockwork.html, and not this page." : sentence(problem));
    document.getElementById("usual").hidden = !window.flockwork || location.hash.length < 2;
  }
}

// Asks the flock for something.
function ask(function_name, ...values) {
  try {
    window.flockwork?.[function_name](...values);
  } catch (problem) {
    tell(sentence(problem));
  }
}

addEventListener("hashchange", () => location.reload());

// Scenes and saved sessions open where they are dropped.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const files = event.dataTransfer.files;
  if (files.length !== 1) return tell("Drop one file: a scene or a saved session.");
  const text = await files[0].text().catch(() => tell(`${files[0].name} cannot be read.`));
  if (text !== undefined) ask("open", files[0].name, text);
});

// The flock takes all keys but these, which are the browser's.
addEventListener("keydown", (event) => {
  const { key, altKey, ctrlKey, metaKey } = event;
  const ofBrowsers = ["F3", "F5", "F6", "F7", "F10"].includes(key) || (altKey && /^(Arrow.*|Home|d)$/i.test(key)) ||
    ((ctrlKey || metaKey) && /^[rltwfpdij1-9]$/i.test(key));
  if (ofBrowsers) event.stopImmediatePropagation();
}, true);

// Fingers have no keys.
for (const button of document.querySelectorAll("#keys button")) {
  button.addEventListener("click", () => ask("press", button.value));
}

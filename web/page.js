// Shows the flock of the address in the whole page: `glue` is the address of flockwork_web.js, and `module` the
// WebAssembly, as its function `default` takes it.
async function show(glue, module) {
  const say = (text) => { document.getElementById("message").textContent = text; };
  const tell = (text) => {
    say(text);
    setTimeout(() => say(""), 15000);
  };
  try {
    const flockwork = await import(glue);
    await flockwork.default({ module_or_path: module });
    window.flockwork = flockwork;
    flockwork.onNotice(tell);
    flockwork.onEnd((why) => say(why + " Load the page again."));
    const note = await flockwork.start(document.getElementById("flock"), location.hash);
    if (note) {
      // There are no panels, either.
      document.body.className = "plain";
      tell(note);
    }
  } catch (problem) {
    const disk = location.protocol === "file:" && !window.flockwork;
    say(disk ? "From a disk opens flockwork.html, and not this page." : problem.message ?? problem);
  }
}

addEventListener("hashchange", () => location.reload());

// Scenes and saved sessions open where they are dropped.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer.files[0];
  if (file) window.flockwork?.open(file.name, await file.text());
});

// Fingers have no keys.
for (const button of document.querySelectorAll("#keys button")) {
  button.addEventListener("click", () => window.flockwork?.press(button.value));
}

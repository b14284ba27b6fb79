// Shows the flock of the address in the whole page: `glue` is the address of flockwork_web.js, and `module` the
// WebAssembly, as its function `default` takes it.
async function show(glue, module) {
  const say = (text) => { document.getElementById("message").textContent = text; };
  try {
    const flockwork = await import(glue);
    await flockwork.default({ module_or_path: module });
    window.flockwork = flockwork;
    flockwork.onEnd((why) => say(why + " Load the page again."));
    const note = await flockwork.start(document.getElementById("flock"), location.hash);
    if (note) {
      say(note);
      setTimeout(() => say(""), 15000);
    }
  } catch (problem) {
    say(problem.message ?? problem);
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

// Fingers have no keys: each button presses one.
for (const button of document.querySelectorAll("#keys button")) {
  button.addEventListener("click", () => {
    const canvas = document.getElementById("flock");
    const [key, code] = button.value.split(" ");
    for (const kind of ["keydown", "keyup"]) {
      canvas.dispatchEvent(new KeyboardEvent(kind, { key: key || " ", code, bubbles: true }));
    }
  });
}

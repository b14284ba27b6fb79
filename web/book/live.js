// Pictures of scenes and texts of scenes become flocks when they are clicked.
const file = location.protocol === "file:" ? "flockwork.html" : "index.html";
const page = new URL(path_to_root + "../" + file, location.href);

function frame(fragment) {
  const own = document.createElement("iframe");
  own.src = page + fragment;
  own.title = "a flock";
  own.style = "display: block; width: 100%; aspect-ratio: 16 / 9; border: 0";
  return own;
}

// The picture of a scene has the name of the scene, which is the heading of its section.
function showPicture(picture) {
  const sections = [...document.querySelectorAll("main h3")];
  const before = (own) => own.compareDocumentPosition(picture) & Node.DOCUMENT_POSITION_FOLLOWING;
  const name = sections.filter(before).at(-1)?.textContent.trim() ?? "";
  if (!picture.src.includes(`/${name}.`) || !name) return;
  picture.style.cursor = "pointer";
  picture.title = "click: the flock itself";
  picture.addEventListener("click", (event) => {
    // mdBook puts a picture into a switch that shows it larger.
    event.preventDefault();
    (picture.closest("label") ?? picture).replaceWith(frame("#name=" + name));
  });
}

// A text with a species is a scene.
function showText(code) {
  if (!code.textContent.includes("[species.")) return;
  const button = document.createElement("button");
  button.textContent = "Show this flock";
  button.addEventListener("click", async () => {
    const packed = new Blob([code.textContent]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    const letters = btoa(String.fromCharCode(...bytes));
    button.replaceWith(frame("#scene=" + letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")));
  });
  code.closest("pre").after(button);
}

if (navigator.gpu) {
  document.querySelectorAll("main img[src*='gallery/']").forEach(showPicture);
  document.querySelectorAll("main code.language-toml").forEach(showText);
}

//! Files of a page: downloads, and no others.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use flockwork_app::{Command, Filming, WindowHost};
use flockwork_engine::gpu::Gpu;
use flockwork_engine::{Engine, EngineKind};
use flockwork_model::io::RunRecord;
use flockwork_model::quote::{cut, hint};
use flockwork_model::scene::{BuiltIn, Request, Scene, built_in};
use flockwork_session::{Opening, Source};
use flockwork_view::recorder::Film;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlCanvasElement;

use crate::page_film::PageFilm;
use crate::{device, link, script};

/// The host of the window in a page.
pub struct PageFiles {
    /// Shows the flock.
    canvas: HtmlCanvasElement,
    /// A device that is being opened.
    device: Slot<Result<Arc<Gpu>, String>>,
}

/// A value that arrives later; `None` while nobody waits for it.
type Slot<T> = RefCell<Option<Rc<Cell<Option<T>>>>>;

impl PageFiles {
    /// The host of a window that shows itself in a canvas.
    pub fn new(canvas: HtmlCanvasElement) -> Self {
        Self { canvas, device: Slot::default() }
    }
}

/// The most agents of a page: its memory ends at 4 GB, and some browsers give less.
const MAX_AGENTS: u64 = 5_000_000;

/// The name of a pasted scene in messages.
const PASTED: &str = "pasted";

/// Makes the flock of a source.
pub fn make(source: Source) -> Result<Opening, String> {
    let name = source.argument.clone().unwrap_or_else(|| PASTED.into());
    make_named(&name, source)
}

/// The same, with a name for messages.
pub fn make_named(name: &str, source: Source) -> Result<Opening, String> {
    let scene = Scene::parse_with(name, &source.text, &source.overrides);
    let scene = scene.map_err(|error| error.to_string())?;
    if scene.flow.as_ref().is_some_and(|flow| flow.file.is_some()) {
        return Err("a page reads no file of a flow field".into());
    }
    check_count(source.request.count.unwrap_or_else(|| scene.own_count()))?;
    let populated = scene.populate(&source.request);
    let (scene, state) = populated.map_err(|error| error.to_string())?;
    Ok(Opening { source, scene, state })
}

/// Fails if a page cannot hold so many agents. Without this check it would run out of memory and end in silence.
fn check_count(agents: u64) -> Result<(), String> {
    if agents > MAX_AGENTS {
        return Err(format!("{agents} agents: a page holds {MAX_AGENTS} at most"));
    }
    Ok(())
}

/// Fails if the flock of a page would grow too large.
pub fn check_room(_: &Scene, agents: u64, more: u64, _: &dyn Engine) -> Result<(), String> {
    check_count(agents.saturating_add(more))
}

impl WindowHost for PageFiles {
    fn read(&self, argument: &str) -> Result<Source, String> {
        let Some(scene) = BuiltIn::named(argument) else {
            let hint = hint(argument, built_in().map(|scene| scene.name));
            return Err(format!("{}: no built-in scene{hint}", cut(argument)));
        };
        let argument = Some(argument.to_owned());
        Ok(Source { argument, text: scene.text.into(), ..Source::default() })
    }

    fn make(&self, source: Source, engine: &dyn Engine) -> Result<Opening, String> {
        let opening = make(source)?;
        let (scene, count) = (&opening.scene, opening.state.len() as u64);
        engine.check_count(scene, count).map_err(|error| error.to_string())?;
        Ok(opening)
    }

    fn record(&self, scene: &Scene, engine: EngineKind, gpu: &Gpu) -> String {
        let run = RunRecord::new(scene, &Request::default(), scene.world.size, &[]);
        let adapter = (engine == EngineKind::Gpu).then(|| gpu.name());
        run.on(&engine.to_string(), adapter, None).text()
    }

    fn film(
        &self,
        stem: &str,
        film: Film,
        exact: bool,
        _: String,
    ) -> Result<Box<dyn Filming>, String> {
        if exact {
            return Err("a page films as fast as it draws; the program films every frame".into());
        }
        PageFilm::begin(&self.canvas, stem, film.rate).map(|film| Box::new(film) as _)
    }

    fn save_record(&self, name: &str, record: &str) -> Result<(), String> {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        download(&format!("{stem}.run.toml"), record.as_bytes())
    }

    fn save(&self, stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String> {
        let name = format!("{stem}.{ending}");
        download(&name, bytes)?;
        Ok(name)
    }

    fn keep(&self, _: &str, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn link(&self, source: &Source, engine: EngineKind) -> Option<String> {
        let address = web_sys::window()?.location().href().ok()?;
        let page = address.split('#').next().unwrap_or_default();
        Some(format!("{page}{}", link::write(source, engine == EngineKind::Cpu)?))
    }

    fn kept(&self) -> Option<String> {
        None
    }

    fn wishes(&self) -> Vec<Command> {
        script::WISHES.take()
    }

    fn shown(&self, tick: u64) {
        script::tell_tick(tick);
    }

    fn another_device(&self) -> Option<Result<Arc<Gpu>, String>> {
        let mut device = self.device.borrow_mut();
        let opened = device.get_or_insert_with(|| {
            let opened = Rc::new(Cell::new(None));
            let result = Rc::clone(&opened);
            wasm_bindgen_futures::spawn_local(async move {
                let another = device::open().await;
                result.set(Some(another.map_err(|_| "the browser opens no other".into())));
            });
            opened
        });
        let opened = opened.take();
        device.take_if(|_| opened.is_some());
        opened
    }
}

/// Hands bytes to the browser as a file of this name.
fn download(name: &str, bytes: &[u8]) -> Result<(), String> {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes).into());
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options);
    let blob = blob.map_err(|_| format!("{name}: the browser has no memory for it"))?;
    download_blob(name, &blob)
}

/// Hands a blob to the browser as a file of this name.
pub fn download_blob(name: &str, blob: &web_sys::Blob) -> Result<(), String> {
    let offer = || -> Result<(), JsValue> {
        let address = web_sys::Url::create_object_url_with_blob(blob)?;
        let document = web_sys::window().and_then(|window| window.document());
        let document = document.ok_or(JsValue::NULL)?;
        let anchor: web_sys::HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
        web_sys::Url::revoke_object_url(&address)
    };
    offer().map_err(|_| format!("{name}: the browser takes no file"))
}

//! Files for the window: scenes to open, and what the user saves.

use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::Context;
use time::OffsetDateTime;

use super::input::read_text;
use super::options::LONGEST_SCENE;
use super::output::OutputFile;
use super::state_file::{RunRecord, record_beside};
use super::{flow_file, headroom, kept, window_film};
use flockwork_app::{Filming, WindowHost};
use flockwork_engine::gpu::Gpu;
use flockwork_engine::{Engine, EngineKind};
use flockwork_model::quote::{cut, readable};
use flockwork_model::scene::{BuiltIn, Request, Scene, built_in, hint};
use flockwork_session::{Opening, Source};
use flockwork_view::recorder::Film;

/// The name of a pasted scene in messages.
const PASTED: &str = "pasted";

/// The host of the window that `flockwork run` opens.
#[derive(Clone, Copy, Debug)]
pub struct Files;

/// An error with its causes, in one line.
pub(super) fn sentence(error: anyhow::Error) -> String {
    readable(&format!("{error:#}"))
}

/// The text of a built-in scene, or of the scene file at this path.
pub fn text_of(argument: &str) -> anyhow::Result<String> {
    if let Some(scene) = BuiltIn::named(argument) {
        return Ok(scene.text.into());
    }
    match read_text(Path::new(argument), LONGEST_SCENE) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let hint = hint(argument, built_in().map(|scene| scene.name));
            anyhow::bail!("{}: neither a built-in scene nor a file{hint}", cut(argument))
        }
        text => text.with_context(|| format!("{}: cannot read it", cut(argument))),
    }
}

/// Makes the flock of a source, for an engine that must hold it if it is known.
pub(super) fn make(source: Source, engine: Option<&dyn Engine>) -> anyhow::Result<Opening> {
    let name = source.argument.as_deref().unwrap_or(PASTED);
    if source.text.len() as u64 > LONGEST_SCENE {
        let most = LONGEST_SCENE >> 20;
        anyhow::bail!("{}: a scene has at most {most} MB of text", cut(name));
    }
    let mut scene = Scene::parse(name, &source.text, &source.overrides)?;
    let file = source.argument.as_deref().filter(|name| BuiltIn::named(name).is_none());
    flow_file::attach(&mut scene, Path::new(file.unwrap_or("")))?;
    let request = source.request;
    let count = request.count.unwrap_or(scene.own_count());
    engine.map_or(Ok(()), |engine| engine.check_count(&scene.world, count))?;
    headroom::check(&scene, &request, engine)?;
    let state = scene.populate(&request)?;
    Ok(Opening { source, scene, state })
}

/// The name of a file in `folder` that is not there yet.
pub(super) fn new_name(folder: &Path, stem: &str, ending: &str) -> String {
    let now = OffsetDateTime::now_utc();
    let (date, time) = (now.date(), now.time());
    let moment = format!(
        "{:04}{:02}{:02}-{:02}{:02}{:02}",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    );
    let first = format!("{stem}-{moment}.{ending}");
    let more = (2..).map(|number| format!("{stem}-{moment}-{number}.{ending}"));
    let is_new = |name: &String| !folder.join(name).exists();
    std::iter::once(first).chain(more).find(is_new).unwrap_or_default()
}

/// Creates a file that is not there yet.
fn save(stem: &str, ending: &str, bytes: &[u8]) -> anyhow::Result<String> {
    let name = new_name(Path::new(""), stem, ending);
    let mut file = OutputFile::create(Path::new(&name))?;
    file.write_all(bytes).with_context(|| format!("cannot write {name}"))?;
    file.publish()?;
    Ok(name)
}

impl WindowHost for Files {
    fn read(&self, argument: &str) -> Result<Source, String> {
        let text = text_of(argument).map_err(sentence)?;
        Ok(Source { argument: Some(argument.into()), text, ..Source::default() })
    }

    fn make(&self, source: Source, engine: &dyn Engine) -> Result<Opening, String> {
        make(source, Some(engine)).map_err(sentence)
    }

    fn record(&self, scene: &Scene, engine: EngineKind, gpu: &Gpu) -> String {
        let run = RunRecord::of(scene, &Request::default(), scene.world.size, &[]);
        run.on(engine, Some(gpu), None).text()
    }

    fn film(&self, stem: &str, film: Film, record: String) -> Result<Box<dyn Filming>, String> {
        let film = window_film::begin(stem, film, record).map_err(sentence)?;
        Ok(Box::new(film))
    }

    fn save_record(&self, name: &str, record: &str) -> Result<(), String> {
        let write = || -> anyhow::Result<u64> {
            let mut file = record_beside(Path::new(name))?;
            file.write_all(record.as_bytes())?;
            Ok(file.publish()?)
        };
        write().map(|_| ()).map_err(sentence)
    }

    fn save(&self, stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String> {
        save(stem, ending, bytes).map_err(sentence)
    }

    fn keep(&self, stem: &str, text: &str) -> Result<Option<String>, String> {
        let Some(folder) = kept::folder() else { return Ok(None) };
        let path = kept::keep_in(&folder, stem, text).map_err(sentence)?;
        Ok(Some(path.display().to_string()))
    }

    fn kept(&self) -> Option<String> {
        let path = kept::offer_from(&kept::folder()?)?;
        Some(path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_engine::cpu::CpuEngine;

    #[test]
    fn what_is_no_scene_is_refused_with_one_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.to_str().unwrap().to_string()
        };
        let engine = CpuEngine::new(Some(1)).unwrap();
        let open = |argument: &str| {
            Files.read(argument).and_then(|source| Files.make(source, &engine)).map(|_| ())
        };
        assert_eq!(open("walls"), Ok(()));
        let good = path("good.toml", b"[species.a]\ncount = 3\n");
        assert_eq!(open(&good), Ok(()));
        for (argument, part) in [
            ("wals".to_string(), "neither a built-in scene nor a file; did you mean `walls`?"),
            (path("half.toml", b"[species.a]\ncount = \n"), "half.toml"),
            (path("key.toml", b"[species.a]\nspeed = 3\n"), "speed"),
            (path("bytes.toml", &[0xff, 0xfe, 0]), "cannot read it"),
            (path("much.toml", b"[species.a]\ncount = 99999999999\n"), "count"),
            (folder.path().to_str().unwrap().into(), "cannot read it"),
        ] {
            let error = open(&argument).unwrap_err();
            assert!(error.contains(part) && !error.contains('\n'), "{error}");
        }
        let source = Source { text: " ".repeat((1 << 26) + 1), ..Source::default() };
        assert!(Files.make(source, &engine).unwrap_err().contains("64 MB"));
    }
}

//! Files for the window: scenes to open, and what the user saves.

use std::path::Path;

use super::messages::sentence;
use super::replay::{MAX_SESSION, make};
use super::window_film;
use crate::commands::files::kept_sessions;
use crate::commands::files::output::{OutputFile, new_name};
use crate::commands::files::scene_files::text_of;
use crate::commands::files::state_files::{ran_on, record_beside};
use flockwork_app::{Filming, WindowHost};
use flockwork_engine::gpu::Gpu;
use flockwork_engine::{Engine, EngineKind};
use flockwork_model::io::RunRecord;
use flockwork_model::scene::{Request, Scene};
use flockwork_session::{Opening, Source};
use flockwork_view::recorder::Film;

/// The host of the window that `flockwork run` opens.
#[derive(Clone, Copy, Debug)]
pub struct WindowFiles;

impl WindowHost for WindowFiles {
    fn read(&self, argument: &str) -> Result<Source, String> {
        let text = text_of(argument, MAX_SESSION).map_err(sentence)?;
        Ok(Source { argument: Some(argument.into()), text, ..Source::default() })
    }

    fn make(&self, source: Source, engine: &dyn Engine) -> Result<Opening, String> {
        make(source, Some(engine)).map_err(sentence)
    }

    fn record(&self, scene: &Scene, engine: EngineKind, gpu: &Gpu) -> String {
        let run = RunRecord::new(scene, &Request::default(), scene.world.size, &[]);
        ran_on(run, engine, Some(gpu), None).text()
    }

    fn film(
        &self,
        stem: &str,
        film: Film,
        _exact: bool,
        record: String,
    ) -> Result<Box<dyn Filming>, String> {
        let film = window_film::begin(stem, film, record).map_err(sentence)?;
        Ok(Box::new(film))
    }

    fn save_record(&self, name: &str, record: &str) -> Result<(), String> {
        let file = record_beside(Path::new(name));
        let written = file.and_then(|file| file.publish_whole(record.as_bytes()));
        written.map(|_| ()).map_err(|error| sentence(error.into()))
    }

    fn save(&self, stem: &str, ending: &str, bytes: &[u8]) -> Result<String, String> {
        let name = new_name(Path::new(""), stem, ending);
        let file = OutputFile::create(Path::new(&name));
        let written = file.and_then(|file| file.publish_whole(bytes));
        written.map(|_| name).map_err(|error| sentence(error.into()))
    }

    fn keep(&self, stem: &str, text: &str) -> Result<Option<String>, String> {
        let folder = kept_sessions::folder();
        let folder = folder.ok_or("no folder is known for them; set HOME or XDG_STATE_HOME")?;
        let path = kept_sessions::keep_in(&folder, stem, text).map_err(sentence)?;
        Ok(Some(path.display().to_string()))
    }

    fn kept(&self) -> Option<String> {
        let path = kept_sessions::offer_from(&kept_sessions::folder()?)?;
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
            WindowFiles
                .read(argument)
                .and_then(|source| WindowFiles.make(source, &engine))
                .map(|_| ())
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
        assert!(WindowFiles.make(source, &engine).unwrap_err().contains("64 MB"));
    }
}

//! The compiled passes, cached per variant.

use std::sync::Arc;

use super::device::Gpu;
use super::options::EngineOptions;
use super::pass::{Pass, Pipeline, TICK, TickKind};
use super::shaders::{Variant, compose};
use super::tables::Tables;
use crate::EngineError;

/// The number of variants in the cache. The least recently used one leaves first.
const MAX_VARIANTS: usize = 8;

/// The compiled passes for a flock.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The passes of a tick.
    pub tick: Vec<Arc<Pipeline>>,
    /// Layouts of the structs that the host writes.
    pub tables: Arc<Tables>,
}

/// The cached passes of a variant.
#[derive(Clone, Debug)]
struct Kept {
    variant: Variant,
    pipelines: Vec<Arc<Pipeline>>,
    tables: Option<Arc<Tables>>,
}

/// Compiles and caches passes.
#[derive(Clone, Debug, Default)]
pub struct Pipelines {
    /// The most recently used variant is last.
    kept: Vec<Kept>,
}

impl Pipelines {
    /// The passes of a tick of `kind` for `variant`.
    pub fn tick(
        &mut self,
        gpu: &Gpu,
        options: &EngineOptions,
        variant: &Variant,
        kind: TickKind,
    ) -> Result<Compiled, EngineError> {
        let passes = TICK.into_iter().filter(|pass| pass.runs_in.includes(kind));
        let tick = passes.map(|pass| self.one(gpu, options, variant, pass));
        let tick = tick.collect::<Result<Vec<_>, _>>()?;
        let kept = self.kept(variant);
        let tables = match &kept.tables {
            Some(tables) => Arc::clone(tables),
            None => {
                let read = Tables::of(&tick).map_err(|message| gpu.error(message))?;
                Arc::clone(kept.tables.insert(Arc::new(read)))
            }
        };
        Ok(Compiled { tick, tables })
    }

    /// One pass for `variant`.
    pub fn one(
        &mut self,
        gpu: &Gpu,
        options: &EngineOptions,
        variant: &Variant,
        pass: Pass,
    ) -> Result<Arc<Pipeline>, EngineError> {
        let kept = self.kept(variant);
        if let Some(known) = kept.pipelines.iter().find(|pipeline| pipeline.pass == pass) {
            return Ok(Arc::clone(known));
        }
        let (wgsl, module) =
            compose(pass.name, variant).map_err(|error| gpu.error(error.to_string()))?;
        // Most passes are the same in other variants.
        let all = self.kept.iter().flat_map(|kept| &kept.pipelines);
        let mut same = all.filter(|known| known.pass == pass && known.wgsl == wgsl);
        let pipeline = match same.next() {
            Some(known) => Arc::clone(known),
            None => Arc::new(Pipeline::new(gpu, pass, (wgsl, module), options.checked)?),
        };
        self.kept(variant).pipelines.push(Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// The cache entry of a variant, which becomes the most recently used.
    fn kept(&mut self, variant: &Variant) -> &mut Kept {
        match self.kept.iter().position(|kept| kept.variant == *variant) {
            Some(at) => {
                let kept = self.kept.remove(at);
                self.kept.push(kept);
            }
            None => {
                if self.kept.len() >= MAX_VARIANTS {
                    self.kept.remove(0);
                }
                let variant = variant.clone();
                self.kept.push(Kept { variant, pipelines: Vec::new(), tables: None });
            }
        }
        let last = self.kept.len() - 1;
        &mut self.kept[last]
    }
}

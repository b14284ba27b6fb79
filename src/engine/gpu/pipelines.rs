//! The compiled passes, kept for when their variant comes back.

use std::sync::Arc;

use super::device::Gpu;
use super::options::EngineOptions;
use super::pass::{Occasion, Pass, Pipeline, TICK};
use super::shaders::Variant;
use super::tables::Tables;
use crate::engine::EngineError;

/// Variants whose passes are kept at most: those that were asked for last.
const MOST_VARIANTS: usize = 8;

/// What a flock of a variant needs compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The passes of a tick.
    pub tick: Vec<Arc<Pipeline>>,
    /// The layouts that they read.
    pub tables: Arc<Tables>,
}

/// Passes of a variant.
#[derive(Debug)]
struct Kept {
    variant: Variant,
    pipelines: Vec<Arc<Pipeline>>,
    tables: Option<Arc<Tables>>,
}

/// Compiles passes, and keeps them.
#[derive(Debug, Default)]
pub struct Pipelines {
    /// The last one asked for at the end.
    kept: Vec<Kept>,
}

impl Pipelines {
    /// The passes of a tick of `occasion` for `variant`.
    pub fn tick(
        &mut self,
        gpu: &Gpu,
        options: &EngineOptions,
        variant: Variant,
        occasion: Occasion,
    ) -> Result<Compiled, EngineError> {
        let passes = TICK.into_iter().filter(|pass| pass.when.is(occasion));
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
        variant: Variant,
        pass: Pass,
    ) -> Result<Arc<Pipeline>, EngineError> {
        let kept = self.kept(variant);
        if let Some(known) = kept.pipelines.iter().find(|pipeline| pipeline.pass == pass) {
            return Ok(Arc::clone(known));
        }
        let pipeline = Arc::new(Pipeline::new(gpu, pass, variant, options.checked)?);
        kept.pipelines.push(Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// The passes of a variant, which are now those that were asked for last.
    fn kept(&mut self, variant: Variant) -> &mut Kept {
        match self.kept.iter().position(|kept| kept.variant == variant) {
            Some(at) => {
                let kept = self.kept.remove(at);
                self.kept.push(kept);
            }
            None => {
                if self.kept.len() >= MOST_VARIANTS {
                    self.kept.remove(0);
                }
                self.kept.push(Kept { variant, pipelines: Vec::new(), tables: None });
            }
        }
        let last = self.kept.len() - 1;
        &mut self.kept[last]
    }
}

//! Ctrl-C, as Python learns of it.

use std::sync::{Arc, Mutex, PoisonError};

use flockwork::commands::host::interrupt::Interrupt;
use pyo3::prelude::*;

use crate::errors::Fault;

/// Raises what a signal has asked for.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method has a lifetime of its own"
)]
pub fn check_signals() -> Result<(), Fault> {
    Ok(Python::attach(|py| py.check_signals())?)
}

/// Looks for signals while the library works, and keeps what they raise.
#[derive(Clone, Default)]
pub struct Signals(Arc<Mutex<Option<Fault>>>);

impl Signals {
    /// The library's way to ask.
    pub fn interrupt(&self) -> Interrupt {
        let own = self.clone();
        Interrupt::asking(move || match check_signals() {
            Ok(()) => false,
            Err(fault) => {
                *own.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
                true
            }
        })
    }

    /// Raises what a signal has asked for meanwhile.
    pub fn raised(&self) -> Result<(), Fault> {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(Ok(()), Err)
    }
}

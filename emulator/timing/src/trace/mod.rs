//! What happened when, as files that tools open: [`perfetto`] for ui.perfetto.dev, [`rocprof`] for ROCprof Compute
//! Viewer; [`Timeline`], which keeps waves in memory, and [`Issues`], which keeps instructions there.
//!
//! A trace is a [`Recorder`] that writes while the machine runs; what it keeps is bounded by the machine.

pub(crate) mod issues;
mod packets;
pub(crate) mod perfetto;
pub(crate) mod proto;
pub(crate) mod rocprof;
mod shared;
mod stream;
pub(crate) mod timeline;

pub use issues::{Issue, Issued, Issues};
pub use timeline::{Timeline, WaveSpan};

use crate::observe::Recorder;
use std::io;
use std::path::Path;
use std::sync::Arc;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::machine::Machine;

/// What is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// Packets, waits, dispatches and waves.
    #[default]
    Waves,
    /// Also every instruction, and what it waited for.
    Instructions,
}

/// What is known of code in memory.
pub trait Symbols: Send {
    /// The code that holds an address: where it begins, and what it is.
    fn code(&self, va: u64) -> Option<(u64, Arc<CodeObject>)>;
    /// File and line of a byte of code.
    fn source(&self, code: &CodeObject, offset: u32) -> Option<String>;
}

/// Begins a Perfetto trace.
pub fn perfetto(
    path: &Path,
    machine: Arc<Machine>,
    detail: Detail,
    symbols: Box<dyn Symbols>,
) -> io::Result<Box<dyn Recorder>> {
    Ok(Box::new(perfetto::Perfetto::new(stream::Stream::create(path)?, machine, detail, symbols)))
}

/// Begins a folder of traces for ROCprof Compute Viewer: one of each dispatch, with all its instructions.
pub fn rocprof(folder: &Path, machine: Arc<Machine>, symbols: Box<dyn Symbols>) -> io::Result<Box<dyn Recorder>> {
    Ok(Box::new(rocprof::Rocprof::new(folder, machine, symbols)?))
}

/// Nanoseconds since power-on, whole ones.
fn nanoseconds(machine: &Machine, cycle: u64) -> u64 {
    (cycle as f64 * 1000.0 / machine.clock.shader_mhz.value) as u64
}

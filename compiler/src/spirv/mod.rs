//! The front end: SPIR-V words to an [`crate::ir::Kernel`], and reflection for tools.

use crate::error::Result;
use crate::ir;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::{BindingKind, PipelineLayout};

/// A specialization constant's value: its bits, `size` bytes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpecValue {
    pub id: u32,
    pub bits: u64,
    pub size: u32,
}

/// What to translate.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub entry: &'a str,
    pub wave: WaveSize,
    pub spec: &'a [SpecValue],
    pub layout: &'a PipelineLayout,
}

/// One resource that an entry point statically uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceInfo {
    pub set: u32,
    pub binding: u32,
    pub kind: BindingKind,
    pub count: u32,
    pub name: String,
    pub readonly: bool,
}

/// A specialization constant that the module declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecInfo {
    pub id: u32,
    pub name: String,
    /// Bits of the default and its size in bytes.
    pub default: u64,
    pub size: u32,
}

/// What a tool wants to know of an entry point before compiling it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryInfo {
    pub name: String,
    pub workgroup: [u32; 3],
    pub resources: Vec<ResourceInfo>,
    pub push_constant_bytes: u32,
    pub spec: Vec<SpecInfo>,
}

/// The GLCompute entry points of a module.
pub fn reflect(words: &[u32]) -> Result<Vec<EntryInfo>> {
    let _ = words;
    todo!("front end")
}

/// Translates one entry point.
pub fn translate(words: &[u32], request: &Request<'_>) -> Result<ir::Kernel> {
    let _ = (words, request);
    todo!("front end")
}

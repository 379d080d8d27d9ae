//! AMD HSA code objects, the ELF files that LLVM makes for compute kernels: what is in them, as values.
//!
//! ```text
//! .note           msgpack metadata: kernels by name, their arguments, wave size, LDS and private bytes  (metadata)
//! NAME.kd         64-byte kernel descriptor: entry, register images, which user SGPRs to fill           (descriptor)
//! PT_LOAD         what goes into memory, at any base; R_AMDGPU relocations for absolute addresses       (elf)
//! .debug_*        DWARF, where it was compiled with `-g`: source lines                                  (lines)
//! ```
//! Layouts and value kinds: LLVM's "User Guide for AMDGPU Backend", code object versions 4 to 6. Reading never fails but
//! by value; what a file says of places is checked here, so that users of a [`Module`] need not.

mod descriptor;
mod elf;
mod lines;
mod metadata;
mod packet;

pub use descriptor::{KernelDescriptor, UserSgprs};
pub use metadata::{Arg, Hidden, ValueKind};
pub use packet::{DispatchPacket, QUEUE_BYTES, queue_image};

use crate::code::{LineRow, WaveSize};
use wavepipe_isa::Gen;

/// Why a file cannot be launched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HsaError {
    #[error("{what}: {why}")]
    Malformed { what: String, why: String },
    /// A good file for another machine, or with something that this one does not do.
    #[error("unsupported code object: {0}")]
    Unsupported(String),
}

impl HsaError {
    fn malformed(what: impl Into<String>, why: impl Into<String>) -> HsaError {
        HsaError::Malformed { what: what.into(), why: why.into() }
    }
}

/// Part of the file that goes to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset from the base that the module is loaded at.
    pub address: u64,
    /// Bytes in memory; those after `data` are zero.
    pub size: u64,
    pub data: Vec<u8>,
    pub executable: bool,
}

/// A dword pair or dword that depends on the base: `base + value` goes to `address`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    pub address: u64,
    pub value: u64,
    pub part: Part,
}

/// What of the 64-bit sum is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    Low,
    High,
}

/// A function's machine code, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub address: u64,
    pub size: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub name: String,
    /// Offset of the descriptor from the base, and of the first instruction (a multiple of 256).
    pub descriptor_address: u64,
    pub entry: u64,
    pub descriptor: KernelDescriptor,
    pub wave: WaveSize,
    /// Explicit arguments first, in order, then hidden ones.
    pub args: Vec<Arg>,
    pub kernarg_bytes: u32,
    /// LDS bytes known when it was compiled.
    pub group_bytes: u32,
    /// Private bytes of a lane, and whether calls may need more than that.
    pub private_bytes: u32,
    pub dynamic_stack: bool,
    /// Most work-items of a work-group.
    pub max_workgroup: u32,
    /// The one work-group size that it may be launched with.
    pub required_workgroup: Option<[u32; 3]>,
}

impl Kernel {
    /// The arguments that a caller gives, in order.
    pub fn explicit_args(&self) -> impl Iterator<Item = &Arg> {
        self.args.iter().filter(|a| !matches!(a.kind, ValueKind::Hidden(_)))
    }
}

/// A code object, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The processor that it was compiled for, as LLVM names it, and the generation whose code that runs.
    pub target: &'static str,
    pub isa: Gen,
    pub segments: Vec<Segment>,
    /// Bytes from the base to the end of the last segment.
    pub span: u64,
    pub relocations: Vec<Relocation>,
    pub kernels: Vec<Kernel>,
    /// Sorted by address.
    pub functions: Vec<Function>,
    /// Source files, and the line of each address from its row up to the next one; line 0 = unknown. Sorted by `pc`.
    files: Vec<String>,
    lines: Vec<LineRow>,
}

impl Module {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(file: &[u8]) -> Result<Module, HsaError> {
        let elf = elf::read(file)?;
        let mut kernels = Vec::new();
        for meta in metadata::kernels(&elf.metadata)? {
            kernels.push(kernel(&elf, meta)?);
        }
        let lines = lines::read(|name| elf.debug.get(name).copied().unwrap_or_default());
        for kernel in &mut kernels {
            let names = lines.parameters.get(&kernel.entry).map_or(&[][..], |names| names);
            let of_caller = |a: &&mut Arg| !matches!(a.kind, ValueKind::Hidden(_));
            let args: Vec<&mut Arg> = kernel.args.iter_mut().filter(of_caller).collect();
            if args.len() == names.len() {
                for (arg, name) in args.into_iter().zip(names).filter(|(arg, _)| arg.name.is_none()) {
                    arg.name = Some(name.clone());
                }
            }
        }
        Ok(Module {
            target: elf.target,
            isa: elf.isa,
            files: lines.files,
            lines: lines.lines,
            span: elf.segments.iter().map(|s| s.address + s.size).max().unwrap_or(0),
            segments: elf.segments,
            relocations: elf.relocations,
            kernels,
            functions: elf.functions,
        })
    }

    /// What memory holds if the module is loaded at `base`.
    pub fn image(&self, base: u64) -> Vec<u8> {
        let mut image = vec![0; self.span as usize];
        for s in &self.segments {
            image[s.address as usize..][..s.data.len()].copy_from_slice(&s.data);
        }
        for r in &self.relocations {
            let bytes = base.wrapping_add(r.value).to_le_bytes();
            let bytes = match r.part {
                Part::All => &bytes[..],
                Part::Low => &bytes[..4],
                Part::High => &bytes[4..],
            };
            image[r.address as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        image
    }

    /// The source map of a function, by offsets from its begin: the files that it names, and its rows.
    pub fn lines_of(&self, function: &Function) -> (Vec<String>, Vec<LineRow>) {
        let (begin, end) = (function.address, function.address.saturating_add(function.size));
        let first = self.lines.partition_point(|row| u64::from(row.pc) <= begin).saturating_sub(1);
        let rows = self.lines[first..].iter().take_while(|row| u64::from(row.pc) < end);
        let (mut files, mut lines) = (Vec::new(), Vec::new());
        for row in rows {
            let name = &self.files[row.file as usize];
            let file = files.iter().position(|f| f == name).unwrap_or_else(|| {
                files.push(name.clone());
                files.len() - 1
            });
            lines.push(LineRow {
                pc: u64::from(row.pc).saturating_sub(begin) as u32,
                file: file as u32,
                line: row.line,
            });
        }
        (files, lines)
    }

    /// The function that holds the instruction at `offset` from the base.
    pub fn function_at(&self, offset: u64) -> Option<&Function> {
        let f = self.functions[..self.functions.partition_point(|f| f.address <= offset)].last()?;
        (offset - f.address < f.size).then_some(f)
    }
}

/// A kernel of the metadata with its descriptor.
fn kernel(elf: &elf::Elf<'_>, meta: metadata::KernelMeta) -> Result<Kernel, HsaError> {
    let bad = |why: String| HsaError::malformed(format!("kernel `{}`", meta.name), why);
    let symbol = elf.symbols.iter().find(|s| s.name == meta.symbol);
    let symbol = symbol.ok_or_else(|| bad(format!("its descriptor `{}` is no symbol of the file", meta.symbol)))?;
    let bytes = elf.bytes(symbol.address, KernelDescriptor::BYTES as u64);
    let bytes = bytes.and_then(|b| b.first_chunk::<{ KernelDescriptor::BYTES }>());
    let bytes = bytes.ok_or_else(|| bad(format!("its descriptor at {:#x} is in no segment", symbol.address)))?;
    let descriptor = KernelDescriptor::read(elf.isa, bytes);
    let entry = symbol.address.wrapping_add_signed(descriptor.entry_offset);
    let code =
        elf.segments.iter().find(|s| s.executable && entry >= s.address && entry - s.address < s.data.len() as u64);
    if code.is_none() || !entry.is_multiple_of(256) {
        return Err(bad(format!("its entry {entry:#x} is not at a multiple of 256 in an executable segment")));
    }
    let wave = descriptor.wave();
    if meta.wavefront_size != wave.lanes() {
        let (says, has) = (meta.wavefront_size, wave.lanes());
        return Err(bad(format!("metadata says wave{says}, the descriptor wave{has}")));
    }
    let sgprs = descriptor.user_sgprs.dwords();
    if descriptor.rsrc().user_sgprs() < sgprs {
        let has = descriptor.rsrc().user_sgprs();
        return Err(bad(format!("its descriptor enables {sgprs} user SGPRs, and RSRC2 has {has}")));
    }
    Ok(Kernel {
        descriptor_address: symbol.address,
        entry,
        descriptor,
        wave,
        args: meta.args,
        kernarg_bytes: meta.kernarg_bytes.max(descriptor.kernarg_bytes),
        group_bytes: meta.group_bytes.max(descriptor.group_bytes),
        private_bytes: meta.private_bytes.max(descriptor.private_bytes),
        dynamic_stack: meta.dynamic_stack || descriptor.dynamic_stack,
        max_workgroup: meta.max_workgroup,
        required_workgroup: meta.required_workgroup,
        name: meta.name,
    })
}

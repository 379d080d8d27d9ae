//! Code objects of other compilers (AMD HSA): loading them into GPU memory, and what a launch needs.
//!
//! A [`Program`] is a file's segments in one allocation, relocated to where they are. A [`Launch`] becomes a kernarg
//! segment (explicit and hidden arguments), an AQL packet for kernels that look at theirs, and the registers that the
//! kernel descriptor holds; [`crate::CommandBuffer::launch_kernel`] makes packets of these.

use crate::bus::Interrupts;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::host::GpuMemory;
use crate::memory::Buffer;
use crate::pipeline::lds_fits;
use std::sync::Arc;
use wavepipe_core::GuestChecks;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::given::GivenPart;
use wavepipe_hw::hsa::{Arg, Hidden, HsaError, Kernel, Module, ValueKind};
use wavepipe_hw::launch::apertures;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::Gen;

/// Private bytes of a lane, at least, of kernels whose calls the compiler could not count.
const DYNAMIC_STACK_BYTES: u32 = 16 << 10;

/// Bytes between parts of LDS, at most and if there is room, where accesses are checked: what goes past the end of one
/// is in none.
const APART: u32 = 4 << 10;

/// A code object in GPU memory.
pub struct Program {
    interrupts: Arc<Interrupts>,
    /// What it runs on.
    pub(crate) machine: Arc<Machine>,
    /// Whether it is checked where its kernels' accesses go.
    pub(crate) checked: bool,
    module: Arc<Module>,
    memory: GpuMemory,
}

impl Program {
    /// Reads a file and places it.
    pub fn load(device: &Arc<Device>, file: &[u8]) -> Result<Arc<Program>> {
        Program::place(device, Arc::new(Module::parse(file)?))
    }

    /// Places what was read.
    pub fn place(device: &Arc<Device>, module: Arc<Module>) -> Result<Arc<Program>> {
        let isa = device.config().isa();
        if module.isa != isa {
            let (target, theirs) = (module.target, module.isa.name());
            let remedy = match Machine::runs(module.isa) {
                true => format!("choose a machine of {theirs} with --gpu or WAVEPIPE_MACHINE"),
                false => "no machine of wavepipe runs it".to_owned(),
            };
            let what = format!("code for {target}; this GPU is {}: {remedy}", isa.name());
            return Err(HsaError::Unsupported(what).into());
        }
        let memory = GpuMemory::allocate(device.bus(), module.span.max(1), "code object")?;
        let image = module.image(memory.va());
        memory.write(0, &image)?;
        let interrupts = device.interrupts().clone();
        for f in &module.functions {
            let bytes = usize::try_from(f.address).ok().and_then(|at| image.get(at..)?.get(..f.size as usize));
            if let Some(text) = bytes {
                let (files, lines) = module.lines_of(f);
                let code =
                    CodeObject { name: f.name.clone(), text: text.to_vec(), isa, files, lines, ..Default::default() };
                interrupts.codes.insert(memory.va() + f.address, Arc::new(code));
            }
        }
        let checked = device.config().guest_checks.contains(GuestChecks::MEM);
        Ok(Arc::new(Program { interrupts, machine: device.config().machine.clone(), checked, module, memory }))
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Its functions, kernels among them: their addresses and code, with source lines where the file has them.
    pub fn functions(&self) -> Vec<(u64, Arc<CodeObject>)> {
        let at = self.module.functions.iter().map(|f| self.memory.va() + f.address);
        at.filter_map(|at| self.interrupts.codes.find(at).filter(|(begin, _)| *begin == at)).collect()
    }

    /// GPU address that the module's offsets count from.
    pub fn address(&self) -> u64 {
        self.memory.va()
    }

    /// The kernel by name, or the only one.
    pub fn kernel(&self, name: Option<&str>) -> Result<&Kernel> {
        let kernels = &self.module.kernels;
        let names = || kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>().join(", ");
        match (name, kernels.as_slice()) {
            (Some(name), _) => {
                let found = kernels.iter().find(|k| k.name == name);
                found.ok_or_else(|| Error::Invalid(format!("no kernel `{name}`; the file has: {}", names())))
            }
            (None, [only]) => Ok(only),
            (None, []) => Err(Error::Invalid("the file has no kernel".into())),
            (None, _) => Err(Error::Invalid(format!("the file has several kernels; name one of: {}", names()))),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        for f in &self.module.functions {
            self.interrupts.codes.remove(self.memory.va() + f.address);
        }
    }
}

/// What a caller gives for one explicit argument.
#[derive(Clone)]
pub enum ArgValue {
    Buffer(Arc<Buffer>),
    /// As many bytes as the argument has.
    Bytes(Vec<u8>),
    /// Bytes of LDS.
    Local(u32),
}

/// One launch of a kernel.
#[derive(Clone, Default)]
pub struct Launch {
    /// Work-items, by dimension; the last work-groups may be partial.
    pub grid: [u32; 3],
    /// Work-items of a work-group.
    pub workgroup: [u32; 3],
    /// The explicit arguments, in order.
    pub args: Vec<ArgValue>,
}

/// A launch, checked: what the hardware is told.
pub(crate) struct Prepared {
    pub kernarg: Vec<u8>,
    /// LDS bytes, dynamic ones included.
    pub group_bytes: u32,
    /// What lies in them.
    pub lds: Vec<GivenPart>,
    /// Private bytes of a lane.
    pub private_bytes: u32,
    /// How many of x, y, z the grid has.
    pub dimensions: u16,
}

/// An argument for messages: ``2 (`float* y`)``.
pub fn describe(index: usize, arg: &Arg) -> String {
    let words = [arg.type_name.as_deref(), arg.name.as_deref()];
    let words: Vec<&str> = words.into_iter().flatten().filter(|w| !w.is_empty()).collect();
    let kind = match arg.kind {
        ValueKind::GlobalBuffer => "a buffer".to_owned(),
        ValueKind::DynamicSharedPointer { .. } => "local memory".to_owned(),
        ValueKind::Foreign(name) => name.to_owned(),
        _ => format!("{} bytes by value", arg.size),
    };
    match words.is_empty() {
        true => format!("{index} ({kind})"),
        false => format!("{index} (`{}`, {kind})", words.join(" ")),
    }
}

impl Launch {
    /// Parts of LDS lie apart, if that is possible and `checked`.
    pub(crate) fn prepare(&self, kernel: &Kernel, queue: u64, machine: &Machine, checked: bool) -> Result<Prepared> {
        self.check_size(kernel, machine)?;
        let dimensions = match self.grid {
            [_, 1, 1] => 1,
            [_, _, 1] => 2,
            _ => 3,
        };
        let mut kernarg = vec![0; kernel.kernarg_bytes as usize];
        let mut lds = kernel.group_bytes;
        let mut parts = vec![GivenPart { begin: 0, bytes: lds, name: GivenPart::LOCAL.into() }];
        parts.retain(|p| p.bytes > 0);
        let apart = if checked { self.apart(kernel, machine) } else { 0 };
        lds += apart;
        let mut gaps = apart;
        let given = &self.args;
        let wanted: Vec<&Arg> = kernel.explicit_args().collect();
        if let Some((i, arg)) = wanted.iter().enumerate().find(|(_, a)| matches!(a.kind, ValueKind::Foreign(_))) {
            let what = format!("kernel `{}` takes argument {}", kernel.name, describe(i, arg));
            return Err(HsaError::Unsupported(what).into());
        }
        if let Some((i, arg)) = wanted.iter().enumerate().nth(given.len()) {
            let (name, count) = (&kernel.name, wanted.len());
            return Err(Error::Invalid(format!(
                "kernel `{name}` has {count} arguments, {} are given; next is {}",
                given.len(),
                describe(i, arg)
            )));
        }
        if given.len() > wanted.len() {
            let (name, count) = (&kernel.name, wanted.len());
            return Err(Error::Invalid(format!(
                "kernel `{name}` has {count} arguments, {} are given; the last ones are too many",
                given.len()
            )));
        }
        for (i, (arg, value)) in wanted.into_iter().zip(given).enumerate() {
            let wrong = |what: String| Error::Invalid(format!("argument {} is given {what}", describe(i, arg)));
            let bytes = match (arg.kind, value) {
                (ValueKind::GlobalBuffer, ArgValue::Buffer(b)) => b.address().to_le_bytes().to_vec(),
                // A pointer by its value, null for one.
                (ValueKind::GlobalBuffer | ValueKind::ByValue, ArgValue::Bytes(b)) => b.clone(),
                (ValueKind::DynamicSharedPointer { align }, ArgValue::Local(size)) => {
                    let at = lds.checked_next_multiple_of(align);
                    let end = at.and_then(|at| at.checked_add(*size));
                    let (Some(at), Some(end)) = (at, end) else { return Err(wrong(format!("{size} bytes of LDS"))) };
                    let name = arg.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("argument {i}"));
                    parts.push(GivenPart { begin: at, bytes: *size, name });
                    (lds, gaps) = (end.saturating_add(apart), gaps + apart);
                    at.to_le_bytes().to_vec()
                }
                (_, ArgValue::Buffer(_)) => return Err(wrong("a buffer".into())),
                (_, ArgValue::Bytes(_)) => return Err(wrong("a value".into())),
                (_, ArgValue::Local(_)) => return Err(wrong("local memory".into())),
            };
            if bytes.len() != arg.size as usize {
                return Err(wrong(format!("{} bytes", bytes.len())));
            }
            kernarg[arg.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        lds_fits(machine, &kernel.name, lds, "give it less local memory")?;
        let dynamic_lds = lds - kernel.group_bytes - gaps;
        for arg in &kernel.args {
            if let ValueKind::Hidden(hidden) = arg.kind {
                let value = self.hidden(kernel.descriptor.isa, hidden, dimensions, dynamic_lds, queue).to_le_bytes();
                let bytes = &value[..(arg.size as usize).min(8)];
                kernarg[arg.offset as usize..][..bytes.len()].copy_from_slice(bytes);
            }
        }
        let private_bytes = match kernel.dynamic_stack {
            true => kernel.private_bytes.max(DYNAMIC_STACK_BYTES),
            false => kernel.private_bytes,
        };
        Ok(Prepared { kernarg, group_bytes: lds, lds: parts, private_bytes, dimensions })
    }

    /// Bytes behind each part of LDS that the machine has room for.
    fn apart(&self, kernel: &Kernel, machine: &Machine) -> u32 {
        let (mut parts, mut used) = (1, u64::from(kernel.group_bytes));
        for (arg, value) in kernel.explicit_args().zip(&self.args) {
            if let (ValueKind::DynamicSharedPointer { align }, ArgValue::Local(size)) = (arg.kind, value) {
                (parts, used) = (parts + 1, used + u64::from(align) + u64::from(*size));
            }
        }
        (machine.workgroup_lds().saturating_sub(used) / parts).min(APART.into()) as u32
    }

    fn check_size(&self, kernel: &Kernel, machine: &Machine) -> Result<()> {
        let [x, y, z] = self.workgroup;
        let most = kernel.max_workgroup.min(machine.simd.workgroup_items.value as u32);
        let items = self.workgroup.iter().try_fold(1u32, |n, &size| n.checked_mul(size));
        if items.is_none_or(|n| n == 0 || n > most) {
            return Err(Error::Invalid(format!(
                "work-groups of {x} × {y} × {z}; kernel `{}` takes 1 to {most} work-items",
                kernel.name
            )));
        }
        match kernel.required_workgroup {
            Some(r) if r != self.workgroup => Err(Error::Invalid(format!(
                "work-groups of {x} × {y} × {z}; kernel `{}` was compiled for {} × {} × {}",
                kernel.name, r[0], r[1], r[2]
            ))),
            _ => Ok(()),
        }
    }

    /// The value of a hidden argument, in the low bytes.
    fn hidden(&self, isa: Gen, hidden: Hidden, dimensions: u16, dynamic_lds: u32, queue: u64) -> u64 {
        let axis = |values: [u32; 3], i: u8| values.get(usize::from(i)).map_or(0, |&v| u64::from(v));
        match hidden {
            // Only whole work-groups count; what is left over is the remainder.
            Hidden::BlockCount(i) => axis(self.grid, i) / axis(self.workgroup, i).max(1),
            Hidden::GroupSize(i) => axis(self.workgroup, i),
            Hidden::Remainder(i) => axis(self.grid, i) % axis(self.workgroup, i).max(1),
            Hidden::GridDims => dimensions.into(),
            Hidden::DynamicLdsSize => dynamic_lds.into(),
            Hidden::PrivateBase => apertures(isa).private.into(),
            Hidden::SharedBase => apertures(isa).shared.into(),
            Hidden::QueuePtr => queue,
            Hidden::GlobalOffset(_) | Hidden::Absent => 0,
        }
    }
}

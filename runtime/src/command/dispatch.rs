//! Dispatches: what is bound, what the GPU's registers are known to hold, and the packets in between.
//!
//! Only what differs is written: a kernel's registers when the pipeline changes, user SGPRs when their values do, the
//! push-constant block and the set table when something in them changed.

use super::CommandBuffer;
use crate::descriptor::{DescriptorSet, PipelineLayout};
use crate::error::{Error, Result};
use crate::memory::Buffer;
use crate::meta::MetaKernel;
use crate::pipeline::{ComputePipeline, SCRATCH_WAVES};
use std::sync::Arc;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::launch::{DYNAMIC_DESCRIPTORS_OFFSET, MAX_USER_SGPRS, PUSH_CONSTANT_BYTES, UserData};
use wavepipe_hw::pm4::{CopyDest, CopySource, Packet, arguments_alignment, initiator, reg};

/// Sets of a pipeline layout; the set table has as many entries.
const MAX_SETS: usize = 32;
const USER_SGPRS: usize = MAX_USER_SGPRS as usize;

#[derive(Clone)]
struct BoundSet {
    set: Arc<DescriptorSet>,
    /// Where the GPU finds it; `None` = push descriptors that are not uploaded yet.
    address: Option<u64>,
    dynamic: Vec<[u32; 4]>,
}

/// What the commands so far have set, and what the GPU's registers are known to hold.
pub(super) struct ComputeState {
    pipeline: Option<Arc<ComputePipeline>>,
    sets: [Option<BoundSet>; MAX_SETS],
    push: [u8; PUSH_CONSTANT_BYTES as usize],
    /// Address of the push-constant block with the state above, while it is still true.
    push_block: Option<u64>,
    set_table: Option<u64>,
    /// Code address of the pipeline whose registers were written last.
    registers_of: Option<u64>,
    user: [Option<u32>; USER_SGPRS],
    start: Option<[u32; 3]>,
    /// Whether anything ran since the last barrier. True at first: earlier submissions count.
    pub(super) busy: bool,
    scratch: Option<Scratch>,
    /// The program's kernel that the next DISPATCH packet launches.
    pub(super) launching: Option<String>,
}

#[derive(Clone, Copy)]
struct Scratch {
    descriptor: u64,
    bytes_per_wave: u32,
    lanes: u32,
}

impl Default for ComputeState {
    fn default() -> Self {
        ComputeState {
            pipeline: None,
            sets: std::array::from_fn(|_| None),
            push: [0; PUSH_CONSTANT_BYTES as usize],
            push_block: None,
            set_table: None,
            registers_of: None,
            user: [None; USER_SGPRS],
            start: None,
            busy: true,
            scratch: None,
            launching: None,
        }
    }
}

impl ComputeState {
    /// Somebody else wrote the dispatch registers.
    pub(super) fn forget_registers(&mut self) {
        self.registers_of = None;
        self.user = [None; USER_SGPRS];
        self.start = None;
    }
}

enum Groups {
    Direct([u32; 3]),
    Indirect(u64),
}

impl CommandBuffer {
    pub fn bind_pipeline(&mut self, pipeline: &Arc<ComputePipeline>) {
        self.keep(pipeline);
        // Another layout may place dynamic descriptors elsewhere.
        self.state.push_block = None;
        self.state.pipeline = Some(pipeline.clone());
    }

    /// Binds sets from number `first` on. `dynamic_offsets` has one value per dynamic buffer, by set, then by binding and
    /// element.
    pub fn bind_descriptor_sets(
        &mut self,
        layout: &PipelineLayout,
        first: u32,
        sets: &[Arc<DescriptorSet>],
        dynamic_offsets: &[u32],
    ) {
        let mut offsets = dynamic_offsets;
        for (number, set) in (first..).zip(sets) {
            let count = set.layout().dynamic_count() as usize;
            if count > offsets.len() {
                self.latch::<()>(Err(Error::Invalid(format!("set {number} has too few dynamic offsets"))));
                return;
            }
            let (mine, rest) = offsets.split_at(count);
            offsets = rest;
            if !self.has_set(layout, number) {
                return;
            }
            self.keep(set);
            let bound =
                BoundSet { set: set.clone(), address: Some(set.address()), dynamic: set.dynamic_descriptors(mine) };
            self.state.sets[number as usize] = Some(bound);
            if count > 0 {
                self.state.push_block = None;
            }
        }
        self.state.set_table = None;
    }

    /// Changes the push descriptors of a set number by `write`; those it leaves alone keep what was pushed before with the
    /// same layout.
    pub fn push_descriptor_set(
        &mut self,
        layout: &PipelineLayout,
        number: u32,
        write: impl FnOnce(&DescriptorSet) -> Result<()>,
    ) {
        if !self.has_set(layout, number) {
            return;
        }
        let (set_layout, place) = (&layout.sets()[number as usize], number as usize);
        let isa = self.heap.isa();
        let pushed = self.state.sets[place].take().filter(|b| b.set.is_pushed() && b.set.layout() == set_layout);
        let set = pushed.map_or_else(|| DescriptorSet::pushed(set_layout, isa), |b| Ok(b.set));
        let written = set.and_then(|set| write(&set).map(|()| set));
        if let Some(set) = self.latch(written) {
            self.state.sets[place] = Some(BoundSet { set, address: None, dynamic: Vec::new() });
            self.state.set_table = None;
        }
    }

    fn has_set(&mut self, layout: &PipelineLayout, number: u32) -> bool {
        let sets = layout.sets().len().min(MAX_SETS);
        if (number as usize) < sets {
            return true;
        }
        self.latch::<()>(Err(Error::Invalid(format!("set {number} of a pipeline layout with {sets}"))));
        false
    }

    pub fn push_constants(&mut self, offset: u32, bytes: &[u8]) {
        let start = offset as usize;
        match self.state.push.get_mut(start..start.saturating_add(bytes.len())) {
            Some(space) => {
                space.copy_from_slice(bytes);
                self.state.push_block = None;
            }
            None => {
                let message = format!("push constants {offset}..+{}: there are {PUSH_CONSTANT_BYTES}", bytes.len());
                self.latch::<()>(Err(Error::Invalid(message)));
            }
        }
    }

    pub fn dispatch(&mut self, groups: [u32; 3]) {
        self.dispatch_base([0; 3], groups);
    }

    /// Work-groups `base..base + groups`.
    pub fn dispatch_base(&mut self, base: [u32; 3], groups: [u32; 3]) {
        if !groups.contains(&0) {
            self.launches("vkCmdDispatch");
            let launched = self.launch(base, Groups::Direct(groups));
            self.latch(launched);
        }
    }

    /// The group counts are the three dwords at `offset` of `buffer` when the GPU comes to it.
    pub fn dispatch_indirect(&mut self, buffer: &Arc<Buffer>, offset: u64) {
        self.keep(buffer);
        self.launches("vkCmdDispatchIndirect");
        let address = self.place(buffer, offset, 12);
        let launched = address.and_then(|a| self.readable(a)).and_then(|a| self.launch([0; 3], Groups::Indirect(a)));
        self.latch(launched);
    }

    /// Where the command processor reads three counts that lie at `address`: there, or in a copy that is aligned as it wants
    /// arguments.
    fn readable(&mut self, address: u64) -> Result<u64> {
        let alignment = arguments_alignment(self.heap.isa());
        if address.is_multiple_of(alignment) {
            return Ok(address);
        }
        let copy = self.upload(&vec![0; alignment as usize + 12])?.next_multiple_of(alignment);
        for at in [0, 4, 8] {
            let (source, dest) = (CopySource::Memory(address + at), CopyDest::Memory(copy + at));
            self.emit(&Packet::CopyData { source, dest, wide: false });
        }
        Ok(copy)
    }

    /// A command of the program's that launches its kernel begins.
    fn launches(&mut self, command: &'static str) {
        self.command = Some(command);
        let kernel = self.state.pipeline.as_ref().filter(|_| self.script.is_some());
        self.state.launching = kernel.map(|pipeline| pipeline.code_object().name.clone());
    }

    /// Launches a kernel of the driver with so many invocations at least. What the program has bound stays bound.
    pub(super) fn launch_meta(
        &mut self,
        kernel: MetaKernel,
        write: impl FnOnce(&DescriptorSet) -> Result<()>,
        constants: &[u32],
        invocations: [u32; 3],
    ) -> Result<()> {
        let device = self.device.upgrade().ok_or_else(|| Error::Invalid("the device is gone".into()))?;
        let pipeline = device.meta().get(&device, kernel)?;
        let scratch = self.state.scratch;
        let program = std::mem::replace(&mut self.state, ComputeState { scratch, ..ComputeState::default() });
        self.bind_pipeline(&pipeline);
        self.push_descriptor_set(pipeline.layout(), 0, write);
        let bytes: Vec<u8> = constants.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.push_constants(0, &bytes);
        let size = pipeline.code_object().workgroup;
        let groups = std::array::from_fn(|i| invocations[i].div_ceil(size[i]));
        let launched = self.launch([0; 3], Groups::Direct(groups));
        self.state = ComputeState { busy: true, scratch: self.state.scratch, ..program };
        self.state.forget_registers();
        launched
    }

    fn launch(&mut self, base: [u32; 3], groups: Groups) -> Result<()> {
        let pipeline =
            self.state.pipeline.clone().ok_or_else(|| Error::Invalid("a dispatch without a pipeline bound".into()))?;
        let code = pipeline.code_object();
        if code.scratch_bytes > 0 {
            self.provide_scratch(code)?;
        }

        if self.state.registers_of != Some(pipeline.address()) {
            for (reg, values) in pipeline.registers() {
                self.emit(&Packet::SetShReg { reg: *reg, values: values.clone() });
            }
            self.state.registers_of = Some(pipeline.address());
        }

        // A kernel that asks for the base adds it itself; for others the hardware starts counting there.
        let kernel_adds_base = code.user_data.contains(&UserData::BaseWorkGroup);
        let start = if kernel_adds_base { [0; 3] } else { base };
        if start != [0; 3] && self.state.start != Some(start) {
            self.emit(&Packet::SetShReg { reg: reg::COMPUTE_START_X, values: start.to_vec() });
            self.state.start = Some(start);
        }

        let mut user = Vec::with_capacity(USER_SGPRS);
        let mut counts_at = None;
        for &item in &code.user_data {
            match item {
                UserData::DescriptorSet(n) => push_u64(&mut user, self.set_address(n)?),
                UserData::SetTable => push_u64(&mut user, self.set_table()?),
                UserData::PushConstants => push_u64(&mut user, self.push_block(&pipeline)?),
                UserData::ScratchRing => push_u64(&mut user, self.state.scratch.map_or(0, |s| s.descriptor)),
                UserData::BaseWorkGroup => user.extend(base),
                UserData::NumWorkGroups => match groups {
                    Groups::Direct(g) => user.extend(g),
                    Groups::Indirect(_) => {
                        counts_at = Some(user.len());
                        user.extend([0; 3]);
                    }
                },
            }
        }
        if user.len() > USER_SGPRS {
            return Err(Error::Internal(format!("kernel `{}` wants {} user SGPRs", code.name, user.len())));
        }
        let differs = user.iter().zip(&self.state.user).any(|(new, old)| Some(*new) != *old);
        if differs || counts_at.is_some() {
            for (slot, value) in self.state.user.iter_mut().zip(&user) {
                *slot = Some(*value);
            }
            self.emit(&Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values: user });
        }
        if let (Some(at), Groups::Indirect(address)) = (counts_at, &groups) {
            for i in 0..3 {
                let dest = CopyDest::ShReg(reg::COMPUTE_USER_DATA_0 + (at + i) as u16);
                let source = CopySource::Memory(address + 4 * i as u64);
                self.emit(&Packet::CopyData { source, dest, wide: false });
                self.state.user[at + i] = None;
            }
        }

        let wave32 = if code.wave.lanes() == 32 { initiator::CS_W32_EN } else { 0 };
        let at_zero = if start == [0; 3] { initiator::FORCE_START_AT_000 } else { 0 };
        let initiator = initiator::COMPUTE_SHADER_EN | wave32 | at_zero;
        self.emit(&match groups {
            Groups::Direct(groups) => Packet::DispatchDirect { groups, initiator },
            Groups::Indirect(address) => Packet::DispatchIndirect { address, initiator },
        });
        self.state.busy = true;
        Ok(())
    }

    fn set_address(&mut self, number: u32) -> Result<u64> {
        let bound = self.state.sets.get(number as usize).and_then(Option::as_ref);
        let bound = bound
            .ok_or_else(|| Error::Invalid(format!("the kernel uses descriptor set {number}, which is not bound")))?;
        if let Some(address) = bound.address {
            return Ok(address);
        }
        let bytes = bound.set.pushed_bytes().unwrap_or_default();
        let address = self.upload(&bytes)?;
        if let Some(bound) = &mut self.state.sets[number as usize] {
            bound.address = Some(address);
        }
        Ok(address)
    }

    /// Addresses of all bound sets, for kernels that use more than user SGPRs can hold.
    fn set_table(&mut self) -> Result<u64> {
        if let Some(va) = self.state.set_table {
            return Ok(va);
        }
        let mut bytes = Vec::with_capacity(8 * MAX_SETS);
        for number in 0..MAX_SETS as u32 {
            let bound = self.state.sets[number as usize].is_some();
            let address = if bound { self.set_address(number)? } else { 0 };
            bytes.extend(address.to_le_bytes());
        }
        let va = self.upload(&bytes)?;
        self.state.set_table = Some(va);
        Ok(va)
    }

    /// Push constants, then the dynamic buffers' V#s of the pipeline's sets.
    fn push_block(&mut self, pipeline: &ComputePipeline) -> Result<u64> {
        if let Some(va) = self.state.push_block {
            return Ok(va);
        }
        let mut bytes = vec![0; (DYNAMIC_DESCRIPTORS_OFFSET + 16 * pipeline.layout().dynamic_count()) as usize];
        bytes[..PUSH_CONSTANT_BYTES as usize].copy_from_slice(&self.state.push);
        let mut at = DYNAMIC_DESCRIPTORS_OFFSET as usize;
        for (layout, bound) in pipeline.layout().sets().iter().zip(&self.state.sets) {
            let descriptors = bound.iter().flat_map(|b| &b.dynamic).take(layout.dynamic_count() as usize);
            for (i, descriptor) in descriptors.enumerate() {
                for (j, word) in descriptor.iter().enumerate() {
                    let word_at = at + 16 * i + 4 * j;
                    bytes[word_at..word_at + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
            at += 16 * layout.dynamic_count() as usize;
        }
        let va = self.upload(&bytes)?;
        self.state.push_block = Some(va);
        Ok(va)
    }

    /// Makes the state point to a scratch ring that fits the kernel. All kernels may share one ring: the hardware gives
    /// every resident work-group a range of its own.
    fn provide_scratch(&mut self, code: &CodeObject) -> Result<()> {
        let (bytes_per_wave, lanes) = (code.scratch_bytes_per_wave(), code.wave.lanes());
        let fits = |s: &Scratch| s.bytes_per_wave >= bytes_per_wave && s.lanes == lanes;
        if self.state.scratch.as_ref().is_some_and(fits) {
            return Ok(());
        }
        let ring = self.heap.scratch_ring(u64::from(bytes_per_wave) * u64::from(SCRATCH_WAVES))?;
        let descriptor = BufferDescriptor::private(ring.va(), ring.size().min(u64::from(u32::MAX)) as u32, lanes);
        let bytes: Vec<u8> = descriptor.to_words(self.heap.isa()).iter().flat_map(|w| w.to_le_bytes()).collect();
        let descriptor = self.upload(&bytes)?;
        self.keep(&ring);
        self.state.scratch = Some(Scratch { descriptor, bytes_per_wave, lanes });
        Ok(())
    }
}

fn push_u64(words: &mut Vec<u32>, value: u64) {
    words.extend([value as u32, (value >> 32) as u32]);
}

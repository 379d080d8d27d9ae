//! Command buffers: commands become PM4 in host memory, which [`CommandBuffer::end`] places into GPU memory as indirect
//! buffers, with the push constants and descriptor tables that they point to.
//!
//! Recording commands do not fail one by one: the first error is kept and [`CommandBuffer::end`] gives it, as Vulkan does.
//! A [`Recording`] is immutable and holds all that its packets point to, so the command buffer may be reset or dropped
//! while the GPU still runs it.

use crate::descriptor::{DescriptorSet, PipelineLayout};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::heap::{Heap, Suballocation};
use crate::memory::Buffer;
use crate::packets;
use crate::pipeline::{ComputePipeline, SCRATCH_WAVES};
use crate::query::{AVAILABLE, QueryPool, QueryResultFlags, SLOT};
use crate::sync::Event;
use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::launch::{DYNAMIC_DESCRIPTORS_OFFSET, PUSH_CONSTANT_BYTES, UserData};
use wavepipe_hw::pm4::{CopyDest, CopySource, DMA_MAX_BYTES, DmaSource, Packet, ReleaseData, WaitFunc, initiator, reg};

/// Dwords after which an indirect buffer is closed; one more command still fits below IB_MAX_DWORDS.
const PIECE_DWORDS: usize = 256 << 10;
/// Bytes of WRITE_DATA payload, at most, that one command may put into an indirect buffer.
const UPDATE_BYTES: usize = 1 << 20;
/// Bytes of upload memory taken at once.
const UPLOAD_BYTES: u64 = 16 << 10;
/// Sets of a pipeline layout; the set table has as many entries.
const MAX_SETS: usize = 32;
const USER_SGPRS: usize = wavepipe_hw::launch::MAX_USER_SGPRS as usize;

/// A part of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferCopy {
    pub source_offset: u64,
    pub dest_offset: u64,
    pub size: u64,
}

/// What a command buffer became: packets and data in GPU memory, ready for a queue.
pub struct Recording {
    pieces: Vec<(Suballocation, u32)>,
    _upload: Vec<Suballocation>,
    _kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Recording {
    /// GPU address and dwords of each indirect buffer, in order.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, u32)> {
        self.pieces.iter().map(|(memory, dwords)| (memory.va(), *dwords))
    }

    /// All packets, for a look at them.
    pub fn words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        for (memory, dwords) in &self.pieces {
            let mut bytes = vec![0; *dwords as usize * 4];
            if memory.read(0, &mut bytes).is_ok() {
                words.extend(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)));
            }
        }
        words
    }
}

#[derive(Clone)]
struct BoundSet {
    set: Arc<DescriptorSet>,
    dynamic: Vec<[u32; 4]>,
}

/// What the commands so far have set, and what the GPU's registers are known to hold.
struct State {
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
    busy: bool,
    scratch: Option<Scratch>,
}

#[derive(Clone, Copy)]
struct Scratch {
    descriptor: u64,
    bytes_per_wave: u32,
    lanes: u32,
}

impl Default for State {
    fn default() -> Self {
        State {
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
        }
    }
}

enum Groups {
    Direct([u32; 3]),
    Indirect(u64),
}

pub struct CommandBuffer {
    heap: Arc<Heap>,
    words: Vec<u32>,
    pieces: Vec<(Suballocation, u32)>,
    upload: Vec<Suballocation>,
    upload_used: u64,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
    kept_already: HashSet<usize>,
    state: State,
    error: Option<Error>,
    recording: Option<Arc<Recording>>,
}

impl CommandBuffer {
    /// Empty and ready for `begin`. Primary or secondary is how it is used: submitted or executed.
    pub fn new(device: &Arc<Device>) -> CommandBuffer {
        CommandBuffer {
            heap: device.heap().clone(),
            words: Vec::new(),
            pieces: Vec::new(),
            upload: Vec::new(),
            upload_used: 0,
            kept: Vec::new(),
            kept_already: HashSet::new(),
            state: State::default(),
            error: None,
            recording: None,
        }
    }

    /// Starts anew; what was recorded before is forgotten here, and stays alive where it is pending.
    pub fn begin(&mut self) {
        self.reset();
    }

    pub fn reset(&mut self) {
        self.words.clear();
        self.pieces.clear();
        self.upload.clear();
        self.upload_used = 0;
        self.kept.clear();
        self.kept_already.clear();
        self.state = State::default();
        self.error = None;
        self.recording = None;
    }

    /// Finishes; the first error of any command comes out here.
    pub fn end(&mut self) -> Result<()> {
        let flushed = self.flush();
        self.latch(flushed);
        if let Some(error) = self.error.take() {
            self.reset();
            return Err(error);
        }
        self.recording = Some(Arc::new(Recording {
            pieces: std::mem::take(&mut self.pieces),
            _upload: std::mem::take(&mut self.upload),
            _kept: std::mem::take(&mut self.kept),
        }));
        self.kept_already.clear();
        Ok(())
    }

    /// What `end` made, to submit or execute.
    pub fn recording(&self) -> Result<Arc<Recording>> {
        self.recording.clone().ok_or_else(|| Error::Invalid("the command buffer has not been ended".into()))
    }

    // Bookkeeping.

    fn latch<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(v) => Some(v),
            Err(e) => {
                self.error.get_or_insert(e);
                None
            }
        }
    }

    fn keep<T: Any + Send + Sync>(&mut self, thing: &Arc<T>) {
        if self.kept_already.insert(Arc::as_ptr(thing) as usize) {
            self.kept.push(thing.clone());
        }
    }

    fn emit(&mut self, packet: &Packet) {
        if self.words.len() >= PIECE_DWORDS {
            let flushed = self.flush();
            self.latch(flushed);
        }
        packet.encode(&mut self.words);
    }

    /// Moves the packets so far into GPU memory.
    fn flush(&mut self) -> Result<()> {
        if self.words.is_empty() {
            return Ok(());
        }
        let memory = self.heap.allocate(self.words.len() as u64 * 4, 4, "command buffer")?;
        memory.write_words(0, &self.words)?;
        self.pieces.push((memory, self.words.len() as u32));
        self.words.clear();
        Ok(())
    }

    /// Places bytes where the GPU finds them; 16-byte aligned.
    fn upload(&mut self, bytes: &[u8]) -> Result<u64> {
        let size = bytes.len().next_multiple_of(16) as u64;
        let fits = self.upload.last().is_some_and(|m| self.upload_used + size <= m.size());
        if !fits {
            self.upload.push(self.heap.allocate(UPLOAD_BYTES.max(size), 16, "command buffer data")?);
            self.upload_used = 0;
        }
        let Some(memory) = self.upload.last() else { unreachable!("the line above pushes") };
        memory.write(self.upload_used, bytes)?;
        let va = memory.va() + self.upload_used;
        self.upload_used += size;
        Ok(va)
    }

    // State.

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
        let first = first as usize;
        if first + sets.len() > layout.sets().len() {
            let message = format!("sets {first}..+{} of a pipeline layout with {}", sets.len(), layout.sets().len());
            self.latch::<()>(Err(Error::Invalid(message)));
            return;
        }
        let mut offsets = dynamic_offsets;
        for (i, set) in sets.iter().enumerate() {
            let count = set.layout().dynamic_count() as usize;
            if count > offsets.len() {
                self.latch::<()>(Err(Error::Invalid(format!("set {} has too few dynamic offsets", first + i))));
                return;
            }
            let (mine, rest) = offsets.split_at(count);
            offsets = rest;
            self.keep(set);
            self.state.sets[first + i] = Some(BoundSet { set: set.clone(), dynamic: set.dynamic_descriptors(mine) });
            if count > 0 {
                self.state.push_block = None;
            }
        }
        self.state.set_table = None;
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

    // Work.

    pub fn dispatch(&mut self, groups: [u32; 3]) {
        self.dispatch_base([0; 3], groups);
    }

    /// Work-groups `base..base + groups`.
    pub fn dispatch_base(&mut self, base: [u32; 3], groups: [u32; 3]) {
        if !groups.contains(&0) {
            let launched = self.launch(base, Groups::Direct(groups));
            self.latch(launched);
        }
    }

    /// The group counts are the three dwords at `offset` of `buffer` when the GPU comes to it.
    pub fn dispatch_indirect(&mut self, buffer: &Arc<Buffer>, offset: u64) {
        self.keep(buffer);
        let address = self.place(buffer, offset, 12);
        let launched = address.and_then(|a| self.launch([0; 3], Groups::Indirect(a)));
        self.latch(launched);
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
                UserData::DescriptorSet(n) => push_u64(&mut user, self.set(n)?.set.address()),
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

    fn set(&self, number: u32) -> Result<&BoundSet> {
        let bound = self.state.sets.get(number as usize).and_then(Option::as_ref);
        bound.ok_or_else(|| Error::Invalid(format!("the kernel uses descriptor set {number}, which is not bound")))
    }

    /// Addresses of all bound sets, for kernels that use more than user SGPRs can hold.
    fn set_table(&mut self) -> Result<u64> {
        if let Some(va) = self.state.set_table {
            return Ok(va);
        }
        let address = |s: &Option<BoundSet>| s.as_ref().map_or(0, |b| b.set.address()).to_le_bytes();
        let bytes: Vec<u8> = self.state.sets.iter().flat_map(address).collect();
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
        let descriptor = BufferDescriptor {
            swizzle_enable: true,
            // 2 = 32 lanes, 3 = 64.
            index_stride: if lanes == 64 { 3 } else { 2 },
            add_tid_enable: true,
            ..BufferDescriptor::raw(ring.va(), ring.size().min(u64::from(u32::MAX)) as u32)
        };
        let bytes: Vec<u8> = descriptor.to_words().iter().flat_map(|w| w.to_le_bytes()).collect();
        let descriptor = self.upload(&bytes)?;
        self.keep(&ring);
        self.state.scratch = Some(Scratch { descriptor, bytes_per_wave, lanes });
        Ok(())
    }

    /// The address of `bytes` bytes at `offset`, which must be inside.
    fn place(&self, buffer: &Buffer, offset: u64, bytes: u64) -> Result<u64> {
        if buffer.address() == 0 {
            return Err(Error::Invalid("the buffer has no memory".into()));
        }
        match offset.checked_add(bytes) {
            Some(end) if end <= buffer.size() => Ok(buffer.address() + offset),
            _ => Err(Error::Invalid(format!("bytes {offset}..+{bytes} are outside of a buffer of {}", buffer.size()))),
        }
    }

    fn dma(&mut self, mut source: DmaSource, mut dest: u64, mut bytes: u64) {
        while bytes > 0 {
            let part = bytes.min(u64::from(DMA_MAX_BYTES));
            self.emit(&Packet::DmaData { source, dest, bytes: part as u32, sync: true });
            if let DmaSource::Memory(address) = &mut source {
                *address += part;
            }
            dest += part;
            bytes -= part;
        }
        self.state.busy = true;
    }

    pub fn copy_buffer(&mut self, source: &Arc<Buffer>, dest: &Arc<Buffer>, regions: &[BufferCopy]) {
        self.keep(source);
        self.keep(dest);
        for r in regions {
            let places = self
                .place(source, r.source_offset, r.size)
                .and_then(|s| Ok((s, self.place(dest, r.dest_offset, r.size)?)));
            if let Some((from, to)) = self.latch(places) {
                self.dma(DmaSource::Memory(from), to, r.size);
            }
        }
    }

    /// Fills with a dword; `None` = to the end, whole dwords.
    pub fn fill_buffer(&mut self, buffer: &Arc<Buffer>, offset: u64, size: Option<u64>, value: u32) {
        self.keep(buffer);
        let size = size.unwrap_or(buffer.size().saturating_sub(offset)) & !3;
        let place = self.place(buffer, offset, size);
        if let Some(dest) = self.latch(place) {
            self.dma(DmaSource::Fill(value), dest, size);
        }
    }

    /// Writes data that is recorded in the command buffer itself; whole dwords at a dword.
    pub fn update_buffer(&mut self, buffer: &Arc<Buffer>, offset: u64, data: &[u8]) {
        self.keep(buffer);
        let (words, rest) = data.as_chunks::<4>();
        let place = if rest.is_empty() && offset % 4 == 0 {
            self.place(buffer, offset, data.len() as u64)
        } else {
            Err(Error::Invalid("update_buffer takes whole dwords".into()))
        };
        let Some(mut address) = self.latch(place) else { return };
        for part in words.chunks(UPDATE_BYTES / 4) {
            let data = part.iter().map(|b| u32::from_le_bytes(*b)).collect();
            self.emit(&Packet::WriteData { address, data });
            address += part.len() as u64 * 4;
        }
        self.state.busy = true;
    }

    // Order.

    /// Everything before is done, and its writes visible, before anything after begins.
    pub fn pipeline_barrier(&mut self) {
        if self.state.busy {
            self.emit(&Packet::CsPartialFlush);
            self.emit(&packets::acquire_all());
            self.state.busy = false;
        }
    }

    /// After all earlier commands.
    pub fn set_event(&mut self, event: &Arc<Event>) {
        self.write_event(event, 1);
    }

    /// After all earlier commands.
    pub fn reset_event(&mut self, event: &Arc<Event>) {
        self.write_event(event, 0);
    }

    fn write_event(&mut self, event: &Arc<Event>, value: u32) {
        self.keep(event);
        let data = ReleaseData::Value32(value);
        self.emit(&Packet::ReleaseMem { address: event.address(), data, interrupt: false });
        self.state.busy = true;
    }

    /// Later commands wait until all events are set.
    pub fn wait_events(&mut self, events: &[Arc<Event>]) {
        for event in events {
            self.keep(event);
            let address = event.address();
            let func = WaitFunc::Equal;
            self.emit(&Packet::WaitRegMem { address, reference: 1, mask: 0xffff_ffff, func, wide: false });
        }
        self.emit(&packets::acquire_all());
    }

    // Queries.

    /// The clock when the command is reached (`after_work` false), or when all earlier work is done.
    pub fn write_timestamp(&mut self, pool: &Arc<QueryPool>, query: u32, after_work: bool) {
        self.keep(pool);
        let checked = pool.check(query, 1);
        if self.latch(checked).is_none() {
            return;
        }
        let slot = pool.slot_address(query);
        if after_work {
            self.emit(&Packet::ReleaseMem { address: slot, data: ReleaseData::Clock, interrupt: false });
            let data = ReleaseData::Value64(1);
            self.emit(&Packet::ReleaseMem { address: slot + AVAILABLE, data, interrupt: false });
        } else {
            self.emit(&Packet::CopyData { source: CopySource::Clock, dest: CopyDest::Memory(slot), wide: true });
            let source = CopySource::Immediate(1);
            self.emit(&Packet::CopyData { source, dest: CopyDest::Memory(slot + AVAILABLE), wide: true });
        }
        self.state.busy = true;
    }

    /// After all earlier commands, whose timestamps may still be on their way.
    pub fn reset_query_pool(&mut self, pool: &Arc<QueryPool>, first: u32, count: u32) {
        self.keep(pool);
        let checked = pool.check(first, count);
        if self.latch(checked).is_some() {
            self.pipeline_barrier();
            self.dma(DmaSource::Fill(0), pool.slot_address(first), u64::from(count) * SLOT);
        }
    }

    /// Copies results into a buffer, query `i` at `offset + i * stride`. Without `wait`, a query that is not available by
    /// then gives the value 0.
    pub fn copy_query_results(
        &mut self,
        pool: &Arc<QueryPool>,
        first: u32,
        count: u32,
        buffer: &Arc<Buffer>,
        offset: u64,
        stride: u64,
        flags: QueryResultFlags,
    ) {
        self.keep(pool);
        self.keep(buffer);
        let checked = pool.check(first, count);
        if self.latch(checked).is_none() {
            return;
        }
        self.pipeline_barrier();
        let size = if flags.wide { 8 } else { 4 };
        for i in 0..count {
            let slot = pool.slot_address(first + i);
            let bytes = size * (1 + u64::from(flags.with_availability));
            let place = self.place(buffer, offset + u64::from(i) * stride, bytes);
            let Some(dest) = self.latch(place) else { return };
            if flags.wait {
                let (address, func) = (slot + AVAILABLE, WaitFunc::NotEqual);
                self.emit(&Packet::WaitRegMem { address, reference: 0, mask: !0, func, wide: true });
            }
            let copies = [(slot, dest), (slot + AVAILABLE, dest + size)];
            for (from, to) in &copies[..1 + usize::from(flags.with_availability)] {
                let (source, dest) = (CopySource::Memory(*from), CopyDest::Memory(*to));
                self.emit(&Packet::CopyData { source, dest, wide: flags.wide });
            }
        }
        self.state.busy = true;
    }

    /// Runs secondary command buffers here; bound state is unknown afterwards.
    pub fn execute_commands(&mut self, secondaries: &[Arc<Recording>]) {
        for secondary in secondaries {
            for (address, dwords) in secondary.pieces() {
                self.emit(&Packet::IndirectBuffer { address, dwords });
            }
            self.keep(secondary);
        }
        self.state = State::default();
    }
}

fn push_u64(words: &mut Vec<u32>, value: u64) {
    words.extend([value as u32, (value >> 32) as u32]);
}

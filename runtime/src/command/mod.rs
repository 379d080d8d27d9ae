//! Command buffers: commands become PM4 in host memory, which [`CommandBuffer::end`] places into GPU memory as indirect
//! buffers, with the push constants and descriptor tables that they point to.
//!
//! Recording commands do not fail one by one: the first error is kept and [`CommandBuffer::end`] gives it, as Vulkan does.
//! A [`Recording`] is immutable and holds all that its packets point to, so the command buffer may be reset or dropped
//! while the GPU still runs it.

mod blit;
mod dispatch;
mod hsa;
mod query;
mod transfer;

pub use blit::{Axis, ImageBlit};
pub use transfer::{Area, BufferImageCopy, ImageCopy, color_texel, repeated};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::heap::{Heap, Suballocation};
use crate::image::{Image, ImageRange};
use crate::memory::Buffer;
use crate::ordering::{Dependency, Entry, ImageLayout, LayoutStep, Script};
use crate::packets;
use crate::sync::Event;
use dispatch::ComputeState;
use std::any::Any;
use std::collections::HashSet;
use std::sync::{Arc, Weak};
use wavepipe_hw::pm4::{self, DMA_MAX_BYTES, DmaSource, Packet, ReleaseData, WaitFunc};

/// Dwords after which an indirect buffer is closed; one more command still fits below IB_MAX_DWORDS.
const PIECE_DWORDS: usize = 256 << 10;
/// Bytes of WRITE_DATA payload, at most, that one command may put into an indirect buffer.
const UPDATE_BYTES: usize = 1 << 20;
/// Bytes of upload memory taken at once.
const UPLOAD_BYTES: u64 = 16 << 10;

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
    /// What it does to memory, if the order of commands is checked.
    script: Option<Arc<Script>>,
}

impl Recording {
    pub(crate) fn script(&self) -> Option<Arc<Script>> {
        self.script.clone()
    }

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

pub struct CommandBuffer {
    /// Not to keep it alive: for the driver's own kernels.
    device: Weak<Device>,
    heap: Arc<Heap>,
    words: Vec<u32>,
    pieces: Vec<(Suballocation, u32)>,
    upload: Vec<Suballocation>,
    upload_used: u64,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
    kept_already: HashSet<usize>,
    state: ComputeState,
    error: Option<Error>,
    /// As of the recording.
    script: Option<Script>,
    /// The command that moves bytes or launches a kernel now; `None`: what happens is the driver's own business.
    command: Option<&'static str>,
    recording: Option<Arc<Recording>>,
}

impl CommandBuffer {
    /// Empty and ready for `begin`. Primary or secondary is how it is used: submitted or executed.
    pub fn new(device: &Arc<Device>) -> CommandBuffer {
        CommandBuffer {
            device: Arc::downgrade(device),
            heap: device.heap().clone(),
            words: Vec::new(),
            pieces: Vec::new(),
            upload: Vec::new(),
            upload_used: 0,
            kept: Vec::new(),
            kept_already: HashSet::new(),
            state: ComputeState::default(),
            error: None,
            script: device.bus().checks_order().then(Script::default),
            command: None,
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
        self.state = ComputeState::default();
        self.error = None;
        self.script = self.script.is_some().then(Script::default);
        self.command = None;
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
            script: self.script.as_mut().map(|script| Arc::new(std::mem::take(script))),
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

    /// A command of the program's that moves bytes begins.
    fn moves(&mut self, command: &'static str) {
        self.command = Some(command);
        if let Some(script) = &mut self.script {
            script.transfer(command);
        }
    }

    /// Notes bytes that the command moves.
    fn note(&mut self, read: Option<u64>, written: Option<u64>, bytes: u64) {
        if let (Some(script), Some(_)) = (&mut self.script, self.command) {
            let range = |at: u64| at..at + bytes;
            script.moves(read.map(range), written.map(range));
        }
    }

    fn emit(&mut self, packet: &Packet) {
        if let Some(script) = &mut self.script
            && matches!(packet, Packet::DispatchDirect { .. } | Packet::DispatchIndirect { .. })
        {
            let name = self.command.unwrap_or_default();
            let kernel = self.state.launching.take();
            let counts = match packet {
                Packet::DispatchIndirect { address, .. } => Some(*address..*address + 12),
                _ => None,
            };
            script.0.push(Entry::Dispatch { kernel, name, counts });
        }
        if self.words.len() >= PIECE_DWORDS {
            let flushed = self.flush();
            self.latch(flushed);
        }
        packet.encode(self.heap.isa(), &mut self.words);
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

    // Copies.

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
        let read = if let DmaSource::Memory(address) = source { Some(address) } else { None };
        self.note(read, Some(dest), bytes);
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
        self.moves("vkCmdCopyBuffer");
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
        self.moves("vkCmdFillBuffer");
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
        let place = if rest.is_empty() && offset.is_multiple_of(4) {
            self.place(buffer, offset, data.len() as u64)
        } else {
            Err(Error::Invalid("update_buffer takes whole dwords".into()))
        };
        let Some(mut address) = self.latch(place) else { return };
        self.moves("vkCmdUpdateBuffer");
        self.note(None, Some(address), data.len() as u64);
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
        self.order(&[Dependency::FULL]);
        self.flush_work();
    }

    /// As that, where the program asked for no more than this.
    pub fn barrier(&mut self, dependencies: &[Dependency]) {
        self.order(dependencies);
        self.flush_work();
    }

    /// What the program asked for, where that has been done.
    pub fn order(&mut self, dependencies: &[Dependency]) {
        if let Some(script) = &mut self.script {
            script.0.extend(dependencies.iter().cloned().map(Entry::Dependency));
        }
    }

    /// Whether what is recorded is noted for the check of the order of commands.
    pub fn checks_order(&self) -> bool {
        self.script.is_some()
    }

    /// What a command that follows says of a part of an image's layout, and what it makes of it.
    pub fn layout(
        &mut self,
        command: &'static str,
        (image, range): (&Image, &ImageRange),
        said: Option<ImageLayout>,
        becomes: Option<ImageLayout>,
    ) {
        if let Some(script) = self.script.as_mut().filter(|_| said.is_some() || becomes.is_some()) {
            let (image, parts) = (image.id(), image.bytes_of(range));
            script.0.push(Entry::Layout(LayoutStep { command, image, parts, said, becomes }));
        }
    }

    /// The driver's own barrier.
    fn flush_work(&mut self) {
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

    /// What follows starts when the device's clock has reached a tick of `machine::Info::timestamp_hz`, or later. Generations whose
    /// command processor compares 32 bits only have no such wait.
    pub fn wait_clock(&mut self, tick: u64) {
        if !pm4::has_wide_waits(self.heap.isa()) {
            let no = "this generation's command processor has no wait of 64 bits, for the clock either";
            self.latch::<()>(Err(Error::Invalid(no.into())));
            return;
        }
        self.emit(&Packet::WaitClock { tick });
    }

    /// Runs secondary command buffers here; bound state is unknown afterwards.
    pub fn execute_commands(&mut self, secondaries: &[Arc<Recording>]) {
        for secondary in secondaries {
            for (address, dwords) in secondary.pieces() {
                self.emit(&Packet::IndirectBuffer { address, dwords });
            }
            self.keep(secondary);
            if let (Some(script), Some(inner)) = (&mut self.script, secondary.script()) {
                script.0.push(Entry::Execute(inner));
            }
        }
        self.state = ComputeState::default();
    }
}

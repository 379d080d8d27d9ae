//! A GPU that only keeps books: it decodes every packet that it is given, remembers it, and executes those that touch
//! memory, on the thread that rings the doorbell. A wait that is not met stalls its queue until something is written.
#![allow(dead_code)] // No test uses all of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use wavepipe_isa::Gen;
use wavepipe_runtime::hw::fault::GpuFault;
use wavepipe_runtime::hw::pm4::{CopyDest, CopySource, DmaSource, Packet, ReleaseData, WaitFunc};
use wavepipe_runtime::hw::port::*;
use wavepipe_runtime::{Config, Device, Statistics};

#[derive(Default)]
pub struct Recorder {
    memory: Mutex<BTreeMap<u64, Arc<Vec<AtomicU64>>>>,
    sizes: Mutex<BTreeMap<u64, u64>>,
    queues: Mutex<Vec<Ring>>,
    handler: Mutex<Option<Arc<InterruptHandler>>>,
    ticks: AtomicU64,
    isa: Gen,
    next_va: AtomicU64,
    /// Bytes that may be allocated; 0 = 1 GiB.
    pub limit: AtomicU64,
}

struct Ring {
    desc: QueueDesc,
    rptr: u64,
    wptr: u64,
    /// Indirect buffers being read: address of the next packet, dwords left.
    nested: Vec<(u64, u32)>,
    packets: Vec<Packet>,
    mapped: bool,
}

impl Recorder {
    pub fn device() -> (Arc<Recorder>, Arc<Device>) {
        Self::device_with(Config::checked())
    }

    pub fn device_with(config: Config) -> (Arc<Recorder>, Arc<Device>) {
        let recorder = Arc::new(Recorder { isa: config.isa(), ..Recorder::default() });
        let device = Device::with_port(recorder.clone(), &config, Statistics::default);
        (recorder, device)
    }

    /// The packets of a queue since the last call, indirect buffers' after their INDIRECT_BUFFER.
    pub fn take(&self, queue: usize) -> Vec<Packet> {
        std::mem::take(&mut self.queues.lock().unwrap()[queue].packets)
    }

    pub fn ring(&self, queue: usize) -> QueueDesc {
        self.queues.lock().unwrap()[queue].desc
    }

    pub fn allocations(&self) -> usize {
        self.memory.lock().unwrap().len()
    }

    pub fn has(&self, va: u64) -> bool {
        self.memory.lock().unwrap().contains_key(&va)
    }

    pub fn words(&self, va: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; count * 4];
        self.read(va, &mut bytes).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    }

    pub fn fault(&self, queue: u32, fault: GpuFault) {
        self.interrupt(Interrupt::Fault { queue: QueueId(queue), fault: Arc::new(fault) });
    }

    pub fn interrupt(&self, interrupt: Interrupt) {
        let handler = self.handler.lock().unwrap().clone();
        if let Some(h) = handler {
            h(interrupt);
        }
    }

    fn bytes(&self, va: u64, len: u64) -> Result<(Arc<Vec<AtomicU64>>, u64), PortError> {
        let sizes = self.sizes.lock().unwrap();
        let (base, size) = sizes.range(..=va).next_back().ok_or(PortError::BadAddress(va, len))?;
        if va - base + len > *size {
            return Err(PortError::BadAddress(va, len));
        }
        Ok((self.memory.lock().unwrap()[base].clone(), va - base))
    }

    fn u64_at(&self, va: u64) -> u64 {
        let mut b = [0; 8];
        self.read(va, &mut b).unwrap();
        u64::from_le_bytes(b)
    }

    /// Runs all queues until none moves.
    fn run(&self) {
        loop {
            let count = self.queues.lock().unwrap().len();
            if !(0..count).any(|q| self.step(q)) {
                return;
            }
        }
    }

    /// Executes one packet of a queue; false if it has none or waits.
    fn step(&self, q: usize) -> bool {
        let mut queues = self.queues.lock().unwrap();
        let ring = &mut queues[q];
        while ring.nested.last().is_some_and(|(_, left)| *left == 0) {
            ring.nested.pop();
        }
        let words = match ring.nested.last() {
            Some((at, left)) => self.words(*at, *left as usize),
            None => {
                let size = u64::from(ring.desc.ring_dwords);
                let word = |i: u64| self.words(ring.desc.ring_base + i % size * 4, 1)[0];
                (ring.rptr..ring.wptr.min(ring.rptr + 64)).map(word).collect()
            }
        };
        if words.is_empty() {
            return false;
        }
        let (packet, len) = Packet::decode(&words, self.isa).expect("a packet that decodes");
        if let Packet::WaitRegMem { address, reference, mask, func, wide } = &packet {
            let value = if *wide { self.u64_at(*address) } else { u64::from(self.words(*address, 1)[0]) } & mask;
            let met = match func {
                WaitFunc::Equal => value == *reference,
                WaitFunc::NotEqual => value != *reference,
                WaitFunc::GreaterEqual => value >= *reference,
                other => panic!("a wait that the runtime does not emit: {other:?}"),
            };
            if !met {
                return false;
            }
        }
        match ring.nested.last_mut() {
            Some((at, left)) => {
                *at += 4 * len as u64;
                *left -= len as u32;
            }
            None => {
                ring.rptr += len as u64;
                self.write(ring.desc.rptr_report, &ring.rptr.to_le_bytes()).unwrap();
            }
        }
        ring.packets.push(packet.clone());
        if let Packet::IndirectBuffer { address, dwords } = packet {
            ring.nested.push((address, dwords));
            assert!(ring.nested.len() <= 2);
        }
        drop(queues);
        self.execute(q, packet);
        true
    }

    fn execute(&self, q: usize, packet: Packet) {
        match packet {
            Packet::ReleaseMem { address, data, interrupt } => {
                match data {
                    ReleaseData::None => {}
                    ReleaseData::Value32(v) => self.write(address, &v.to_le_bytes()).unwrap(),
                    ReleaseData::Value64(v) => self.write(address, &v.to_le_bytes()).unwrap(),
                    ReleaseData::Clock => self.write(address, &self.clock().to_le_bytes()).unwrap(),
                }
                if interrupt {
                    self.interrupt(Interrupt::EndOfPipe { queue: QueueId(q as u32) });
                }
            }
            Packet::WriteData { address, data } => {
                let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
                self.write(address, &bytes).unwrap();
            }
            Packet::CopyData { source, dest: CopyDest::Memory(dest), wide } => {
                let value = match source {
                    CopySource::Memory(a) if wide => self.u64_at(a),
                    CopySource::Memory(a) => u64::from(self.words(a, 1)[0]),
                    CopySource::Immediate(v) => v,
                    CopySource::Clock => self.clock(),
                    CopySource::Counter(_) => 0,
                };
                self.write(dest, &value.to_le_bytes()[..if wide { 8 } else { 4 }]).unwrap();
            }
            Packet::DmaData { source, dest, bytes, .. } => {
                let mut data = vec![0; bytes as usize];
                match source {
                    DmaSource::Memory(a) => self.read(a, &mut data).unwrap(),
                    DmaSource::Fill(v) => {
                        data.iter_mut().zip(v.to_le_bytes().iter().cycle()).for_each(|(d, s)| *d = *s)
                    }
                }
                self.write(dest, &data).unwrap();
            }
            _ => {}
        }
    }
}

impl GpuPort for Recorder {
    fn allocate_protected(&self, size: u64, _name: &str, _: Protection) -> Result<Allocation, PortError> {
        let limit = Some(self.limit.load(Ordering::Relaxed)).filter(|l| *l > 0).unwrap_or(1 << 30);
        let used: u64 = self.sizes.lock().unwrap().values().sum();
        if used + size > limit {
            return Err(PortError::OutOfMemory { requested: size, available: limit - used });
        }
        let words: Vec<AtomicU64> = (0..size.div_ceil(8)).map(|_| AtomicU64::new(0)).collect();
        let va = 0x10_0000_0000 + self.next_va.fetch_add(size.next_multiple_of(65536) + 65536, Ordering::Relaxed);
        let host = words.as_ptr() as *mut u8;
        self.memory.lock().unwrap().insert(va, Arc::new(words));
        self.sizes.lock().unwrap().insert(va, size);
        Ok(Allocation { va, size, host })
    }

    fn free(&self, va: u64) {
        assert!(self.memory.lock().unwrap().remove(&va).is_some(), "free of {va:#x}, which is not allocated");
        self.sizes.lock().unwrap().remove(&va);
    }

    fn memory_size(&self) -> (u64, u64) {
        (1 << 30, self.sizes.lock().unwrap().values().sum())
    }

    fn write(&self, va: u64, bytes: &[u8]) -> Result<(), PortError> {
        let (words, start) = self.bytes(va, bytes.len() as u64)?;
        for (i, b) in bytes.iter().enumerate() {
            let at = start as usize + i;
            let mut v = words[at / 8].load(Ordering::SeqCst).to_le_bytes();
            v[at % 8] = *b;
            words[at / 8].store(u64::from_le_bytes(v), Ordering::SeqCst);
        }
        Ok(())
    }

    fn read(&self, va: u64, bytes: &mut [u8]) -> Result<(), PortError> {
        let (words, start) = self.bytes(va, bytes.len() as u64)?;
        for (i, b) in bytes.iter_mut().enumerate() {
            let at = start as usize + i;
            *b = words[at / 8].load(Ordering::SeqCst).to_le_bytes()[at % 8];
        }
        Ok(())
    }

    fn map_queue(&self, desc: &QueueDesc) -> Result<QueueId, PortError> {
        let mut queues = self.queues.lock().unwrap();
        if queues.iter().any(|r| r.mapped && (r.desc.pipe, r.desc.queue) == (desc.pipe, desc.queue)) {
            return Err(PortError::BadQueue);
        }
        queues.push(Ring { desc: *desc, rptr: 0, wptr: 0, nested: vec![], packets: vec![], mapped: true });
        Ok(QueueId(queues.len() as u32 - 1))
    }

    fn unmap_queue(&self, queue: QueueId) {
        self.queues.lock().unwrap()[queue.0 as usize].mapped = false;
    }

    fn doorbell(&self, queue: QueueId, wptr: u64) {
        self.queues.lock().unwrap()[queue.0 as usize].wptr = wptr;
        self.run();
    }

    fn host_wrote(&self) {
        self.run();
    }

    fn set_interrupt_handler(&self, handler: InterruptHandler) {
        *self.handler.lock().unwrap() = Some(Arc::new(handler));
    }

    fn clock(&self) -> u64 {
        self.ticks.fetch_add(100, Ordering::Relaxed) + 100
    }
}

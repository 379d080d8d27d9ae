//! A machine on a clock with as many queues as a test wants.
#![allow(dead_code)]

pub mod perfetto;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use wavepipe_core::{Config, Gpu};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::fault::GpuFault;
use wavepipe_hw::pm4::{Packet, ReleaseData};
use wavepipe_hw::port::{Advance, GpuPort, Interrupt, QueueDesc, QueueId};
use wavepipe_isa::{Gen, asm};
use wavepipe_timing::lab::Handle;
use wavepipe_timing::observe::Recorder;
use wavepipe_timing::{DispatchReport, Engine, Options};

pub struct Bench {
    pub gpu: Gpu,
    pub engine: Handle,
    faults: Receiver<Arc<GpuFault>>,
}

pub struct Ring {
    id: QueueId,
    pub number: usize,
    base: u64,
    wptr: u64,
    fence: u64,
    value: u64,
}

const DWORDS: u32 = 8192;

impl Bench {
    pub fn with(config: Config) -> Bench {
        Self::recorded(config, None)
    }

    pub fn recorded(config: Config, recorder: Option<Box<dyn Recorder>>) -> Bench {
        Self::made(config, Options::default(), recorder)
    }

    pub fn made(config: Config, options: Options, recorder: Option<Box<dyn Recorder>>) -> Bench {
        let engine = Handle::new(Engine::with(config.machine.clone(), options, recorder));
        let gpu = Gpu::with_timekeeper(config, Box::new(engine.clone()));
        let (send, faults) = channel();
        gpu.set_interrupt_handler(Box::new(move |i| {
            if let Interrupt::Fault { fault, .. } = i {
                let _ = send.send(fault);
            }
        }));
        Bench { gpu, engine, faults }
    }

    pub fn memory(&self, bytes: u64) -> u64 {
        self.gpu.allocate(bytes, "data").unwrap().va
    }

    pub fn code(&self, text: &str, wave: WaveSize) -> u64 {
        let words = asm::assemble(text, Gen::Gfx1010, wave.lanes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let va = self.memory(4 * words.len() as u64 + 256);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.gpu.write(va, &bytes).unwrap();
        va
    }

    pub fn queue(&self, desc: QueueDesc) -> Ring {
        let base = self.memory(4 * u64::from(DWORDS));
        let report = self.memory(64);
        let desc = QueueDesc { ring_base: base, ring_dwords: DWORDS, rptr_report: report, ..desc };
        let id = self.gpu.map_queue(&desc).unwrap();
        Ring { id, number: id.0 as usize, base, wptr: 0, fence: report + 32, value: 0 }
    }

    /// Submits packets with a fence behind.
    pub fn submit(&self, ring: &mut Ring, packets: &[Packet]) {
        ring.value += 1;
        let data = ReleaseData::Value64(ring.value);
        let fence = Packet::ReleaseMem { address: ring.fence, data, interrupt: true };
        let mut words = Vec::new();
        packets.iter().chain([&fence]).for_each(|p| p.encode(wavepipe_isa::Gen::Gfx1010, &mut words));
        for w in words {
            let at = ring.base + 4 * (ring.wptr % u64::from(DWORDS));
            self.gpu.write(at, &w.to_le_bytes()).unwrap();
            ring.wptr += 1;
        }
        self.gpu.doorbell(ring.id, ring.wptr);
    }

    /// Lets time pass until the last fence of a queue.
    pub fn wait(&self, ring: &Ring) {
        while self.read64(ring.fence) < ring.value {
            assert_eq!(self.gpu.advance(), Advance::Passed, "the machine stands still");
        }
    }

    pub fn read32(&self, va: u64) -> u32 {
        let mut b = [0; 4];
        self.gpu.read(va, &mut b).unwrap();
        u32::from_le_bytes(b)
    }

    pub fn read64(&self, va: u64) -> u64 {
        let mut b = [0; 8];
        self.gpu.read(va, &mut b).unwrap();
        u64::from_le_bytes(b)
    }

    /// Dispatches that ended since last asked.
    pub fn reports(&mut self) -> Vec<DispatchReport> {
        self.engine.lock().reports()
    }

    pub fn fault(&self) -> Arc<GpuFault> {
        self.faults.try_recv().expect("a fault")
    }
}

//! A test bench: one GPU, driven by packets alone, and a few kernels as gfx1010 machine code.
#![allow(dead_code)]

pub mod host;
#[path = "../../../../tests/src/host_time.rs"]
pub mod host_time;
#[cfg(target_arch = "x86_64")]
mod processor;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use wavepipe_core::{Config, Gpu};
use wavepipe_hw::fault::GpuFault;
use wavepipe_hw::pm4::*;
use wavepipe_hw::port::*;
use wavepipe_isa::Gen;

pub use host_time::PATIENCE;

/// `s_endpgm`
pub const END: &[u32] = &[0xbf81_0000];
/// Adds 1 to the dword at s[0:1], once per lane:
/// `v_mov_b32 v2, 0; v_mov_b32 v1, 1; global_atomic_add v2, v1, s[0:1]; s_endpgm`
pub const COUNT: &[u32] = &[0x7e04_0280, 0x7e02_0281, 0xdcc8_8000, 0x0000_0102, 0xbf81_0000];
/// Spins until the dword at s[0:1] is s2:
/// `s_load_dword s4, s[0:1], 0 glc; s_waitcnt lgkmcnt(0); s_cmp_eq_u32 s4, s2; s_cbranch_scc0 -5; s_endpgm`
pub const UNTIL: &[u32] = &[0xf401_0100, 0xfa00_0000, 0xbf8c_c07f, 0xbf06_0204, 0xbf84_fffb, 0xbf81_0000];
/// Goes round s2 times, three instructions each, then counts as COUNT does: `s_sub_u32 s2, s2, 1; s_cmp_lg_u32 s2, 0;
/// s_cbranch_scc1 -3; v_mov_b32 v1, 1; v_mov_b32 v2, 0; global_atomic_add v2, v1, s[0:1]; s_endpgm`
pub const BURN: &[u32] =
    &[0x8082_8102, 0xbf07_8002, 0xbf85_fffd, 0x7e02_0281, 0x7e04_0280, 0xdcc8_8000, 0x0000_0102, 0xbf81_0000];
/// Spins for ever: `s_branch -1`
pub const SPIN: &[u32] = &[0xbf82_ffff];
/// Stores its x id (s2) to the dword array at s[0:1]:
/// `v_mov_b32 v1, s2; v_lshlrev_b32 v2, 2, v1; global_store_dword v2, v1, s[0:1]; s_endpgm`
pub const STORE_ID: &[u32] = &[0x7e02_0202, 0x3404_0282, 0xdc70_8000, 0x0000_0102, 0xbf81_0000];
/// Stores s2 at s[0:1]: `v_mov_b32 v3, s2; v_mov_b32 v2, 0; global_store_dword v2, v3, s[0:1]; s_endpgm`
pub const SET: &[u32] = &[0x7e06_0202, 0x7e04_0280, 0xdc70_8000, 0x0000_0302, 0xbf81_0000];

pub struct Bench {
    pub gpu: Gpu,
    /// Whose packets it takes.
    pub isa: Gen,
    pub interrupts: Receiver<Interrupt>,
    /// Faults received and not asked for yet.
    faults: RefCell<VecDeque<(QueueId, GpuFault)>>,
}

/// A mapped ring with its write pointer.
pub struct Ring {
    pub id: QueueId,
    pub base: u64,
    pub dwords: u32,
    pub rptr: u64,
    pub wptr: u64,
    /// Fence memory, and the last value asked for.
    pub fence: u64,
    pub fence_value: u64,
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(Config { timeout: PATIENCE, ..Config::default() })
    }

    pub fn with(config: Config) -> Bench {
        let isa = config.machine.generation();
        Bench::over(host::gpu(config), isa)
    }

    /// Packets of a generation for a GPU.
    pub fn over(gpu: Gpu, isa: Gen) -> Bench {
        let (send, interrupts) = channel();
        gpu.set_interrupt_handler(Box::new(move |i| drop(send.send(i))));
        Bench { gpu, isa, interrupts, faults: RefCell::default() }
    }

    pub fn memory(&self, bytes: u64, name: &str) -> u64 {
        self.gpu.allocate(bytes, name).unwrap().va
    }

    pub fn queue(&self, pipe: u32, queue: u32) -> Ring {
        self.queue_of(pipe, queue, 1024, 0)
    }

    pub fn queue_of(&self, pipe: u32, queue: u32, dwords: u32, priority: u32) -> Ring {
        self.queue_as(QueueDesc { pipe, queue, ring_dwords: dwords, priority, ..QueueDesc::default() })
    }

    /// A queue as described, in memory of its own.
    pub fn queue_as(&self, desc: QueueDesc) -> Ring {
        let dwords = desc.ring_dwords;
        let base = self.memory(4 * u64::from(dwords), "ring");
        let report = self.memory(64, "reports");
        let desc = QueueDesc { ring_base: base, rptr_report: report, ..desc };
        let id = self.gpu.map_queue(&desc).unwrap();
        Ring { id, base, dwords, rptr: report, wptr: 0, fence: report + 32, fence_value: 0 }
    }

    pub fn code(&self, words: &[u32]) -> u64 {
        let va = self.memory(4096, "code");
        self.gpu.write(va, bytemuck::cast_slice(words)).unwrap();
        va
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

    pub fn write32(&self, va: u64, v: u32) {
        self.gpu.write(va, &v.to_le_bytes()).unwrap();
    }

    /// Puts packets into the ring and rings the doorbell.
    pub fn submit(&self, ring: &mut Ring, packets: &[Packet]) {
        let mut words = Vec::new();
        packets.iter().for_each(|p| p.encode(self.isa, &mut words));
        for w in words {
            let begin = Instant::now();
            while ring.wptr - self.read64(ring.rptr) >= u64::from(ring.dwords) {
                assert!(begin.elapsed() < PATIENCE, "the ring stays full");
                std::thread::yield_now();
            }
            self.write32(ring.base + 4 * (ring.wptr % u64::from(ring.dwords)), w);
            ring.wptr += 1;
        }
        self.gpu.doorbell(ring.id, ring.wptr);
    }

    /// Submits, with a fence behind.
    pub fn submit_fenced(&self, ring: &mut Ring, packets: &[Packet]) {
        ring.fence_value += 1;
        let data = ReleaseData::Value64(ring.fence_value);
        let fence = Packet::ReleaseMem { address: ring.fence, data, interrupt: true };
        let mut all = packets.to_vec();
        all.push(fence);
        self.submit(ring, &all);
    }

    /// Whether the last fence is reached within `limit`.
    pub fn reached(&self, ring: &Ring, limit: Duration) -> bool {
        let begin = Instant::now();
        while self.read64(ring.fence) < ring.fence_value {
            if begin.elapsed() > limit {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    /// Waits for the last fence; a fault of the ring's queue ends the test.
    pub fn wait(&self, ring: &Ring) {
        let begin = Instant::now();
        while !self.reached(ring, Duration::from_millis(100)) {
            self.pump();
            let faults = self.faults.borrow();
            let fault = faults.iter().find(|(queue, _)| *queue == ring.id).map(|(_, f)| f.to_string());
            assert!(fault.is_none(), "{}", fault.unwrap_or_default());
            assert!(begin.elapsed() < PATIENCE, "queue {:?} did not reach its fence", ring.id);
        }
    }

    fn pump(&self) {
        for i in self.interrupts.try_iter() {
            if let Interrupt::Fault { queue, fault } = i {
                self.faults.borrow_mut().push_back((queue, (*fault).clone()));
            }
        }
    }

    pub fn run(&self, ring: &mut Ring, packets: &[Packet]) {
        self.submit_fenced(ring, packets);
        self.wait(ring);
    }

    /// The next fault, with its queue.
    pub fn fault(&self) -> (QueueId, GpuFault) {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            self.pump();
            if let Some(f) = self.faults.borrow_mut().pop_front() {
                return f;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        panic!("no fault was reported")
    }

    /// Takes all faults so far; whether there were any.
    pub fn has_fault(&self) -> bool {
        self.pump();
        self.faults.borrow_mut().drain(..).count() > 0
    }
}

/// SH registers for a kernel with two user SGPRs of address, one of value; `tgid_x` after the address instead of the
/// value if `ids`.
pub fn kernel(code: u64, address: u64, value: u32, items: u32, ids: bool) -> Vec<Packet> {
    let user_sgprs = if ids { 2 } else { 3 };
    let rsrc2 = user_sgprs << 1 | u32::from(ids) << 7;
    vec![
        Packet::SetShReg { reg: reg::COMPUTE_NUM_THREAD_X, values: vec![items, 1, 1] },
        Packet::SetShReg { reg: reg::COMPUTE_PGM_LO, values: vec![(code >> 8) as u32, (code >> 40) as u32] },
        Packet::SetShReg { reg: reg::COMPUTE_PGM_RSRC1, values: vec![0x200f_0000 | 0xf0 << 12, rsrc2] },
        Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values: vec![address as u32, (address >> 32) as u32, value] },
    ]
}

pub const LAUNCH: u32 = initiator::COMPUTE_SHADER_EN | initiator::CS_W32_EN | initiator::FORCE_START_AT_000;

pub fn dispatch(groups: u32) -> Packet {
    Packet::DispatchDirect { groups: [groups, 1, 1], initiator: LAUNCH }
}

/// A kernel and its dispatch.
pub fn launch(code: u64, address: u64, value: u32, groups: u32) -> Vec<Packet> {
    let mut p = kernel(code, address, value, 1, false);
    p.push(dispatch(groups));
    p
}

//! The memory hierarchy in cycles: caches, LDS, address translation, memory and the link to the host.
//!
//! A user hands in an access and hears at once when it is served: each shared unit keeps what it is booked for, and no event
//! is ever waited for. Nothing here holds data; which addresses are touched is all that matters. Times are cycles of the
//! shader clock; calls come in nearly rising order of `now`.
//!
//! - a vector access: [`coalesce`] into lines, the L0 of its compute unit ([`vector`]), then [`shared`]: L1, L2, [`mall`], [`dram`];
//! - scalar data and instructions: [`scalar`], then [`shared`]; all of them ask [`tlb`] first;
//! - [`lds`] and [`dma`] stand alone; [`cache`] and [`slots`] are the parts that all are made of.

mod access;
pub(crate) mod cache;
pub(crate) mod coalesce;
mod dma;
mod dram;
mod lds;
mod mall;
mod scalar;
mod shared;
pub(crate) mod slots;
mod tally;
pub(crate) mod tlb;
mod vector;

pub use access::{Kind, LdsAccess, Level, Met, Reply, ScalarAccess, Texture, VectorAccess};
pub use dma::DmaEnd;
pub use tally::{Sum, Tally, add_each};
pub use wavepipe_isa::row::Invalidate;

use scalar::Caches;
use shared::Shared;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pm4::gcr;
use wavepipe_isa::cache::Cache;

/// Caches, LDS and memory of a whole machine.
pub struct Hierarchy {
    vector: vector::Vector,
    scalar: Caches,
    fetch: Caches,
    lds: lds::Lds,
    tlbs: tlb::Tlbs,
    shared: Shared,
    dma: dma::Dma,
    tally: Tally,
    arrays: usize,
    cus: usize,
    cus_per_wgp: usize,
    /// Cycles of an invalidate: L0, L1, scalar data, instructions, L2.
    invalidate: [u64; 5],
}

impl Hierarchy {
    /// The hierarchy of `machine`, with nothing in its caches.
    pub fn new(machine: &Machine) -> Hierarchy {
        let cus = machine.shape.cus.value as usize;
        let cus_per_wgp = machine.shape.cus_per_wgp.value as usize;
        Hierarchy {
            vector: vector::Vector::new(machine, |cu| machine.array_of_wgp(cu / cus_per_wgp)),
            scalar: Caches::scalar(machine),
            fetch: Caches::fetch(machine),
            lds: lds::Lds::new(machine),
            tlbs: tlb::Tlbs::new(machine, cus + machine.wgps() as usize),
            shared: Shared::new(machine),
            dma: dma::Dma::new(machine),
            tally: Tally::default(),
            arrays: machine.arrays() as usize,
            cus,
            cus_per_wgp,
            invalidate: [
                machine.l0.invalidate.value,
                machine.l1.as_ref().map_or(0, |l1| l1.invalidate.value),
                machine.scalar_cache.invalidate.value,
                machine.fetch.invalidate.value,
                machine.l2.invalidate.value,
            ],
        }
    }

    /// One 32-lane pass of a vector memory instruction of compute unit `cu`, counted over the machine.
    pub fn vector(&mut self, now: u64, cu: usize, access: &VectorAccess) -> Reply {
        self.catch_up(now);
        let mut beyond = vector::Beyond { tlbs: &mut self.tlbs, user: cu, shared: &mut self.shared };
        let reply = self.vector.access(now, cu, access, &mut beyond);
        match access.kind {
            Kind::Load => &mut self.tally.loads,
            Kind::Store => &mut self.tally.stores,
            Kind::Atomic { .. } => &mut self.tally.atomics,
        }
        .add(&reply.met);
        reply
    }

    /// A scalar memory instruction of work-group processor `wgp`.
    pub fn scalar(&mut self, now: u64, wgp: usize, access: ScalarAccess) -> Reply {
        self.catch_up(now);
        let (at, known) = self.tlbs.translate(now, self.cus + wgp, access.at);
        let mut reply = self.scalar.access(at, wgp, &access, &mut self.shared);
        reply.met.tlb_misses += u16::from(!known);
        self.tally.scalar.add(&reply.met);
        reply
    }

    /// The instruction line that holds `va`, for SIMD `simd` of work-group processor `wgp`. `done` is when all of it is in
    /// the SIMD's buffer.
    pub fn fetch(&mut self, now: u64, wgp: usize, simd: usize, va: u64) -> Reply {
        self.catch_up(now);
        let (at, known) = self.tlbs.translate(now, self.cus + wgp, va);
        let line = self.fetch.line_bytes();
        let access = ScalarAccess {
            simd,
            at: va & !(line - 1),
            dwords: (line / 4) as u32,
            kind: Kind::Load,
            cache: Cache::DEFAULT,
        };
        let mut reply = self.fetch.access(at, wgp, &access, &mut self.shared);
        reply.met.tlb_misses += u16::from(!known);
        self.tally.fetch.add(&reply.met);
        reply
    }

    /// One 32-lane pass of an LDS instruction of work-group processor `wgp`; in compute-unit mode it has array `half`.
    pub fn lds(&mut self, now: u64, wgp: usize, half: usize, access: &LdsAccess) -> Reply {
        let reply = self.lds.access(now, wgp, half, access);
        self.tally.lds.add(&reply.met);
        reply
    }

    /// The cache control of ACQUIRE_MEM, bits as [`gcr`] has them: writes back, then invalidates. When that is done.
    pub fn acquire(&mut self, now: u64, gcr_cntl: u32) -> u64 {
        self.catch_up(now);
        let asked = |bits: u32| gcr_cntl & bits != 0;
        let [l0, l1, scalar, fetch, l2] = self.invalidate;
        let mut done = now;
        let (back, forget) = (asked(gcr::GLK_WB), asked(gcr::GLK_INV));
        if back || forget {
            for wgp in 0..self.cus / self.cus_per_wgp {
                done = done.max(self.scalar.flush(now, wgp, back, forget, &mut self.shared) + scalar);
            }
        }
        if asked(gcr::GLI_INV_MASK) {
            (0..self.cus / self.cus_per_wgp).for_each(|wgp| self.fetch.invalidate(wgp));
            done = done.max(now + fetch);
        }
        if asked(gcr::GLV_INV) {
            (0..self.cus).for_each(|cu| self.vector.invalidate(cu));
            done = done.max(now + l0);
        }
        if asked(gcr::GL1_INV) {
            (0..self.arrays).for_each(|array| self.shared.invalidate_l1(array));
            done = done.max(now + l1);
        }
        if asked(gcr::GL2_WB | gcr::GL2_INV) {
            // What scalar caches write back goes on to memory. Dirty lines that are not written back are lost.
            done = self.shared.flush_l2(done, asked(gcr::GL2_WB), asked(gcr::GL2_INV)) + l2;
        }
        done
    }

    /// What an instruction of compute unit `cu` invalidates or writes back. When that is done.
    pub fn invalidate(&mut self, now: u64, cu: usize, what: Invalidate) -> u64 {
        let wgp = cu / self.cus_per_wgp;
        let [l0, l1, scalar, fetch, _] = self.invalidate;
        match what {
            Invalidate::L0 => {
                self.vector.invalidate(cu);
                now + l0
            }
            Invalidate::L1 => {
                self.shared.invalidate_l1(self.vector.array(cu));
                now + l1
            }
            Invalidate::Scalar => self.scalar.flush(now, wgp, false, true, &mut self.shared) + scalar,
            Invalidate::ScalarWriteBack => self.scalar.flush(now, wgp, true, false, &mut self.shared) + scalar,
            Invalidate::Instructions => {
                self.fetch.invalidate(wgp);
                now + fetch
            }
        }
    }

    /// A copy or fill of `bytes` by a copy engine. When the last byte will have arrived.
    pub fn dma(&mut self, now: u64, source: DmaEnd, dest: DmaEnd, bytes: u64) -> u64 {
        self.catch_up(now);
        self.dma.start(now, source, dest, bytes, &mut self.shared, &mut self.tally.dma)
    }

    /// Lets copy engines do what they do until `now`.
    fn catch_up(&mut self, now: u64) {
        if self.dma.next <= now {
            self.dma.catch_up(now, &mut self.shared, &mut self.tally.dma);
        }
    }

    /// Sums since the hierarchy was made. What copy engines will do after the last call is not yet among them.
    pub fn tally(&self) -> Tally {
        Tally {
            write_backs: self.shared.write_backs,
            memory_read: self.shared.beyond().read,
            memory_written: self.shared.beyond().written,
            mall: self.shared.beyond().found,
            ..self.tally
        }
    }
}

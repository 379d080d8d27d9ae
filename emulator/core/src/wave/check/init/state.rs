//! Which bits of a wave's registers are undefined, and what they come from.

use super::origin::OriginId;
use crate::wave::check::registers::RegisterSet;
use crate::wave::regs::set_bits;
use crate::wave::state::{M0, SCC, VCC};

/// A register of all lanes.
pub(super) type LaneBits = [u32; 64];

/// A scalar register that a program writes: an SGPR, VCC or M0. EXEC is always defined, and nobody writes the trap temporaries.
const fn is_kept(n: usize) -> bool {
    n < VCC + 2 || n == M0
}

/// Scalar registers as nobody has written any. Trap temporaries are no program's, and what they hold is nothing: instrumented code takes
/// variables without a value from there.
const UNWRITTEN: [u32; 256] = {
    let mut s = [0; 256];
    let mut n = 0;
    while n <= M0 {
        s[n] = if n == 125 { 0 } else { !0 };
        n += 1;
    }
    s[SCC] = 1;
    s
};

const UNWRITTEN_ORIGINS: [OriginId; 256] = {
    let mut all = [OriginId::register(0); 256];
    let mut n = 0;
    while n < 256 {
        all[n] = OriginId::register(n as u16);
        n += 1;
    }
    all
};

/// Registers that have no undefined bit in any lane are not looked at closer.
pub(super) struct WaveBits {
    /// Lanes that have a work-item: others count as defined.
    pub launched: u64,
    /// Lanes in which a tainted register has an undefined bit.
    v_lanes: Vec<u64>,
    /// The bits of those lanes, of registers that are no longer fresh.
    v: Vec<LaneBits>,
    v_origin: Vec<[OriginId; 64]>,
    /// By source numbers, as the scalar file; constants are defined. SCC is 0 or 1.
    pub s: [u32; 256],
    s_origin: [OriginId; 256],
    tainted: RegisterSet,
    /// VGPRs all of whose undefined bits are those of lanes that nothing was written to.
    fresh: RegisterSet,
}

impl Default for WaveBits {
    fn default() -> Self {
        WaveBits {
            launched: 0,
            v_lanes: Vec::new(),
            v: Vec::new(),
            v_origin: Vec::new(),
            s: [0; 256],
            s_origin: UNWRITTEN_ORIGINS,
            tainted: RegisterSet::default(),
            fresh: RegisterSet::default(),
        }
    }
}

/// What a wave's registers hold when it starts.
#[derive(Clone, Copy, Default)]
pub(super) struct Filled {
    /// SGPRs and VGPRs from the first one.
    pub sgprs: u32,
    pub vgprs: u32,
}

impl WaveBits {
    /// A wave starts with `vgprs` registers.
    pub fn start(&mut self, launched: u64, vgprs: u32, filled: Filled) {
        self.launched = launched;
        self.fresh = RegisterSet::default();
        self.v_lanes.clear();
        self.v_lanes.resize(vgprs as usize, launched);
        self.v.resize(vgprs as usize, [0; 64]);
        self.v_origin.resize(vgprs as usize, [OriginId::default(); 64]);
        self.fresh.put_all(RegisterSet::vgpr_number(filled.vgprs), RegisterSet::vgpr_number(vgprs));
        self.tainted = self.fresh;
        (self.s, self.s_origin) = (UNWRITTEN, UNWRITTEN_ORIGINS);
        self.s[..filled.sgprs as usize].fill(0);
        self.tainted.put_all(filled.sgprs as usize, M0 + 1);
    }

    #[inline(always)]
    pub fn is_tainted(&self, set: &RegisterSet) -> bool {
        self.tainted.meets(set)
    }

    pub fn vgprs(&self) -> u32 {
        self.v.len() as u32
    }

    #[inline(always)]
    pub fn vgpr_is_tainted(&self, n: u32) -> bool {
        self.tainted.has(RegisterSet::vgpr_number(n))
    }

    fn is_fresh(&self, n: u32) -> bool {
        self.fresh.has(RegisterSet::vgpr_number(n))
    }

    #[inline(always)]
    pub fn vgpr(&self, n: u32, lane: usize) -> u32 {
        match self.undefined_lanes(n, !0) >> lane & 1 {
            0 => 0,
            _ if self.is_fresh(n) => !0,
            _ => self.v.get(n as usize).map_or(0, |row| row[lane]),
        }
    }

    pub fn vgpr_origin(&self, n: u32, lane: usize) -> OriginId {
        match self.v_origin.get(n as usize) {
            _ if self.is_fresh(n) => OriginId::register(256 + n as u16),
            row => row.map_or_else(OriginId::default, |row| row[lane]),
        }
    }

    pub fn row(&self, n: u32) -> LaneBits {
        std::array::from_fn(|lane| self.vgpr(n, lane))
    }

    /// Lanes of `mask` in which the register has undefined bits.
    #[inline(always)]
    pub fn undefined_lanes(&self, n: u32, mask: u64) -> u64 {
        match self.vgpr_is_tainted(n) {
            true => self.v_lanes.get(n as usize).map_or(0, |lanes| lanes & mask),
            false => 0,
        }
    }

    /// Whether one of these registers is undefined, of VGPRs in a lane of `mask`.
    #[inline(never)]
    pub fn is_undefined(&self, set: &RegisterSet, mask: u64) -> bool {
        self.tainted.and(set).iter().any(|n| match RegisterSet::vgpr_of(n) {
            Some(v) => self.undefined_lanes(v, mask) != 0,
            None => true,
        })
    }

    /// The lanes of `mask` become defined.
    #[inline(always)]
    pub fn define(&mut self, n: u32, mask: u64) {
        if self.vgpr_is_tainted(n)
            && let Some(lanes) = self.v_lanes.get_mut(n as usize)
        {
            *lanes &= !mask;
            if *lanes == 0 {
                self.tainted.put(RegisterSet::vgpr_number(n), false);
                self.fresh.put(RegisterSet::vgpr_number(n), false);
            }
        }
    }

    /// The lanes of `mask` get these bits and origins.
    pub fn put(&mut self, n: u32, mask: u64, bits: &LaneBits, origin: &[OriginId; 64]) {
        let (at, number) = (n as usize, RegisterSet::vgpr_number(n));
        let Some(row) = self.v.get_mut(at) else { return };
        let mut left = if self.tainted.has(number) { self.v_lanes[at] & !mask } else { 0 };
        if self.fresh.has(number) {
            (*row, self.v_origin[at]) = ([!0; 64], [OriginId::register(256 + n as u16); 64]);
            self.fresh.put(number, false);
        }
        for lane in set_bits(mask).filter(|lane| bits[*lane] != 0) {
            left |= 1 << lane;
            (row[lane], self.v_origin[at][lane]) = (bits[lane], origin[lane]);
        }
        self.v_lanes[at] = left;
        self.tainted.put(number, left != 0);
    }

    pub fn scalar_origin(&self, n: usize) -> OriginId {
        self.s_origin.get(n).copied().unwrap_or_default()
    }

    /// A scalar register gets these undefined bits. EXEC has none, and what goes nowhere stays there.
    pub fn put_scalar(&mut self, n: usize, bits: u32, origin: OriginId) {
        if n == SCC {
            (self.s[SCC], self.s_origin[SCC]) = (u32::from(bits != 0), origin);
        } else if is_kept(n) {
            (self.s[n], self.s_origin[n]) = (bits, origin);
            self.tainted.put(n, bits != 0);
        }
    }

    /// Registers and lanes that an instruction writes become defined.
    #[inline(always)]
    pub fn define_all(&mut self, writes: &RegisterSet, mask: u64) {
        if self.tainted.meets(writes) {
            self.define_these(writes, mask);
        }
    }

    #[inline(never)]
    fn define_these(&mut self, writes: &RegisterSet, mask: u64) {
        for n in self.tainted.and(writes).iter() {
            match RegisterSet::vgpr_of(n) {
                Some(v) => self.define(v, mask),
                None => self.put_scalar(n, 0, OriginId::default()),
            }
        }
    }
}

//! Which bits of a wave's registers are undefined, and what they come from.

use super::origin::OriginId;
use crate::wave::check::registers::RegisterSet;
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
    /// Of registers that are tainted and no longer fresh.
    v: Vec<LaneBits>,
    v_origin: Vec<[OriginId; 64]>,
    /// By source numbers, as the scalar file; constants are defined. SCC is 0 or 1.
    pub s: [u32; 256],
    s_origin: [OriginId; 256],
    tainted: RegisterSet,
    /// VGPRs that nothing was written to.
    fresh: RegisterSet,
}

impl Default for WaveBits {
    fn default() -> Self {
        WaveBits {
            launched: 0,
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
        self.tainted = RegisterSet::default();
        self.fresh = RegisterSet::default();
        self.v.resize(vgprs as usize, [0; 64]);
        self.v_origin.resize(vgprs as usize, [OriginId::default(); 64]);
        for n in filled.vgprs..vgprs {
            self.tainted.put(RegisterSet::vgpr_number(n), true);
            self.fresh.put(RegisterSet::vgpr_number(n), true);
        }
        (self.s, self.s_origin) = (UNWRITTEN, UNWRITTEN_ORIGINS);
        self.s[..filled.sgprs as usize].fill(0);
        (filled.sgprs as usize..=M0).filter(|n| UNWRITTEN[*n] != 0).for_each(|n| self.tainted.put(n, true));
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
        match self.v.get(n as usize) {
            _ if !self.vgpr_is_tainted(n) => 0,
            _ if self.is_fresh(n) => 0u32.wrapping_sub((self.launched >> lane & 1) as u32),
            row => row.map_or(0, |row| row[lane]),
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
    pub fn undefined_lanes(&self, n: u32, mask: u64) -> u64 {
        if !self.vgpr_is_tainted(n) {
            return 0;
        }
        lanes(mask).filter(|lane| self.vgpr(n, *lane) != 0).fold(0, |m, lane| m | 1 << lane)
    }

    /// The register's row, to be written in part. `false`: there is none.
    fn unfold(&mut self, n: u32) -> bool {
        let (at, number) = (n as usize, RegisterSet::vgpr_number(n));
        if at >= self.v.len() {
            return false;
        }
        if !self.tainted.has(number) {
            self.v[at] = [0; 64];
        } else if self.fresh.has(number) {
            self.v[at] = self.row(n);
            self.v_origin[at] = [OriginId::register(256 + n as u16); 64];
            self.fresh.put(number, false);
        }
        true
    }

    /// The lanes of `mask` become defined.
    #[inline(always)]
    pub fn define(&mut self, n: u32, mask: u64) {
        if !self.vgpr_is_tainted(n) {
            return;
        }
        if mask & self.launched == self.launched {
            self.tainted.put(RegisterSet::vgpr_number(n), false);
            self.fresh.put(RegisterSet::vgpr_number(n), false);
            return;
        }
        self.define_some(n, mask);
    }

    #[inline(never)]
    fn define_some(&mut self, n: u32, mask: u64) {
        if self.unfold(n) {
            let row = &mut self.v[n as usize];
            (0..64).for_each(|lane| row[lane] &= ((mask >> lane & 1) as u32).wrapping_sub(1));
            let left = row.iter().fold(0, |all, u| all | u) != 0;
            self.tainted.put(RegisterSet::vgpr_number(n), left);
        }
    }

    /// The lanes of `mask` get these bits and origins.
    pub fn put(&mut self, n: u32, mask: u64, bits: &LaneBits, origin: &[OriginId; 64]) {
        if !self.unfold(n) {
            return;
        }
        let (row, from) = (&mut self.v[n as usize], &mut self.v_origin[n as usize]);
        for lane in lanes(mask) {
            row[lane] = bits[lane];
            if bits[lane] != 0 {
                from[lane] = origin[lane];
            }
        }
        let left = row.iter().fold(0, |all, u| all | u) != 0;
        self.tainted.put(RegisterSet::vgpr_number(n), left);
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

/// Set bits, lowest first.
#[inline(always)]
pub(super) fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}

//! Memory instructions of the plain machine: lanes in ascending order, bytes one by one. Which operation an opcode is
//! stands here by the opcode numbers of the ISA document's tables, not by the rows' data.

use super::exact::{F32, F64, Format, NEAREST, Num};
use super::machine::{Machine, Stop};
use wavepipe_isa::instr::Flags;
use wavepipe_isa::insts as i;
use wavepipe_isa::row::{Format as Family, Ty};
use wavepipe_isa::{Gen, Instr, Op, Src};

pub fn step(m: &mut Machine, instr: &Instr) -> Result<(), Stop> {
    match instr.op.row().format {
        Family::Ds => ds(m, instr),
        Family::Smem => smem(m, instr),
        Family::Global | Family::Flat => vmem(m, instr),
        Family::Mubuf => mubuf(m, instr),
        _ => Err(Stop::Unknown(instr.op)),
    }
}

/// The bytes behind an address.
enum BytesAt {
    Lds(u64),
    Memory(u64),
}

impl BytesAt {
    /// Atomics fault elsewhere.
    fn aligned(&self, bytes: u64) -> Result<(), Stop> {
        let (BytesAt::Lds(a) | BytesAt::Memory(a)) = *self;
        if a % bytes == 0 { Ok(()) } else { Err(Stop::Wild) }
    }
}

impl Machine {
    fn load(&self, at: &BytesAt, n: u64) -> Result<u8, Stop> {
        match at {
            BytesAt::Lds(a) => self.lds.get((a + n) as usize),
            BytesAt::Memory(a) => self.memory.get(a.wrapping_add(n).wrapping_sub(self.base) as usize),
        }
        .copied()
        .ok_or(Stop::Wild)
    }

    /// Whether M0 cuts an access to LDS off, as it does on GCN 1 and 2; nobody says what becomes of one that it cuts in two.
    fn cut_off(&self, at: &BytesAt, skip: u64, bytes: u64) -> Result<bool, Stop> {
        let (BytesAt::Lds(a), Gen::Gfx600 | Gen::Gfx701) = (at, self.isa) else { return Ok(false) };
        let (first, end) = (a + skip, u64::from(self.s[124]));
        if first < end && first + bytes > end { Err(Stop::Open) } else { Ok(first >= end) }
    }

    /// `bytes` (up to 8) from `skip` on, the lowest first.
    fn read(&self, at: &BytesAt, skip: u64, bytes: u64) -> Result<u64, Stop> {
        if self.cut_off(at, skip, bytes)? {
            return Ok(0);
        }
        (0..bytes).try_fold(0, |v, n| Ok(v | u64::from(self.load(at, skip + n)?) << (8 * n)))
    }

    fn write(&mut self, at: &BytesAt, skip: u64, bytes: u64, value: u64) -> Result<(), Stop> {
        if self.cut_off(at, skip, bytes)? {
            return Ok(());
        }
        for n in 0..bytes {
            let to = match at {
                BytesAt::Lds(a) => self.lds.get_mut((a + skip + n) as usize),
                BytesAt::Memory(a) => self.memory.get_mut(a.wrapping_add(skip + n).wrapping_sub(self.base) as usize),
            };
            *to.ok_or(Stop::Wild)? = (value >> (8 * n)) as u8;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Atomic {
    Swap,
    CmpSwap,
    Add,
    Sub,
    Rsub,
    SMin,
    UMin,
    SMax,
    UMax,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    FCmpSwap,
    FMin,
    FMax,
    FAdd,
    MaskOr,
    Wrap,
    SubClamp,
}

/// What memory becomes; `x` and `y` are the first and second data operands as the DS documentation names them (for the
/// compare-and-swaps: the value to compare with, the new value).
fn atomic(op: Atomic, old: u64, x: u64, y: u64, bytes: u64) -> u64 {
    let bits = 8 * bytes;
    let f: Format = if bytes == 8 { F64 } else { F32 };
    let signed = |v: u64| (v << (64 - bits)) as i64;
    let less = |a: u64, b: u64| Num::of(a, f).compare(Num::of(b, f)) == Some(std::cmp::Ordering::Less);
    match op {
        Atomic::Swap => x,
        Atomic::CmpSwap => {
            if old == x {
                y
            } else {
                old
            }
        }
        Atomic::Add => old.wrapping_add(x),
        Atomic::Sub => old.wrapping_sub(x),
        Atomic::Rsub => x.wrapping_sub(old),
        Atomic::SMin => {
            if signed(x) < signed(old) {
                x
            } else {
                old
            }
        }
        Atomic::UMin => old.min(x),
        Atomic::SMax => {
            if signed(x) > signed(old) {
                x
            } else {
                old
            }
        }
        Atomic::UMax => old.max(x),
        Atomic::And => old & x,
        Atomic::Or => old | x,
        Atomic::Xor => old ^ x,
        Atomic::Inc => {
            if old >= x {
                0
            } else {
                old + 1
            }
        }
        Atomic::Dec => {
            if old == 0 || old > x {
                x
            } else {
                old - 1
            }
        }
        Atomic::FCmpSwap => {
            let equal = Num::of(old, f).compare(Num::of(x, f)) == Some(std::cmp::Ordering::Equal);
            if equal { y } else { old }
        }
        // A NaN in memory gives way.
        Atomic::FMin => {
            if less(x, old) || f.is_nan(old) {
                x
            } else {
                old
            }
        }
        Atomic::FMax => {
            if less(old, x) || f.is_nan(old) {
                x
            } else {
                old
            }
        }
        Atomic::FAdd => Num::of(old, f).add(Num::of(x, f), NEAREST).pack(f, NEAREST, true),
        Atomic::SubClamp => old.saturating_sub(x),
        Atomic::MaskOr => old & !x | y,
        Atomic::Wrap => {
            if old >= x {
                old.wrapping_sub(x)
            } else {
                old.wrapping_add(y)
            }
        }
    }
}

fn sign_extended(v: u64, bits: u64) -> u32 {
    ((v << (64 - bits)) as i64 >> (64 - bits)) as u32
}

/// A load of less than a dword, or of dwords: bits, signed, dwords.
fn load_shape(n: u16) -> Option<(u64, bool, u32)> {
    Some(match n {
        8 => (8, false, 1),
        9 => (8, true, 1),
        10 => (16, false, 1),
        11 => (16, true, 1),
        12 => (32, false, 1),
        13 => (32, false, 2),
        14 => (32, false, 4),
        15 => (32, false, 3),
        _ => return None,
    })
}

/// FLAT and GLOBAL.
fn vmem(m: &mut Machine, instr: &Instr) -> Result<(), Stop> {
    let row = instr.op.row();
    let (vaddr, saddr, vdata, vdst) = (instr.src[0], instr.src[1], instr.src[2], instr.dst[0]);
    let based = row.format == Family::Global && saddr != Src::NONE && saddr.0 != 125;
    let address = |m: &Machine, lane: u32| {
        let a = if based {
            let base = m.scalar(saddr, Ty::B64, 0);
            base.wrapping_add(m.vgprs(vaddr.vgpr(), 1, lane) as u64)
        } else {
            m.vgprs(vaddr.vgpr(), 2, lane) as u64
        };
        BytesAt::Memory(a.wrapping_add_signed(i64::from(instr.imm)))
    };
    move_lanes(m, instr, opcode(instr.op), vdst, vdata, instr.cache.returns, address)
}

/// GCN 1's and 2's buffers with whole addresses.
fn mubuf(m: &mut Machine, instr: &Instr) -> Result<(), Stop> {
    let n = instr.src[1].0 as usize;
    let base = u64::from(m.s[n]) | u64::from(m.s[n + 1] & 0xffff) << 32;
    let base = base.wrapping_add(m.scalar(instr.src[2], Ty::B32, 0)).wrapping_add(instr.imm as u64);
    let vaddr = instr.src[0].vgpr();
    let address = |m: &Machine, lane: u32| BytesAt::Memory(base.wrapping_add(m.vgprs(vaddr, 2, lane) as u64));
    let (to, from) = (instr.dst[0], instr.src[3]);
    if !instr.flags.contains(Flags::ADDR64) {
        return Err(Stop::Unknown(instr.op));
    }
    move_lanes(m, instr, opcode(instr.op), to, from, instr.cache.returns, address)
}

/// A row's number on gfx10, where the tables of all families agree; RDNA 2 and GCN 1 have a few more, with numbers of the same order.
pub(crate) fn opcode(op: Op) -> u16 {
    let number = |isa| op.row().encoding(isa).map(|e| e.opcode);
    let others = || number(Gen::Gfx1030).or_else(|| number(Gen::Gfx600));
    number(Gen::Gfx1010).or_else(others).unwrap_or(u16::MAX)
}

/// The opcodes that FLAT, GLOBAL, SCRATCH and MUBUF share.
fn move_lanes(
    m: &mut Machine,
    instr: &Instr,
    opcode: u16,
    vdst: Src,
    vdata: Src,
    glc: bool,
    address: impl Fn(&Machine, u32) -> BytesAt,
) -> Result<(), Stop> {
    let before = m.clone();
    for lane in before.active_lanes() {
        let at = address(&before, lane);
        let data = |k: u32| before.v[(vdata.vgpr() + k) as usize][lane as usize];
        match opcode {
            8..=15 => {
                let (bits, signed, dwords) = load_shape(opcode).ok_or(Stop::Unknown(instr.op))?;
                for k in 0..dwords {
                    let v = before.read(&at, 4 * u64::from(k), bits / 8)?;
                    m.set_vector(vdst.vgpr() + k, lane, if signed { sign_extended(v, bits) } else { v as u32 });
                }
            }
            24 => m.write(&at, 0, 1, data(0).into())?,
            25 => m.write(&at, 0, 1, u64::from(data(0) >> 16))?,
            26 => m.write(&at, 0, 2, data(0).into())?,
            27 => m.write(&at, 0, 2, u64::from(data(0) >> 16))?,
            28..=31 => {
                let dwords = [1, 2, 4, 3][usize::from(opcode) - 28];
                for k in 0..dwords {
                    m.write(&at, 4 * u64::from(k), 4, data(k).into())?;
                }
            }
            // D16: unsigned byte, its high, signed byte, its high, short, its high.
            32..=37 => {
                let bits = if opcode < 36 { 8 } else { 16 };
                let v = before.read(&at, 0, bits / 8)?;
                let half = if matches!(opcode, 34 | 35) { sign_extended(v, 8) & 0xffff } else { v as u32 };
                d16(m, vdst.vgpr(), lane, half, opcode % 2 == 1);
            }
            0x30..=0x60 => {
                let wide = opcode >= 0x50;
                let op = match opcode - if wide { 0x50 } else { 0x30 } {
                    0x4 => Atomic::SubClamp,
                    0x0 => Atomic::Swap,
                    0x1 => Atomic::CmpSwap,
                    0x2 => Atomic::Add,
                    0x3 => Atomic::Sub,
                    0x5 => Atomic::SMin,
                    0x6 => Atomic::UMin,
                    0x7 => Atomic::SMax,
                    0x8 => Atomic::UMax,
                    0x9 => Atomic::And,
                    0xa => Atomic::Or,
                    0xb => Atomic::Xor,
                    0xc => Atomic::Inc,
                    0xd => Atomic::Dec,
                    0xe => Atomic::FCmpSwap,
                    0xf => Atomic::FMin,
                    0x10 => Atomic::FMax,
                    _ => return Err(Stop::Unknown(instr.op)),
                };
                let bytes = if wide { 8 } else { 4 };
                let words = bytes as u32 / 4;
                let value = |n: u32| before.vgprs(vdata.vgpr() + n * words, words, lane) as u64;
                at.aligned(bytes)?;
                let old = m.read(&at, 0, bytes)?;
                // The first operand is the new value, the second what to compare with.
                let compares = matches!(op, Atomic::CmpSwap | Atomic::FCmpSwap);
                let (x, y) = if compares { (value(1), value(0)) } else { (value(0), 0) };
                m.write(&at, 0, bytes, atomic(op, old, x, y, bytes))?;
                if glc {
                    for k in 0..words {
                        m.set_vector(vdst.vgpr() + k, lane, (old >> (32 * k)) as u32);
                    }
                }
            }
            _ => return Err(Stop::Unknown(instr.op)),
        }
    }
    Ok(())
}

fn d16(m: &mut Machine, vgpr: u32, lane: u32, half: u32, high: bool) {
    let old = m.v[vgpr as usize][lane as usize];
    m.set_vector(vgpr, lane, if high { old & 0xffff | half << 16 } else { old & 0xffff_0000 | half & 0xffff });
}

fn smem(m: &mut Machine, instr: &Instr) -> Result<(), Stop> {
    let dwords = match opcode(instr.op) {
        n @ 0..=4 => 1u32 << n,
        n @ 8..=12 => 1 << (n - 8),
        // Cache maintenance.
        0x1f..=0x21 => return Ok(()),
        _ => return Err(Stop::Unknown(instr.op)),
    };
    // GCN 1 and 2 count constants in dwords.
    let unit = if matches!(m.isa, Gen::Gfx600 | Gen::Gfx701) { 4 } else { 1 };
    let soffset = match instr.src[1] {
        Src::NONE => 0,
        Src::LITERAL => unit * u64::from(instr.literal),
        s => m.scalar(s, Ty::B32, 0),
    };
    let offset = soffset.wrapping_add_signed(unit as i64 * i64::from(instr.imm));
    let mut words = Vec::new();
    for k in 0..u64::from(dwords) {
        let word = if opcode(instr.op) < 8 {
            let at = (m.scalar(instr.src[0], Ty::B64, 0).wrapping_add(offset) & !3) + 4 * k;
            m.read(&BytesAt::Memory(at), 0, 4)?
        } else {
            // V#: base 47:0, stride 61:48, records 95:64.
            let n = instr.src[0].0 as usize;
            let v = [m.s[n], m.s[n + 1], m.s[n + 2]].map(u64::from);
            let base = v[0] | (v[1] & 0xffff) << 32;
            let stride = v[1] >> 16 & 0x3fff;
            let size = if stride == 0 { v[2] } else { v[2] * stride };
            let at = (offset & !3) + 4 * k;
            if at + 4 <= size { m.read(&BytesAt::Memory(base + at), 0, 4)? } else { 0 }
        };
        words.push(word);
    }
    for (k, word) in words.into_iter().enumerate() {
        m.set_scalar(Src(instr.dst[0].0 + if instr.dst[0].0 == 125 { 0 } else { k as u16 }), word, 1);
    }
    Ok(())
}

fn ds(m: &mut Machine, instr: &Instr) -> Result<(), Stop> {
    let opcode = opcode(instr.op);
    let offset = instr.imm as u32 & 0xffff;
    let (offset0, offset1) = (u64::from(offset & 0xff), u64::from(offset >> 8));
    let dst = instr.dst[0];
    let before = m.clone();
    match instr.op {
        i::DS_NOP => return Ok(()),
        i::DS_SWIZZLE_B32 | i::DS_PERMUTE_B32 | i::DS_BPERMUTE_B32 => {
            lanes(m, instr, &before, offset);
            return Ok(());
        }
        _ => {}
    }
    for lane in before.active_lanes() {
        let data = |slot: usize, bytes: u64| {
            let src = instr.src[slot];
            if src.is_vgpr() { before.vgprs(src.vgpr(), bytes as u32 / 4, lane) as u64 } else { 0 }
        };
        let word = |slot: usize, k: u32| before.v[(instr.src[slot].vgpr() + k) as usize][lane as usize];
        let addr = if instr.src[0].is_vgpr() { before.vgprs(instr.src[0].vgpr(), 1, lane) as u32 } else { 0 };
        let at = BytesAt::Lds(u64::from(addr.wrapping_add(offset)));
        let second = |bytes: u64, st64: bool| {
            let step = bytes * if st64 { 64 } else { 1 };
            [offset0, offset1].map(|o| BytesAt::Lds(u64::from(addr.wrapping_add((o * step) as u32))))
        };
        let put = |m: &mut Machine, first: u32, v: u64, bytes: u64| {
            for k in 0..(bytes as u32).div_ceil(4) {
                m.set_vector(dst.vgpr() + first + k, lane, (v >> (32 * k)) as u32);
            }
        };
        // Opcodes below 128: bit 5 says that the value before comes back, bit 6 that operands have 64 bits.
        let bytes = if opcode & 0x40 != 0 && opcode != 85 { 8 } else { 4 };
        match opcode {
            13 | 77 => m.write(&at, 0, bytes, data(1, bytes))?,
            14 | 15 | 78 | 79 => {
                for (k, at) in second(bytes, opcode & 1 == 1).into_iter().enumerate() {
                    m.write(&at, 0, bytes, data(1 + k, bytes))?;
                }
            }
            30 => m.write(&at, 0, 1, data(1, 4))?,
            31 => m.write(&at, 0, 2, data(1, 4))?,
            46 | 47 | 110 | 111 => {
                for (k, at) in second(bytes, opcode & 1 == 1).into_iter().enumerate() {
                    let old = before.read(&at, 0, bytes)?;
                    m.write(&at, 0, bytes, data(1 + k, bytes))?;
                    put(m, k as u32 * bytes as u32 / 4, old, bytes);
                }
            }
            54 | 118 => put(m, 0, before.read(&at, 0, bytes)?, bytes),
            55 | 56 | 119 | 120 => {
                for (k, at) in second(bytes, opcode & 1 == 0).into_iter().enumerate() {
                    put(m, k as u32 * bytes as u32 / 4, before.read(&at, 0, bytes)?, bytes);
                }
            }
            57 => put(m, 0, sign_extended(before.read(&at, 0, 1)?, 8).into(), 4),
            58 => put(m, 0, before.read(&at, 0, 1)?, 4),
            59 => put(m, 0, sign_extended(before.read(&at, 0, 2)?, 16).into(), 4),
            60 => put(m, 0, before.read(&at, 0, 2)?, 4),
            160 => m.write(&at, 0, 1, u64::from(word(1, 0) >> 16))?,
            161 => m.write(&at, 0, 2, u64::from(word(1, 0) >> 16))?,
            162..=167 => {
                let v = before.read(&at, 0, if opcode < 166 { 1 } else { 2 })?;
                let half = if matches!(opcode, 164 | 165) { sign_extended(v, 8) & 0xffff } else { v as u32 };
                d16(m, dst.vgpr(), lane, half, opcode & 1 == 1);
            }
            222 | 223 => {
                for k in 0..u32::from(opcode) - 219 {
                    m.write(&at, 4 * u64::from(k), 4, word(1, k).into())?;
                }
            }
            254 | 255 => {
                for k in 0..u32::from(opcode) - 251 {
                    let v = before.read(&at, 4 * u64::from(k), 4)?;
                    m.set_vector(dst.vgpr() + k, lane, v as u32);
                }
            }
            0..=127 => {
                let returns = opcode & 0x20 != 0 || opcode == 85;
                let op = match opcode & 0x1f {
                    0 => Atomic::Add,
                    1 => Atomic::Sub,
                    2 => Atomic::Rsub,
                    3 => Atomic::Inc,
                    4 => Atomic::Dec,
                    5 => Atomic::SMin,
                    6 => Atomic::SMax,
                    7 => Atomic::UMin,
                    8 => Atomic::UMax,
                    9 => Atomic::And,
                    10 => Atomic::Or,
                    11 => Atomic::Xor,
                    12 => Atomic::MaskOr,
                    13 => Atomic::Swap,
                    16 => Atomic::CmpSwap,
                    17 => Atomic::FCmpSwap,
                    18 => Atomic::FMin,
                    19 => Atomic::FMax,
                    20 if opcode == 52 => Atomic::Wrap,
                    21 => Atomic::FAdd,
                    _ => return Err(Stop::Unknown(instr.op)),
                };
                at.aligned(bytes)?;
                let old = m.read(&at, 0, bytes)?;
                let new = atomic(op, old, data(1, bytes), data(2, bytes), bytes);
                if op == Atomic::FAdd && F32.is_nan(new) {
                    return Err(Stop::Open);
                }
                m.write(&at, 0, bytes, new)?;
                if returns {
                    put(m, 0, old, bytes);
                }
            }
            _ => return Err(Stop::Unknown(instr.op)),
        }
    }
    Ok(())
}

/// DS_SWIZZLE, DS_PERMUTE, DS_BPERMUTE: each half of a wave64 by itself; inactive lanes give zero.
fn lanes(m: &mut Machine, instr: &Instr, before: &Machine, offset: u32) {
    let dst = instr.dst[0].vgpr();
    let word = |src: Src, lane: u32| before.v[src.vgpr() as usize][lane as usize];
    let half = |lane: u32| lane / 32 * 32;
    // Of all lanes on GCN 5, of each half on RDNA.
    let all = if m.isa == Gen::Gfx900 { 64 } else { 32 };
    let group = |lane: u32| lane / all * all;
    if instr.op == i::DS_PERMUTE_B32 {
        let mut out = [0; 64];
        for lane in before.active_lanes() {
            let to = word(instr.src[0], lane).wrapping_add(offset) / 4 % all;
            out[(group(lane) + to) as usize] = word(instr.src[1], lane);
        }
        for lane in before.active_lanes() {
            m.set_vector(dst, lane, out[lane as usize]);
        }
        return;
    }
    for lane in before.active_lanes() {
        let n = lane % 32;
        if instr.op == i::DS_BPERMUTE_B32 {
            let from = group(lane) + word(instr.src[0], lane).wrapping_add(offset) / 4 % all;
            m.set_vector(dst, lane, if before.active(from) { word(instr.src[1], from) } else { 0 });
            continue;
        }
        let (from, data) = {
            let from = if offset >= 0xc000 {
                // Rotation: bit 10 to the other side, by bits 9:5; lanes that the mask 4:0 names keep their bits.
                let (mask, by) = (offset & 31, offset >> 5 & 31);
                let turned = if offset >> 10 & 1 != 0 { n + 32 - by } else { n + by };
                n & mask | turned & !mask
            } else if offset & 0x8000 != 0 {
                n / 4 * 4 + (offset >> (2 * (n % 4)) & 3)
            } else {
                ((n & offset & 31) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)
            };
            (from % 32, instr.src[0])
        };
        let from = half(lane) + from;
        m.set_vector(dst, lane, if before.active(from) { word(data, from) } else { 0 });
    }
}

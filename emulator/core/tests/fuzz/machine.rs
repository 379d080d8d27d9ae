//! The plain machine: one wave's architectural state, one instruction and one lane at a time, after the RDNA 1 ISA
//! document. It takes from the product only the decoder and the rows' operand types; what an instruction does is written
//! here and beside ([`super::scalar`], [`super::vector`], [`super::memory`]).

use super::exact::{F16, F32, F64, Format};
use super::float::Mode;
use super::transcendental::Answer;
use super::{memory, modifiers, scalar, vector};
use wavepipe_isa::instr::Extra;
use wavepipe_isa::insts::{self as i, Op};
use wavepipe_isa::legal::Access;
use wavepipe_isa::row::{Format as Family, Ty};
use wavepipe_isa::{Gen, Instr, Src, decode};

const VCC: usize = 106;
pub const M0: usize = 124;
const NULL: u16 = 125;
const EXEC: usize = 126;

/// A float result that the architecture does not fix to the bit: a NaN's sign and payload, or a bounded error.
#[derive(Clone, Copy, Debug)]
pub struct Loose {
    pub vgpr: u32,
    pub lane: u32,
    /// Where in the register (pair) the float stands.
    pub shift: u32,
    pub format: Format,
    /// Lowest and highest admissible bits; `None`: any NaN.
    pub bounds: Option<(u64, u64)>,
}

#[derive(Clone)]
pub struct Machine {
    pub isa: Gen,
    /// 32 or 64.
    pub lanes: u32,
    /// By operand number: VCC, TTMP, M0 and EXEC among them.
    pub s: [u32; 128],
    pub v: Vec<[u32; 64]>,
    pub scc: bool,
    pub mode: u32,
    pub pc: u64,
    pub ended: bool,
    pub lds: Vec<u8>,
    /// The guest memory that programs may touch, from address `base`.
    pub base: u64,
    pub memory: Vec<u8>,
    pub code_va: u64,
    pub code: Vec<u32>,
    /// Registers that the last instruction wrote.
    pub wrote_v: Vec<u32>,
    pub wrote_s: Vec<u32>,
    pub loose: Vec<Loose>,
}

/// A comparison's number, in which type and relation stand: gfx10's, or GCN 1's for what gfx10 lacks (the same order), or GCN 5's
/// behind bit 8.
fn comparison(op: Op) -> u16 {
    let number = |isa| op.row().encoding(isa).map(|e| e.opcode);
    number(Gen::Gfx1010)
        .or_else(|| number(Gen::Gfx600))
        .or_else(|| number(Gen::Gfx900).map(|n| n | 0x100))
        .unwrap_or(u16::MAX)
}

/// Why the plain machine cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// No meaning for this row.
    Unknown(Op),
    Undecodable,
    /// A memory access that would fault.
    Wild,
    /// What follows is not defined: a NaN of free payload went to memory, an index left its registers.
    Open,
}

impl Machine {
    pub fn exec(&self) -> u64 {
        self.mask(EXEC)
    }

    pub fn active(&self, lane: u32) -> bool {
        self.exec() >> lane & 1 != 0
    }

    pub fn active_lanes(&self) -> Vec<u32> {
        (0..self.lanes).filter(|&l| self.active(l)).collect()
    }

    /// A lane mask: one SGPR in wave32, two in wave64.
    pub fn mask(&self, n: usize) -> u64 {
        if n == NULL as usize {
            return 0;
        }
        let high = if self.lanes == 64 { u64::from(self.s[n + 1]) << 32 } else { 0 };
        u64::from(self.s[n]) | high
    }

    pub fn set_mask(&mut self, n: Src, m: u64) {
        self.set_scalar(n, m, self.lanes / 32);
    }

    /// Writes `dwords` SGPRs; NULL swallows them.
    pub fn set_scalar(&mut self, n: Src, value: u64, dwords: u32) {
        if n.0 == NULL || n == Src::NONE {
            return;
        }
        for k in 0..dwords {
            self.s[n.0 as usize + k as usize] = (value >> (32 * k)) as u32;
            self.wrote_s.push(u32::from(n.0) + k);
        }
    }

    pub fn set_vector(&mut self, n: u32, lane: u32, value: u32) {
        self.v[n as usize][lane as usize] = value;
        if !self.wrote_v.contains(&n) {
            self.wrote_v.push(n);
        }
    }

    /// A scalar, constant or literal operand of a type.
    pub fn scalar(&self, src: Src, ty: Ty, literal: u32) -> u64 {
        let two = ty.dwords(self.lanes) >= 2;
        let sixteen = matches!(ty, Ty::F16 | Ty::PkF16);
        let float = |v: f32| match () {
            _ if two => f64::from(v).to_bits(),
            _ if sixteen => super::exact::Num::of(u64::from(v.to_bits()), F32).pack(F16, 0, true),
            _ => u64::from(v.to_bits()),
        };
        let integer = |v: i64| if two { v as u64 } else { u64::from(v as u32) };
        match src.0 {
            NULL => 0,
            n @ 0..=127 => {
                let low = u64::from(self.s[n as usize]);
                if two { low | u64::from(self.s[n as usize + 1]) << 32 } else { low }
            }
            n @ 128..=192 => integer(i64::from(n) - 128),
            n @ 193..=208 => integer(192 - i64::from(n)),
            n @ 240..=247 => float([0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0][n as usize - 240]),
            // 1/(2π), each width's own rounding.
            248 if two => 0x3fc4_5f30_6dc9_c882,
            248 if sixteen => 0x3118,
            248 => 0x3e22_f983,
            251 => u64::from(self.mask(VCC) == 0),
            252 => u64::from(self.exec() == 0),
            253 => u64::from(self.scc),
            255 => match ty {
                Ty::F64 => u64::from(literal) << 32,
                Ty::I64 => literal as i32 as i64 as u64,
                _ => u64::from(literal),
            },
            _ => 0,
        }
    }

    /// `dwords` registers from VGPR `n` in a lane, as one number.
    pub fn vgprs(&self, n: u32, dwords: u32, lane: u32) -> u128 {
        (0..dwords).fold(0, |v, k| v | u128::from(self.v[(n + k) as usize][lane as usize]) << (32 * k))
    }

    pub fn source(&self, src: Src, ty: Ty, literal: u32, lane: u32) -> u128 {
        if src.is_vgpr() {
            self.vgprs(src.vgpr(), ty.dwords(self.lanes).max(1), lane)
        } else {
            self.scalar(src, ty, literal).into()
        }
    }

    /// The instruction at `pc`, and its size in bytes.
    pub fn fetch(&self) -> Result<(Instr, u64), Stop> {
        let at = (self.pc.wrapping_sub(self.code_va) / 4) as usize;
        let words = self.code.get(at..).ok_or(Stop::Undecodable)?;
        let (instr, dwords) = decode::decode(words, self.isa).map_err(|_| Stop::Undecodable)?;
        Ok((instr, 4 * dwords as u64))
    }

    /// Executes the instruction at `pc`.
    pub fn step(&mut self) -> Result<(), Stop> {
        self.wrote_s.clear();
        self.wrote_v.clear();
        self.loose.clear();
        let (instr, bytes) = self.fetch()?;
        let beyond = |a: &Access| a.reg.is_vgpr() && (a.reg.vgpr() + a.dwords) as usize > self.v.len();
        if instr.uses(self.lanes).chain(instr.defs(self.lanes)).any(|a| beyond(&a)) {
            return Err(Stop::Unknown(instr.op));
        }
        let next = self.pc + bytes;
        self.pc = next;
        match instr.op.row().format {
            Family::Sop1 | Family::Sop2 | Family::Sopc | Family::Sopk | Family::Sopp => self.salu(&instr, next),
            Family::Vop1 | Family::Vop2 | Family::Vopc | Family::Vop3 | Family::Vop3p => self.valu(&instr),
            _ => memory::step(self, &instr),
        }
    }

    fn salu(&mut self, instr: &Instr, next: u64) -> Result<(), Stop> {
        let (op, row) = (instr.op, instr.op.row());
        let mut s = [0; 3];
        for (k, &ty) in row.src.iter().enumerate().take(3) {
            s[k] = match ty {
                Ty::Imm16 => instr.imm as i64 as u32 as u64,
                Ty::Lit32 => u64::from(instr.literal),
                Ty::Old => self.scalar(instr.dst[0], row.dst[0], 0),
                Ty::Scc => u64::from(self.scc),
                Ty::Exec => self.exec(),
                Ty::M0 => u64::from(self.s[M0]),
                Ty::Vcc => self.mask(VCC),
                _ => self.scalar(instr.src[k], ty, instr.literal),
            };
        }
        let dwords = row.dst.first().map_or(0, |t| t.dwords(self.lanes));
        if self.control(instr, s, next) {
            return Ok(());
        }
        if let Some((f, new)) = scalar::exec_of(op) {
            let wide = row.src[0].dwords(self.lanes) == 2;
            let old = u64::from(self.s[EXEC]) | if wide { u64::from(self.s[EXEC + 1]) << 32 } else { 0 };
            let cut = if wide { u64::MAX } else { 0xffff_ffff };
            let exec = f(s[0], old) & cut;
            self.set_scalar(instr.dst[0], if new { exec } else { old }, 1 + u32::from(wide));
            self.set_scalar(Src::EXEC_LO, exec, 1 + u32::from(wide));
            self.scc = exec != 0;
            return Ok(());
        }
        if let Some(scc) = scalar::compare(op, s[0], s[1]) {
            self.scc = scc;
            return Ok(());
        }
        let Some((value, scc)) = scalar::result(op, s, self.scc) else { return self.relative(instr) };
        self.set_scalar(instr.dst[0], value, dwords);
        if let Some(scc) = scc {
            self.scc = scc;
        }
        Ok(())
    }

    /// S_MOVREL*: register numbers moved by M0.
    fn relative(&mut self, instr: &Instr) -> Result<(), Stop> {
        // An odd index of pairs loses its low bit.
        let m0 = match instr.op {
            i::S_MOVRELS_B64 | i::S_MOVRELD_B64 => self.s[M0] & !1,
            _ => self.s[M0],
        };
        let (from, to) = match instr.op {
            i::S_MOVRELS_B32 | i::S_MOVRELS_B64 => (m0, 0),
            i::S_MOVRELD_B32 | i::S_MOVRELD_B64 => (0, m0),
            i::S_MOVRELSD_2_B32 => (m0 & 0x3ff, m0 >> 16 & 0x3ff),
            _ => return Err(Stop::Unknown(instr.op)),
        };
        let ty = instr.op.row().src[0];
        // An index may not leave the SGPRs for another range.
        let inside = |s: Src, by: u32| by == 0 || u32::from(s.0).saturating_add(by) < 104;
        if !inside(instr.src[0], from) || !inside(instr.dst[0], to) {
            return Err(Stop::Open);
        }
        let moved = |s: Src, by: u32| Src(s.0.wrapping_add(by as u16));
        let value = if from == 0 {
            self.scalar(instr.src[0], ty, instr.literal)
        } else {
            self.scalar(moved(instr.src[0], from), ty, 0)
        };
        self.set_scalar(moved(instr.dst[0], to), value, ty.dwords(self.lanes));
        Ok(())
    }

    /// Program control; `false`: not such an instruction.
    fn control(&mut self, instr: &Instr, s: [u64; 3], next: u64) -> bool {
        let target = next.wrapping_add_signed(4 * i64::from(instr.imm as i16));
        let pair = |s: u64| s & !3;
        let taken = match instr.op {
            i::S_BRANCH => true,
            i::S_CBRANCH_SCC0 => !self.scc,
            i::S_CBRANCH_SCC1 => self.scc,
            i::S_CBRANCH_VCCZ => self.mask(VCC) == 0,
            i::S_CBRANCH_VCCNZ => self.mask(VCC) != 0,
            i::S_CBRANCH_EXECZ => self.exec() == 0,
            i::S_CBRANCH_EXECNZ => self.exec() != 0,
            i::S_CALL_B64 => {
                self.set_scalar(instr.dst[0], next, 2);
                true
            }
            i::S_GETPC_B64 => {
                self.set_scalar(instr.dst[0], next, 2);
                false
            }
            i::S_SETPC_B64 => {
                self.pc = pair(s[0]);
                false
            }
            i::S_SWAPPC_B64 => {
                self.pc = pair(s[0]);
                self.set_scalar(instr.dst[0], next, 2);
                false
            }
            i::S_ENDPGM => {
                self.ended = true;
                false
            }
            // The halves of a wave64 in turn: D0 keeps the one that waits.
            i::S_SUBVECTOR_LOOP_BEGIN => {
                let (low, high) = (self.s[EXEC], self.s[EXEC + 1]);
                if low != 0 {
                    self.set_scalar(instr.dst[0], high.into(), 1);
                    self.set_scalar(Src::EXEC_HI, 0, 1);
                } else if high != 0 {
                    self.set_scalar(instr.dst[0], low.into(), 1);
                }
                low == 0 && high == 0
            }
            i::S_SUBVECTOR_LOOP_END => {
                let (low, high) = (self.s[EXEC], self.s[EXEC + 1]);
                let waits = self.scalar(instr.dst[0], Ty::B32, 0);
                if high != 0 {
                    self.set_scalar(Src::EXEC_LO, waits, 1);
                } else if waits != 0 {
                    self.set_scalar(Src::EXEC_HI, waits, 1);
                    self.set_scalar(instr.dst[0], low.into(), 1);
                    self.set_scalar(Src::EXEC_LO, 0, 1);
                }
                high == 0 && waits != 0
            }
            // No debugger sets the bits of STATUS that these ask for.
            i::S_CBRANCH_CDBGSYS
            | i::S_CBRANCH_CDBGUSER
            | i::S_CBRANCH_CDBGSYS_OR_USER
            | i::S_CBRANCH_CDBGSYS_AND_USER => false,
            i::S_ROUND_MODE => {
                self.mode = self.mode & !0xf | instr.imm as u32 & 0xf;
                false
            }
            i::S_DENORM_MODE => {
                self.mode = self.mode & !0xf0 | (instr.imm as u32 & 0xf) << 4;
                false
            }
            i::S_GETREG_B32 | i::S_SETREG_B32 | i::S_SETREG_IMM32_B32 => {
                // SIMM16 = size − 1, offset, register; MODE is 1.
                let imm = instr.imm as u32;
                let (register, offset, size) = (imm & 63, imm >> 6 & 31, (imm >> 11 & 31) + 1);
                let mask = ((1u64 << size) - 1) as u32;
                if register != 1 {
                    return false;
                }
                if instr.op == i::S_GETREG_B32 {
                    self.set_scalar(instr.dst[0], u64::from(self.mode >> offset & mask), 1);
                } else {
                    self.mode = self.mode & !(mask << offset) | (s[1] as u32 & mask) << offset;
                }
                false
            }
            // One wave that is never out of order: nothing to wait for, nobody to tell.
            i::S_NOP
            | i::S_BARRIER
            | i::S_WAITCNT
            | i::S_WAITCNT_VSCNT
            | i::S_WAITCNT_VMCNT
            | i::S_WAITCNT_EXPCNT
            | i::S_WAITCNT_LGKMCNT
            | i::S_WAITCNT_DEPCTR
            | i::S_WAIT_IDLE
            | i::S_SLEEP
            | i::S_SETPRIO
            | i::S_WAKEUP
            | i::S_ICACHE_INV
            | i::S_INCPERFLEVEL
            | i::S_DECPERFLEVEL
            | i::S_TTRACEDATA
            | i::S_TTRACEDATA_IMM
            | i::S_INST_PREFETCH
            | i::S_CLAUSE
            | i::S_VERSION => false,
            _ => return false,
        };
        if taken {
            self.pc = target;
        }
        true
    }

    /// The lane that a lane reads source 0 from under DPP, `None` if it reads zero; and whether it writes.
    fn dpp(&self, instr: &Instr, lane: u32) -> (Option<u32>, bool) {
        match instr.extra {
            Extra::Dpp8 { selects, fetch_inactive } => {
                let from = lane / 8 * 8 + (selects >> (3 * (lane % 8)) & 7);
                ((fetch_inactive || self.active(from)).then_some(from), true)
            }
            Extra::Dpp16(d) => {
                let enabled = d.row_mask >> (lane / 16) & 1 != 0 && d.bank_mask >> (lane / 4 % 4) & 1 != 0;
                let from = modifiers::dpp16_lane(&d, lane).filter(|&l| d.fetch_inactive || self.active(l));
                (from, enabled && (from.is_some() || d.bound_ctrl))
            }
            _ => (Some(lane), true),
        }
    }

    fn valu(&mut self, instr: &Instr) -> Result<(), Stop> {
        if matches!(instr.op, i::V_NOP | i::V_PIPEFLUSH | i::V_CLREXCP) {
            return Ok(());
        }
        if self.cross(instr) {
            return Ok(());
        }
        let Some(instr) = &self.with_relative_registers(instr) else { return Ok(()) };
        let (op, row) = (instr.op, instr.op.row());
        let mode = Mode(self.mode);
        let is_mask = |ty: Ty| matches!(ty, Ty::Mask | Ty::Vcc | Ty::Exec);
        let carry_in = match row.src.iter().position(|&ty| is_mask(ty)) {
            Some(k) => self.mask(usize::from(if instr.src[k] == Src::NONE { Src::VCC_LO } else { instr.src[k] }.0)),
            None => 0,
        };
        let slots: Vec<usize> = (0..row.src.len()).filter(|&k| !is_mask(row.src[k])).collect();
        let mut condition = 0u64;
        let mut results = Vec::new();
        for lane in self.active_lanes() {
            let (from, writes) = self.dpp(instr, lane);
            if !writes {
                continue;
            }
            let mut s = [0u128; 3];
            for (n, &k) in slots.iter().enumerate().take(3) {
                let ty = if row.src[k] == Ty::Old { row.dst[0] } else { row.src[k] };
                let src = match row.src[k] {
                    Ty::Old => instr.dst[0],
                    Ty::Lit32 => Src::LITERAL,
                    _ => instr.src[k],
                };
                let raw = match if n == 0 { from } else { Some(lane) } {
                    Some(at) => self.source(src, ty, instr.literal, at),
                    None => 0,
                };
                s[n] = modifiers::prepared(instr, k, n, raw, mode);
            }
            if row.format == Family::Vopc {
                let bit = vector::compare(comparison(op), s[0] as u64, s[1] as u64, mode).ok_or(Stop::Unknown(op))?;
                condition |= u64::from(bit) << lane;
                continue;
            }
            let (answer, out) = vector::result(op, s, carry_in >> lane & 1 != 0, mode).ok_or(Stop::Unknown(op))?;
            condition |= u64::from(out) << lane;
            results.push((lane, modifiers::saturated(instr, s, carry_in >> lane & 1 != 0, answer)));
        }
        if row.format == Family::Vopc {
            let to = if row.dst[0] == Ty::Exec { Src::EXEC_LO } else { instr.dst[0] };
            self.set_mask(to, condition);
            // GCN's V_CMPX write both.
            if row.dst.len() > 1 {
                self.set_mask(Src::EXEC_LO, condition);
            }
            return Ok(());
        }
        for (lane, answer) in results {
            self.put(instr, lane, answer, mode);
        }
        if let Some(k) = row.dst.iter().position(|&ty| is_mask(ty)) {
            let to = if instr.dst[k] == Src::NONE { Src::VCC_LO } else { instr.dst[k] };
            self.set_mask(to, condition);
        }
        Ok(())
    }

    /// Output modifier, clamp, and the place in the destination.
    fn put(&mut self, instr: &Instr, lane: u32, answer: Answer, mode: Mode) {
        let row = instr.op.row();
        let (r, ty) = (instr.dst[0].vgpr(), row.dst[0]);
        let format = match ty {
            Ty::F16 | Ty::F16Hi | Ty::PkF16 => Some(F16),
            Ty::F32 => Some(F32),
            Ty::F64 => Some(F64),
            _ => None,
        };
        let m = instr.mods;
        let finish = |v: u128| match format {
            Some(f) if ty == Ty::PkF16 => {
                let half = |n: u32| vector::finish(f, (v >> (16 * n)) as u64 & 0xffff, 0, m.clamp, mode);
                u128::from(half(0) | half(1) << 16)
            }
            Some(f) => {
                let cut = f.bits();
                vector::finish(f, v as u64 & cut, m.omod, m.clamp, mode).into()
            }
            None => v,
        };
        let (value, bounds) = match answer {
            Answer::Exact(v) => (finish(v), None),
            Answer::Between(_, low, high) => {
                let (low, high) = (finish(low.into()), finish(high.into()));
                (low, Some((low as u64, high as u64)))
            }
        };
        let old = self.v[r as usize][lane as usize];
        let upper = ty == Ty::F16Hi || m.op_sel & 8 != 0 && row.format != Family::Vop3p;
        let half = matches!(ty, Ty::F16 | Ty::F16Hi | Ty::B16 | Ty::U16 | Ty::I16);
        let mut shift = 0;
        let word = value as u32;
        let first = if let Extra::Sdwa(s) = instr.extra {
            shift = if s.dst_sel == 5 { 16 } else { 0 };
            modifiers::placed(&s, if half { word & 0xffff } else { word }, old)
        } else if half && upper {
            shift = 16;
            old & 0xffff | word << 16
        } else if half && self.clears_high(instr.op) {
            word & 0xffff
        } else if half {
            old & 0xffff_0000 | word & 0xffff
        } else {
            word
        };
        self.set_vector(r, lane, first);
        for k in 1..ty.dwords(self.lanes) {
            self.set_vector(r + k, lane, (value >> (32 * k)) as u32);
        }
        if let Some(f) = format {
            let mut note = |shift: u32, v: u64, bounds: Option<(u64, u64)>| {
                if bounds.is_some() || f.is_nan(v) {
                    self.loose.push(Loose { vgpr: r, lane, shift, format: f, bounds });
                }
            };
            if ty == Ty::PkF16 {
                note(0, value as u64 & 0xffff, None);
                note(16, (value >> 16) as u64 & 0xffff, None);
            } else {
                note(shift, value as u64, bounds);
            }
        }
    }

    /// Vega's text of V_MAD_F16 and V_MAD_LEGACY_F16 tells of both kinds: instructions older than op_sel write zeros above a result
    /// of 16 bits, those of VOP3 with op_sel and those that accumulate keep what is there; RDNA keeps it always.
    fn clears_high(&self, op: Op) -> bool {
        let keeps = [i::V_MAC_F16, i::V_MADMK_F16, i::V_MADAK_F16];
        let old = [
            i::V_MAD_LEGACY_F16,
            i::V_MAD_LEGACY_U16,
            i::V_MAD_LEGACY_I16,
            i::V_FMA_LEGACY_F16,
            i::V_DIV_FIXUP_LEGACY_F16,
        ];
        let short = matches!(op.row().family(self.isa), Family::Vop1 | Family::Vop2);
        let gcn = matches!(self.isa, Gen::Gfx600 | Gen::Gfx701 | Gen::Gfx900);
        old.contains(&op) || gcn && short && !keeps.contains(&op)
    }
}

//! The words of all live lanes together.

use super::super::registers::{Home, Reg};
use super::{Done, Emitter, Refused, avx2, tables, ymm, zmm};
use crate::atomic::Together;
use crate::record::{F, Id, Node};
use crate::x86::X86Isa;
use iced_x86::{Code, Register};
use wavepipe_isa::row::AtomicOp;

/// VPERM2I128: the second operand's low half, then the first one's.
const LOW_HALVES: i32 = 0x02;
/// VPERMQ, VPSHUFD: the last one everywhere.
const LAST: i32 = 0xff;
/// VPSHUFD: pairs of words change places, and the words of each.
const PAIRS: i32 = 0x4e;
const WORDS: i32 = 0xb1;

impl Emitter {
    /// An operation on words that is one instruction.
    pub fn binary(&mut self, f: F, d: Reg, a: Reg, b: Reg) -> Done<()> {
        let node = Node { f, args: [Id::MAX; 6], literal: 0 };
        match self.host.target {
            X86Isa::Avx512 => self.op3(tables::binary(&node).ok_or(Refused)?, zmm(d), zmm(a), zmm(b)),
            X86Isa::Avx2 => self.op3(avx2::binary(&node).ok_or(Refused)?, ymm(d), ymm(a), ymm(b)),
        }
        .map(|_| ())
    }

    /// The chunk's first live lane's word in every lane, by way of EDI and ECX. Equal: no other lane of it lives, or none; then the
    /// register holds anything.
    pub fn first_of_some(&mut self, d: Reg, s: Reg) -> Done<()> {
        let (bits, lane) = (Register::EDI, Register::ECX);
        self.live_bits(bits)?;
        self.op2(Code::Tzcnt_r32_rm32, lane, bits)?;
        self.splat(d, lane)?;
        self.lane_of(d, d, s)?;
        self.op2(Code::VEX_Blsr_r32_rm32, bits, bits).map(|_| ())
    }

    /// The chunk's live lanes' words come to those of `all`, or are the first there.
    pub fn come_together(&mut self, how: Together, all: Reg, s: Reg, first: bool) -> Done<()> {
        let none = self.home(Home::Constant(how.none))?;
        let own = if first { all } else { self.temporary()? };
        self.copy(own, none)?;
        self.merge(own, s)?;
        if !first {
            self.binary(operation(how.by)?, all, all, own)?;
            self.registers.unpin(own);
        }
        self.registers.unpin(none);
        Ok(())
    }

    /// Each lane's word becomes what those of the lanes in front of it come to with `before`, by the atomic's own operation, and that in
    /// every lane what all of them come to.
    pub fn pass_on(&mut self, (op, how): (AtomicOp, Together), before: Reg, d: Reg) -> Done<()> {
        let f = operation(how.by)?;
        let (none, up) = (self.home(Home::Constant(how.none))?, self.temporary()?);
        let mut by = 1;
        while by < self.host.lanes() as i32 {
            self.lanes_up(up, d, none, by)?;
            self.binary(f, d, d, up)?;
            by *= 2;
        }
        self.lanes_up(up, d, none, 1)?;
        self.last_everywhere(d)?;
        let own = if op == AtomicOp::Sub { F::sub } else { f };
        self.binary(own, up, before, up)?;
        self.binary(own, before, before, d)?;
        self.copy(d, up)?;
        [none, up].into_iter().for_each(|r| self.registers.unpin(r));
        Ok(())
    }

    /// Each lane's word so many lanes further up, in another register; the lowest ones get those of `low`.
    fn lanes_up(&mut self, d: Reg, s: Reg, low: Reg, by: i32) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => {
                let code = Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8;
                self.imm3(code, zmm(d), zmm(s), zmm(low), 16 - by)?;
            }
            X86Isa::Avx2 => {
                self.imm3(Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, ymm(d), ymm(s), ymm(low), LOW_HALVES)?;
                if by != 4 {
                    self.imm3(Code::VEX_Vpalignr_ymm_ymm_ymmm256_imm8, ymm(d), ymm(s), ymm(d), 16 - 4 * by)?;
                }
            }
        }
        Ok(())
    }

    /// The last lane's word in every lane.
    fn last_everywhere(&mut self, r: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => {
                let last = self.home(Home::Constant(15))?;
                self.lane_of(r, last, r)?;
                self.registers.unpin(last);
            }
            X86Isa::Avx2 => {
                self.imm2(Code::VEX_Vpermq_ymm_ymmm256_imm8, ymm(r), ymm(r), LAST)?;
                self.imm2(Code::VEX_Vpshufd_ymm_ymmm256_imm8, ymm(r), ymm(r), LAST)?;
            }
        }
        Ok(())
    }

    /// The words of the lanes whose numbers are in `lanes`.
    fn lane_of(&mut self, d: Reg, lanes: Reg, s: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.op3(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(lanes), zmm(s)),
            X86Isa::Avx2 => self.op3(Code::VEX_Vpermd_ymm_ymm_ymmm256, ymm(d), ymm(lanes), ymm(s)),
        }
        .map(|_| ())
    }

    /// All lanes' words in every lane.
    pub fn all_together(&mut self, how: Together, all: Reg) -> Done<()> {
        let (f, t) = (operation(how.by)?, self.temporary()?);
        match self.host.target {
            X86Isa::Avx512 => {
                for lanes in [8, 4, 2, 1] {
                    let code = Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8;
                    self.imm3(code, zmm(t), zmm(all), zmm(all), lanes)?;
                    self.binary(f, all, all, t)?;
                }
            }
            X86Isa::Avx2 => {
                self.imm3(Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, ymm(t), ymm(all), ymm(all), 1)?;
                self.binary(f, all, all, t)?;
                for words in [PAIRS, WORDS] {
                    self.imm2(Code::VEX_Vpshufd_ymm_ymmm256_imm8, ymm(t), ymm(all), words)?;
                    self.binary(f, all, all, t)?;
                }
            }
        }
        self.registers.unpin(t);
        Ok(())
    }
}

fn operation(op: AtomicOp) -> Done<F> {
    Ok(match op {
        AtomicOp::Add => F::add,
        AtomicOp::And => F::and,
        AtomicOp::Or => F::or,
        AtomicOp::Xor => F::xor,
        AtomicOp::SMin => F::smin,
        AtomicOp::SMax => F::smax,
        AtomicOp::UMin => F::umin,
        AtomicOp::UMax => F::umax,
        _ => return Err(Refused),
    })
}

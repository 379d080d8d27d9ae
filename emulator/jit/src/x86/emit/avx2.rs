//! One node to instructions of AVX2, FMA and F16C. A condition is a vector register of ones and zeros; what these hosts have
//! no instructions for, `crate::legal` has replaced.

use super::super::registers::{Home, Reg};
use super::step::Number;
use super::tables::{DOWN, F_EQ, F_LE, F_LT, F_ORDERED, F_UNORDERED, NEAREST, TO_ZERO, UP, asked, double_relation};
use super::{Done, Emitter, Refused, Source, Value, Values, xmm, ymm};
use crate::record::{F, Id, Node};
use crate::step::{INVERTED, LESS, NEGATED};
use iced_x86::{Code, Instruction, Register};

/// The register that holds EXEC of the chunk: ones in the lanes that live.
pub const LIVE: Reg = 15;
/// The same one where [`Emitter::raw`] holds: ones in those that do not.
pub const DEAD: Reg = LIVE;
/// What the constants begin with: each lane's bit of a word; then, for each of sixteen lanes, no distance and that of dwords, of
/// pairs, threes and fours of them in a row.
pub fn tables() -> Vec<u32> {
    let bits = (0..32).map(|lane| 1 << lane);
    bits.chain((0..5).flat_map(|dwords| (0..16).map(move |lane| 4 * dwords * lane))).collect()
}
/// The bits of a chunk's lanes, the `part`th of their word, as a place in the tables.
pub const fn bits(part: u8) -> usize {
    8 * part as usize
}
/// Lanes at one place, as a place in the tables.
pub const NOWHERE: usize = 32;
/// Behind the tables.
pub const END: usize = NOWHERE + 16 * 5;
/// Lanes one dword behind the other.
pub const NEIGHBOURS: usize = neighbours(1);

pub const fn neighbours(dwords: u32) -> usize {
    NOWHERE + 16 * dwords as usize
}
/// The words of interleaved doubles in the order of lanes.
const LOW_WORDS: i32 = 0x88;
const HIGH_WORDS: i32 = 0xdd;
/// Every second word.
const ODD: i32 = 0xaa;

pub(super) fn binary(node: &Node) -> Option<Code> {
    Some(match node.f {
        F::add => Code::VEX_Vpaddd_ymm_ymm_ymmm256,
        F::sub => Code::VEX_Vpsubd_ymm_ymm_ymmm256,
        F::mul => Code::VEX_Vpmulld_ymm_ymm_ymmm256,
        F::and => Code::VEX_Vpand_ymm_ymm_ymmm256,
        F::or => Code::VEX_Vpor_ymm_ymm_ymmm256,
        F::xor => Code::VEX_Vpxor_ymm_ymm_ymmm256,
        F::smin => Code::VEX_Vpminsd_ymm_ymm_ymmm256,
        F::smax => Code::VEX_Vpmaxsd_ymm_ymm_ymmm256,
        F::umin => Code::VEX_Vpminud_ymm_ymm_ymmm256,
        F::umax => Code::VEX_Vpmaxud_ymm_ymm_ymmm256,
        F::fless => Code::VEX_Vminps_ymm_ymm_ymmm256,
        F::fmore => Code::VEX_Vmaxps_ymm_ymm_ymmm256,
        F::fadd if node.literal == LESS => Code::VEX_Vsubps_ymm_ymm_ymmm256,
        F::fadd => Code::VEX_Vaddps_ymm_ymm_ymmm256,
        F::fmul => Code::VEX_Vmulps_ymm_ymm_ymmm256,
        _ => return None,
    })
}

pub(super) fn unary(node: &Node) -> Option<(Code, Option<i32>)> {
    let round = |how| (Code::VEX_Vroundps_ymm_ymmm256_imm8, Some(how));
    let shift = |code| (code, Some(node.literal as i32));
    Some(match node.f {
        F::shl if node.args[1] == Id::MAX => shift(Code::VEX_Vpslld_ymm_ymm_imm8),
        F::shr if node.args[1] == Id::MAX => shift(Code::VEX_Vpsrld_ymm_ymm_imm8),
        F::sar if node.args[1] == Id::MAX => shift(Code::VEX_Vpsrad_ymm_ymm_imm8),
        F::frndne => round(NEAREST),
        F::ffloor => round(DOWN),
        F::fceil => round(UP),
        F::ftrunc => round(TO_ZERO),
        F::fsqrt => (Code::VEX_Vsqrtps_ymm_ymmm256, None),
        F::f32_from_i32 => (Code::VEX_Vcvtdq2ps_ymm_ymmm256, None),
        _ => return None,
    })
}

/// A fused multiply-add whose first operand is the addend, and one whose first operand is a factor.
fn fused(node: &Node) -> [Code; 2] {
    match node.literal {
        0 => [Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256, Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256],
        LESS => [Code::VEX_Vfmsub231ps_ymm_ymm_ymmm256, Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256],
        NEGATED => [Code::VEX_Vfnmadd231ps_ymm_ymm_ymmm256, Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256],
        _ => [Code::VEX_Vfnmsub231ps_ymm_ymm_ymmm256, Code::VEX_Vfnmsub213ps_ymm_ymm_ymmm256],
    }
}

/// Operations on four doubles.
enum Double {
    Round(i32),
    Root,
    Binary(Code),
    Fused,
}

fn double(f: F) -> Option<Double> {
    Some(match f {
        F::dadd => Double::Binary(Code::VEX_Vaddpd_ymm_ymm_ymmm256),
        F::dmul => Double::Binary(Code::VEX_Vmulpd_ymm_ymm_ymmm256),
        F::dfma => Double::Fused,
        F::drndne => Double::Round(NEAREST),
        F::dfloor => Double::Round(DOWN),
        F::dceil => Double::Round(UP),
        F::dtrunc => Double::Round(TO_ZERO),
        F::dsqrt => Double::Root,
        _ => return None,
    })
}

impl Emitter {
    pub(super) fn node_256(&mut self, node: &Node, at: usize, state: &mut Values) -> Done<Value> {
        use F::*;
        let [a, b, c, ..] = node.args;
        if let Some(code) = binary(node) {
            let [a, b] = self.last_in_memory(node, state);
            let (x, y) = (self.word(a, state)?, self.last(b, state)?);
            let d = self.target(&[(a, Source::Word(x)), (b, y)], state)?;
            self.last3(code, ymm(d), x, y)?;
            return Ok(Value::Word(d));
        }
        if let Some((code, immediate)) = unary(node) {
            let x = self.last(a, state)?;
            let d = self.target(&[(a, x)], state)?;
            match immediate {
                Some(i) => self.last2_imm(code, ymm(d), x, i)?,
                None => self.last2(code, ymm(d), x)?,
            };
            return Ok(Value::Word(d));
        }
        if let Some(code) = double(node.f) {
            return self.doubles_256(node, at, &code, state).map(Value::Word);
        }
        Ok(match node.f {
            eq | slt | feq | flt | fle => {
                let [a, b] = self.last_in_memory(node, state);
                let (x, y, m) = (self.last(a, state)?, self.last(b, state)?, self.temporary()?);
                self.compare(node, m, x, y)?;
                Value::Mask(m)
            }
            truth => {
                let m = self.temporary()?;
                match node.literal {
                    0 => self.zero(m)?,
                    _ => self.ones(m)?,
                }
                Value::Mask(m)
            }
            cand | cor => {
                let (x, y) = (self.condition(a, state)?, self.condition(b, state)?);
                let m = self.temporary()?;
                let code =
                    if node.f == cand { Code::VEX_Vpand_ymm_ymm_ymmm256 } else { Code::VEX_Vpor_ymm_ymm_ymmm256 };
                self.op3(code, ymm(m), ymm(x), ymm(y))?;
                Value::Mask(m)
            }
            cnot => {
                let x = self.condition(a, state)?;
                let m = self.temporary()?;
                self.ones(m)?;
                self.op3(Code::VEX_Vpxor_ymm_ymm_ymmm256, ymm(m), ymm(m), ymm(x))?;
                Value::Mask(m)
            }
            deq | dlt | dle => {
                let relation = asked(node, double_relation(node.f));
                let [a, b, c, d, ..] = node.args;
                let (x, y) = (self.interleaved_256(a, b, state)?, self.interleaved_256(c, d, state)?);
                for i in 0..2 {
                    self.imm3(Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8, ymm(x[i]), ymm(x[i]), ymm(y[i]), relation)?;
                }
                self.imm3(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, ymm(x[0]), ymm(x[0]), ymm(x[1]), LOW_WORDS)?;
                [x[1], y[0], y[1]].into_iter().for_each(|r| self.registers.unpin(r));
                Value::Mask(x[0])
            }
            sel => {
                let (m, t, f) = (self.condition(a, state)?, self.last(b, state)?, self.word(c, state)?);
                let d = self.target(&[(b, t), (c, Source::Word(f))], state)?;
                self.choose(d, f, t, m)?;
                Value::Word(d)
            }
            not => {
                let x = self.word(a, state)?;
                let d = self.temporary()?;
                self.ones(d)?;
                self.op3(Code::VEX_Vpxor_ymm_ymm_ymmm256, ymm(d), ymm(d), ymm(x))?;
                Value::Word(d)
            }
            shl | shr | sar => {
                let (x, n) = (self.word(a, state)?, self.word(b, state)?);
                let low = self.home(Home::Constant(31))?;
                let d = self.temporary()?;
                self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(d), ymm(n), ymm(low))?;
                let code = match node.f {
                    shl => Code::VEX_Vpsllvd_ymm_ymm_ymmm256,
                    shr => Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
                    _ => Code::VEX_Vpsravd_ymm_ymm_ymmm256,
                };
                self.op3(code, ymm(d), ymm(x), ymm(d))?;
                self.registers.unpin(low);
                Value::Word(d)
            }
            umulhi | smulhi => {
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                Value::Word(self.high_product_256(x, y, node.f == smulhi)?)
            }
            ffma => Value::Word(self.multiply_add(node, fused(node), state)?),
            fmin | fmax => {
                let max = node.f == fmax;
                let code = if max { Code::VEX_Vmaxps_ymm_ymm_ymmm256 } else { Code::VEX_Vminps_ymm_ymm_ymmm256 };
                let number = state.number(a, b, max);
                let [x, y] = number.map_or([a, b], |(_, of)| of);
                let (x, y) = (self.word(x, state)?, self.word(y, state)?);
                let d = self.temporary()?;
                match number {
                    Some((Number::Alone, _)) => self.op3(code, ymm(d), ymm(x), ymm(y)).map(|_| ())?,
                    Some((Number::Zero, _)) => {
                        self.op3(code, ymm(d), ymm(x), ymm(y))?;
                        self.or_other(d, [y, x])?;
                    }
                    None => self.extreme_256(d, code, [x, y], max)?,
                }
                Value::Word(d)
            }
            frcp => {
                let x = self.word(a, state)?;
                Value::Word(self.reciprocal_256(x)?)
            }
            frsq => {
                let x = self.word(a, state)?;
                let root = self.temporary()?;
                self.op2(Code::VEX_Vsqrtps_ymm_ymmm256, ymm(root), ymm(x))?;
                let d = self.reciprocal_256(root)?;
                self.registers.unpin(root);
                Value::Word(d)
            }
            i32_from_f32 => {
                // NaN is 0, what is too large the largest; the instruction gives the smallest for both.
                let x = self.word(a, state)?;
                let (limit, largest) = (self.home(Home::Constant(0x4f00_0000))?, self.home(Home::Constant(!0 >> 1))?);
                let (d, m) = (self.temporary()?, self.temporary()?);
                self.imm3(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, ymm(m), ymm(x), ymm(x), F_ORDERED)?;
                self.op2(Code::VEX_Vcvttps2dq_ymm_ymmm256, ymm(d), ymm(x))?;
                self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(d), ymm(d), ymm(m))?;
                self.imm3(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, ymm(m), ymm(limit), ymm(x), F_LE)?;
                self.blend(d, d, largest, m)?;
                [m, limit, largest].into_iter().for_each(|r| self.registers.unpin(r));
                Value::Word(d)
            }
            f32_from_f16 => {
                let x = self.word(a, state)?;
                let low = self.home(Home::Constant(0xffff))?;
                let d = self.temporary()?;
                self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(d), ymm(x), ymm(low))?;
                self.op3(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, ymm(d), ymm(d), ymm(d))?;
                // Each half of the register has four of them twice.
                self.imm2(Code::VEX_Vpermq_ymm_ymmm256_imm8, ymm(d), ymm(d), 0b1000)?;
                self.op2(Code::VEX_Vcvtph2ps_ymm_xmmm128, ymm(d), xmm(d))?;
                self.registers.unpin(low);
                Value::Word(d)
            }
            f16_from_f32 | f16_from_f32_rtz => {
                let x = self.word(a, state)?;
                let d = self.temporary()?;
                let round = if node.f == f16_from_f32 { 0 } else { 3 };
                self.imm2(Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8, xmm(d), ymm(x), round)?;
                self.op2(Code::VEX_Vpmovzxwd_ymm_xmmm128, ymm(d), xmm(d))?;
                Value::Word(d)
            }
            _ => return Err(Refused),
        })
    }

    /// A result by one instruction into the register's home, all of which it replaces; `false`: not this operation.
    pub(super) fn into_home_256(&mut self, node: &Node, v: u32, state: &mut Values) -> Done<bool> {
        let [a, b, c, ..] = node.args;
        let home = Home::Vgpr(v, self.chunk);
        if node.f == F::ffma {
            let into = |e: &mut Self| e.home_new(home);
            let home = self.multiply_add_into((node, fused(node)), state, into, Self::bring_all)?;
            self.written(home, node, state);
            return Ok(true);
        }
        if let Some(code) = binary(node) {
            let [a, b] = self.last_in_memory(node, state);
            let (x, y) = (self.word(a, state)?, self.last(b, state)?);
            let home = self.home_new(home)?;
            self.last3(code, ymm(home), x, y)?;
            self.written(home, node, state);
            return Ok(true);
        }
        if let Some((code, immediate)) = unary(node) {
            let x = self.last(a, state)?;
            let home = self.home_new(home)?;
            match immediate {
                Some(i) => self.last2_imm(code, ymm(home), x, i)?,
                None => self.last2(code, ymm(home), x)?,
            };
            self.written(home, node, state);
            return Ok(true);
        }
        if node.f == F::sel {
            let (m, t, f) = (self.condition(a, state)?, self.last(b, state)?, self.word(c, state)?);
            let home = self.home_new(home)?;
            self.choose(home, f, t, m)?;
            self.written(home, node, state);
            return Ok(true);
        }
        Ok(false)
    }

    /// A lane mask by a comparison of integers that holds where the instruction's does not; `false`: not this operation, or it costs no
    /// less than the condition by itself.
    pub(super) fn into_mask_256(&mut self, node: &Node, m: u8, state: &mut Values) -> Done<bool> {
        let late = self.bits_late && self.bits_only && self.moving.is_none();
        if !matches!(node.f, F::eq | F::slt) || node.literal != INVERTED || self.all_live || self.raw && !late {
            return Ok(false);
        }
        let [a, b] = self.last_in_memory(node, state);
        let (x, y, holds) = (self.last(a, state)?, self.last(b, state)?, self.temporary()?);
        self.begin_mask(m)?;
        self.compare(&Node { literal: 0, ..*node }, holds, x, y)?;
        if late {
            self.is_last_contrary(m, holds);
        } else {
            self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, ymm(holds), ymm(holds), ymm(LIVE))?;
            self.is_last(m, holds)?;
        }
        for &a in &node.args[..2] {
            self.used(a, state);
        }
        Ok(true)
    }

    fn ones(&mut self, r: Reg) -> Done<()> {
        self.op3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(r), ymm(r), ymm(r)).map(|_| ())
    }

    /// t where the condition holds, f elsewhere.
    pub(super) fn blend(&mut self, d: Reg, f: Reg, t: Reg, m: Reg) -> Done<()> {
        self.choose(d, f, Source::Word(t), m)
    }

    fn choose(&mut self, d: Reg, f: Reg, t: Source, m: Reg) -> Done<()> {
        let code = Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
        match t {
            Source::Word(t) => self.push(Instruction::with4(code, ymm(d), ymm(f), ymm(t), ymm(m))),
            Source::Memory(home) => {
                let at = self.row_or_word(home);
                self.push(Instruction::with4(code, ymm(d), ymm(f), at, ymm(m)))
            }
        }
        .map(|_| ())
    }

    fn compare(&mut self, node: &Node, m: Reg, x: Source, y: Source) -> Done<()> {
        // Of integers, less is more the other way around.
        let (first, last) = if node.f == F::slt { (y, x) } else { (x, y) };
        let Source::Word(first) = first else { return Err(Refused) };
        let relation = match node.f {
            F::eq => {
                self.last3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(m), first, last)?;
                return self.inverted(node, m);
            }
            F::slt => {
                self.last3(Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256, ymm(m), first, last)?;
                return self.inverted(node, m);
            }
            F::feq => F_EQ,
            F::flt => F_LT,
            _ => F_LE,
        };
        let code = Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
        self.last3_imm(code, ymm(m), first, last, asked(node, relation)).map(|_| ())
    }

    /// A condition of integers, or its contrary, as the node has it.
    fn inverted(&mut self, node: &Node, m: Reg) -> Done<()> {
        if node.literal != INVERTED {
            return Ok(());
        }
        let ones = self.home(Home::Constant(!0))?;
        self.op3(Code::VEX_Vpxor_ymm_ymm_ymmm256, ymm(m), ymm(m), ymm(ones))?;
        self.registers.unpin(ones);
        Ok(())
    }

    fn high_product_256(&mut self, x: Reg, y: Reg, signed: bool) -> Done<Reg> {
        let code = if signed { Code::VEX_Vpmuldq_ymm_ymm_ymmm256 } else { Code::VEX_Vpmuludq_ymm_ymm_ymmm256 };
        let (even, odd, other) = (self.temporary()?, self.temporary()?, self.temporary()?);
        self.op3(code, ymm(even), ymm(x), ymm(y))?;
        self.imm2(Code::VEX_Vpsrlq_ymm_ymm_imm8, ymm(even), ymm(even), 32)?;
        let mut of = [x, y];
        for (d, s) in
            [odd, other].into_iter().zip(&mut of).filter(|(_, s)| !self.registers.is_alike(**s)).collect::<Vec<_>>()
        {
            self.imm2(Code::VEX_Vpsrlq_ymm_ymm_imm8, ymm(d), ymm(*s), 32)?;
            *s = d;
        }
        self.op3(code, ymm(odd), ymm(of[0]), ymm(of[1]))?;
        // Odd lanes' high words are in place.
        self.imm3(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, ymm(even), ymm(even), ymm(odd), ODD)?;
        self.registers.unpin(odd);
        self.registers.unpin(other);
        Ok(even)
    }

    /// Minimum or maximum where a NaN loses and −0 < +0: both ways give the same but for zeros, whose signs go together; then the
    /// other operand where one is NaN.
    fn extreme_256(&mut self, d: Reg, code: Code, [x, y]: [Reg; 2], max: bool) -> Done<()> {
        let t = self.temporary()?;
        let both = if max { Code::VEX_Vandps_ymm_ymm_ymmm256 } else { Code::VEX_Vorps_ymm_ymm_ymmm256 };
        self.op3(code, ymm(d), ymm(x), ymm(y))?;
        self.op3(code, ymm(t), ymm(y), ymm(x))?;
        self.op3(both, ymm(d), ymm(d), ymm(t))?;
        self.registers.unpin(t);
        self.or_other(d, [x, y])?;
        self.or_other(d, [y, x])
    }

    /// The other one where one is NaN.
    fn or_other(&mut self, d: Reg, [one, other]: [Reg; 2]) -> Done<()> {
        let t = self.temporary()?;
        self.imm3(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, ymm(t), ymm(one), ymm(one), F_UNORDERED)?;
        self.blend(d, d, other, t)?;
        self.registers.unpin(t);
        Ok(())
    }

    fn reciprocal_256(&mut self, x: Reg) -> Done<Reg> {
        let one = self.home(Home::Constant(1.0f32.to_bits()))?;
        let d = self.temporary()?;
        self.op3(Code::VEX_Vdivps_ymm_ymm_ymmm256, ymm(d), ymm(one), ymm(x))?;
        self.registers.unpin(one);
        Ok(d)
    }

    /// Two words of 8 lanes as 2 × 4 doubles: lanes 0, 1, 4, 5 and 2, 3, 6, 7, in temporaries.
    fn interleaved_256(&mut self, low: Id, high: Id, state: &Values) -> Done<[Reg; 2]> {
        let (low, high) = (self.word(low, state)?, self.word(high, state)?);
        let (x, y) = (self.temporary()?, self.temporary()?);
        self.op3(Code::VEX_Vpunpckldq_ymm_ymm_ymmm256, ymm(x), ymm(low), ymm(high))?;
        self.op3(Code::VEX_Vpunpckhdq_ymm_ymm_ymmm256, ymm(y), ymm(low), ymm(high))?;
        Ok([x, y])
    }

    /// An operation on doubles: the low words; the high words wait for their node.
    fn doubles_256(&mut self, node: &Node, at: usize, code: &Double, state: &mut Values) -> Done<Reg> {
        let pairs = node.args.iter().filter(|&&a| a != Id::MAX).count() / 2;
        let mut x = Vec::with_capacity(3);
        for n in 0..pairs {
            x.push(self.interleaved_256(node.args[2 * n], node.args[2 * n + 1], state)?);
        }
        let first = x[0];
        for i in 0..2 {
            let d: Register = ymm(first[i]);
            match code {
                Double::Round(how) => self.imm2(Code::VEX_Vroundpd_ymm_ymmm256_imm8, d, d, *how)?,
                Double::Root => self.op2(Code::VEX_Vsqrtpd_ymm_ymmm256, d, d)?,
                Double::Binary(code) => self.op3(*code, d, d, ymm(x[1][i]))?,
                Double::Fused => self.op3(Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256, d, ymm(x[1][i]), ymm(x[2][i]))?,
            };
        }
        let high = self.temporary()?;
        let shuffle = Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8;
        self.imm3(shuffle, ymm(high), ymm(first[0]), ymm(first[1]), HIGH_WORDS)?;
        self.imm3(shuffle, ymm(first[0]), ymm(first[0]), ymm(first[1]), LOW_WORDS)?;
        self.registers.unpin(first[1]);
        x[1..].iter().flatten().for_each(|&r| self.registers.unpin(r));
        state.high[at] = Some(high);
        Ok(first[0])
    }
}

//! One node to instructions of AVX-512.

use super::super::registers::{Home, Reg};
use super::masks::LAST;
use super::tables::*;
use super::{Done, Emitter, Refused, Source, Value, Values, k, ymm, zmm};
use crate::bits::exchanged;
use crate::record::{F, Id, Node};
use iced_x86::Code;

/// VPTERNLOG's table of the third operand's complement.
const NOT_C: i32 = 0x55;
/// VRANGEPS: the sign is that of what is chosen.
const MINIMUM: i32 = 4;
const MAXIMUM: i32 = 5;
/// The words of interleaved doubles in the order of lanes.
const LOW_WORDS: i32 = 0x88;
const HIGH_WORDS: i32 = 0xdd;
/// VPSHUFD: 0, 2, 1, 3.
const CROSSED: i32 = 0xd8;

impl Emitter {
    /// Where a node's value may go: its operand, if that is a temporary that dies here, or a new one.
    pub(super) fn target(&mut self, operands: &[(Id, Source)], state: &Values) -> Done<Reg> {
        for &(id, source) in operands {
            if let Source::Word(r) = source
                && state.uses[usize::from(id)] == 1
                && self.registers.dies(r)
            {
                self.registers.pin(r);
                return Ok(r);
            }
        }
        self.temporary()
    }

    pub(super) fn node_512(&mut self, node: &Node, at: usize, state: &mut Values) -> Done<Value> {
        use F::*;
        let a = node.args[0];
        if let Some(code) = binary(node) {
            let [a, b] = self.last_in_memory(node, state);
            let (x, y) = (self.word(a, state)?, self.last(b, state)?);
            let d = self.target(&[(a, Source::Word(x)), (b, y)], state)?;
            self.last3(code, zmm(d), x, y)?;
            return Ok(Value::Word(d));
        }
        if let Some((code, immediate)) = unary(node) {
            let x = self.last(a, state)?;
            let d = self.target(&[(a, x)], state)?;
            match immediate {
                Some(i) => self.last2_imm(code, zmm(d), x, i)?,
                None => self.last2(code, zmm(d), x)?,
            };
            return Ok(Value::Word(d));
        }
        if let Some((code, relation)) = comparison(node) {
            let [a, b] = self.last_in_memory(node, state);
            let (x, y) = (self.word(a, state)?, self.last(b, state)?);
            let m = self.mask()?;
            self.last3_imm(code, k(m), x, y, relation)?;
            return Ok(Value::Mask(m));
        }
        if let Some(code) = double(node.f) {
            return self.doubles(node, at, code, state).map(Value::Word);
        }
        match node.f {
            truth | cand | cor | cnot | deq | dlt | dle => self.mask_node(node, state).map(Value::Mask),
            sel | umulhi | smulhi | ctz | not | shl | shr | sar | bits => {
                self.integer_node(node, state).map(Value::Word)
            }
            f32_from_f16 | f16_from_f32 | f16_from_f32_rtz | hadd | hmul | hfma | hmin | hmax => {
                self.half_node(node, state).map(Value::Word)
            }
            _ => self.float_node(node, state).map(Value::Word),
        }
    }

    /// Conditions: one bit a lane.
    fn mask_node(&mut self, node: &Node, state: &mut Values) -> Done<u8> {
        use F::*;
        let [a, b, ..] = node.args;
        Ok(match node.f {
            truth => {
                let m = self.mask()?;
                let code = if node.literal != 0 { Code::VEX_Kxnorw_kr_kr_kr } else { Code::VEX_Kxorw_kr_kr_kr };
                self.op3(code, k(m), k(m), k(m))?;
                m
            }
            cand | cor => {
                let (x, y) = (self.condition(a, state)?, self.condition(b, state)?);
                let m = self.mask()?;
                let code = if node.f == cand { Code::VEX_Kandw_kr_kr_kr } else { Code::VEX_Korw_kr_kr_kr };
                self.op3(code, k(m), k(x), k(y))?;
                m
            }
            cnot => {
                let x = self.condition(a, state)?;
                let m = self.mask()?;
                self.op2(Code::VEX_Knotw_kr_kr, k(m), k(x))?;
                m
            }
            deq | dlt | dle => {
                let relation = asked(node, double_relation(node.f));
                let [a, b, c, d, ..] = node.args;
                let (x, y) = (self.interleaved(a, b, state)?, self.interleaved(c, d, state)?);
                let m = self.mask()?;
                for i in 0..2 {
                    let code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
                    self.imm3(code, k(0), zmm(x[i]), zmm(y[i]), relation)?;
                    self.op2(Code::EVEX_Vpmovm2q_zmm_kr, zmm(x[i]), k(0))?;
                }
                self.imm3(Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8, zmm(x[0]), zmm(x[0]), zmm(x[1]), LOW_WORDS)?;
                self.op2(Code::EVEX_Vpmovd2m_kr_zmm, k(m), zmm(x[0]))?;
                x.iter().chain(&y).for_each(|&r| self.registers.unpin(r));
                m
            }
            _ => return Err(Refused),
        })
    }

    /// Choices, bits and products of integers.
    fn integer_node(&mut self, node: &Node, state: &mut Values) -> Done<Reg> {
        use F::*;
        let [a, b, c, ..] = node.args;
        Ok(match node.f {
            sel => {
                let (m, t, f) = (self.condition(a, state)?, self.last(b, state)?, self.word(c, state)?);
                let d = self.target(&[(b, t), (c, Source::Word(f))], state)?;
                self.last3(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, zmm(d), f, t)?.set_op_mask(k(m));
                d
            }
            umulhi | smulhi => {
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                self.high_product(x, y, node.f == smulhi)?
            }
            ctz => {
                // The bits below the lowest that is set: 32 of them for zero.
                let x = self.word(a, state)?;
                let ones = self.home(Home::Constant(!0))?;
                let d = self.temporary()?;
                self.op3(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(x), zmm(ones))?;
                self.op3(Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(x), zmm(d))?;
                self.op2(Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32, zmm(d), zmm(d))?;
                self.registers.unpin(ones);
                d
            }
            not => {
                let x = self.word(a, state)?;
                let d = self.target(&[(a, Source::Word(x))], state)?;
                self.imm3(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, zmm(d), zmm(x), zmm(x), NOT_C)?;
                d
            }
            bits => {
                let (x, y, z) = (self.word(a, state)?, self.word(b, state)?, self.last(c, state)?);
                // The first operand's register is the result's, too.
                let d = self.temporary()?;
                self.copy(d, x)?;
                let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
                self.last3_imm(code, zmm(d), y, z, node.literal as i32)?;
                d
            }
            shl | shr | sar => {
                let (x, n) = (self.word(a, state)?, self.word(b, state)?);
                let low = self.home(Home::Constant(31))?;
                let d = self.temporary()?;
                self.op3(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(n), zmm(low))?;
                let code = match node.f {
                    shl => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
                    shr => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
                    _ => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
                };
                self.op3(code, zmm(d), zmm(x), zmm(d))?;
                self.registers.unpin(low);
                d
            }
            _ => return Err(Refused),
        })
    }

    /// Floats of 32 bits, to integers too.
    fn float_node(&mut self, node: &Node, state: &mut Values) -> Done<Reg> {
        use F::*;
        let [a, b, ..] = node.args;
        Ok(match node.f {
            ffma => self.multiply_add(node, fused(node), state)?,
            fmin | fmax => {
                let max = node.f == fmax;
                match state.plain(a, b, max) {
                    Some([x, y]) => {
                        let (x, y) = (self.word(x, state)?, self.last(y, state)?);
                        let d = self.temporary()?;
                        self.last3(EXTREMES[usize::from(max)], zmm(d), x, y)?;
                        d
                    }
                    None => {
                        let operand = |e: &Self, id| Ok((e.word(id, state)?, state.is_quiet(id)));
                        self.extreme([operand(self, a)?, operand(self, b)?], max)?
                    }
                }
            }
            frcp => {
                let x = self.word(a, state)?;
                self.reciprocal(x)?
            }
            frsq => {
                let x = self.word(a, state)?;
                let root = self.temporary()?;
                self.op2(Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, zmm(root), zmm(x))?;
                let d = self.reciprocal(root)?;
                self.registers.unpin(root);
                d
            }
            fldexp => {
                let (x, n) = (self.word(a, state)?, self.word(b, state)?);
                let d = self.temporary()?;
                self.op2(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, zmm(d), zmm(n))?;
                self.op3(Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er, zmm(d), zmm(x), zmm(d))?;
                d
            }
            i32_from_f32 => {
                // NaN is 0, what is too large the largest; the instruction gives the smallest for both.
                let x = self.word(a, state)?;
                let (limit, largest) = (self.home(Home::Constant(0x4f00_0000))?, self.home(Home::Constant(!0 >> 1))?);
                let d = self.temporary()?;
                let m = self.mask()?;
                self.imm3(Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, k(m), zmm(x), zmm(x), F_ORDERED)?;
                let i = self.op2(Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, zmm(d), zmm(x))?;
                i.set_op_mask(k(m));
                i.set_zeroing_masking(true);
                self.imm3(Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, k(m), zmm(limit), zmm(x), F_LE)?;
                self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(largest))?.set_op_mask(k(m));
                self.free_mask(m);
                self.registers.unpin(limit);
                self.registers.unpin(largest);
                d
            }
            u32_from_f32 => {
                // The larger of the two, the second if one is NaN.
                let x = self.word(a, state)?;
                let zero = self.home(Home::Constant(0))?;
                let d = self.temporary()?;
                self.op3(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, zmm(d), zmm(x), zmm(zero))?;
                self.op2(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, zmm(d), zmm(d))?;
                self.registers.unpin(zero);
                d
            }
            _ => return Err(Refused),
        })
    }

    /// Floats of 16 bits, through those of 32.
    fn half_node(&mut self, node: &Node, state: &mut Values) -> Done<Reg> {
        use F::*;
        let [a, b, c, ..] = node.args;
        Ok(match node.f {
            f32_from_f16 => {
                let x = self.word(a, state)?;
                let d = self.temporary()?;
                self.widened(d, x)?;
                d
            }
            f16_from_f32 | f16_from_f32_rtz => {
                let x = self.word(a, state)?;
                let d = self.temporary()?;
                self.narrowed(d, x, if node.f == f16_from_f32 { 0 } else { 3 })?;
                d
            }
            hadd | hmul => {
                // Rounding to f32 in between is innocuous (`wavepipe_isa`'s `Nearest`).
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                let (d, e) = (self.temporary()?, self.temporary()?);
                self.widened(d, x)?;
                self.widened(e, y)?;
                let code = if node.f == hadd {
                    Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er
                } else {
                    Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er
                };
                self.op3(code, zmm(d), zmm(d), zmm(e))?;
                self.narrowed(d, d, 0)?;
                self.registers.unpin(e);
                d
            }
            hfma => {
                let words = [self.word(a, state)?, self.word(b, state)?, self.word(c, state)?];
                self.half_fused(words)?
            }
            hmin | hmax => {
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                let (v, w) = (self.temporary()?, self.temporary()?);
                self.widened(v, x)?;
                self.widened(w, y)?;
                // Conversions leave no signaling NaN.
                let d = self.extreme([(v, true), (w, true)], node.f == hmax)?;
                self.narrowed(d, d, 0)?;
                self.registers.unpin(v);
                self.registers.unpin(w);
                d
            }
            _ => return Err(Refused),
        })
    }

    /// a · b + c of halves: the product is exact in f32; the sum is rounded to odd there, which decides the rounding to f16
    /// as the exact sum would (Boldo and Melquiond 2008).
    fn half_fused(&mut self, [a, b, c]: [Reg; 3]) -> Done<Reg> {
        const ADD: Code = Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
        const SUB: Code = Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
        let [p, c2, sum, t, error] = [(); 5].map(|()| self.temporary());
        let [p, c2, sum, t, error] = [p?, c2?, sum?, t?, error?];
        self.widened(p, a)?;
        self.widened(t, b)?;
        self.widened(c2, c)?;
        self.op3(Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, zmm(p), zmm(p), zmm(t))?;
        self.op3(ADD, zmm(sum), zmm(p), zmm(c2))?;
        // What the sum lacks, exactly (Knuth): (p − (sum − c')) + (c − c'), c' = sum − p.
        self.op3(SUB, zmm(t), zmm(sum), zmm(p))?;
        self.op3(SUB, zmm(error), zmm(sum), zmm(t))?;
        self.op3(SUB, zmm(error), zmm(p), zmm(error))?;
        self.op3(SUB, zmm(t), zmm(c2), zmm(t))?;
        self.op3(ADD, zmm(error), zmm(error), zmm(t))?;
        // An inexact even sum goes one step towards the exact one: away from zero if the signs agree.
        let (one, zero, m) = (self.home(Home::Constant(1))?, self.home(Home::Constant(0))?, self.mask()?);
        self.imm3(Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, k(m), zmm(error), zmm(zero), F_DIFFERS)?;
        self.op3(Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, k(m), zmm(sum), zmm(one))?.set_op_mask(k(m));
        self.op3(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, zmm(error), zmm(error), zmm(sum))?;
        // 1, or −1 if the signs differ.
        self.imm2(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, zmm(error), zmm(error), 31)?;
        self.op3(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, zmm(error), zmm(error), zmm(one))?;
        self.op3(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, zmm(sum), zmm(sum), zmm(error))?.set_op_mask(k(m));
        self.narrowed(sum, sum, 0)?;
        self.free_mask(m);
        [one, zero, p, c2, t, error].into_iter().for_each(|r| self.registers.unpin(r));
        Ok(sum)
    }

    /// The high words of the products of even lanes and of odd lanes, and every second of both.
    fn high_product(&mut self, x: Reg, y: Reg, signed: bool) -> Done<Reg> {
        let code =
            if signed { Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64 } else { Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64 };
        let (even, odd) = (self.temporary()?, self.temporary()?);
        self.op3(code, zmm(even), zmm(x), zmm(y))?;
        let down = |e: &mut Self, d: Reg, s: Reg| {
            // All of its lanes are the same.
            if e.registers.is_alike(s) {
                return Ok(s);
            }
            e.imm2(Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, zmm(d), zmm(s), 32).map(|_| d)
        };
        let a = down(self, odd, x)?;
        let other = self.temporary()?;
        let b = down(self, other, y)?;
        self.op3(code, zmm(odd), zmm(a), zmm(b))?;
        self.imm3(Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8, zmm(even), zmm(even), zmm(odd), HIGH_WORDS)?;
        self.imm2(Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8, zmm(even), zmm(even), CROSSED)?;
        [odd, other].into_iter().for_each(|r| self.registers.unpin(r));
        Ok(even)
    }

    /// Minimum or maximum where a NaN loses and −0 < +0. The instruction does so once NaNs are quiet.
    fn extreme(&mut self, [x, y]: [(Reg, bool); 2], max: bool) -> Done<Reg> {
        let (d, t) = (self.temporary()?, self.temporary()?);
        let x = self.quieted(d, x)?;
        let y = self.quieted(t, y)?;
        let code = Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae;
        self.imm3(code, zmm(d), zmm(x), zmm(y), if max { MAXIMUM } else { MINIMUM })?;
        self.registers.unpin(t);
        Ok(d)
    }

    /// The value without signaling NaNs, in `d` if it may have some.
    fn quieted(&mut self, d: Reg, (x, quiet): (Reg, bool)) -> Done<Reg> {
        if quiet {
            return Ok(x);
        }
        let one = self.home(Home::Constant(1.0f32.to_bits()))?;
        self.op3(Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, zmm(d), zmm(x), zmm(one))?;
        self.registers.unpin(one);
        Ok(d)
    }

    fn reciprocal(&mut self, x: Reg) -> Done<Reg> {
        let one = self.home(Home::Constant(1.0f32.to_bits()))?;
        let d = self.temporary()?;
        self.op3(Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, zmm(d), zmm(one), zmm(x))?;
        self.registers.unpin(one);
        Ok(d)
    }

    /// Low halves to f32.
    fn widened(&mut self, d: Reg, x: Reg) -> Done<()> {
        self.op2(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, ymm(d), zmm(x))?;
        self.op2(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, zmm(d), ymm(d)).map(|_| ())
    }

    /// f32 to low halves, zeros above; `round` as in MODE.
    fn narrowed(&mut self, d: Reg, x: Reg, round: i32) -> Done<()> {
        self.imm2(Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, ymm(d), zmm(x), round)?;
        self.op2(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, zmm(d), ymm(d)).map(|_| ())
    }

    /// Two words of 16 lanes as 2 × 8 doubles: lanes 0, 1, 4, 5, … and 2, 3, 6, 7, …, in temporaries.
    fn interleaved(&mut self, low: Id, high: Id, state: &Values) -> Done<[Reg; 2]> {
        let (low, high) = (self.word(low, state)?, self.word(high, state)?);
        let (x, y) = (self.temporary()?, self.temporary()?);
        self.op3(Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32, zmm(x), zmm(low), zmm(high))?;
        self.op3(Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32, zmm(y), zmm(low), zmm(high))?;
        Ok([x, y])
    }

    /// An operation on doubles: the low words; the high words wait for their node.
    fn doubles(&mut self, node: &Node, at: usize, code: Double, state: &mut Values) -> Done<Reg> {
        let pairs = node.args.iter().filter(|&&a| a != Id::MAX).count() / 2;
        let mut x = Vec::with_capacity(3);
        for n in 0..pairs {
            x.push(self.interleaved(node.args[2 * n], node.args[2 * n + 1], state)?);
        }
        let first = x[0];
        for i in 0..2 {
            let d = zmm(first[i]);
            match code {
                Double::Unary(code, Some(immediate)) => self.imm2(code, d, d, immediate)?,
                Double::Unary(code, None) => self.op2(code, d, d)?,
                Double::Binary(code) => self.op3(code, d, d, zmm(x[1][i]))?,
                Double::Fused => {
                    self.op3(Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er, d, zmm(x[1][i]), zmm(x[2][i]))?
                }
            };
        }
        let high = self.temporary()?;
        let shuffle = Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8;
        self.imm3(shuffle, zmm(high), zmm(first[0]), zmm(first[1]), HIGH_WORDS)?;
        self.imm3(shuffle, zmm(first[0]), zmm(first[0]), zmm(first[1]), LOW_WORDS)?;
        self.registers.unpin(first[1]);
        x[1..].iter().flatten().for_each(|&r| self.registers.unpin(r));
        state.high[at] = Some(high);
        Ok(first[0])
    }

    /// A result by one instruction under EXEC, into the register's home; `false`: not this operation.
    pub(super) fn into_home_512(&mut self, node: &Node, v: u32, state: &mut Values) -> Done<bool> {
        let live = self.live();
        use F::*;
        let [a, b, c, ..] = node.args;
        let into = |e: &mut Self| e.home(Home::Vgpr(v, e.chunk));
        if node.f == ffma {
            let home = self.multiply_add_into((node, fused(node)), state, into, Self::bring_live)?;
            self.code.last_mut().ok_or(Refused)?.set_op_mask(live);
            self.written(home, node, state);
            return Ok(true);
        }
        let is_last = |e: &Self| e.condition(a, state).is_ok_and(|m| m == LAST) && !e.last_is_of_all();
        if node.f == sel && self.moving.is_none() && is_last(self) {
            // The mask has live lanes only.
            let (t, f) = (self.last(b, state)?, self.word(c, state)?);
            let home = into(self)?;
            if home != f {
                self.registers.unpin(home);
                return Ok(false);
            }
            self.bring_all(home, t)?;
            self.code.last_mut().ok_or(Refused)?.set_op_mask(k(LAST));
            self.written(home, node, state);
            return Ok(true);
        }
        if node.f == bits {
            let of = [Source::Word(self.word(a, state)?), Source::Word(self.word(b, state)?), self.last(c, state)?];
            let home = into(self)?;
            let at = of.iter().position(|s| matches!(s, Source::Word(r) if *r == home));
            if at.is_none() {
                self.bring_live(home, of[0])?;
            }
            let (mut of, at, mut table) = (of, at.unwrap_or(0), node.literal as u8);
            if at != 0 {
                of.swap(0, at);
                table = exchanged(table, at);
            }
            let Source::Word(second) = of[1] else { return Err(Refused) };
            let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
            self.last3_imm(code, zmm(home), second, of[2], table.into())?.set_op_mask(live);
            self.written(home, node, state);
            return Ok(true);
        }
        if let Some(code) = binary(node) {
            let [a, b] = self.last_in_memory(node, state);
            let (x, y) = (self.word(a, state)?, self.last(b, state)?);
            let home = into(self)?;
            self.last3(code, zmm(home), x, y)?.set_op_mask(live);
            self.written(home, node, state);
            return Ok(true);
        }
        if let Some((code, immediate)) = unary(node) {
            let x = self.last(a, state)?;
            let home = into(self)?;
            match immediate {
                Some(i) => self.last2_imm(code, zmm(home), x, i)?,
                None => self.last2(code, zmm(home), x)?,
            }
            .set_op_mask(live);
            self.written(home, node, state);
            return Ok(true);
        }
        Ok(false)
    }
}

//! Which operations are one instruction.

use crate::record::{F, Id, Node};
use crate::step::{INVERTED, LESS, NEGATED};
use iced_x86::Code;

/// Comparisons of integers, and of floats, as their immediates; floats quietly.
pub const EQ: i32 = 0;
pub const LT: i32 = 1;
pub const F_EQ: i32 = 0x00;
pub const F_LT: i32 = 0x11;
pub const F_LE: i32 = 0x12;
/// What makes a relation of either kind its contrary.
const CONTRARY: i32 = 4;
pub const F_UNORDERED: i32 = 0x03;
pub const F_ORDERED: i32 = 0x07;
/// Ordered and not equal.
pub const F_DIFFERS: i32 = 0x0c;
/// Rounding of VRNDSCALE: bits 1:0 as in MODE, bit 3 no exception.
pub const NEAREST: i32 = 8;
pub const DOWN: i32 = 9;
pub const UP: i32 = 10;
pub const TO_ZERO: i32 = 11;

/// An operation on two words that is one instruction.
pub fn binary(node: &Node) -> Option<Code> {
    Some(match node.f {
        F::add => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        F::sub => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
        F::mul => Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
        F::and => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        F::or => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        F::xor => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        F::smin => Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
        F::smax => Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
        F::umin => Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
        F::umax => Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
        F::fless => EXTREMES[0],
        F::fmore => EXTREMES[1],
        F::fadd if node.literal == LESS => Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        F::fadd => Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        F::fmul => Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        _ => return None,
    })
}

/// An operation on one word that is one instruction, and its immediate.
pub fn unary(node: &Node) -> Option<(Code, Option<i32>)> {
    let round = |how| (Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, Some(how));
    let shift = |code| (code, Some(node.literal as i32));
    Some(match node.f {
        F::shl if node.args[1] == Id::MAX => shift(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8),
        F::shr if node.args[1] == Id::MAX => shift(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8),
        F::sar if node.args[1] == Id::MAX => shift(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8),
        F::rotate => shift(Code::EVEX_Vprord_zmm_k1z_zmmm512b32_imm8),
        F::popcnt => (Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32, None),
        F::clz => (Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32, None),
        F::frndne => round(NEAREST),
        F::ffloor => round(DOWN),
        F::fceil => round(UP),
        F::ftrunc => round(TO_ZERO),
        F::fsqrt => (Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, None),
        F::f32_from_i32 => (Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, None),
        F::f32_from_u32 => (Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, None),
        _ => return None,
    })
}

/// Whether an instruction writes all lanes of its first operand, which it does not read, and may leave some of them.
pub fn takes_mask(code: Code) -> bool {
    use Code::*;
    matches!(
        code,
        EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er
            | EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae
            | EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae
            | EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae
            | EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er
            | EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae
            | EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae
            | EVEX_Vpmovzxwd_zmm_k1z_ymmm256
            | EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32
            | EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32
            | EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32
            | EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8
            | EVEX_Vmovdqa32_zmm_k1z_zmmm512
            | EVEX_Vpbroadcastd_zmm_k1z_xmmm32
    )
}

/// A comparison of words, and its immediate.
pub fn comparison(node: &Node) -> Option<(Code, i32)> {
    let float = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    let (code, relation) = match node.f {
        F::eq => (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, EQ),
        F::slt => (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, LT),
        F::ult => (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, LT),
        F::feq => (float, F_EQ),
        F::flt => (float, F_LT),
        F::fle => (float, F_LE),
        _ => return None,
    };
    Some((code, asked(node, relation)))
}

/// The relation of a comparison of doubles.
pub fn double_relation(f: F) -> i32 {
    match f {
        F::deq => F_EQ,
        F::dlt => F_LT,
        _ => F_LE,
    }
}

/// The relation or its contrary, as the node has it.
pub fn asked(node: &Node, relation: i32) -> i32 {
    if node.literal == INVERTED { relation ^ CONTRARY } else { relation }
}

/// An operation on eight doubles.
#[derive(Clone, Copy)]
pub enum Double {
    Unary(Code, Option<i32>),
    Binary(Code),
    Fused,
}

pub fn double(f: F) -> Option<Double> {
    let round = |how| Double::Unary(Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae, Some(how));
    Some(match f {
        F::dadd => Double::Binary(Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er),
        F::dmul => Double::Binary(Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er),
        F::dfma => Double::Fused,
        F::drndne => round(NEAREST),
        F::dfloor => round(DOWN),
        F::dceil => round(UP),
        F::dtrunc => round(TO_ZERO),
        F::dsqrt => Double::Unary(Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, None),
        _ => return None,
    })
}

/// A fused multiply-add whose first operand is the addend, and one whose first operand is a factor.
pub fn fused(node: &Node) -> [Code; 2] {
    match node.literal {
        0 => [Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er, Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er],
        LESS => [Code::EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er, Code::EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er],
        NEGATED => {
            [Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er, Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er]
        }
        _ => [Code::EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er, Code::EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er],
    }
}

/// Minimum and maximum: the second operand if one is NaN, or both are zeros.
pub const EXTREMES: [Code; 2] =
    [Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae];

//! What scalar instructions compute, in plain integers, after the RDNA 1 ISA document.

use wavepipe_isa::insts::{self as i, Op};

/// Result, and SCC if the instruction writes it.
pub type Out = (u64, Option<bool>);

fn ones(n: u64) -> u64 {
    (0..n.min(64)).fold(0, |m, k| m | 1 << k)
}

/// Sign of a field of `width` bits carried up.
fn signed_field(v: u64, width: u64) -> u64 {
    let field = v & ones(width);
    if width > 0 && width < 64 && field >> (width - 1) & 1 == 1 { field | !ones(width) } else { field }
}

/// Position from the top of the first bit that `is` accepts, −1 if none.
fn from_top(bits: u64, width: u64, is: impl Fn(u64, u64) -> bool) -> u64 {
    (0..width).find(|&n| is(bits >> (width - 1 - n) & 1, n)).unwrap_or(u64::from(u32::MAX))
}

fn from_bottom(bits: u64, width: u64, wanted: u64) -> u64 {
    (0..width).find(|&n| bits >> n & 1 == wanted).unwrap_or(u64::from(u32::MAX))
}

/// Sources in the row's order (64-bit ones whole; SIMM16 sign-extended; the old destination where the row names it).
/// `None`: not one of these.
pub fn result(op: Op, s: [u64; 3], scc: bool) -> Option<Out> {
    let (a, b) = (s[0], s[1]);
    let (au, bu) = (a as u32, b as u32);
    let (ai, bi) = (au as i32, bu as i32);
    let nonzero = |v: u64| (v, Some(v != 0));
    let keep = |v: u64| (v, None);
    let w = |v: u32| u64::from(v);
    Some(match op {
        i::S_ADD_U32 => (w(au.wrapping_add(bu)), Some(a + b > 0xffff_ffff)),
        i::S_SUB_U32 => (w(au.wrapping_sub(bu)), Some(bu > au)),
        i::S_ADD_I32 => (w(au.wrapping_add(bu)), Some(i32::try_from(i64::from(ai) + i64::from(bi)).is_err())),
        i::S_SUB_I32 => (w(au.wrapping_sub(bu)), Some(i32::try_from(i64::from(ai) - i64::from(bi)).is_err())),
        i::S_ADDC_U32 => {
            let sum = w(au) + w(bu) + u64::from(scc);
            (sum & 0xffff_ffff, Some(sum > 0xffff_ffff))
        }
        i::S_SUBB_U32 => {
            let d = i64::from(au) - i64::from(bu) - i64::from(scc);
            (d as u64 & 0xffff_ffff, Some(d < 0))
        }
        i::S_MIN_I32 => (w(ai.min(bi) as u32), Some(ai < bi)),
        i::S_MIN_U32 => (w(au.min(bu)), Some(au < bu)),
        i::S_MAX_I32 => (w(ai.max(bi) as u32), Some(ai > bi)),
        i::S_MAX_U32 => (w(au.max(bu)), Some(au > bu)),
        i::S_CSELECT_B32 | i::S_CSELECT_B64 => keep(if scc { a } else { b }),
        i::S_AND_B32 | i::S_AND_B64 => nonzero(a & b),
        i::S_OR_B32 | i::S_OR_B64 => nonzero(a | b),
        i::S_XOR_B32 | i::S_XOR_B64 => nonzero(a ^ b),
        i::S_ANDN2_B32 | i::S_ANDN2_B64 => nonzero(a & !b),
        i::S_ORN2_B32 => nonzero(w(au | !bu)),
        i::S_ORN2_B64 => nonzero(a | !b),
        i::S_NAND_B32 => nonzero(w(!(au & bu))),
        i::S_NAND_B64 => nonzero(!(a & b)),
        i::S_NOR_B32 => nonzero(w(!(au | bu))),
        i::S_NOR_B64 => nonzero(!(a | b)),
        i::S_XNOR_B32 => nonzero(w(!(au ^ bu))),
        i::S_XNOR_B64 => nonzero(!(a ^ b)),
        i::S_LSHL_B32 => nonzero(w(au << (bu & 31))),
        i::S_LSHL_B64 => nonzero(a << (b & 63)),
        i::S_LSHR_B32 => nonzero(w(au >> (bu & 31))),
        i::S_LSHR_B64 => nonzero(a >> (b & 63)),
        i::S_ASHR_I32 => nonzero(w((ai >> (bu & 31)) as u32)),
        i::S_ASHR_I64 => nonzero((a as i64 >> (b & 63)) as u64),
        i::S_BFM_B32 => keep(ones(a & 31) << (b & 31) & 0xffff_ffff),
        i::S_BFM_B64 => keep(ones(a & 63) << (b & 63)),
        i::S_MUL_I32 => keep(w(au.wrapping_mul(bu))),
        i::S_MUL_HI_U32 => keep((w(au) * w(bu)) >> 32),
        i::S_MUL_HI_I32 => keep((i64::from(ai) * i64::from(bi) >> 32) as u64 & 0xffff_ffff),
        i::S_BFE_U32 => nonzero(w(au) >> (b & 31) & ones(b >> 16 & 0x7f)),
        i::S_BFE_I32 => {
            nonzero(signed_field((i64::from(ai) >> (b & 31)) as u64, (b >> 16 & 0x7f).min(32)) & 0xffff_ffff)
        }
        i::S_BFE_U64 => nonzero(a >> (b & 63) & ones(b >> 16 & 0x7f)),
        i::S_BFE_I64 => nonzero(signed_field((a as i64 >> (b & 63)) as u64, (b >> 16 & 0x7f).min(64))),
        i::S_ABSDIFF_I32 => {
            let d = ai.wrapping_sub(bi);
            nonzero(w(if d < 0 { d.wrapping_neg() } else { d } as u32))
        }
        i::S_LSHL1_ADD_U32 | i::S_LSHL2_ADD_U32 | i::S_LSHL3_ADD_U32 | i::S_LSHL4_ADD_U32 => {
            let n = [i::S_LSHL1_ADD_U32, i::S_LSHL2_ADD_U32, i::S_LSHL3_ADD_U32, i::S_LSHL4_ADD_U32]
                .iter()
                .position(|&o| o == op)?;
            let sum = (w(au) << (n + 1)) + w(bu);
            (sum & 0xffff_ffff, Some(sum >= 0x1_0000_0000))
        }
        i::S_PACK_LL_B32_B16 => keep((b & 0xffff) << 16 | a & 0xffff),
        i::S_PACK_LH_B32_B16 => keep((b >> 16 & 0xffff) << 16 | a & 0xffff),
        i::S_PACK_HH_B32_B16 => keep((b >> 16 & 0xffff) << 16 | a >> 16 & 0xffff),

        i::S_MOV_B32 | i::S_MOV_B64 | i::S_MOVK_I32 => keep(a),
        i::S_CMOV_B32 | i::S_CMOV_B64 | i::S_CMOVK_I32 => keep(if scc { a } else { s[2] }),
        i::S_NOT_B32 => nonzero(w(!au)),
        i::S_NOT_B64 => nonzero(!a),
        i::S_WQM_B32 | i::S_WQM_B64 => nonzero((0..64).filter(|k| a >> (k & !3) & 15 != 0).fold(0, |d, k| d | 1 << k)),
        i::S_QUADMASK_B32 | i::S_QUADMASK_B64 => {
            nonzero((0..16).filter(|k| a >> (4 * k) & 15 != 0).fold(0, |d, k| d | 1 << k))
        }
        i::S_BREV_B32 => keep((0..32).filter(|k| a >> k & 1 == 1).fold(0, |d, k| d | 1 << (31 - k))),
        i::S_BREV_B64 => keep((0..64).filter(|k| a >> k & 1 == 1).fold(0, |d, k| d | 1 << (63 - k))),
        i::S_BCNT0_I32_B32 => nonzero((0..32).filter(|k| a >> k & 1 == 0).count() as u64),
        i::S_BCNT0_I32_B64 => nonzero((0..64).filter(|k| a >> k & 1 == 0).count() as u64),
        i::S_BCNT1_I32_B32 => nonzero((0..32).filter(|k| a >> k & 1 == 1).count() as u64),
        i::S_BCNT1_I32_B64 => nonzero((0..64).filter(|k| a >> k & 1 == 1).count() as u64),
        i::S_FF0_I32_B32 => keep(from_bottom(a, 32, 0)),
        i::S_FF0_I32_B64 => keep(from_bottom(a, 64, 0)),
        i::S_FF1_I32_B32 => keep(from_bottom(a, 32, 1)),
        i::S_FF1_I32_B64 => keep(from_bottom(a, 64, 1)),
        i::S_FLBIT_I32_B32 => keep(from_top(a, 32, |bit, _| bit == 1)),
        i::S_FLBIT_I32_B64 => keep(from_top(a, 64, |bit, _| bit == 1)),
        i::S_FLBIT_I32 => keep(from_top(a, 32, |bit, n| n > 0 && bit != a >> 31 & 1)),
        i::S_FLBIT_I32_I64 => keep(from_top(a, 64, |bit, n| n > 0 && bit != a >> 63)),
        i::S_SEXT_I32_I8 => keep(signed_field(a, 8) & 0xffff_ffff),
        i::S_SEXT_I32_I16 => keep(signed_field(a, 16) & 0xffff_ffff),
        i::S_BITSET0_B32 => keep(b & !(1 << (a & 31))),
        i::S_BITSET0_B64 => keep(b & !(1 << (a & 63))),
        i::S_BITSET1_B32 => keep(b | 1 << (a & 31)),
        i::S_BITSET1_B64 => keep(b | 1 << (a & 63)),
        i::S_ABS_I32 => nonzero(w(if ai < 0 { ai.wrapping_neg() } else { ai } as u32)),
        i::S_BITREPLICATE_B64_B32 => keep((0..32).filter(|k| a >> k & 1 == 1).fold(0, |d, k| d | 3 << (2 * k))),
        i::S_ADDK_I32 => (w(au.wrapping_add(bu)), Some(i32::try_from(i64::from(ai) + i64::from(bi)).is_err())),
        i::S_MULK_I32 => keep(w(au.wrapping_mul(bu))),
        _ => return None,
    })
}

/// SCC of a scalar comparison.
pub fn compare(op: Op, a: u64, b: u64) -> Option<bool> {
    let (au, bu) = (a as u32, b as u32);
    let (ai, bi) = (au as i32, bu as i32);
    let k = b & 0xffff;
    Some(match op {
        i::S_CMP_EQ_I32 | i::S_CMP_EQ_U32 | i::S_CMPK_EQ_I32 => au == bu,
        i::S_CMP_LG_I32 | i::S_CMP_LG_U32 | i::S_CMPK_LG_I32 => au != bu,
        i::S_CMP_GT_I32 | i::S_CMPK_GT_I32 => ai > bi,
        i::S_CMP_GE_I32 | i::S_CMPK_GE_I32 => ai >= bi,
        i::S_CMP_LT_I32 | i::S_CMPK_LT_I32 => ai < bi,
        i::S_CMP_LE_I32 | i::S_CMPK_LE_I32 => ai <= bi,
        i::S_CMP_GT_U32 => au > bu,
        i::S_CMP_GE_U32 => au >= bu,
        i::S_CMP_LT_U32 => au < bu,
        i::S_CMP_LE_U32 => au <= bu,
        i::S_CMPK_EQ_U32 => a == k,
        i::S_CMPK_LG_U32 => a != k,
        i::S_CMPK_GT_U32 => a > k,
        i::S_CMPK_GE_U32 => a >= k,
        i::S_CMPK_LT_U32 => a < k,
        i::S_CMPK_LE_U32 => a <= k,
        i::S_BITCMP0_B32 => a >> (b & 31) & 1 == 0,
        i::S_BITCMP1_B32 => a >> (b & 31) & 1 == 1,
        i::S_BITCMP0_B64 => a >> (b & 63) & 1 == 0,
        i::S_BITCMP1_B64 => a >> (b & 63) & 1 == 1,
        i::S_CMP_EQ_U64 => a == b,
        i::S_CMP_LG_U64 => a != b,
        _ => return None,
    })
}

/// (S0, EXEC) → EXEC.
pub type Combine = fn(u64, u64) -> u64;

/// What EXEC becomes: (S0, EXEC) → EXEC; and whether the destination gets the new EXEC instead of the old.
pub fn exec_of(op: Op) -> Option<(Combine, bool)> {
    Some(match op {
        i::S_AND_SAVEEXEC_B32 | i::S_AND_SAVEEXEC_B64 => (|s, e| s & e, false),
        i::S_OR_SAVEEXEC_B32 | i::S_OR_SAVEEXEC_B64 => (|s, e| s | e, false),
        i::S_XOR_SAVEEXEC_B32 | i::S_XOR_SAVEEXEC_B64 => (|s, e| s ^ e, false),
        i::S_ANDN2_SAVEEXEC_B32 | i::S_ANDN2_SAVEEXEC_B64 => (|s, e| s & !e, false),
        i::S_ORN2_SAVEEXEC_B32 | i::S_ORN2_SAVEEXEC_B64 => (|s, e| s | !e, false),
        i::S_NAND_SAVEEXEC_B32 | i::S_NAND_SAVEEXEC_B64 => (|s, e| !(s & e), false),
        i::S_NOR_SAVEEXEC_B32 | i::S_NOR_SAVEEXEC_B64 => (|s, e| !(s | e), false),
        i::S_XNOR_SAVEEXEC_B32 | i::S_XNOR_SAVEEXEC_B64 => (|s, e| !(s ^ e), false),
        i::S_ANDN1_SAVEEXEC_B32 | i::S_ANDN1_SAVEEXEC_B64 => (|s, e| !s & e, false),
        i::S_ORN1_SAVEEXEC_B32 | i::S_ORN1_SAVEEXEC_B64 => (|s, e| !s | e, false),
        i::S_ANDN1_WREXEC_B32 | i::S_ANDN1_WREXEC_B64 => (|s, e| !s & e, true),
        i::S_ANDN2_WREXEC_B32 | i::S_ANDN2_WREXEC_B64 => (|s, e| s & !e, true),
        _ => return None,
    })
}

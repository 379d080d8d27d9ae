//! Integer and bit operations of one lane, in plain wide integers, after the RDNA 1 ISA document.

use wavepipe_isa::insts::{self as i, Op};

pub fn sext(v: u64, bits: u32) -> i128 {
    i128::from((v << (64 - bits)) as i64 >> (64 - bits))
}

pub fn byte(v: u64, n: u32) -> u64 {
    v >> (8 * n) & 0xff
}

/// Σ |a − b| over four bytes; with `masked`, those of b that are zero do not count.
pub fn sad(a: u64, b: u64, masked: bool) -> i128 {
    (0..4).filter(|&n| !masked || byte(b, n) != 0).map(|n| (byte(a, n) as i128 - byte(b, n) as i128).abs()).sum()
}

fn middle(mut v: [i128; 3]) -> i128 {
    v.sort_unstable();
    v[1]
}

/// Integer results before they are cut to the destination's width: what the clamp bit saturates.
/// Sources as they stand in registers, extended from 32 bits by zeros.
pub fn wide_integer(op: Op, s: [u64; 3], carry: bool) -> Option<i128> {
    let u = s.map(|v| i128::from(v & 0xffff_ffff));
    let n = s.map(|v| sext(v, 32));
    let h = s.map(|v| i128::from(v & 0xffff));
    let g = s.map(|v| sext(v, 16));
    let c = i128::from(carry);
    Some(match op {
        i::V_ADD_NC_U32 | i::V_ADD_CO_U32 | i::V_ADD_CO_U32_VCC => u[0] + u[1],
        i::V_SUB_NC_U32 | i::V_SUB_CO_U32 | i::V_SUB_CO_U32_VCC => u[0] - u[1],
        i::V_SUBREV_NC_U32 | i::V_SUBREV_CO_U32 | i::V_SUBREV_CO_U32_VCC => u[1] - u[0],
        i::V_SUBREV_U16 => h[1] - h[0],
        i::V_DOT2_I32_I16 => {
            (0..2).map(|k| sext(s[0] >> (16 * k), 16) * sext(s[1] >> (16 * k), 16)).sum::<i128>() + n[2]
        }
        i::V_DOT2_U32_U16 => {
            (0..2).map(|k| i128::from(s[0] >> (16 * k) & 0xffff) * i128::from(s[1] >> (16 * k) & 0xffff)).sum::<i128>()
                + u[2]
        }
        i::V_DOT4_I32_I8 | i::V_DOT4C_I32_I8 => {
            (0..4).map(|k| sext(s[0] >> (8 * k), 8) * sext(s[1] >> (8 * k), 8)).sum::<i128>() + n[2]
        }
        i::V_DOT4_U32_U8 => (0..4).map(|k| i128::from(byte(s[0], k)) * i128::from(byte(s[1], k))).sum::<i128>() + u[2],
        i::V_DOT8_I32_I4 => (0..8).map(|k| sext(s[0] >> (4 * k), 4) * sext(s[1] >> (4 * k), 4)).sum::<i128>() + n[2],
        i::V_DOT8_U32_U4 => {
            (0..8).map(|k| i128::from(s[0] >> (4 * k) & 15) * i128::from(s[1] >> (4 * k) & 15)).sum::<i128>() + u[2]
        }
        i::V_ADD_CO_CI_U32 => u[0] + u[1] + c,
        i::V_SUB_CO_CI_U32 => u[0] - u[1] - c,
        i::V_SUBREV_CO_CI_U32 => u[1] - u[0] - c,
        i::V_ADD_NC_I32 => n[0] + n[1],
        i::V_SUB_NC_I32 => n[0] - n[1],
        i::V_ADD_NC_U16 => h[0] + h[1],
        i::V_SUB_NC_U16 => h[0] - h[1],
        i::V_ADD_NC_I16 => g[0] + g[1],
        i::V_SUB_NC_I16 => g[0] - g[1],
        i::V_MAD_U16 | i::V_MAD_LEGACY_U16 => h[0] * h[1] + h[2],
        i::V_MAD_I16 | i::V_MAD_LEGACY_I16 => g[0] * g[1] + g[2],
        i::V_MAD_U32_U16 => h[0] * h[1] + u[2],
        i::V_MAD_I32_I16 => g[0] * g[1] + n[2],
        i::V_MUL_LO_U16 => h[0] * h[1],
        i::V_MUL_U32_U24 => (u[0] & 0xff_ffff) * (u[1] & 0xff_ffff),
        i::V_MUL_I32_I24 => sext(s[0], 24) * sext(s[1], 24),
        i::V_MAD_U32_U24 => (u[0] & 0xff_ffff) * (u[1] & 0xff_ffff) + u[2],
        i::V_MAD_I32_I24 => sext(s[0], 24) * sext(s[1], 24) + n[2],
        i::V_SAD_U8 => sad(s[0], s[1], false) + u[2],
        i::V_SAD_HI_U8 => (sad(s[0], s[1], false) << 16) + u[2],
        i::V_SAD_U16 => (h[0] - h[1]).abs() + ((u[0] >> 16) - (u[1] >> 16)).abs() + u[2],
        i::V_SAD_U32 => (u[0] - u[1]).abs() + u[2],
        i::V_MSAD_U8 => sad(s[0], s[1], true) + u[2],
        i::V_MAD_U64_U32 => u[0] * u[1] + i128::from(s[2]),
        i::V_MAD_I64_I32 => n[0] * n[1] + i128::from(s[2] as i64),
        _ => return None,
    })
}

/// As [`wide_integer`], one half of a packed instruction.
pub fn packed_integer(op: Op, s: [u64; 3]) -> Option<i128> {
    let h = s.map(|v| i128::from(v & 0xffff));
    let g = s.map(|v| sext(v, 16));
    Some(match op {
        i::V_PK_MAD_I16 => g[0] * g[1] + g[2],
        i::V_PK_MAD_U16 => h[0] * h[1] + h[2],
        i::V_PK_ADD_I16 => g[0] + g[1],
        i::V_PK_ADD_U16 => h[0] + h[1],
        i::V_PK_SUB_I16 => g[0] - g[1],
        i::V_PK_SUB_U16 => h[0] - h[1],
        i::V_PK_MUL_LO_U16 => h[0] * h[1],
        i::V_PK_LSHLREV_B16 => h[1] << (h[0] & 15),
        i::V_PK_LSHRREV_B16 => h[1] >> (h[0] & 15),
        i::V_PK_ASHRREV_I16 => g[1] >> (h[0] & 15),
        i::V_PK_MAX_I16 => g[0].max(g[1]),
        i::V_PK_MIN_I16 => g[0].min(g[1]),
        i::V_PK_MAX_U16 => h[0].max(h[1]),
        i::V_PK_MIN_U16 => h[0].min(h[1]),
        _ => return None,
    })
}

/// Integer and bit operations of 32 bits and fewer that nothing saturates.
pub fn bits(op: Op, s: [u64; 3]) -> Option<u64> {
    let [a, b, c] = s.map(|v| v & 0xffff_ffff);
    let n = s.map(|v| sext(v, 32));
    let g = s.map(|v| sext(v, 16));
    let h = s.map(|v| v & 0xffff);
    let cut = |v: i128| v as u32 as u64;
    Some(match op {
        i::V_MOV_B32 => a,
        i::V_NOT_B32 => !a,
        i::V_BFREV_B32 => (0..32).filter(|k| a >> k & 1 == 1).fold(0, |d, k| d | 1 << (31 - k)),
        i::V_FFBH_U32 => (0..32).find(|k| a >> (31 - k) & 1 == 1).unwrap_or(0xffff_ffff),
        i::V_FFBL_B32 => (0..32).find(|k| a >> k & 1 == 1).unwrap_or(0xffff_ffff),
        i::V_FFBH_I32 => (1..32).find(|k| a >> (31 - k) & 1 != a >> 31).unwrap_or(0xffff_ffff),
        i::V_SAT_PK_U8_I16 => (g[0].clamp(0, 255) | sext(a >> 16, 16).clamp(0, 255) << 8) as u64,
        i::V_AND_B32 => a & b,
        i::V_OR_B32 => a | b,
        i::V_XOR_B32 => a ^ b,
        i::V_XNOR_B32 => !(a ^ b),
        i::V_SCREEN_PARTITION_4SE_B32 => engines(a),
        i::V_LSHR_B32 => a >> (b & 31),
        i::V_ASHR_I32 => cut(n[0] >> (b & 31)),
        i::V_LSHL_B32 => a << (b & 31),
        i::V_LSHRREV_B32 => b >> (a & 31),
        i::V_ASHRREV_I32 => cut(n[1] >> (a & 31)),
        i::V_LSHLREV_B32 => b << (a & 31),
        i::V_MUL_HI_I32_I24 => cut((sext(a, 24) * sext(b, 24)) >> 32),
        i::V_MUL_HI_U32_U24 => ((a & 0xff_ffff) * (b & 0xff_ffff)) >> 32,
        i::V_MIN_I32 => cut(n[0].min(n[1])),
        i::V_MAX_I32 => cut(n[0].max(n[1])),
        i::V_MIN_U32 => a.min(b),
        i::V_MAX_U32 => a.max(b),
        i::V_BFE_U32 => a >> (b & 31) & ((1 << (c & 31)) - 1),
        i::V_BFE_I32 => match c as u32 & 31 {
            0 => 0,
            width => cut(sext((n[0] >> (b & 31)) as u64, width)),
        },
        i::V_BFI_B32 => (a & b) | (!a & c),
        i::V_BFM_B32 => ((1u64 << (a & 31)) - 1) << (b & 31),
        i::V_LERP_U8 => (0..4).fold(0, |d, k| d | ((byte(a, k) + byte(b, k) + (c >> (8 * k) & 1)) >> 1) << (8 * k)),
        i::V_ALIGNBIT_B32 => (a << 32 | b) >> (c & 31),
        i::V_ALIGNBYTE_B32 => (a << 32 | b) >> (8 * (c & 3)),
        i::V_MIN3_I32 => cut(n[0].min(n[1]).min(n[2])),
        i::V_MAX3_I32 => cut(n[0].max(n[1]).max(n[2])),
        i::V_MED3_I32 => cut(middle(n)),
        i::V_MIN3_U32 => a.min(b).min(c),
        i::V_MAX3_U32 => a.max(b).max(c),
        i::V_MED3_U32 => middle([a, b, c].map(i128::from)) as u64,
        i::V_MUL_LO_U32 | i::V_MUL_LO_I32 => cut(n[0] * n[1]),
        i::V_MUL_HI_U32 => (a * b) >> 32,
        i::V_MUL_HI_I32 => cut((n[0] * n[1]) >> 32),
        i::V_XOR3_B32 => a ^ b ^ c,
        i::V_OR3_B32 => a | b | c,
        i::V_AND_OR_B32 => a & b | c,
        i::V_ADD3_U32 => a + b + c,
        i::V_LSHL_OR_B32 => (a << (b & 31)) | c,
        i::V_LSHL_ADD_U32 => ((a << (b & 31)) & 0xffff_ffff) + c,
        i::V_ADD_LSHL_U32 => ((a + b) & 0xffff_ffff) << (c & 31),
        i::V_XAD_U32 => (a ^ b) + c,
        i::V_PERM_B32 => (0..4).fold(0, |d, k| {
            // The eight bytes: S1's below S0's.
            let all = a << 32 | b;
            let sign = |n: u32| if byte(all, n) & 0x80 != 0 { 0xff } else { 0 };
            let v = match byte(c, k) as u32 {
                sel @ 0..=7 => byte(all, sel),
                sel @ 8..=11 => sign(2 * (sel - 8) + 1),
                12 => 0,
                _ => 0xff,
            };
            d | v << (8 * k)
        }),
        i::V_BCNT_U32_B32 => b + (0..32).filter(|k| a >> k & 1 == 1).count() as u64,
        i::V_CVT_PK_U16_U32 => a.min(0xffff) | b.min(0xffff) << 16,
        i::V_CVT_PK_I16_I32 => {
            let half = |v: i128| (v.clamp(-0x8000, 0x7fff) as u64) & 0xffff;
            half(n[0]) | half(n[1]) << 16
        }
        i::V_PACK_B32_F16 => h[0] | h[1] << 16,

        i::V_LSHLREV_B16 => h[1] << (a & 15),
        i::V_LSHRREV_B16 => h[1] >> (a & 15),
        i::V_ASHRREV_I16 => cut(g[1] >> (a & 15)),
        i::V_MAX_U16 => h[0].max(h[1]),
        i::V_MIN_U16 => h[0].min(h[1]),
        i::V_MAX_I16 => cut(g[0].max(g[1])),
        i::V_MIN_I16 => cut(g[0].min(g[1])),
        i::V_MIN3_I16 => cut(g[0].min(g[1]).min(g[2])),
        i::V_MAX3_I16 => cut(g[0].max(g[1]).max(g[2])),
        i::V_MED3_I16 => cut(middle(g)),
        i::V_MIN3_U16 => h[0].min(h[1]).min(h[2]),
        i::V_MAX3_U16 => h[0].max(h[1]).max(h[2]),
        i::V_MED3_U16 => middle(h.map(i128::from)) as u64,
        _ => return None,
    })
}

/// Which of four shader engines the tiles of a rectangle belong to: tiles by two bits of each coordinate, least and greatest (from
/// bit 4 and bit 0 on, x in front of y), going round; a tile's engine is { y[0] ^ x[1], x[0] ^ y[1] }.
fn engines(v: u64) -> u64 {
    let field = |n: u32| v >> (2 * n) & 3;
    let span = |from: u64, to: u64| (0..=to.wrapping_sub(from) & 3).map(move |k| (from + k) & 3);
    let engine = |x: u64, y: u64| ((y ^ x >> 1) & 1) << 1 | (x ^ y >> 1) & 1;
    let tiles = span(field(2), field(0)).flat_map(|x| span(field(3), field(1)).map(move |y| (x, y)));
    tiles.fold(0, |mask, (x, y)| mask | 1 << engine(x, y))
}

/// Four sums over bytes of S0, a byte apart.
pub fn quad_sad(op: Op, a: u64, b: u64, c: u64, clamp: bool) -> u64 {
    (0..4).fold(0, |d, k| {
        let sum = sad(a >> (8 * k), b, op == i::V_MQSAD_PK_U16_U8) + i128::from(c >> (16 * k) & 0xffff);
        let sum = if clamp { sum.min(0xffff) } else { sum };
        d | (sum as u64 & 0xffff) << (16 * k)
    })
}

//! What a lane, or a pair of lanes, of integers becomes.

use super::cpu::Zmm;
use iced_x86::Mnemonic;

/// Of two dwords.
pub fn binary(m: Mnemonic) -> Option<fn(u32, u32) -> u32> {
    use Mnemonic::*;
    Some(match m {
        Vpaddd => u32::wrapping_add,
        Vpsubd => u32::wrapping_sub,
        Vpmulld => u32::wrapping_mul,
        Vpandd => |a, b| a & b,
        Vpandnd => |a, b| !a & b,
        Vpord => |a, b| a | b,
        Vpxord => |a, b| a ^ b,
        Vpminud => u32::min,
        Vpmaxud => u32::max,
        Vpminsd => |a, b| (a as i32).min(b as i32) as u32,
        Vpmaxsd => |a, b| (a as i32).max(b as i32) as u32,
        Vpsllvd | Vpslld => |a, n| a.checked_shl(n).unwrap_or(0),
        Vpsrlvd | Vpsrld => |a, n| a.checked_shr(n).unwrap_or(0),
        Vpsravd | Vpsrad => |a, n| (a as i32 >> n.min(31)) as u32,
        Vprord => |a, n| a.rotate_right(n & 31),
        _ => return None,
    })
}

/// Of a dword.
pub fn unary(m: Mnemonic) -> Option<fn(u32) -> u32> {
    use Mnemonic::*;
    Some(match m {
        Vplzcntd => u32::leading_zeros,
        Vpopcntd => u32::count_ones,
        _ => return None,
    })
}

/// Of two qwords.
pub fn wide(m: Mnemonic) -> Option<fn(u64, u64) -> u64> {
    use Mnemonic::*;
    Some(match m {
        Vpmuludq => |a, b| (a & 0xffff_ffff) * (b & 0xffff_ffff),
        Vpmuldq => |a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64,
        Vpsrlq => |a, n| a.checked_shr(n as u32).unwrap_or(0),
        _ => return None,
    })
}

/// VPCMPD, VPCMPUD: what the immediate asks for.
pub fn compares(a: i64, b: i64, immediate: u64) -> bool {
    match immediate & 7 {
        0 => a == b,
        1 => a < b,
        2 => a <= b,
        3 => false,
        4 => a != b,
        5 => a >= b,
        6 => a > b,
        _ => true,
    }
}

/// Bit by bit, the immediate's bit that the three number.
pub fn ternary(a: u32, b: u32, c: u32, immediate: u64) -> u32 {
    (0..8).filter(|n| immediate >> n & 1 != 0).fold(0, |sum, n| {
        let of = |x: u32, bit: u32| if n >> bit & 1 != 0 { x } else { !x };
        sum | of(a, 2) & of(b, 1) & of(c, 0)
    })
}

/// Moves of lanes by the dword; `None`: not one of these. `d` is what the destination holds.
pub fn moved(m: Mnemonic, d: &Zmm, a: &Zmm, b: &Zmm, immediate: u64) -> Option<Zmm> {
    use Mnemonic::*;
    let pick = |low: &Zmm, high: &Zmm, n: u32| if n & 16 == 0 { low[n as usize & 15] } else { high[n as usize & 15] };
    let two = |n: u32| (immediate >> n & 3) as usize;
    Some(std::array::from_fn(|i| {
        let (part, lane) = (i & !3, i & 3);
        match m {
            Valignd => pick(b, a, i as u32 + (immediate as u32 & 15)),
            Vpermd => b[a[i] as usize & 15],
            Vpermi2d => pick(a, b, d[i]),
            Vpermt2d => pick(d, b, a[i]),
            Vpermt2q => pick(d, b, (a[i & !1] & 15) << 1 | (i as u32 & 1)),
            Vpunpckldq => [a, b][lane & 1][part + lane / 2],
            Vpunpckhdq => [a, b][lane & 1][part + 2 + lane / 2],
            Vshufps => [a, b][lane / 2][part + two(2 * lane as u32)],
            Vshufi64x2 => [a, b][i / 8][4 * two(2 * (i as u32 / 4)) + lane],
            _ => 0,
        }
    }))
    .filter(|_| {
        matches!(m, Valignd | Vpermd | Vpermi2d | Vpermt2d | Vpermt2q | Vpunpckldq | Vpunpckhdq | Vshufps | Vshufi64x2)
    })
}

//! zmm registers, what masks do to them, and their memory.

use super::cpu::{Cpu, Zmm, read, write};
use super::{floats, integers};
use iced_x86::{Instruction, Mnemonic, OpKind, Register, RoundingControl};

/// Whether it was one of these.
///
/// # Safety
/// A memory operand can be accessed in the lanes that the instruction accesses.
pub unsafe fn step(s: &mut Cpu, i: &Instruction) -> bool {
    let rounding = i.rounding_control();
    assert!(matches!(rounding, RoundingControl::None | RoundingControl::RoundToNearest), "{i}: {rounding:?}");
    // SAFETY: the caller's promise.
    unsafe { of_memory(s, i) || to_mask(s, i) || moves(s, i) || lanes(s, i) || pairs(s, i) }
}

/// An operand that is an immediate; 0 if there is none.
fn immediate_at(i: &Instruction, n: u32) -> u64 {
    if i.op_count() > n { i.immediate(n) } else { 0 }
}

/// The lanes that an instruction writes, by its mask.
fn live(s: &Cpu, i: &Instruction) -> u64 {
    match i.op_mask() {
        Register::None => u64::MAX,
        k => s.k[k.number()],
    }
}

/// A vector operand. Of memory only the lanes that live are read, and the others are zero.
///
/// # Safety
/// Memory can be read, in the lanes that live.
unsafe fn words(s: &Cpu, i: &Instruction, n: u32) -> Zmm {
    if i.op_kind(n) == OpKind::Register {
        return s.zmm[i.op_register(n).number()];
    }
    let (at, live) = (s.address(i), live(s, i));
    let dwords = i.memory_size().size() / 4;
    std::array::from_fn(|lane| {
        if live >> lane & 1 == 0 {
            return 0;
        }
        let word = if i.is_broadcast() { lane % (i.memory_size().element_size() / 4) } else { lane };
        // SAFETY: the caller's promise.
        if i.is_broadcast() || lane < dwords { unsafe { read(at + 4 * word as u64, 4) as u32 } } else { 0 }
    })
}

/// Parts of so many bits, one for each lane, extended by zeros, or by their sign. Of memory only those of lanes that live are read.
///
/// # Safety
/// As of [`words`].
unsafe fn parts(s: &Cpu, i: &Instruction, bits: usize, signed: bool) -> Zmm {
    let each = 32 / bits;
    let extended = |x: u32| if signed { ((x << (32 - bits)) as i32 >> (32 - bits)) as u32 } else { x };
    if i.op_kind(1) == OpKind::Register {
        let a = &s.zmm[i.op_register(1).number()];
        return std::array::from_fn(|n| extended(a[n / each] >> (bits * (n % each)) & (u32::MAX >> (32 - bits))));
    }
    let (at, live) = (s.address(i), live(s, i));
    let read = |n: usize| {
        // SAFETY: the caller's promise.
        extended(unsafe { read(at + (n * bits / 8) as u64, bits / 8) as u32 })
    };
    std::array::from_fn(|n| if live >> n & 1 != 0 { read(n) } else { 0 })
}

/// Dwords to the destination, under the mask; what lies above it is zero.
fn put(s: &mut Cpu, i: &Instruction, value: Zmm) {
    let (live, zeroing) = (live(s, i), i.zeroing_masking());
    let d = &mut s.zmm[i.op_register(0).number()];
    d[i.op_register(0).size() / 4..].fill(0);
    for (lane, (d, v)) in d.iter_mut().zip(value).take(i.op_register(0).size() / 4).enumerate() {
        match live >> lane & 1 {
            0 if zeroing => *d = 0,
            0 => {}
            _ => *d = v,
        }
    }
}

/// As [`put`], a mask's bit for each qword.
fn put_64(s: &mut Cpu, i: &Instruction, value: [u64; 8]) {
    assert_eq!(i.op_mask(), Register::None, "{i}: qwords under a mask");
    put(s, i, std::array::from_fn(|lane| (value[lane / 2] >> (32 * (lane % 2))) as u32));
}

fn qwords(words: &Zmm) -> [u64; 8] {
    std::array::from_fn(|n| u64::from(words[2 * n]) | u64::from(words[2 * n + 1]) << 32)
}

/// Moves between memory and registers, gathers and scatters.
///
/// # Safety
/// Memory can be accessed, in the lanes that live.
unsafe fn of_memory(s: &mut Cpu, i: &Instruction) -> bool {
    use Mnemonic::*;
    match i.mnemonic() {
        Vmovdqa32 | Vmovdqu32 | Vmovntdq | Vmovdqa | Vmovdqu => {
            let memory = i.op_kind(0) == OpKind::Memory || i.op_kind(1) == OpKind::Memory;
            if memory && !matches!(i.mnemonic(), Vmovdqu32 | Vmovdqu) {
                assert!(s.address(i).is_multiple_of(i.memory_size().size() as u64), "{i}: not aligned");
            }
            // SAFETY: the caller's promise.
            let value = unsafe { words(s, i, 1) };
            if i.op_kind(0) == OpKind::Register {
                put(s, i, value);
                return true;
            }
            let (at, live, lanes) = (s.address(i), live(s, i), i.memory_size().size() / 4);
            for (lane, v) in value.into_iter().take(lanes).enumerate().filter(|(lane, _)| live >> lane & 1 != 0) {
                // SAFETY: the caller's promise.
                unsafe { write(at + 4 * lane as u64, 4, v.into()) };
            }
        }
        Vpgatherdd | Vpscatterdd => {
            let load = i.mnemonic() == Vpgatherdd;
            let register = i.op_register(u32::from(!load)).number();
            let (indices, k) = (i.memory_index(), i.op_mask().number());
            assert!(k != 0 && !(load && indices.number() == register), "{i}");
            let (at, scale, indices) = (s.address(i), i64::from(i.memory_index_scale()), s.zmm[indices.number()]);
            for lane in (0..16).filter(|lane| s.k[k] >> lane & 1 != 0).collect::<Vec<_>>() {
                let at = at.wrapping_add_signed(i64::from(indices[lane] as i32) * scale);
                // SAFETY: the caller's promise.
                match load {
                    true => s.zmm[register][lane] = unsafe { read(at, 4) } as u32,
                    false => unsafe { write(at, 4, s.zmm[register][lane].into()) },
                }
            }
            s.k[k] = 0;
        }
        Vpbroadcastd => {
            let word = match i.op_kind(1) {
                OpKind::Register if !i.op_register(1).is_vector_register() => s.get(i.op_register(1)) as u32,
                OpKind::Register => s.zmm[i.op_register(1).number()][0],
                // SAFETY: the caller's promise.
                _ => unsafe { read(s.address(i), 4) as u32 },
            };
            put(s, i, [word; 16]);
        }
        Vmovd | Vpextrd => {
            let from = i.op_register(1);
            assert!(from.is_vector_register(), "{i}");
            let lane = if i.mnemonic() == Vpextrd { i.immediate(2) as usize & 3 } else { 0 };
            let word = s.zmm[from.number()][lane];
            // SAFETY: the caller's promise.
            unsafe { s.put(i, 0, word.into()) };
        }
        // Of the registers that older programs know, what lies above 128 bits.
        Vzeroupper => s.zmm[..16].iter_mut().for_each(|r| r[4..].fill(0)),
        _ => return false,
    }
    true
}

/// Results that are masks.
///
/// # Safety
/// As of [`step`].
unsafe fn to_mask(s: &mut Cpu, i: &Instruction) -> bool {
    use Mnemonic::*;
    let m = i.mnemonic();
    // SAFETY: the caller's promise.
    let source = |n: u32| unsafe { words(s, i, n) };
    let bits: u64 = match m {
        Vpcmpd | Vpcmpud | Vpcmpeqd | Vptestmd | Vptestnmd | Vcmpps => {
            let (a, b) = (source(1), source(2));
            let immediate = immediate_at(i, 3);
            let holds = |lane: usize| {
                let (a, b) = (a[lane], b[lane]);
                match m {
                    Vpcmpd => integers::compares((a as i32).into(), (b as i32).into(), immediate),
                    Vpcmpud => integers::compares(a.into(), b.into(), immediate),
                    Vpcmpeqd => a == b,
                    Vptestmd => a & b != 0,
                    Vptestnmd => a & b == 0,
                    _ => floats::compares(f32::from_bits(a).partial_cmp(&f32::from_bits(b)), immediate),
                }
            };
            (0..16).map(|lane| u64::from(holds(lane)) << lane).sum()
        }
        Vcmppd => {
            let (a, b) = (qwords(&source(1)), qwords(&source(2)));
            let order = |n: usize| f64::from_bits(a[n]).partial_cmp(&f64::from_bits(b[n]));
            (0..8).map(|n| u64::from(floats::compares(order(n), i.immediate(3))) << n).sum()
        }
        Vpmovd2m => {
            let a = source(1);
            (0..16).map(|lane| u64::from(a[lane] >> 31) << lane).sum()
        }
        _ => return false,
    };
    s.k[i.op_register(0).number()] = bits & live(s, i);
    true
}

/// Permutations, parts, and masks as lanes.
///
/// # Safety
/// As of [`step`].
unsafe fn moves(s: &mut Cpu, i: &Instruction) -> bool {
    use Mnemonic::*;
    let m = i.mnemonic();
    // SAFETY: the caller's promise.
    let source = |n: u32| unsafe { words(s, i, n) };
    let value = match m {
        Vpmovm2d | Vpmovm2q => {
            let k = s.k[i.op_register(1).number()];
            let bit = |lane: usize| if m == Vpmovm2q { lane / 2 } else { lane };
            std::array::from_fn(|lane| if k >> bit(lane) & 1 != 0 { u32::MAX } else { 0 })
        }
        Vpblendmd => {
            let (a, b, live) = (source(1), source(2), live(s, i));
            assert!(!i.zeroing_masking());
            let d = i.op_register(0).number();
            s.zmm[d] = std::array::from_fn(|lane| if live >> lane & 1 != 0 { b[lane] } else { a[lane] });
            return true;
        }
        Vextracti32x4 => {
            let a = source(1);
            let first = 4 * (i.immediate(2) as usize & 3);
            let value = std::array::from_fn(|lane| if lane < 4 { a[first + lane] } else { 0 });
            return narrow(s, i, value);
        }
        Vpmovdb => {
            let a = source(1);
            let byte = |n: usize| (a[n] & 0xff) << (8 * (n % 4));
            let four = |n: usize| if n < 4 { (4 * n..4 * n + 4).map(byte).sum() } else { 0 };
            return narrow(s, i, std::array::from_fn(four));
        }
        Vpmovdw | Vcvtps2ph => {
            let a = source(1);
            let half = |x: u32| if m == Vpmovdw { x & 0xffff } else { floats::narrowed(x, i.immediate(2)) };
            let pair = |n: usize| if n < 8 { half(a[2 * n]) | half(a[2 * n + 1]) << 16 } else { 0 };
            return narrow(s, i, std::array::from_fn(pair));
        }
        // SAFETY: the caller's promise.
        Vpmovzxbd | Vpmovsxbd => unsafe { parts(s, i, 8, m == Vpmovsxbd) },
        // SAFETY: as above.
        Vpmovzxwd | Vpmovsxwd => unsafe { parts(s, i, 16, m == Vpmovsxwd) },
        // SAFETY: as above.
        Vcvtph2ps => unsafe { parts(s, i, 16, false) }.map(floats::widened),
        Vpshufd => {
            let (a, immediate) = (source(1), i.immediate(2));
            std::array::from_fn(|n| a[(n & !3) + (immediate >> (2 * (n & 3)) & 3) as usize])
        }
        Valignd | Vpermd | Vpermi2d | Vpermt2d | Vpermt2q | Vpunpckldq | Vpunpckhdq | Vshufps | Vshufi64x2 => {
            let (a, b) = (source(1), source(2));
            let immediate = immediate_at(i, 3);
            let d = &s.zmm[i.op_register(0).number()];
            match integers::moved(m, d, &a, &b, immediate) {
                Some(value) => value,
                None => return false,
            }
        }
        _ => return false,
    };
    put(s, i, value);
    true
}

/// A result of less than a register: the rest of it is zero.
fn narrow(s: &mut Cpu, i: &Instruction, value: Zmm) -> bool {
    assert_eq!(i.op_mask(), Register::None, "{i}: parts under a mask");
    assert_eq!(i.op_kind(0), OpKind::Register, "{i}: parts to memory");
    s.zmm[i.op_register(0).number()] = value;
    true
}

/// Lane by lane, of dwords.
///
/// # Safety
/// As of [`step`].
unsafe fn lanes(s: &mut Cpu, i: &Instruction) -> bool {
    use Mnemonic::*;
    let m = i.mnemonic();
    // SAFETY: the caller's promise.
    let source = |n: u32| unsafe { words(s, i, n) };
    let value: Zmm = match m {
        Vpternlogd | Vrangeps => {
            let (a, b, immediate) = (source(1), source(2), i.immediate(3));
            let d = s.zmm[i.op_register(0).number()];
            std::array::from_fn(|n| match m {
                Vpternlogd => integers::ternary(d[n], a[n], b[n], immediate),
                _ => floats::range(a[n], b[n], immediate),
            })
        }
        _ => {
            if let Some(f) = integers::binary(m) {
                let a = source(1);
                match i.op_kind(2) {
                    OpKind::Immediate8 => {
                        let n = i.immediate(2) as u32;
                        a.map(|a| f(a, n))
                    }
                    _ => {
                        let b = source(2);
                        std::array::from_fn(|n| f(a[n], b[n]))
                    }
                }
            } else if let Some(f) = integers::unary(m) {
                source(1).map(f)
            } else if let Some(f) = floats::unary(m) {
                source(1).map(|a| f(a, immediate_at(i, 2)))
            } else if let Some(f) = floats::binary(m) {
                let (a, b) = (source(1), source(2));
                std::array::from_fn(|n| f(a[n], b[n]))
            } else if let Some(f) = floats::fused(m) {
                let (a, b) = (source(1), source(2));
                let d = s.zmm[i.op_register(0).number()];
                std::array::from_fn(|n| f(d[n], a[n], b[n]))
            } else {
                return false;
            }
        }
    };
    put(s, i, value);
    true
}

/// Lane by lane, of qwords.
///
/// # Safety
/// As of [`step`].
unsafe fn pairs(s: &mut Cpu, i: &Instruction) -> bool {
    let m = i.mnemonic();
    // SAFETY: the caller's promise.
    let source = |n: u32| qwords(&unsafe { words(s, i, n) });
    let value = if let Some(f) = integers::wide(m) {
        let a = source(1);
        match i.op_kind(2) {
            OpKind::Immediate8 => a.map(|a| f(a, i.immediate(2))),
            _ => {
                let b = source(2);
                std::array::from_fn(|n| f(a[n], b[n]))
            }
        }
    } else if let Some(f) = floats::unary_64(m) {
        source(1).map(|a| f(a, immediate_at(i, 2)))
    } else if let Some(f) = floats::binary_64(m) {
        let (a, b) = (source(1), source(2));
        let d = qwords(&s.zmm[i.op_register(0).number()]);
        std::array::from_fn(|n| f(d[n], a[n], b[n]))
    } else {
        return false;
    };
    put_64(s, i, value);
    true
}

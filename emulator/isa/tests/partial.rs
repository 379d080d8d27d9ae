//! Values that are defined in part: whatever the undefined bits of the sources are, the bits of the result that are said to be
//! defined stay what they are. Held for every row that has a body, by flipping them, with the one-lane reference for values.

use crate::common::Rng;
use wavepipe_isa::alu::{Bits, FpMode, Truth};
use wavepipe_isa::instr::{Extra, Mods, Sdwa};
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::partial::{self, Words};
use wavepipe_isa::reference;
use wavepipe_isa::row::{Row, Ty};
use wavepipe_isa::{Instr, Src};

/// Bits in which the interesting cases of integers, floats and masks are near.
fn word(rng: &mut Rng) -> u32 {
    match rng.below(6) {
        0 => {
            [0, !0, 1 << 31, 0x7fff_ffff, 0x3f80_0000, 0x7f80_0000, 0x0040_0000, 0x3c00, 0xffff][rng.below(9) as usize]
        }
        1 => rng.below(70),
        2 => rng.next() as u32 & 0x87ff_ffff | 0x3800_0000,
        3 => rng.next() as u32 & rng.next() as u32 & rng.next() as u32,
        4 => (rng.next() as i32 >> rng.below(31)) as u32,
        _ => rng.next() as u32,
    }
}

/// Which bits are undefined: none, a few, a byte, all above or below one, any.
fn undefined(rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0..=2 => 0,
        3 => 1 << rng.below(32),
        4 => 0xff << (8 * rng.below(4)),
        5 => !0 << rng.below(32),
        6 => !0 >> rng.below(32),
        _ => rng.next() as u32 & rng.next() as u32,
    }
}

fn whole(words: Words, part: impl Fn(Bits) -> u32) -> u64 {
    u64::from(part(words[0])) | u64::from(part(words[1])) << 32
}

fn flipped(rng: &mut Rng, words: Words) -> u64 {
    // All at once too: what is between the ends is found by chance, these are not.
    let bits = match rng.below(4) {
        0 => !0,
        1 => 0,
        _ => rng.next(),
    };
    let undefined = whole(words, |b| b.undefined);
    whole(words, |b| b.value) & !undefined | bits & undefined
}

/// Which NaN comes of NaNs is the host compiler's choice.
fn nan_as_one(value: u64, row: &Row) -> u64 {
    let half = |v: u64| if v & 0x7fff > 0x7c00 { 0x7e00 } else { v & 0xffff };
    match row.dst.first() {
        Some(Ty::F32) if f32::from_bits(value as u32).is_nan() => 0x7fc0_0000,
        Some(Ty::F64) if f64::from_bits(value).is_nan() => 0x7ff8 << 48,
        Some(Ty::F16 | Ty::F16Hi) => half(value),
        Some(Ty::PkF16) => half(value & 0xffff) | half(value >> 16) << 16,
        _ => value,
    }
}

const MODES: [u32; 4] = [0x1f0, 0x100, 0x3ff, 0x80_01f5];

#[test]
fn no_undefined_bit_changes_a_defined_one() {
    let mut rng = Rng(11);
    let (mut rows, mut kept) = (0, 0u64);
    for op in Op::all() {
        let mut some = false;
        for n in 0..400 {
            let mode = FpMode::from_bits(MODES[n % 4]);
            let s: [Words; 3] = [(); 3].map(|()| [(); 2].map(|()| Bits::new(word(&mut rng), undefined(&mut rng))));
            let carry = Truth::new(rng.chance(2), rng.chance(3));
            let Some((result, condition)) = partial::evaluate(op, s, carry, mode) else { break };
            some = true;
            let (value, out) = reference::evaluate(op, s.map(|w| whole(w, |b| b.value)), carry.value, mode).unwrap();
            let row = op.row();
            assert_eq!(
                (nan_as_one(whole(result, |b| b.value), row), condition.value),
                (nan_as_one(value, row), out),
                "{op:?} {s:x?}"
            );
            let defined = !whole(result, |b| b.undefined);
            kept += u64::from(defined.count_ones());
            for _ in 0..8 {
                let t = s.map(|w| flipped(&mut rng, w));
                let c = if carry.undefined { rng.chance(2) } else { carry.value };
                let (other, out) = reference::evaluate(op, t, c, mode).unwrap();
                assert_eq!(
                    (value ^ other) & defined,
                    0,
                    "{op:?} {s:x?} {carry:?} gives {result:x?}, but {t:x?} {other:#x}"
                );
                assert!(condition.undefined || out == condition.value, "{op:?} {s:x?} {carry:?}, but {t:x?}");
            }
        }
        rows += usize::from(some);
    }
    assert!(rows > 550, "{rows} rows have bodies");
    assert!(kept > 0);
}

fn name(text: &str) -> Op {
    Op::named(text).unwrap()
}

fn of(text: &str, sources: &[Bits]) -> Bits {
    let s: [Words; 3] = std::array::from_fn(|i| [sources.get(i).copied().unwrap_or_default(), Bits::default()]);
    partial::evaluate(name(text), s, Truth::default(), FpMode::default()).unwrap().0[0]
}

/// What is undefined where programs count on less: an algebra that calls all of them undefined passes the test above.
#[test]
fn what_is_defined_is_seen() {
    let (low, all) = (Bits::new(0, 0xff), Bits::new(0, !0));
    let is = Bits::defined;
    for (row, sources, undefined) in [
        ("v_and_b32", &[low, is(0xff00)][..], 0),
        ("v_and_b32", &[all, is(0x10)], 0x10),
        ("v_or_b32", &[low, is(0xff)], 0),
        ("v_or_b32", &[all, is(0xffff_0000)], 0xffff),
        ("v_xor_b32", &[low, is(5)], 0xff),
        ("v_lshlrev_b32", &[is(8), low], 0xff00),
        ("v_lshrrev_b32", &[is(8), low], 0),
        ("v_ashrrev_i32", &[is(8), Bits::new(0, 1 << 31)], 0xff80_0000),
        ("v_bfe_u32", &[Bits::new(0, 0xff00), is(16), is(8)], 0),
        ("v_bfe_u32", &[low, is(4), is(8)], 0xf),
        ("v_bfi_b32", &[is(0xff), is(7), low], 0),
        ("v_perm_b32", &[low, all, is(0x0706_0504)], 0xff),
        // Carries go up from the lowest undefined bit, as far as ones let them.
        ("v_add_nc_u32", &[Bits::new(0, 0x100), is(1)], 0x100),
        ("v_add_nc_u32", &[Bits::new(0, 0x100), is(0x100)], 0x300),
        ("v_sub_nc_u32", &[is(0x1000), Bits::new(0, 0x100)], 0x1f00),
        ("v_mul_lo_u32", &[Bits::new(0, 0x10), is(0x300)], 0xffff_f000),
        ("v_mul_lo_u32", &[all, is(0)], 0),
        ("v_mul_u32_u24", &[Bits::new(0, 0xff00_0000), is(3)], 0),
        ("v_cvt_f32_ubyte1", &[low], 0),
        ("v_cvt_f32_ubyte0", &[low], !0),
        ("v_add_f32", &[low, is(0)], !0),
        ("v_pack_b32_f16", &[low, is(0)], 0xff),
        ("v_pk_add_u16", &[Bits::new(0, 1), is(0)], 1),
        ("v_ffbh_u32", &[Bits::new(0x8000_0000, 0xff)], 0),
        ("v_max_u32", &[Bits::new(0, 0xff), is(0x100)], 0),
        ("s_bcnt1_i32_b32", &[Bits::new(0xf0, 1)], 1),
        ("s_cselect_b32", &[is(5), is(5), all], 0),
    ] {
        assert_eq!(of(row, sources).undefined, undefined, "{row} {sources:x?}");
    }
    let compare = |text: &str, x: Bits, y: Bits| {
        let s = [[x, Bits::default()], [y, Bits::default()], Default::default()];
        partial::evaluate(name(text), s, Truth::default(), FpMode::default()).unwrap().1.undefined
    };
    assert!(!compare("v_cmp_lt_u32", low, is(0x100)));
    assert!(compare("v_cmp_lt_u32", low, is(0x80)));
    assert!(!compare("v_cmp_eq_u32", low, is(0x100)));
    assert!(!compare("v_cmp_lt_i32", Bits::new(1 << 31, 0xff), is(0)));
    assert!(compare("v_cmp_lt_f32", low, is(0x3f80_0000)));
}

/// Selects, signs and clamps around the body: the same test, through them.
#[test]
fn modifiers_move_undefined_bits_as_they_move_bits() {
    let mut rng = Rng(12);
    for _ in 0..40_000 {
        let op = name(
            ["v_add_f32", "v_add_f16", "v_pk_add_f16", "v_pk_add_u16", "v_fma_mix_f32", "v_add_f64", "v_add_nc_u32"]
                [rng.below(7) as usize],
        );
        let mut instr = Instr::new(op);
        instr.src = [Src::v(0), Src::v(1), Src::v(2), Src::NONE];
        let mut any = || rng.next() as u8 & 7;
        instr.mods = Mods {
            neg: any(),
            abs: any(),
            omod: any() & 3,
            clamp: any() & 1 != 0,
            op_sel: any(),
            op_sel_hi: any(),
            neg_hi: any(),
        };
        if matches!(op, insts::V_ADD_F32 | insts::V_ADD_NC_U32 | insts::V_ADD_F16) && rng.chance(2) {
            let mut sel = || rng.below(7) as u8;
            instr.extra =
                Extra::Sdwa(Sdwa { dst_sel: 6, dst_unused: 0, src0_sel: sel(), src1_sel: sel(), sext: sel() & 3 });
        }
        let mode = FpMode::from_bits([0x1f0, 0x100][rng.below(2) as usize]);
        let mut raw: Words = [(); 2].map(|()| Bits::new(word(&mut rng), undefined(&mut rng)));
        if op != insts::V_ADD_F64 {
            raw[1] = Bits::default();
        }
        let i = rng.below(op.row().src.len() as u32) as usize;
        let first = partial::modify(&instr, i, raw, mode);
        assert_eq!(whole(first, |b| b.value), reference::modify(&instr, i, whole(raw, |b| b.value), mode));
        let result = partial::finish(&instr, raw, mode);
        let finished = reference::finish(&instr, whole(raw, |b| b.value), mode);
        assert_eq!(nan_as_one(whole(result, |b| b.value), op.row()), nan_as_one(finished, op.row()));
        for _ in 0..4 {
            let other = flipped(&mut rng, raw);
            for (what, is, now) in [
                ("source", first, reference::modify(&instr, i, other, mode)),
                ("result", result, reference::finish(&instr, other, mode)),
            ] {
                let differ = (whole(is, |b| b.value) ^ now) & !whole(is, |b| b.undefined);
                assert_eq!(differ, 0, "{what} {i} of {instr:?}: {raw:x?} gives {is:x?}, but {other:#x} {now:#x}");
            }
        }
    }
}

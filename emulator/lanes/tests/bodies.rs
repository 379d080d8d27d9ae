//! Random registers through every compiled body: results, conditions, EXEC, broadcast scalars and constants.

use crate::split_mix::split_mix;
use std::any::type_name;
use wavepipe_alu::body::{Visitor, visit_vector_bodies};
use wavepipe_alu::{Carry, Compare, Lane, Nearest, Wide};
use wavepipe_lanes::registers::{EXEC, LaneRow, Loc, Registers, TEMPS};
use wavepipe_lanes::table::BodyTable;
use wavepipe_lanes::{BodyFn, Level, Operands};

const VGPRS: u32 = 8;
/// Scalars: sources at 0, 2 and 4, the carry-in at 10, conditions out at 20 and 22.
const CARRY_IN: usize = 10;
const MASK_OUT: usize = 20;
const SECOND_MASK: usize = 22;

/// Words that floats and integers treat specially.
const SPECIAL: [u32; 16] = [
    0,
    1,
    !0,
    1 << 31,
    0x7fff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x0080_0000,
    0x0000_3c00,
    0x7c00_fc00,
    0x4f80_0000,
    0x3ff0_0000,
];

/// The state of the generator of words.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        split_mix(&mut self.0) as u32
    }

    /// One word of four is special.
    fn value(&mut self) -> u32 {
        match self.next() % 4 {
            0 => SPECIAL[self.next() as usize % SPECIAL.len()],
            _ => self.next(),
        }
    }
}

/// Returns true if two results are equal but for the bits of NaNs, which differ between compiled code and single lanes: of f32, or of f16
/// in either half.
fn is_alike(a: u32, b: u32) -> bool {
    let single = |v: u32| f32::from_bits(v).is_nan();
    let half = |v: u32| v & 0x7c00 == 0x7c00 && v & 0x3ff != 0;
    let halves = [0, 16].iter().all(|&at| (a ^ b) >> at & 0xffff == 0 || half(a >> at) && half(b >> at));
    a == b || single(a) && single(b) || halves
}

/// As [`is_alike`], of results of two words: of f64, too.
fn are_alike(a: [u32; 2], b: [u32; 2]) -> bool {
    let double = |[low, high]: [u32; 2]| f64::from_bits(u64::from(high) << 32 | u64::from(low)).is_nan();
    is_alike(a[0], b[0]) && is_alike(a[1], b[1]) || double(a) && double(b)
}

/// Where each source comes from.
#[derive(Clone, Copy, Debug)]
enum From {
    Registers,
    Scalars,
    Constants,
}

/// Results of one half, from the body evaluated lane by lane.
struct Expected {
    low: [u32; 32],
    high: Option<[u32; 32]>,
    mask: Option<u32>,
}

struct Beside<'a> {
    table: &'a BodyTable,
    words: Words,
    bodies: usize,
}

impl Beside<'_> {
    /// Runs `function` on random registers, wave32 and wave64, and compares with `expect`, which gets a lane's sources and condition.
    fn try_body(
        &mut self,
        name: &str,
        function: BodyFn,
        (compares, out, is_wide): (bool, bool, bool),
        expect: impl Fn([[u32; 2]; 3], bool) -> ([u32; 2], bool),
    ) {
        self.bodies += 1;
        for (halves, from) in [1, 2]
            .into_iter()
            .flat_map(|halves| [From::Registers, From::Scalars, From::Constants].map(|from| (halves, from)))
        {
            let mut scalars = [0; 256];
            scalars.iter_mut().for_each(|s| *s = self.words.value());
            // SAFETY: all rows below are of sixteen temporary registers and `VGPRS`.
            let mut w = unsafe { Registers::new(scalars) };
            w.halves = halves;
            w.mode = 0x1f0;
            w.v.reset(VGPRS, halves as u32);
            for row in 0..(TEMPS + VGPRS) as usize * halves {
                let row = w.v.get_mut(row);
                row.0.iter_mut().for_each(|v| *v = self.words.value());
            }
            let constants: Vec<LaneRow> = (0..3 * 2 * halves).map(|_| LaneRow::splat(self.words.value())).collect();
            let constant = |k: usize| Loc::constant(&raw const constants[2 * k * halves]);
            let register = |k: usize| Loc::row((TEMPS as usize + 2 * k) * halves);
            let src = [0, 1, 2].map(|k| match from {
                From::Registers => register(k),
                From::Scalars => Loc::row(4 * k * halves),
                From::Constants => constant(k),
            });
            let dst = if compares { MASK_OUT } else { (TEMPS as usize + 6) * halves };
            let op = Operands {
                src,
                dst: dst as u32,
                dst2: SECOND_MASK as u32,
                s: [0, 1, 2, 3, 4, 5, CARRY_IN as u8, CARRY_IN as u8 + 1],
                constant: if matches!(from, From::Constants) { 7 } else { 0 },
                splat: if matches!(from, From::Scalars) { 7 } else { 0 },
                wide: if is_wide { 15 } else { 0 },
            };
            let before = w.clone();
            let word = |k: usize, word: usize, half: usize, lane: usize| match from {
                From::Scalars => before.s.0[2 * k + word],
                _ => op.source(&before.v, k, word, half, halves).0[lane],
            };
            let expected: Vec<Expected> = (0..halves)
                .map(|half| {
                    let mut e = Expected { low: [0; 32], high: is_wide.then_some([0; 32]), mask: out.then_some(0) };
                    for lane in 0..32 {
                        let s = [0, 1, 2].map(|k| [word(k, 0, half, lane), word(k, 1, half, lane)]);
                        let carry = before.s.0[CARRY_IN + half] >> lane & 1 != 0;
                        let (value, condition) = expect(s, carry);
                        e.low[lane] = value[0];
                        if let Some(high) = &mut e.high {
                            high[lane] = value[1];
                        }
                        if let Some(mask) = &mut e.mask {
                            *mask |= u32::from(condition && before.exec(half) >> lane & 1 != 0) << lane;
                        }
                    }
                    e
                })
                .collect();
            // SAFETY: the table's level is one that this host has; rows and scalars are there.
            let ends = unsafe { function(&mut w, &op, std::ptr::null_mut()) };
            assert!(!ends, "{name}");
            let at = format!("{name}, {:?}, {halves} halves, {from:?}", self.table.level());
            for (half, e) in expected.iter().enumerate() {
                let exec = before.s.0[EXEC + half];
                let merged = |row: usize, value: &[u32; 32]| {
                    let old = before.v.get(row);
                    std::array::from_fn::<u32, 32, _>(|i| if exec >> i & 1 != 0 { value[i] } else { old.0[i] })
                };
                if !compares {
                    let high_row = dst + halves + half;
                    let low = merged(dst + half, &e.low);
                    let high = e.high.as_ref().map(|high| merged(high_row, high));
                    for lane in 0..32 {
                        let at = format!("{at}, half {half}, lane {lane}");
                        let found = w.v.get(dst + half).0[lane];
                        match &high {
                            Some(high) => {
                                let (found, wanted) = ([found, w.v.get(high_row).0[lane]], [low[lane], high[lane]]);
                                assert!(are_alike(found, wanted), "{at}: {found:x?}, expected {wanted:x?}");
                            }
                            None => assert!(is_alike(found, low[lane]), "{at}: {found:x}, expected {:x}", low[lane]),
                        }
                    }
                }
                if let Some(mask) = e.mask {
                    let to = if compares { MASK_OUT } else { SECOND_MASK };
                    assert_eq!(w.s.0[to + half], mask, "{at}, half {half}, condition");
                }
            }
        }
    }

    fn function<K: 'static>(&self, out: bool) -> BodyFn {
        self.table.function_of::<K>(out).unwrap_or_else(|| panic!("{} is not in the table", type_name::<K>()))
    }
}

fn low(s: [[u32; 2]; 3]) -> [u32; 3] {
    s.map(|[low, _]| low)
}

impl Visitor for Beside<'_> {
    fn lane<K: Lane>(&mut self) {
        let function = self.function::<K>(false);
        let expect = |s, _| ([K::eval(&mut Nearest, low(s)), 0], false);
        self.try_body(type_name::<K>(), function, (false, false, false), expect);
    }
    fn compare<K: Compare>(&mut self) {
        let function = self.function::<K>(false);
        let expect = |[x, y, _]: [[u32; 2]; 3], _| ([0; 2], K::eval(&mut Nearest, [x, y]));
        // Sources of 64 bits are read whether they are named wide or not; as scalars they have to be.
        self.try_body(type_name::<K>(), function, (true, true, true), expect);
    }
    fn carry<K: Carry>(&mut self) {
        for out in [false, true] {
            let function = self.function::<K>(out);
            let expect = |s, c| {
                let (value, condition) = K::eval(&mut Nearest, low(s), c);
                ([value, 0], condition)
            };
            self.try_body(type_name::<K>(), function, (false, out, false), expect);
        }
    }
    fn wide<K: Wide>(&mut self) {
        let function = self.function::<K>(false);
        let expect = |s, _| K::eval(&mut Nearest, s);
        self.try_body(type_name::<K>(), function, (false, true, true), expect);
    }
}

fn levels() -> impl Iterator<Item = Level> {
    let all = [
        Level::Baseline,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512,
    ];
    all.into_iter().filter(|&level| level <= Level::of_this_host())
}

#[test]
fn compiled_bodies_compute_what_one_lane_computes() {
    for level in levels() {
        for seed in 1..=8 {
            let mut beside = Beside { table: &BodyTable::new(level), words: Words(seed), bodies: 0 };
            visit_vector_bodies(&mut beside);
            assert!(beside.bodies > 300, "{} bodies", beside.bodies);
        }
    }
}

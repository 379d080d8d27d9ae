//! LDS and GDS: every DS instruction against a plain model, and faults of what is outside or misaligned.

use crate::memory::{self, Case, Random, atomic, load, store};
use crate::wave::Bed;
use wavepipe_core::OutOfLds;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_hw::fault::FaultKind;

/// Bytes of LDS, and of GDS that the model looks at.
const BYTES: usize = 1024;

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// bytes, signed, registers, D16 half
    Load(usize, bool, usize, Option<bool>),
    /// bytes, registers, first bit
    Store(usize, usize, u32),
    /// dwords, stride in elements
    Load2(usize, usize),
    Store2(usize, usize),
    Exchange2(usize, usize),
    /// model's name, bits, operands, returns
    Atomic(&'static str, u32, usize, bool),
    Src2(&'static str, u32),
    Count(bool),
    LoadLane,
    StoreLane,
}

fn instructions() -> Vec<(String, Kind)> {
    let mut all: Vec<(String, Kind)> = Vec::new();
    let mut add = |name: &str, kind| all.push((format!("ds_{name}"), kind));
    for (name, bytes, signed) in [("u8", 1, false), ("i8", 1, true), ("u16", 2, false), ("i16", 2, true)] {
        add(&format!("read_{name}"), Kind::Load(bytes, signed, 1, None));
        if name != "i16" {
            add(&format!("read_{name}_d16"), Kind::Load(bytes, signed, 1, Some(false)));
            add(&format!("read_{name}_d16_hi"), Kind::Load(bytes, signed, 1, Some(true)));
        }
    }
    for (name, registers) in [("b32", 1), ("b64", 2), ("b96", 3), ("b128", 4)] {
        add(&format!("read_{name}"), Kind::Load(4, false, registers, None));
        add(&format!("write_{name}"), Kind::Store(4, registers, 0));
    }
    for (name, bytes, shift) in [("b8", 1, 0), ("b16", 2, 0), ("b8_d16_hi", 1, 16), ("b16_d16_hi", 2, 16)] {
        add(&format!("write_{name}"), Kind::Store(bytes, 1, shift));
    }
    for (name, dwords) in [("b32", 1), ("b64", 2)] {
        for (st64, stride) in [("", 1), ("st64", 64)] {
            add(&format!("read2{st64}_{name}"), Kind::Load2(dwords, stride));
            add(&format!("write2{st64}_{name}"), Kind::Store2(dwords, stride));
            add(&format!("wrxchg2{st64}_rtn_{name}"), Kind::Exchange2(dwords, stride));
        }
    }
    let atomics = [
        ("add", "add", "u", 1),
        ("sub", "sub", "u", 1),
        ("rsub", "rsub", "u", 1),
        ("inc", "inc", "u", 1),
        ("dec", "dec", "u", 1),
        ("min", "smin", "i", 1),
        ("max", "smax", "i", 1),
        ("min", "umin", "u", 1),
        ("max", "umax", "u", 1),
        ("and", "and", "b", 1),
        ("or", "or", "b", 1),
        ("xor", "xor", "b", 1),
        ("mskor", "mskor", "b", 2),
        ("cmpst", "cmpswap", "b", 2),
        ("cmpst", "fcmpswap", "f", 2),
        ("min", "fmin", "f", 1),
        ("max", "fmax", "f", 1),
    ];
    for bits in [32, 64] {
        for (name, model, ty, operands) in atomics {
            add(&format!("{name}_{ty}{bits}"), Kind::Atomic(model, bits, operands, false));
            add(&format!("{name}_rtn_{ty}{bits}"), Kind::Atomic(model, bits, operands, true));
            if operands == 1 {
                add(&format!("{name}_src2_{ty}{bits}"), Kind::Src2(model, bits));
            }
        }
        add(&format!("wrxchg_rtn_b{bits}"), Kind::Atomic("swap", bits, 1, true));
        add(&format!("write_src2_b{bits}"), Kind::Src2("swap", bits));
    }
    add("add_f32", Kind::Atomic("fadd", 32, 1, false));
    add("add_rtn_f32", Kind::Atomic("fadd", 32, 1, true));
    add("add_src2_f32", Kind::Src2("fadd", 32));
    add("wrap_rtn_b32", Kind::Atomic("wrap", 32, 2, true));
    add("condxchg32_rtn_b64", Kind::Atomic("condxchg", 64, 1, true));
    add("append", Kind::Count(true));
    add("consume", Kind::Count(false));
    add("read_addtid_b32", Kind::LoadLane);
    add("write_addtid_b32", Kind::StoreLane);
    all
}

/// Registers: address v4, data v8.. and v12.., result v16..
const ADDRESS: usize = 4;
const DATA: [usize; 2] = [8, 12];
const RESULT: usize = 16;

fn tuple(first: usize, dwords: usize) -> String {
    if dwords == 1 { format!("v{first}") } else { format!("v[{first}:{}]", first + dwords - 1) }
}

/// Text of a random instance, whose addresses are in range, written into the case; and the state after it.
fn instance(name: &str, kind: Kind, gds: bool, c: &mut Case, r: &mut Random) -> (String, Case) {
    let mut offset = [0usize; 2];
    let mut one_offset = 4 * r.below(40) as usize;
    let (bytes, align) = match kind {
        Kind::Load(bytes, _, n, _) | Kind::Store(bytes, n, _) => (bytes * n, 1),
        Kind::Load2(dwords, _) | Kind::Store2(dwords, _) => (4 * dwords, 1),
        Kind::Exchange2(dwords, _) => (4 * dwords, 4 * dwords),
        Kind::Atomic(_, bits, ..) | Kind::Src2(_, bits) => (bits as usize / 8, bits as usize / 8),
        Kind::Count(_) | Kind::LoadLane | Kind::StoreLane => (4, 4),
    };
    // Where in the model's memory M0's base is, for GDS.
    let base = if gds && r.one_in(2) { 4 * r.below(16) as usize * 2 } else { 0 };
    let room = BYTES - base;
    if let Kind::Load2(dwords, stride) | Kind::Store2(dwords, stride) | Kind::Exchange2(dwords, stride) = kind {
        let most = (room / 2 / (4 * dwords * stride)) as u32;
        offset = [r.below(most.max(1)) as usize, r.below(most.max(1)) as usize];
        if !r.one_in(8) && offset[0] == offset[1] {
            offset[1] = usize::from(offset[0] == 0);
        }
    }
    if matches!(kind, Kind::LoadLane | Kind::StoreLane | Kind::Count(_)) {
        c.m0 = 4 * r.below(8) | r.next() as u32 & 0xffff_0000;
    }
    if gds {
        // Of GDS, M0 is base and size; ADDTID adds the low half again.
        c.m0 = (base as u32) << 16 | room as u32;
        if matches!(kind, Kind::LoadLane | Kind::StoreLane) {
            c.m0 = (base as u32) << 16 | 512;
            one_offset = 0;
        }
    }
    // Addresses: anywhere, close together, or all the same.
    let spread = r.pick(&[room, room, 64, 24]) - bytes;
    let biggest = match kind {
        Kind::Load2(dwords, stride) | Kind::Store2(dwords, stride) | Kind::Exchange2(dwords, stride) => {
            4 * dwords * stride * offset[0].max(offset[1])
        }
        Kind::Src2(..) => 0,
        _ => one_offset,
    };
    if align == 8 {
        one_offset &= !7;
    }
    for lane in 0..64 {
        let at = (r.below(spread as u32 + 1) as usize).min(room.saturating_sub(bytes + biggest));
        let loose = align == 1 && r.one_in(3);
        *c.vgpr(ADDRESS, lane) = (if loose { at } else { at & !(align.max(4) - 1) }) as u32;
    }
    let mut distance = 0i64;
    let mut from_address = false;
    if let Kind::Src2(..) = kind {
        from_address = r.one_in(3);
        let step = if align == 8 { 2 } else { 1 };
        distance = i64::from(r.below(32)) * step - 32;
        for lane in 0..64 {
            let at = 256 + (*c.vgpr(ADDRESS, lane) as usize % 512);
            let high = if from_address { (distance as i32 as u32) << 17 } else { 0 };
            *c.vgpr(ADDRESS, lane) = at as u32 | high;
        }
        one_offset = if from_address { 0x8000 | r.below(0x8000) as usize } else { (distance as usize) & 0x7fff };
    }
    // Interesting comparands: some equal to memory.
    let words = if gds { c.gds.clone() } else { c.lds.clone() };
    if let Kind::Atomic(model, bits, ..) = kind {
        for lane in 0..64 {
            let at = base + *c.vgpr(ADDRESS, lane) as usize + one_offset;
            let at = if model == "condxchg" { at & !7 } else { at };
            if at + 8 <= BYTES && r.one_in(2) {
                let v = load(&words, at, bits as usize / 8);
                *c.vgpr(DATA[0], lane) = v as u32;
                *c.vgpr(DATA[0] + 1, lane) = (v >> 32) as u32;
            }
        }
    }
    let mut want = c.clone();
    let mut mem = words;
    let mut results: Vec<(usize, usize, u32)> = Vec::new();
    let data = |c: &mut Case, k: usize, dwords: usize, lane: usize| -> u64 {
        let low = u64::from(*c.vgpr(DATA[k], lane));
        if dwords == 2 { low | u64::from(*c.vgpr(DATA[k] + 1, lane)) << 32 } else { low }
    };
    let live: Vec<usize> = c.live().collect();
    let mut text = match kind {
        Kind::Load(_, _, n, _) => format!("{name} {}, v{ADDRESS}", tuple(RESULT, n)),
        Kind::Store(_, n, _) => format!("{name} v{ADDRESS}, {}", tuple(DATA[0], n)),
        Kind::Load2(d, _) => format!("{name} {}, v{ADDRESS}", tuple(RESULT, 2 * d)),
        Kind::Store2(d, _) => format!("{name} v{ADDRESS}, {}, {}", tuple(DATA[0], d), tuple(DATA[1], d)),
        Kind::Exchange2(d, _) => {
            format!("{name} {}, v{ADDRESS}, {}, {}", tuple(RESULT, 2 * d), tuple(DATA[0], d), tuple(DATA[1], d))
        }
        Kind::Atomic(_, bits, operands, returns) => {
            let d = bits as usize / 32;
            let mut t = format!("{name} ");
            if returns {
                t += &format!("{}, ", tuple(RESULT, d));
            }
            t += &format!("v{ADDRESS}, {}", tuple(DATA[0], d));
            if operands == 2 {
                t += &format!(", {}", tuple(DATA[1], d));
            }
            t
        }
        Kind::Src2(..) => format!("{name} v{ADDRESS}"),
        Kind::Count(_) | Kind::LoadLane => format!("{name} v{RESULT}"),
        Kind::StoreLane => format!("{name} v{}", DATA[0]),
    };
    match kind {
        Kind::Load2(..) | Kind::Store2(..) | Kind::Exchange2(..) => {
            text += &format!(" offset0:{} offset1:{}", offset[0], offset[1]);
        }
        _ => text += &format!(" offset:{one_offset}"),
    }
    if gds {
        text += " gds";
    }
    let m0 = c.m0 as usize & 0xffff;
    match kind {
        Kind::Load(bytes, signed, n, d16) => {
            for &lane in &live {
                for j in 0..n {
                    let at = base + *c.vgpr(ADDRESS, lane) as usize + one_offset + 4 * j;
                    let mut v = load(&mem, at, bytes) as u32;
                    if signed {
                        v = ((v << (32 - 8 * bytes)) as i32 >> (32 - 8 * bytes)) as u32;
                    }
                    let old = *c.vgpr(RESULT, lane);
                    v = match d16 {
                        None => v,
                        Some(false) => old & 0xffff_0000 | v & 0xffff,
                        Some(true) => old & 0xffff | v << 16,
                    };
                    results.push((j, lane, v));
                }
            }
        }
        Kind::Store(bytes, n, shift) => {
            for &lane in &live {
                for j in 0..n {
                    let at = base + *c.vgpr(ADDRESS, lane) as usize + one_offset + 4 * j;
                    store(&mut mem, at, bytes, u64::from(*c.vgpr(DATA[0] + j, lane) >> shift));
                }
            }
        }
        Kind::Load2(d, stride) | Kind::Store2(d, stride) | Kind::Exchange2(d, stride) => {
            let place = |c: &mut Case, lane: usize, k: usize| {
                base + *c.vgpr(ADDRESS, lane) as usize + offset[k] * stride * 4 * d
            };
            let once = offset[0] == offset[1];
            match kind {
                // The second store follows the first of all lanes.
                Kind::Store2(..) => {
                    for k in 0..if once { 1 } else { 2 } {
                        for &lane in &live {
                            let at = place(c, lane, k);
                            store(&mut mem, at, 4 * d, data(c, k, d, lane));
                        }
                    }
                }
                _ => {
                    for &lane in &live {
                        for k in 0..2 {
                            let at = place(c, lane, k);
                            let mut v = load(&mem, at, 4 * d);
                            if let Kind::Exchange2(..) = kind {
                                if once && k == 1 {
                                    v = results[results.len() - d..]
                                        .iter()
                                        .rev()
                                        .fold(0, |v, r| v << 32 | u64::from(r.2));
                                } else {
                                    store(&mut mem, at, 4 * d, data(c, k, d, lane));
                                }
                            }
                            (0..d).for_each(|j| results.push((k * d + j, lane, (v >> (32 * j)) as u32)));
                        }
                    }
                }
            }
        }
        Kind::Atomic(model, bits, _, returns) => {
            let d = bits as usize / 32;
            for &lane in &live {
                let mut at = base + *c.vgpr(ADDRESS, lane) as usize + one_offset;
                if model == "condxchg" {
                    at &= !7;
                }
                let old = load(&mem, at, 4 * d);
                let (mut a, mut b) = (data(c, 0, d, lane), data(c, 1, d, lane));
                if model.ends_with("cmpswap") {
                    (a, b) = (b, a);
                }
                store(&mut mem, at, 4 * d, atomic(model, bits, old, a, b));
                if returns {
                    (0..d).for_each(|j| results.push((j, lane, (old >> (32 * j)) as u32)));
                }
            }
        }
        Kind::Src2(model, bits) => {
            let size = bits as usize / 8;
            for &lane in &live {
                let a = *c.vgpr(ADDRESS, lane) as usize;
                let a = base + if from_address { a & 0x1_ffff } else { a };
                let b = (a as i64 + 4 * distance) as usize;
                let v = atomic(model, bits, load(&mem, a, size), load(&mem, b, size), 0);
                store(&mut mem, a, size, v);
            }
        }
        Kind::Count(add) => {
            let at = base + if gds { 0 } else { m0 } + one_offset;
            if !live.is_empty() {
                let old = load(&mem, at, 4) as u32;
                let n = live.len() as u32;
                store(&mut mem, at, 4, if add { old.wrapping_add(n) } else { old.wrapping_sub(n) }.into());
                live.iter().for_each(|&lane| results.push((0, lane, old)));
            }
        }
        Kind::LoadLane | Kind::StoreLane => {
            for &lane in &live {
                let at = base + m0 + one_offset + 4 * lane;
                match kind {
                    Kind::LoadLane => results.push((0, lane, load(&mem, at, 4) as u32)),
                    _ => store(&mut mem, at, 4, (*c.vgpr(DATA[0], lane)).into()),
                }
            }
        }
    }
    for (j, lane, v) in results {
        *want.vgpr(RESULT + j, lane) = v;
    }
    if gds {
        want.gds = mem
    } else {
        want.lds = mem
    }
    (text, want)
}

fn every_instruction(size: WaveSize, gds: bool, seed: u64, rounds: usize) {
    let mut r = Random(seed);
    for _ in 0..rounds {
        for (name, kind) in instructions() {
            if gds && matches!(kind, Kind::LoadLane | Kind::StoreLane) {
                continue;
            }
            let mut c = Case::new(size, &mut r);
            let words: Vec<u32> = (0..BYTES / 4).map(|_| r.word()).collect();
            if gds {
                c.gds = words
            } else {
                c.lds = words
            }
            let (text, want) = instance(&name, kind, gds, &mut c, &mut r);
            let mut b = Bed::new(size, [size.lanes(), 1, 1]);
            let got = c.run(&mut b, &text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
            let same_nan = |name: &str| name.contains("_f32") || name.contains("_f64");
            if same_nan(&name) && name.contains("add") {
                continue_if_nan(&got, &want, &text);
            } else {
                got.compare(&want, &text);
            }
        }
    }
}

/// As [`Case::compare`], a NaN's sign and payload left to the host.
fn continue_if_nan(got: &Case, want: &Case, text: &str) {
    let mut got = got.clone();
    let nan = |v: u32| v & 0x7fff_ffff > 0x7f80_0000;
    for (g, w) in got.lds.iter_mut().chain(&mut got.gds).zip(want.lds.iter().chain(&want.gds)) {
        if nan(*g) && nan(*w) {
            *g = *w;
        }
    }
    let results = |c: &Case, lane: usize| c.v[RESULT - memory::FIRST][lane];
    for lane in 0..got.lanes() {
        if nan(results(&got, lane)) && nan(results(want, lane)) {
            got.v[RESULT - memory::FIRST][lane] = results(want, lane);
        }
    }
    got.compare(want, text);
}

#[test]
fn every_instruction_on_lds() {
    every_instruction(W32, false, 1, 4);
    every_instruction(W64, false, 2, 2);
}

#[test]
fn every_instruction_on_gds() {
    every_instruction(W32, true, 3, 2);
    every_instruction(W64, true, 4, 1);
}

/// Runs one line on 256 dwords of each share.
fn outcome(
    size: WaveSize,
    policy: OutOfLds,
    exec: u64,
    m0: u32,
    addresses: &[u32],
    line: &str,
) -> Result<Case, FaultAt> {
    let mut r = Random(9);
    let mut c = Case::new(size, &mut r);
    (c.exec, c.m0, c.policy) = (exec, m0, policy);
    c.lds = (0..256).map(|i| 0x100 + i).collect();
    c.gds = c.lds.clone();
    for (lane, &a) in addresses.iter().enumerate() {
        *c.vgpr(ADDRESS, lane) = a;
    }
    let mut b = Bed::new(size, [size.lanes(), 1, 1]);
    c.run(&mut b, line).map_err(|f| FaultAt { kind: f.kind.clone(), lanes: f.site.as_ref().unwrap().lanes })
}

#[derive(Debug, PartialEq)]
struct FaultAt {
    kind: FaultKind,
    lanes: u64,
}

#[test]
fn what_is_outside_is_a_fault_that_names_the_lanes() {
    let mut at = [0u32; 64];
    (at[3], at[5], at[40]) = (1024, 1021, u32::MAX);
    let fault = |address, lanes| FaultAt { kind: FaultKind::LdsOutOfRange { address, bytes: 4, size: 1024 }, lanes };
    let run = |line: &str, size, exec| outcome(size, OutOfLds::Fault, exec, 0, &at, line).err();
    for line in [
        "ds_read_b32 v16, v4",
        "ds_write_b32 v4, v8",
        "ds_read_b64 v[16:17], v4",
        "ds_write_b128 v4, v[8:11]",
        "ds_read2_b32 v[16:17], v4 offset0:0 offset1:0",
        "ds_write2_b32 v4, v8, v9 offset0:0 offset1:1",
    ] {
        assert_eq!(run(line, W32, 0xffff_ffff), Some(fault(1024, 1 << 3 | 1 << 5)), "{line}");
        assert_eq!(run(line, W64, 1 << 40), Some(fault(u32::MAX.into(), 1 << 40)), "{line}");
        assert_eq!(run(line, W32, 0xffff_ff07), None, "{line}");
    }
    // The last dword is inside, one byte further is not; the offset counts.
    assert!(outcome(W32, OutOfLds::Fault, 1, 0, &[1020], "ds_read_b32 v16, v4").is_ok());
    assert_eq!(
        outcome(W32, OutOfLds::Fault, 1, 0, &[1020], "ds_read_b32 v16, v4 offset:1").err(),
        Some(fault(1021, 1))
    );
    let narrow = outcome(W32, OutOfLds::Fault, 1, 0, &[1024], "ds_write_b8 v4, v8").err().unwrap();
    assert_eq!(narrow.kind, FaultKind::LdsOutOfRange { address: 1024, bytes: 1, size: 1024 });
    let atomic = outcome(W32, OutOfLds::Fault, 3, 0, &[1024, 4], "ds_add_u32 v4, v8").err();
    assert_eq!(atomic, Some(fault(1024, 1)));
    let lanes = outcome(W32, OutOfLds::Fault, 0xff, 1008, &[], "ds_read_addtid_b32 v16").err();
    assert_eq!(lanes, Some(fault(1024, 0xf0)));
    let flat = "v_mov_b32 v5, 0x10000\n flat_load_dword v16, v[4:5]";
    assert_eq!(outcome(W32, OutOfLds::Fault, 3, 0, &[1024, 4], flat).err(), Some(fault(1024, 1)));
}

#[test]
fn or_reads_as_zero_and_is_dropped() {
    let ignore = |at: &[u32], line: &str| outcome(W32, OutOfLds::Ignore, (1 << at.len()) - 1, 0, at, line).unwrap();
    let c = ignore(&[1020, 1024, 0, u32::MAX], "ds_read_b64 v[16:17], v4");
    let v = |c: &Case, n: usize| c.v[n - memory::FIRST][..4].to_vec();
    assert_eq!(v(&c, 16), [0x1ff, 0, 0x100, 0]);
    assert_eq!(v(&c, 17), [0, 0, 0x101, 0]);
    let c = ignore(&[1020, 1024, 1 << 31], "ds_write_b64 v4, v[8:9]");
    assert_eq!(c.lds[255], c.v[8 - memory::FIRST][0]);
    assert!(c.lds[..255].iter().enumerate().all(|(i, &w)| w == 0x100 + i as u32));
    let c = ignore(&[1024, 8], "ds_add_rtn_u32 v16, v4, v8");
    assert_eq!(v(&c, 16)[..2], [0, 0x102]);
}

#[test]
fn gds_ends_where_m0_says() {
    let run = |m0, at: &[u32], line: &str| outcome(W32, OutOfLds::Fault, (1 << at.len()) - 1, m0, at, line);
    let fault = |address, size, lanes| FaultAt { kind: FaultKind::GdsOutOfRange { address, bytes: 4, size }, lanes };
    assert!(run(64 << 16 | 16, &[0, 12], "ds_read_b32 v16, v4 gds").is_ok());
    assert_eq!(run(64 << 16 | 16, &[0, 13, 16], "ds_read_b32 v16, v4 gds").err(), Some(fault(13, 16, 6)));
    // No size reaches past the end of GDS itself.
    assert_eq!(run(0xfff0 << 16 | 0xffff, &[0, 16], "ds_add_u32 v4, v8 gds").err(), Some(fault(16, 16, 2)));
    let c = run(64 << 16 | 16, &[4], "ds_read_b32 v16, v4 gds").unwrap();
    assert_eq!(c.v[16 - memory::FIRST][0], 0x100 + 17);
}

#[test]
fn atomics_must_be_aligned() {
    let fault = |address, align, lanes| Some(FaultAt { kind: FaultKind::Misaligned { address, align }, lanes });
    let run = |at: &[u32], m0, line: &str| outcome(W32, OutOfLds::Fault, (1 << at.len()) - 1, m0, at, line).err();
    assert_eq!(run(&[0, 2, 4, 5], 0, "ds_add_u32 v4, v8"), fault(2, 4, 0b1010));
    assert_eq!(run(&[0, 4], 0, "ds_add_u64 v4, v[8:9]"), fault(4, 8, 2));
    assert_eq!(run(&[0, 1], 1024, "ds_or_b32 v4, v8 gds"), fault(1, 4, 2));
    assert_eq!(run(&[6], 0, "ds_cmpst_rtn_b32 v16, v4, v8, v9"), fault(6, 4, 1));
    assert_eq!(run(&[0], 2, "ds_append v16"), fault(2, 4, 1));
    assert_eq!(run(&[4], 0, "ds_condxchg32_rtn_b64 v[16:17], v4, v[8:9]"), None);
    let flat = "v_mov_b32 v5, 0x10000\n flat_atomic_add v[4:5], v8";
    assert_eq!(
        run(&[0, 4, 3, 7], 0, flat),
        fault(3 | 1 << 48, 4, 0b1100).map(|f| FaultAt { kind: FaultKind::Misaligned { address: 3, align: 4 }, ..f })
    );
    let global = "v_mov_b32 v4, s2\n v_mov_b32 v5, s3\n v_or_b32 v4, 2, v4\n global_atomic_add v[4:5], v8, off";
    assert!(matches!(
        run(&[0, 0], 0, global),
        Some(FaultAt { kind: FaultKind::Misaligned { align: 4, .. }, lanes: 3 })
    ));
    // The first lane's address is aligned; the low bits of the others cancel out.
    let some = "v_add_nc_u32 v4, s2, v4\n v_mov_b32 v5, s3\n global_atomic_add v[4:5], v8, off";
    assert!(matches!(
        run(&[0, 6, 8, 10], 0, some),
        Some(FaultAt { kind: FaultKind::Misaligned { align: 4, .. }, lanes: 0b1010 })
    ));
}

#[test]
fn the_table_of_coverage_lists_these_rows() {
    memory::witness::holds("core/tests/memory_share", instructions().into_iter().map(|(name, _)| name));
}

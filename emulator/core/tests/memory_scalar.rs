//! Scalar memory: loads, stores and atomics, by address and by buffer, against a plain model.

use crate::memory::{self, Case, Random, atomic, load, store};
use crate::wave::Bed;
use wavepipe_hw::code::WaveSize::{W32, W64};
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::fault::FaultKind;

const BYTES: usize = 8192;
const MIDDLE: usize = 4096;
/// Base s4..s7, offset s8, data s12..s15 (or s16.. for results of loads).
const DATA: usize = 12;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Load(usize),
    Store(usize),
    /// model's name, bits
    Atomic(&'static str, u32),
    Hint,
}

fn instructions() -> Vec<(String, Kind)> {
    let mut all = Vec::new();
    for (name, n) in [("dword", 1), ("dwordx2", 2), ("dwordx4", 4)] {
        for family in ["", "buffer_", "scratch_"] {
            all.push((format!("s_{family}load_{name}"), Kind::Load(n)));
            all.push((format!("s_{family}store_{name}"), Kind::Store(n)));
        }
    }
    for (name, n) in [("dwordx8", 8), ("dwordx16", 16)] {
        for family in ["", "buffer_"] {
            all.push((format!("s_{family}load_{name}"), Kind::Load(n)));
        }
    }
    for model in ["swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"] {
        for family in ["", "buffer_"] {
            all.push((format!("s_{family}atomic_{model}"), Kind::Atomic(model, 32)));
            all.push((format!("s_{family}atomic_{model}_x2"), Kind::Atomic(model, 64)));
        }
    }
    all.push(("s_dcache_discard".into(), Kind::Hint));
    all.push(("s_dcache_discard_x2".into(), Kind::Hint));
    all.push(("s_atc_probe".into(), Kind::Hint));
    all.push(("s_atc_probe_buffer".into(), Kind::Hint));
    all
}

fn tuple(first: usize, dwords: usize) -> String {
    if dwords == 1 { format!("s{first}") } else { format!("s[{first}:{}]", first + dwords - 1) }
}

#[test]
fn every_instruction() {
    let mut r = Random(1);
    for round in 0..40 {
        for (name, kind) in instructions() {
            let size = if round % 3 == 0 { W64 } else { W32 };
            let mut b = Bed::new(size, [size.lanes(), 1, 1]);
            let memory = b.memory.allocate(BYTES as u64, "memory").unwrap().va;
            let (buffer, scratch) = (name.contains("buffer"), name.contains("scratch"));
            let mut mem: Vec<u32> = (0..BYTES / 4).map(|_| r.word()).collect();
            b.map().write(memory, bytemuck::cast_slice(&mem)).unwrap();
            let mut c = Case::new(size, &mut r);
            // Atomics need their alignment; of the others the low bits of each part are ignored.
            let unit = match kind {
                Kind::Atomic(_, bits) => bits / 8,
                _ => 1,
            };
            let base = MIDDLE as u64 + u64::from(unit * r.below(8));
            let stride = if r.one_in(2) { 0 } else { 4 * r.below(5) };
            let mut d = BufferDescriptor::raw(memory + base, r.below(if stride == 0 { 400 } else { 30 }));
            d.stride = stride;
            if buffer {
                (0..4).for_each(|i| *c.sgpr(4 + i) = d.to_words(wavepipe_isa::Gen::Gfx1010)[i]);
            } else {
                *c.sgpr(4) = (memory + base) as u32;
                *c.sgpr(5) = ((memory + base) >> 32) as u32;
            }
            let register = r.below(3);
            let value = unit * r.below(40);
            let offset = if register == 0 { 0 } else { u64::from(value) };
            *c.sgpr(8) = value;
            c.m0 = value;
            let mut imm = i64::from(unit * r.below(60));
            if !buffer && r.one_in(3) && register == 0 {
                imm = -imm;
            }
            let soffset = ["", "s8", "m0"][register as usize];
            let place = match soffset {
                "" => imm.to_string(),
                s => format!("{s} offset:{imm}"),
            };
            let glc = r.one_in(2);
            let base_text = tuple(4, if buffer { 4 } else { 2 });
            let mut text = match kind {
                Kind::Load(n) | Kind::Store(n) => format!("{name} {}, {base_text}, {place}", tuple(DATA, n)),
                Kind::Atomic(model, bits) => {
                    let n = bits as usize / 32 * if model == "cmpswap" { 2 } else { 1 };
                    format!("{name} {}, {base_text}, {place}", tuple(DATA, n))
                }
                Kind::Hint if name.contains("probe") => format!("{name} 0, {base_text}, {place}"),
                Kind::Hint => format!("{name} {base_text}, {place}"),
            };
            if glc && matches!(kind, Kind::Atomic(..)) {
                text += " glc";
            }
            let units = if scratch { 64 } else { 1 };
            let total = (offset as i64 * units + imm) & !3;
            let at = ((base & !3) as i64 + total) as usize;
            let in_range = |j: usize, bytes: i64| {
                let size =
                    if stride == 0 { i64::from(d.num_records) } else { i64::from(stride) * i64::from(d.num_records) };
                !buffer || total + 4 * j as i64 + bytes <= size
            };
            let mut want = c.clone();
            match kind {
                Kind::Load(n) => {
                    for j in 0..n {
                        *want.sgpr(DATA + j) = if in_range(j, 4) { load(&mem, at + 4 * j, 4) as u32 } else { 0 };
                    }
                }
                Kind::Store(n) => {
                    for j in (0..n).filter(|&j| in_range(j, 4)) {
                        store(&mut mem, at + 4 * j, 4, (*c.sgpr(DATA + j)).into());
                    }
                }
                Kind::Atomic(model, bits) => {
                    let n = bits as usize / 32;
                    let inside = in_range(0, 4 * n as i64);
                    if inside && !at.is_multiple_of(4 * n) {
                        continue;
                    }
                    let word = |c: &mut Case, first: usize| {
                        let low = u64::from(*c.sgpr(DATA + first));
                        if n == 2 { low | u64::from(*c.sgpr(DATA + first + 1)) << 32 } else { low }
                    };
                    let old = if inside { load(&mem, at, 4 * n) } else { 0 };
                    if r.one_in(2) && model == "cmpswap" {
                        (0..n).for_each(|j| *c.sgpr(DATA + n + j) = (old >> (32 * j)) as u32);
                        want = c.clone();
                    }
                    if inside {
                        let (a, b) = (word(&mut c, 0), word(&mut c, n));
                        store(&mut mem, at, 4 * n, atomic(model, bits, old, a, b));
                    }
                    if glc {
                        (0..n).for_each(|j| *want.sgpr(DATA + j) = (old >> (32 * j)) as u32);
                    }
                }
                Kind::Hint => {}
            }
            let got = c.run(&mut b, &text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
            got.compare(&want, &text);
            let mut after = vec![0u32; BYTES / 4];
            b.map().read(memory, bytemuck::cast_slice_mut(&mut after)).unwrap();
            assert!(after == mem, "{text}: memory differs");
        }
    }
}

#[test]
fn faults() {
    let mut r = Random(2);
    let mut c = Case::new(W32, &mut r);
    let mut run = |base: u64, text: &str| {
        let mut b = Bed::new(W32, [32, 1, 1]);
        (*c.sgpr(4), *c.sgpr(5)) = (base as u32, (base >> 32) as u32);
        c.run(&mut b, text).map(drop).map_err(|f| f.kind.clone())
    };
    let wild = |address, bytes, write| Err(FaultKind::WildAddress { address, bytes, write, nearest: None });
    assert_eq!(run(0x1000, "s_store_dwordx2 s[12:13], s[4:5], 0x8"), wild(0x1008, 4, true));
    assert_eq!(run(u64::MAX - 7, "s_store_dwordx4 s[12:15], s[4:5], 0x0"), wild(u64::MAX - 7, 4, true));
    assert_eq!(run(0x1000, "s_atomic_add s12, s[4:5], 0x8"), wild(0x1008, 4, true));
    assert_eq!(
        run(0x1004, "s_atomic_add_x2 s[12:13], s[4:5], 0x0"),
        Err(FaultKind::Misaligned { address: 0x1004, align: 8 })
    );
}

#[test]
fn the_table_of_coverage_lists_these_rows() {
    memory::witness::holds("core/tests/memory_scalar", instructions().into_iter().map(|(name, _)| name));
}

//! Buffers: every addressing mode, range check and format of MUBUF and MTBUF against a plain model, byte by byte.

use crate::memory::{self, Case, FIRST, Random, atomic, byte, load, set_byte, store};
use crate::wave::Bed;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::format::{FORMATS, Format, Num, TEXEL};

/// Bytes of the memory that a buffer lies in the middle of, and where.
const BYTES: usize = 1 << 16;
const MIDDLE: u64 = 1 << 15;

/// Registers: index and offset v4, v5; data v8..; result v16..; V# s4..s7; soffset s8.
const ADDRESS: usize = 4;
const DATA: usize = 8;
const RESULT: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// bytes, signed, dwords, D16 half
    Load(usize, bool, usize, Option<bool>),
    /// bytes, dwords, first bit
    Store(usize, usize, u32),
    /// components, D16, its half
    LoadFormat(usize, bool, bool),
    StoreFormat(usize, bool, bool),
    /// model's name, bits
    Atomic(&'static str, u32),
}

fn instructions() -> Vec<(String, Kind)> {
    let mut all: Vec<(String, Kind)> = Vec::new();
    for (name, bytes, signed) in [("ubyte", 1, false), ("sbyte", 1, true), ("ushort", 2, false), ("sshort", 2, true)] {
        all.push((format!("buffer_load_{name}"), Kind::Load(bytes, signed, 1, None)));
    }
    for (name, bytes, signed) in [("ubyte", 1, false), ("sbyte", 1, true), ("short", 2, false)] {
        all.push((format!("buffer_load_{name}_d16"), Kind::Load(bytes, signed, 1, Some(false))));
        all.push((format!("buffer_load_{name}_d16_hi"), Kind::Load(bytes, signed, 1, Some(true))));
    }
    for (name, n) in [("dword", 1), ("dwordx2", 2), ("dwordx3", 3), ("dwordx4", 4)] {
        all.push((format!("buffer_load_{name}"), Kind::Load(4, false, n, None)));
        all.push((format!("buffer_store_{name}"), Kind::Store(4, n, 0)));
    }
    for (name, bytes, shift) in [("byte", 1, 0), ("short", 2, 0), ("byte_d16_hi", 1, 16), ("short_d16_hi", 2, 16)] {
        all.push((format!("buffer_store_{name}"), Kind::Store(bytes, 1, shift)));
    }
    for family in ["buffer", "tbuffer"] {
        for (n, name) in ["x", "xy", "xyz", "xyzw"].into_iter().enumerate() {
            for (d16, infix) in [(false, ""), (true, "d16_")] {
                all.push((format!("{family}_load_format_{infix}{name}"), Kind::LoadFormat(n + 1, d16, false)));
                all.push((format!("{family}_store_format_{infix}{name}"), Kind::StoreFormat(n + 1, d16, false)));
            }
        }
    }
    all.push(("buffer_load_format_d16_hi_x".into(), Kind::LoadFormat(1, true, true)));
    all.push(("buffer_store_format_d16_hi_x".into(), Kind::StoreFormat(1, true, true)));
    for model in ["swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"] {
        all.push((format!("buffer_atomic_{model}"), Kind::Atomic(model, 32)));
        all.push((format!("buffer_atomic_{model}_x2"), Kind::Atomic(model, 64)));
    }
    for model in ["fcmpswap", "fmin", "fmax"] {
        all.push((format!("buffer_atomic_{model}"), Kind::Atomic(model, 32)));
        all.push((format!("buffer_atomic_{model}_x2"), Kind::Atomic(model, 64)));
    }
    all
}

fn tuple(first: usize, dwords: usize) -> String {
    if dwords == 1 { format!("v{first}") } else { format!("v[{first}:{}]", first + dwords - 1) }
}

/// The address calculation of the ISA documents, for one lane.
struct Lane {
    d: BufferDescriptor,
    soffset: u64,
    index: u64,
    offset: u64,
}

impl Lane {
    /// Where byte `n` of the access is.
    fn at(&self, n: u64) -> u64 {
        let d = &self.d;
        let (offset, stride) = (self.offset + n, u64::from(d.stride));
        let inside = if d.swizzle_enable {
            let span = [8, 16, 32, 64][usize::from(d.index_stride)];
            let (index_high, index_low) = (self.index / span, self.index % span);
            let (offset_high, offset_low) = (offset / 4, offset % 4);
            (index_high * stride + offset_high * 4) * span + index_low * 4 + offset_low
        } else {
            self.index * stride + offset
        };
        d.base + self.soffset + inside
    }

    /// Whether bytes `from..from + bytes` of the access are in range.
    fn in_range(&self, from: u64, bytes: u64) -> bool {
        let d = &self.d;
        let (records, stride) = (u64::from(d.num_records), u64::from(d.stride));
        let end = self.offset + from + bytes;
        match d.oob_select {
            0 => self.index < records && end <= stride,
            1 => self.index < records,
            2 => records != 0,
            _ => {
                let records = records.saturating_sub(self.soffset);
                match d.swizzle_enable {
                    true if stride != 0 => self.index < records && end <= stride,
                    true => end <= records,
                    false => self.index * stride + end <= records,
                }
            }
        }
    }
}

/// Runs `rounds` of every instruction.
fn compare(size: WaveSize, seed: u64, rounds: usize) {
    let mut r = Random(seed);
    let mut reached = [0u32; 4];
    let formats: Vec<&Format> = FORMATS.iter().filter(|f| f.number != 0 && f.number < 128).collect();
    for _ in 0..rounds {
        for (name, kind) in instructions() {
            let mut b = Bed::new(size, [size.lanes(), 1, 1]);
            let memory = b.memory.allocate(BYTES as u64, "buffer").unwrap().va;
            let typed = name.starts_with("tbuffer");
            let format = r.pick(&formats);
            let (bytes, parts) = match kind {
                Kind::Load(bytes, _, n, _) | Kind::Store(bytes, n, _) => (bytes, n),
                Kind::LoadFormat(..) | Kind::StoreFormat(..) => (format.bytes() as usize, 1),
                Kind::Atomic(_, bits) => (bits as usize / 8, 1),
            };
            // Descriptor: small, so that ranges are met; dword-aligned where it is an atomic.
            let swizzle_enable = r.one_in(3);
            let aligned = matches!(kind, Kind::Atomic(..)) || !r.one_in(4);
            let unit = match kind {
                Kind::Atomic(_, 64) => 8,
                _ if aligned => 4,
                _ => 1,
            };
            let oob_select = r.below(4) as u8;
            let d = BufferDescriptor {
                base: memory + MIDDLE + u64::from(unit * r.below(16)),
                stride: if r.one_in(4) { 0 } else { unit.max(4) * r.below(8) },
                swizzle_enable,
                num_records: match r.below(6) {
                    0 => 0,
                    1 => 4096,
                    _ if oob_select == 3 => r.below(300),
                    _ => r.below(40),
                },
                dst_sel: std::array::from_fn(|i| if r.one_in(3) { r.pick(&[0, 1, 4, 5, 6, 7]) } else { 4 + i as u8 }),
                format: if typed { r.pick(&formats).number as u8 } else { format.number as u8 },
                index_stride: r.below(4) as u8,
                add_tid_enable: r.one_in(5),
                oob_select,
                ..BufferDescriptor::default()
            };
            // Swizzled 64-bit atomics are no one place.
            if d.swizzle_enable && matches!(kind, Kind::Atomic(_, 64)) {
                continue;
            }
            let (offen, idxen) = (r.one_in(2), r.one_in(2));
            let (few, many) = (r.pick(&[2, 2, 16]), r.pick(&[1, 1, 64]));
            let (imm, soffset) = (unit * r.below(few), unit * r.below(many));
            let mut c = Case::new(size, &mut r);
            for (i, w) in d.to_words(wavepipe_isa::Gen::Gfx1010).into_iter().enumerate() {
                *c.sgpr(4 + i) = w;
            }
            *c.sgpr(8) = soffset;
            // Huge indices and offsets only where they are sure to be out of range.
            let (huge_index, huge_offset) = (oob_select != 2, matches!(oob_select, 0 | 3));
            for lane in 0..64 {
                let (indices, offsets) = (r.pick(&[1, 8, 48]), r.pick(&[1, 8, 40]));
                let (mut index, mut offset) = (r.below(indices), unit * r.below(offsets));
                if idxen && huge_index && r.one_in(30) && !(oob_select == 3 && d.stride == 0) {
                    index = !0 - r.below(3);
                }
                if huge_offset && r.one_in(30) {
                    offset = !0 - (unit - 1) - 8 * r.below(3);
                }
                *c.vgpr(ADDRESS, lane) = if idxen { index } else { offset };
                *c.vgpr(ADDRESS + 1, lane) = offset;
            }
            let words: Vec<u32> = (0..BYTES / 4).map(|i| if i % 3 == 0 { r.next() as u32 } else { r.word() }).collect();
            let map = b.map();
            map.write(memory, bytemuck::cast_slice(&words)).unwrap();
            let mut mem = words;
            let mut want = c.clone();
            let live: Vec<usize> = c.live().collect();
            let mut text = format!("{name} ");
            let glc = r.one_in(2);
            // A status after the data, for loads.
            let tfe = r.one_in(6);
            let mut dwords = parts;
            match kind {
                Kind::LoadFormat(n, d16, _) | Kind::StoreFormat(n, d16, _) => {
                    dwords = if d16 { n.div_ceil(2) } else { n };
                }
                Kind::Atomic(model, bits) => {
                    dwords = bits as usize / 32 * if model.ends_with("cmpswap") { 2 } else { 1 };
                }
                _ => {}
            }
            let loads = matches!(kind, Kind::Load(..) | Kind::LoadFormat(..));
            text += &tuple(if loads { RESULT } else { DATA }, dwords + usize::from(loads && tfe));
            text += &match (offen, idxen) {
                (false, false) => ", off".to_string(),
                (true, true) => format!(", v[{ADDRESS}:{}]", ADDRESS + 1),
                _ => format!(", v{ADDRESS}"),
            };
            text += ", s[4:7], s8";
            if typed {
                text += &format!(" format:[BUF_FMT_{}]", format.name);
            }
            text += &format!("{}{} offset:{imm}", if idxen { " idxen" } else { "" }, if offen { " offen" } else { "" });
            if glc && matches!(kind, Kind::Atomic(..)) {
                text += " glc";
            }
            if loads && tfe {
                text += " tfe";
                live.iter().for_each(|&lane| *want.vgpr(RESULT + dwords, lane) = 0);
            }
            let lane_of = |c: &mut Case, lane: usize| {
                let tid = if d.add_tid_enable { lane as u32 } else { 0 };
                let index = if idxen { *c.vgpr(ADDRESS, lane) } else { 0 };
                let offset = if offen { *c.vgpr(ADDRESS + usize::from(idxen), lane) } else { 0 };
                Lane {
                    d,
                    soffset: soffset.into(),
                    index: index.wrapping_add(tid).into(),
                    // In a swizzled buffer the sum wraps at 32 bits (errata).
                    offset: if d.swizzle_enable {
                        offset.wrapping_add(imm).into()
                    } else {
                        u64::from(offset) + u64::from(imm)
                    },
                }
            };
            let place = |l: &Lane, n: usize| (l.at(n as u64) - memory) as usize;
            let components = |c: &mut Case, lane: usize, n: usize, d16: bool, hi: bool, f: &Format| -> [u32; 4] {
                std::array::from_fn(|i| match (i < n, d16) {
                    (false, _) => 0,
                    (true, false) => *c.vgpr(DATA + i, lane),
                    (true, true) => {
                        let both = *c.vgpr(DATA + i / 2, lane);
                        f.widen(if i % 2 == 1 || hi { (both >> 16) as u16 } else { both as u16 })
                    }
                })
            };
            for &lane in &live {
                let l = lane_of(&mut c, lane);
                match kind {
                    Kind::Load(bytes, signed, n, d16) => {
                        for j in 0..n {
                            let mut v = 0u32;
                            if l.in_range(4 * j as u64, bytes as u64) {
                                reached[usize::from(oob_select)] += 1;
                                for k in 0..bytes {
                                    v |= u32::from(byte(&mem, place(&l, 4 * j + k))) << (8 * k);
                                }
                            }
                            if signed {
                                v = ((v << (32 - 8 * bytes)) as i32 >> (32 - 8 * bytes)) as u32;
                            }
                            let old = *c.vgpr(RESULT, lane);
                            *want.vgpr(RESULT + j, lane) = match d16 {
                                None => v,
                                Some(false) => old & 0xffff_0000 | v & 0xffff,
                                Some(true) => old & 0xffff | v << 16,
                            };
                        }
                    }
                    Kind::Store(bytes, n, shift) => {
                        for j in (0..n).filter(|&j| l.in_range(4 * j as u64, bytes as u64)) {
                            let v = *c.vgpr(DATA + j, lane) >> shift;
                            (0..bytes).for_each(|k| set_byte(&mut mem, place(&l, 4 * j + k), (v >> (8 * k)) as u8));
                        }
                    }
                    Kind::LoadFormat(n, d16, hi) => {
                        let mut texel = [0u8; TEXEL];
                        let inside = l.in_range(0, bytes as u64);
                        if inside {
                            reached[usize::from(oob_select)] += 1;
                            (0..bytes).for_each(|k| texel[k] = byte(&mem, place(&l, k)));
                        }
                        let decoded = if inside { format.decode(&texel) } else { [0; 4] };
                        let one = if matches!(format.num, Num::Uint | Num::Sint) { 1 } else { 0x3f80_0000 };
                        let stored = format.bits.iter().filter(|&&b| b != 0).count();
                        let values: [u32; 4] = std::array::from_fn(|i| match (typed, d.dst_sel[i]) {
                            (true, _) if i < stored => decoded[i],
                            (true, _) | (false, 0) => 0,
                            (false, 1) => one,
                            (false, s) => decoded[usize::from(s) - 4],
                        });
                        if !d16 {
                            (0..n).for_each(|i| *want.vgpr(RESULT + i, lane) = values[i]);
                            continue;
                        }
                        let narrow: Vec<u32> = values.iter().map(|&v| format.narrow(v).into()).collect();
                        let old = *c.vgpr(RESULT, lane);
                        match (n, hi) {
                            (1, false) => *want.vgpr(RESULT, lane) = old & 0xffff_0000 | narrow[0],
                            (1, true) => *want.vgpr(RESULT, lane) = old & 0xffff | narrow[0] << 16,
                            _ => {
                                *want.vgpr(RESULT, lane) = narrow[0] | narrow[1] << 16;
                                if n > 2 {
                                    *want.vgpr(RESULT + 1, lane) = narrow[2] | if n == 4 { narrow[3] << 16 } else { 0 };
                                }
                            }
                        }
                    }
                    Kind::StoreFormat(n, d16, hi) => {
                        if l.in_range(0, bytes as u64) {
                            let given = components(&mut c, lane, n, d16, hi, format);
                            let stored = std::array::from_fn(|component| match typed {
                                true => given[component],
                                false => {
                                    (0..4).find(|&i| usize::from(d.dst_sel[i]) == 4 + component).map_or(0, |i| given[i])
                                }
                            });
                            let texel = format.encode(stored);
                            (0..bytes).for_each(|k| set_byte(&mut mem, place(&l, k), texel[k]));
                        }
                    }
                    Kind::Atomic(model, bits) => {
                        let n = bits as usize / 32;
                        let word = |c: &mut Case, first: usize| {
                            let low = u64::from(*c.vgpr(DATA + first, lane));
                            if n == 2 { low | u64::from(*c.vgpr(DATA + first + 1, lane)) << 32 } else { low }
                        };
                        let inside = l.in_range(0, bytes as u64);
                        let old = if inside { load(&mem, place(&l, 0), bytes) } else { 0 };
                        if inside {
                            let (a, b) = (word(&mut c, 0), word(&mut c, n));
                            store(&mut mem, place(&l, 0), bytes, atomic(model, bits, old, a, b));
                        }
                        if glc {
                            (0..n).for_each(|j| *want.vgpr(DATA + j, lane) = (old >> (32 * j)) as u32);
                        }
                    }
                }
            }
            let what = format!("{text} {d:?} {size:?}");
            let got = c.run(&mut b, &text).unwrap_or_else(|f| panic!("{what}: {f:?}"));
            got.compare(&want, &what);
            let mut after = vec![0u32; BYTES / 4];
            map.read(memory, bytemuck::cast_slice_mut(&mut after)).unwrap();
            for i in 0..BYTES / 4 {
                assert_eq!(after[i], mem[i], "{what}: memory at {:#x} ({:#x})", 4 * i, memory + 4 * i as u64);
            }
        }
    }
    assert!(reached.iter().all(|&n| n > 100), "{reached:?}");
}

#[test]
fn wave32() {
    compare(W32, 1, 12);
}

#[test]
fn wave64() {
    compare(W64, 2, 6);
}

/// One line with a raw buffer of 64 bytes, whose dword i is 0x100 + i.
fn line(
    size: WaveSize,
    text: &str,
    change: impl FnOnce(&mut Case, &mut BufferDescriptor),
) -> Result<Case, (FaultKind, u64)> {
    let mut r = Random(5);
    let mut b = Bed::new(size, [size.lanes(), 1, 1]);
    let memory = b.memory.allocate(64, "buffer").unwrap().va;
    (0..16).for_each(|i| b.map().store32(memory + 4 * i, 0x100 + i as u32).unwrap());
    let mut c = Case::new(size, &mut r);
    c.exec = if size == W32 { 0xffff_ffff } else { !0 };
    c.lds = vec![7; 256];
    (c.m0, *c.sgpr(8)) = (64, 0);
    for lane in 0..64 {
        *c.vgpr(ADDRESS, lane) = 4 * (lane as u32 % 16);
    }
    let mut d = BufferDescriptor::raw(memory, 64);
    change(&mut c, &mut d);
    for (i, w) in d.to_words(wavepipe_isa::Gen::Gfx1010).into_iter().enumerate() {
        *c.sgpr(4 + i) = w;
    }
    c.run(&mut b, text).map_err(|f| (f.kind.clone(), f.site.as_ref().unwrap().lanes))
}

#[test]
fn loads_to_lds() {
    let c = line(W32, "buffer_load_dword v4, s[4:7], s8 offen offset:8 lds", |c, _| c.exec = 0xff0f).unwrap();
    for i in 0..256 {
        let lane = i as i32 - (64 + 8) / 4;
        let want = match lane {
            0..32 if 0xff0f >> lane & 1 != 0 => {
                let at = 4 * (lane as u32 % 16) + 8;
                if at < 64 { 0x100 + at / 4 } else { 0 }
            }
            _ => 7,
        };
        assert_eq!(c.lds[i], want, "dword {i}");
    }
    // Places outside of LDS take no part, and are no fault.
    let c = line(W64, "buffer_load_ubyte v4, s[4:7], s8 offen lds", |c, _| c.m0 = 1024 - 20).unwrap();
    assert_eq!(c.lds[251..], [0, 1, 2, 3, 4]);
    let c = line(W32, "buffer_load_sbyte v4, s[4:7], s8 offen offset:4 lds", |c, _| c.m0 = 0).unwrap();
    assert_eq!(c.lds[..4], [7, 1, 2, 3]);
    // As GLOBAL has it, the instruction's offset is in both addresses too.
    let global = |c: &mut Case, d: &mut BufferDescriptor| {
        (*c.sgpr(10), *c.sgpr(11), c.m0) = (d.base as u32, (d.base >> 32) as u32, 16);
    };
    let c = line(W32, "global_load_ushort v4, s[10:11] offset:-4 lds", |c, d| {
        global(c, d);
        c.exec = 0xe;
    });
    assert_eq!(c.unwrap().lds[..8], [7, 7, 7, 7, 0x100, 0x101, 0x102, 7]);
    let c = line(W32, "global_load_dword v4, s[10:11] offset:4 lds", |c, d| {
        global(c, d);
        c.exec = 0x8004;
    });
    let (kind, lanes) = c.unwrap_err();
    assert!(matches!(kind, FaultKind::WildAddress { bytes: 4, write: false, .. }), "{kind:?}");
    assert_eq!(lanes, 0x8000);
    let c = line(W32, "buffer_load_format_x v4, s[4:7], s8 offen lds", |c, d| (c.m0, d.format) = (0, 5)).unwrap();
    assert_eq!(c.lds[..3], [0, 1, 2]);
}

#[test]
fn an_unbound_buffer_reads_zero() {
    for text in ["buffer_load_dword v16, v4, s[4:7], s8 offen", "buffer_load_format_x v16, v4, s[4:7], s8 offen"] {
        let c = line(W32, text, |_, d| d.format = 0).unwrap();
        assert_eq!(c.v[RESULT - FIRST][..32], [0; 32], "{text}");
    }
    line(W32, "buffer_store_format_x v8, v4, s[4:7], s8 offen", |_, d| d.format = 0).unwrap();
}

#[test]
fn elements_beyond_the_allocation_are_wild() {
    let (kind, lanes) = line(W64, "buffer_load_format_xyzw v[16:19], v4, s[4:7], s8 offen", |c, d| {
        (d.num_records, d.format) = (4096, 77);
        (c.exec, *c.vgpr(ADDRESS, 33), *c.vgpr(ADDRESS, 35)) = (0xb_0000_0001, 52, 64);
        *c.vgpr(ADDRESS, 32) = 48;
    })
    .unwrap_err();
    assert!(matches!(kind, FaultKind::WildAddress { bytes: 16, write: false, .. }), "{kind:?}");
    assert_eq!(lanes, 0xa_0000_0000);
}

#[test]
fn the_table_of_coverage_lists_these_rows() {
    memory::witness::holds("core/tests/memory_buffer", instructions().into_iter().map(|(name, _)| name));
}

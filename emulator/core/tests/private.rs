//! Private memory by three ways (SCRATCH, FLAT's private aperture, a swizzled V#), and partial work-groups, against the
//! written-down layout.

use crate::bench::*;
use crate::wave::{Bed, assemble};
use crate::witness;
use wavepipe_core::wave::WaveFault;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::pm4::*;

/// Bytes of private memory of a lane.
const BYTES: u32 = 256;

/// A wave whose scratch is at `scratch`: s[2:3] its address, s[4:7] a V# of it. v1: a private address, unaligned in most
/// lanes; v[2:3]: the same in the private aperture; v[4:7]: data.
fn private_bed(size: WaveSize) -> (Bed, u64) {
    let lanes = size.lanes();
    let mut b = Bed::new(size, [lanes, 1, 1]);
    let scratch = b.memory.allocate(u64::from(BYTES * lanes), "scratch").unwrap().va;
    b.launch.user_data[2] = scratch as u32;
    b.launch.user_data[3] = (scratch >> 32) as u32;
    let vsharp = BufferDescriptor {
        swizzle_enable: true,
        add_tid_enable: true,
        index_stride: if lanes == 64 { 3 } else { 2 },
        oob_select: 2,
        ..BufferDescriptor::raw(scratch, BYTES * lanes)
    };
    b.launch.user_data[4..8].copy_from_slice(&vsharp.to_words(wavepipe_isa::Gen::Gfx1010));
    b.launch.scratch_bytes_per_wave = BYTES * lanes;
    (b, scratch)
}

const SETUP: &str = "
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3
    v_mul_u32_u24 v1, 5, v0
    v_and_b32 v1, 63, v1
    s_mov_b64 s[10:11], src_private_base
    v_mov_b32 v2, v1
    v_mov_b32 v3, s11
    v_add_nc_u32 v4, 0x11111111, v0
    v_add_nc_u32 v5, 0x22222222, v0
    v_add_nc_u32 v6, 0x33333333, v0
    v_add_nc_u32 v7, 0x44444444, v0
";

fn address(lane: u32) -> u32 {
    5 * lane & 63
}

/// Little-endian bytes of a lane's data.
fn data(lane: u32, bytes: usize) -> Vec<u8> {
    let dwords = [0x1111_1111, 0x2222_2222, 0x3333_3333, 0x4444_4444u32];
    dwords.iter().flat_map(|d| (d + lane).to_le_bytes()).take(bytes).collect()
}

fn private_byte(b: &Bed, scratch: u64, lanes: u32, lane: u32, offset: u32) -> u8 {
    let at = offset / 4 * 4 * lanes + 4 * lane + offset % 4;
    let mut byte = [0];
    b.map().read(scratch + u64::from(at), &mut byte).unwrap();
    byte[0]
}

/// What one way stores, the layout has; what the layout has, every way loads.
#[test]
fn three_ways_to_private_memory_agree() {
    let ways = ["scratch", "flat", "buffer"];
    let order = |way: usize, op: &str, data: &str| {
        let operands = match (way, op.starts_with("store")) {
            (0, true) => format!("v1, {data}, off offset:8"),
            (0, false) => format!("{data}, v1, off offset:8"),
            (1, true) => format!("v[2:3], {data} offset:8"),
            (1, false) => format!("{data}, v[2:3] offset:8"),
            _ => format!("{data}, v1, s[4:7], 0 offen offset:8"),
        };
        format!("{}_{op} {operands}\n", ways[way])
    };
    let widths = [("byte", "ubyte", 1, "v4"), ("short", "ushort", 2, "v4"), ("dword", "dword", 4, "v4")];
    let tuples = [
        ("dwordx2", "dwordx2", 8, "v[4:5]"),
        ("dwordx3", "dwordx3", 12, "v[4:6]"),
        ("dwordx4", "dwordx4", 16, "v[4:7]"),
    ];
    let both = |(store, load, ..): (&str, &str, usize, &str)| [format!("store_{store}"), format!("load_{load}")];
    let names = widths.into_iter().chain(tuples).flat_map(both);
    let names: Vec<String> = names.flat_map(|n| ways.map(|way| format!("{way}_{n}"))).collect();
    for size in [W32, W64] {
        let lanes = size.lanes();
        let part = if lanes == 64 {
            "s_mov_b64 exec, 0x0f0fff00\ns_mov_b32 exec_hi, 0x80000001"
        } else {
            "s_mov_b32 exec_lo, 0x0f0fff01"
        };
        let live: u64 = if lanes == 64 { 0x8000_0001_0f0f_ff00 } else { 0x0f0f_ff01 };
        for (store, load, bytes, from) in widths.into_iter().chain(tuples) {
            for way in 0..3 {
                let (mut b, scratch) = private_bed(size);
                let mut text = format!("{SETUP}{part}\n{}", order(way, &format!("store_{store}"), from));
                // Each way reads it back into four registers of its own, past the end of the data too.
                for other in 0..3 {
                    let to = 8 + 4 * other;
                    let count = bytes.div_ceil(4);
                    let to = if count == 1 { format!("v{to}") } else { format!("v[{to}:{}]", to + count - 1) };
                    text += &order(other, &format!("load_{load}"), &to);
                }
                if !b.text(&(text + "s_endpgm")) {
                    return;
                }
                for lane in 0..lanes {
                    let live = live >> lane & 1 != 0;
                    let want = if live { data(lane, bytes) } else { vec![0; bytes] };
                    let got: Vec<u8> = (0..bytes as u32)
                        .map(|n| private_byte(&b, scratch, lanes, lane, address(lane) + 8 + n))
                        .collect();
                    assert_eq!(got, want, "{size:?} {store} way {way} lane {lane}");
                    for other in 0..3 {
                        let words = (0..4).flat_map(|n| b.vgpr(8 + 4 * other + n)[lane as usize].to_le_bytes());
                        let loaded: Vec<u8> = words.take(bytes).collect();
                        assert_eq!(loaded, want, "{size:?} {load} from way {way} by way {other}, lane {lane}");
                    }
                }
            }
        }
    }
    witness::holds("core/tests/private::three_ways", names);
}

/// Bytes and halves: signs, halves of registers, and what of a register stays.
#[test]
fn narrow_accesses_of_scratch() {
    let loads = ["ubyte", "sbyte", "ushort", "sshort"];
    let halves = ["ubyte_d16", "ubyte_d16_hi", "sbyte_d16", "sbyte_d16_hi", "short_d16", "short_d16_hi"];
    let stores = ["byte", "byte_d16_hi", "short", "short_d16_hi"];
    const OLD: u32 = 0x1234_5678;
    // The value of a load from the low bytes of `m`.
    let loaded = |load: &str, m: u32| {
        let byte = load.contains("byte");
        let value = match (byte, load.starts_with('s') && load != "short_d16" && load != "short_d16_hi") {
            (true, true) => m as i8 as u32,
            (true, false) => m & 0xff,
            (false, true) => m as i16 as u32,
            (false, false) => m & 0xffff,
        };
        match load.split_once("_d16") {
            None => value,
            Some((_, "")) => OLD & 0xffff_0000 | value & 0xffff,
            Some(_) => OLD & 0xffff | value << 16,
        }
    };
    for size in [W32, W64] {
        let lanes = size.lanes();
        let (mut b, _) = private_bed(size);
        let mut text = format!("{SETUP} v_and_b32 v1, 60, v1\n v_mul_lo_u32 v4, v4, 0x9e3779b1\n v_mov_b32 v5, 0\n");
        text += "scratch_store_dword v1, v4, off\n";
        for (n, load) in loads.iter().chain(&halves).enumerate() {
            text += &format!("v_mov_b32 v{0}, {OLD}\n scratch_load_{load} v{0}, v1, off\n", 8 + n);
        }
        for (n, store) in stores.iter().enumerate() {
            let to = format!("off offset:{}", 128 + 4 * n);
            // Each lane's slot of this store is its own: address bits of v1 stay out of it.
            text += &format!("scratch_store_dword v5, v5, {to}\n scratch_store_{store} v5, v4, {to}\n");
            text += &format!("scratch_load_dword v{}, v5, {to}\n", 24 + n);
        }
        if !b.text(&(text + "s_endpgm")) {
            return;
        }
        for lane in 0..lanes {
            let m = (0x1111_1111 + lane).wrapping_mul(0x9e37_79b1);
            for (n, load) in loads.iter().chain(&halves).enumerate() {
                assert_eq!(b.vgpr(8 + n as u32)[lane as usize], loaded(load, m), "{size:?} {load} of {m:x}");
            }
            let stored = [m & 0xff, m >> 16 & 0xff, m & 0xffff, m >> 16];
            for (n, store) in stores.iter().enumerate() {
                assert_eq!(b.vgpr(24 + n as u32)[lane as usize], stored[n], "{size:?} {store} of {m:x}");
            }
        }
    }
    let loads = loads.iter().chain(&halves).map(|l| format!("scratch_load_{l}"));
    witness::holds("core/tests/private::narrow", loads.chain(stores.map(|s| format!("scratch_store_{s}"))));
}

/// Stack slots: one offset in all lanes, from the instruction, an SGPR and a VGPR.
#[test]
fn a_stack_slot_is_a_row_of_neighbours() {
    let text = "
        s_movk_i32 s8, SLOT
        v_mov_b32 v8, 20
        PART
        buffer_store_dword v4, off, s[4:7], 0 offset:12
        buffer_store_dword v5, off, s[4:7], s8 offset:4
        buffer_store_dword v6, v8, s[4:7], s8 offen offset:8
        buffer_load_dword v9, off, s[4:7], 0 offset:12
        buffer_load_dword v10, off, s[4:7], s8 offset:4
        buffer_load_dword v11, v8, s[4:7], s8 offen offset:8
        buffer_load_dword v12, off, s[4:7], s8 offset:5
        v_mov_b32 v13, -12
        buffer_load_dword v14, v13, s[4:7], s8 offen offset:16
        s_endpgm";
    for size in [W32, W64] {
        let lanes = size.lanes();
        let part = if lanes == 64 { "s_mov_b64 exec, 0x0f0fff00" } else { "s_mov_b32 exec_lo, 0x0f0fff01" };
        for (part, live) in [("", !0u64), (part, if lanes == 64 { 0x0f0f_ff00 } else { 0x0f0f_ff01 })] {
            let (mut b, scratch) = private_bed(size);
            // An SGPR counts bytes of the wave: slot 16 of every lane.
            let text = text.replace("SLOT", &(16 * lanes).to_string()).replace("PART", part);
            if !b.text(&format!("{SETUP}{text}")) {
                return;
            }
            for lane in 0..lanes {
                let live = live >> lane & 1 != 0;
                for (slot, value, register) in
                    [(12, 0x1111_1111, 9), (16 + 4, 0x2222_2222, 10), (16 + 20 + 8, 0x3333_3333, 11)]
                {
                    let want = if live { value + lane } else { 0 };
                    let bytes = [0, 1, 2, 3].map(|n| private_byte(&b, scratch, lanes, lane, slot + n));
                    assert_eq!(u32::from_le_bytes(bytes), want, "{size:?} slot {slot} lane {lane}");
                    assert_eq!(b.vgpr(register)[lane as usize], want, "{size:?} v{register} lane {lane}");
                }
                assert_eq!(b.vgpr(14), b.vgpr(10), "{size:?}: an offset below zero");
                let over = if live { (0x2222_2222 + lane) >> 8 } else { 0 };
                assert_eq!(b.vgpr(12)[lane as usize], over, "{size:?} lane {lane}");
            }
        }
    }
}

/// One FLAT instruction whose lanes go to LDS, private memory and global memory.
#[test]
fn flat_lanes_go_where_their_aperture_says() {
    for size in [W32, W64] {
        let (mut b, scratch) = private_bed(size);
        let lanes = size.lanes();
        let text = "
            v_lshlrev_b32 v1, 2, v0
            v_and_b32 v8, 3, v0
            s_mov_b64 s[12:13], src_shared_base
            v_mov_b32 v2, v1
            v_mov_b32 v3, s13
            v_cmp_eq_u32 s[14:15], 1, v8
            v_cndmask_b32 v3, v3, v9, s[14:15]
            v_mov_b32 v9, s11
            v_cndmask_b32 v3, v3, v9, s[14:15]
            v_mov_b32 v10, s0
            v_add_nc_u32 v10, v10, v1
            v_mov_b32 v11, s1
            v_cmp_lt_u32 s[14:15], 1, v8
            v_cndmask_b32 v2, v2, v10, s[14:15]
            v_cndmask_b32 v3, v3, v11, s[14:15]
            flat_store_dword v[2:3], v4
            flat_load_dword v12, v[2:3]
            flat_atomic_add v13, v[2:3], v8 glc
            ds_read_b32 v14, v1
            s_endpgm";
        let text = if lanes == 32 { text.replace("s[14:15]", "s14") } else { text.to_owned() };
        if !b.text(&format!("{SETUP}{text}")) {
            return;
        }
        let (loaded, before, lds) = (b.vgpr(12), b.vgpr(13), b.vgpr(14));
        for lane in 0..lanes {
            let want = 0x1111_1111 + lane;
            assert_eq!((loaded[lane as usize], before[lane as usize]), (want, want), "{size:?} lane {lane}");
            let own = want + (lane & 3);
            match lane & 3 {
                0 => assert_eq!(lds[lane as usize], own),
                1 => {
                    let bytes = [0, 1, 2, 3].map(|n| private_byte(&b, scratch, lanes, lane, 4 * lane + n));
                    assert_eq!(u32::from_le_bytes(bytes), own);
                }
                _ => assert_eq!(b.read(u64::from(lane)), own),
            }
        }
    }
}

#[test]
fn beyond_private_memory_is_a_fault() {
    let fault = |text: &str| -> Option<Box<WaveFault>> {
        let (mut b, _) = private_bed(W32);
        let words = assemble(&format!("{SETUP}{text}\ns_endpgm"), W32)?;
        b.start(&words);
        Some(b.run().expect_err(text))
    };
    for (text, offset, write, lanes) in [
        ("s_movk_i32 s8, 252\nscratch_load_dwordx2 v[8:9], off, s8", 252, false, !0u32),
        ("v_mul_u32_u24 v1, 9, v0\nscratch_store_byte v1, v4, off", 261, true, 0xe000_0000),
        ("v_mul_u32_u24 v2, 9, v0\nflat_store_byte v[2:3], v4", 261, true, 0xe000_0000),
        ("v_mov_b32 v2, 0\nflat_load_dword v4, v[2:3] offset:255", 255, false, !0),
    ] {
        let Some(f) = fault(text) else { return };
        let FaultKind::ScratchOutOfRange { offset: o, size, write: w, .. } = f.kind else { panic!("{f:?}") };
        assert_eq!((o, size, w), (offset, BYTES, write), "{text}");
        assert_eq!(f.site.unwrap().lanes, u64::from(lanes), "{text}");
    }
}

/// Adds one to the dword of each work-item's global id in a grid of s2 × s3 × … work-items, groups of 5 × 3 × 2.
const COUNT_ITEMS: &str = "
    s_mul_i32 s8, s5, 5
    s_mul_i32 s9, s6, 3
    s_lshl_b32 s10, s7, 1
    v_add_nc_u32 v0, s8, v0
    v_add_nc_u32 v1, s9, v1
    v_add_nc_u32 v2, s10, v2
    v_mul_lo_u32 v2, v2, s3
    v_add_nc_u32 v1, v1, v2
    v_mul_lo_u32 v1, v1, s2
    v_add_nc_u32 v0, v0, v1
    v_lshlrev_b32 v0, 2, v0
    v_mov_b32 v1, 1
    global_atomic_add v0, v1, s[0:1]
    s_endpgm";

#[test]
fn a_grid_of_work_items_has_partial_work_groups() {
    const FULL: [u32; 3] = [5, 3, 2];
    let Some(words) = assemble(COUNT_ITEMS, W32) else { return };
    for grid in [[5u32, 3, 2], [7, 3, 2], [4, 1, 1], [12, 8, 5], [11, 7, 3]] {
        let groups: [u32; 3] = std::array::from_fn(|i| grid[i].div_ceil(FULL[i]));
        for by_items in [true, false] {
            let b = Bench::new();
            let mut q = b.queue(0, 0);
            let (code, m) = (b.code(&words), b.memory(1 << 16, "counts"));
            let items = grid.iter().product::<u32>();
            let last: [u32; 3] = std::array::from_fn(|i| grid[i] - (groups[i] - 1) * FULL[i]);
            let threads = (0..3).map(|i| FULL[i] | if by_items { 0 } else { last[i] << 16 }).collect();
            let (counts, bit) =
                if by_items { (grid, initiator::USE_THREAD_DIMENSIONS) } else { (groups, initiator::PARTIAL_TG_EN) };
            let packets = [
                Packet::SetShReg { reg: reg::COMPUTE_NUM_THREAD_X, values: threads },
                Packet::SetShReg { reg: reg::COMPUTE_PGM_LO, values: vec![(code >> 8) as u32, (code >> 40) as u32] },
                Packet::SetShReg {
                    reg: reg::COMPUTE_PGM_RSRC1,
                    values: vec![0x200f_0000 | 0xf0 << 12, 5 << 1 | 7 << 7 | 2 << 11],
                },
                Packet::SetShReg {
                    reg: reg::COMPUTE_USER_DATA_0,
                    values: vec![m as u32, (m >> 32) as u32, grid[0], grid[1], 0],
                },
                Packet::DispatchDirect { groups: counts, initiator: LAUNCH | bit },
                Packet::SamplePipelineStat { address: m + 0x8000 },
            ];
            b.run(&mut q, &packets);
            for counter in 0..PIPELINE_STATS {
                let want = if counter == CS_INVOCATIONS { u64::from(items) } else { 0 };
                assert_eq!(b.read64(m + 0x8000 + 8 * counter as u64), want, "{grid:?} counter {counter}");
            }
            for i in 0..items + 64 {
                let want = u32::from(i < items);
                assert_eq!(b.read32(m + 4 * u64::from(i)), want, "{grid:?} item {i}");
            }
            assert_eq!(b.gpu.statistics().workgroups, u64::from(groups.iter().product::<u32>()));
        }
    }
}

//! Memory that the driver keeps from programs: every way to store finds it closed, every way to load as it is to be.

use crate::wave::Bed;
use wavepipe_core::memory::Memory;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{BufferDescriptor, ImageDescriptor, ImageType};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::port::Protection;
use wavepipe_isa::{Gen, asm};

/// Bytes of the memory in question.
const BYTES: u64 = 1 << 16;

/// Where descriptors are in the bed's data.
const WIDE_TEXELS: u64 = 32;
const BUFFER: u64 = 64;
const SWIZZLED: u64 = 80;

/// T# of 8_8_8_8_UNORM in s[8:15] and of 32_32_32_32_FLOAT in s[16:23], V#s in s[24:27] and s[28:31], the memory in s[32:33] and FLAT_SCRATCH; lanes
/// in v0, their dwords in v1, dwords apart in v2, the dwords' addresses in v[4:5], data in v[8:11].
const PROLOGUE: &str = "s_load_dwordx8 s[8:15], s[0:1], 0x0
    s_load_dwordx8 s[16:23], s[0:1], 0x20
    s_load_dwordx4 s[24:27], s[0:1], 0x40
    s_load_dwordx4 s[28:31], s[0:1], 0x50
    s_mov_b64 s[32:33], s[2:3]
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s32
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s33
    s_mov_b32 s36, 7
    s_mov_b32 s37, 8
    s_mov_b32 s38, 0
    s_mov_b32 s39, 0
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v1, 2, v0
    v_mul_u32_u24 v2, 0x64, v0
    v_mov_b32 v3, 0
    v_add_nc_u32 v4, s32, v1
    v_mov_b32 v5, s33
    v_mov_b32 v8, 1.0
    v_mov_b32 v9, 1.0
    v_mov_b32 v10, 0
    v_mov_b32 v11, 0
    v_mov_b32 v12, 0\n";

const STORES: &[&str] = &[
    "global_store_dword v1, v8, s[32:33]",
    "global_store_dword v[4:5], v8, off",
    "flat_store_dword v[4:5], v8",
    "s_mov_b32 exec_lo, 0xf0f0\n global_store_dword v1, v8, s[32:33]",
    "global_store_dword v2, v8, s[32:33]",
    "global_store_dwordx2 v2, v[8:9], s[32:33]",
    "global_store_dwordx3 v2, v[8:10], s[32:33]",
    "global_store_dwordx4 v2, v[8:11], s[32:33]",
    "global_store_byte v0, v0, s[32:33]",
    "global_store_short v1, v0, s[32:33]",
    "global_store_short_d16_hi v1, v8, s[32:33]",
    "buffer_store_dword v8, v1, s[24:27], 0 offen",
    "buffer_store_dwordx4 v[8:11], v2, s[24:27], 0 offen",
    "buffer_store_dword v8, v0, s[28:31], 0 idxen",
    "buffer_store_byte v0, v1, s[24:27], 0 offen",
    "buffer_store_format_xyzw v[8:11], v0, s[28:31], 0 idxen",
    "tbuffer_store_format_x v8, v1, s[24:27], 0 format:[BUF_FMT_32_FLOAT] offen",
    "global_atomic_add v3, v8, s[32:33]",
    "global_atomic_add v1, v8, s[32:33]",
    "global_atomic_or v2, v8, s[32:33]",
    "global_atomic_cmpswap v1, v[9:10], s[32:33]",
    "global_atomic_swap v1, v8, s[32:33]",
    "global_atomic_add_x2 v3, v[8:9], s[32:33]",
    "flat_atomic_swap v[4:5], v8",
    "scratch_store_dword v1, v8, off",
    "scratch_store_byte off, v0, s36",
    "buffer_atomic_umax v8, v1, s[24:27], 0 offen",
    "s_store_dword s36, s[32:33], 0x8",
    "s_store_dwordx4 s[36:39], s[32:33], 0x10",
    "s_buffer_store_dword s36, s[24:27], 0x8",
    "s_atomic_add s36, s[32:33], 0x8",
    "s_atomic_swap_x2 s[36:37], s[32:33], 0x8",
    "s_buffer_atomic_add s36, s[24:27], 0x8",
    "image_store v[8:11], v0, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_1D unorm",
    "image_store v[8:11], v0, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D unorm",
    "image_atomic_add v8, v0, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm glc",
];

const LOADS: &[&str] = &[
    "global_load_dword v8, v1, s[32:33]",
    "flat_load_dword v8, v[4:5]",
    "scratch_load_dword v8, v1, off",
    "global_load_dwordx4 v[8:11], v2, s[32:33]",
    "s_mov_b32 exec_lo, 0xf0f0\n global_load_dword v8, v1, s[32:33]",
    "global_load_ubyte v8, v0, s[32:33]",
    "buffer_load_dword v8, v1, s[24:27], 0 offen",
    "buffer_load_dword v8, v0, s[28:31], 0 idxen",
    "buffer_load_format_xyzw v[8:11], v0, s[28:31], 0 idxen",
    "tbuffer_load_format_x v8, v1, s[24:27], 0 format:[BUF_FMT_32_FLOAT] offen",
    "s_load_dword s36, s[32:33], 0x8",
    "s_buffer_load_dwordx4 s[36:39], s[24:27], 0x10",
    "image_load v[8:11], v0, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_1D unorm",
    "image_load v[8:11], v0, s[16:23] dmask:0xf dim:SQ_RSRC_IMG_1D unorm",
];

/// What a program does to memory of a protection: the fault, and whether a byte of the memory changed.
fn run(text: &str, wave: WaveSize, protection: Protection) -> (Result<(), FaultKind>, bool) {
    let mut bed = Bed::new(wave, [wave.lanes(), 1, 1]);
    let va = bed.memory.allocate_protected(BYTES, "kept", protection).unwrap().va;
    (bed.launch.user_data[2], bed.launch.user_data[3]) = (va as u32, (va >> 32) as u32);
    let texels =
        |format| ImageDescriptor::linear(va, format, ImageType::D1, [64, 1, 1], 1).to_words(wavepipe_isa::Gen::Gfx1010);
    let raw = BufferDescriptor::raw(va, BYTES as u32).to_words(wavepipe_isa::Gen::Gfx1010);
    let swizzled = BufferDescriptor {
        stride: 16,
        swizzle_enable: true,
        num_records: 64,
        format: 77,
        oob_select: 0,
        ..BufferDescriptor::raw(va, 0)
    };
    for (at, words) in [
        (0, &texels(56)[..]),
        (WIDE_TEXELS, &texels(77)),
        (BUFFER, &raw),
        (SWIZZLED, &swizzled.to_words(wavepipe_isa::Gen::Gfx1010)),
    ] {
        words.iter().enumerate().for_each(|(i, word)| bed.write(at / 4 + i as u64, *word));
    }
    // In a first round without lanes, behind which host code knows the place.
    let text = format!(
        "{PROLOGUE} s_mov_b32 s40, 2\n s_mov_b64 exec, 0\nround:\n {text}\n s_mov_b64 exec, -1\n s_sub_u32 s40, s40, 1\n \
         s_cmp_lg_u32 s40, 0\n s_cbranch_scc1 round\n s_endpgm"
    );
    let code = asm::assemble(&text, Gen::Gfx1010, wave.lanes()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    bed.start(&code);
    let done = bed.run().map_err(|f| f.kind.clone());
    let mut after = vec![0; BYTES as usize];
    bed.map().read(va, &mut after).unwrap();
    (done, after.iter().any(|b| *b != 0))
}

#[track_caller]
fn refused(done: Result<(), FaultKind>, stores: bool, text: &str) {
    assert!(matches!(done, Err(FaultKind::WildAddress { write, .. }) if write == stores), "{text}: {done:?}");
}

#[test]
fn no_store_reaches_memory_of_the_driver() {
    for wave in [WaveSize::W32, WaveSize::W64] {
        for text in STORES {
            assert_eq!(run(text, wave, Protection::None), (Ok(()), true), "{text}");
            for protection in [Protection::ReadOnly, Protection::Hidden] {
                let (done, changed) = run(text, wave, protection);
                refused(done, true, text);
                assert!(!changed, "{text}: memory that is {protection:?} changed");
            }
        }
    }
}

#[test]
fn loads_reach_what_is_not_hidden() {
    for wave in [WaveSize::W32, WaveSize::W64] {
        for text in LOADS {
            for protection in [Protection::None, Protection::ReadOnly] {
                assert_eq!(run(text, wave, protection), (Ok(()), false), "{text}");
            }
            refused(run(text, wave, Protection::Hidden).0, false, text);
        }
    }
}

#[test]
fn a_fault_there_names_the_memory() {
    let memory = Memory::new(1 << 20);
    let ring = memory.allocate_protected(4096, "ring", Protection::Hidden).unwrap().va;
    let map = memory.snapshot();
    let wild = |address| FaultKind::WildAddress { address, bytes: 8, write: true, nearest: None };
    let named = |address| {
        let mut kind = wild(address);
        map.name_fault(&mut kind);
        kind
    };
    assert_eq!(
        named(ring + 4088),
        FaultKind::Protected { address: ring + 4088, bytes: 8, write: true, name: "ring".into() }
    );
    assert!(
        matches!(named(ring + 4096), FaultKind::WildAddress { nearest: Some((_, 4096, name)), .. } if name == "ring")
    );
}

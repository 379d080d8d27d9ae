//! Bytes and halves of dwords in loops of host code, beside the interpreter's, and lanes that have addresses of their own.

use crate::bench::host::engine_of;
use crate::hosted_loops::{ends_as_the_interpreters, for_wave, rounds, went};
use wavepipe_core::wave::CodeCache;
use wavepipe_hw::code::WaveSize;
use wavepipe_jit::{CODE_BYTES, HostIsa};

/// Bytes and halves of dwords, and lanes that have addresses of their own.
fn elements() -> String {
    rounds(&[
        // Offsets at which neighbours are neighbours by bytes and by halves, of which some are out of range.
        "v_ashrrev_i32 v4, 2, v2",
        "v_ashrrev_i32 v5, 1, v2",
        "buffer_load_ubyte v6, v4, s[8:11], s22 offen offset:3",
        "v_xor_b32 v20, v20, v6",
        "v_mov_b32 v7, v4",
        "buffer_load_sbyte v7, v7, s[12:15], 0 offen",
        "v_add_nc_u32 v20, v20, v7",
        "buffer_load_ushort v8, v5, s[8:11], s22 offen",
        "buffer_load_sshort v9, v2, s[12:15], 0 offen offset:1",
        "v_xor_b32 v20, v20, v8",
        "v_mul_lo_u32 v20, v20, 31",
        "v_add_nc_u32 v20, v20, v9",
        "v_mov_b32 v10, v20",
        "buffer_load_ubyte_d16 v10, v4, s[8:11], s22 offen",
        "buffer_load_sbyte_d16_hi v10, v2, s[8:11], 0 offen offset:5",
        "v_add_nc_u32 v20, v20, v10",
        "buffer_load_short_d16 v11, v5, s[12:15], 0 offen",
        "buffer_load_short_d16_hi v11, off, s[8:11], s22 offset:6",
        "v_xor_b32 v20, v20, v11",
        "v_lshrrev_b32 v12, 1, v3",
        "global_load_ubyte v13, v12, s[2:3] offset:-3",
        "global_load_short_d16_hi v13, v3, s[2:3] offset:2",
        "v_add_nc_u32 v20, v20, v13",
        "ds_read_u8 v14, v12 offset:9",
        "ds_read_i8 v15, v3",
        "v_add3_u32 v20, v20, v14, v15",
        "ds_read_u16 v14, v12",
        "ds_read_i16 v15, v3 offset:6",
        "v_add3_u32 v20, v20, v14, v15",
        "ds_read_u8_d16 v14, v3",
        "ds_read_u16_d16_hi v14, v12 offset:2",
        "v_xor_b32 v20, v20, v14",
        "ds_write_b8 v12, v20 offset:2",
        "ds_write_b16 v12, v20 offset:4",
        "ds_write_b8_d16_hi v3, v20 offset:1",
        "ds_write_b16_d16_hi v3, v20 offset:9",
        "v_and_b32 v16, 0xfff, v2",
        "ds_read_u8 v16, v16",
        "v_xor_b32 v20, v20, v16",
        "buffer_store_byte v20, v4, s[8:11], s22 offen offset:7",
        "buffer_store_byte_d16_hi v20, v2, s[8:11], s22 offen",
        "buffer_store_short v20, v5, s[12:15], 0 offen",
        "buffer_store_short v20, v4, s[8:11], s22 offen offset:1",
        "buffer_store_short_d16_hi v20, v2, s[12:15], 0 offen offset:3",
        "global_store_byte v12, v20, s[2:3] offset:11",
        "global_store_short_d16_hi v3, v20, s[2:3] offset:40",
        // Private memory.
        "s_load_dwordx4 s[60:63], s[0:1], 0x140",
        "s_load_dword s64, s[0:1], 0x150",
        "v_and_b32 v32, 0x7f, v2",
        "s_waitcnt lgkmcnt(0)",
        "buffer_store_byte v20, v32, s[60:63], s64 offen offset:8",
        "buffer_load_ubyte v34, v32, s[60:63], s64 offen offset:9",
        "v_add_nc_u32 v20, v20, v34",
        // Addresses: in the data.
        "v_mov_b32 v17, s3",
        "v_add_co_u32 v16, vcc, s2, v3",
        "v_add_co_ci_u32 v17, vcc, 0, v17, vcc",
        "global_load_dword v6, v[16:17], off offset:-16",
        "global_load_dwordx2 v[8:9], v[16:17], off offset:24",
        "v_xor_b32 v20, v20, v6",
        "v_add3_u32 v20, v20, v8, v9",
        "global_load_sshort v6, v[16:17], off offset:1",
        "v_xor_b32 v20, v20, v6",
        "global_atomic_add v26, v[16:17], v20, off glc",
        "global_atomic_umax v[16:17], v22, off offset:4",
        "v_xor_b32 v20, v20, v26",
        "global_store_dword v[16:17], v20, off offset:8",
        "global_store_byte v[16:17], v20, off offset:13",
        "global_store_dwordx4 v[16:17], v[20:23], off offset:256",
        // The same register has data and address.
        "v_mov_b32 v18, v16",
        "v_mov_b32 v19, v17",
        "global_load_dwordx4 v[16:19], v[18:19], off",
        "v_add3_u32 v20, v20, v16, v19",
        // In front of the rounds, which begin with a region, less what the instruction adds.
        "v_mov_b32 v17, s67",
        "v_lshrrev_b32 v18, 3, v3",
        "v_add_co_u32 v16, vcc, s66, v18",
        "v_add_co_ci_u32 v17, vcc, 0, v17, vcc",
        "v_sub_co_u32 v16, vcc, v16, 64",
        "v_subrev_co_ci_u32 v17, vcc, 0, v17, vcc",
        "global_load_dword v6, v[16:17], off offset:64",
        "global_load_ubyte v7, v[16:17], off offset:65",
        "v_xor_b32 v20, v20, v6",
        "v_add_nc_u32 v20, v20, v7",
        // Of some lanes in the code.
        "s_getpc_b64 s[68:69]",
        "v_mov_b32 v17, s3",
        "v_mov_b32 v18, s68",
        "v_mov_b32 v19, s69",
        "v_cmp_lt_u32 vcc, 0x400, v3",
        "v_mov_b32 v16, s2",
        "v_cndmask_b32 v16, v16, v18, vcc",
        "v_cndmask_b32 v17, v17, v19, vcc",
        "global_load_dword v6, v[16:17], off",
        "v_xor_b32 v20, v20, v6",
        // FLAT's: in the data, and of some lanes in some rounds in LDS, whose aperture is there instead.
        "v_mov_b32 v17, s3",
        "v_add_co_u32 v16, vcc, s2, v3",
        "v_add_co_ci_u32 v17, vcc, 0, v17, vcc",
        "flat_load_dwordx2 v[8:9], v[16:17]",
        "v_add3_u32 v20, v20, v8, v9",
        "flat_store_short v[16:17], v20",
        "flat_atomic_smax v26, v[16:17], v20 glc",
        "v_xor_b32 v20, v20, v26",
        "v_mov_b32 v19, src_shared_base",
        "v_and_b32 v18, 0xfc, v2",
        "v_cmp_lt_u32 vcc, 0x900, v3",
        "v_cndmask_b32 v16, v16, v18, vcc",
        "v_cndmask_b32 v17, v17, v19, vcc",
        "flat_load_dword v6, v[16:17]",
        "v_xor_b32 v20, v20, v6",
        "flat_store_dword v[16:17], v20",
        "flat_atomic_add v[16:17], v6",
    ])
}

/// In the last round one lane's address is 4 GiB off; the region begins where high words change, less what the instruction adds.
#[test]
fn addresses_4_gib_off_are_faults() {
    let text = |off: i32, lane: u32| {
        format!(
            "v_lshlrev_b32 v16, 2, v0\n v_mov_b32 v17, s1\n v_add_co_u32 v16, vcc, s0, v16\n v_add_co_ci_u32 v17, vcc, 0, v17, vcc\n\
             v_sub_co_u32 v16, vcc, v16, 64\n v_subrev_co_ci_u32 v17, vcc, 0, v17, vcc\n s_mov_b64 s[20:21], exec\n\
             round:\n s_cmp_eq_u32 s4, 1\n s_cselect_b32 s5, {off}, 0\n v_cmp_eq_u32 vcc, {lane}, v0\n v_mov_b32 v2, s5\n\
             v_cndmask_b32 v2, 0, v2, vcc\n v_add_nc_u32 v17, v17, v2\n\
             global_load_dword v6, v[16:17], off offset:64\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n\
             s_cbranch_scc1 round\n s_endpgm\n"
        )
    };
    for target in HostIsa::ALL {
        let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
        for wave in [WaveSize::W32, WaveSize::W64] {
            // Of lanes in front of where the high words change, and behind it.
            for (off, lane) in [(0, 0), (1, 3), (-1, 3), (2, 3), (1, 21), (-1, 21), (2, 21)] {
                let text = for_wave(&text(off, lane), wave);
                let want = went(&CodeCache::new(), wave, &text);
                let got = went(&CodeCache::with_host_code(engine.clone()), wave, &text);
                let what = format!("{}, {wave:?}: lane {lane} {off} · 4 GiB off", target.name());
                assert!(got == want, "{what}: {:?}, host code {:?}", want.err(), got.err());
                assert_eq!(want.is_err(), off != 0, "{what}");
            }
        }
    }
}

#[test]
fn elements_and_addresses_are_the_interpreters() {
    HostIsa::ALL.into_iter().for_each(|target| ends_as_the_interpreters(target, &elements(), 60, 30));
}

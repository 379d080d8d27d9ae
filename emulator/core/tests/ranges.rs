//! What buffers' descriptors cut off, a line of machine code each: accesses beside the buffer, and their twins that are inside.

use crate::wave::Bed;
use std::sync::Arc;
use wavepipe_core::GuestChecks;
use wavepipe_core::wave::{Device, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::finding::AccessKind::{self, Atomic, Read, Write};
use wavepipe_hw::finding::{Finding, FindingKind};
use wavepipe_isa::{Gen, asm};

/// Bytes of the buffer that s[4:7] describe: its lanes have four each, and it ends in the middle of the allocation.
const SIZE: u32 = 128;
const WAVES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];

/// 32 lanes, and the buffer.
fn bed(checks: GuestChecks, wave: WaveSize, text: &str, descriptor: impl Fn(u64) -> [u32; 4]) -> Bed {
    let text = format!("v_lshlrev_b32 v1, 2, v0\n{text}\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm");
    let words = asm::assemble(&text, Gen::Gfx1010, wave.lanes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut bed = Bed::new(wave, [32, 1, 1]);
    bed.group = WorkGroup::on(Arc::new(Device { checks, ..Device::default() }));
    let words_of_it = descriptor(bed.data);
    bed.launch.user_data[4..8].copy_from_slice(&words_of_it);
    (0..64).for_each(|i| bed.write(i, 100 + i as u32));
    bed.start(&words);
    bed.run().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    bed
}

fn found(text: &str, wave: WaveSize, descriptor: impl Fn(u64) -> [u32; 4]) -> Vec<Finding> {
    bed(GuestChecks::MEM, wave, text, descriptor).group.take_findings().0
}

fn raw(base: u64) -> [u32; 4] {
    BufferDescriptor::raw(base, SIZE).to_words(wavepipe_isa::Gen::Gfx1010)
}

/// Of a finding: kind, first lane, lanes, offset, bytes.
type Wanted = (AccessKind, u32, u64, u64, u32);

const ROWS: [(&str, Option<Wanted>); 19] = [
    ("buffer_load_dword v2, v1, s[4:7], 0 offen", None),
    ("buffer_load_dword v2, v1, s[4:7], 0 offen offset:4", Some((Read, 31, 1 << 31, 128, 4))),
    ("buffer_store_dword v0, v1, s[4:7], 0 offen", None),
    ("buffer_store_dword v0, v1, s[4:7], 0 offen offset:8", Some((Write, 30, 3 << 30, 128, 4))),
    // The last lane's second dword.
    ("buffer_load_dwordx2 v[2:3], v1, s[4:7], 0 offen", Some((Read, 31, 1 << 31, 124, 8))),
    ("buffer_load_ubyte v2, v1, s[4:7], 0 offen offset:3", None),
    ("buffer_load_ubyte v2, v1, s[4:7], 0 offen offset:4", Some((Read, 31, 1 << 31, 128, 1))),
    ("buffer_store_short v0, v1, s[4:7], 0 offen offset:2", None),
    ("buffer_store_short v0, v1, s[4:7], 0 offen offset:3", Some((Write, 31, 1 << 31, 127, 2))),
    ("buffer_atomic_add v0, v1, s[4:7], 0 offen", None),
    ("buffer_atomic_add v0, v1, s[4:7], 0 offen offset:4", Some((Atomic, 31, 1 << 31, 128, 4))),
    // Typed, by the format of the descriptor: one float.
    ("buffer_load_format_x v2, v1, s[4:7], 0 offen", None),
    ("buffer_load_format_x v2, v1, s[4:7], 0 offen offset:4", Some((Read, 31, 1 << 31, 128, 4))),
    // Lanes that are switched off access nothing.
    ("s_mov_b32 exec_lo, 1\nbuffer_load_dword v2, v1, s[4:7], 0 offen offset:4", None),
    ("s_buffer_load_dword s20, s[4:7], 0x7c", None),
    ("s_buffer_load_dword s20, s[4:7], 0x80", Some((Read, 0, 0xffff_ffff, 128, 4))),
    // The last dwords that a scalar load is rounded up by.
    ("s_buffer_load_dwordx4 s[20:23], s[4:7], 0x74", None),
    ("s_buffer_load_dwordx4 s[20:23], s[4:7], 0x80", Some((Read, 0, 0xffff_ffff, 128, 16))),
    // Another's address is none of a buffer's.
    ("global_load_dword v2, v1, s[0:1] offset:256", None),
];

#[test]
fn what_is_beside_the_buffer_is_found_and_what_is_inside_is_not() {
    for (text, wanted) in ROWS {
        for wave in WAVES {
            let all = found(text, wave, raw);
            let got = all.first().map(|f| {
                let FindingKind::OutOfBounds { size, offset, .. } = f.kind else { panic!("{f}") };
                assert_eq!((size, all.len(), f.id().starts_with("mem-out-of-bounds-")), (SIZE.into(), 1, true));
                let access = f.access.as_ref().unwrap();
                (access.kind, f.site.lane, f.site.lanes, offset, access.bytes)
            });
            assert_eq!(got, wanted, "{wave:?}: {text}");
        }
    }
}

#[test]
fn the_message_says_how_far_the_access_is_off() {
    let all = found("buffer_store_dword v0, v1, s[4:7], 0 offen offset:4", WaveSize::W32, raw);
    assert_eq!(all[0].message(), "write of 4 bytes at offset 128 of a buffer of 128 bytes");
}

/// A descriptor that nobody wrote is all zeroes; one of no buffer says so, and is used by programs that know it.
#[test]
fn an_unwritten_descriptor_is_found_and_a_null_one_is_not() {
    for wave in WAVES {
        for text in ["buffer_load_dword v2, v1, s[4:7], 0 offen", "s_buffer_load_dword s20, s[4:7], 0x0"] {
            let kinds: Vec<_> = found(text, wave, |_| [0; 4]).into_iter().map(|f| f.kind).collect();
            assert_eq!(kinds, [FindingKind::UnwrittenDescriptor], "{text}");
            assert_eq!(
                found(text, wave, |_| BufferDescriptor::raw(0, 0).to_words(wavepipe_isa::Gen::Gfx1010)),
                [],
                "{text}"
            );
        }
    }
}

/// The check changes no result, and without it nothing is found.
#[test]
fn accesses_do_as_without_the_check() {
    let text = "v_mov_b32 v2, 7\nbuffer_load_dword v2, v1, s[4:7], 0 offen offset:4";
    let results = [GuestChecks::MEM, GuestChecks::empty()].map(|checks| {
        let bed = bed(checks, WaveSize::W32, text, raw);
        (bed.vgpr(2), bed.group.take_findings().0.len())
    });
    let [(values, 1), (same, 0)] = &results else { panic!("{results:?}") };
    assert!(values == same && values[..31].iter().enumerate().all(|(i, v)| *v == 101 + i as u32) && values[31] == 0);
}

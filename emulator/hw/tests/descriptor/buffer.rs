//! V#, field by field.

use wavepipe_hw::descriptor::*;
use wavepipe_isa::Gen;

/// One field at a time, at the bits where the gfx10 resource tables have it.
#[test]
fn every_field_is_at_its_bits() {
    let none = BufferDescriptor::default();
    let fixed = [0, 0, 0, 1 << 24];
    assert_eq!(none.to_words(Gen::Gfx1010), fixed);
    let all = |n: u32| u64::from(u32::MAX >> (32 - n));
    type Case = (BufferDescriptor, usize, u32, u64);
    let cases: Vec<Case> = vec![
        (BufferDescriptor { base: all(32), ..none }, 0, 0, all(32)),
        (BufferDescriptor { base: all(16) << 32, ..none }, 1, 0, all(16)),
        (BufferDescriptor { stride: 0x3fff, ..none }, 1, 16, all(14)),
        (BufferDescriptor { swizzle_enable: true, ..none }, 1, 31, 1),
        (BufferDescriptor { num_records: u32::MAX, ..none }, 2, 0, all(32)),
        (BufferDescriptor { dst_sel: [7, 0, 0, 0], ..none }, 3, 0, 7),
        (BufferDescriptor { dst_sel: [0, 7, 0, 0], ..none }, 3, 3, 7),
        (BufferDescriptor { dst_sel: [0, 0, 7, 0], ..none }, 3, 6, 7),
        (BufferDescriptor { dst_sel: [0, 0, 0, 7], ..none }, 3, 9, 7),
        (BufferDescriptor { format: 0x7f, ..none }, 3, 12, all(7)),
        (BufferDescriptor { index_stride: 3, ..none }, 3, 21, 3),
        (BufferDescriptor { add_tid_enable: true, ..none }, 3, 23, 1),
        (BufferDescriptor { oob_select: 3, ..none }, 3, 28, 3),
        (BufferDescriptor { kind: 3, ..none }, 3, 30, 3),
    ];
    for (d, word, shift, value) in cases {
        let mut want = fixed;
        want[word] |= (value << shift) as u32;
        assert_eq!(d.to_words(Gen::Gfx1010), want, "{d:?}");
        assert_eq!(BufferDescriptor::from_words(want, Gen::Gfx1010), d);
    }
}

#[test]
fn plain_buffers() {
    let plain = BufferDescriptor::raw(0x1_0000, 64);
    let is = |d: BufferDescriptor| BufferDescriptor::is_plain(d.to_words(Gen::Gfx1010), Gen::Gfx1010);
    assert!(is(plain) && is(BufferDescriptor { format: 1, stride: 5, ..plain }));
    assert!(!is(BufferDescriptor { format: 0, ..plain }));
    assert!(!is(BufferDescriptor { swizzle_enable: true, ..plain }));
    assert!(!is(BufferDescriptor { add_tid_enable: true, ..plain }));
    assert!((0..3).all(|oob_select| !is(BufferDescriptor { oob_select, ..plain })));
}

#[test]
fn a_raw_buffer_by_hand() {
    let d = BufferDescriptor::raw(0x0000_8765_4321_0000, 4096);
    assert_eq!(d.to_words(Gen::Gfx1010), [0x4321_0000, 0x8765, 4096, 0x3101_4fac]);
    assert_eq!(BufferDescriptor::from_words(d.to_words(Gen::Gfx1010), Gen::Gfx1010), d);
}

/// By hand, from the register headers' SQ_BUF_RSRC_WORD0..3: a raw buffer and a lane's own memory.
#[test]
fn other_generations_by_hand() {
    let raw = BufferDescriptor::raw(0x8765_4321_0000, 4096);
    // DATA_FORMAT 32 = 4 at 15, NUM_FORMAT UINT = 4 at 12.
    let gcn = [0x4321_0000, 0x8765, 4096, 0x0002_4fac];
    let private = BufferDescriptor::private(0x8765_4321_0000, 4096, 64);
    let add_tid = 3 << 21 | 1 << 23;
    for isa in [Gen::Gfx600, Gen::Gfx701] {
        assert_eq!(raw.to_words(isa), gcn);
        assert_eq!(private.to_words(isa), [0x4321_0000, 0x8000_8765, 4096, 0x0002_4fac | add_tid | 1 << 19]);
    }
    assert_eq!(raw.to_words(Gen::Gfx900), gcn);
    // The data format's place is the stride's there.
    assert_eq!(private.to_words(Gen::Gfx900), [0x4321_0000, 0x8000_8765, 4096, 0xfac | add_tid]);
    let long = BufferDescriptor { stride: 0x2_4001, ..private }.to_words(Gen::Gfx900);
    assert_eq!(long, [0x4321_0000, 0x8001_8765, 4096, 0x0004_8fac | add_tid]);
    let d = BufferDescriptor::from_words(long, Gen::Gfx900);
    assert_eq!((d.record(false), d.record(true), d.is_bound(false)), (0x2_4001, 1, true));
    assert_eq!(raw.to_words(Gen::Gfx1100), [0x4321_0000, 0x8765, 4096, 0x3001_4fac]);
    assert_eq!(private.to_words(Gen::Gfx1100)[1], 0x4000_8765);
}

/// Everything that a generation has comes back, and what it has not is its default.
#[test]
fn words_are_read_as_they_are_written() {
    let d = BufferDescriptor {
        base: 0xfedc_ba98_7654,
        stride: 0x2bcd,
        swizzle_enable: true,
        num_records: 0x8899_aabb,
        dst_sel: [7, 0, 1, 5],
        format: 71,
        element_size: 3,
        index_stride: 2,
        add_tid_enable: false,
        oob_select: 2,
        kind: 2,
        long_stride: false,
    };
    for isa in Gen::ALL {
        let has_sizes = !isa.caps().image_dim && isa != Gen::Gfx900 || isa.caps().wide_messages;
        let element_size = if has_sizes { 3 } else { 1 };
        let oob_select = if isa.caps().number_formats.is_some() { BY_USE } else { 2 };
        let words = d.to_words(isa);
        assert_eq!(
            BufferDescriptor::from_words(words, isa),
            BufferDescriptor { element_size, oob_select, ..d },
            "{isa:?}"
        );
        assert_eq!(BufferDescriptor::range(words), (d.base, d.num_records));
    }
}

#[test]
fn plain_buffers_of_other_generations() {
    let plain = BufferDescriptor::raw(0x1_0000, 64);
    for isa in Gen::ALL {
        let is = |d: BufferDescriptor| BufferDescriptor::is_plain(d.to_words(isa), isa);
        assert!(is(plain) && is(BufferDescriptor { stride: 5, ..plain }), "{isa:?}");
        assert!(!is(BufferDescriptor { swizzle_enable: true, ..plain }), "{isa:?}");
        assert!(!is(BufferDescriptor { add_tid_enable: true, ..plain }), "{isa:?}");
        assert!(!BufferDescriptor::is_plain([0x1_0000, 0, 64, 0], isa));
    }
    // LLVM's constant for buffers of GCN 1: its number format means nothing with its data format, but there is a buffer.
    assert!(BufferDescriptor::is_plain([0, 0, !0, 0xf000], Gen::Gfx600));
    assert!(!BufferDescriptor::is_plain([0, 0, !0, 0x7000], Gen::Gfx600));
}

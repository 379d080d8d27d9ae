//! T# of a bounding volume hierarchy, field by field.

use wavepipe_hw::descriptor::*;
use wavepipe_isa::Gen;

/// One field at a time, at the bits of the 128 that the RDNA 2 ISA document's texture resource definition (8.2.10) gives it.
#[test]
fn every_field_is_at_its_bits() {
    let none = BvhDescriptor::default();
    let cases: [(BvhDescriptor, u128); 8] = [
        (BvhDescriptor { base: 0xffff_ffff_ff00, ..none }, (1 << 40) - 1),
        (BvhDescriptor { box_grow: 0xff, ..none }, 0xff << 55),
        (BvhDescriptor { box_sort: true, ..none }, 1 << 63),
        (BvhDescriptor { last_node: (1 << 42) - 1, ..none }, ((1 << 42) - 1) << 64),
        (BvhDescriptor { barycentrics: true, ..none }, 1 << 120),
        (BvhDescriptor { llc_noalloc: 3, ..none }, 3 << 121),
        (BvhDescriptor { big_page: true, ..none }, 1 << 123),
        (BvhDescriptor { kind: 15, ..none }, 15 << 124),
    ];
    for (d, bits) in cases {
        let words: [u32; 4] = std::array::from_fn(|i| (bits >> (32 * i)) as u32);
        assert_eq!(d.to_words(Gen::Gfx1030), words, "{d:?}");
        assert_eq!(BvhDescriptor::from_words(words, Gen::Gfx1030), d);
        assert_eq!(BvhDescriptor::from_words(words, Gen::Gfx1010), none, "RDNA 1 has no rays");
    }
}

#[test]
fn nodes_are_numbered_by_64_bytes() {
    let d = BvhDescriptor::new(0x1000, 256);
    assert_eq!((d.last_node, d.node(3), d.node(4), d.node(u64::MAX)), (3, Some(0x10c0), None, None));
    assert_eq!(BvhDescriptor { kind: 9, ..d }.node(0), None);
}

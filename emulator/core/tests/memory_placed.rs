//! What programs have placed in their memory.

use wavepipe_core::memory::Placements;
use wavepipe_hw::finding::NearPlace;
use wavepipe_hw::placed::{Placed, PlacedKind};

fn placed(id: u64, kind: PlacedKind, va: u64, size: u64) -> Placed {
    Placed { id, kind, va, size, name: format!("{} {id}", kind.noun()) }
}

#[test]
fn an_access_is_in_one_buffer_or_in_nobodys_memory() {
    let all = Placements::default();
    assert_eq!(all.allowed(0x1000, 4, None), Some(0..u64::MAX));
    all.place(&placed(1, PlacedKind::Memory, 0x1000, 0x1000));
    // Nothing is placed there yet: whose business it is is not known.
    assert_eq!(all.allowed(0x1000, 4, None), Some(0x1000..0x2000));
    all.place(&placed(2, PlacedKind::Buffer, 0x1100, 0x100));
    all.place(&placed(3, PlacedKind::Buffer, 0x1200, 0x80));
    all.place(&placed(4, PlacedKind::Image, 0x1800, 0x100));
    assert_eq!(all.allowed(0x11fc, 4, None), Some(0x1100..0x1200));
    assert_eq!(all.allowed(0x11fc, 8, None), None);
    assert_eq!(all.allowed(0x1280, 1, None), None);
    assert_eq!(all.allowed(0x1800, 4, None), None, "an image is no buffer");
    assert_eq!(all.allowed(0x2000, 4, None), Some(0x2000..u64::MAX));
    // Where it is known what of the driver's memory is given, the rest of it is not.
    let given = [0x3000..0x3040, 0x4000..0x4004];
    assert_eq!(all.allowed(0x403f, 1, Some(&given)), None);
    assert_eq!(all.allowed(0x303c, 4, Some(&given)), Some(0x3000..0x3040));
    assert_eq!(all.allowed(0x303d, 4, Some(&given)), None);
    assert_eq!(all.allowed(0x11fc, 4, Some(&given)), Some(0x1100..0x1200));
    let near = |at| all.near(at).map(|n| (n.name, n.place));
    assert_eq!(near(0x1284), Some(("buffer 3".into(), NearPlace::Behind(4))));
    assert_eq!(near(0x10f0), Some(("buffer 2".into(), NearPlace::Before(16))));
    assert_eq!(near(0x11fc), Some(("buffer 2".into(), NearPlace::Across(0xfc))));
    // One that shares the memory of both.
    all.place(&placed(5, PlacedKind::Buffer, 0x1000, 0x800));
    assert_eq!(all.allowed(0x11fc, 8, None), Some(0x1000..0x1800));
    assert_eq!(all.name_at(0x11fc).as_deref(), Some("buffer 2"));
    let before = all.generation();
    all.displace(5);
    assert_ne!(all.generation(), before);
    assert_eq!(all.allowed(0x11fc, 8, None), None);
}

#[test]
fn what_is_gone_has_its_name() {
    let all = Placements::default();
    all.place(&placed(1, PlacedKind::Memory, 0x1000, 0x1000));
    all.place(&placed(2, PlacedKind::Buffer, 0x1000, 0x100));
    all.displace(2);
    assert_eq!(all.allowed(0x1000, 4, None), None);
    assert_eq!(all.near(0x1004).map(|n| n.place), Some(NearPlace::Inside));
    assert_eq!(all.freed_at(0x1004), None, "the memory is there");
    all.displace(1);
    assert_eq!(all.freed_at(0x1004), Some(("buffer 2".into(), 0x100)));
    assert_eq!(all.freed_at(0x1100), Some(("device memory 1".into(), 0x1000)));
    assert_eq!(all.freed_at(0x2000), None);
    // The address is another's now.
    all.place(&placed(3, PlacedKind::Memory, 0x1000, 0x1000));
    assert_eq!(all.freed_at(0x1004), None);
}

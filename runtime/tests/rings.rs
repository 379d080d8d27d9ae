//! Whose turn each image of a swapchain is.

use wavepipe_runtime::swapchain::PresentMode;
use wavepipe_runtime::tested::{Frame, Ring};

fn frame(image: u32, work: bool) -> Frame<bool> {
    Frame { image, work, id: u64::from(image) + 1, damage: Vec::new() }
}

fn ring_of(mode: PresentMode, frames: &[bool]) -> Ring<bool> {
    let mut ring = Ring::new(frames.len() as u32, mode);
    for (image, done) in frames.iter().enumerate() {
        assert_eq!(ring.acquire(), Some(image as u32));
        ring.present(frame(image as u32, *done));
    }
    ring
}

#[test]
fn the_least_recently_used_image_comes_first() {
    let mut ring: Ring<bool> = Ring::new(3, PresentMode::Fifo);
    assert_eq!([ring.acquire(), ring.acquire(), ring.acquire(), ring.acquire()], [Some(0), Some(1), Some(2), None]);
    ring.release(1);
    ring.release(0);
    assert!(ring.has_free() && !ring.is_acquired(1) && ring.is_acquired(2) && !ring.is_acquired(9));
    assert_eq!([ring.acquire(), ring.acquire()], [Some(1), Some(0)]);
}

#[test]
fn frames_come_out_in_order_and_give_their_images_back() {
    let mut ring = ring_of(PresentMode::Fifo, &[true, true]);
    assert!(!ring.is_replaced(|done| *done), "no frame is left out of a FIFO");
    let first = ring.take().unwrap();
    assert_eq!((first.image, ring.has_free(), ring.shown()), (0, false, 0));
    ring.finish(&first, true);
    assert_eq!((ring.acquire(), ring.shown()), (Some(0), 1));
    assert_eq!(ring.first().map(|f| f.image), Some(1));
}

#[test]
fn a_mailbox_holds_the_newest_finished_picture() {
    let done = |work: &bool| *work;
    assert!(ring_of(PresentMode::Mailbox, &[true, true, false]).is_replaced(done));
    assert!(!ring_of(PresentMode::Mailbox, &[true, false, true]).is_replaced(done), "it waits for its turn");
    assert!(!ring_of(PresentMode::Mailbox, &[false, true]).is_replaced(done));
    assert!(!ring_of(PresentMode::Mailbox, &[true]).is_replaced(done));
    assert!(!ring_of(PresentMode::Immediate, &[true, true]).is_replaced(done));
    let mut ring = ring_of(PresentMode::Mailbox, &[true, true]);
    let dropped = ring.take().unwrap();
    ring.finish(&dropped, false);
    assert_eq!((ring.shown(), ring.acquire()), (0, Some(0)));
}

//! Whose turn each image of a swapchain is, and which pictures wait to be shown: no threads, no time, no GPU.

use super::PresentMode;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    /// In `free`.
    Nobody,
    /// Acquired, and not presented yet.
    Program,
    /// In `queue`, or being shown.
    Screen,
}

/// An image that is to be shown when the work behind it is over.
#[derive(Debug)]
pub(super) struct Frame<W> {
    pub image: u32,
    pub work: W,
    /// The program's number of this present; 0 = it has none.
    pub id: u64,
    /// What changed since the last picture; nothing = all of it.
    pub damage: Vec<super::Rectangle>,
}

pub(super) struct Ring<W> {
    mode: PresentMode,
    holders: Vec<Holder>,
    /// Least recently used first.
    free: VecDeque<u32>,
    /// In the order of their presents.
    queue: VecDeque<Frame<W>>,
    shown: u64,
}

impl<W> Ring<W> {
    pub fn new(images: u32, mode: PresentMode) -> Ring<W> {
        Ring {
            mode,
            holders: vec![Holder::Nobody; images as usize],
            free: (0..images).collect(),
            queue: VecDeque::new(),
            shown: 0,
        }
    }

    pub fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    pub fn acquire(&mut self) -> Option<u32> {
        let image = self.free.pop_front()?;
        self.holders[image as usize] = Holder::Program;
        Some(image)
    }

    /// Whether the program has the image, and may give it back.
    pub fn is_acquired(&self, image: u32) -> bool {
        self.holders.get(image as usize) == Some(&Holder::Program)
    }

    /// Takes an acquired image into the queue.
    pub fn present(&mut self, frame: Frame<W>) {
        debug_assert!(self.is_acquired(frame.image));
        self.holders[frame.image as usize] = Holder::Screen;
        self.queue.push_back(frame);
    }

    /// Takes an image back that is not shown (any more).
    pub fn release(&mut self, image: u32) {
        self.holders[image as usize] = Holder::Nobody;
        self.free.push_back(image);
    }

    pub fn first(&self) -> Option<&Frame<W>> {
        self.queue.front()
    }

    /// Whether the first frame has been replaced by one behind it, all up to there being done.
    pub fn is_replaced(&self, done: impl Fn(&W) -> bool) -> bool {
        let mut frames = self.queue.iter().map(|f| done(&f.work));
        self.mode == PresentMode::Mailbox && frames.next() == Some(true) && frames.next() == Some(true)
    }

    /// The first frame; its image stays the screen's.
    pub fn take(&mut self) -> Option<Frame<W>> {
        self.queue.pop_front()
    }

    /// The frame has been shown, or will never be: later ones stand for it.
    pub fn finish(&mut self, frame: &Frame<W>, shown: bool) {
        self.release(frame.image);
        if shown {
            self.shown = self.shown.max(frame.id);
        }
    }

    /// The highest number of a present that was shown.
    pub fn shown(&self) -> u64 {
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

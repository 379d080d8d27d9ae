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
pub struct Frame<W> {
    pub image: u32,
    pub work: W,
    /// The program's number of this present; 0 = it has none.
    pub id: u64,
    /// What changed since the last picture; nothing = all of it.
    pub damage: Vec<super::Rectangle>,
}

pub struct Ring<W> {
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

//! Which layout the parts of images are in: what barriers make of them, beside what commands say and what shaders do.
//!
//! An image has none until a barrier gives it one. Its parts are ranges of bytes, since the GPU tells what shaders access by bytes.
//! Looked at are the layouts that a compute program knows ([`ImageLayout`]); what attachments and windows have made of an image is taken for
//! right, whatever is said of it. So are images that share memory with others, and those whose layout the host changes.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use wavepipe_hw::finding::AccessKind;

/// A VkImageLayout, as far as it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageLayout {
    Undefined,
    General,
    ShaderRead,
    TransferSource,
    TransferDestination,
    /// All others: they are right for everything.
    Other,
}

impl ImageLayout {
    /// As the API names it, without `VK_IMAGE_LAYOUT_`.
    pub(super) fn name(self) -> &'static str {
        match self {
            ImageLayout::Undefined => "UNDEFINED",
            ImageLayout::General => "GENERAL",
            ImageLayout::ShaderRead => "SHADER_READ_ONLY_OPTIMAL",
            ImageLayout::TransferSource => "TRANSFER_SRC_OPTIMAL",
            ImageLayout::TransferDestination => "TRANSFER_DST_OPTIMAL",
            ImageLayout::Other => "another",
        }
    }

    /// Whether who says this layout of an image may be right, if it is in `self`.
    fn agrees(self, said: ImageLayout) -> bool {
        self == said || self == ImageLayout::Other || said == ImageLayout::Other
    }

    /// Whether a shader may access an image in it so.
    fn allows(self, access: AccessKind) -> bool {
        match self {
            ImageLayout::General | ImageLayout::Other => true,
            ImageLayout::ShaderRead => access == AccessKind::Read,
            _ => false,
        }
    }
}

/// What a command says of an image, and makes of it.
#[derive(Clone, Debug)]
pub struct LayoutStep {
    pub command: &'static str,
    pub image: u64,
    /// From the image's first byte on.
    pub parts: Vec<Range<u64>>,
    /// `None`: nothing.
    pub said: Option<ImageLayout>,
    pub becomes: Option<ImageLayout>,
}

/// Parts of an image that are told apart; beyond that it is not looked at any more.
const PARTS: usize = 1 << 12;

struct ImageState {
    /// Of memory.
    bytes: Range<u64>,
    /// By begin: end and layout. What is in none is as it was made.
    parts: BTreeMap<u64, (u64, ImageLayout)>,
    /// It is not looked at.
    free: bool,
}

impl ImageState {
    /// The first place in a range whose layout is not as wanted, and that layout.
    fn first(&self, range: &Range<u64>, good: impl Fn(ImageLayout) -> bool) -> Option<(u64, ImageLayout)> {
        let mut at = range.start;
        while at < range.end && !self.free {
            let here = self.parts.range(..=at).next_back().filter(|(_, (end, _))| *end > at);
            let (end, layout) = match here {
                Some((_, part)) => *part,
                None => (self.parts.range(at..).next().map_or(u64::MAX, |(begin, _)| *begin), ImageLayout::Undefined),
            };
            if !good(layout) {
                return Some((at, layout));
            }
            at = end;
        }
        None
    }

    fn set(&mut self, range: &Range<u64>, layout: ImageLayout) {
        let touched = self.parts.range(..range.end).rev().take_while(|(_, (end, _))| *end > range.start);
        let touched: Vec<(u64, (u64, ImageLayout))> = touched.map(|(begin, part)| (*begin, *part)).collect();
        for (begin, (end, was)) in touched {
            self.parts.remove(&begin);
            if begin < range.start {
                self.parts.insert(begin, (range.start, was));
            }
            if end > range.end {
                self.parts.insert(range.end, (end, was));
            }
        }
        self.parts.insert(range.start, (range.end, layout));
        self.free |= self.parts.len() > PARTS;
    }
}

/// The images of a device whose layouts a program has to see to.
#[derive(Default)]
pub struct Layouts {
    images: HashMap<u64, ImageState>,
    /// The images at an address, and the largest one's size.
    places: BTreeMap<u64, Vec<u64>>,
    largest: u64,
}

impl Layouts {
    /// An image has got memory.
    pub fn place(&mut self, image: u64, bytes: Range<u64>) {
        let mut shares = false;
        for other in self.holding(&bytes) {
            if let Some(state) = self.images.get_mut(&other) {
                (state.free, shares) = (true, true);
            }
        }
        self.largest = self.largest.max(bytes.end - bytes.start);
        self.places.entry(bytes.start).or_default().push(image);
        self.images.insert(image, ImageState { bytes, parts: BTreeMap::new(), free: shares });
    }

    /// It is no more.
    pub fn forget(&mut self, image: u64) {
        let Some(state) = self.images.remove(&image) else { return };
        if let Some(there) = self.places.get_mut(&state.bytes.start) {
            there.retain(|other| *other != image);
            if there.is_empty() {
                self.places.remove(&state.bytes.start);
            }
        }
    }

    /// Nobody knows any more which layout it is in.
    pub fn free(&mut self, image: u64) {
        if let Some(state) = self.images.get_mut(&image) {
            state.free = true;
        }
    }

    /// Images that share a byte with a range.
    fn holding(&self, range: &Range<u64>) -> Vec<u64> {
        let near = self.places.range(range.start.saturating_sub(self.largest)..range.end);
        let shares = |id: &&u64| self.images.get(id).is_some_and(|s| s.bytes.end > range.start);
        near.flat_map(|(_, ids)| ids).filter(shares).copied().collect()
    }

    /// A command's step: where what it says is wrong first, the layout there, and what it said.
    pub fn step(&mut self, step: &LayoutStep) -> Option<(u64, ImageLayout, ImageLayout)> {
        let state = self.images.get_mut(&step.image)?;
        let wrong = step.said.and_then(|said| {
            let first = step.parts.iter().find_map(|part| state.first(part, |is| is.agrees(said)));
            first.map(|(at, is)| (state.bytes.start + at, is, said))
        });
        if let Some(layout) = step.becomes.or(wrong.map(|(_, _, said)| said)) {
            // What was said wrong once is taken for true from there on.
            step.parts.iter().for_each(|part| state.set(part, layout));
        }
        wrong
    }

    /// A shader accesses these bytes as texels: the layout that does not allow it, and where.
    pub fn access(&mut self, bytes: &Range<u64>, access: AccessKind) -> Option<(u64, ImageLayout)> {
        let [image] = self.holding(bytes)[..] else { return None };
        let state = self.images.get_mut(&image)?;
        let own =
            bytes.start.max(state.bytes.start) - state.bytes.start..bytes.end.min(state.bytes.end) - state.bytes.start;
        let (at, is) = state.first(&own, |is| is.allows(access))?;
        state.set(&own, ImageLayout::Other);
        Some((state.bytes.start + at, is))
    }
}

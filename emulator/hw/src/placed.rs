//! What a program has placed in its memory. A driver knows, and tells the GPU, so that reports have the program's own names and
//! checks know where an address may point to. Hardware has no need of it.

/// Memory of a program's, or a buffer or an image in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// No other thing has it, at any time.
    pub id: u64,
    pub kind: PlacedKind,
    pub va: u64,
    pub size: u64,
    /// As the program calls it, or what it is.
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlacedKind {
    Memory,
    Buffer,
    Image,
}

impl PlacedKind {
    /// What to call one that has no name.
    pub fn noun(self) -> &'static str {
        match self {
            PlacedKind::Memory => "device memory",
            PlacedKind::Buffer => "buffer",
            PlacedKind::Image => "image",
        }
    }
}

impl Placed {
    /// Whether all of `bytes` bytes at `address` are in it.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.va);
        offset < self.size && bytes <= self.size - offset
    }
}

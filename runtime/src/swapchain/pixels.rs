//! From an image's texels to the bytes that a screen wants.

/// Where each byte of a screen's pixel comes from. Texels and pixels have four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement([Source; 4]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Byte(u8),
    /// All ones: the pixel covers what is behind it.
    Opaque,
}

/// What the bytes of a texel or pixel hold, in the order of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    Rgba,
    Bgra,
    Argb,
    Abgr,
}

impl Channels {
    /// Which byte holds red, green, blue and alpha.
    fn places(self) -> [u8; 4] {
        match self {
            Channels::Rgba => [0, 1, 2, 3],
            Channels::Bgra => [2, 1, 0, 3],
            Channels::Argb => [1, 2, 3, 0],
            Channels::Abgr => [3, 2, 1, 0],
        }
    }
}

impl Arrangement {
    pub fn new(texel: Channels, pixel: Channels, opaque: bool) -> Arrangement {
        let mut bytes = [Source::Opaque; 4];
        for (from, to) in texel.places().into_iter().zip(pixel.places()) {
            bytes[usize::from(to)] = Source::Byte(from);
        }
        if opaque {
            bytes[usize::from(pixel.places()[3])] = Source::Opaque;
        }
        Arrangement(bytes)
    }

    /// Rearranges texels in place.
    pub fn apply(&self, bytes: &mut [u8]) {
        if (0..4).all(|n| self.0[usize::from(n)] == Source::Byte(n)) {
            return;
        }
        // Each pixel as a number: moving its bytes is shifts, which vectorise.
        let shift = self.0.map(|source| if let Source::Byte(n) = source { u32::from(n) * 8 } else { 0 });
        let fill = self.0.map(|source| if source == Source::Opaque { 0xff } else { 0 });
        for pixel in bytes.as_chunks_mut::<4>().0 {
            let texel = u32::from_le_bytes(*pixel);
            let byte = |n: usize| ((texel >> shift[n] & 0xff) | fill[n]) << (8 * n);
            *pixel = (byte(0) | byte(1) | byte(2) | byte(3)).to_le_bytes();
        }
    }
}

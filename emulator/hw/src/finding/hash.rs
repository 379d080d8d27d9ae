//! What findings' ids are made of.

/// FNV-1a of 32 bits.
pub(super) struct Fnv(pub u32);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0x811c_9dc5)
    }
}

impl Fnv {
    pub fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.0 = (self.0 ^ u32::from(*b)).wrapping_mul(0x0100_0193));
    }

    /// Ended by a byte that no text has.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }
}

//! Which bits of memory are undefined: those of LDS, and of memory that begins undefined as a whole.

use super::origin::OriginId;
use std::collections::HashMap;

/// A byte for each byte of memory: its undefined bits.
#[derive(Default)]
pub(super) struct Bytes(Vec<u8>);

/// Undefined bits of up to four bytes from `at` on; what is outside has none.
fn read(bytes: &[u8], at: usize, n: usize) -> u32 {
    if n == 4
        && let Some(word) = bytes.get(at..at + 4)
    {
        return u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    }
    (0..n).fold(0, |u, i| u | u32::from(bytes.get(at + i).copied().unwrap_or(0)) << (8 * i))
}

fn write(bytes: &mut [u8], at: usize, n: usize, bits: u32) {
    for i in 0..n {
        if let Some(byte) = bytes.get_mut(at + i) {
            *byte = (bits >> (8 * i)) as u8;
        }
    }
}

/// The LDS of a work-group.
#[derive(Default)]
pub(super) struct LdsBits {
    bytes: Bytes,
    /// Of dwords that something undefined was stored to.
    origins: HashMap<u32, OriginId>,
}

impl LdsBits {
    pub fn start(&mut self, bytes: u32) {
        self.bytes.0.clear();
        self.bytes.0.resize(bytes as usize, 0xff);
        self.origins.clear();
    }

    #[inline(always)]
    pub fn read(&self, at: u64, n: usize) -> u32 {
        read(&self.bytes.0, at as usize, n)
    }

    /// Where what was stored there comes from; `None`: nothing was.
    pub fn origin(&self, at: u64) -> Option<OriginId> {
        self.origins.get(&(at as u32 & !3)).copied()
    }

    #[inline(always)]
    pub fn write(&mut self, at: u64, n: usize, bits: u32, origin: OriginId) {
        write(&mut self.bytes.0, at as usize, n, bits);
        if bits != 0 {
            self.origins.insert(at as u32 & !3, origin);
        }
    }

    /// Whether so many bytes have no undefined bit.
    pub fn is_defined(&self, at: u64, bytes: usize) -> bool {
        let at = at as usize;
        self.bytes.0.get(at..at + bytes).is_some_and(|row| row.iter().fold(0, |all, b| all | b) == 0)
    }

    /// So many bytes become defined. `false`: some are not there.
    pub fn define(&mut self, at: u64, bytes: usize) -> bool {
        let at = at as usize;
        self.bytes.0.get_mut(at..at + bytes).map(|row| row.fill(0)).is_some()
    }

    /// Nobody knows what was written where.
    pub fn define_all(&mut self) {
        self.bytes.0.fill(0);
    }
}

const PAGE: usize = 4096;

/// The private memory of a wave, by the addresses of its bytes; undefined until it is written.
#[derive(Default)]
pub(super) struct PrivateBits {
    pages: Vec<Box<[u8; PAGE]>>,
    /// Pages in use.
    used: usize,
    index: HashMap<u64, usize>,
    last: Option<(u64, usize)>,
    origins: HashMap<u64, OriginId>,
}

impl PrivateBits {
    pub fn start(&mut self) {
        self.index.clear();
        self.origins.clear();
        (self.used, self.last) = (0, None);
    }

    fn find(&mut self, at: u64) -> Option<usize> {
        let page = at / PAGE as u64;
        if let Some((last, i)) = self.last
            && last == page
        {
            return Some(i);
        }
        let i = *self.index.get(&page)?;
        self.last = Some((page, i));
        Some(i)
    }

    fn make(&mut self, at: u64) -> usize {
        if let Some(i) = self.find(at) {
            return i;
        }
        let i = self.used;
        match self.pages.get_mut(i) {
            Some(page) => page.fill(0xff),
            None => self.pages.push(Box::new([0xff; PAGE])),
        }
        self.used += 1;
        self.index.insert(at / PAGE as u64, i);
        i
    }

    /// Undefined bits of the `n` bytes of a dword, or of a part of it.
    pub fn read(&mut self, at: u64, n: usize) -> u32 {
        match self.find(at) {
            Some(i) => read(&self.pages[i][..], at as usize % PAGE, n),
            None => !0 >> (32 - 8 * n),
        }
    }

    /// As of [`LdsBits`], inside of one page.
    pub fn is_defined(&mut self, at: u64, bytes: usize) -> bool {
        let (i, at) = (self.find(at), at as usize % PAGE);
        let row = i.and_then(|i| self.pages[i].get(at..at + bytes));
        row.is_some_and(|row| row.iter().fold(0, |all, b| all | b) == 0)
    }

    pub fn define(&mut self, at: u64, bytes: usize) -> bool {
        if at as usize % PAGE + bytes > PAGE {
            return false;
        }
        let i = self.make(at);
        self.pages[i][at as usize % PAGE..][..bytes].fill(0);
        true
    }

    pub fn origin(&self, at: u64) -> Option<OriginId> {
        self.origins.get(&(at & !3)).copied()
    }

    pub fn write(&mut self, at: u64, n: usize, bits: u32, origin: OriginId) {
        let i = self.make(at);
        write(&mut self.pages[i][..], at as usize % PAGE, n, bits);
        if bits != 0 {
            self.origins.insert(at & !3, origin);
        }
    }
}

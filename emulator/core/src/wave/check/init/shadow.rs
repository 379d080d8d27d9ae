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
    /// A bit for each dword: some of it is undefined. Of others the bytes mean nothing.
    tainted: Vec<u64>,
    bytes: Bytes,
    /// Of dwords that something undefined was stored to.
    origins: HashMap<u32, OriginId>,
}

/// Words of a bit a dword for the bytes from `first` to `end`, and the bits of each that they have.
#[inline(always)]
fn words(first: usize, end: usize) -> impl Iterator<Item = (usize, u64)> {
    let (first, end) = (first / 4, end.div_ceil(4));
    (first / 64..end.div_ceil(64)).map(move |word| {
        let low = first.saturating_sub(64 * word);
        let high = (end - 64 * word).min(64);
        (word, !0 >> (64 - (high - low)) << low)
    })
}

impl LdsBits {
    pub fn start(&mut self, bytes: u32) {
        let dwords = (bytes as usize).div_ceil(4);
        self.tainted.clear();
        self.tainted.resize(dwords.div_ceil(64), !0);
        self.bytes.0.clear();
        self.bytes.0.resize(4 * dwords, 0xff);
        self.origins.clear();
    }

    fn is_tainted(&self, dword: usize) -> bool {
        self.tainted.get(dword / 64).is_some_and(|word| word >> (dword % 64) & 1 != 0)
    }

    pub fn read(&self, at: u64, n: usize) -> u32 {
        let at = at as usize;
        if n == 4 && at.is_multiple_of(4) {
            return if self.is_tainted(at / 4) { read(&self.bytes.0, at, 4) } else { 0 };
        }
        let byte = |i: usize| if self.is_tainted((at + i) / 4) { read(&self.bytes.0, at + i, 1) } else { 0 };
        (0..n).fold(0, |u, i| u | byte(i) << (8 * i))
    }

    /// Where what was stored there comes from; `None`: nothing was.
    pub fn origin(&self, at: u64) -> Option<OriginId> {
        self.origins.get(&(at as u32 & !3)).copied()
    }

    pub fn write(&mut self, at: u64, n: usize, bits: u32, origin: OriginId) {
        let (first, end) = (at as usize, (at as usize).saturating_add(n).min(self.bytes.0.len()));
        for dword in first / 4..end.div_ceil(4) {
            let tainted = self.is_tainted(dword);
            let bytes = &mut self.bytes.0[4 * dword..][..4];
            if !tainted {
                bytes.fill(0);
            }
            for (i, byte) in bytes.iter_mut().enumerate() {
                if (first..end).contains(&(4 * dword + i)) {
                    *byte = (bits >> (8 * (4 * dword + i - first))) as u8;
                }
            }
            let left = u64::from(bytes.iter().any(|byte| *byte != 0));
            let word = &mut self.tainted[dword / 64];
            *word = *word & !(1 << (dword % 64)) | left << (dword % 64);
        }
        if bits != 0 {
            self.origins.insert(at as u32 & !3, origin);
        }
    }

    /// Whether the bytes from `first` to `end` have no undefined bit, nor have others of their dwords. What is outside has none.
    #[inline(always)]
    pub fn is_defined(&self, first: u64, end: u64) -> bool {
        let (first, end) = (first as usize, (end as usize).min(self.bytes.0.len()));
        first >= end || words(first, end).all(|(word, mask)| self.tainted[word] & mask == 0)
    }

    /// These bytes become defined.
    #[inline(always)]
    pub fn define(&mut self, at: u64, n: u64) {
        let (first, end) = (at as usize, (at as usize).saturating_add(n as usize).min(self.bytes.0.len()));
        if first >= end {
            return;
        }
        if !(first | end).is_multiple_of(4) {
            return self.define_bytes(first, end);
        }
        words(first, end).for_each(|(word, mask)| self.tainted[word] &= !mask);
    }

    #[inline(never)]
    fn define_bytes(&mut self, first: usize, end: usize) {
        (first..end).for_each(|at| self.write(at as u64, 1, 0, OriginId::default()));
    }

    /// Nobody knows what was written where.
    pub fn define_all(&mut self) {
        self.tainted.fill(0);
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

    /// Whether so many bytes have no undefined bit, inside of one page.
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

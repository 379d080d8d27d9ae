//! The fence around host pointers: every load, store and atomic on guest memory goes through a [`Backing`], which
//! checks the offset and then touches host memory. Safe to call with any offset.
//!
//! Aligned accesses up to 8 bytes are relaxed host atomics, so that guest races are races of the guest only. Rows and
//! byte ranges are plain moves: guest memory is bytes without invalid values, and a guest that races on them sees torn
//! data, as on hardware.

use super::atomic::{AtomicOp, atomic_result32, atomic_result64};
use super::rows::Host;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use wavepipe_hw::port::HostMemory;

/// Alignment of the first byte, in bytes: a host page, which is what Vulkan's mapped pointers want.
const ALIGN: usize = 4096;

/// Zeroed host memory, whose pages the operating system commits when they are first touched; or memory that somebody else
/// shares with the GPU.
pub struct Backing {
    first: NonNull<u8>,
    size: u64,
    /// Keeps the bytes: a [`Block`], or whatever the host named.
    _owner: Arc<dyn Any + Send + Sync>,
}

/// A block of the allocator.
struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a plain address, which any thread may give back.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

// SAFETY: the bytes are owned, and shared access is by atomics or by moves of plain bytes (module comment).
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

/// Columns of four rows.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn transpose(rows: [[u32; 4]; 4]) -> [[u32; 4]; 4] {
    use std::arch::x86_64::*;
    // SAFETY: SSE2 is part of x86-64; four dwords and a vector of 16 bytes have the same layout.
    unsafe {
        let quad = |i: usize| std::mem::transmute::<[u32; 4], __m128i>(rows[i]);
        let (ab, cd) = (_mm_unpacklo_epi32(quad(0), quad(1)), _mm_unpacklo_epi32(quad(2), quad(3)));
        let (ef, gh) = (_mm_unpackhi_epi32(quad(0), quad(1)), _mm_unpackhi_epi32(quad(2), quad(3)));
        let (a, b) = (_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd));
        let (c, d) = (_mm_unpacklo_epi64(ef, gh), _mm_unpackhi_epi64(ef, gh));
        std::mem::transmute::<[__m128i; 4], [[u32; 4]; 4]>([a, b, c, d])
    }
}

/// Dwords between guest and host byte order; a loop, since `map` of an array is a call.
#[inline(always)]
fn little_endian<const N: usize>(mut v: [u32; N]) -> [u32; N] {
    if cfg!(target_endian = "big") {
        v.iter_mut().for_each(|v| *v = v.to_le());
    }
    v
}

/// A width's read-modify-write, by the host's own instruction where it has one.
macro_rules! atomic {
    ($name:ident, $word:ty, $host:ty, $result:path, $what:literal) => {
        #[doc = concat!($what, ": the value before. `None` outside of the block or if `off` is not a multiple of its size.")]
        #[inline]
        pub fn $name(&self, off: u64, op: AtomicOp, data: $word, second: $word) -> Option<$word> {
            let bytes = size_of::<$word>() as u64;
            let p = self.at(off, bytes)?;
            if !off.is_multiple_of(bytes) {
                return None;
            }
            // SAFETY: inside the block and aligned.
            let a = unsafe { <$host>::from_ptr(p.cast()) };
            Some(match op {
                AtomicOp::Swap => a.swap(data, Relaxed),
                AtomicOp::CmpSwap => match a.compare_exchange(second, data, Relaxed, Relaxed) {
                    Ok(v) | Err(v) => v,
                },
                AtomicOp::Add => a.fetch_add(data, Relaxed),
                AtomicOp::Sub => a.fetch_sub(data, Relaxed),
                AtomicOp::UMin => a.fetch_min(data, Relaxed),
                AtomicOp::UMax => a.fetch_max(data, Relaxed),
                AtomicOp::And => a.fetch_and(data, Relaxed),
                AtomicOp::Or => a.fetch_or(data, Relaxed),
                AtomicOp::Xor => a.fetch_xor(data, Relaxed),
                _ => a.fetch_update(Relaxed, Relaxed, |old| Some($result(op, old, data, second))).unwrap_or_else(|v| v),
            })
        }
    };
}

impl Backing {
    /// `size` zeroed bytes, or `None` if the host has no memory.
    pub fn new(size: u64) -> Option<Backing> {
        // Over-allocate and align by hand: asking the allocator for the alignment would make it touch every page.
        let bytes = usize::try_from(size).ok()?.checked_add(2 * ALIGN)?;
        let layout = Layout::from_size_align(bytes, 16).ok()?;
        // SAFETY: the layout's size is not zero.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = block.as_ptr().align_offset(ALIGN);
        // SAFETY: `skip` < ALIGN, and the block has two ALIGN more than `size` bytes.
        let first = unsafe { block.add(skip) };
        Some(Backing { first, size, _owner: Arc::new(Block { start: block, layout }) })
    }

    /// The memory of somebody else; `None` if its address is null or no page's.
    pub fn shared(memory: HostMemory) -> Option<Backing> {
        let first = NonNull::new(memory.host()).filter(|p| p.addr().get().is_multiple_of(ALIGN))?;
        Some(Backing { first, size: memory.size(), _owner: memory.into_owner() })
    }

    /// Bytes.
    #[inline(always)]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Host address of the first byte; valid while the backing lives.
    pub fn host(&self) -> *mut u8 {
        self.first.as_ptr()
    }

    /// Whether `bytes` at `off` are inside.
    #[inline(always)]
    pub fn contains(&self, off: u64, bytes: u64) -> bool {
        off <= self.size && bytes <= self.size - off
    }

    #[inline(always)]
    fn at(&self, off: u64, bytes: u64) -> Option<*mut u8> {
        // SAFETY: `off` is at most `size`, so the sum stays in the block.
        self.contains(off, bytes).then(|| unsafe { self.first.as_ptr().add(off as usize) })
    }

    #[inline(always)]
    pub fn load8(&self, off: u64) -> Option<u8> {
        let p = self.at(off, 1)?;
        // SAFETY: inside the block, always aligned.
        Some(unsafe { AtomicU8::from_ptr(p) }.load(Relaxed))
    }

    #[inline(always)]
    pub fn load16(&self, off: u64) -> Option<u16> {
        let p = self.at(off, 2)?;
        if off.is_multiple_of(2) {
            // SAFETY: inside the block; the first byte is page-aligned, so an even offset is an even address.
            Some(unsafe { AtomicU16::from_ptr(p.cast()) }.load(Relaxed))
        } else {
            // SAFETY: two bytes inside the block.
            Some(u16::from_le(unsafe { p.cast::<u16>().read_unaligned() }))
        }
    }

    /// A dword at any byte offset.
    #[inline(always)]
    pub fn load32(&self, off: u64) -> Option<u32> {
        let p = self.at(off, 4)?;
        if off.is_multiple_of(4) {
            // SAFETY: inside the block and aligned.
            Some(unsafe { AtomicU32::from_ptr(p.cast()) }.load(Relaxed))
        } else {
            // SAFETY: four bytes inside the block.
            Some(u32::from_le(unsafe { p.cast::<u32>().read_unaligned() }))
        }
    }

    #[inline(always)]
    pub fn load64(&self, off: u64) -> Option<u64> {
        let p = self.at(off, 8)?;
        if off.is_multiple_of(8) {
            // SAFETY: inside the block and aligned.
            Some(unsafe { AtomicU64::from_ptr(p.cast()) }.load(Relaxed))
        } else {
            // SAFETY: eight bytes inside the block.
            Some(u64::from_le(unsafe { p.cast::<u64>().read_unaligned() }))
        }
    }

    /// Consecutive dwords, one bounds check for all of them.
    #[inline(always)]
    pub fn load_dwords<const N: usize>(&self, off: u64) -> Option<[u32; N]> {
        let p = self.at(off, 4 * N as u64)?;
        // SAFETY: 4·N bytes inside the block.
        Some(little_endian(unsafe { p.cast::<[u32; N]>().read_unaligned() }))
    }

    #[inline(always)]
    pub fn store8(&self, off: u64, v: u8) -> Option<()> {
        let p = self.at(off, 1)?;
        // SAFETY: inside the block, always aligned.
        unsafe { AtomicU8::from_ptr(p) }.store(v, Relaxed);
        Some(())
    }

    #[inline(always)]
    pub fn store16(&self, off: u64, v: u16) -> Option<()> {
        let p = self.at(off, 2)?;
        if off.is_multiple_of(2) {
            // SAFETY: inside the block and aligned.
            unsafe { AtomicU16::from_ptr(p.cast()) }.store(v, Relaxed);
        } else {
            // SAFETY: two bytes inside the block.
            unsafe { p.cast::<u16>().write_unaligned(v.to_le()) };
        }
        Some(())
    }

    #[inline(always)]
    pub fn store32(&self, off: u64, v: u32) -> Option<()> {
        let p = self.at(off, 4)?;
        if off.is_multiple_of(4) {
            // SAFETY: inside the block and aligned.
            unsafe { AtomicU32::from_ptr(p.cast()) }.store(v, Relaxed);
        } else {
            // SAFETY: four bytes inside the block.
            unsafe { p.cast::<u32>().write_unaligned(v.to_le()) };
        }
        Some(())
    }

    #[inline(always)]
    pub fn store64(&self, off: u64, v: u64) -> Option<()> {
        let p = self.at(off, 8)?;
        if off.is_multiple_of(8) {
            // SAFETY: inside the block and aligned.
            unsafe { AtomicU64::from_ptr(p.cast()) }.store(v, Relaxed);
        } else {
            // SAFETY: eight bytes inside the block.
            unsafe { p.cast::<u64>().write_unaligned(v.to_le()) };
        }
        Some(())
    }

    /// 32 consecutive dwords into a register row.
    #[inline(always)]
    pub fn load_row(&self, off: u64, row: &mut [u32; 32]) -> Option<()> {
        let p = self.at(off, 128)?;
        // SAFETY: 128 bytes inside the block.
        *row = little_endian(unsafe { p.cast::<[u32; 32]>().read_unaligned() });
        Some(())
    }

    /// A register row to 32 consecutive dwords.
    #[inline(always)]
    pub fn store_row(&self, off: u64, row: &[u32; 32]) -> Option<()> {
        let p = self.at(off, 128)?;
        // SAFETY: 128 bytes inside the block.
        unsafe { p.cast::<[u32; 32]>().write_unaligned(little_endian(*row)) };
        Some(())
    }

    /// `N` dwords from each of 32 places `base + off[i]`, as out[dword][i], with one bounds check for all; `None` if any
    /// is outside or 2 GiB away. Plain moves at signed 32-bit indices, so that the compiler may use the host's gather.
    #[inline(always)]
    pub(crate) fn gather<const N: usize>(&self, host: impl Host, base: u64, off: &[u32; 32]) -> Option<[[u32; 32]; N]> {
        let last = off.iter().fold(0, |m: u32, &o| m.max(o));
        let p = self.at(base, u64::from(last) + 4 * N as u64)?;
        if last > i32::MAX as u32 {
            return None;
        }
        // One place for all lanes: a coefficient, a tile's row.
        if off.iter().fold(0, |wrong, &o| wrong | (o ^ last)) == 0 {
            // SAFETY: `last` is inside the range that `at` checked, `N` dwords long.
            let one = unsafe { p.add(last as usize).cast::<[u32; N]>().read_unaligned() };
            let mut out = [[0; 32]; N];
            out.iter_mut().zip(little_endian(one)).for_each(|(row, v)| *row = [v; 32]);
            return Some(out);
        }
        // SAFETY: each offset is at most `last`, so its dwords are inside the range that `at` checked.
        if let Some(out) = unsafe { host.gather::<N>(p, off) } {
            return Some(out);
        }
        let mut out = [[0; 32]; N];
        #[cfg(target_arch = "x86_64")]
        if N == 4 {
            for i in (0..32).step_by(4) {
                // SAFETY: each offset is at most `last`, so its 16 bytes are inside the range that `at` checked.
                let quad = |n: usize| unsafe { p.add(off[i + n] as usize).cast::<[u32; 4]>().read_unaligned() };
                for (out, column) in out.iter_mut().zip(transpose([quad(0), quad(1), quad(2), quad(3)])) {
                    out[i..i + 4].copy_from_slice(&column);
                }
            }
            return Some(out);
        }
        for (j, out) in out.iter_mut().enumerate() {
            // SAFETY: dword `j` of the place at offset 0, inside the range that `at` checked.
            let p = unsafe { p.add(4 * j) };
            for i in 0..32 {
                // SAFETY: `off[i]` is at most `last`, so the dword is inside that range too; the index is not negative.
                out[i] = u32::from_le(unsafe { p.offset(off[i] as i32 as isize).cast::<u32>().read_unaligned() });
            }
        }
        Some(out)
    }

    /// The other way: `data[dword][i]` to `base + off[i]`, where bit i of `mask` is set; of equal places the highest i
    /// wins.
    #[inline(always)]
    pub(crate) fn scatter<const N: usize>(
        &self,
        host: impl Host,
        base: u64,
        off: &[u32; 32],
        data: [&[u32; 32]; N],
        mask: u32,
    ) -> Option<()> {
        let last = off.iter().fold(0, |m: u32, &o| m.max(o));
        let p = self.at(base, u64::from(last) + 4 * N as u64)?;
        // SAFETY: as in `gather`.
        if last <= i32::MAX as u32 && unsafe { host.scatter::<N>(p, off, data, mask) } {
            return Some(());
        }
        let put = |i: usize| {
            for (j, data) in data.iter().enumerate() {
                // SAFETY: as in `gather`.
                unsafe { p.add(off[i] as usize + 4 * j).cast::<u32>().write_unaligned(data[i].to_le()) };
            }
        };
        if mask != !0 {
            (0..32).filter(|i| mask >> i & 1 != 0).for_each(put);
            return Some(());
        }
        #[cfg(target_arch = "x86_64")]
        if N == 4 {
            for i in (0..32).step_by(4) {
                let row = |j: usize| [data[j][i], data[j][i + 1], data[j][i + 2], data[j][i + 3]];
                for (n, quad) in transpose([row(0), row(1), row(2), row(3)]).into_iter().enumerate() {
                    // SAFETY: as in `gather`.
                    unsafe { p.add(off[i + n] as usize).cast::<[u32; 4]>().write_unaligned(quad) };
                }
            }
            return Some(());
        }
        (0..32).for_each(put);
        Some(())
    }

    atomic!(atomic32, u32, AtomicU32, atomic_result32, "Atomic on an aligned dword");
    atomic!(atomic64, u64, AtomicU64, atomic_result64, "Atomic on an aligned qword");

    /// The same atomic on 32 consecutive dwords, which the host does two at a time: the values before. `None` outside of the
    /// block or if `off` is not a multiple of eight.
    #[inline]
    pub(crate) fn atomic_row(&self, off: u64, op: AtomicOp, data: &[u32; 32], second: &[u32; 32]) -> Option<[u32; 32]> {
        match op {
            AtomicOp::Add => self.update_row(off, |i, old| old.wrapping_add(data[i])),
            _ => self.update_row(off, |i, old| atomic_result32(op, old, data[i], second[i])),
        }
    }

    #[inline(always)]
    fn update_row(&self, off: u64, new: impl Fn(usize, u32) -> u32) -> Option<[u32; 32]> {
        let p = self.at(off, 128)?;
        if !off.is_multiple_of(8) {
            return None;
        }
        let mut out = [0; 32];
        for i in (0..32).step_by(2) {
            // SAFETY: inside of the 128 bytes, and aligned as `off` is.
            let pair = unsafe { AtomicU64::from_ptr(p.add(4 * i).cast()) };
            let update = |old: u64| {
                let (low, high) = (new(i, old as u32), new(i + 1, (old >> 32) as u32));
                Some(u64::from(low) | u64::from(high) << 32)
            };
            let old = pair.fetch_update(Relaxed, Relaxed, update).unwrap_or_else(|v| v);
            (out[i], out[i + 1]) = (old as u32, (old >> 32) as u32);
        }
        Some(out)
    }

    /// Copies out `to.len()` bytes.
    #[inline]
    pub fn read(&self, off: u64, to: &mut [u8]) -> Option<()> {
        let p = self.at(off, to.len() as u64)?;
        // SAFETY: the range is inside the block; `to` is a host slice, which guest memory never overlaps.
        unsafe { std::ptr::copy_nonoverlapping(p, to.as_mut_ptr(), to.len()) };
        Some(())
    }

    /// Copies in `from`.
    #[inline]
    pub fn write(&self, off: u64, from: &[u8]) -> Option<()> {
        let p = self.at(off, from.len() as u64)?;
        // SAFETY: as in `read`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), p, from.len()) };
        Some(())
    }

    /// Copies `bytes` from `from` at `from_off` to `off`; the ranges may overlap.
    pub fn copy(&self, off: u64, from: &Backing, from_off: u64, bytes: u64) -> Option<()> {
        let (s, d) = (from.at(from_off, bytes)?, self.at(off, bytes)?);
        // SAFETY: both ranges are inside their blocks; `copy` allows overlap.
        unsafe { std::ptr::copy(s, d, bytes as usize) };
        Some(())
    }

    /// Fills `bytes` with the little-endian bytes of `value`, repeated from `off` on.
    pub fn fill(&self, off: u64, value: u32, bytes: u64) -> Option<()> {
        let p = self.at(off, bytes)?;
        let pattern = value.to_le_bytes();
        let dwords = bytes as usize / 4;
        // SAFETY: the range is inside the block; each write below is inside the range.
        unsafe {
            if pattern.iter().all(|&b| b == pattern[0]) {
                p.write_bytes(pattern[0], bytes as usize);
            } else {
                for i in 0..dwords {
                    p.cast::<u32>().add(i).write_unaligned(value.to_le());
                }
                for i in 4 * dwords..bytes as usize {
                    p.add(i).write(pattern[i % 4]);
                }
            }
        }
        Some(())
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `Backing::new` with this layout, freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

//! A register row to and from 32 places at once, by AVX-512 where the host has it.

/// What of the host's instructions a move may use; the value is the proof that it has them.
pub trait Host: Copy {
    /// `N` dwords from each place, as out[dword][lane]; `None`: not by this host's instructions.
    ///
    /// # Safety
    /// `p` + each offset, below 2^31, is the address of `N` readable dwords.
    #[inline(always)]
    unsafe fn gather<const N: usize>(self, _p: *const u8, _off: &[u32; 32]) -> Option<[[u32; 32]; N]> {
        None
    }

    /// The other way, for the lanes of `mask`, the highest last; `false`: not by this host's instructions.
    ///
    /// # Safety
    /// As [`Host::gather`], writable.
    #[inline(always)]
    unsafe fn scatter<const N: usize>(self, _p: *mut u8, _off: &[u32; 32], _data: [&[u32; 32]; N], _mask: u32) -> bool {
        false
    }
}

/// Any host.
#[derive(Clone, Copy)]
pub struct Any;
impl Host for Any {}

#[cfg(target_arch = "x86_64")]
pub use x86::Avx512;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Host;
    use std::arch::x86_64::*;

    /// A host with AVX-512.
    #[derive(Clone, Copy)]
    pub struct Avx512(());

    impl Avx512 {
        /// # Safety
        /// The host has AVX-512 F.
        #[inline(always)]
        pub unsafe fn assume() -> Avx512 {
            Avx512(())
        }
    }

    impl Host for Avx512 {
        #[inline(always)]
        unsafe fn gather<const N: usize>(self, p: *const u8, off: &[u32; 32]) -> Option<[[u32; 32]; N]> {
            if N != 4 {
                return None;
            }
            let mut out = [[0; 32]; N];
            // SAFETY: the value of this type says that the host has AVX-512; the places are the caller's.
            unsafe { gather4(p, off, out.as_mut_ptr().cast()) };
            Some(out)
        }

        #[inline(always)]
        unsafe fn scatter<const N: usize>(self, p: *mut u8, off: &[u32; 32], data: [&[u32; 32]; N], mask: u32) -> bool {
            if N != 1 {
                return false;
            }
            // SAFETY: as in `gather`.
            unsafe { scatter1(p, off, data[0], mask) };
            true
        }
    }

    /// Four dwords of each place: sixteen places at a time, 4 × 4 dwords transposed in each quarter of a register.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn gather4(p: *const u8, off: &[u32; 32], out: *mut [u32; 32]) {
        for first in [0, 16] {
            // Lanes k, 4 + k, 8 + k and 12 + k in the quarters.
            let quad = |k: usize| {
                // SAFETY: the places are the caller's.
                let at = |n: usize| unsafe { _mm_loadu_si128(p.add(off[first + k + n] as usize).cast()) };
                let quad = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(at(0)), at(4));
                _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(quad, at(8)), at(12))
            };
            let (a, b, c, d) = (quad(0), quad(1), quad(2), quad(3));
            let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            let (ef, gh) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            let columns = [
                _mm512_unpacklo_epi64(ab, cd),
                _mm512_unpackhi_epi64(ab, cd),
                _mm512_unpacklo_epi64(ef, gh),
                _mm512_unpackhi_epi64(ef, gh),
            ];
            for (j, column) in columns.into_iter().enumerate() {
                // SAFETY: half of row `j` of four.
                unsafe { _mm512_storeu_si512(out.add(j).cast::<u32>().add(first).cast(), column) };
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn scatter1(p: *mut u8, off: &[u32; 32], data: &[u32; 32], mask: u32) {
        for first in [0, 16] {
            // SAFETY: sixteen lanes of rows of 32; the places are the caller's.
            unsafe {
                let index = _mm512_loadu_si512(off.as_ptr().add(first).cast());
                let value = _mm512_loadu_si512(data.as_ptr().add(first).cast());
                _mm512_mask_i32scatter_epi32::<1>(p.cast(), (mask >> first) as u16, index, value);
            }
        }
    }
}

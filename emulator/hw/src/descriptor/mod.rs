//! Resource descriptors as the hardware reads them from SGPRs. Field positions: the RDNA 1 ISA document, tables "Buffer
//! Resource Descriptor", "Image Resource Definition" and "Image Sampler Definition", and the gfx10 register database
//! (SQ_BUF_RSRC_*, SQ_IMG_RSRC_*, SQ_IMG_SAMP_*).

mod buffer;
mod image;
mod sampler;

pub use buffer::BufferDescriptor;
pub use image::{ImageDescriptor, ImageType, SW_LINEAR, sw_mode_name};
pub use sampler::{BorderColor, Clamp, MipFilter, SamplerDescriptor, XyFilter, ZFilter};

/// Bits `lo..lo + n` of a descriptor, n ≤ 32; a field may cross a word.
fn get<const N: usize>(w: &[u32; N], lo: usize, n: usize) -> u32 {
    let (word, shift) = (lo / 32, lo % 32);
    let pair = u64::from(w[word]) | u64::from(*w.get(word + 1).unwrap_or(&0)) << 32;
    (pair >> shift & ((1 << n) - 1)) as u32
}

/// Writes what [`get`] reads; higher bits of `v` are dropped.
fn put<const N: usize>(w: &mut [u32; N], lo: usize, n: usize, v: u32) {
    let (word, shift) = (lo / 32, lo % 32);
    let bits = (u64::from(v) & ((1 << n) - 1)) << shift;
    w[word] |= bits as u32;
    if let Some(high) = w.get_mut(word + 1) {
        *high |= (bits >> 32) as u32;
    }
}

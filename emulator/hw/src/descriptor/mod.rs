//! Resource descriptors as the hardware reads them from SGPRs: one list of fields each, with where they stand by generation, through
//! which they are written and read. Inside, a descriptor means the same on all generations; a field that a generation lacks has
//! its default there, and is not written.
//!
//! Sources: the register database (SQ_BUF_RSRC_*, SQ_IMG_RSRC_*, SQ_IMG_SAMP_*), and the ISA documents' tables of resource definitions.

mod buffer;
mod bvh;
mod image;
mod sampler;

pub use buffer::{BY_USE, BufferDescriptor};
pub use bvh::{BVH, BVH_NODE_BITS, BvhDescriptor};
pub use image::{ImageDescriptor, ImageType, SW_LINEAR, sw_mode_name};
pub use sampler::{BorderColor, Clamp, MipFilter, SamplerDescriptor, XyFilter, ZFilter};

use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// Where a field stands: its pieces, low bits first, as word, lowest bit and bits. None: the generation has no such field.
type Pieces = &'static [(u8, u8, u8)];
type Column = &'static [(Gen, Pieces)];

/// The pieces on generation `G` of [`Gen::ALL`].
const fn pieces<const G: usize>(column: Column) -> Pieces {
    match inherited(column, Gen::ALL[G]) {
        Some(pieces) => pieces,
        None => &[],
    }
}

/// What of the word `n` belongs to the field.
const fn mask(pieces: Pieces, n: u8) -> u32 {
    let (mut mask, mut i) = (0, 0);
    while i < pieces.len() {
        let (word, lo, bits) = pieces[i];
        if word == n {
            mask |= (u32::MAX >> (32 - bits)) << lo;
        }
        i += 1;
    }
    mask
}

#[inline(always)]
fn get<const N: usize>(w: &[u32; N], pieces: Pieces) -> (u64, u32) {
    let (mut value, mut at) = (0, 0);
    for &(word, lo, bits) in pieces {
        value |= u64::from(w[usize::from(word)] >> lo & u32::MAX >> (32 - bits)) << at;
        at += u32::from(bits);
    }
    (value, at)
}

/// Writes what [`get`] reads; higher bits of `v` are dropped.
#[inline(always)]
fn put<const N: usize>(w: &mut [u32; N], pieces: Pieces, mut v: u64) {
    for &(word, lo, bits) in pieces {
        w[usize::from(word)] |= (v as u32 & u32::MAX >> (32 - bits)) << lo;
        v >>= bits;
    }
}

/// What a field holds.
trait Field: Sized {
    /// Of its `bits` bits.
    fn read(v: u64, bits: u32) -> Self;
    fn write(self) -> u64;
}

macro_rules! integers {
    ($($ty:ty),+) => {
        $(impl Field for $ty {
            #[inline(always)]
            fn read(v: u64, bits: u32) -> $ty {
                // Sign-extends where there is a sign.
                let shift = <$ty>::BITS - bits.min(<$ty>::BITS);
                (v as $ty) << shift >> shift
            }
            #[inline(always)]
            fn write(self) -> u64 {
                self as u64
            }
        })+
    };
}
integers!(u8, u16, u32, u64, i8, i16);

impl Field for bool {
    #[inline(always)]
    fn read(v: u64, _: u32) -> bool {
        v != 0
    }
    #[inline(always)]
    fn write(self) -> u64 {
        self.into()
    }
}

/// A column: generations, each with its pieces.
macro_rules! on {
    ($($gen:ident $(($word:expr, $lo:expr, $bits:expr))*),+) => { &[$((Gen::$gen, &[$(($word, $lo, $bits)),*])),+] };
}
use on;

/// A descriptor's fields: their columns, and reading and writing all of them. `>> n`: the field holds the value without its `n` low
/// bits. `ones`: bits that are always set.
macro_rules! fields {
    ($Descriptor:ident, $words:literal, ones $ones:expr;
     $($field:ident $(. $i:literal)? $(>> $shift:literal)? => $column:expr;)+) => {
        impl $Descriptor {
            /// All fields as generation `G` of [`Gen::ALL`] has them.
            #[inline(always)]
            fn fields<const G: usize>(w: [u32; $words]) -> Self {
                let mut d = Self::default();
                $({
                    let (v, bits) = get(&w, const { pieces::<G>($column) });
                    if bits != 0 {
                        d.$field $([$i])? = Field::read(v $(<< $shift)?, bits $(+ $shift)?);
                    }
                })+
                d
            }

            #[inline(always)]
            fn words<const G: usize>(self) -> [u32; $words] {
                let mut w = [0; $words];
                $(put(&mut w, const { pieces::<G>($column) }, Field::write(self.$field $([$i])?) $(>> $shift)?);)+
                put(&mut w, const { pieces::<G>($ones) }, u64::MAX);
                w
            }
        }
    };
}
use fields;

/// A function of a generation, by [`Gen::ALL`].
macro_rules! by_generation {
    ($($f:ident)::+) => {
        [$($f)::+::<0>, $($f)::+::<1>, $($f)::+::<2>, $($f)::+::<3>, $($f)::+::<4>, $($f)::+::<5>, $($f)::+::<6>, $($f)::+::<7>]
    };
}
use by_generation;

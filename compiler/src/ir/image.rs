//! The image operation of the IR: one shape for loads, stores, atomics, samples and queries.
//!
//! Operands, in this order, each only if the operation has it:
//! ```text
//! image, or for Dim::Buffer the V#     sampler (Sample, Gather, Detail)
//! offset       B32: signed texel offsets of 6 bits, at bits 0, 8 and 16
//! reference    f32 that texels are compared with
//! derivatives  f32, horizontal then vertical
//! coordinates  integers (Load, Store, Atomic) or f32 (Sample, Gather, Detail); then the layer; then the sample's number
//! level        of Level::Lod: an integer (Load, Store, Size) or f32;   or, with min_lod, the least level, f32
//! The bias of Level::Bias stands behind the offset.
//! data         Store: 1 to 4 words; Atomic: as for memory
//! ```
//! A cube is, as its machine has it: to integer coordinates a 2D array of faces, 6 · layer + face; to float ones the place on a
//! face, 1 to 2 in either direction, and 8 · layer + face.

use super::types::{Access, Atomic, Width};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ImageOp {
    /// Four words: the texel, as the image's format reads.
    Load,
    Store,
    /// 32 or 64 bits; not of the kinds Load and Store.
    Atomic(Atomic),
    /// Four words, filtered.
    Sample,
    /// One component of the four texels that a filter would mix.
    Gather(u8),
    /// Two words, f32: the level that sampling would read, and the level of detail before it is clamped.
    Detail,
    /// A word for each coordinate; a cube array counts faces.
    Size,
    /// One word.
    Levels,
    /// One word.
    Samples,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Dim {
    D1,
    D2,
    D3,
    Cube,
    /// A texel buffer.
    Buffer,
}

/// What chooses the level of detail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Level {
    Zero,
    Lod,
    Gradients,
    /// How the coordinates change within the quad of lanes.
    Implicit,
    /// The same, and a bias.
    Bias,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Image {
    pub op: ImageOp,
    pub dim: Dim,
    pub arrayed: bool,
    pub multisampled: bool,
    pub level: Level,
    pub offset: bool,
    pub compare: bool,
    pub min_lod: bool,
    /// Of Gather: the texels are integers.
    pub integer: bool,
    pub access: Access,
}

impl Image {
    /// An operation without any of the optional operands.
    pub fn new(op: ImageOp, dim: Dim, arrayed: bool, multisampled: bool) -> Image {
        Image {
            op,
            dim,
            arrayed,
            multisampled,
            level: Level::Zero,
            offset: false,
            compare: false,
            min_lod: false,
            integer: false,
            access: Access::default(),
        }
    }

    pub const fn samples_texels(&self) -> bool {
        matches!(self.op, ImageOp::Sample | ImageOp::Gather(_) | ImageOp::Detail)
    }

    /// Reads the coordinates of other lanes.
    pub const fn is_cross_lane(&self) -> bool {
        matches!(self.level, Level::Implicit | Level::Bias)
    }

    pub const fn writes(&self) -> bool {
        matches!(self.op, ImageOp::Store | ImageOp::Atomic(_))
    }

    /// Asks for what the descriptor says, not for texels.
    pub const fn queries(&self) -> bool {
        matches!(self.op, ImageOp::Size | ImageOp::Levels | ImageOp::Samples)
    }

    /// Coordinates, with layer or face, without the sample's number.
    pub const fn coordinates(&self) -> usize {
        match self.dim {
            Dim::D1 | Dim::Buffer => 1 + self.arrayed as usize,
            Dim::D2 => 2 + self.arrayed as usize,
            Dim::D3 | Dim::Cube => 3,
        }
    }

    /// Words of [`ImageOp::Size`].
    pub const fn extents(&self) -> usize {
        match self.dim {
            Dim::Cube => 2 + self.arrayed as usize,
            _ => self.coordinates(),
        }
    }

    /// Descriptors before the other operands.
    pub const fn descriptors(&self) -> usize {
        1 + self.samples_texels() as usize
    }

    /// Operands between descriptors and data.
    pub const fn addresses(&self) -> usize {
        let level = matches!(self.level, Level::Lod) as usize;
        match self.op {
            ImageOp::Size => level,
            ImageOp::Levels | ImageOp::Samples => 0,
            ImageOp::Load | ImageOp::Store | ImageOp::Atomic(_) => {
                self.coordinates() + self.multisampled as usize + level
            }
            ImageOp::Sample | ImageOp::Gather(_) | ImageOp::Detail => {
                let direction = match self.dim {
                    Dim::D1 | Dim::Buffer => 1,
                    Dim::D2 | Dim::Cube => 2,
                    Dim::D3 => 3,
                };
                let gradients = if matches!(self.level, Level::Gradients) { 2 * direction } else { 0 };
                let bias = matches!(self.level, Level::Bias) as usize;
                let single = self.offset as usize + bias + self.compare as usize + self.min_lod as usize;
                single + gradients + self.coordinates() + level
            }
        }
    }

    /// Results.
    pub const fn words(&self) -> usize {
        match self.op {
            ImageOp::Load | ImageOp::Sample | ImageOp::Gather(_) => 4,
            ImageOp::Store => 0,
            ImageOp::Detail => 2,
            ImageOp::Atomic(_) | ImageOp::Levels | ImageOp::Samples => 1,
            ImageOp::Size => self.extents(),
        }
    }

    /// Checks the widths of operands and results, and that the parts fit each other.
    pub(super) fn signature(&self, args: &[Width], results: &[Width]) -> Result<(), String> {
        let want = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_string()) };
        let texels = matches!(self.op, ImageOp::Load | ImageOp::Store | ImageOp::Atomic(_));
        let sampling = self.samples_texels();
        let buffer = self.dim == Dim::Buffer;
        want(!buffer || texels && self.level == Level::Zero && !self.arrayed, "a texel buffer has texels alone")?;
        want(!self.arrayed || self.dim != Dim::D3, "no arrays of 3D images")?;
        want(
            !self.multisampled || self.dim == Dim::D2 && !sampling,
            "only 2D images have samples, and are not sampled",
        )?;
        want(!self.integer || matches!(self.op, ImageOp::Gather(_)) && !self.compare, "integers are said of gathers")?;
        want(sampling || !(self.offset || self.compare || self.min_lod), "an operand of sampling")?;
        want(
            match self.level {
                Level::Zero => !self.min_lod,
                Level::Lod => !self.min_lod && !self.multisampled && !matches!(self.op, ImageOp::Atomic(_)),
                Level::Gradients | Level::Bias => self.op == ImageOp::Sample,
                Level::Implicit => matches!(self.op, ImageOp::Sample | ImageOp::Detail),
            },
            "this way to choose a level",
        )?;
        let detail = self.op == ImageOp::Detail;
        let plain = self.level == Level::Implicit && !(self.offset || self.compare || self.min_lod);
        want(!detail || plain, "a level of detail has coordinates alone")?;
        let mut descriptors = vec![if buffer { Width::Desc } else { Width::Image }];
        descriptors.extend(sampling.then_some(Width::Sampler));
        want(args.starts_with(&descriptors), "the descriptors come first")?;
        let rest = &args[descriptors.len()..];
        want(rest.len() >= self.addresses(), "operands missing")?;
        let (address, data) = rest.split_at(self.addresses());
        want(address.iter().all(|w| *w == Width::B32), "addresses are b32")?;
        match self.op {
            ImageOp::Atomic(a) => {
                let n = if a == Atomic::CompareExchange { 2 } else { 1 };
                let width = results.first().copied().unwrap_or(Width::B32);
                want(!matches!(a, Atomic::Load | Atomic::Store), "a load or store has an operation of its own")?;
                want(matches!(width, Width::B32 | Width::B64), "32 or 64 bits")?;
                want(data.len() == n && results.len() == 1, "wrong number of data operands or results")?;
                want(data.iter().all(|w| *w == width), "data and result of one width")
            }
            ImageOp::Store => {
                want((1..=4).contains(&data.len()) && data.iter().all(|w| *w == Width::B32), "1 to 4 words of data")?;
                want(results.is_empty(), "no result")
            }
            _ => {
                want(data.is_empty(), "too many operands")?;
                want(results.len() == self.words() && results.iter().all(|w| *w == Width::B32), "wrong results")
            }
        }
    }
}

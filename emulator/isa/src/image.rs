//! How many registers an image instruction's addresses and data take. Counts follow the RDNA 1 ISA document's table of image
//! addresses and LLVM's operand sizes (every corpus line agrees).

use crate::generation::{Gen, ImageAddresses};
use crate::instr::{Extra, Flags, Image, Instr};
use crate::row::{ImageOp, Lod, MemKind, Sampling, Sem};

/// What DIM says of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim {
    /// LLVM's name without its prefix.
    pub name: &'static str,
    /// Coordinates, with slice, face or fragment.
    pub coordinates: u8,
    /// Derivatives of both screen directions.
    pub derivatives: u8,
}

/// By the value of [`Image::dim`].
pub const DIMS: [Dim; 8] = [
    Dim { name: "1D", coordinates: 1, derivatives: 2 },
    Dim { name: "2D", coordinates: 2, derivatives: 4 },
    Dim { name: "3D", coordinates: 3, derivatives: 6 },
    Dim { name: "CUBE", coordinates: 3, derivatives: 4 },
    Dim { name: "1D_ARRAY", coordinates: 2, derivatives: 2 },
    Dim { name: "2D_ARRAY", coordinates: 3, derivatives: 4 },
    Dim { name: "2D_MSAA", coordinates: 3, derivatives: 4 },
    Dim { name: "2D_MSAA_ARRAY", coordinates: 4, derivatives: 4 },
];

/// Parts of an image address, in the order of its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressParts {
    /// Registers of offsets, bias and reference, one each if present; always 32 bits wide.
    pub extra: u8,
    /// Registers of derivatives.
    pub derivatives: u8,
    /// Coordinates and, after them, the level, the least level or nothing: one register each, or two a register with A16.
    pub components: u8,
    pub a16: bool,
}

impl AddressParts {
    pub const fn registers(self) -> u8 {
        self.extra + self.derivatives + if self.a16 { self.components.div_ceil(2) } else { self.components }
    }
}

impl ImageOp {
    /// Address parts for DIM (0..=7). A16 packs coordinates; derivatives are packed by the _G16 opcodes, each screen direction
    /// by itself.
    pub const fn address(self, dim: u8, a16: bool) -> AddressParts {
        let d = DIMS[dim as usize & 7];
        if let ImageOp::IntersectRay { wide } = self {
            // A node pointer, the ray's extent and origin, its direction and one over it; A16 packs the last two.
            let derivatives = if a16 { 3 } else { 6 };
            return AddressParts { extra: wide as u8 + 5, derivatives, components: 0, a16 };
        }
        let (coordinates, level, sampling) = match self {
            ImageOp::Load { mip, .. } | ImageOp::Store { mip, .. } => (d.coordinates, mip as u8, None),
            ImageOp::Atomic(_) | ImageOp::GetLod | ImageOp::Gather4h | ImageOp::MsaaLoad { .. } => {
                (d.coordinates, 0, None)
            }
            ImageOp::Resinfo | ImageOp::IntersectRay { .. } => (0, 1, None),
            ImageOp::Sample(s) | ImageOp::Gather4(s) => {
                (d.coordinates, (s.clamp || matches!(s.lod, Lod::Explicit)) as u8, Some(s))
            }
        };
        let (extra, derivatives) = match sampling {
            None => (0, 0),
            Some(s) => {
                let extra = s.offset as u8 + s.compare as u8 + matches!(s.lod, Lod::Bias) as u8;
                (extra, derivatives(s, d))
            }
        };
        AddressParts { extra, derivatives, components: coordinates + level, a16 }
    }
}

impl ImageOp {
    /// The least registers of addresses: where instructions have no DIM, text may name any number from here on, and LLVM
    /// prints so many.
    pub const fn least_addresses(self) -> u8 {
        let parts = self.address(0, true);
        parts.extra + (parts.derivatives != 0) as u8 + 1
    }
}

const fn derivatives(s: Sampling, d: Dim) -> u8 {
    match s.lod {
        Lod::Derivative | Lod::CoarseDerivative if s.g16 => 2 * (d.derivatives / 2).div_ceil(2),
        Lod::Derivative | Lod::CoarseDerivative => d.derivatives,
        _ => 0,
    }
}

/// The parts of an image instruction's address that text and encodings name each by itself, where addresses are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Registers of each part, 0 from the end on.
    sizes: [u8; Image::MAX_ADDRESSES],
}

/// The parts of the instruction's address on a generation.
pub fn parts(instr: &Instr, generation: Gen) -> Parts {
    let mut sizes = [0; Image::MAX_ADDRESSES];
    let Some((op, image)) = instr.image() else { return Parts { sizes } };
    let fields = match generation.caps().image_addresses {
        ImageAddresses::Tuple | ImageAddresses::Listed => Image::MAX_ADDRESSES,
        ImageAddresses::Fields if op.sampled() => 4,
        ImageAddresses::Grouped | ImageAddresses::Fields => 5,
    };
    let mut rest = image.addresses.min(Image::MAX_ADDRESSES as u8);
    if let (ImageOp::IntersectRay { wide }, 5) = (op, fields) {
        // The node's address, the ray's extent, its origin, its direction, and one over that.
        for (size, most) in sizes.iter_mut().zip([1 + wide as u8, 1, 3, 3, 3]) {
            *size = most.min(rest);
            rest -= *size;
        }
        return Parts { sizes };
    }
    for (n, size) in sizes.iter_mut().enumerate() {
        *size = if n + 1 == fields { rest } else { rest.min(1) };
        rest -= *size;
    }
    Parts { sizes }
}

impl Parts {
    pub fn sizes(&self) -> impl Iterator<Item = u8> + '_ {
        self.sizes.iter().copied().take_while(|n| *n != 0)
    }

    pub fn count(&self) -> usize {
        self.sizes().count()
    }

    /// The registers of each part.
    pub fn of<'v>(&self, mut vaddr: &'v [u8]) -> impl Iterator<Item = &'v [u8]> {
        self.sizes.into_iter().map_while(move |n| {
            let part = vaddr.get(..n.into()).filter(|part| !part.is_empty())?;
            vaddr = &vaddr[usize::from(n)..];
            Some(part)
        })
    }

    /// The first register of each part.
    pub fn named(&self, image: &Image) -> [u8; Image::MAX_ADDRESSES] {
        let mut named = [0; Image::MAX_ADDRESSES];
        for (name, part) in named.iter_mut().zip(self.of(&image.vaddr)) {
            *name = part[0];
        }
        named
    }

    /// Lists the registers of all parts by the first of each; what is named beyond the last part is left in the list's end, where
    /// the encoder refuses it.
    pub fn list(&self, image: &mut Image, named: [u8; Image::MAX_ADDRESSES]) {
        let listed = self.sizes().zip(named).flat_map(|(size, first)| (0..size).map(move |n| first.wrapping_add(n)));
        let beyond = named.into_iter().skip(self.count());
        let all = listed.chain(beyond).chain(std::iter::repeat(0));
        image.vaddr.iter_mut().zip(all).for_each(|(v, n)| *v = n);
    }
}

impl ImageOp {
    /// Whether it goes through the pipe of the samplers.
    pub const fn sampled(self) -> bool {
        matches!(
            self,
            ImageOp::Sample(_) | ImageOp::Gather4(_) | ImageOp::Gather4h | ImageOp::GetLod | ImageOp::MsaaLoad { .. }
        )
    }
}

impl Image {
    /// Dwords of non-sequential addresses that `addresses` registers need.
    pub const fn nsa_dwords(addresses: u8) -> u8 {
        addresses.saturating_sub(1).div_ceil(4)
    }
}

impl Instr {
    /// The image fields and operation, if this is an image instruction.
    pub fn image(&self) -> Option<(ImageOp, &Image)> {
        match (self.op.row().sem, &self.extra) {
            (Sem::Mem(_, MemKind::Image(op)), Extra::Image(image)) => Some((op, image)),
            _ => None,
        }
    }

    /// VGPRs of an image instruction's data as its text shows them: what DMASK, D16 and TFE make. 1 for any other.
    pub fn image_data(&self) -> u32 {
        let Some((op, image)) = self.image() else { return 1 };
        let components = match op {
            ImageOp::Gather4(_) | ImageOp::Gather4h | ImageOp::MsaaLoad { quad: true } => 4,
            _ => image.dmask.count_ones().max(1),
        };
        let packed = if self.flags.contains(Flags::D16) { components.div_ceil(2) } else { components };
        packed + u32::from(self.flags.contains(Flags::TFE))
    }
}

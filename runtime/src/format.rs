//! Formats of images and texel buffers: one row a format, from the API's number to the hardware's.
//!
//! Numbers and names are VkFormat's. A colour format is one plane; depth and stencil are planes of their own, as this
//! GPU's drivers keep them. What a format can do follows from its hardware format, with the exceptions said in
//! [`Format::image_features`].

use wavepipe_hw::descriptor::SamplerDescriptor;
use wavepipe_isa::Gen;
use wavepipe_isa::format::{self as hw, Num};

/// A format by VkFormat's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Format(pub u32);

bitflags::bitflags! {
    /// What a format can do. Bits are those of VkFormatFeatureFlagBits2.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct FormatFeatures: u64 {
        const SAMPLED_IMAGE = 1 << 0;
        const STORAGE_IMAGE = 1 << 1;
        const STORAGE_IMAGE_ATOMIC = 1 << 2;
        const UNIFORM_TEXEL_BUFFER = 1 << 3;
        const STORAGE_TEXEL_BUFFER = 1 << 4;
        const STORAGE_TEXEL_BUFFER_ATOMIC = 1 << 5;
        const VERTEX_BUFFER = 1 << 6;
        const COLOR_ATTACHMENT = 1 << 7;
        const COLOR_ATTACHMENT_BLEND = 1 << 8;
        const DEPTH_STENCIL_ATTACHMENT = 1 << 9;
        const BLIT_SRC = 1 << 10;
        const BLIT_DST = 1 << 11;
        const SAMPLED_IMAGE_FILTER_LINEAR = 1 << 12;
        const TRANSFER_SRC = 1 << 14;
        const TRANSFER_DST = 1 << 15;
        const SAMPLED_IMAGE_FILTER_MINMAX = 1 << 16;
        const STORAGE_READ_WITHOUT_FORMAT = 1 << 31;
        const STORAGE_WRITE_WITHOUT_FORMAT = 1 << 32;
        const SAMPLED_IMAGE_DEPTH_COMPARISON = 1 << 33;
        const HOST_IMAGE_TRANSFER = 1 << 46;
    }

    /// Parts of a texel. Bits are those of VkImageAspectFlagBits.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Aspects: u32 {
        const COLOR = 1;
        const DEPTH = 2;
        const STENCIL = 4;
    }
}

/// Which component stands where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order {
    /// DST_SEL_X..W: where red, green, blue and alpha come from.
    select: [u8; 4],
    /// BC_SWIZZLE: the same for border colours, the other way round.
    border: u8,
}

/// Orders by the components that the hardware's X, Y, Z and W hold.
mod order {
    use super::Order;
    pub const R: Order = Order { select: [4, 0, 0, 1], border: 0 };
    pub const RG: Order = Order { select: [4, 5, 0, 1], border: 0 };
    pub const RGB: Order = Order { select: [4, 5, 6, 1], border: 0 };
    pub const RGBA: Order = Order { select: [4, 5, 6, 7], border: 0 };
    pub const BGR: Order = Order { select: [6, 5, 4, 1], border: 4 };
    pub const BGRA: Order = Order { select: [6, 5, 4, 7], border: 4 };
    pub const ABGR: Order = Order { select: [7, 6, 5, 4], border: 2 };
    pub const ARGB: Order = Order { select: [5, 6, 7, 4], border: 3 };
    /// Alpha alone; W as of ABGR, whose X it is.
    pub const A: Order = Order { select: [0, 0, 0, 4], border: 2 };
    pub const GR: Order = Order { select: [5, 4, 0, 1], border: 5 };
}

#[derive(Clone, Copy, Debug)]
struct FormatRow {
    number: u32,
    /// gfx10's unified image format of colour or depth; 0 = no such plane.
    plane: u16,
    aspects: Aspects,
    order: Order,
}

const NONE: u16 = 0;
const COLOR: Aspects = Aspects::COLOR;
const DEPTH: Aspects = Aspects::DEPTH;
const STENCIL: Aspects = Aspects::STENCIL;
const BOTH: Aspects = Aspects::DEPTH.union(Aspects::STENCIL);
/// 8_UINT.
const STENCIL_PLANE: u16 = 5;

macro_rules! formats {
    ($($name:ident = $number:literal: $plane:expr, $aspects:ident, $order:ident;)*) => {
        #[allow(missing_docs)]
        impl Format {
            $(pub const $name: Format = Format($number);)*
        }

        /// Sorted by number.
        static ROWS: &[FormatRow] =
            &[$(FormatRow { number: $number, plane: $plane, aspects: $aspects, order: order::$order }),*];
    };
}

formats! {
    R4G4_UNORM_PACK8 = 1: 137, COLOR, GR;
    R4G4B4A4_UNORM_PACK16 = 2: 136, COLOR, ABGR;
    B4G4R4A4_UNORM_PACK16 = 3: 136, COLOR, ARGB;
    R5G6B5_UNORM_PACK16 = 4: 133, COLOR, BGR;
    B5G6R5_UNORM_PACK16 = 5: 133, COLOR, RGB;
    R5G5B5A1_UNORM_PACK16 = 6: 135, COLOR, ABGR;
    B5G5R5A1_UNORM_PACK16 = 7: 135, COLOR, ARGB;
    A1R5G5B5_UNORM_PACK16 = 8: 134, COLOR, BGRA;
    R8_UNORM = 9: 1, COLOR, R;
    R8_SNORM = 10: 2, COLOR, R;
    R8_USCALED = 11: 3, COLOR, R;
    R8_SSCALED = 12: 4, COLOR, R;
    R8_UINT = 13: 5, COLOR, R;
    R8_SINT = 14: 6, COLOR, R;
    R8_SRGB = 15: 128, COLOR, R;
    R8G8_UNORM = 16: 14, COLOR, RG;
    R8G8_SNORM = 17: 15, COLOR, RG;
    R8G8_USCALED = 18: 16, COLOR, RG;
    R8G8_SSCALED = 19: 17, COLOR, RG;
    R8G8_UINT = 20: 18, COLOR, RG;
    R8G8_SINT = 21: 19, COLOR, RG;
    R8G8_SRGB = 22: 129, COLOR, RG;
    R8G8B8A8_UNORM = 37: 56, COLOR, RGBA;
    R8G8B8A8_SNORM = 38: 57, COLOR, RGBA;
    R8G8B8A8_USCALED = 39: 58, COLOR, RGBA;
    R8G8B8A8_SSCALED = 40: 59, COLOR, RGBA;
    R8G8B8A8_UINT = 41: 60, COLOR, RGBA;
    R8G8B8A8_SINT = 42: 61, COLOR, RGBA;
    R8G8B8A8_SRGB = 43: 130, COLOR, RGBA;
    B8G8R8A8_UNORM = 44: 56, COLOR, BGRA;
    B8G8R8A8_SNORM = 45: 57, COLOR, BGRA;
    B8G8R8A8_USCALED = 46: 58, COLOR, BGRA;
    B8G8R8A8_SSCALED = 47: 59, COLOR, BGRA;
    B8G8R8A8_UINT = 48: 60, COLOR, BGRA;
    B8G8R8A8_SINT = 49: 61, COLOR, BGRA;
    B8G8R8A8_SRGB = 50: 130, COLOR, BGRA;
    A8B8G8R8_UNORM_PACK32 = 51: 56, COLOR, RGBA;
    A8B8G8R8_SNORM_PACK32 = 52: 57, COLOR, RGBA;
    A8B8G8R8_USCALED_PACK32 = 53: 58, COLOR, RGBA;
    A8B8G8R8_SSCALED_PACK32 = 54: 59, COLOR, RGBA;
    A8B8G8R8_UINT_PACK32 = 55: 60, COLOR, RGBA;
    A8B8G8R8_SINT_PACK32 = 56: 61, COLOR, RGBA;
    A8B8G8R8_SRGB_PACK32 = 57: 130, COLOR, RGBA;
    A2R10G10B10_UNORM_PACK32 = 58: 50, COLOR, BGRA;
    A2R10G10B10_SNORM_PACK32 = 59: 51, COLOR, BGRA;
    A2R10G10B10_USCALED_PACK32 = 60: 52, COLOR, BGRA;
    A2R10G10B10_SSCALED_PACK32 = 61: 53, COLOR, BGRA;
    A2R10G10B10_UINT_PACK32 = 62: 54, COLOR, BGRA;
    A2R10G10B10_SINT_PACK32 = 63: 55, COLOR, BGRA;
    A2B10G10R10_UNORM_PACK32 = 64: 50, COLOR, RGBA;
    A2B10G10R10_SNORM_PACK32 = 65: 51, COLOR, RGBA;
    A2B10G10R10_USCALED_PACK32 = 66: 52, COLOR, RGBA;
    A2B10G10R10_SSCALED_PACK32 = 67: 53, COLOR, RGBA;
    A2B10G10R10_UINT_PACK32 = 68: 54, COLOR, RGBA;
    A2B10G10R10_SINT_PACK32 = 69: 55, COLOR, RGBA;
    R16_UNORM = 70: 7, COLOR, R;
    R16_SNORM = 71: 8, COLOR, R;
    R16_USCALED = 72: 9, COLOR, R;
    R16_SSCALED = 73: 10, COLOR, R;
    R16_UINT = 74: 11, COLOR, R;
    R16_SINT = 75: 12, COLOR, R;
    R16_SFLOAT = 76: 13, COLOR, R;
    R16G16_UNORM = 77: 23, COLOR, RG;
    R16G16_SNORM = 78: 24, COLOR, RG;
    R16G16_USCALED = 79: 25, COLOR, RG;
    R16G16_SSCALED = 80: 26, COLOR, RG;
    R16G16_UINT = 81: 27, COLOR, RG;
    R16G16_SINT = 82: 28, COLOR, RG;
    R16G16_SFLOAT = 83: 29, COLOR, RG;
    R16G16B16A16_UNORM = 91: 65, COLOR, RGBA;
    R16G16B16A16_SNORM = 92: 66, COLOR, RGBA;
    R16G16B16A16_USCALED = 93: 67, COLOR, RGBA;
    R16G16B16A16_SSCALED = 94: 68, COLOR, RGBA;
    R16G16B16A16_UINT = 95: 69, COLOR, RGBA;
    R16G16B16A16_SINT = 96: 70, COLOR, RGBA;
    R16G16B16A16_SFLOAT = 97: 71, COLOR, RGBA;
    R32_UINT = 98: 20, COLOR, R;
    R32_SINT = 99: 21, COLOR, R;
    R32_SFLOAT = 100: 22, COLOR, R;
    R32G32_UINT = 101: 62, COLOR, RG;
    R32G32_SINT = 102: 63, COLOR, RG;
    R32G32_SFLOAT = 103: 64, COLOR, RG;
    R32G32B32_UINT = 104: 72, COLOR, RGB;
    R32G32B32_SINT = 105: 73, COLOR, RGB;
    R32G32B32_SFLOAT = 106: 74, COLOR, RGB;
    R32G32B32A32_UINT = 107: 75, COLOR, RGBA;
    R32G32B32A32_SINT = 108: 76, COLOR, RGBA;
    R32G32B32A32_SFLOAT = 109: 77, COLOR, RGBA;
    // One component of two words.
    R64_UINT = 110: 62, COLOR, RG;
    R64_SINT = 111: 63, COLOR, RG;
    B10G11R11_UFLOAT_PACK32 = 122: 36, COLOR, RGB;
    E5B9G9R9_UFLOAT_PACK32 = 123: 132, COLOR, RGB;
    D16_UNORM = 124: 7, DEPTH, R;
    D32_SFLOAT = 126: 22, DEPTH, R;
    S8_UINT = 127: NONE, STENCIL, R;
    D16_UNORM_S8_UINT = 128: 7, BOTH, R;
    D32_SFLOAT_S8_UINT = 130: 22, BOTH, R;
    BC1_RGB_UNORM_BLOCK = 131: 169, COLOR, RGB;
    BC1_RGB_SRGB_BLOCK = 132: 170, COLOR, RGB;
    BC1_RGBA_UNORM_BLOCK = 133: 169, COLOR, RGBA;
    BC1_RGBA_SRGB_BLOCK = 134: 170, COLOR, RGBA;
    BC2_UNORM_BLOCK = 135: 171, COLOR, RGBA;
    BC2_SRGB_BLOCK = 136: 172, COLOR, RGBA;
    BC3_UNORM_BLOCK = 137: 173, COLOR, RGBA;
    BC3_SRGB_BLOCK = 138: 174, COLOR, RGBA;
    BC4_UNORM_BLOCK = 139: 175, COLOR, R;
    BC4_SNORM_BLOCK = 140: 176, COLOR, R;
    BC5_UNORM_BLOCK = 141: 177, COLOR, RG;
    BC5_SNORM_BLOCK = 142: 178, COLOR, RG;
    BC6H_UFLOAT_BLOCK = 143: 179, COLOR, RGB;
    BC6H_SFLOAT_BLOCK = 144: 180, COLOR, RGB;
    BC7_UNORM_BLOCK = 145: 181, COLOR, RGBA;
    BC7_SRGB_BLOCK = 146: 182, COLOR, RGBA;
    A4R4G4B4_UNORM_PACK16 = 1_000_340_000: 136, COLOR, BGRA;
    A4B4G4R4_UNORM_PACK16 = 1_000_340_001: 136, COLOR, RGBA;
    A1B5G5R5_UNORM_PACK16 = 1_000_470_000: 134, COLOR, RGBA;
    A8_UNORM = 1_000_470_001: 1, COLOR, A;
}

impl Format {
    /// All formats that there are, by number.
    pub fn all() -> impl Iterator<Item = Format> {
        ROWS.iter().map(|row| Format(row.number))
    }

    fn row(self) -> Option<&'static FormatRow> {
        ROWS.binary_search_by_key(&self.0, |row| row.number).ok().map(|at| &ROWS[at])
    }

    /// None for a format that this device does not have.
    pub fn aspects(self) -> Aspects {
        self.row().map_or(Aspects::empty(), |row| row.aspects)
    }

    /// The hardware's format of one aspect.
    pub fn plane(self, aspect: Aspects) -> Option<&'static hw::Format> {
        let row = self.row().filter(|row| row.aspects.contains(aspect))?;
        hw::Format::find(if aspect == Aspects::STENCIL { STENCIL_PLANE } else { row.plane })
    }

    /// The hardware's format of colour, or of depth, or of stencil where there is neither.
    pub fn main_plane(self) -> Option<&'static hw::Format> {
        self.aspects().iter().next().and_then(|aspect| self.plane(aspect))
    }

    /// DST_SEL: which of the hardware's components red, green, blue and alpha are.
    pub fn select(self) -> [u8; 4] {
        self.row().map_or(order::RGBA.select, |row| row.order.select)
    }

    /// BC_SWIZZLE of the format's order.
    pub fn border_swizzle(self) -> u8 {
        self.row().map_or(0, |row| row.order.border)
    }

    /// Bytes of a texel or block of one aspect; 0 if there is none.
    pub fn bytes(self, aspect: Aspects) -> u32 {
        self.plane(aspect).map_or(0, |plane| plane.bytes())
    }

    /// Texels of a block in each direction: 1 unless compressed.
    pub fn block_side(self) -> u32 {
        self.main_plane().map_or(1, |plane| plane.block_side())
    }

    /// Whether components are integers.
    pub fn is_integer(self) -> bool {
        self.main_plane().is_some_and(|plane| plane.is_integer())
    }

    pub fn is_compressed(self) -> bool {
        self.block_side() > 1
    }

    /// Whether a component has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, Format::R64_UINT | Format::R64_SINT)
    }

    /// Formats whose texels are atomic.
    fn has_atomics(self) -> bool {
        matches!(self, Format::R32_UINT | Format::R32_SINT | Format::R32_SFLOAT) || self.is_wide()
    }

    /// Whether a texel is one component.
    fn is_single(self) -> bool {
        self.select().iter().filter(|select| **select >= 4).count() == 1
    }

    /// What images of the format can do on a generation whose T#s have it. Scaled integers are for buffers only, texels of
    /// three words for reading.
    pub fn image_features(self, isa: Gen) -> FormatFeatures {
        use FormatFeatures as F;
        let (Some(plane), aspects) = (self.main_plane(), self.aspects()) else { return F::empty() };
        let lacking = hw::Format::image_code(plane.number, isa).is_none();
        if lacking || matches!(plane.num, Num::Uscaled | Num::Sscaled) {
            return F::empty();
        }
        let mut features = F::SAMPLED_IMAGE | F::TRANSFER_SRC | F::TRANSFER_DST | F::HOST_IMAGE_TRANSFER;
        if self.is_wide() {
            let storage = F::STORAGE_IMAGE | F::STORAGE_READ_WITHOUT_FORMAT | F::STORAGE_WRITE_WITHOUT_FORMAT;
            return features | storage | F::STORAGE_IMAGE_ATOMIC;
        }
        features |= F::BLIT_SRC;
        if !plane.is_integer() {
            features |= F::SAMPLED_IMAGE_FILTER_LINEAR;
            if self.is_single() || SamplerDescriptor::reduces_components(isa) {
                features |= F::SAMPLED_IMAGE_FILTER_MINMAX;
            }
        }
        if aspects != Aspects::COLOR {
            features |= F::DEPTH_STENCIL_ATTACHMENT | F::BLIT_DST;
            if aspects.contains(Aspects::DEPTH) {
                features |= F::SAMPLED_IMAGE_DEPTH_COMPARISON;
            }
            return features;
        }
        match plane.num {
            Num::Block(_) | Num::SharedExponent => return features,
            _ if plane.bytes() == 12 => return features,
            // The image instructions of this GPU do not write sRGB; the driver's own blits and clears do.
            Num::Srgb => {}
            _ => features |= F::STORAGE_IMAGE | F::STORAGE_READ_WITHOUT_FORMAT | F::STORAGE_WRITE_WITHOUT_FORMAT,
        }
        features |= F::COLOR_ATTACHMENT | F::BLIT_DST;
        if !plane.is_integer() {
            features |= F::COLOR_ATTACHMENT_BLEND;
        }
        if self.has_atomics() {
            features |= F::STORAGE_IMAGE_ATOMIC;
        }
        features
    }

    /// What buffers of the format can do: those for which the generation's V#s have a code.
    pub fn buffer_features(self, isa: Gen) -> FormatFeatures {
        use FormatFeatures as F;
        let in_buffers =
            |plane: &&hw::Format| plane.number < 128 && hw::Format::buffer_code(plane.number, isa).is_some();
        let Some(plane) = self.plane(Aspects::COLOR).filter(in_buffers) else { return F::empty() };
        let mut features = F::VERTEX_BUFFER;
        if !matches!(plane.num, Num::Uscaled | Num::Sscaled) {
            features |= F::UNIFORM_TEXEL_BUFFER
                | F::STORAGE_TEXEL_BUFFER
                | F::STORAGE_READ_WITHOUT_FORMAT
                | F::STORAGE_WRITE_WITHOUT_FORMAT;
        }
        if self.has_atomics() {
            features |= F::STORAGE_TEXEL_BUFFER_ATOMIC;
        }
        features
    }
}

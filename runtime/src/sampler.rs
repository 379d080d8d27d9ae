//! Samplers as the S# that kernels find in sets, and the table of border colours that they choose for themselves.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::host::GpuMemory;
use crate::image::lod_u4_8;
use crate::lock::{Mutex, rank};
use std::sync::Arc;
use wavepipe_hw::descriptor::{BorderColor, Clamp, MipFilter, SamplerDescriptor, XyFilter};
use wavepipe_hw::port::Protection;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    #[default]
    Nearest,
    Linear,
}

/// What a coordinate outside of the image means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum AddressMode {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
    MirrorClampToEdge,
}

/// What becomes of the texels of a footprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Reduction {
    #[default]
    WeightedAverage,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Border {
    #[default]
    TransparentBlack,
    OpaqueBlack,
    OpaqueWhite,
    /// Red, green, blue, alpha as a register has them: f32 bits or integers.
    Custom([u32; 4]),
}

/// In VkCompareOp's and the hardware's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CompareOp {
    Never,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerInfo {
    pub mag: Filter,
    pub min: Filter,
    pub mip: Filter,
    pub address: [AddressMode; 3],
    pub lod_bias: f32,
    pub min_lod: f32,
    pub max_lod: f32,
    /// Largest ratio of an anisotropic filter; `None` = off.
    pub max_anisotropy: Option<f32>,
    pub compare: Option<CompareOp>,
    pub reduction: Reduction,
    pub border: Border,
    /// Coordinates are texels.
    pub unnormalized: bool,
    /// Cube faces do not join.
    pub non_seamless_cube: bool,
}

impl Default for SamplerInfo {
    fn default() -> Self {
        SamplerInfo {
            mag: Filter::Nearest,
            min: Filter::Nearest,
            mip: Filter::Nearest,
            address: [AddressMode::Repeat; 3],
            lod_bias: 0.0,
            min_lod: 0.0,
            max_lod: 0.0,
            max_anisotropy: None,
            compare: None,
            reduction: Reduction::WeightedAverage,
            border: Border::TransparentBlack,
            unnormalized: false,
            non_seamless_cube: false,
        }
    }
}

/// A sampler. Holds its entry of the border colour table.
pub struct Sampler {
    descriptor: [u32; 4],
    _entry: Option<BorderEntry>,
}

impl Sampler {
    /// # Errors
    /// Out of memory; out of entries for border colours.
    pub fn new(device: &Arc<Device>, info: &SamplerInfo) -> Result<Arc<Sampler>> {
        let entry = match info.border {
            Border::Custom(color) => Some(BorderEntry::new(device, color)?),
            _ => None,
        };
        let descriptor = describe(info, entry.as_ref().map_or(0, |e| e.number));
        Ok(Arc::new(Sampler { descriptor: descriptor.to_words(device.bus().isa), _entry: entry }))
    }

    /// The S#.
    pub fn descriptor(&self) -> [u32; 4] {
        self.descriptor
    }
}

pub(crate) fn describe(info: &SamplerInfo, border_color_ptr: u16) -> SamplerDescriptor {
    let anisotropy = info.max_anisotropy.filter(|ratio| *ratio > 1.0);
    let filter = |filter| match (filter, anisotropy.is_some()) {
        (Filter::Nearest, false) => XyFilter::Point,
        (Filter::Linear, false) => XyFilter::Bilinear,
        (Filter::Nearest, true) => XyFilter::AnisoPoint,
        (Filter::Linear, true) => XyFilter::AnisoLinear,
    };
    let clamp = |mode| match mode {
        AddressMode::Repeat => Clamp::Wrap,
        AddressMode::MirroredRepeat => Clamp::Mirror,
        AddressMode::ClampToEdge => Clamp::LastTexel,
        AddressMode::ClampToBorder => Clamp::Border,
        AddressMode::MirrorClampToEdge => Clamp::MirrorOnceLastTexel,
    };
    SamplerDescriptor {
        clamp: info.address.map(clamp),
        max_aniso_ratio: anisotropy.map_or(0, |ratio| (ratio.min(16.0) as u32).ilog2() as u8),
        depth_compare_func: info.compare.map_or(0, |op| op as u8),
        force_unnormalized: info.unnormalized,
        // The nearest texel is the one whose square holds the coordinate: no rounding up to the next.
        trunc_coord: info.mag == Filter::Nearest && info.min == Filter::Nearest,
        disable_cube_wrap: info.non_seamless_cube,
        filter_mode: info.reduction as u8,
        min_lod: lod_u4_8(info.min_lod),
        max_lod: lod_u4_8(info.max_lod),
        lod_bias: (info.lod_bias.clamp(-32.0, 31.99) * 256.0).round() as i16,
        xy_mag_filter: filter(info.mag),
        xy_min_filter: filter(info.min),
        mip_filter: match info.mip {
            Filter::Nearest => MipFilter::Point,
            Filter::Linear => MipFilter::Linear,
        },
        border_color_ptr,
        border_color_type: match info.border {
            Border::TransparentBlack => BorderColor::TransparentBlack,
            Border::OpaqueBlack => BorderColor::OpaqueBlack,
            Border::OpaqueWhite => BorderColor::OpaqueWhite,
            Border::Custom(_) => BorderColor::Register,
        },
        ..Default::default()
    }
}

/// Entries of the table: BORDER_COLOR_PTR has 12 bits.
pub const CUSTOM_BORDER_COLORS: u32 = 4096;
const ENTRY_BYTES: u64 = 16;

/// The device's border colours, at TA_CS_BC_BASE_ADDR of every queue once there is one.
#[derive(Default)]
pub(crate) struct BorderColors(Mutex<Option<Table>, { rank::COLORS }>);

struct Table {
    memory: GpuMemory,
    free: Vec<u16>,
    used: u16,
}

impl BorderColors {
    /// Address of the table, if any sampler ever needed it.
    pub fn address(&self) -> Option<u64> {
        self.0.lock().as_ref().map(|table| table.memory.va())
    }
}

/// One colour's place. Equal colours do not share: samplers with colours of their own are few.
struct BorderEntry {
    colors: Arc<BorderColors>,
    number: u16,
}

impl BorderEntry {
    fn new(device: &Device, color: [u32; 4]) -> Result<BorderEntry> {
        let all = &device.heap().border_colors;
        let mut colors = all.0.lock();
        let table = match &mut *colors {
            Some(table) => table,
            none => {
                let bytes = u64::from(CUSTOM_BORDER_COLORS) * ENTRY_BYTES;
                let memory =
                    GpuMemory::allocate_protected(device.bus(), bytes, "border colours", Protection::ReadOnly)?;
                none.insert(Table { memory, free: Vec::new(), used: 0 })
            }
        };
        let number = match table.free.pop() {
            Some(number) => number,
            None if u32::from(table.used) < CUSTOM_BORDER_COLORS => {
                table.used += 1;
                table.used - 1
            }
            None => {
                let what = format!("more than {CUSTOM_BORDER_COLORS} samplers with border colours of their own");
                return Err(Error::OutOfHostMemory { what });
            }
        };
        let bytes: Vec<u8> = color.iter().flat_map(|c| c.to_le_bytes()).collect();
        table.memory.write(u64::from(number) * ENTRY_BYTES, &bytes)?;
        Ok(BorderEntry { colors: all.clone(), number })
    }
}

impl Drop for BorderEntry {
    fn drop(&mut self) {
        if let Some(table) = self.colors.0.lock().as_mut() {
            table.free.push(self.number);
        }
    }
}

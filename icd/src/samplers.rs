//! Samplers (chapter "Samplers"). Y′CBCR conversions are objects without use: the feature is not there.

use crate::entry::{Call, SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{AddressMode, Border, CompareOp, Filter, Reduction, SamplerInfo};

pub struct Sampler {
    pub runtime: Arc<runtime::Sampler>,
}

impl Object for Sampler {
    type Handle = vk::Sampler;
}

struct SamplerYcbcrConversion;

impl Object for SamplerYcbcrConversion {
    type Handle = vk::SamplerYcbcrConversion;
}

pub fn filter(filter: vk::Filter) -> Filter {
    if filter == vk::Filter::NEAREST { Filter::Nearest } else { Filter::Linear }
}

fn mip(mode: vk::SamplerMipmapMode) -> Filter {
    if mode == vk::SamplerMipmapMode::NEAREST { Filter::Nearest } else { Filter::Linear }
}

fn address(mode: vk::SamplerAddressMode) -> AddressMode {
    match mode {
        vk::SamplerAddressMode::MIRRORED_REPEAT => AddressMode::MirroredRepeat,
        vk::SamplerAddressMode::CLAMP_TO_EDGE => AddressMode::ClampToEdge,
        vk::SamplerAddressMode::CLAMP_TO_BORDER => AddressMode::ClampToBorder,
        vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE => AddressMode::MirrorClampToEdge,
        _ => AddressMode::Repeat,
    }
}

fn compare(op: vk::CompareOp) -> CompareOp {
    use CompareOp::*;
    let all = [Never, Less, Equal, LessOrEqual, Greater, NotEqual, GreaterOrEqual, Always];
    all.get(op.as_raw() as usize).copied().unwrap_or(Never)
}

fn border(call: &Call, info: &vk::SamplerCreateInfo<'_>) -> Border {
    use vk::BorderColor as B;
    match info.border_color {
        B::FLOAT_OPAQUE_BLACK | B::INT_OPAQUE_BLACK => Border::OpaqueBlack,
        B::FLOAT_OPAQUE_WHITE | B::INT_OPAQUE_WHITE => Border::OpaqueWhite,
        B::FLOAT_CUSTOM_EXT | B::INT_CUSTOM_EXT => {
            let custom = call.find::<vk::SamplerCustomBorderColorCreateInfoEXT<'_>>(info.p_next);
            Border::Custom(custom.map_or([0; 4], |c| call.color_bits(&c.custom_border_color)))
        }
        _ => Border::TransparentBlack,
    }
}

fn sampler_info(call: &Call, info: &vk::SamplerCreateInfo<'_>) -> SamplerInfo {
    let reduction = call.find::<vk::SamplerReductionModeCreateInfo<'_>>(info.p_next).map(|r| r.reduction_mode);
    SamplerInfo {
        mag: filter(info.mag_filter),
        min: filter(info.min_filter),
        mip: mip(info.mipmap_mode),
        address: [info.address_mode_u, info.address_mode_v, info.address_mode_w].map(address),
        lod_bias: info.mip_lod_bias,
        min_lod: info.min_lod,
        max_lod: info.max_lod,
        max_anisotropy: (info.anisotropy_enable == vk::TRUE).then_some(info.max_anisotropy),
        compare: (info.compare_enable == vk::TRUE).then(|| compare(info.compare_op)),
        reduction: match reduction {
            Some(vk::SamplerReductionMode::MIN) => Reduction::Min,
            Some(vk::SamplerReductionMode::MAX) => Reduction::Max,
            _ => Reduction::WeightedAverage,
        },
        border: border(call, info),
        unnormalized: info.unnormalized_coordinates == vk::TRUE,
        non_seamless_cube: info.flags.contains(vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT),
    }
}

entry! { call;
    fn vkCreateSampler(
        device: vk::Device,
        info: *const vk::SamplerCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Sampler,
    ) -> vk::Result {
        let info = sampler_info(call, call.read(info));
        let runtime = runtime::Sampler::new(&call.device(device).runtime, &info)?;
        call.write(out, handle::create(Sampler { runtime }));
        SUCCESS
    }

    fn vkDestroySampler(device: vk::Device, sampler: vk::Sampler, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Sampler>(sampler);
    }

    fn vkCreateSamplerYcbcrConversion(
        device: vk::Device,
        info: *const vk::SamplerYcbcrConversionCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::SamplerYcbcrConversion,
    ) -> vk::Result {
        call.write(out, handle::create(SamplerYcbcrConversion));
        SUCCESS
    }

    fn vkDestroySamplerYcbcrConversion(
        device: vk::Device,
        conversion: vk::SamplerYcbcrConversion,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<SamplerYcbcrConversion>(conversion);
    }
}

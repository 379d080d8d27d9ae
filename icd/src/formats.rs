//! What formats can do (chapters "Formats" and "Additional Capabilities"): the runtime's table as Vulkan's queries ask for it.

use crate::entry::{Call, Fail, config, entry, machine_info};
use crate::images::{format, image_kind};
use crate::memory::external_properties;
use ash::vk;
use wavepipe_runtime::{Aspects, Format, FormatFeatures, ImageKind, machine};

/// Sample counts of multisampled images.
pub const SAMPLE_COUNTS: vk::SampleCountFlags = vk::SampleCountFlags::from_raw(machine::LIMITS.sample_counts);

/// What images can do on the machine's generation, in its own arrangement.
fn optimal_features(format: Format) -> FormatFeatures {
    format.image_features(config().isa())
}

fn buffer_features(format: Format) -> FormatFeatures {
    format.buffer_features(config().isa())
}

/// Linear tiling is the same layout; only depth and stencil, which are planes, are not offered in it.
fn linear_features(format: Format) -> FormatFeatures {
    if format.aspects() == Aspects::COLOR { optimal_features(format) } else { FormatFeatures::empty() }
}

fn features(format: Format, tiling: vk::ImageTiling) -> FormatFeatures {
    match tiling {
        vk::ImageTiling::OPTIMAL => optimal_features(format),
        vk::ImageTiling::LINEAR => linear_features(format),
        _ => FormatFeatures::empty(),
    }
}

fn properties(format: Format) -> vk::FormatProperties {
    // Bit 31 is the first that VkFormatFeatureFlagBits has not.
    let first = |f: FormatFeatures| vk::FormatFeatureFlags::from_raw(f.bits() as u32 & 0x7fff_ffff);
    vk::FormatProperties {
        linear_tiling_features: first(linear_features(format)),
        optimal_tiling_features: first(optimal_features(format)),
        buffer_features: first(buffer_features(format)),
    }
}

/// What an image is asked to be.
struct Wanted {
    format: vk::Format,
    kind: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
}

/// The features that uses of an image need; one of several is enough for an input attachment.
fn serves(has: FormatFeatures, usage: vk::ImageUsageFlags) -> bool {
    use FormatFeatures as F;
    use vk::ImageUsageFlags as U;
    let needs = [
        (U::SAMPLED, F::SAMPLED_IMAGE),
        (U::STORAGE, F::STORAGE_IMAGE),
        (U::COLOR_ATTACHMENT, F::COLOR_ATTACHMENT),
        (U::DEPTH_STENCIL_ATTACHMENT, F::DEPTH_STENCIL_ATTACHMENT),
        (U::INPUT_ATTACHMENT, F::COLOR_ATTACHMENT | F::DEPTH_STENCIL_ATTACHMENT),
        (U::TRANSFER_SRC, F::TRANSFER_SRC),
        (U::TRANSFER_DST, F::TRANSFER_DST),
        (U::HOST_TRANSFER_EXT, F::HOST_IMAGE_TRANSFER),
        (U::TRANSIENT_ATTACHMENT, F::COLOR_ATTACHMENT | F::DEPTH_STENCIL_ATTACHMENT),
    ];
    let known = needs.iter().fold(U::empty(), |all, (usage, _)| all | *usage);
    known.contains(usage) && needs.iter().all(|(u, needed)| !usage.contains(*u) || has.intersects(*needed))
}

fn image_properties(wanted: &Wanted) -> Option<vk::ImageFormatProperties> {
    use vk::ImageCreateFlags as C;
    let known = C::MUTABLE_FORMAT
        | C::CUBE_COMPATIBLE
        | C::ALIAS
        | C::TYPE_2D_ARRAY_COMPATIBLE
        | C::BLOCK_TEXEL_VIEW_COMPATIBLE
        | C::EXTENDED_USAGE;
    let (own, kind, flags) = (format(wanted.format), image_kind(wanted.kind), wanted.flags);
    let has = features(own, wanted.tiling);
    let depth = own.aspects() != Aspects::COLOR;
    let possible = !has.is_empty()
        && known.contains(flags)
        // Uses beyond the format's own are those of a view's format.
        && (flags.contains(C::EXTENDED_USAGE) || serves(has, wanted.usage))
        && (!flags.contains(C::CUBE_COMPATIBLE) || kind == ImageKind::D2)
        && (!flags.contains(C::TYPE_2D_ARRAY_COMPATIBLE) || kind == ImageKind::D3)
        && (!flags.contains(C::BLOCK_TEXEL_VIEW_COMPATIBLE) || own.is_compressed())
        && (kind != ImageKind::D3 || !depth)
        && (kind != ImageKind::D1 || !own.is_compressed());
    if !possible {
        return None;
    }
    let limits = machine::Limits::of(config().isa());
    let (width, height, depth) = match kind {
        ImageKind::D1 => (limits.max_image_dimension_1d, 1, 1),
        ImageKind::D2 => (limits.max_image_dimension_2d, limits.max_image_dimension_2d, 1),
        ImageKind::D3 => [limits.max_image_dimension_3d; 3].into(),
    };
    let multisampled = wanted.tiling == vk::ImageTiling::OPTIMAL
        && kind == ImageKind::D2
        && !flags.contains(C::CUBE_COMPATIBLE)
        && !wanted.usage.contains(vk::ImageUsageFlags::HOST_TRANSFER_EXT)
        && has.intersects(FormatFeatures::COLOR_ATTACHMENT | FormatFeatures::DEPTH_STENCIL_ATTACHMENT);
    Some(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width, height, depth },
        max_mip_levels: width.ilog2() + 1,
        max_array_layers: if kind == ImageKind::D3 { 1 } else { limits.max_image_array_layers },
        sample_counts: if multisampled { SAMPLE_COUNTS } else { vk::SampleCountFlags::TYPE_1 },
        max_resource_size: machine_info().memory_bytes,
    })
}

const UNSUPPORTED: vk::Result = vk::Result::ERROR_FORMAT_NOT_SUPPORTED;

impl Call {
    fn image_properties2(
        &self,
        info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
    ) -> Result<vk::ImageFormatProperties, Fail> {
        let (format, kind, tiling, flags) = (info.format, info.ty, info.tiling, info.flags);
        let stencil = self.find::<vk::ImageStencilUsageCreateInfo<'_>>(info.p_next).map(|s| s.stencil_usage);
        let usage = info.usage | stencil.unwrap_or_default();
        image_properties(&Wanted { format, kind, tiling, usage, flags }).ok_or_else(|| UNSUPPORTED.into())
    }
}

entry! { call;
    fn vkGetPhysicalDeviceFormatProperties(
        device: vk::PhysicalDevice,
        wanted: vk::Format,
        out: *mut vk::FormatProperties,
    ) {
        call.write(out, properties(format(wanted)));
    }

    fn vkGetPhysicalDeviceFormatProperties2(
        device: vk::PhysicalDevice,
        wanted: vk::Format,
        out: *mut vk::FormatProperties2<'_>,
    ) {
        let (out, own) = (call.out(out), format(wanted));
        out.format_properties = properties(own);
        let all = |f: FormatFeatures| vk::FormatFeatureFlags2::from_raw(f.bits());
        call.fill_chain(out.p_next, |link| {
            link.fill::<vk::FormatProperties3<'_>>(|p| {
                p.linear_tiling_features = all(linear_features(own));
                p.optimal_tiling_features = all(optimal_features(own));
                p.buffer_features = all(buffer_features(own));
            });
        });
    }

    fn vkGetPhysicalDeviceImageFormatProperties(
        device: vk::PhysicalDevice,
        format: vk::Format,
        kind: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
        out: *mut vk::ImageFormatProperties,
    ) -> vk::Result {
        let properties = image_properties(&Wanted { format, kind, tiling, usage, flags });
        call.write(out, properties.unwrap_or_default());
        match properties {
            Some(_) => crate::entry::SUCCESS,
            None => Err(UNSUPPORTED.into()),
        }
    }

    fn vkGetPhysicalDeviceImageFormatProperties2(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
        out: *mut vk::ImageFormatProperties2<'_>,
    ) -> vk::Result {
        let (info, out) = (call.read(info), call.out(out));
        let external = call.find::<vk::PhysicalDeviceExternalImageFormatInfo<'_>>(info.p_next);
        let external = external.filter(|e| !e.handle_type.is_empty()).map(|e| external_properties(e.handle_type));
        if external.is_some_and(|e| e.external_memory_features.is_empty()) {
            return Err(UNSUPPORTED.into());
        }
        let properties = call.image_properties2(info);
        out.image_format_properties = *properties.as_ref().unwrap_or(&vk::ImageFormatProperties::default());
        call.fill_chain(out.p_next, |link| {
            link.fill::<vk::SamplerYcbcrConversionImageFormatProperties<'_>>(|p| {
                p.combined_image_sampler_descriptor_count = 1;
            })
            .fill::<vk::ExternalImageFormatProperties<'_>>(|p| {
                p.external_memory_properties = external.unwrap_or_default();
            })
            // One layout for host and device: nothing is lost by copying on the host.
            .fill::<vk::HostImageCopyDevicePerformanceQueryEXT<'_>>(|p| {
                p.optimal_device_access = vk::TRUE;
                p.identical_memory_layout = vk::TRUE;
            });
        });
        properties.map(|_| vk::Result::SUCCESS)
    }

    fn vkGetPhysicalDeviceSparseImageFormatProperties(
        device: vk::PhysicalDevice,
        format: vk::Format,
        kind: vk::ImageType,
        samples: vk::SampleCountFlags,
        usage: vk::ImageUsageFlags,
        tiling: vk::ImageTiling,
        count: *mut u32,
        properties: *mut vk::SparseImageFormatProperties,
    ) {
        let _ = call.enumerate(count, properties, &[]);
    }

    fn vkGetPhysicalDeviceSparseImageFormatProperties2(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
        count: *mut u32,
        properties: *mut vk::SparseImageFormatProperties2<'_>,
    ) {
        let _ = call.enumerate(count, properties, &[]);
    }
}

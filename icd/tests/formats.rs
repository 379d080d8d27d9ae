//! Format features beside the specification's tables of required formats, and the limits of images.

use crate::common;
use ash::vk::{self, Format as F, FormatFeatureFlags as A};

/// Sampled and a source of blits.
const READ: A =
    A::from_raw(A::SAMPLED_IMAGE.as_raw() | A::BLIT_SRC.as_raw() | A::TRANSFER_SRC.as_raw() | A::TRANSFER_DST.as_raw());
const FILTER: A = A::from_raw(READ.as_raw() | A::SAMPLED_IMAGE_FILTER_LINEAR.as_raw());
const TARGET: A = A::from_raw(A::COLOR_ATTACHMENT.as_raw() | A::BLIT_DST.as_raw());
const BLEND: A = A::from_raw(TARGET.as_raw() | A::COLOR_ATTACHMENT_BLEND.as_raw());
const STORE: A = A::STORAGE_IMAGE;
const ATOMIC: A = A::STORAGE_IMAGE_ATOMIC;
const DEPTH: A = A::DEPTH_STENCIL_ATTACHMENT;
const NONE: A = A::empty();

const VERTEX: A = A::VERTEX_BUFFER;
const UNIFORM: A = A::from_raw(A::VERTEX_BUFFER.as_raw() | A::UNIFORM_TEXEL_BUFFER.as_raw());
const STORAGE: A = A::from_raw(UNIFORM.as_raw() | A::STORAGE_TEXEL_BUFFER.as_raw());
const BUFFER_ATOMIC: A = A::from_raw(STORAGE.as_raw() | A::STORAGE_TEXEL_BUFFER_ATOMIC.as_raw());

/// Formats, features of optimal images, features of buffers: Vulkan 1.3, "Required Format Support".
fn required() -> Vec<(Vec<F>, A, A)> {
    vec![
        (vec![F::B4G4R4A4_UNORM_PACK16, F::A4R4G4B4_UNORM_PACK16, F::A4B4G4R4_UNORM_PACK16], FILTER, NONE),
        (vec![F::R5G6B5_UNORM_PACK16, F::A1R5G5B5_UNORM_PACK16], FILTER | BLEND, NONE),
        // maintenance5.
        (vec![F::from_raw(1_000_470_000), F::from_raw(1_000_470_001)], FILTER | BLEND, NONE),
        (vec![F::R8_UNORM, F::R8G8_UNORM, F::B8G8R8A8_UNORM], FILTER | BLEND, UNIFORM),
        (vec![F::R8_SNORM, F::R8G8_SNORM], FILTER, UNIFORM),
        (vec![F::R8_UINT, F::R8_SINT, F::R8G8_UINT, F::R8G8_SINT], READ | TARGET, UNIFORM),
        (vec![F::R8G8B8A8_UNORM], FILTER | STORE | BLEND, STORAGE),
        (vec![F::R8G8B8A8_SNORM], FILTER | STORE, STORAGE),
        (vec![F::R8G8B8A8_UINT, F::R8G8B8A8_SINT], READ | STORE | TARGET, STORAGE),
        (vec![F::R8G8B8A8_SRGB, F::B8G8R8A8_SRGB, F::A8B8G8R8_SRGB_PACK32], FILTER | BLEND, NONE),
        (vec![F::A8B8G8R8_UNORM_PACK32], FILTER | BLEND, STORAGE),
        (vec![F::A8B8G8R8_SNORM_PACK32], FILTER, STORAGE),
        (vec![F::A8B8G8R8_UINT_PACK32, F::A8B8G8R8_SINT_PACK32], READ | TARGET, STORAGE),
        (vec![F::A2B10G10R10_UNORM_PACK32], FILTER | BLEND, UNIFORM),
        (vec![F::A2B10G10R10_UINT_PACK32], READ | TARGET, A::UNIFORM_TEXEL_BUFFER),
        (vec![F::R16_UNORM, F::R16_SNORM, F::R16G16_UNORM, F::R16G16_SNORM], NONE, VERTEX),
        (vec![F::R16G16B16A16_UNORM, F::R16G16B16A16_SNORM], NONE, VERTEX),
        (vec![F::R16_UINT, F::R16_SINT, F::R16G16_UINT, F::R16G16_SINT], READ | TARGET, UNIFORM),
        (vec![F::R16_SFLOAT, F::R16G16_SFLOAT], FILTER | BLEND, UNIFORM),
        (vec![F::R16G16B16A16_UINT, F::R16G16B16A16_SINT], READ | STORE | TARGET, STORAGE),
        (vec![F::R16G16B16A16_SFLOAT], FILTER | STORE | BLEND, STORAGE),
        (vec![F::R32_UINT, F::R32_SINT], READ | STORE | ATOMIC | TARGET, BUFFER_ATOMIC),
        (vec![F::R32_SFLOAT, F::R32G32_UINT, F::R32G32_SINT, F::R32G32_SFLOAT], READ | STORE | TARGET, STORAGE),
        (vec![F::R32G32B32_UINT, F::R32G32B32_SINT, F::R32G32B32_SFLOAT], NONE, VERTEX),
        (vec![F::R32G32B32A32_UINT, F::R32G32B32A32_SINT, F::R32G32B32A32_SFLOAT], READ | STORE | TARGET, STORAGE),
        (vec![F::B10G11R11_UFLOAT_PACK32], FILTER, A::UNIFORM_TEXEL_BUFFER),
        (vec![F::E5B9G9R9_UFLOAT_PACK32], FILTER, NONE),
        (vec![F::D16_UNORM, F::D32_SFLOAT], READ | DEPTH, NONE),
        (vec![F::D32_SFLOAT_S8_UINT], DEPTH, NONE),
        // textureCompressionBC.
        ((131..=146).map(F::from_raw).collect(), FILTER, NONE),
        // shaderImageInt64Atomics.
        (vec![F::R64_UINT, F::R64_SINT], A::SAMPLED_IMAGE | STORE | ATOMIC, A::STORAGE_TEXEL_BUFFER_ATOMIC),
        // shaderStorageImageExtendedFormats.
        (
            vec![
                F::R8_UNORM,
                F::R8_SNORM,
                F::R8_UINT,
                F::R8_SINT,
                F::R8G8_UNORM,
                F::R8G8_SNORM,
                F::R8G8_UINT,
                F::R8G8_SINT,
                F::R16_UNORM,
                F::R16_SNORM,
                F::R16_UINT,
                F::R16_SINT,
                F::R16_SFLOAT,
                F::R16G16_UNORM,
                F::R16G16_SNORM,
                F::R16G16_UINT,
                F::R16G16_SINT,
                F::R16G16_SFLOAT,
                F::R16G16B16A16_UNORM,
                F::R16G16B16A16_SNORM,
                F::A2B10G10R10_UNORM_PACK32,
                F::A2B10G10R10_UINT_PACK32,
                F::B10G11R11_UFLOAT_PACK32,
            ],
            STORE,
            NONE,
        ),
    ]
}

#[test]
fn required_formats_have_what_they_must() {
    let entry = common::entry();
    let instance = common::instance(&entry, vk::API_VERSION_1_3, &[]);
    // SAFETY: valid usage throughout.
    unsafe {
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        for (formats, image, buffer) in required() {
            for format in formats {
                let p = instance.get_physical_device_format_properties(physical, format);
                let (no_image, no_buffer) = (image & !p.optimal_tiling_features, buffer & !p.buffer_features);
                assert!(no_image.is_empty() && no_buffer.is_empty(), "{format:?} lacks {no_image:?}, {no_buffer:?}");
            }
        }
        for raw in (0..=184).chain([1_000_340_000, 1_000_340_001, 1_000_156_000]) {
            same_in_64_bits(&instance, physical, F::from_raw(raw));
        }
        instance.destroy_instance(None);
    }
}

/// VkFormatProperties3 has the bits of VkFormatProperties, and images can be made of what has any.
fn same_in_64_bits(instance: &ash::Instance, physical: vk::PhysicalDevice, format: F) {
    let mut wide = vk::FormatProperties3::default();
    let mut all = vk::FormatProperties2::default().push_next(&mut wide);
    // SAFETY: valid usage throughout.
    unsafe {
        instance.get_physical_device_format_properties2(physical, format, &mut all);
        let narrow = all.format_properties;
        for (a, b) in [
            (narrow.optimal_tiling_features, wide.optimal_tiling_features),
            (narrow.linear_tiling_features, wide.linear_tiling_features),
            (narrow.buffer_features, wide.buffer_features),
        ] {
            assert_eq!(u64::from(a.as_raw()), b.as_raw() & 0x7fff_ffff, "{format:?}");
        }
        for (tiling, features) in [
            (vk::ImageTiling::OPTIMAL, narrow.optimal_tiling_features),
            (vk::ImageTiling::LINEAR, narrow.linear_tiling_features),
        ] {
            let (flat, empty) = (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::empty());
            let ask = |usage| {
                instance.get_physical_device_image_format_properties(physical, format, flat, tiling, usage, empty)
            };
            for (usage, needs) in [
                (vk::ImageUsageFlags::SAMPLED, A::SAMPLED_IMAGE),
                (vk::ImageUsageFlags::STORAGE, A::STORAGE_IMAGE),
                (vk::ImageUsageFlags::COLOR_ATTACHMENT, A::COLOR_ATTACHMENT),
                (vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, A::DEPTH_STENCIL_ATTACHMENT),
            ] {
                assert_eq!(ask(usage).is_ok(), features.contains(needs), "{format:?}, {tiling:?}, {usage:?}");
            }
            if let Ok(p) = ask(vk::ImageUsageFlags::SAMPLED) {
                assert!(p.max_extent.width >= 4096 && p.max_mip_levels >= 13 && p.max_array_layers >= 256);
                assert!(p.max_resource_size >= 1 << 31);
            }
        }
    }
}

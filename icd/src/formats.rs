//! Formats (chapter "Formats" and "Additional Capabilities"). Kernels with images are refused by the compiler, so no format
//! supports anything; the queries say so. The sizes serve image objects, which some programs make and never use.

use crate::entry::entry;
use ash::vk;

/// Bytes of a texel, or of a block of a compressed format. VkFormat's numbers run in groups of one size.
pub fn texel_bytes(format: vk::Format) -> u64 {
    match format.as_raw() {
        1 | 9..=15 | 127 => 1,
        2..=8 | 16..=22 | 70..=76 | 124 => 2,
        23..=36 | 128 => 3,
        37..=69 | 77..=83 | 98..=100 | 122 | 123 | 125 | 126 | 129 => 4,
        84..=90 => 6,
        91..=97 | 101..=103 | 110..=112 | 130 => 8,
        104..=106 => 12,
        107..=109 | 113..=115 => 16,
        116..=118 => 24,
        119..=121 => 32,
        _ => 16,
    }
}

entry! { call;
    fn vkGetPhysicalDeviceFormatProperties(
        device: vk::PhysicalDevice,
        format: vk::Format,
        properties: *mut vk::FormatProperties,
    ) {
        call.write(properties, vk::FormatProperties::default());
    }

    fn vkGetPhysicalDeviceFormatProperties2(
        device: vk::PhysicalDevice,
        format: vk::Format,
        properties: *mut vk::FormatProperties2<'_>,
    ) {
        call.out(properties).format_properties = vk::FormatProperties::default();
    }

    fn vkGetPhysicalDeviceImageFormatProperties(
        device: vk::PhysicalDevice,
        format: vk::Format,
        kind: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
        properties: *mut vk::ImageFormatProperties,
    ) -> vk::Result {
        call.write(properties, vk::ImageFormatProperties::default());
        Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED.into())
    }

    fn vkGetPhysicalDeviceImageFormatProperties2(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
        properties: *mut vk::ImageFormatProperties2<'_>,
    ) -> vk::Result {
        call.out(properties).image_format_properties = vk::ImageFormatProperties::default();
        Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED.into())
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

//! Copies and clears of images: beside lavapipe where it is installed, and beside plain arrays of texels.

use crate::lab::{Image, Lab, Rng, aspect, compressed, deep, flat, level_bytes, whole};
use ash::vk;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// Formats of every size of texel and block, with bytes.
const SIZES: &[(vk::Format, u32)] = &[
    (vk::Format::R8_UNORM, 1),
    (vk::Format::R8G8_UNORM, 2),
    (vk::Format::R8G8B8A8_UNORM, 4),
    (vk::Format::R16G16B16A16_SFLOAT, 8),
    (vk::Format::R32G32B32_SFLOAT, 12),
    (vk::Format::R64_SINT, 8),
    (vk::Format::R32G32B32A32_UINT, 16),
    (vk::Format::BC1_RGBA_UNORM_BLOCK, 8),
    (vk::Format::BC7_UNORM_BLOCK, 16),
];

/// Layers at 16-byte boundaries, as `Lab::read` lays levels out.
fn total(image: &Image, texel: u32) -> usize {
    (0..image.info.mip_levels).map(|l| level_bytes(image, l, texel).next_multiple_of(16)).sum::<u64>() as usize
}

/// What was written comes back: all levels and layers.
#[test]
fn whole_images_there_and_back() {
    // General, asynchronous compute, transfer.
    (0..3).for_each(|family| there_and_back(&Lab::of_family(family)));
}

fn there_and_back(lab: &Lab) {
    let mut rng = Rng(7);
    for &(format, texel) in SIZES {
        for info in [
            flat(format, 37, 21, 6, 3),
            flat(format, 64, 64, 1, 1),
            flat(format, 1, 1, 1, 5),
            deep(format, 20, 12, 9, 4),
        ] {
            let image = lab.image(info);
            let bytes = rng.bytes(total(&image, texel));
            lab.write(&image, vk::ImageAspectFlags::COLOR, texel, &bytes);
            let got = lab.read(&image, vk::ImageAspectFlags::COLOR, texel);
            let mut at = 0;
            for level in 0..info.mip_levels {
                let n = level_bytes(&image, level, texel) as usize;
                assert!(got[at..at + n] == bytes[at..at + n], "{format:?} {:?} level {level}", info.extent);
                at += n.next_multiple_of(16);
            }
            lab.free_image(image);
        }
    }
}

/// The same random regions on all drivers leave the same texels.
#[test]
fn random_regions_as_lavapipe_copies_them() {
    let labs = Lab::all();
    for &(format, texel) in SIZES {
        let shapes = [flat(format, 40, 24, 3, 4), deep(format, 40, 24, 4, 3)];
        for (from, to) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
            let (from, to) = (shapes[from], shapes[to]);
            let results: Vec<_> = labs.iter().map(|lab| regions_on(lab, from, to, texel)).collect();
            assert!(results.windows(2).all(|w| w[0] == w[1]), "{format:?}, {:?} to {:?}", from.extent, to.extent);
        }
    }
}

fn regions_on(lab: &Lab, from: vk::ImageCreateInfo<'static>, to: vk::ImageCreateInfo<'static>, texel: u32) -> Vec<u8> {
    let mut rng = Rng(u64::from(texel) + 11);
    let (a, b) = (lab.image(from), lab.image(to));
    let color = vk::ImageAspectFlags::COLOR;
    lab.prepare(&a);
    lab.prepare(&b);
    let bytes = rng.bytes(total(&a, texel));
    lab.write(&a, color, texel, &bytes);
    let bytes = rng.bytes(total(&b, texel));
    lab.write(&b, color, texel, &bytes);
    let side = if compressed(from.format) { 4 } else { 1 };
    let staging = lab.staging(&rng.bytes(1 << 16));
    for _ in 0..12 {
        // Sides of level 2, in blocks: what fits every level.
        let (width, height) = (1 + rng.below(8 / side), 1 + rng.below(4 / side));
        let mut corner = |n: u32, least: u32| rng.below(n / side - least + 1) * side;
        let (x, y, u, v) = (corner(8, width), corner(4, height), corner(8, width), corner(4, height));
        let deep = |i: &vk::ImageCreateInfo<'_>| i.image_type == vk::ImageType::TYPE_3D;
        let slice = rng.below(1);
        let (level, other) = (rng.below(3), rng.below(3));
        let layers = |i: &vk::ImageCreateInfo<'_>, level| vk::ImageSubresourceLayers {
            aspect_mask: color,
            mip_level: level,
            base_array_layer: if deep(i) { 0 } else { slice },
            layer_count: 1,
        };
        let at = |x: u32, y: u32| vk::Offset3D { x: x as i32, y: y as i32, z: 0 };
        let extent = vk::Extent3D { width: width * side, height: height * side, depth: 1 };
        let copy = vk::ImageCopy {
            src_subresource: layers(&from, level),
            src_offset: at(x, y),
            dst_subresource: layers(&to, other),
            dst_offset: at(u, v),
            extent,
        };
        let row = (width + rng.below(5)) * side;
        let tall = (height + rng.below(3)) * side;
        let up = vk::BufferImageCopy {
            buffer_offset: u64::from(rng.below(64) * 16),
            buffer_row_length: if rng.below(2) == 0 { 0 } else { row },
            buffer_image_height: if rng.below(2) == 0 { 0 } else { tall },
            image_subresource: layers(&to, other),
            image_offset: at(v.min(8 - width * side), u.min(4 - height * side)),
            image_extent: extent,
        };
        let down = vk::BufferImageCopy { image_subresource: layers(&from, level), image_offset: at(x, y), ..up };
        lab.run(&[&a, &b], |d, c| {
            // SAFETY: valid usage: regions are inside of both images' smallest levels and of the buffer.
            unsafe {
                d.cmd_copy_image(c, a.image, GENERAL, b.image, GENERAL, &[copy]);
                lab.barrier(c, &[&a, &b], GENERAL);
                d.cmd_copy_buffer_to_image(c, staging.buffer, b.image, GENERAL, &[up]);
                lab.barrier(c, &[&a, &b], GENERAL);
                d.cmd_copy_image_to_buffer(c, a.image, GENERAL, staging.buffer, &[down]);
            }
        });
    }
    let mut all = lab.read(&b, color, texel);
    all.extend(staging.get());
    lab.free(staging);
    lab.free_image(a);
    lab.free_image(b);
    all
}

/// Blocks to texels of their size, and slices of a 3D image to layers.
#[test]
fn blocks_become_texels_and_slices_layers() {
    let lab = Lab::ours();
    let mut rng = Rng(3);
    let color = vk::ImageAspectFlags::COLOR;
    let blocks = lab.image(flat(vk::Format::BC1_RGB_UNORM_BLOCK, 22, 10, 1, 1));
    let texels = lab.image(flat(vk::Format::R16G16B16A16_UINT, 6, 3, 1, 1));
    let bytes = rng.bytes(6 * 3 * 8);
    lab.write(&blocks, color, 8, &bytes);
    let sub = vk::ImageSubresourceLayers { aspect_mask: color, mip_level: 0, base_array_layer: 0, layer_count: 1 };
    let copy = |width, height, depth, layers| vk::ImageCopy {
        src_subresource: sub,
        dst_subresource: vk::ImageSubresourceLayers { layer_count: layers, ..sub },
        extent: vk::Extent3D { width, height, depth },
        ..Default::default()
    };
    lab.run(&[&blocks, &texels], |d, c| {
        // SAFETY: valid usage.
        unsafe { d.cmd_copy_image(c, blocks.image, GENERAL, texels.image, GENERAL, &[copy(22, 10, 1, 1)]) };
    });
    assert_eq!(lab.read(&texels, color, 8)[..], bytes[..]);

    let cube = lab.image(deep(vk::Format::R32_UINT, 4, 4, 4, 1));
    let array = lab.image(flat(vk::Format::R32_UINT, 4, 4, 1, 4));
    let bytes = rng.bytes(256);
    lab.write(&cube, color, 4, &bytes);
    lab.run(&[&cube, &array], |d, c| {
        // SAFETY: valid usage.
        unsafe { d.cmd_copy_image(c, cube.image, GENERAL, array.image, GENERAL, &[copy(4, 4, 4, 4)]) };
    });
    assert_eq!(lab.read(&array, color, 4), bytes);
    for image in [blocks, texels, cube, array] {
        lab.free_image(image);
    }
}

/// Every format that a colour can be cleared in, on every level and layer, as lavapipe does it.
#[test]
fn clears_of_every_format_as_lavapipe() {
    let labs = Lab::all();
    let mut compared = 0;
    for raw in (1..=130).chain([1_000_340_000, 1_000_340_001]) {
        let format = vk::Format::from_raw(raw);
        if !labs.iter().all(|lab| lab.features(format).contains(vk::FormatFeatureFlags::TRANSFER_DST)) {
            continue;
        }
        // A whole texel's bytes: sRGB may differ by one.
        let results: Vec<_> = labs.iter().map(|lab| cleared(lab, format)).collect();
        let slack = u8::from([15, 22, 43, 50, 57].contains(&raw));
        for w in results.windows(2) {
            let near = w[0].len() == w[1].len() && w[0].iter().zip(&w[1]).all(|(a, b)| a.abs_diff(*b) <= slack);
            assert!(near, "{format:?}: {:02x?} and {:02x?}", &w[0][..32], &w[1][..32]);
        }
        compared += 1;
    }
    assert!(compared > 60, "{compared} formats");
}

fn cleared(lab: &Lab, format: vk::Format) -> Vec<u8> {
    let texel = wavepipe_texel(format);
    let image = lab.image(flat(format, 9, 5, 3, 2));
    lab.prepare(&image);
    let integer = matches!(format.as_raw(), 13 | 14 | 20 | 21 | 41 | 42 | 48 | 49 | 55 | 56 | 62 | 63 | 68 | 69)
        || matches!(
            format.as_raw(),
            74 | 75 | 81 | 82 | 95 | 96 | 98 | 99 | 101 | 102 | 104 | 105 | 107 | 108 | 110 | 111
        );
    let mut out = Vec::new();
    // Exact in every float, and no tie in any fixed-point number: drivers may round these either way.
    for values in [[0.25f32, 0.40625, 0.796875, 1.0], [1.0, 0.0, 0.3125, 0.59375]] {
        let color = match integer {
            true => vk::ClearColorValue { uint32: values.map(|v| (v * 4.0) as u32 & 1) },
            false => vk::ClearColorValue { float32: values },
        };
        let range = vk::ImageSubresourceRange { base_mip_level: 1, base_array_layer: 1, ..whole(format) };
        lab.run(&[&image], |d, c| {
            // SAFETY: valid usage.
            unsafe {
                if aspect(format) == vk::ImageAspectFlags::COLOR {
                    d.cmd_clear_color_image(c, image.image, GENERAL, &color, &[range]);
                } else {
                    let value = vk::ClearDepthStencilValue { depth: values[0], stencil: 0xa5 };
                    d.cmd_clear_depth_stencil_image(c, image.image, GENERAL, &value, &[range]);
                }
            }
        });
        for (aspect, texel) in texel.iter().copied() {
            out.extend(lab.read(&image, aspect, texel));
        }
    }
    lab.free_image(image);
    out
}

/// A component of 64 bits has two words of the colour.
#[test]
fn wide_texels_are_cleared_to_two_words() {
    let lab = Lab::ours();
    for format in [vk::Format::R64_UINT, vk::Format::R64_SINT] {
        let image = lab.image(flat(format, 8, 4, 1, 1));
        lab.prepare(&image);
        let color = vk::ClearColorValue { uint32: [0x7654_3210, 0xfedc_ba98, 3, 4] };
        // SAFETY: valid usage.
        lab.run(&[&image], |d, c| unsafe {
            d.cmd_clear_color_image(c, image.image, GENERAL, &color, &[whole(format)]);
        });
        let texels = lab.read(&image, vk::ImageAspectFlags::COLOR, 8);
        assert!(
            !texels.is_empty()
                && texels.as_chunks::<8>().0.iter().all(|t| *t == 0xfedc_ba98_7654_3210_u64.to_le_bytes())
        );
        lab.free_image(image);
    }
}

/// Aspects with their bytes in a buffer.
fn wavepipe_texel(format: vk::Format) -> Vec<(vk::ImageAspectFlags, u32)> {
    use vk::ImageAspectFlags as A;
    let color = match format.as_raw() {
        1 | 9..=15 => 1,
        2..=8 | 16..=22 | 70..=76 | 1_000_340_000.. => 2,
        91..=97 | 101..=103 | 110..=112 => 8,
        104..=106 => 12,
        107..=109 => 16,
        _ => 4,
    };
    match format {
        vk::Format::D16_UNORM => vec![(A::DEPTH, 2)],
        vk::Format::D32_SFLOAT => vec![(A::DEPTH, 4)],
        vk::Format::S8_UINT => vec![(A::STENCIL, 1)],
        vk::Format::D16_UNORM_S8_UINT => vec![(A::DEPTH, 2), (A::STENCIL, 1)],
        vk::Format::D32_SFLOAT_S8_UINT => vec![(A::DEPTH, 4), (A::STENCIL, 1)],
        _ => vec![(A::COLOR, color)],
    }
}

/// Copies by the host and by the GPU see the same texels.
#[test]
fn the_host_copies_images_by_itself() {
    let lab = Lab::ours();
    let host = ash::ext::host_image_copy::Device::new(&lab.instance, &lab.device);
    let color = vk::ImageAspectFlags::COLOR;
    let info = flat(vk::Format::R16G16_UINT, 13, 6, 2, 3);
    let info = info.usage(info.usage | vk::ImageUsageFlags::HOST_TRANSFER_EXT);
    let (a, b) = (lab.image(info), lab.image(info));
    lab.prepare(&a);
    lab.prepare(&b);
    let data = Rng(17).bytes(1 << 12);
    let sub = vk::ImageSubresourceLayers { aspect_mask: color, mip_level: 0, base_array_layer: 1, layer_count: 2 };
    let extent = vk::Extent3D { width: 5, height: 3, depth: 1 };
    // SAFETY: valid usage throughout: host memory is as long as the rows, of 7 texels, and slices, of 4 rows, need.
    unsafe {
        let regions = [vk::MemoryToImageCopyEXT::default()
            .host_pointer(data.as_ptr().cast())
            .memory_row_length(7)
            .memory_image_height(4)
            .image_subresource(sub)
            .image_offset(vk::Offset3D { x: 2, y: 1, z: 0 })
            .image_extent(extent)];
        let info =
            vk::CopyMemoryToImageInfoEXT::default().dst_image(a.image).dst_image_layout(GENERAL).regions(&regions);
        host.copy_memory_to_image(&info).unwrap();
        let regions = [vk::ImageCopy2::default()
            .src_subresource(sub)
            .src_offset(vk::Offset3D { x: 2, y: 1, z: 0 })
            .dst_subresource(vk::ImageSubresourceLayers { base_array_layer: 0, ..sub })
            .extent(extent)];
        let info = vk::CopyImageToImageInfoEXT::default()
            .src_image(a.image)
            .src_image_layout(GENERAL)
            .dst_image(b.image)
            .dst_image_layout(GENERAL)
            .regions(&regions);
        host.copy_image_to_image(&info).unwrap();
        let texels = lab.read(&b, color, 4);
        let mut out = vec![0u8; 13 * 6 * 4];
        let regions = [vk::ImageToMemoryCopyEXT::default()
            .host_pointer(out.as_mut_ptr().cast())
            .image_subresource(vk::ImageSubresourceLayers { base_array_layer: 1, layer_count: 1, ..sub })
            .image_extent(vk::Extent3D { width: 13, height: 6, depth: 1 })];
        let info =
            vk::CopyImageToMemoryInfoEXT::default().src_image(b.image).src_image_layout(GENERAL).regions(&regions);
        host.copy_image_to_memory(&info).unwrap();
        for (layer, y, x) in (0..2).flat_map(|z| (0..3).flat_map(move |y| (0..5).map(move |x| (z, y, x)))) {
            let (from, to) = (4 * ((layer * 4 + y) * 7 + x), 4 * ((layer * 6 + y) * 13 + x));
            assert_eq!(texels[to..to + 4], data[from..from + 4], "{layer} {y} {x}");
        }
        assert_eq!(out[..], texels[13 * 6 * 4..2 * 13 * 6 * 4]);
        let at = vk::ImageSubresource2KHR::default().image_subresource(vk::ImageSubresource {
            aspect_mask: color,
            mip_level: 1,
            array_layer: 2,
        });
        let mut size = vk::SubresourceHostMemcpySizeEXT::default();
        let mut layout = vk::SubresourceLayout2KHR::default().push_next(&mut size);
        host.get_image_subresource_layout2(b.image, &at, &mut layout);
        assert_eq!((layout.subresource_layout.row_pitch, size.size), (256, 6 * 3 * 4));
    }
    lab.free_image(a);
    lab.free_image(b);
}

/// Layouts change nothing here, a swapchain's too.
#[test]
fn the_host_copies_to_and_from_what_is_presented() {
    let lab = Lab::ours();
    let (mut from, mut to) = ([vk::ImageLayout::UNDEFINED; 64], [vk::ImageLayout::UNDEFINED; 64]);
    let mut copies = vk::PhysicalDeviceHostImageCopyPropertiesEXT::default();
    copies = copies.copy_src_layouts(&mut from).copy_dst_layouts(&mut to);
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut copies);
    // SAFETY: the structs and the arrays that they point to live.
    unsafe { lab.instance.get_physical_device_properties2(lab.physical, &mut properties) };
    for layouts in [from, to] {
        assert!([GENERAL, vk::ImageLayout::PRESENT_SRC_KHR].iter().all(|l| layouts.contains(l)), "{layouts:?}");
    }
}

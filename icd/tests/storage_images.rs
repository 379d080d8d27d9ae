//! Storage images and texel buffers through shaders, beside plain texels.

use crate::common;
use crate::lab::dispatch::{Binding, attempt, dispatch};
use crate::lab::{self, Image, Lab, Rng, flat, whole};
use ash::vk;

const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const SIDE: u32 = 8;

fn storage(info: vk::ImageCreateInfo<'static>) -> vk::ImageCreateInfo<'static> {
    info.usage(info.usage | vk::ImageUsageFlags::STORAGE)
}

fn view(
    lab: &Lab,
    image: &Image,
    kind: vk::ImageViewType,
    format: vk::Format,
    range: vk::ImageSubresourceRange,
) -> Binding {
    let info =
        vk::ImageViewCreateInfo::default().image(image.image).view_type(kind).format(format).subresource_range(range);
    // SAFETY: valid usage.
    Binding::Image(unsafe { lab.device.create_image_view(&info, None).unwrap() })
}

const D2: vk::ImageViewType = vk::ImageViewType::TYPE_2D;

/// Format, its name in GLSL, the prefix of its image type, bytes of a texel.
const FORMATS: &[(vk::Format, &str, &str, u32)] = &[
    (vk::Format::R8G8B8A8_UNORM, "rgba8", "", 4),
    (vk::Format::R8G8B8A8_UINT, "rgba8ui", "u", 4),
    (vk::Format::R8G8B8A8_SINT, "rgba8i", "i", 4),
    (vk::Format::R16G16B16A16_UINT, "rgba16ui", "u", 8),
    (vk::Format::R32_UINT, "r32ui", "u", 4),
    (vk::Format::R32_SINT, "r32i", "i", 4),
    (vk::Format::R32G32B32A32_UINT, "rgba32ui", "u", 16),
    // shaderStorageImageExtendedFormats.
    (vk::Format::R8_UNORM, "r8", "", 1),
    (vk::Format::R8G8_UNORM, "rg8", "", 2),
    (vk::Format::R16_UNORM, "r16", "", 2),
    (vk::Format::R16G16_UNORM, "rg16", "", 4),
    (vk::Format::R16G16B16A16_UNORM, "rgba16", "", 8),
    (vk::Format::A2B10G10R10_UNORM_PACK32, "rgb10_a2", "", 4),
    (vk::Format::A2B10G10R10_UINT_PACK32, "rgb10_a2ui", "u", 4),
    (vk::Format::R8_UINT, "r8ui", "u", 1),
    (vk::Format::R8G8_SINT, "rg8i", "i", 2),
    (vk::Format::R16_SINT, "r16i", "i", 2),
    (vk::Format::R16G16_UINT, "rg16ui", "u", 4),
    (vk::Format::R32G32_UINT, "rg32ui", "u", 8),
    // VK_EXT_shader_image_atomic_int64.
    (vk::Format::R64_UINT, "r64ui", "u64", 8),
    (vk::Format::R64_SINT, "r64i", "i64", 8),
    // shaderStorageImageReadWithoutFormat and shaderStorageImageWriteWithoutFormat.
    (vk::Format::B8G8R8A8_UNORM, "", "", 4),
    (vk::Format::R5G6B5_UNORM_PACK16, "", "", 2),
    (vk::Format::R4G4B4A4_UNORM_PACK16, "", "", 2),
    (vk::Format::A1R5G5B5_UNORM_PACK16, "", "", 2),
    (vk::Format::R16G16_SINT, "", "i", 4),
];

/// Every texel goes to its mirror image across the diagonal: level 1 of layer 1.
#[test]
fn texels_are_loaded_and_stored() {
    let lab = Lab::ours();
    for &(format, name, prefix, texel) in FORMATS {
        let named = if name.is_empty() { String::new() } else { format!(", {name}") };
        let text = format!(
            "#version 450
            #extension GL_EXT_shader_image_load_formatted : require
            #extension GL_EXT_shader_image_int64 : enable
            layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
            layout(binding = 0{named}) uniform {prefix}image2D a;
            layout(binding = 1{named}) uniform {prefix}image2D b;
            void main() {{
                ivec2 p = ivec2(gl_LocalInvocationID.xy);
                if (imageSize(a) == ivec2({SIDE}, {SIDE})) imageStore(b, p.yx, imageLoad(a, p));
            }}"
        );
        let Some(words) = lab::compile(&text) else { return };
        let shape = storage(flat(format, 2 * SIDE, 2 * SIDE, 2, 2));
        let (a, b) = (lab.image(shape), lab.image(shape));
        lab.prepare(&a);
        lab.prepare(&b);
        let level0 = 4 * SIDE * SIDE * 2 * texel;
        let level1 = SIDE * SIDE * 2 * texel;
        let bytes = Rng(texel.into()).bytes((level0 + level1) as usize);
        lab.write(&a, COLOR, texel, &bytes);
        let range = vk::ImageSubresourceRange {
            aspect_mask: COLOR,
            base_mip_level: 1,
            level_count: 1,
            base_array_layer: 1,
            layer_count: 1,
        };
        let bindings = [view(&lab, &a, D2, format, range), view(&lab, &b, D2, format, range)];
        dispatch(&lab, &words, &[&a, &b], &bindings);
        let got = lab.read(&b, COLOR, texel);
        let n = texel as usize;
        let start = (level0 + level1 / 2) as usize;
        assert!(got[..start].iter().all(|b| *b == 0), "{format:?}: another subresource was written");
        for (y, x) in (0..SIDE as usize).flat_map(|y| (0..SIDE as usize).map(move |x| (y, x))) {
            let (to, from) = (start + n * (y * SIDE as usize + x), start + n * (x * SIDE as usize + y));
            assert_eq!(got[to..to + n], bytes[from..from + n], "{format:?}, {x}, {y}");
        }
        lab.free_image(a);
        lab.free_image(b);
    }
}

/// The same texels in another format of their size; a slice of a 3D image as 2D; atomics.
#[test]
fn views_of_other_formats_and_dimensions_and_atomics() {
    let lab = Lab::ours();
    let text = format!(
        "#version 450
        layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
        layout(binding = 0, r32ui) uniform uimage2D a;
        layout(binding = 1, r32ui) uniform uimage2D b;
        layout(binding = 2, r32ui) uniform uimage2D c;
        void main() {{
            ivec2 p = ivec2(gl_LocalInvocationID.xy);
            imageStore(a, p, uvec4(0x04030201 + p.x));
            imageStore(b, p, uvec4(p.x + 10 * p.y + 7));
            imageAtomicAdd(c, ivec2(p.y, 0), uint(p.x));
        }}"
    );
    let Some(words) = lab::compile(&text) else { return };
    let bytes = lab
        .image(storage(flat(vk::Format::R8G8B8A8_UINT, SIDE, SIDE, 1, 1)).flags(vk::ImageCreateFlags::MUTABLE_FORMAT));
    let cube = lab.image(
        storage(lab::deep(vk::Format::R32_UINT, SIDE, SIDE, 4, 1))
            .flags(vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE),
    );
    let sums = lab.image(storage(flat(vk::Format::R32_UINT, SIDE, 1, 1, 1)));
    let all = [&bytes, &cube, &sums];
    all.iter().for_each(|image| lab.prepare(image));
    let slice = vk::ImageSubresourceRange {
        base_array_layer: 2,
        layer_count: 1,
        level_count: 1,
        ..whole(vk::Format::R32_UINT)
    };
    let uint = vk::Format::R32_UINT;
    let bindings = [
        view(&lab, &bytes, D2, uint, whole(uint)),
        view(&lab, &cube, D2, uint, slice),
        view(&lab, &sums, D2, uint, whole(uint)),
    ];
    dispatch(&lab, &words, &all, &bindings);
    assert_eq!(lab.read(&bytes, COLOR, 4)[..12], [1, 2, 3, 4, 2, 2, 3, 4, 3, 2, 3, 4]);
    let got = lab.read(&cube, COLOR, 4);
    let slices = got.as_chunks::<4>().0.as_chunks::<64>().0;
    for (z, slice) in slices.iter().enumerate() {
        for (i, texel) in slice.iter().enumerate() {
            let expected = if z == 2 { i as u32 % 8 + 10 * (i as u32 / 8) + 7 } else { 0 };
            assert_eq!(u32::from_le_bytes(*texel), expected, "{z}, {i}");
        }
    }
    let got = lab.read(&sums, COLOR, 4);
    assert!(got.as_chunks::<4>().0.iter().all(|sum| u32::from_le_bytes(*sum) == 28));
    for image in [bytes, cube, sums] {
        lab.free_image(image);
    }
}

/// Texel buffers: converted, from an offset on, and nothing outside.
#[test]
fn texel_buffers_are_read_and_written() {
    let lab = Lab::ours();
    let text = "#version 450
        layout(local_size_x = 64) in;
        layout(binding = 0) uniform samplerBuffer a;
        layout(binding = 1, rgba8) uniform imageBuffer b;
        void main() {
            int i = int(gl_LocalInvocationID.x);
            vec4 v = texelFetch(a, i);
            if (textureSize(a) == 16 && imageSize(b) == 32) imageStore(b, i, v);
        }";
    let Some(words) = lab::compile(text) else { return };
    let data = Rng(6).bytes(256);
    let (input, output) = (lab.staging(&data), lab.staging(&[0x55; 256]));
    let view = |buffer, format, offset, range| {
        let info = vk::BufferViewCreateInfo::default().buffer(buffer).format(format).offset(offset).range(range);
        // SAFETY: valid usage.
        unsafe { lab.device.create_buffer_view(&info, None).unwrap() }
    };
    let bindings = [
        Binding::UniformTexels(view(input.buffer, vk::Format::B8G8R8A8_UNORM, 32, 64)),
        Binding::StorageTexels(view(output.buffer, vk::Format::R8G8B8A8_UNORM, 64, 128)),
    ];
    dispatch(&lab, &words, &[], &bindings);
    let got = output.get();
    for i in 0..64 {
        let texel = &got[4 * i..4 * i + 4];
        match i.checked_sub(16).filter(|i| *i < 32) {
            // Texels past the input's end are zeros.
            Some(i @ 16..) => assert_eq!(texel, [0; 4], "{i}"),
            Some(i) => {
                let [b, g, r, a] = *data[32 + 4 * i..].first_chunk().unwrap();
                assert_eq!(texel, [r, g, b, a], "{i}");
            }
            None => assert_eq!(texel, [0x55; 4], "{i}"),
        }
    }
    lab.free(input);
    lab.free(output);
}

/// Samples stored one by one, loaded again, and resolved to their average.
#[test]
fn samples_are_texels_of_their_own() {
    let lab = Lab::ours();
    let text = format!(
        "#version 450
        layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
        layout(binding = 0, r32f) uniform image2DMS a;
        void main() {{
            ivec2 p = ivec2(gl_LocalInvocationID.xy);
            for (int s = 0; s < imageSamples(a); s++) imageStore(a, p, s, vec4(p.x * 16 + p.y * 256 + s * s));
        }}"
    );
    let Some(store) = lab::compile(&text) else { return };
    let text = format!(
        "#version 450
        layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
        layout(binding = 0, r32f) uniform image2DMS a;
        layout(binding = 1, r32f) uniform image2D b;
        void main() {{
            ivec2 p = ivec2(gl_LocalInvocationID.xy);
            imageStore(b, p, imageLoad(a, p, 3));
        }}"
    );
    let Some(load) = lab::compile(&text) else { return };
    let float = vk::Format::R32_SFLOAT;
    let shape = storage(flat(float, SIDE, SIDE, 1, 1));
    let many = lab.image(shape.samples(vk::SampleCountFlags::TYPE_4));
    let (one, resolved) = (lab.image(shape), lab.image(shape));
    [&many, &one, &resolved].into_iter().for_each(|image| lab.prepare(image));
    dispatch(&lab, &store, &[&many], &[view(&lab, &many, D2, float, whole(float))]);
    let bindings = [view(&lab, &many, D2, float, whole(float)), view(&lab, &one, D2, float, whole(float))];
    dispatch(&lab, &load, &[&many, &one], &bindings);
    let layers = vk::ImageSubresourceLayers { aspect_mask: COLOR, mip_level: 0, base_array_layer: 0, layer_count: 1 };
    let region = vk::ImageResolve {
        src_subresource: layers,
        dst_subresource: layers,
        extent: vk::Extent3D { width: SIDE, height: SIDE, depth: 1 },
        ..Default::default()
    };
    lab.run(&[&many, &resolved], |d, c| {
        let general = vk::ImageLayout::GENERAL;
        // SAFETY: valid usage.
        unsafe { d.cmd_resolve_image(c, many.image, general, resolved.image, general, &[region]) };
    });
    let floats = |image| -> Vec<f32> {
        lab.read(image, COLOR, 4).as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
    };
    let (loaded, averages) = (floats(&one), floats(&resolved));
    for i in 0..64 {
        let base = (i % 8 * 16 + i / 8 * 256) as f32;
        // 0, 1, 4 and 9.
        assert_eq!((loaded[i], averages[i]), (base + 9.0, base + 3.5), "{i}");
    }
    for image in [many, one, resolved] {
        lab.free_image(image);
    }
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

/// Texels of f32 that work-items exchange and add to.
#[test]
fn floats_are_exchanged_and_added() {
    let text = format!(
        "#version 450
        #extension GL_EXT_shader_atomic_float : require
        layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
        layout(binding = 0, r32f) uniform image2D held;
        layout(binding = 1, r32f) uniform imageBuffer texels;
        layout(binding = 2, r32f) uniform image2D moved;
        layout(binding = 3, r32f) uniform image2D sums;
        void main() {{
            ivec2 p = ivec2(gl_LocalInvocationID.xy);
            imageAtomicAdd(texels, p.x, float(p.y * p.x) + 0.25);
            imageAtomicAdd(sums, ivec2(p.x, 0), float(p.y) + 0.5);
            imageAtomicAdd(sums, ivec2(3, 1), -0.25);
            imageStore(moved, p, vec4(imageAtomicExchange(held, p, 2.5) + float(p.y)));
        }}"
    );
    let Some(words) = lab::compile(&text) else { return };
    let lab = Lab::ours();
    let float = vk::Format::R32_SFLOAT;
    let held = lab.image(storage(flat(float, SIDE, SIDE, 1, 1)));
    let moved = lab.image(storage(flat(float, SIDE, SIDE, 1, 1)));
    let sums = lab.image(storage(flat(float, SIDE, 2, 1, 1)));
    let all = [&held, &moved, &sums];
    all.iter().for_each(|image| lab.prepare(image));
    let texels = lab.staging(&[0; 4 * SIDE as usize]);
    let info = vk::BufferViewCreateInfo::default().buffer(texels.buffer).format(float).range(vk::WHOLE_SIZE);
    // SAFETY: valid usage.
    let buffer_view = unsafe { lab.device.create_buffer_view(&info, None) }.unwrap();
    let bindings = [
        view(&lab, &held, D2, float, whole(float)),
        Binding::StorageTexels(buffer_view),
        view(&lab, &moved, D2, float, whole(float)),
        view(&lab, &sums, D2, float, whole(float)),
    ];
    dispatch(&lab, &words, &all, &bindings);
    let got = numbers(&lab.read(&held, COLOR, 4));
    assert!(got.iter().all(|v| *v == 2.5), "{got:?}");
    let (side, below) = (SIDE as f32, (SIDE * (SIDE - 1) / 2) as f32);
    let added: Vec<f32> = (0..SIDE).map(|x| below * x as f32 + 0.25 * side).collect();
    assert_eq!(numbers(&texels.get()), added);
    let rows: Vec<f32> = (0..SIDE * SIDE).map(|i| (i / SIDE) as f32).collect();
    assert_eq!(numbers(&lab.read(&moved, COLOR, 4)), rows);
    let got = numbers(&lab.read(&sums, COLOR, 4));
    let mut want = vec![side * side / 2.0; SIDE as usize];
    want.extend((0..SIDE).map(|x| if x == 3 { -0.25 * side * side } else { 0.0 }));
    assert_eq!(got, want);
    lab.free(texels);
    for image in [held, moved, sums] {
        lab.free_image(image);
    }
}

/// The least and the greatest of texels of f32, on generations that have such instructions. Where they are not reported there is no
/// pipeline of them.
#[test]
fn floats_have_a_least_and_a_greatest() {
    let text = format!(
        "#version 450
        #extension GL_EXT_shader_atomic_float2 : require
        layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
        layout(binding = 0, r32f) uniform image2D least;
        layout(binding = 1, r32f) uniform imageBuffer greatest;
        void main() {{
            ivec2 p = ivec2(gl_LocalInvocationID.xy);
            imageAtomicMin(least, ivec2(p.x, 0), float(p.y) - 3.5);
            imageAtomicMax(greatest, p.x, float(p.y * p.x) + 0.25);
        }}"
    );
    // LLVM's assembler: gfx900 has neither for images nor for buffers.
    let there = std::env::var("WAVEPIPE_MACHINE").map_or(true, |name| name != "gfx900");
    let Some(words) = lab::compile(&text) else { return };
    let lab = Lab::ours();
    assert_eq!(lab.has_min_max(), there);
    let float = vk::Format::R32_SFLOAT;
    let least = lab.image(storage(flat(float, SIDE, 1, 1, 1)));
    lab.prepare(&least);
    let texels = lab.staging(&[0; 4 * SIDE as usize]);
    let info = vk::BufferViewCreateInfo::default().buffer(texels.buffer).format(float).range(vk::WHOLE_SIZE);
    // SAFETY: valid usage.
    let buffer_view = unsafe { lab.device.create_buffer_view(&info, None) }.unwrap();
    let bindings = [view(&lab, &least, D2, float, whole(float)), Binding::StorageTexels(buffer_view)];
    let made = attempt(&lab, &words, &[&least], &bindings);
    assert_eq!(made.is_ok(), there, "{made:?}");
    let (mut low, mut high) = (vec![0.0; SIDE as usize], vec![0.0; SIDE as usize]);
    if there {
        low.fill(-3.5);
        high = (0..SIDE).map(|x| ((SIDE - 1) * x) as f32 + 0.25).collect();
    }
    assert_eq!((numbers(&lab.read(&least, COLOR, 4)), numbers(&texels.get())), (low, high));
    lab.free(texels);
    lab.free_image(least);
}

/// Texels of 64 bits, of images and of texel buffers.
#[test]
fn atomics_on_wide_integers() {
    let text = format!(
        "#version 450
        #extension GL_EXT_shader_image_int64 : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
        layout(binding = 0, r64ui) uniform u64image2D u;
        layout(binding = 1, r64i) uniform i64imageBuffer s;
        void main() {{
            ivec2 p = ivec2(gl_LocalInvocationID.xy);
            imageAtomicAdd(u, ivec2(p.x, 0), 0x1_0000_0001ul * uint64_t(p.y));
            imageAtomicMax(u, ivec2(p.x, 1), uint64_t(p.y) << 40 | 7ul);
            imageAtomicXor(u, ivec2(p.x, 2), 1ul << (8 * p.y + p.x));
            uint64_t before = imageAtomicExchange(u, ivec2(p.x, 3 + p.y), uint64_t(p.x) << 33);
            imageStore(u, ivec2(p.x, 3 + {SIDE} + p.y), u64vec4(before + 1ul, 0, 0, 0));
            imageAtomicMin(s, p.x, int64_t(p.x) - (int64_t(p.y) << 35));
            imageAtomicCompSwap(s, {SIDE} + p.x, 0l, -5l - int64_t(p.x));
        }}"
    )
    .replace("0x1_0000_0001", "0x100000001");
    let Some(words) = lab::compile(&text) else { return };
    let lab = Lab::ours();
    let unsigned = vk::Format::R64_UINT;
    let u = lab.image(storage(flat(unsigned, SIDE, 3 + 2 * SIDE, 1, 1)));
    lab.prepare(&u);
    let texels = lab.staging(&[0; 16 * SIDE as usize]);
    let info = vk::BufferViewCreateInfo::default().buffer(texels.buffer).format(vk::Format::R64_SINT);
    // SAFETY: valid usage.
    let buffer_view = unsafe { lab.device.create_buffer_view(&info.range(vk::WHOLE_SIZE), None) }.unwrap();
    dispatch(
        &lab,
        &words,
        &[&u],
        &[view(&lab, &u, D2, unsigned, whole(unsigned)), Binding::StorageTexels(buffer_view)],
    );
    let words =
        |bytes: &[u8]| -> Vec<u64> { bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect() };
    let got = words(&lab.read(&u, COLOR, 8));
    let (side, most) = (u64::from(SIDE), u64::from(SIDE) - 1);
    for (i, &got) in got.iter().enumerate() {
        let (x, y) = (i as u64 % side, i as u64 / side);
        let want = match y {
            0 => 0x1_0000_0001 * (side * most / 2),
            1 => most << 40 | 7,
            2 => (0..side).fold(0, |all, n| all ^ 1 << (8 * n + x)),
            _ if y < 3 + side => x << 33,
            _ => 1,
        };
        assert_eq!(got, want, "{x}, {y}");
    }
    let want = (0..side).map(|x| x.wrapping_sub(most << 35)).chain((0..side).map(|x| (-5i64 - x as i64) as u64));
    assert_eq!(words(&texels.get()), want.collect::<Vec<_>>());
    lab.free(texels);
    lab.free_image(u);
}

/// Samples, and atomics of every width, where image instructions are encoded otherwise.
#[test]
fn every_generation_stores_and_counts() {
    common::child::on_every_generation(&[
        "storage_images::floats_are_exchanged_and_added",
        "storage_images::floats_have_a_least_and_a_greatest",
        "storage_images::samples_are_texels_of_their_own",
        "storage_images::atomics_on_wide_integers",
        "storage_images::texels_are_loaded_and_stored",
        "storage_images::texel_buffers_are_read_and_written",
        "storage_images::views_of_other_formats_and_dimensions_and_atomics",
    ]);
}

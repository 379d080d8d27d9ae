//! Samplers and image views through shaders: what our driver and lavapipe read of the same image.

use crate::common;
use crate::lab::{self, Image, Lab, Rng, flat, whole};
use ash::vk;

const POINTS: usize = 64;

/// Coordinates in x and y, level of detail in z, reference in w.
fn shader(kind: &str, read: &str) -> Option<Vec<u32>> {
    let text = format!(
        "#version 450
        layout(local_size_x = {POINTS}) in;
        layout(binding = 0) uniform {kind} t;
        layout(binding = 1) buffer Q {{ vec4 q[]; }};
        layout(binding = 2) buffer R {{ vec4 r[]; }};
        void main() {{
            vec4 p = q[gl_GlobalInvocationID.x];
            r[gl_GlobalInvocationID.x] = {read};
        }}"
    );
    lab::compile(&text)
}

/// A pipeline that reads one combined image sampler at many points.
struct Reader<'l> {
    lab: &'l Lab,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
}

impl<'l> Reader<'l> {
    fn new(lab: &'l Lab, words: &[u32]) -> Reader<'l> {
        let d = &lab.device;
        let kinds = [
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::STORAGE_BUFFER,
        ];
        let binding = |i: usize| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(i as u32)
                .descriptor_type(kinds[i])
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings = [binding(0), binding(1), binding(2)];
        // SAFETY: valid usage throughout.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layouts = [d.create_descriptor_set_layout(&info, None).unwrap()];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = d.create_pipeline_layout(&info, None).unwrap();
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            let module = d.create_shader_module(&info, None).unwrap();
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let pipeline = d.create_compute_pipelines(vk::PipelineCache::null(), &infos, None).unwrap()[0];
            d.destroy_shader_module(module, None);
            let sizes = [
                vk::DescriptorPoolSize { ty: kinds[0], descriptor_count: 1 },
                vk::DescriptorPoolSize { ty: kinds[1], descriptor_count: 2 },
            ];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None).unwrap();
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info).unwrap()[0];
            Reader { lab, set_layout: layouts[0], layout, pipeline, pool, set }
        }
    }

    fn read(
        &self,
        image: &Image,
        view: &vk::ImageViewCreateInfo<'_>,
        sampler: &vk::SamplerCreateInfo<'_>,
        points: &[[f32; 4]; POINTS],
    ) -> Vec<[f32; 4]> {
        let (lab, d) = (self.lab, &self.lab.device);
        let bytes: Vec<u8> = points.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let (input, output) = (lab.staging(&bytes), lab.staging(&vec![0; bytes.len()]));
        // SAFETY: valid usage throughout.
        unsafe {
            let view = d.create_image_view(view, None).unwrap();
            let sampler = d.create_sampler(sampler, None).unwrap();
            let sampled =
                [vk::DescriptorImageInfo { sampler, image_view: view, image_layout: vk::ImageLayout::GENERAL }];
            let buffers = [&input, &output]
                .map(|s| [vk::DescriptorBufferInfo { buffer: s.buffer, offset: 0, range: vk::WHOLE_SIZE }]);
            let write = |binding| vk::WriteDescriptorSet::default().dst_set(self.set).dst_binding(binding);
            let storage = vk::DescriptorType::STORAGE_BUFFER;
            d.update_descriptor_sets(
                &[
                    write(0).descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER).image_info(&sampled),
                    write(1).descriptor_type(storage).buffer_info(&buffers[0]),
                    write(2).descriptor_type(storage).buffer_info(&buffers[1]),
                ],
                &[],
            );
            lab.run(&[image], |d, c| {
                let compute = vk::PipelineBindPoint::COMPUTE;
                d.cmd_bind_pipeline(c, compute, self.pipeline);
                d.cmd_bind_descriptor_sets(c, compute, self.layout, 0, &[self.set], &[]);
                d.cmd_dispatch(c, 1, 1, 1);
            });
            let got = output.get();
            d.destroy_image_view(view, None);
            d.destroy_sampler(sampler, None);
            lab.free(input);
            lab.free(output);
            let floats: Vec<f32> = got.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
            floats.as_chunks::<4>().0.to_vec()
        }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let d = &self.lab.device;
        // SAFETY: the GPU is idle.
        unsafe {
            d.destroy_pipeline(self.pipeline, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_pool(self.pool, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// Inside of texels at every level, around the image on all sides.
fn points() -> [[f32; 4]; POINTS] {
    let mut rng = Rng(23);
    std::array::from_fn(|_| {
        let mut at = || (rng.below(40) as f32 - 16.0 + 0.3) / 8.0;
        let (x, y) = (at(), at());
        [x, y, rng.below(14) as f32 * 0.25 - 0.45, rng.below(100) as f32 / 100.0 + 0.003]
    })
}

fn image(lab: &Lab, format: vk::Format, texel: u32) -> Image {
    let info = flat(format, 8, 8, 3, 1);
    let image = lab.image(info.usage(info.usage | vk::ImageUsageFlags::SAMPLED));
    lab.prepare(&image);
    let bytes: Vec<u8> = match format {
        vk::Format::D32_SFLOAT | vk::Format::R32G32B32_SFLOAT => {
            let mut rng = Rng(4);
            (0..84 * texel / 4 + 16).flat_map(|_| (rng.below(100) as f32 / 100.0).to_le_bytes()).collect()
        }
        _ => Rng(4).bytes(84 * texel as usize + 64),
    };
    lab.write(&image, lab::aspect(format), texel, &bytes);
    image
}

fn view(image: &Image) -> vk::ImageViewCreateInfo<'static> {
    vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(image.info.format)
        .subresource_range(whole(image.info.format))
}

fn near(what: &str, results: &[Vec<Vec<[f32; 4]>>], slack: f32) {
    for w in results.windows(2) {
        for (case, (a, b)) in w[0].iter().zip(&w[1]).enumerate() {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                let ok = (0..4).all(|c| (a[c] - b[c]).abs() <= slack);
                assert!(ok, "{what}, case {case}: point {i} {:?} is {a:?} and {b:?}", points()[i]);
            }
        }
    }
}

const MODES: [vk::SamplerAddressMode; 5] = [
    vk::SamplerAddressMode::REPEAT,
    vk::SamplerAddressMode::MIRRORED_REPEAT,
    vk::SamplerAddressMode::CLAMP_TO_EDGE,
    vk::SamplerAddressMode::CLAMP_TO_BORDER,
    vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
];

fn sampler(mode: vk::SamplerAddressMode, filter: vk::Filter) -> vk::SamplerCreateInfo<'static> {
    vk::SamplerCreateInfo::default()
        .address_mode_u(mode)
        .address_mode_v(mode)
        .address_mode_w(mode)
        .mag_filter(filter)
        .min_filter(filter)
        .max_lod(vk::LOD_CLAMP_NONE)
}

#[test]
fn address_modes_filters_levels_and_swizzles() {
    let Some(words) = shader("sampler2D", "textureLod(t, p.xy, p.z)") else { return };
    let formats = [
        (vk::Format::R8G8B8A8_UNORM, 4),
        (vk::Format::B8G8R8A8_SRGB, 4),
        (vk::Format::R5G6B5_UNORM_PACK16, 2),
        (vk::Format::R8_UNORM, 1),
        (vk::Format::R32G32B32_SFLOAT, 12),
    ];
    for (format, texel) in formats {
        let all: Vec<_> = Lab::all()
            .iter()
            .map(|lab| {
                let (reader, image) = (Reader::new(lab, &words), image(lab, format, texel));
                let mut out = Vec::new();
                for mode in MODES {
                    for filter in [vk::Filter::NEAREST, vk::Filter::LINEAR] {
                        let linear = vk::SamplerMipmapMode::LINEAR;
                        let mips = if filter == vk::Filter::LINEAR { linear } else { vk::SamplerMipmapMode::NEAREST };
                        let sampler = sampler(mode, filter).mipmap_mode(mips);
                        out.push(reader.read(&image, &view(&image), &sampler, &points()));
                        let clamped = sampler.min_lod(0.6).max_lod(1.35).mip_lod_bias(0.25);
                        out.push(reader.read(&image, &view(&image), &clamped, &points()));
                    }
                }
                let swizzled = view(&image).components(vk::ComponentMapping {
                    r: vk::ComponentSwizzle::B,
                    g: vk::ComponentSwizzle::ONE,
                    b: vk::ComponentSwizzle::A,
                    a: vk::ComponentSwizzle::R,
                });
                out.push(reader.read(&image, &swizzled, &sampler(MODES[0], vk::Filter::NEAREST), &points()));
                drop(reader);
                lab.free_image(image);
                out
            })
            .collect();
        near(&format!("{format:?}"), &all, 0.016);
    }
}

#[test]
fn borders_and_compares() {
    let Some(words) = shader("sampler2D", "textureLod(t, p.xy, p.z)") else { return };
    let Some(shadow) = shader("sampler2DShadow", "vec4(textureLod(t, p.xyw, p.z))") else { return };
    let all: Vec<_> = Lab::all()
        .iter()
        .map(|lab| {
            let mut out = Vec::new();
            let reader = Reader::new(lab, &words);
            let texels = image(lab, vk::Format::B8G8R8A8_UNORM, 4);
            let border = sampler(MODES[3], vk::Filter::NEAREST);
            for color in [
                vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
                vk::BorderColor::FLOAT_OPAQUE_BLACK,
                vk::BorderColor::FLOAT_OPAQUE_WHITE,
            ] {
                out.push(reader.read(&texels, &view(&texels), &border.border_color(color), &points()));
            }
            let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default()
                .custom_border_color(vk::ClearColorValue { float32: [0.1, 0.2, 0.3, 0.4] })
                .format(vk::Format::B8G8R8A8_UNORM);
            let own = border.border_color(vk::BorderColor::FLOAT_CUSTOM_EXT).push_next(&mut custom);
            out.push(reader.read(&texels, &view(&texels), &own, &points()));
            drop(reader);
            let reader = Reader::new(lab, &shadow);
            let depths = image(lab, vk::Format::D32_SFLOAT, 4);
            for op in 0..8 {
                let info = sampler(MODES[0], vk::Filter::NEAREST).compare_enable(true);
                let info = info.compare_op(vk::CompareOp::from_raw(op));
                out.push(reader.read(&depths, &view(&depths), &info, &points()));
            }
            drop(reader);
            lab.free_image(texels);
            lab.free_image(depths);
            out
        })
        .collect();
    near("borders, compares", &all, 0.004);
    // The custom colour is there, in its own order.
    let custom = &all[0][3];
    assert!(custom.iter().any(|c| (0..4).all(|i| (c[i] - 0.1 * (i as f32 + 1.0)).abs() < 1e-6)));
}

const REDUCTIONS: [vk::SamplerReductionMode; 2] = [vk::SamplerReductionMode::MIN, vk::SamplerReductionMode::MAX];

/// Minima and maxima of texels, of each format here whose features have them, beside lavapipe's.
#[test]
fn minima_and_maxima() {
    let Some(words) = shader("sampler2D", "textureLod(t, p.xy, p.z)") else { return };
    let (ours, isa) = (Lab::ours(), common::isa());
    let mut v1_2 = vk::PhysicalDeviceVulkan12Properties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut v1_2);
    // SAFETY: valid usage.
    unsafe { ours.instance.get_physical_device_properties2(ours.physical, &mut all) };
    // Mesa: until gfx8 only formats of one component.
    let any = !["gfx600", "gfx701"].contains(&isa.as_str());
    assert_eq!(v1_2.filter_minmax_single_component_formats, vk::TRUE);
    assert_eq!(v1_2.filter_minmax_image_component_mapping, vk::Bool32::from(any), "{isa}");
    let formats = [
        (vk::Format::R8_UNORM, 1, true),
        (vk::Format::R8_SNORM, 1, true),
        (vk::Format::R16_UNORM, 2, true),
        (vk::Format::D32_SFLOAT, 4, true),
        (vk::Format::R8G8_UNORM, 2, false),
        (vk::Format::B8G8R8A8_UNORM, 4, false),
    ];
    for (format, texel, single) in formats {
        let there = ours.features(format).contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_MINMAX);
        assert_eq!(there, single || any, "{format:?} on {isa}");
        if !there {
            continue;
        }
        let all: Vec<_> = Lab::all()
            .iter()
            .map(|lab| {
                let (reader, texels) = (Reader::new(lab, &words), image(lab, format, texel));
                let plain = sampler(MODES[1], vk::Filter::LINEAR);
                let mut out = vec![reader.read(&texels, &view(&texels), &plain, &points())];
                for mode in REDUCTIONS {
                    let mut mode = vk::SamplerReductionModeCreateInfo::default().reduction_mode(mode);
                    out.push(reader.read(&texels, &view(&texels), &plain.push_next(&mut mode), &points()));
                }
                drop(reader);
                lab.free_image(texels);
                out
            })
            .collect();
        let [between, least, greatest] = &all[0][..] else { unreachable!() };
        assert!(least != between && greatest != between && least != greatest, "{format:?}");
        // The average may be off lavapipe's by its weights; extremes are texels.
        let extremes: Vec<_> = all.into_iter().map(|out| out[1..].to_vec()).collect();
        near(&format!("{format:?}: minima and maxima"), &extremes, 0.004);
    }
}

#[test]
fn minima_and_maxima_on_every_generation() {
    common::child::on_every_generation(&["sampling::minima_and_maxima"]);
}

/// VK_EXT_border_color_swizzle: a view's swizzle is the border's too.
#[test]
fn a_swizzled_view_has_a_swizzled_border() {
    let Some(words) = shader("sampler2D", "textureLod(t, p.xy, 0.0)") else { return };
    let lab = Lab::ours();
    let (reader, texels) = (Reader::new(&lab, &words), image(&lab, vk::Format::B8G8R8A8_UNORM, 4));
    let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .custom_border_color(vk::ClearColorValue { float32: [0.1, 0.2, 0.3, 0.4] });
    let info = sampler(MODES[3], vk::Filter::NEAREST);
    let info = info.border_color(vk::BorderColor::FLOAT_CUSTOM_EXT).push_next(&mut custom);
    let swizzled = view(&texels).components(vk::ComponentMapping {
        r: vk::ComponentSwizzle::A,
        g: vk::ComponentSwizzle::ZERO,
        b: vk::ComponentSwizzle::R,
        a: vk::ComponentSwizzle::G,
    });
    let outside = [[5.0, -3.0, 0.0, 0.0]; POINTS];
    assert!(reader.read(&texels, &swizzled, &info, &outside).iter().all(|c| *c == [0.4, 0.0, 0.1, 0.2]));
    drop(reader);
    lab.free_image(texels);
}

/// Faces of cubes in an array, and gathers with offsets that are not constant, or four of them.
#[test]
fn cubes_in_arrays_and_gathers() {
    let Some(cubes) = shader("samplerCubeArray", "textureLod(t, vec4(p.xyz - 0.31, round(p.w)), 0.0)") else { return };
    let Some(gather) = shader("sampler2D", "textureGatherOffset(t, p.xy, ivec2(gl_LocalInvocationID.x % 5, 1) - 2, 2)")
    else {
        return;
    };
    let four = "textureGatherOffsets(t, p.xy, ivec2[](ivec2(0, 0), ivec2(3, 1), ivec2(-2, 0), ivec2(1, -3)), 1)";
    let Some(four) = shader("sampler2D", four) else { return };
    let all: Vec<_> = Lab::all()
        .iter()
        .map(|lab| {
            let format = vk::Format::R8G8B8A8_UNORM;
            let info = flat(format, 4, 4, 1, 12).flags(vk::ImageCreateFlags::CUBE_COMPATIBLE);
            let faces = lab.image(info.usage(info.usage | vk::ImageUsageFlags::SAMPLED));
            lab.prepare(&faces);
            lab.write(&faces, vk::ImageAspectFlags::COLOR, 4, &Rng(8).bytes(4 * 4 * 12 * 4));
            let texels = image(lab, format, 4);
            let nearest = sampler(MODES[2], vk::Filter::NEAREST);
            let as_cubes = view(&faces).view_type(vk::ImageViewType::CUBE_ARRAY);
            let mut out = vec![Reader::new(lab, &cubes).read(&faces, &as_cubes, &nearest, &points())];
            for words in [&gather, &four] {
                let repeat = sampler(MODES[0], vk::Filter::NEAREST).max_lod(0.0);
                out.push(Reader::new(lab, words).read(&texels, &view(&texels), &repeat, &points()));
            }
            lab.free_image(faces);
            lab.free_image(texels);
            out
        })
        .collect();
    near("cubes and gathers", &all, 0.004);
}

/// shaderResourceMinLod: no finer level than the shader says.
#[test]
fn the_shader_bounds_the_level() {
    let gradients = "vec2(exp2(p.z) / 8.0, 0.0), vec2(0.0, exp2(p.z) / 8.0)";
    let bounded = format!("textureGradClampARB(t, p.xy, {gradients}, 2.0 * p.w)");
    let text = |read: &str| {
        format!(
            "#version 450
            #extension GL_ARB_sparse_texture_clamp : require
            layout(local_size_x = {POINTS}) in;
            layout(binding = 0) uniform sampler2D t;
            layout(binding = 1) buffer Q {{ vec4 q[]; }};
            layout(binding = 2) buffer R {{ vec4 r[]; }};
            void main() {{
                vec4 p = q[gl_GlobalInvocationID.x];
                r[gl_GlobalInvocationID.x] = {read};
            }}"
        )
    };
    let Some(bounded) = lab::compile(&text(&bounded)) else { return };
    let Some(wanted) = lab::compile(&text("textureLod(t, p.xy, max(p.z, 2.0 * p.w))")) else { return };
    let Some(free) = lab::compile(&text("textureLod(t, p.xy, p.z)")) else { return };
    let lab = Lab::ours();
    let texels = image(&lab, vk::Format::R8G8B8A8_UNORM, 4);
    let info = sampler(MODES[0], vk::Filter::LINEAR).mipmap_mode(vk::SamplerMipmapMode::LINEAR);
    let read = |words: &[u32]| Reader::new(&lab, words).read(&texels, &view(&texels), &info, &points());
    let (bounded, wanted, free) = (read(&bounded), read(&wanted), read(&free));
    assert_ne!(wanted, free);
    near("levels bounded by the shader", &[vec![bounded], vec![wanted]], 0.02);
    lab.free_image(texels);
}

/// VK_EXT_image_view_min_lod: no finer level than the view says.
#[test]
fn the_view_bounds_the_level() {
    let Some(free) = shader("sampler2D", "textureLod(t, p.xy, p.z)") else { return };
    let Some(wanted) = shader("sampler2D", "textureLod(t, p.xy, max(p.z, 1.25))") else { return };
    let lab = Lab::ours();
    let texels = image(&lab, vk::Format::R8G8B8A8_UNORM, 4);
    let info = sampler(MODES[0], vk::Filter::LINEAR).mipmap_mode(vk::SamplerMipmapMode::LINEAR);
    let mut least = vk::ImageViewMinLodCreateInfoEXT::default().min_lod(1.25);
    let bounded = view(&texels).push_next(&mut least);
    let bounded = Reader::new(&lab, &free).read(&texels, &bounded, &info, &points());
    let wanted = Reader::new(&lab, &wanted).read(&texels, &view(&texels), &info, &points());
    near("levels bounded by the view", &[vec![bounded], vec![wanted]], 0.004);
    lab.free_image(texels);
}

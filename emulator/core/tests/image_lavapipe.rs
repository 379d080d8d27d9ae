//! Sampling beside lavapipe: the same texels, samplers and coordinates on Mesa's software Vulkan driver. It filters in f32,
//! so a weight may differ by the half of 1/256 that this sampler's grid is wide.

use crate::image::reference::select_face;
use crate::image::{FORMATS, ImageBed, Op, Programs, Rng, linear_offset};
use ash::vk;
use std::path::PathBuf;
use std::process::Command;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{
    BorderColor, Clamp, ImageDescriptor, ImageType, MipFilter, SamplerDescriptor, XyFilter, ZFilter,
};

/// Points of one comparison: the lanes of a wave.
const POINTS: usize = 64;
/// Bytes of the buffer that texels travel in, and of each buffer of points.
const STAGING: u64 = 1 << 18;

/// `None`, said aloud, where something is missing that this test needs.
fn missing<T>(what: &str) -> Option<T> {
    println!("SKIP {what}");
    assert!(std::env::var_os("CI").is_none(), "{what} is missing");
    None
}

fn manifest() -> Option<PathBuf> {
    let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
    folder.flatten().map(|f| f.path()).find(|p| p.to_string_lossy().contains("lvp_icd"))
}

fn shader(kind: &str, coordinate: &str) -> Option<Vec<u32>> {
    let text = format!(
        "#version 450
        layout(local_size_x = {POINTS}) in;
        layout(binding = 0) uniform {kind} t;
        layout(binding = 1) buffer Q {{ vec4 q[]; }};
        layout(binding = 2) buffer R {{ vec4 r[]; }};
        void main() {{
            vec4 p = q[gl_GlobalInvocationID.x];
            r[gl_GlobalInvocationID.x] = textureLod(t, p.{coordinate}, p.w);
        }}"
    );
    let file = std::env::temp_dir().join(format!("wavepipe-sample-{}-{kind}.comp", std::process::id()));
    std::fs::write(&file, text).ok()?;
    let out = Command::new("glslc").arg(&file).args(["-o", "-"]).output();
    let _ = std::fs::remove_file(&file);
    let Ok(out) = out else { return missing("glslc") };
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    Some(out.stdout.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect())
}

/// A lavapipe device with one queue and three mapped buffers: texels, points, answers.
struct Oracle {
    _entry: ash::Entry,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory: vk::PhysicalDeviceMemoryProperties,
    buffers: [(vk::Buffer, *mut u8); 3],
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
}

/// One image and sampler.
struct Case {
    kind: ImageType,
    size: [u32; 3],
    levels: u32,
    s: SamplerDescriptor,
}

impl Oracle {
    /// Objects live until the process ends.
    fn new() -> Option<Oracle> {
        let Some(manifest) = manifest() else { return missing("lavapipe") };
        // SAFETY: this test has one thread; handles below are used with the device that made them, and every structure
        // outlives its call.
        unsafe {
            std::env::set_var("VK_DRIVER_FILES", &manifest);
            std::env::set_var("VK_ICD_FILENAMES", &manifest);
            let Ok(entry) = ash::Entry::load() else { return missing("the Vulkan loader") };
            let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let device = instance.create_device(physical, &info, None).unwrap();
            let memory = instance.get_physical_device_memory_properties(physical);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
            let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_SRC;
            let buffers = [(); 3].map(|()| {
                let info = vk::BufferCreateInfo::default().size(STAGING).usage(usage);
                let buffer = device.create_buffer(&info, None).unwrap();
                let needs = device.get_buffer_memory_requirements(buffer);
                let m = device.allocate_memory(&allocation(&memory, needs), None).unwrap();
                device.bind_buffer_memory(buffer, m, 0).unwrap();
                let at = device.map_memory(m, 0, STAGING, vk::MemoryMapFlags::empty()).unwrap();
                (buffer, at.cast::<u8>())
            });
            let kinds = [
                vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
                vk::DescriptorType::STORAGE_BUFFER,
                vk::DescriptorType::STORAGE_BUFFER,
            ];
            let bindings: Vec<_> = (0..3)
                .map(|i| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(i)
                        .descriptor_count(1)
                        .descriptor_type(kinds[i as usize])
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None).unwrap();
            let sizes = [
                vk::DescriptorPoolSize { ty: kinds[0], descriptor_count: 1 },
                vk::DescriptorPoolSize { ty: kinds[1], descriptor_count: 2 },
            ];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let sets = device.create_descriptor_pool(&info, None).unwrap();
            let layouts = [set_layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(sets).set_layouts(&layouts);
            let set = device.allocate_descriptor_sets(&info).unwrap()[0];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = device.create_pipeline_layout(&info, None).unwrap();
            let queue = device.get_device_queue(0, 0);
            Some(Oracle { _entry: entry, device, queue, pool, memory, buffers, set_layout, layout, set })
        }
    }

    fn pipeline(&self, words: &[u32]) -> vk::Pipeline {
        assert_ne!(self.set_layout, vk::DescriptorSetLayout::null());
        // SAFETY: as in `new`.
        unsafe {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            let module = self.device.create_shader_module(&info, None).unwrap();
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
            self.device.create_compute_pipelines(vk::PipelineCache::null(), &info, None).unwrap()[0]
        }
    }

    /// Texels by level, slice, row, as they lie in memory; answers of all points.
    fn sample(&self, pipeline: vk::Pipeline, case: &Case, texels: &[u8], points: &[[f32; 4]; POINTS]) -> Vec<[f32; 4]> {
        let d = &self.device;
        let (deep, cube) = (case.kind == ImageType::D3, case.kind == ImageType::Cube);
        let layers = if cube { 6 } else { 1 };
        let extent = |l: u32| {
            let [width, height, depth] = case.size.map(|n| (n >> l).max(1));
            vk::Extent3D { width, height, depth: if deep { depth } else { 1 } }
        };
        assert!(texels.len() as u64 <= STAGING);
        // SAFETY: as in `new`; the copies stay inside of the mapped buffers, and the queue is idle when they are read.
        unsafe {
            std::ptr::copy_nonoverlapping(texels.as_ptr(), self.buffers[0].1, texels.len());
            std::ptr::copy_nonoverlapping(points.as_ptr().cast(), self.buffers[1].1, size_of_val(points));
            let info = vk::ImageCreateInfo::default()
                .image_type(if deep { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D })
                .flags(if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() })
                .format(vk::Format::R32G32B32A32_SFLOAT)
                .extent(extent(0))
                .mip_levels(case.levels)
                .array_layers(layers)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
            let image = d.create_image(&info, None).unwrap();
            let memory =
                d.allocate_memory(&allocation(&self.memory, d.get_image_memory_requirements(image)), None).unwrap();
            d.bind_image_memory(image, memory, 0).unwrap();
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .level_count(case.levels)
                .layer_count(layers);
            let view_type = match case.kind {
                ImageType::D3 => vk::ImageViewType::TYPE_3D,
                ImageType::Cube => vk::ImageViewType::CUBE,
                _ => vk::ImageViewType::TYPE_2D,
            };
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(view_type)
                .format(vk::Format::R32G32B32A32_SFLOAT)
                .subresource_range(range);
            let view = d.create_image_view(&info, None).unwrap();
            let sampler = d.create_sampler(&vulkan_sampler(&case.s), None).unwrap();
            let sampled =
                [vk::DescriptorImageInfo { sampler, image_view: view, image_layout: vk::ImageLayout::GENERAL }];
            let of =
                |i: usize| [vk::DescriptorBufferInfo { buffer: self.buffers[i].0, offset: 0, range: vk::WHOLE_SIZE }];
            let (points_info, answers_info) = (of(1), of(2));
            let write = |binding| vk::WriteDescriptorSet::default().dst_set(self.set).dst_binding(binding);
            let buffer = vk::DescriptorType::STORAGE_BUFFER;
            d.update_descriptor_sets(
                &[
                    write(0).descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER).image_info(&sampled),
                    write(1).descriptor_type(buffer).buffer_info(&points_info),
                    write(2).descriptor_type(buffer).buffer_info(&answers_info),
                ],
                &[],
            );
            let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            let commands = d.allocate_command_buffers(&info).unwrap();
            let c = commands[0];
            d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).unwrap();
            let everything = vk::PipelineStageFlags::ALL_COMMANDS;
            let barrier = vk::ImageMemoryBarrier::default()
                .old_layout(vk::ImageLayout::UNDEFINED)
                .new_layout(vk::ImageLayout::GENERAL)
                .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .image(image)
                .subresource_range(range);
            d.cmd_pipeline_barrier(c, everything, everything, vk::DependencyFlags::empty(), &[], &[], &[barrier]);
            let mut regions = Vec::new();
            let mut offset = 0;
            for level in 0..case.levels {
                let e = extent(level);
                regions.push(vk::BufferImageCopy {
                    buffer_offset: offset,
                    image_subresource: vk::ImageSubresourceLayers {
                        aspect_mask: vk::ImageAspectFlags::COLOR,
                        mip_level: level,
                        base_array_layer: 0,
                        layer_count: layers,
                    },
                    image_extent: e,
                    ..Default::default()
                });
                offset += 16 * u64::from(e.width * e.height * e.depth * layers);
            }
            assert_eq!(offset, texels.len() as u64);
            d.cmd_copy_buffer_to_image(c, self.buffers[0].0, image, vk::ImageLayout::GENERAL, &regions);
            let all = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ)];
            d.cmd_pipeline_barrier(c, everything, everything, vk::DependencyFlags::empty(), &all, &[], &[]);
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
            d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::COMPUTE, self.layout, 0, &[self.set], &[]);
            d.cmd_dispatch(c, 1, 1, 1);
            d.end_command_buffer(c).unwrap();
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            d.queue_submit(self.queue, &submit, vk::Fence::null()).unwrap();
            d.queue_wait_idle(self.queue).unwrap();
            let mut out = vec![[0f32; 4]; POINTS];
            std::ptr::copy_nonoverlapping(self.buffers[2].1.cast(), out.as_mut_ptr(), POINTS);
            d.free_command_buffers(self.pool, &commands);
            d.destroy_sampler(sampler, None);
            d.destroy_image_view(view, None);
            d.destroy_image(image, None);
            d.free_memory(memory, None);
            out
        }
    }
}

fn allocation(
    memory: &vk::PhysicalDeviceMemoryProperties,
    needs: vk::MemoryRequirements,
) -> vk::MemoryAllocateInfo<'static> {
    let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let types = memory.memory_types_as_slice();
    let found =
        (0..types.len()).find(|&i| needs.memory_type_bits >> i & 1 != 0 && types[i].property_flags.contains(visible));
    vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(found.unwrap() as u32)
}

fn vulkan_sampler(s: &SamplerDescriptor) -> vk::SamplerCreateInfo<'static> {
    let filter = |f: XyFilter| if f.linear() { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
    let address = s.clamp.map(|c| match c {
        Clamp::Wrap => vk::SamplerAddressMode::REPEAT,
        Clamp::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Clamp::Border => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        _ => vk::SamplerAddressMode::CLAMP_TO_EDGE,
    });
    vk::SamplerCreateInfo::default()
        .mag_filter(filter(s.xy_mag_filter))
        .min_filter(filter(s.xy_min_filter))
        .mipmap_mode(match s.mip_filter {
            MipFilter::Linear => vk::SamplerMipmapMode::LINEAR,
            _ => vk::SamplerMipmapMode::NEAREST,
        })
        .address_mode_u(address[0])
        .address_mode_v(address[1])
        .address_mode_w(address[2])
        .mip_lod_bias(f32::from(s.lod_bias) / 256.0)
        .min_lod(f32::from(s.min_lod) / 256.0)
        .max_lod(f32::from(s.max_lod) / 256.0)
        .border_color(match s.border_color_type {
            BorderColor::OpaqueBlack => vk::BorderColor::FLOAT_OPAQUE_BLACK,
            BorderColor::OpaqueWhite => vk::BorderColor::FLOAT_OPAQUE_WHITE,
            _ => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        })
}

fn random_case(rng: &mut Rng, kind: ImageType) -> Case {
    let width = 1 + rng.below(24);
    let size = match kind {
        ImageType::Cube => [width, width, 1],
        ImageType::D3 => [width, 1 + rng.below(9), 1 + rng.below(6)],
        _ => [width, 1 + rng.below(17), 1],
    };
    let levels = 1 + rng.below(32 - size.iter().max().unwrap().leading_zeros());
    let filters = [XyFilter::Point, XyFilter::Bilinear, XyFilter::Bilinear];
    let min_lod = rng.below(300) as u16;
    let s = SamplerDescriptor {
        clamp: std::array::from_fn(|_| rng.pick(&[Clamp::Wrap, Clamp::Mirror, Clamp::LastTexel, Clamp::Border])),
        trunc_coord: rng.chance(50),
        min_lod: if rng.chance(30) { min_lod } else { 0 },
        max_lod: if rng.chance(30) { min_lod + rng.below(500) as u16 } else { 0xfff },
        lod_bias: if rng.chance(30) { rng.below(512) as i16 - 256 } else { 0 },
        xy_mag_filter: rng.pick(&filters),
        xy_min_filter: rng.pick(&filters),
        z_filter: ZFilter::None,
        mip_filter: rng.pick(&[MipFilter::Point, MipFilter::Linear]),
        border_color_type: rng.pick(&[
            BorderColor::TransparentBlack,
            BorderColor::OpaqueBlack,
            BorderColor::OpaqueWhite,
        ]),
        ..Default::default()
    };
    Case { kind, size, levels, s }
}

#[test]
fn lavapipe_sees_the_same_colours() {
    let ops = [(1, 3), (2, 4), (3, 4)]
        .map(|(dim, addresses)| Op { sampler: true, ..Op::plain("image_sample_l", dim, addresses, 15, "") });
    let Some(programs) = Programs::new(&ops, WaveSize::W64) else { return };
    let Some(oracle) = Oracle::new() else { return };
    let mut bed = ImageBed::new(WaveSize::W64, &programs, 1 << 20);
    bed.exec(!0);
    let format = *FORMATS.iter().find(|f| f.number == 77).unwrap();
    let mut rng = Rng(0x1a7a);
    let kinds = [
        (ImageType::D2, "sampler2D", "xy"),
        (ImageType::D3, "sampler3D", "xyz"),
        (ImageType::Cube, "samplerCube", "xyz"),
    ];
    let (mut compared, mut left_out) = (0, 0);
    for (program, (kind, glsl, coordinate)) in kinds.into_iter().enumerate() {
        let Some(words) = shader(glsl, coordinate) else { return };
        let pipeline = oracle.pipeline(&words);
        for _ in 0..60 {
            let case = random_case(&mut rng, kind);
            let (deep, cube) = (kind == ImageType::D3, kind == ImageType::Cube);
            let slices = if cube { 6 } else { case.size[2] };
            let t =
                ImageDescriptor::linear(bed.image, 77, kind, [case.size[0], case.size[1], slices], case.levels as u8);
            bed.descriptors(&t, &case.s);
            let mut texels = Vec::new();
            for level in 0..case.levels {
                let [w, h, d] = case.size.map(|n| (n >> level).max(1));
                for slice in 0..if deep { d } else { slices } {
                    for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
                        let texel = format.random(&mut rng);
                        let at = linear_offset([case.size[0], case.size[1]], case.levels, 16, [x, y, slice, level]);
                        bed.put(bed.image + at, &texel);
                        texels.extend(texel);
                    }
                }
            }
            let points: [[f32; 4]; POINTS] = std::array::from_fn(|_| {
                let at = |rng: &mut Rng| if cube { rng.range(-1.0, 1.0) } else { rng.range(-1.5, 2.5) };
                [at(&mut rng), at(&mut rng), at(&mut rng), rng.range(-1.0, 5.0)]
            });
            let mut positions = Vec::new();
            for (lane, &[x, y, z, lod]) in points.iter().enumerate() {
                let mut list = vec![x, y, z];
                if cube {
                    let (face, s, t) = select_face([x, y, z].map(f64::from));
                    list = vec![1.0 + s as f32, 1.0 + t as f32, face as f32];
                }
                list.truncate(if kind == ImageType::D2 { 2 } else { 3 });
                positions.push(list.clone());
                list.push(lod);
                for (k, v) in list.into_iter().enumerate() {
                    bed.set(1 + k as u32, lane, v.to_bits());
                }
            }
            bed.run(program).unwrap();
            let answers = oracle.sample(pipeline, &case, &texels, &points);
            for (lane, want) in answers.iter().enumerate() {
                if close_to_a_step(&case, &positions[lane], points[lane][3]) {
                    left_out += 1;
                    continue;
                }
                compared += 1;
                for (c, &want) in want.iter().enumerate() {
                    let got = f32::from_bits(bed.out(c as u32, lane));
                    // Texels are −4..4: half of 1/256 of their distance, in up to three directions and two levels.
                    let tolerance = 8.0 / 512.0 * 4.0 + 1e-4;
                    assert!(
                        (got - want).abs() <= tolerance,
                        "{kind:?} lane {lane} component {c}: {got}, lavapipe {want}\n{:?} {:?} {} levels\n{:?}",
                        points[lane],
                        case.size,
                        case.levels,
                        case.s
                    );
                }
            }
        }
    }
    println!("{compared} compared, {left_out} close to a step");
    assert!(compared > 5 * left_out, "{compared} compared, {left_out} left out");
}

/// Whether rounding decides which texel or level is taken: a point filter near a texel's edge, the nearest level near the
/// middle between two, or the change from one filter to another.
fn close_to_a_step(case: &Case, position: &[f32], lod: f32) -> bool {
    let lod = f64::from(lod) + f64::from(case.s.lod_bias) / 256.0;
    let lod = lod.max(f64::from(case.s.min_lod) / 256.0).min(f64::from(case.s.max_lod) / 256.0);
    let near = |v: f64, step: f64| (v - v.round()).abs() < step;
    if case.s.mip_filter == MipFilter::Point && near(lod + 0.5, 0.01) {
        return true;
    }
    if case.s.xy_mag_filter != case.s.xy_min_filter && lod.abs() < 0.01 {
        return true;
    }
    if case.s.xy_mag_filter.linear() && case.s.xy_min_filter.linear() {
        return false;
    }
    // Of a cube, coordinates are 1..2, and the edges of faces count.
    (0..case.levels).any(|level| {
        position.iter().take(if case.kind == ImageType::D3 { 3 } else { 2 }).enumerate().any(|(a, &v)| {
            let n = f64::from((case.size[a] >> level).max(1));
            near(f64::from(v) * n, 1.0 / 128.0)
        })
    })
}

//! A program's floating-point environment changes no result, and is its own again after each call. The environment is the
//! worst that a program may set: denormals flushed, rounding toward zero, every exception but the inexact one trapping.

#![cfg(target_arch = "x86_64")]

use crate::common::child::{self, plain_child, said};
use crate::common::{self, Gpu, wgsl};
use ash::vk;
use std::arch::asm;

/// FTZ, DAZ, toward zero; of the exceptions only the inexact one is masked.
const HOSTILE: u32 = 0xf040;

fn set(mxcsr: u32) {
    // SAFETY: a value without reserved bits; the tests around compute with no floats until it is set back.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr) };
}

fn get() -> u32 {
    let mut mxcsr = 0;
    // SAFETY: stores four bytes.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr) };
    mxcsr
}

/// Of each lane: sum, difference, product, fused sum, quotient, root and conversions of what `data` holds, each beside the
/// same of values that the compiler knows.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn results(at: u32, a: f32, b: f32, c: f32) {
    data[at] = bitcast<u32>(a + b);
    data[at + 1u] = bitcast<u32>(a - c);
    data[at + 2u] = bitcast<u32>(a * b);
    data[at + 3u] = bitcast<u32>(fma(a, b, c));
    data[at + 4u] = bitcast<u32>(a / c);
    data[at + 5u] = bitcast<u32>(sqrt(abs(b)));
    data[at + 6u] = bitcast<u32>(f32(i32(a * 1000.0)) + 0.1);
    data[at + 7u] = pack2x16float(vec2<f32>(a, b));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = id.x * 16u;
    results(at, bitcast<f32>(data[at]), bitcast<f32>(data[at + 1u]), bitcast<f32>(data[at + 2u]));
    var tiny = bitcast<f32>(3u);
    var third = 1.0 / 3.0;
    var tenth = bitcast<f32>(0x3dcccccdu);
    if (id.x % 2u == 0u) {
        results(at + 8u, tiny, third, tenth);
    } else {
        results(at + 8u, third, tenth, tiny);
    }
}
";

/// First operands of lane `n`: denormals, sums and products that are no floats, and ordinary numbers.
fn operands(n: u32) -> [u32; 3] {
    let spread = n.wrapping_mul(0x9e37_79b9);
    match n % 4 {
        0 => [spread >> 10, spread >> 12, 0x3f80_0000 | spread >> 9],
        1 => [0x3f80_0001 + n, 0x3380_0000 + (spread >> 12), 0xbf7f_ffff],
        2 => [0x0080_0000 + n, 0x3f00_0001, 1 + n],
        _ => [0x3f80_0000 | spread >> 9, 0xbf80_0000 | spread >> 11, 0x4049_0fdb],
    }
}

const LANES: u32 = 64;
/// Channels of the texels that are cleared: rounded to f16, some to denormals of it.
const COLOR: [f32; 4] = [0.1, 3.1e-7, -1.000_4, 6e-8];

/// Clears an image of f16 and copies a texel out.
fn clear(gpu: &Gpu, out: &common::Buffer) {
    let d = &gpu.device;
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R16G16B16A16_SFLOAT)
        .extent(vk::Extent3D { width: 4, height: 1, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC);
    let range =
        vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
    let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
    let extent = vk::Extent3D { width: 1, height: 1, depth: 1 };
    let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
    // SAFETY: valid usage throughout.
    unsafe {
        let image = d.create_image(&info, None).unwrap();
        let needs = d.get_image_memory_requirements(image);
        let memory = vk::MemoryAllocateInfo::default().allocation_size(needs.size);
        let memory = d.allocate_memory(&memory, None).unwrap();
        d.bind_image_memory(image, memory, 0).unwrap();
        let commands = gpu.commands(|c| {
            let layout = vk::ImageLayout::GENERAL;
            d.cmd_clear_color_image(c, image, layout, &vk::ClearColorValue { float32: COLOR }, &[range]);
            d.cmd_pipeline_barrier(
                c,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[],
            );
            d.cmd_copy_image_to_buffer(c, image, layout, out.buffer, &[region]);
        });
        gpu.run(commands).unwrap();
        d.destroy_image(image, None);
        d.free_memory(memory, None);
    }
}

#[test]
fn the_child() {
    let Some(when) = child::told() else { return };
    let words = wgsl::words("floats.wgsl", SHADER);
    // naga computes too, and leaves exception flags.
    set(0x1f80);
    let mine = |set_when: &str| {
        if when == set_when {
            set(HOSTILE);
        }
    };
    // Whatever was set is what is there.
    let kept = |what: &str| {
        let now = get();
        let hostile = now & !0x3f == HOSTILE;
        assert!(now == if hostile { HOSTILE } else { 0x1f80 }, "MXCSR {now:#x} after {what}");
    };
    mine("first");
    let gpu = Gpu::new();
    kept("vkCreateDevice");
    let data = gpu.buffer(u64::from(LANES) * 64);
    let texel = gpu.buffer(8);
    data.set((0..LANES).flat_map(|n| operands(n).into_iter().chain([0; 13])));
    mine("pipeline");
    let kernel = gpu.kernel(&words, vk::DescriptorType::STORAGE_BUFFER, None).unwrap();
    kept("vkCreateComputePipelines");
    gpu.point(&kernel, &data);
    let commands = gpu.commands(|c| {
        gpu.bind(c, &kernel, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
    });
    mine("submit");
    gpu.run(commands).unwrap();
    kept("vkQueueSubmit and vkWaitForFences");
    clear(&gpu, &texel);
    kept("clears and copies");
    let (data_words, texel_words) = (data.get(), texel.get());
    gpu.free_kernel(kernel);
    gpu.free(data);
    gpu.free(texel);
    drop(gpu);
    kept("vkDestroyInstance");
    let set_at_last = get() != 0x1f80;
    set(0x1f80);
    assert_eq!(set_at_last, when != "never");
    let hex = |words: &[u32]| words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>().join(" ");
    println!("results {} texel {}", hex(&data_words), hex(&texel_words));
    child::done();
}

#[test]
fn floats_follow_mode_and_never_the_host() {
    // A target that this host has not is the best that it has.
    let modes: [&[(&str, &str)]; 6] = [
        &[("WAVEPIPE_JIT", "off")],
        &[("WAVEPIPE_JIT", "always"), ("WAVEPIPE_HOST", "avx512")],
        &[("WAVEPIPE_JIT", "always"), ("WAVEPIPE_HOST", "avx2")],
        &[("WAVEPIPE_JIT", "always"), ("WAVEPIPE_HOST", "interpreter")],
        &[("WAVEPIPE_TIMING", "1")],
        &[("WAVEPIPE_THREADS", "1"), ("WAVEPIPE_WAVE", "64")],
    ];
    let mut all = Vec::new();
    for mode in modes {
        for when in ["never", "first", "pipeline", "submit"] {
            // No cache: each child compiles, and folds, by itself.
            let environment: Vec<_> = mode.iter().copied().chain([("WAVEPIPE_CACHE", "off")]).collect();
            let output = plain_child(module_path!(), when, &environment);
            let words = said(&output);
            let results = words.lines().find_map(|l| l.split_once("results ")).map(|(_, r)| r.to_owned());
            assert!(output.status.success() && results.is_some(), "{mode:?}, set {when}: {}\n{words}", output.status);
            all.push((mode, when, results.unwrap()));
        }
    }
    for (mode, when, results) in &all {
        assert_eq!(*results, all[0].2, "{mode:?}, environment set {when}");
    }
    // What IEEE 754 defines to the bit is what it says, here computed in the usual environment.
    let numbers = all[0].2.split(' ').filter_map(|w| u32::from_str_radix(w, 16).ok()).collect::<Vec<_>>();
    for n in 0..LANES {
        let known = [3, 0x3eaa_aaab, 0x3dcc_cccd];
        let known = if n % 2 == 0 { known } else { [known[1], known[2], known[0]] };
        for (half, operands) in [(0, operands(n)), (8, known)] {
            let [a, b, c] = operands.map(f32::from_bits);
            let expected = [a + b, a - c, a * b, a.mul_add(b, c)].map(f32::to_bits);
            let at = n as usize * 16 + half;
            assert_eq!(numbers[at..at + 4], expected, "lane {n}, values {half}: {operands:x?}");
        }
    }
    let texel = numbers[numbers.len() - 2..].iter().flat_map(|w| [*w as u16, (*w >> 16) as u16]).collect::<Vec<_>>();
    assert_eq!(texel, [0x2e66, 0x0005, 0xbc00, 0x0001]);
}

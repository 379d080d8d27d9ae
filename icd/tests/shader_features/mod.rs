//! Shaders that need a feature each. On a device that enables what is reported they are made through the loader, whose
//! validation layer must find nothing to say, and compute what they should. What is newer than the layer runs without it.

mod cases;

use crate::common::child::{self, child, said, skip};
use crate::common::{self, Gpu, entry};
use ash::vk;
use cases::{CASES, Case, NEWER, Text};
use std::ffi::CStr;
use std::process::Command;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;

/// The module, by the tools that shading languages have; None if they are not there.
fn compile(case: &Case) -> Option<Vec<u32>> {
    let folder = std::env::temp_dir().join(format!("wavepipe-features-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, module) = (folder.join("source.comp"), folder.join("module.spv"));
    let (mut tool, text) = match case.text {
        Text::Glsl { extensions, globals, body } => {
            let mut tool = Command::new("glslangValidator");
            tool.args(["-V", "--quiet", "--target-env", "vulkan1.3"]);
            (tool, cases::glsl(extensions, globals, body))
        }
        Text::Asm { head, modes, globals, body } => {
            let mut tool = Command::new("spirv-as");
            tool.args(["--target-env", "spv1.6"]);
            (tool, cases::asm(head, modes, globals, body))
        }
    };
    std::fs::write(&source, &text).unwrap();
    let output = tool.arg(&source).arg("-o").arg(&module).output().ok()?;
    assert!(output.status.success(), "{}: {}\n{text}", case.name, said(&output));
    let bytes = std::fs::read(&module).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    Some(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}

/// Runs one work-group over a buffer of ascending words; false: no tools.
fn run(gpu: &Gpu, case: &Case) -> bool {
    let Some(words) = compile(case) else { return false };
    let data = gpu.buffer(4 * 256);
    let mut sizes = vk::PhysicalDeviceVulkan13Properties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut sizes);
    // SAFETY: valid usage.
    unsafe { gpu.instance.get_physical_device_properties2(gpu.physical, &mut all) };
    for lanes in
        [32, 64].into_iter().filter(|lanes| (sizes.min_subgroup_size..=sizes.max_subgroup_size).contains(lanes))
    {
        data.set(0..256);
        let kernel = gpu.kernel(&words, vk::DescriptorType::STORAGE_BUFFER, Some(lanes)).expect(case.name);
        gpu.point(&kernel, &data);
        let commands = gpu.commands(|c| {
            gpu.bind(c, &kernel, cases::PUSHED, &[]);
            // SAFETY: valid usage.
            unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
        });
        gpu.run(commands).unwrap();
        let wanted: Vec<u32> = (0..cases::ITEMS).map(case.want).collect();
        assert_eq!(data.get()[..cases::ITEMS as usize], wanted, "{}, subgroups of {lanes}", case.name);
        gpu.free_kernel(kernel);
    }
    gpu.free(data);
    true
}

/// Runs what is reported; what is not is no pipeline, and no feature of a device. False: no tools.
fn run_if_there(gpu: &Gpu, case: &Case, there: bool, asked: &mut vk::PhysicalDeviceFeatures2<'_>) -> bool {
    if there {
        return run(gpu, case);
    }
    let Some(words) = compile(case) else { return false };
    assert!(gpu.kernel(&words, vk::DescriptorType::STORAGE_BUFFER, None).is_err(), "{} is not reported", case.name);
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[0.5])];
    let extensions = common::names(KNOWN);
    let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
    info.p_next = std::ptr::from_mut(asked).cast();
    // SAFETY: valid usage, but for the feature that is not there.
    let made = unsafe { gpu.instance.create_device(gpu.physical, &info, None) };
    assert_eq!(made.err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT), "{}", case.name);
    true
}

/// Structures of extensions that the layer of Vulkan 1.3.239 knows.
const KNOWN: &[&CStr] = &[
    ash::nv::compute_shader_derivatives::NAME,
    ash::ext::shader_atomic_float::NAME,
    ash::ext::shader_atomic_float2::NAME,
    ash::khr::shader_clock::NAME,
    ash::khr::shader_subgroup_uniform_control_flow::NAME,
    ash::khr::workgroup_memory_explicit_layout::NAME,
];

#[test]
fn the_child() {
    let entry = match child::told().as_deref() {
        Some(NEW) => return run_newer(),
        Some(PLAIN) => entry(),
        _ => match child::entry() {
            Some((_, entry)) => entry,
            None => return,
        },
    };
    let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
    let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
    let mut atomics = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default();
    let mut atomics2 = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT::default();
    let mut quads = vk::PhysicalDeviceComputeShaderDerivativesFeaturesNV::default();
    let mut clock = vk::PhysicalDeviceShaderClockFeaturesKHR::default();
    let mut flow = vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR::default();
    let mut layout = vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR::default();
    let mut all = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut v11)
        .push_next(&mut v12)
        .push_next(&mut v13)
        .push_next(&mut atomics)
        .push_next(&mut atomics2)
        .push_next(&mut quads)
        .push_next(&mut clock)
        .push_next(&mut flow)
        .push_next(&mut layout);
    let gpu = Gpu::with_features(entry, vk::API_VERSION_1_3, KNOWN, |instance, physical| {
        // SAFETY: valid usage.
        unsafe { instance.get_physical_device_features2(physical, &mut all) };
        &mut all
    });
    let (floats, clocks) = (atomics2, clock.shader_device_clock == vk::TRUE);
    let min_max = [floats.shader_buffer_float32_atomic_min_max, floats.shader_buffer_float64_atomic_min_max];
    let mut all_min_max = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT::default()
        .shader_buffer_float32_atomic_min_max(true)
        .shader_buffer_float64_atomic_min_max(true);
    let mut added = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default().shader_shared_float32_atomic_add(true);
    let mut ticking = vk::PhysicalDeviceShaderClockFeaturesKHR::default().shader_device_clock(true);
    let there = [min_max == [vk::TRUE; 2], atomics.shader_shared_float32_atomic_add == vk::TRUE, clocks];
    println!("there: {there:?}");
    let asked = vk::PhysicalDeviceFeatures2::default;
    let some = run_if_there(&gpu, &cases::MIN_MAX, there[0], &mut asked().push_next(&mut all_min_max))
        && run_if_there(&gpu, &cases::SHARED_ADD, there[1], &mut asked().push_next(&mut added))
        && run_if_there(&gpu, &cases::DEVICE_CLOCK, there[2], &mut asked().push_next(&mut ticking));
    if some && CASES.iter().all(|case| run(&gpu, case)) {
        child::done();
    } else {
        println!("no shader compiler");
    }
}

#[test]
fn every_feature_has_a_shader_that_the_layer_accepts() {
    let output = child(module_path!(), "features");
    if let Some(oracle) = child::missing(&said(&output)) {
        return skip(oracle);
    }
    child::passed_without_a_word(&output);
}

/// What a child is told that is to do without loader and layer.
const PLAIN: &str = "plain";

#[test]
fn every_feature_holds_on_every_generation() {
    // LLVM's assembler: minimum and maximum of floats in buffers, addition to LDS, a clock of constant rate.
    for (isa, there) in [
        ("gfx600", [true, false, false]),
        ("gfx701", [true, false, false]),
        ("gfx900", [false, true, true]),
        ("gfx1030", [true; 3]),
    ] {
        let output = child::plain_child(module_path!(), PLAIN, &[("WAVEPIPE_MACHINE", isa)]);
        let text = said(&output);
        if let Some(oracle) = child::missing(&text) {
            return skip(oracle);
        }
        child::passed_without_a_word(&output);
        assert!(text.contains(&format!("there: {there:?}")), "{isa}: {text}");
    }
}

/// What a child is told that is to run what the layer does not know.
const NEW: &str = "newer";

fn run_newer() {
    let extensions = [
        ash::khr::shader_expect_assume::NAME,
        ash::khr::shader_float_controls2::NAME,
        ash::khr::shader_maximal_reconvergence::NAME,
        ash::khr::shader_quad_control::NAME,
        ash::khr::shader_subgroup_rotate::NAME,
        c"VK_KHR_shader_relaxed_extended_instruction",
        c"VK_EXT_shader_replicated_composites",
    ];
    let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
    let mut expect = vk::PhysicalDeviceShaderExpectAssumeFeaturesKHR::default();
    let mut floats = vk::PhysicalDeviceShaderFloatControls2FeaturesKHR::default();
    let mut maximal = vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default();
    let mut quads = vk::PhysicalDeviceShaderQuadControlFeaturesKHR::default();
    let mut rotate = vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR::default();
    let mut all = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut v12)
        .push_next(&mut v13)
        .push_next(&mut expect)
        .push_next(&mut floats)
        .push_next(&mut maximal)
        .push_next(&mut quads)
        .push_next(&mut rotate);
    let gpu = Gpu::with_features(entry(), vk::API_VERSION_1_3, &extensions, |instance, physical| {
        // SAFETY: valid usage.
        unsafe { instance.get_physical_device_features2(physical, &mut all) };
        &mut all
    });
    if !NEWER.iter().all(|case| run(&gpu, case)) {
        println!("no shader compiler");
        return;
    }
    let given = [
        expect.shader_expect_assume,
        floats.shader_float_controls2,
        maximal.shader_maximal_reconvergence,
        quads.shader_quad_control,
        rotate.shader_subgroup_rotate,
        rotate.shader_subgroup_rotate_clustered,
    ];
    assert_eq!(given, [vk::TRUE; 6]);
    child::done();
}

/// No generation lacks one: each says that it has them all, and computes the answers.
#[test]
fn features_newer_than_the_layer() {
    for isa in Gen::ALL.into_iter().filter(|isa| Machine::executes(*isa)) {
        let output = child::plain_child(module_path!(), NEW, &[("WAVEPIPE_MACHINE", isa.name())]);
        if let Some(oracle) = child::missing(&said(&output)) {
            return skip(oracle);
        }
        child::passed_without_a_word(&output);
    }
}

//! `WAVEPIPE_MACHINE` through the real Vulkan loader: the device shows the card's figures.

use crate::common::child::{self, child_with, said, skip};
use crate::common::{Gpu, spirv};
use ash::vk;
use std::ffi::CStr;

/// Name of the machine and of its device; engines, arrays of each, compute units of every array, compute units in all.
/// AMD's product pages: 40, 36 and 22 compute units; Navi 10 has four arrays of up to ten, Navi 14 two of up to twelve.
const CARDS: [(&str, &CStr, [u32; 4]); 3] = [
    ("rx5700xt", c"wavepipe (RX 5700 XT, gfx1010)", [2, 2, 10, 40]),
    ("rx5600xt", c"wavepipe (RX 5600 XT, gfx1010)", [2, 2, 8, 36]),
    ("rx5500xt", c"wavepipe (RX 5500 XT, gfx1012)", [1, 2, 10, 22]),
];

#[test]
fn the_child() {
    let Some((what, entry)) = child::entry() else { return };
    if what == "hd7950" {
        return shared_memory_that_the_card_has_not(entry);
    }
    let (_, name, [engines, arrays, cus, active]) =
        CARDS.into_iter().find(|(card, ..)| *card == what).unwrap_or(CARDS[0]);
    let gpu = Gpu::with_entry(entry);
    // SAFETY: valid usage.
    let extensions = unsafe { gpu.instance.enumerate_device_extension_properties(gpu.physical) }.unwrap();
    for name in [ash::amd::shader_core_properties::NAME, ash::amd::shader_core_properties2::NAME] {
        assert!(extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name)), "{name:?}");
    }
    let mut two = vk::PhysicalDeviceShaderCoreProperties2AMD::default();
    let mut core = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut core).push_next(&mut two);
    // SAFETY: valid usage.
    unsafe { gpu.instance.get_physical_device_properties2(gpu.physical, &mut all) };
    let properties = all.properties;
    assert_eq!(properties.device_name_as_c_str(), Ok(name));
    assert_eq!(properties.limits.max_compute_shared_memory_size, 65536, "an LDS array of a work-group processor");
    let shape = [core.shader_engine_count, core.shader_arrays_per_engine_count, core.compute_units_per_shader_array];
    assert_eq!((shape, two.active_compute_unit_count), ([engines, arrays, cus], active));
    // The whitepaper: two SIMDs of a compute unit, 20 waves each; 10 KB of SGPRs, 128 for each wave; 128 KB of VGPRs, of which
    // one of wave64 takes 256 bytes.
    assert_eq!((core.simd_per_compute_unit, core.wavefronts_per_simd, core.wavefront_size), (2, 20, 64));
    assert_eq!((core.sgprs_per_simd, core.sgpr_allocation_granularity), (10240 / 4, 128));
    assert_eq!((core.min_sgpr_allocation, core.max_sgpr_allocation), (128, 128));
    assert_eq!((core.vgprs_per_simd, core.vgpr_allocation_granularity), (131072 / 256, 4));
    assert_eq!((core.min_vgpr_allocation, core.max_vgpr_allocation), (4, 256));

    let data = gpu.buffer(1024);
    data.set(0..256);
    let kernel = gpu.kernel(&spirv::double_and_add(64), vk::DescriptorType::STORAGE_BUFFER, Some(64)).unwrap();
    gpu.point(&kernel, &data);
    let commands = gpu.commands(|c| {
        gpu.bind(c, &kernel, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 4, 1, 1) };
    });
    gpu.run(commands).unwrap();
    assert!(data.get().iter().enumerate().all(|(i, v)| *v == 2 * i as u32 + 1));
    gpu.free_kernel(kernel);
    gpu.free(data);
    child::done();
}

#[test]
fn the_device_is_the_card_that_is_asked_for() {
    for (card, ..) in CARDS {
        let output = child_with(module_path!(), card, &[("WAVEPIPE_MACHINE", card)]);
        if let Some(oracle) = child::missing(&said(&output)) {
            return skip(oracle);
        }
        child::passed_without_a_word(&output);
    }
}

/// A program that would run on another card than the one it was told to finds no device, and the words say why.
#[test]
fn an_unknown_card_is_an_error_and_no_device() {
    let names =
        [("rx5700", "Did you mean rx5700xt?"), ("gfx1201", "no machine executes gfx1201"), ("a.toml", "a.toml")];
    for (name, why) in names {
        let output = child_with(module_path!(), "nothing", &[("WAVEPIPE_MACHINE", name)]);
        let words = said(&output);
        if let Some(oracle) = child::missing(&words) {
            return skip(oracle);
        }
        assert!(!output.status.success(), "{words}");
        assert!(
            words.contains(&format!("vkCreateInstance: WAVEPIPE_MACHINE={name}: ")) && words.contains(why),
            "{words}"
        );
        assert!(!words.contains("(RX 5700 XT, gfx1010)"), "{words}");
    }
}

/// Tahiti has half of the shared memory for a work-group: a pipeline with more is none, and the device goes on.
fn shared_memory_that_the_card_has_not(entry: ash::Entry) {
    let gpu = Gpu::with_entry(entry);
    // SAFETY: valid usage.
    let limits = unsafe { gpu.instance.get_physical_device_properties(gpu.physical) }.limits;
    assert_eq!(limits.max_compute_shared_memory_size, 32 << 10);
    let data = gpu.buffer(256);
    data.set(0..64);
    let kernel = |words: u32| {
        let text = format!(
            "#version 450
            layout(local_size_x = 64) in;
            layout(set = 0, binding = 0) buffer Data {{ uint data[]; }};
            shared uint tile[{words}];
            void main() {{
                uint i = gl_LocalInvocationID.x;
                tile[i * {words} / 64] = data[i];
                barrier();
                data[i] = tile[(63 - i) * {words} / 64];
            }}"
        );
        let words = wavepipe_glsl::compile(&text, std::path::Path::new("tile.comp")).unwrap();
        gpu.kernel(&words, vk::DescriptorType::STORAGE_BUFFER, None)
    };
    assert_eq!(kernel(8193).err(), Some(vk::Result::ERROR_UNKNOWN));
    let all = kernel(8192).unwrap();
    gpu.point(&all, &data);
    let commands = gpu.commands(|c| {
        gpu.bind(c, &all, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
    });
    gpu.run(commands).unwrap();
    assert!(data.get().iter().enumerate().all(|(i, v)| *v == 63 - i as u32));
    gpu.free_kernel(all);
    gpu.free(data);
    child::done();
}

#[test]
fn a_pipeline_with_more_shared_memory_than_the_card_has_is_refused() {
    let output = child_with(module_path!(), "hd7950", &[("WAVEPIPE_MACHINE", "hd7950")]);
    let words = said(&output);
    if let Some(oracle) = child::missing(&words) {
        return skip(oracle);
    }
    assert!(output.status.success() && words.contains("the child is done"), "{words}");
    let why = "kernel `main` has 32772 bytes of shared memory, a work-group can have 32768 on hd7950: make";
    assert!(words.contains(why), "{words}");
}

/// A generation is the first card that has it.
#[test]
fn a_generation_is_a_card() {
    let output = child_with(module_path!(), "rx5500xt", &[("WAVEPIPE_MACHINE", "gfx1012")]);
    if let Some(oracle) = child::missing(&said(&output)) {
        return skip(oracle);
    }
    child::passed_without_a_word(&output);
}

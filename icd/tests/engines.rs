//! The table of engines, through the driver: who is shown what, and that everybody else is told the truth.

use crate::common::child::{plain_child, told};
use crate::common::{Gpu, entry, spirv};
use ash::vk;
use std::ffi::{CStr, CString};

const DAWN: &[&str] =
    &["fullDrawIndexUint32", "independentBlend", "sampleRateShading", "depthBiasClamp", "fragmentStoresAndAtomics"];

/// An instance of a program that calls its engine so.
fn instance_of(engine: &CStr, version: u32) -> ash::Instance {
    let app = vk::ApplicationInfo::default().engine_name(engine).engine_version(version);
    let app = app.api_version(vk::API_VERSION_1_3);
    // SAFETY: valid usage.
    unsafe { entry().create_instance(&vk::InstanceCreateInfo::default().application_info(&app), None) }.unwrap()
}

/// The features of drawing that an instance sees, by the specification's names, and the conformance version, both by each
/// command and each structure that tells them.
fn seen(instance: &ash::Instance) -> (Vec<&'static str>, [u8; 4]) {
    // SAFETY: valid usage throughout.
    unsafe {
        let device = instance.enumerate_physical_devices().unwrap()[0];
        let plain = instance.get_physical_device_features(device);
        let mut chain = vk::PhysicalDeviceFeatures2::default();
        instance.get_physical_device_features2(device, &mut chain);
        let names = |f: &vk::PhysicalDeviceFeatures| {
            let all = [
                ("fullDrawIndexUint32", f.full_draw_index_uint32),
                ("independentBlend", f.independent_blend),
                ("geometryShader", f.geometry_shader),
                ("tessellationShader", f.tessellation_shader),
                ("sampleRateShading", f.sample_rate_shading),
                ("logicOp", f.logic_op),
                ("depthClamp", f.depth_clamp),
                ("depthBiasClamp", f.depth_bias_clamp),
                ("vertexPipelineStoresAndAtomics", f.vertex_pipeline_stores_and_atomics),
                ("fragmentStoresAndAtomics", f.fragment_stores_and_atomics),
            ];
            all.into_iter().filter(|(_, there)| *there != 0).map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&plain), names(&chain.features));
        let mut newer = vk::PhysicalDeviceVulkan12Properties::default();
        let mut older = vk::PhysicalDeviceDriverProperties::default();
        let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut newer).push_next(&mut older);
        instance.get_physical_device_properties2(device, &mut chain);
        let [newer, older] =
            [newer.conformance_version, older.conformance_version].map(|v| [v.major, v.minor, v.subminor, v.patch]);
        assert_eq!(newer, older);
        (names(&plain), newer)
    }
}

fn seen_by(engine: &CStr, version: u32) -> (Vec<&'static str>, [u8; 4]) {
    let instance = instance_of(engine, version);
    let seen = seen(&instance);
    // SAFETY: nothing was made of it.
    unsafe { instance.destroy_instance(None) };
    seen
}

/// What each of these programs sees: `wgpu-hal`, `Dawn` and `mine` 4 and 5.
fn what_all_see() -> String {
    let line = |(engine, version)| {
        let (features, [a, b, c, d]) = seen_by(engine, version);
        format!("{}: {a}.{b}.{c}.{d} {}\n", engine.to_str().unwrap(), features.join(" "))
    };
    [(c"wgpu-hal", 2), (c"Dawn", 0), (c"mine", 4), (c"mine", 5)].into_iter().map(line).collect()
}

#[test]
fn the_child() {
    if told().is_some() {
        print!("{}", what_all_see());
    }
}

/// What the programs see under these variables, and what the driver says.
fn under(environment: &[(&str, &str)]) -> (String, String) {
    let output = plain_child(module_path!(), "see", environment);
    let text = String::from_utf8_lossy(&output.stdout);
    let told = ["wgpu-hal: ", "Dawn: ", "mine: "];
    let seen = text.lines().filter_map(|l| told.iter().find_map(|t| l.find(t)).map(|at| format!("{}\n", &l[at..])));
    (seen.collect(), String::from_utf8_lossy(&output.stderr).into_owned())
}

const TRUTH: &str = "wgpu-hal: 0.0.0.0 \nDawn: 0.0.0.0 \nmine: 0.0.0.0 \nmine: 0.0.0.0 \n";

fn by_table() -> String {
    let truth = TRUTH.replace("wgpu-hal: 0.0.0.0", "wgpu-hal: 1.3.0.0");
    truth.replace("Dawn: 0.0.0.0 ", &format!("Dawn: 0.0.0.0 {}", DAWN.join(" ")))
}

#[test]
fn each_entry_shows_what_its_engine_wants() {
    assert_eq!(seen_by(c"wgpu-hal", 2), (vec![], [1, 3, 0, 0]));
    assert_eq!(seen_by(c"Dawn", 0), (DAWN.to_vec(), [0; 4]));
}

#[test]
fn everybody_else_is_told_the_truth() {
    for engine in [c"", c"vulkaninfo", c"dawn", c"Dawn Engine", c"wgpu", c"No Engine"] {
        assert_eq!(seen_by(engine, 2), (vec![], [0; 4]), "{engine:?}");
    }
    let app = vk::ApplicationInfo::default().application_name(c"Dawn").api_version(vk::API_VERSION_1_3);
    let named = vk::InstanceCreateInfo::default().application_info(&app);
    // SAFETY: valid usage throughout.
    unsafe {
        let instance = entry().create_instance(&named, None).unwrap();
        assert_eq!(seen(&instance), (vec![], [0; 4]), "an application's name is no engine's");
        instance.destroy_instance(None);
        // One that says nothing of itself, and so is of Vulkan 1.0.
        let instance = entry().create_instance(&Default::default(), None).unwrap();
        let device = instance.enumerate_physical_devices().unwrap()[0];
        let features = instance.get_physical_device_features(device);
        assert_eq!((features.independent_blend, features.robust_buffer_access), (vk::FALSE, vk::TRUE));
        instance.destroy_instance(None);
    }
}

#[test]
fn the_table_is_taken_away() {
    assert_eq!(under(&[]), (by_table(), String::new()));
    assert_eq!(under(&[("WAVEPIPE_ENGINES", "off")]), (TRUTH.into(), String::new()));
    // What the user says of conformance holds for everybody.
    let said = under(&[("WAVEPIPE_ENGINES", "off"), ("WAVEPIPE_CONFORMANCE", "1.2.3.4")]).0;
    assert_eq!(said, TRUTH.replace("0.0.0.0", "1.2.3.4"));
    let said = under(&[("WAVEPIPE_CONFORMANCE", "0.0.0.0")]).0;
    assert_eq!(said, by_table().replace("1.3.0.0", "0.0.0.0"));
}

/// Runs `test` with the path of a file that has this text.
fn with_file(name: &str, text: &str, test: impl FnOnce(&str)) {
    let path = std::env::temp_dir().join(format!("wavepipe-{name}-{}.toml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    test(path.to_str().unwrap());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_file_is_laid_over_the_table() {
    let text = "
        [[program]]
        engine = 'mine'
        versions = [5, 9]
        features = ['logicOp', 'geometryShader']
        conformance = '1.3.8.1'
        why = 'mine wants it'
        [[program]]
        engine = 'Dawn'
        why = 'is to hear the truth'
    ";
    with_file("laid-over", text, |path| {
        let wanted = TRUTH.replace("wgpu-hal: 0.0.0.0", "wgpu-hal: 1.3.0.0");
        let wanted =
            format!("{}mine: 1.3.8.1 geometryShader logicOp\n", wanted.strip_suffix("mine: 0.0.0.0 \n").unwrap());
        assert_eq!(under(&[("WAVEPIPE_ENGINES", path)]), (wanted, String::new()));
    });
}

#[test]
fn a_mistake_is_told_with_its_line_and_the_table_stays() {
    let mistakes = [
        (
            "[[program]]\nengine = 'mine'\nwhy = ''\nfeatures = ['shaderInt8']\n",
            ":4: `shaderInt8` is no feature of drawing",
        ),
        ("[[program]]\nengine = 'mine'\nconformance = 'x'\nwhy = ''\n", ":3: `x` is no version: give four numbers"),
        ("[[program]]\nengine = 'mine'\n", ":1: missing field `why`"),
        ("\n\nprogram = 3\n", ":3: invalid type: integer `3`"),
        ("[[program]\n", ":1: "),
    ];
    for (text, what) in mistakes {
        with_file("mistake", text, |path| {
            let (seen, words) = under(&[("WAVEPIPE_ENGINES", path)]);
            assert_eq!(seen, by_table());
            let begin = format!("wavepipe: WAVEPIPE_ENGINES={path}: {path}{what}");
            assert!(words.starts_with(&begin), "{words}");
            assert!(words.ends_with("use off, or a FILE.toml of the form that `wavepipe engines` prints\n"), "{words}");
            assert_eq!(words.lines().count(), 1, "{words}");
        });
    }
    let (seen, words) = under(&[("WAVEPIPE_ENGINES", "no/such.toml")]);
    assert!(seen == by_table() && words.contains("no/such.toml: No such file"), "{words}");
    let (seen, words) = under(&[("WAVEPIPE_ENGINES", "on")]);
    assert!(seen == by_table() && words.contains("WAVEPIPE_ENGINES=on: not a choice; use off"), "{words}");
}

#[test]
fn what_was_shown_is_said_once_an_instance() {
    let (seen, words) = under(&[("WAVEPIPE_DEBUG", "api")]);
    assert_eq!(seen, by_table());
    let lines: Vec<&str> = words.lines().filter(|line| line.contains(" is shown ")).collect();
    let [wgpu, dawn] = lines[..] else { panic!("{lines:?}") };
    assert!(wgpu.starts_with("wavepipe: wgpu-hal is shown conformance 1.3.0.0: wgpu hides a driver"), "{wgpu}");
    let names = "fullDrawIndexUint32, independentBlend, sampleRateShading, depthBiasClamp, fragmentStoresAndAtomics";
    assert!(dawn.starts_with(&format!("wavepipe: Dawn is shown {names}: Dawn takes no device")), "{dawn}");
    let (_, words) = under(&[("WAVEPIPE_DEBUG", "api"), ("WAVEPIPE_ENGINES", "off")]);
    assert!(words.contains("vkCreateInstance(") && !words.contains(" is shown "), "{words}");
}

fn wants_of_dawn() -> vk::PhysicalDeviceFeatures {
    vk::PhysicalDeviceFeatures::default()
        .full_draw_index_uint32(true)
        .independent_blend(true)
        .sample_rate_shading(true)
        .depth_bias_clamp(true)
        .fragment_stores_and_atomics(true)
}

/// vkCreateDevice with these features, in the structure and in the chain.
fn device_with(engine: &CStr, features: vk::PhysicalDeviceFeatures) -> [Option<vk::Result>; 2] {
    let instance = instance_of(engine, 0);
    // SAFETY: valid usage but for features that are not there, which the driver refuses.
    unsafe {
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let mut chain = vk::PhysicalDeviceFeatures2::default().features(features);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let made = [info.enabled_features(&features), info.push_next(&mut chain)].map(|info| {
            let made = instance.create_device(physical, &info, None);
            made.map(|device| device.destroy_device(None)).err()
        });
        instance.destroy_instance(None);
        made
    }
}

#[test]
fn a_device_takes_what_was_shown_and_from_nobody_else() {
    let refused = [Some(vk::Result::ERROR_FEATURE_NOT_PRESENT); 2];
    assert_eq!(device_with(c"Dawn", wants_of_dawn()), [None; 2]);
    assert_eq!(device_with(c"Dawn", wants_of_dawn().geometry_shader(true)), refused);
    for engine in [c"wgpu-hal", c"", c"vulkaninfo"] {
        assert_eq!(device_with(engine, Default::default()), [None; 2]);
        assert_eq!(device_with(engine, wants_of_dawn()), refused, "{engine:?}");
        for one in 0..5 {
            let mut features = vk::PhysicalDeviceFeatures::default();
            *[
                &mut features.full_draw_index_uint32,
                &mut features.independent_blend,
                &mut features.sample_rate_shading,
                &mut features.depth_bias_clamp,
                &mut features.fragment_stores_and_atomics,
            ][one] = vk::TRUE;
            assert_eq!(device_with(engine, features), refused, "{engine:?} {one}");
        }
    }
}

#[test]
fn a_device_of_dawn_lives_on_when_its_graphics_pipelines_fail() {
    let mut features = vk::PhysicalDeviceFeatures2::default().features(wants_of_dawn());
    let gpu = Gpu::of_instance(entry(), instance_of(c"Dawn", 0), &[], |_, _| &mut features);
    // SAFETY: the driver reads nothing of what is missing here.
    let made = unsafe {
        let infos = [vk::GraphicsPipelineCreateInfo::default(); 2];
        gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &infos, None)
    };
    let (pipelines, result) = made.unwrap_err();
    assert_eq!((pipelines, result), (vec![vk::Pipeline::null(); 2], vk::Result::ERROR_UNKNOWN));
    let buffer = gpu.buffer(256);
    buffer.set(0..64);
    let kernel = gpu.kernel(&spirv::double_and_add(64), vk::DescriptorType::STORAGE_BUFFER, None).unwrap();
    gpu.point(&kernel, &buffer);
    let commands = gpu.commands(|c| {
        gpu.bind(c, &kernel, 3, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
    });
    gpu.run(commands).unwrap();
    assert!(buffer.get().iter().enumerate().all(|(i, v)| *v == 2 * i as u32 + 3));
    gpu.free_kernel(kernel);
    gpu.free(buffer);
}

/// Names of any bytes are looked up, and only whole ones found.
#[test]
fn names_are_bytes() {
    for name in [b"Dawn\xff".to_vec(), vec![0xc3], vec![b'D'; 4096]] {
        assert_eq!(seen_by(&CString::new(name).unwrap(), 0), (vec![], [0; 4]));
    }
}

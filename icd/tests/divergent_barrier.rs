//! A barrier that a part of a work-group does not come to: the program goes on as on a card, and hears of it, once for each
//! kernel, through its messenger, or on stderr where it has none.

use crate::common::child::{self, plain_child, said};
use crate::common::{self, Gpu, wgsl};
use ash::vk;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

/// Name, body of a kernel of 128 work-items, and the words that a notice of it has; none of a good kernel.
const KERNELS: [(&str, &str, &[&str]); 6] = [
    (
        "uniform",
        "shared_words[i] = i; workgroupBarrier(); var sum = 0u; for (var n = 0u; n < 3u; n++) { sum += shared_words[127u - i]; workgroupBarrier(); } data[i] = sum;",
        &[],
    ),
    (
        "after_divergence",
        "if (i % 3u == 0u) { shared_words[i] = 1u; } workgroupBarrier(); data[i] = shared_words[i];",
        &[],
    ),
    (
        "odd_lanes",
        "shared_words[i] = i;\n if (i % 2u == 1u) {\n workgroupBarrier();\n } data[i] = shared_words[i];",
        &["16 of the 32 lanes", "EXEC 0xaaaaaaaa, launched 0xffffffff", "odd_lanes.wgsl:7"],
    ),
    (
        "early_return",
        "shared_words[i] = i;\n if (i % 32u >= 24u) { return; }\n workgroupBarrier();\n data[i] = shared_words[127u - i];",
        &["24 of the 32 lanes", "EXEC 0xffffff, launched", "early_return.wgsl:7"],
    ),
    (
        "ended_waves",
        "shared_words[i] = i;\n if (i >= 64u) { return; }\n workgroupBarrier();\n data[i] = shared_words[63u - i];",
        &["2 of the 4 waves of the work-group had ended", "ended_waves.wgsl:7"],
    ),
    (
        "two_barriers",
        "if (i < 32u) { shared_words[i] = data[i + 1u]; workgroupBarrier(); data[i] = shared_words[31u - i]; }
         else { shared_words[i] = 7u; workgroupBarrier(); data[i] = shared_words[i] * 3u; }",
        &["at another one"],
    ),
];

fn source(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> shared_words: array<u32, 128>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {{
{body}
}}"
    )
}

static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "system" fn hear(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the driver gives a live structure with C strings.
    let [text, id] = unsafe { [CStr::from_ptr((*data).p_message), CStr::from_ptr((*data).p_message_id_name)] };
    let (text, id) = (text.to_string_lossy(), id.to_string_lossy());
    assert!(id.starts_with("sync-") && text.contains(&format!("[{id}]")), "{id}: {text}");
    assert_eq!(severity, vk::DebugUtilsMessageSeverityFlagsEXT::WARNING);
    HEARD.lock().unwrap().push(text.into_owned());
    vk::FALSE
}

/// Runs each kernel twice; the results of the good ones are right.
fn run_all(gpu: &Gpu, heard: impl Fn() -> Vec<String>) {
    for (name, body, words) in KERNELS {
        let data = gpu.buffer(512);
        let code = wgsl::words(&format!("{name}.wgsl"), &source(body));
        let kernel = gpu.kernel(&code, vk::DescriptorType::STORAGE_BUFFER, None).unwrap();
        gpu.point(&kernel, &data);
        for _ in 0..2 {
            data.set([0; 128]);
            let commands = gpu.commands(|c| {
                gpu.bind(c, &kernel, 1, &[]);
                // SAFETY: valid usage.
                unsafe { gpu.device.cmd_dispatch(c, 3, 1, 1) };
            });
            gpu.run(commands).unwrap();
        }
        match name {
            "uniform" => assert!((0..128).all(|i| data.get()[i] == 3 * (127 - i as u32)), "{:?}", data.get()),
            "after_divergence" => assert!((0..128).all(|i| data.get()[i] == u32::from(i % 3 == 0))),
            _ => {}
        }
        gpu.free_kernel(kernel);
        gpu.free(data);
        let heard = heard();
        let expected = usize::from(!words.is_empty());
        assert!(heard.len() == expected || heard.is_empty() && HEARD_NOWHERE.get().is_some(), "{name}: {heard:?}");
        for text in heard {
            for word in words.iter().chain(&["barrier in divergent control flow", "kernel `main`", "work-group ("]) {
                assert!(text.contains(word), "{name}: no `{word}` in {text}");
            }
        }
    }
}

/// Set where there is no messenger.
static HEARD_NOWHERE: std::sync::OnceLock<()> = std::sync::OnceLock::new();

#[test]
fn the_child() {
    let Some(what) = child::told() else { return };
    if what == "silent" {
        HEARD_NOWHERE.set(()).unwrap();
        run_all(&Gpu::new(), Vec::new);
        return child::done();
    }
    if what == "stop" {
        stops_and_is_described();
        return child::done();
    }
    let entry = common::entry();
    let instance = common::instance(&entry, vk::API_VERSION_1_1, &[ash::ext::debug_utils::NAME]);
    let utils = ash::ext::debug_utils::Instance::new(&entry, &instance);
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(hear));
    // SAFETY: valid usage.
    let messenger = unsafe { utils.create_debug_utils_messenger(&info, None) }.unwrap();
    let mut none = vk::PhysicalDeviceFeatures2::default();
    let gpu = Gpu::of_instance(entry, instance, &[], |_, _| &mut none);
    run_all(&gpu, || std::mem::take(&mut *HEARD.lock().unwrap()));
    // SAFETY: the instance is destroyed with `gpu`.
    unsafe { utils.destroy_debug_utils_messenger(messenger, None) };
    drop(gpu);
    child::done();
}

/// The device is lost by the finding, and VK_EXT_device_fault has it.
fn stops_and_is_described() {
    let mut faults = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut faults);
    let extensions = [ash::ext::device_fault::NAME];
    let gpu = Gpu::with_features(common::entry(), vk::API_VERSION_1_3, &extensions, |_, _| &mut features);
    let data = gpu.buffer(512);
    let (name, body, _) = KERNELS[2];
    let code = wgsl::words(&format!("{name}.wgsl"), &source(body));
    let kernel = gpu.kernel(&code, vk::DescriptorType::STORAGE_BUFFER, None).unwrap();
    gpu.point(&kernel, &data);
    let commands = gpu.commands(|c| {
        gpu.bind(c, &kernel, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
    });
    assert_eq!(gpu.run(commands), Err(vk::Result::ERROR_DEVICE_LOST));
    let get = ash::ext::device_fault::Device::new(&gpu.instance, &gpu.device).fp().get_device_fault_info_ext;
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: valid usage.
    assert_eq!(unsafe { get(gpu.device.handle(), &mut counts, std::ptr::null_mut()) }, vk::Result::SUCCESS);
    let mut places = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
    counts.address_info_count = 0;
    let mut info = vk::DeviceFaultInfoEXT { p_vendor_infos: places.as_mut_ptr(), ..Default::default() };
    // SAFETY: valid usage; there is room for what was counted.
    unsafe { get(gpu.device.handle(), &mut counts, &mut info) }
        .result()
        .unwrap_or_else(|e| assert_eq!(e, vk::Result::INCOMPLETE));
    let texts: Vec<_> = places.iter().map(|p| p.description_as_c_str().unwrap().to_string_lossy()).collect();
    let what = info.description_as_c_str().unwrap().to_string_lossy().into_owned();
    assert!(what.contains("barrier in divergent control flow"), "{what}");
    // The place of the fault, and the finding.
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[1].starts_with("sync-lanes-absent-") && texts[1].contains("16 of the 32 lanes"), "{texts:?}");
    assert!(texts[1].contains("work-group 0,0,0, wave 0, lane 1 (odd_lanes.wgsl:7)"), "{texts:?}");
    gpu.free_kernel(kernel);
    gpu.free(data);
}

#[test]
fn with_stop_a_divergent_barrier_loses_the_device() {
    for timing in ["0", "1"] {
        let environment = [("WAVEPIPE_TIMING", timing), ("WAVEPIPE_WAVE", "32"), ("WAVEPIPE_CHECK", "sync,stop")];
        let words = said(&plain_child(module_path!(), "stop", &environment));
        assert!(words.contains("the child is done"), "{words}");
    }
}

#[test]
fn a_divergent_barrier_is_told_once_for_each_kernel() {
    for timing in ["0", "1"] {
        let told = plain_child(module_path!(), "messenger", &[("WAVEPIPE_TIMING", timing), ("WAVEPIPE_WAVE", "32")]);
        let words = said(&told);
        assert!(told.status.success() && words.contains("the child is done"), "{words}");
        assert!(!words.contains("warning"), "a messenger hears it, and nobody else: {words}");
    }
    let silent = plain_child(module_path!(), "silent", &[("WAVEPIPE_WAVE", "32")]);
    let words = said(&silent);
    assert!(silent.status.success(), "{words}");
    assert_eq!(words.matches("wavepipe: warning: barrier in divergent control flow").count(), 4, "{words}");
}

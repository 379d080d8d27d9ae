//! debugPrintfEXT without a layer: to a messenger that takes INFO, else to stderr; tagged, and whole.

use crate::common::child::{self, plain_child, said};
use crate::common::{self, Gpu};
use ash::vk;
use std::ffi::{CStr, c_void};
use std::process::Command;
use std::sync::Mutex;

const SHADER: &str = "#version 460
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() {
uint i = gl_GlobalInvocationID.x;
if (i % 3 == 0) debugPrintfEXT(\"item %u: %v2f\", i, vec2(i, 0.5)); data[i] = i; }
";

static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "system" fn hear(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the driver gives a live structure with C strings.
    let (name, text) = unsafe { (CStr::from_ptr((*data).p_message_id_name), CStr::from_ptr((*data).p_message)) };
    assert_eq!((severity, name), (vk::DebugUtilsMessageSeverityFlagsEXT::INFO, c"WAVEPIPE-DebugPrintf"));
    HEARD.lock().unwrap().push(text.to_string_lossy().into_owned());
    vk::FALSE
}

/// Runs two work-groups.
fn run(gpu: &Gpu, words: &[u32]) {
    let data = gpu.buffer(512);
    let kernel = gpu.kernel(words, vk::DescriptorType::STORAGE_BUFFER, None).unwrap();
    gpu.point(&kernel, &data);
    let commands = gpu.commands(|c| {
        gpu.bind(c, &kernel, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 2, 1, 1) };
    });
    gpu.run(commands).unwrap();
    gpu.free_kernel(kernel);
    gpu.free(data);
}

/// What a run prints, in the order of its items.
fn expected() -> Vec<String> {
    let line = |i: u32| {
        let (group, wave, lane) = (i / 64, i % 64 / 32, i % 32);
        format!("[group {group},0,0 wave {wave} lane {lane} FILE:7] item {i}: {i}.000000, 0.500000")
    };
    (0..128).filter(|i| i % 3 == 0).map(line).collect()
}

/// The lines among `text`, with their file's name taken out.
fn lines(text: &str) -> Vec<String> {
    let tagged = text.lines().filter(|l| l.starts_with("[group "));
    let named = tagged.map(|l| {
        let (tag, text) = l.split_once("] ").unwrap();
        let (tag, place) = tag.rsplit_once(' ').unwrap();
        format!("{tag} FILE:{}] {text}", place.rsplit(':').next().unwrap())
    });
    named.collect()
}

#[test]
fn the_child() {
    let Some(what) = child::told() else { return };
    let bytes = std::fs::read(std::env::var_os("SHADER").unwrap()).unwrap();
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect();
    if what == "silent" {
        run(&Gpu::new(), &words);
        return child::done();
    }
    let entry = common::entry();
    let instance = common::instance(&entry, vk::API_VERSION_1_1, &[ash::ext::debug_utils::NAME]);
    let utils = ash::ext::debug_utils::Instance::new(&entry, &instance);
    let takes = match what.as_str() {
        "deaf" => vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        _ => vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
    };
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(takes)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(hear));
    // SAFETY: valid usage.
    let messenger = unsafe { utils.create_debug_utils_messenger(&info, None) }.unwrap();
    let mut none = vk::PhysicalDeviceFeatures2::default();
    let gpu = Gpu::of_instance(entry, instance, &[], |_, _| &mut none);
    run(&gpu, &words);
    let heard = std::mem::take(&mut *HEARD.lock().unwrap());
    let want = if what == "deaf" { Vec::new() } else { expected() };
    assert_eq!(lines(&heard.join("\n")), want);
    // SAFETY: the instance is destroyed with `gpu`.
    unsafe { utils.destroy_debug_utils_messenger(messenger, None) };
    drop(gpu);
    child::done();
}

#[test]
fn every_line_comes_to_the_messenger_or_to_stderr() {
    let folder = std::env::temp_dir().join(format!("wavepipe-printf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, shader) = (folder.join("print.comp"), folder.join("print.spv"));
    std::fs::write(&source, SHADER).unwrap();
    let Ok(glslc) = Command::new("glslc").args(["-g", "-o"]).arg(&shader).arg(&source).output() else {
        println!("SKIP glslc");
        assert!(std::env::var_os("CI").is_none(), "glslc is missing");
        return;
    };
    assert!(glslc.status.success(), "{}", String::from_utf8_lossy(&glslc.stderr));
    for (what, on_stderr) in [("messenger", false), ("deaf", true), ("silent", true)] {
        let shader = shader.to_str().unwrap();
        let told = plain_child(
            module_path!(),
            what,
            &[("SHADER", shader), ("WAVEPIPE_WAVE", "32"), ("WAVEPIPE_THREADS", "1")],
        );
        let words = said(&told);
        assert!(told.status.success() && words.contains("the child is done"), "{what}: {words}");
        let want = if on_stderr { expected() } else { Vec::new() };
        assert_eq!(lines(&words), want, "{what}: {words}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

//! Instrumented code from source to what is said: planted indexes with their mended twins, and debugPrintfEXT.

mod indexes;
mod places;
mod printf;

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use wavepipe_tests::{installed, run, scratch, show, skip};

/// GLSL by glslc, with lines; `None`: it is not here.
fn glsl(text: &str, level: &str) -> Option<Vec<u32>> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if !installed("glslc") {
        skip("glslc").unwrap();
        return None;
    }
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let (from, to) = (scratch(&format!("site{n}.comp")), scratch(&format!("site{n}.spv")));
    std::fs::write(&from, text).unwrap();
    let mut command = Command::new("glslc");
    command.args(["--target-env=vulkan1.2", level, "-g", "-o"]).arg(&to).arg(&from);
    let output = run(&mut command).unwrap();
    assert!(output.status.success(), "{}\n{text}", show(&output));
    Some(words(&std::fs::read(&to).unwrap()))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

fn wgsl(text: &str) -> Vec<u32> {
    use naga::back::spv;
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), Default::default());
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let language = spv::SourceLanguage::WGSL;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        debug_info: Some(spv::DebugInfo { source_code: text, file_name: "planted.wgsl", language }),
        force_loop_bounding: false,
        ..Default::default()
    };
    spv::write_vec(&module, &info, &options, None).unwrap()
}

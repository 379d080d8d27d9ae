//! Shaders of tests as WGSL, through naga.

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// SPIR-V words, with the source lines of a file called `name`.
pub fn words(name: &str, source: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    // What a test is about may be what the validator refuses: barriers in divergent flow.
    let flags = ValidationFlags::all() - ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    let info = Validator::new(flags, Capabilities::all()).validate(&module).expect("a valid module");
    let mut options = spv::Options { lang_version: (1, 3), ..Default::default() };
    options.flags |= spv::WriterFlags::DEBUG;
    options.debug_info =
        Some(spv::DebugInfo { source_code: source, file_name: name, language: spv::SourceLanguage::WGSL });
    let pipeline = spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: "main".into() };
    spv::write_vec(&module, &info, &options, Some(&pipeline)).expect("SPIR-V")
}

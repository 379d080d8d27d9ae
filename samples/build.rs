//! Each sample's shader becomes SPIR-V once, when the samples are built, as a shipping program's shaders do: WGSL by naga, GLSL by
//! the front end that the library has. No other program is needed.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // All of the folder, so that a new shader is seen.
    println!("cargo::rerun-if-changed={}", root.display());
    for folder in fs::read_dir(&root).expect("the samples' folder").flatten().filter(|f| f.path().is_dir()) {
        for entry in fs::read_dir(folder.path()).expect("a sample's folder").flatten() {
            let path = entry.path();
            let (Some(name), Some(kind)) = (path.file_stem(), path.extension()) else { continue };
            let name = name.to_string_lossy();
            let spirv = out.join(format!("{name}.spv"));
            if kind == "wgsl" {
                println!("cargo::rerun-if-changed={}", path.display());
                fs::write(&spirv, naga_spirv(&name, &path)).expect("OUT_DIR is writable");
            } else if kind == "comp" {
                println!("cargo::rerun-if-changed={}", path.display());
                fs::write(&spirv, glsl_spirv(&folder.path(), &name)).expect("OUT_DIR is writable");
            }
        }
    }
}

fn naga_spirv(name: &str, path: &Path) -> Vec<u8> {
    let source = fs::read_to_string(path).expect("a readable shader");
    let module = naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let capabilities = naga::valid::Capabilities::SUBGROUP;
    let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let file_name = format!("{name}.wgsl");
    let options = naga::back::spv::Options {
        // 1.3 is Vulkan 1.1's SPIR-V: storage buffers have their own storage class.
        lang_version: (1, 3),
        flags: naga::back::spv::WriterFlags::DEBUG,
        // The device times an endless loop out; counting its rounds is not the shader's job.
        force_loop_bounding: false,
        // As programs for Vulkan are written: whoever needs zeroes in shared memory stores them.
        zero_initialize_workgroup_memory: naga::back::spv::ZeroInitializeWorkgroupMemoryMode::None,
        debug_info: Some(naga::back::spv::DebugInfo {
            source_code: &source,
            file_name: &file_name,
            // WGSL has a number of its own, which validators of 2023 (Debian 12) take for an error.
            language: naga::back::spv::SourceLanguage::Unknown,
        }),
        ..Default::default()
    };
    let words = naga::back::spv::write_vec(&module, &info, &options, None).unwrap_or_else(|e| panic!("{name}: {e}"));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// In the sample's folder: reports of lines name the shader as it is called there.
fn glsl_spirv(folder: &Path, name: &str) -> Vec<u8> {
    let file = format!("{name}.comp");
    let source = fs::read_to_string(folder.join(&file)).expect("a readable shader");
    let words = wavepipe_glsl::compile(&source, Path::new(&file)).unwrap_or_else(|e| panic!("{e}"));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

//! A shader file of any accepted language, as SPIR-V words.
//!
//! `.spv` is taken as it is. `.wgsl` goes through naga, which is built in. `.comp` (GLSL) goes through naga when naga can,
//! and through the `glslc` program when it cannot and `glslc` is there.

use crate::failure::{Failure, Result, read_file, read_text};
use std::path::Path;
use std::process::Command;

/// SPIR-V words of the shader at `path`.
pub fn load(path: &Path) -> Result<Vec<u32>> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("spv") => words(path, &read_file(path)?),
        Some("wgsl") => wgsl(&read_text(path)?, path),
        Some("comp" | "glsl") => glsl(path),
        other => Err(Failure::usage(format!(
            "{}: a shader is a .spv, .wgsl or .comp file, not {}",
            path.display(),
            other.map_or("one without an extension".to_owned(), |e| format!(".{e}"))
        ))),
    }
}

/// SPIR-V words of WGSL; messages call it `path`.
pub fn wgsl(source: &str, path: &Path) -> Result<Vec<u32>> {
    let module = naga::front::wgsl::parse_str(source)
        .map_err(|e| Failure::usage(e.emit_to_string_with_path(source, &path.display().to_string())))?;
    emit(&module, source, path, naga::back::spv::SourceLanguage::WGSL).map_err(Failure::Usage)
}

fn words(path: &Path, bytes: &[u8]) -> Result<Vec<u32>> {
    if !bytes.len().is_multiple_of(4) || bytes.len() < 20 {
        return Err(Failure::usage(format!(
            "{}: {} bytes are no SPIR-V module (whole 4-byte words, at least five)",
            path.display(),
            bytes.len()
        )));
    }
    Ok(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
}

fn glsl(path: &Path) -> Result<Vec<u32>> {
    let source = read_text(path)?;
    let naga_says = match naga_glsl(&source, path) {
        Ok(words) => return Ok(words),
        Err(message) => message,
    };
    let output = Command::new("glslc")
        .args(["-fshader-stage=compute", "--target-env=vulkan1.1", "-O", "-g", "-o", "-"])
        .arg(path)
        .output();
    match output {
        Ok(out) if out.status.success() => words(path, &out.stdout),
        Ok(out) => Err(Failure::usage(format!(
            "{}: glslc refuses the shader:\n{}",
            path.display(),
            String::from_utf8_lossy(&out.stderr).trim_end()
        ))),
        Err(_) => Err(Failure::Unsupported(format!(
            "{}: the built-in GLSL front end cannot take this shader, and there is no `glslc` to ask.\n{naga_says}\n\
             Install glslc (Debian: `apt-get install glslc`), or give the shader as .spv or .wgsl.",
            path.display()
        ))),
    }
}

/// naga's GLSL front end is known to panic on some inputs; a panic there only means "ask glslc".
fn naga_glsl(source: &str, path: &Path) -> std::result::Result<Vec<u32>, String> {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(|| {
        let options = naga::front::glsl::Options::from(naga::ShaderStage::Compute);
        let mut module = naga::front::glsl::Frontend::default()
            .parse(&options, source)
            .map_err(|e| e.emit_to_string_with_path(source, &path.display().to_string()))?;
        let functions = module.functions.iter_mut().map(|(_, f)| f);
        functions.chain(module.entry_points.iter_mut().map(|e| &mut e.function)).for_each(|f| widen(&mut f.body));
        emit(&module, source, path, naga::back::spv::SourceLanguage::GLSL)
    });
    std::panic::set_hook(quiet);
    result.unwrap_or_else(|_| Err("naga gave up".to_owned()))
}

/// naga reads GLSL's `barrier()` as every kind of barrier at once, and then writes the narrowest, a subgroup's: it is the
/// work-group's.
fn widen(block: &mut naga::Block) {
    use naga::{Barrier, Statement};
    for statement in block.iter_mut() {
        match statement {
            Statement::ControlBarrier(flags) if *flags == Barrier::all() => flags.remove(Barrier::SUB_GROUP),
            Statement::Block(inner) => widen(inner),
            Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(widen),
            Statement::Switch { cases, .. } => cases.iter_mut().for_each(|c| widen(&mut c.body)),
            Statement::Loop { body, continuing, .. } => [body, continuing].into_iter().for_each(widen),
            _ => {}
        }
    }
}

fn emit(
    module: &naga::Module,
    source: &str,
    path: &Path,
    language: naga::back::spv::SourceLanguage,
) -> std::result::Result<Vec<u32>, String> {
    use naga::back::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|e| e.emit_to_string_with_path(source, &path.display().to_string()))?;
    let file_name = path.display().to_string();
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        debug_info: Some(spv::DebugInfo { source_code: source, file_name: &file_name, language }),
        // The device bounds-checks every access and times endless loops out, so naga need not.
        force_loop_bounding: false,
        // WGSL says that shared memory starts as zeroes; GLSL does not.
        zero_initialize_workgroup_memory: match language {
            spv::SourceLanguage::WGSL => spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
            _ => spv::ZeroInitializeWorkgroupMemoryMode::None,
        },
        ..Default::default()
    };
    spv::write_vec(module, &info, &options, None).map_err(|e| format!("{file_name}: {e}"))
}

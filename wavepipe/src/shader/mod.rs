//! A shader of any accepted language, from a file or from a text, as SPIR-V words.
//!
//! SPIR-V (`.spv`) is taken as it is. WGSL goes through naga, which is built in. GLSL (`.comp`) goes through naga when naga can,
//! and through the `glslc` program when it cannot and `glslc` is there. Specialization constants are set in SPIR-V; where
//! naga reads the text, before it becomes SPIR-V.

mod constants;
mod glsl;
mod nested;
mod spans;

use self::constants::{Constant, Value};
use crate::failure::{Failure, Result, read_file, read_text};
use naga::back::spv::SourceLanguage;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use wavepipe_runtime::SpecValue;
use wavepipe_runtime::compiler::spirv::{EntryInfo, reflect};
use wavepipe_runtime::simple;

#[derive(Clone, Debug)]
enum Source {
    Words(Vec<u32>),
    /// Parsed and valid; overrides are open.
    Wgsl(String),
    /// naga takes it.
    Glsl(String),
}

/// A shader before its specialization.
#[derive(Clone, Debug)]
pub struct Shader {
    path: PathBuf,
    source: Source,
    constants: Vec<Constant>,
}

/// SPIR-V, with what specializes it.
pub struct Special {
    pub words: Vec<u32>,
    pub spec: Vec<SpecValue>,
}

impl Shader {
    /// Reads the shader at `path`; its ending tells the language: `.spv`, `.wgsl`, `.comp` or `.glsl`.
    pub fn open(path: impl AsRef<Path>) -> Result<Shader> {
        let path = path.as_ref();
        match path.extension().and_then(|e| e.to_str()) {
            Some("spv") => Self::of_words(words(path, &read_file(path)?)?, path),
            Some("wgsl") => Self::of_wgsl(read_text(path)?, path),
            Some("comp" | "glsl") => Self::of_glsl(read_text(path)?, path, true),
            other => Err(Failure::usage(format!(
                "{}: a shader is a .spv, .wgsl or .comp file, not {}",
                path.display(),
                other.map_or("one without an extension".to_owned(), |e| format!(".{e}"))
            ))),
        }
    }

    /// A shader in WGSL.
    pub fn wgsl(text: &str) -> Result<Shader> {
        Self::of_wgsl(text.to_owned(), Path::new("shader.wgsl"))
    }

    /// A compute shader in GLSL, of any version from 450 on.
    pub fn glsl(text: &str) -> Result<Shader> {
        Self::of_glsl(text.to_owned(), Path::new("shader.comp"), false)
    }

    /// A module of SPIR-V.
    pub fn spirv(words: &[u32]) -> Result<Shader> {
        Self::of_words(words.to_vec(), Path::new("shader.spv"))
    }

    fn of_words(words: Vec<u32>, path: &Path) -> Result<Shader> {
        let constants = declared(&words).map_err(|e| e.context(path))?;
        Ok(Shader { path: path.to_owned(), source: Source::Words(words), constants })
    }

    fn of_wgsl(text: String, path: &Path) -> Result<Shader> {
        let constants = overrides(&parse_wgsl(&text, path)?);
        Ok(Shader { path: path.to_owned(), source: Source::Wgsl(text), constants })
    }

    /// GLSL that messages and debug information call `path`. `there`: there is such a file, which may include others.
    pub fn of_glsl(text: String, path: &Path, there: bool) -> Result<Shader> {
        match naga_glsl(&glsl::specialize(&text, &[]), path) {
            Ok(_) => {
                let constants = glsl::constants(&text);
                Ok(Shader { path: path.to_owned(), source: Source::Glsl(text), constants })
            }
            Err(naga_says) => Self::of_words(glslc(path, (!there).then_some(&text), &naga_says)?, path),
        }
    }

    /// The file, or what messages call the text.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SPIR-V with the constants that the texts name, by id or by name; `over` wins over `texts`.
    pub fn specialize(&self, texts: &[(String, String)], over: &[(String, String)]) -> Result<Special> {
        let chosen = constants::choose(texts, over, &self.constants).map_err(|e| e.context(&self.path))?;
        let bits = |(c, v): &(Constant, Value)| c.id.map(|id| SpecValue { id, bits: v.bits(c), size: c.size });
        Ok(match &self.source {
            Source::Words(words) => Special { words: words.clone(), spec: chosen.iter().filter_map(bits).collect() },
            Source::Wgsl(text) => Special { words: wgsl_with(text, &self.path, &chosen)?, spec: Vec::new() },
            Source::Glsl(text) => {
                let words = naga_glsl(&glsl::specialize(text, &chosen), &self.path).map_err(Failure::Usage)?;
                Special { words, spec: Vec::new() }
            }
        })
    }
}

impl Special {
    /// The entry point of that name, or the only one.
    pub fn entry(&self, name: Option<&str>, path: &Path) -> Result<EntryInfo> {
        simple::specialized_entry_point(&self.words, name, &self.spec).map_err(|e| Failure::from(e).context(path))
    }
}

/// SPIR-V words of the shader at `path`, its specialization constants as declared.
pub fn load(path: &Path) -> Result<Vec<u32>> {
    Ok(Shader::open(path)?.specialize(&[], &[])?.words)
}

/// SPIR-V words of WGSL without overrides; messages call it `path`.
pub fn wgsl(source: &str, path: &Path) -> Result<Vec<u32>> {
    wgsl_with(source, path, &[])
}

fn parse_wgsl(source: &str, path: &Path) -> Result<naga::Module> {
    let mut module = naga::front::wgsl::parse_str(source).map_err(|e| {
        let text = e.emit_to_string_with_path(source, &path.display().to_string());
        Failure::usage(text.trim_start_matches("error: ").trim_end())
    })?;
    spans::fill(&mut module);
    Ok(module)
}

fn wgsl_with(source: &str, path: &Path, chosen: &[(Constant, Value)]) -> Result<Vec<u32>> {
    let module = parse_wgsl(source, path)?;
    emit(&module, source, path, SourceLanguage::WGSL, chosen).map_err(Failure::Usage)
}

/// The overrides of a module of WGSL.
fn overrides(module: &naga::Module) -> Vec<Constant> {
    use naga::{ScalarKind as Naga, TypeInner};
    use wavepipe_runtime::compiler::spirv::ScalarKind;
    let constant = |o: &naga::Override| {
        let TypeInner::Scalar(scalar) = module.types[o.ty].inner else { return None };
        let kind = match scalar.kind {
            Naga::Sint => Some(ScalarKind::Signed),
            Naga::Uint => Some(ScalarKind::Unsigned),
            Naga::Float => Some(ScalarKind::Float),
            _ => None,
        };
        Some(Constant {
            id: o.id.map(u32::from),
            name: o.name.clone().unwrap_or_default(),
            size: if kind.is_none() { 4 } else { u32::from(scalar.width) },
            kind,
            needed: o.init.is_none(),
        })
    };
    module.overrides.iter().filter_map(|(_, o)| constant(o)).collect()
}

/// The specialization constants of a module; all entry points have the same.
fn declared(words: &[u32]) -> Result<Vec<Constant>> {
    let entries = reflect(words).map_err(wavepipe_runtime::Error::from)?;
    Ok(entries.first().map(|e| e.spec.iter().map(Constant::from).collect()).unwrap_or_default())
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

/// `text`: what is not in the file.
fn glslc(path: &Path, text: Option<&str>, naga_says: &str) -> Result<Vec<u32>> {
    let mut command = Command::new("glslc");
    command.args(["-fshader-stage=compute", "--target-env=vulkan1.1", "-O", "-g", "-o", "-"]);
    let output = match text {
        None => command.arg(path).output(),
        Some(text) => fed(command.arg("-"), text),
    };
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

/// What a program makes of a text.
fn fed(command: &mut Command, text: &str) -> std::io::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let written = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    // It may have refused before the end of the text.
    if output.status.success() { written.map(|()| output) } else { Ok(output) }
}

/// naga's GLSL front end is known to panic on some inputs; a panic there only means "ask glslc".
fn naga_glsl(source: &str, path: &Path) -> std::result::Result<Vec<u32>, String> {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(|| {
        let options = naga::front::glsl::Options::from(naga::ShaderStage::Compute);
        let mut module = naga::front::glsl::Frontend::default()
            .parse(&options, &nested::turned(source))
            .map_err(|e| e.emit_to_string_with_path(source, &path.display().to_string()))?;
        let functions = module.functions.iter_mut().map(|(_, f)| f);
        functions.chain(module.entry_points.iter_mut().map(|e| &mut e.function)).for_each(|f| widen(&mut f.body));
        readable(&mut module);
        spans::fill(&mut module);
        emit(&module, source, path, SourceLanguage::GLSL, &[]).map(unzeroed)
    });
    std::panic::set_hook(quiet);
    result.unwrap_or_else(|_| Err("naga gave up".to_owned()))
}

/// naga gives zeros to variables that GLSL gives nothing, and whoever looks for uses of those finds none: a zero for a whole variable is
/// naga's own, for GLSL has no words for one.
fn unzeroed(words: Vec<u32>) -> Vec<u32> {
    const CONSTANT_NULL: u32 = 46;
    const VARIABLE: u32 = 59;
    const PRIVATE: u32 = 6;
    const FUNCTION: u32 = 7;
    let (mut zeros, mut at, mut out) = (Vec::new(), 5.min(words.len()), words[..5.min(words.len())].to_vec());
    while let Some(&first) = words.get(at) {
        let count = (first >> 16).max(1) as usize;
        let instr = &words[at..(at + count).min(words.len())];
        at += count;
        match (first & 0xffff, instr) {
            (CONSTANT_NULL, [_, _, id]) => zeros.push(*id),
            (VARIABLE, [_, ty, id, class @ (PRIVATE | FUNCTION), value]) if zeros.contains(value) => {
                out.extend([4 << 16 | VARIABLE, *ty, *id, *class]);
                continue;
            }
            _ => {}
        }
        out.extend_from_slice(instr);
    }
    out
}

/// naga's rules know no buffers that are only written: that nothing reads them is a promise, and nothing is lost without it.
fn readable(module: &mut naga::Module) {
    for (_, variable) in module.global_variables.iter_mut() {
        if let naga::AddressSpace::Storage { access } = &mut variable.space {
            *access |= naga::StorageAccess::LOAD;
        }
    }
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
    language: SourceLanguage,
    chosen: &[(Constant, Value)],
) -> std::result::Result<Vec<u32>, String> {
    use naga::back::{pipeline_constants, spv};
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|e| e.emit_to_string_with_path(source, &path.display().to_string()))?;
    let file_name = path.display().to_string();
    let key = |c: &Constant| c.id.map_or_else(|| c.name.clone(), |id| id.to_string());
    let values = chosen.iter().map(|(c, v)| (key(c), v.float())).collect();
    let (module, info) =
        pipeline_constants::process_overrides(module, &info, None, &values).map_err(|e| format!("{file_name}: {e}"))?;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        debug_info: Some(spv::DebugInfo { source_code: source, file_name: &file_name, language }),
        // The device bounds-checks every access and times endless loops out, so naga need not.
        force_loop_bounding: false,
        // WGSL says that shared memory starts as zeroes; GLSL does not.
        zero_initialize_workgroup_memory: match language {
            SourceLanguage::WGSL => spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
            _ => spv::ZeroInitializeWorkgroupMemoryMode::None,
        },
        ..Default::default()
    };
    spv::write_vec(&module, &info, &options, None).map_err(|e| format!("{file_name}: {e}"))
}

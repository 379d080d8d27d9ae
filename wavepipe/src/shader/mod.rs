//! A shader of any accepted language, from a file or from a text, as SPIR-V words.
//!
//! SPIR-V (`.spv`) is taken as it is. WGSL goes through naga, which is built in. GLSL (`.comp`) goes through [`wavepipe_glsl`], which is
//! built in as well, and through the `glslc` program where that refuses it and `glslc` is there. Specialization constants are set in
//! SPIR-V; those of WGSL before it becomes SPIR-V.

mod constants;
mod lets;
mod spans;

use self::constants::{Constant, Value};
use crate::failure::{Failure, Result, read_file, read_text};
use crate::job::Spoken;
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
        let words = match wavepipe_glsl::compile(&text, path) {
            Ok(words) => words,
            Err(refusal) => glslc(path, (!there).then_some(&text), &refusal)?,
        };
        Self::of_words(words, path)
    }

    /// The file, or what messages call the text.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SPIR-V with the constants that the texts name, by id or by name; `over` wins over `texts`. What is missing is said as `spoken`.
    pub fn specialize(&self, texts: &[(String, String)], over: &[(String, String)], spoken: Spoken) -> Result<Special> {
        let chosen = constants::choose(texts, over, &self.constants, spoken).map_err(|e| e.context(&self.path))?;
        let bits = |(c, v): &(Constant, Value)| c.id.map(|id| SpecValue { id, bits: v.bits(c), size: c.size });
        Ok(match &self.source {
            Source::Words(words) => Special { words: words.clone(), spec: chosen.iter().filter_map(bits).collect() },
            Source::Wgsl(text) => Special { words: wgsl_with(text, &self.path, &chosen)?, spec: Vec::new() },
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
    Ok(Shader::open(path)?.specialize(&[], &[], Spoken::Flags)?.words)
}

/// SPIR-V words of GLSL; messages call it `path`.
pub fn glsl(source: &str, path: &Path) -> Result<Vec<u32>> {
    Ok(Shader::of_glsl(source.into(), path, false)?.specialize(&[], &[], Spoken::Flags)?.words)
}

/// SPIR-V words of WGSL without overrides; messages call it `path`.
pub fn wgsl(source: &str, path: &Path) -> Result<Vec<u32>> {
    wgsl_with(source, path, &[])
}

/// Parses WGSL; each statement has a place in the source.
pub(crate) fn parse_wgsl(source: &str, path: &Path) -> Result<naga::Module> {
    let mut module = naga::front::wgsl::parse_str(source).map_err(|e| {
        let text = e.emit_to_string_with_path(source, &path.display().to_string());
        Failure::usage(text.trim_start_matches("error: ").trim_end())
    })?;
    spans::fill(&mut module);
    Ok(module)
}

fn wgsl_with(source: &str, path: &Path, chosen: &[(Constant, Value)]) -> Result<Vec<u32>> {
    let module = parse_wgsl(source, path)?;
    emit(&module, source, path, chosen).map_err(Failure::Usage)
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
fn glslc(path: &Path, text: Option<&str>, refusal: &wavepipe_glsl::Refusal) -> Result<Vec<u32>> {
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
            "{refusal}\nThe built-in GLSL front end does not take this shader, and there is no `glslc` to ask. Mend it if it is wrong; \
             else install glslc (Debian: `apt-get install glslc`), or give the shader as .spv or .wgsl."
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

fn emit(
    module: &naga::Module,
    source: &str,
    path: &Path,
    chosen: &[(Constant, Value)],
) -> std::result::Result<Vec<u32>, String> {
    use naga::back::pipeline_constants;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let valid = |module: &naga::Module| {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        validator.validate(module).map_err(|e| e.emit_to_string_with_path(source, &path.display().to_string()))
    };
    let info = valid(module)?;
    let file_name = path.display().to_string();
    let key = |c: &Constant| c.id.map_or_else(|| c.name.clone(), |id| id.to_string());
    let values = chosen.iter().map(|(c, v)| (key(c), v.float())).collect();
    let (module, info) =
        pipeline_constants::process_overrides(module, &info, None, &values).map_err(|e| format!("{file_name}: {e}"))?;
    let mut module = module.into_owned();
    lets::keep(&mut module, &info);
    let info = valid(&module)?;
    write(&module, &info, source, &file_name)
}

/// Writes SPIR-V with lines and names.
pub(crate) fn write(
    module: &naga::Module,
    info: &naga::valid::ModuleInfo,
    source: &str,
    file_name: &str,
) -> std::result::Result<Vec<u32>, String> {
    use naga::back::spv;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        debug_info: Some(spv::DebugInfo { source_code: source, file_name, language: SourceLanguage::WGSL }),
        // The device bounds-checks every access and times endless loops out, so naga need not.
        force_loop_bounding: false,
        // WGSL says that shared memory starts as zeroes: an initial value, which all work-items write together.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
        ..Default::default()
    };
    spv::write_vec(module, info, &options, None).map_err(|e| format!("{file_name}: {e}"))
}

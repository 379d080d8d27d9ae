//! What to run: a shader and everything it needs, from the job file beside it (`NAME.toml`) and the command line, which
//! wins.
//!
//! ```toml
//! entry = "main"              # the only entry point by default
//! groups = [64, 64, 1]        # work-groups
//! wave = 32                   # 32 or 64
//! push = ["u32=512", "f32=0.5"]  # push constants, packed in this order, each aligned to its scalar
//! [spec]
//! 0 = "u32=16"                # specialization constants by id
//! [[buffer]]
//! binding = 0                 # set = 0 by default
//! type = "u32[512*512]"
//! init = "zero"               # zero, iota, rand or a file (raw, .png, .json), relative to the job file
//! [output]                    # what `-o FILE` means
//! binding = 0
//! shape = "512x512"           # for a picture
//! file = "mandelbrot.png"     # documentation of the usual name
//! ```

use crate::data::{self, Init, Shape};
use crate::failure::{Failure, Result, read_text};
use crate::profile::View;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Deserialize, Default, Debug)]
#[serde(deny_unknown_fields, default)]
struct JobFile {
    entry: Option<String>,
    groups: Option<[u32; 3]>,
    wave: Option<u32>,
    push: Vec<String>,
    spec: BTreeMap<String, String>,
    buffer: Vec<BufferFile>,
    output: Option<OutputFile>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct BufferFile {
    #[serde(default)]
    set: u32,
    binding: u32,
    #[serde(rename = "type")]
    shape: String,
    #[serde(default)]
    init: String,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct OutputFile {
    #[serde(default)]
    set: u32,
    binding: u32,
    shape: Option<String>,
    #[allow(dead_code)] // for the reader of the job file
    file: Option<String>,
}

/// A resource's place: `BINDING` or `SET.BINDING` on the command line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BindingSlot {
    pub set: u32,
    pub binding: u32,
}

impl FromStr for BindingSlot {
    type Err = Failure;

    fn from_str(text: &str) -> Result<BindingSlot> {
        let bad = || Failure::usage(format!("`{text}` is no binding: write BINDING or SET.BINDING"));
        let (set, binding) = text.split_once('.').unwrap_or(("0", text));
        Ok(BindingSlot { set: set.parse().map_err(|_| bad())?, binding: binding.parse().map_err(|_| bad())? })
    }
}

impl std::fmt::Display for BindingSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.set {
            0 => write!(f, "{}", self.binding),
            set => write!(f, "{set}.{}", self.binding),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Buffer {
    pub slot: BindingSlot,
    pub shape: Shape,
    pub init: Init,
    /// Folder that a relative file name starts from.
    pub folder: PathBuf,
}

#[derive(Clone, Debug)]
pub struct Spec {
    pub id: u32,
    /// Little-endian bytes; `typed` false if no type was given and the module's own decides.
    pub text: String,
}

/// The whole job.
#[derive(Clone, Debug)]
pub struct Job {
    pub shader: PathBuf,
    pub entry: Option<String>,
    pub groups: [u32; 3],
    pub wave: Option<u32>,
    pub push: Vec<u8>,
    pub spec: Vec<Spec>,
    pub buffers: Vec<Buffer>,
    /// (buffer, file)
    pub outputs: Vec<(BindingSlot, PathBuf)>,
    /// Width and height of pictures.
    pub picture: Option<(u32, u32)>,
}

/// The flags of `wavepipe run` and `wavepipe compile` that describe a job.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct JobArgs {
    /// The shader: .spv, .wgsl or .comp
    pub shader: PathBuf,
    /// Entry point; the only one by default
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Wavefront size: 32 or 64 lanes; WAVEPIPE_WAVE or 32 by default
    #[arg(long, value_parser = ["32", "64"])]
    pub wave: Option<String>,
    /// Specialization constant: ID=VALUE, or ID=TYPE=VALUE
    #[arg(long, value_name = "ID=VALUE")]
    pub spec: Vec<String>,
    /// Job file; NAME.toml beside the shader by default
    #[arg(long, value_name = "FILE")]
    pub job: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  wavepipe run samples/mandelbrot/mandelbrot.wgsl -o mandelbrot.png
  wavepipe run samples/saxpy/saxpy.comp --wave 64 --json
  wavepipe run scale.comp --groups 16 --buffer 0=f32[1024]:iota --buffer 1=f32[1024] --push f32=2 --out 1=scaled.csv
  wavepipe run samples/reduction/reduction.wgsl --quiet --timing
  wavepipe run samples/reduction/reduction.wgsl --quiet --timing=isa
  wavepipe run samples/saxpy/saxpy.comp --trace saxpy.pftrace --trace-detail instructions
  wavepipe run samples/saxpy/saxpy.comp --trace saxpy/
  wavepipe run blur.spv --entry main --spec 0=16 --buffer 0=u32[256*256]:photo.png --out 1=blur.png --shape 256x256

A file NAME.toml beside the shader may hold all of this; flags win over it.";

/// The flags of `wavepipe run` alone.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    #[command(flatten)]
    pub job: JobArgs,
    /// Number of work-groups
    #[arg(long, value_name = "X,Y,Z")]
    pub groups: Option<String>,
    /// A buffer: BINDING=TYPE[N][:zero|iota|rand|FILE]; BINDING may be SET.BINDING
    #[arg(long, value_name = "BINDING=TYPE[N][:INIT]")]
    pub buffer: Vec<String>,
    /// Push constants in order: TYPE=VALUE, each aligned to its scalar
    #[arg(long, value_name = "TYPE=VALUE")]
    pub push: Vec<String>,
    /// Write a buffer after the run: .bin, .json, .csv or .png
    #[arg(long, value_name = "BINDING=FILE")]
    pub out: Vec<String>,
    /// Write the main output (the job file's [output], or the only buffer)
    #[arg(short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Size of pictures
    #[arg(long, value_name = "WxH")]
    pub shape: Option<String>,
    /// Record what happens when, in emulated time: FILE.pftrace for Perfetto, FOLDER/ for ROCprof Compute Viewer
    #[arg(long, value_name = "FILE")]
    pub trace: Option<String>,
    /// What a Perfetto trace has: waves, or every instruction too
    #[arg(long, value_name = "DETAIL", value_parser = ["waves", "instructions"], requires = "trace")]
    pub trace_detail: Option<String>,
    /// Run on the card's clock, and say where the time went: summary, by source line, or by instruction
    #[arg(long, value_name = "VIEW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "summary")]
    pub timing: Option<View>,
    /// Print the result as JSON; with --timing, all that the clock counted too
    #[arg(long)]
    pub json: bool,
    /// Print no table
    #[arg(long, short)]
    pub quiet: bool,
}

impl RunArgs {
    /// Merges the job file and the flags.
    pub fn resolve(&self) -> Result<Job> {
        let (mut job, main) = self.job.resolve()?;
        if let Some(groups) = &self.groups {
            job.groups = triple(groups)?;
        }
        for text in &self.buffer {
            let buffer = buffer_flag(text)?;
            job.buffers.retain(|b| b.slot != buffer.slot);
            job.buffers.push(buffer);
        }
        job.buffers.sort_by_key(|b| b.slot);
        if !self.push.is_empty() {
            job.push = pack_push(&self.push)?;
        }
        if let Some(shape) = &self.shape {
            job.picture = Some(size(shape)?);
        }
        for text in &self.out {
            let (slot, file) =
                text.split_once('=').ok_or_else(|| Failure::usage(format!("--out {text}: write BINDING=FILE")))?;
            job.outputs.push((slot.parse()?, file.into()));
        }
        if let Some(file) = &self.output {
            let slot = match (main, job.buffers.as_slice()) {
                (Some(slot), _) => slot,
                (None, [only]) => only.slot,
                _ => {
                    return Err(Failure::usage(
                        "-o does not know which buffer is the main output: add [output] to the job file, or use --out BINDING=FILE",
                    ));
                }
            };
            job.outputs.push((slot, file.clone()));
        }
        for (slot, file) in &job.outputs {
            if !job.buffers.iter().any(|b| b.slot == *slot) {
                return Err(Failure::usage(format!(
                    "there is no buffer at binding {slot} to write to {}",
                    file.display()
                )));
            }
        }
        Ok(job)
    }
}

impl JobArgs {
    /// The job without the flags of `run`, and the main output's slot.
    pub fn resolve(&self) -> Result<(Job, Option<BindingSlot>)> {
        let beside = self.shader.with_extension("toml");
        let path = self.job.clone().or_else(|| beside.exists().then_some(beside));
        let (file, folder) = match &path {
            Some(path) => {
                let file: JobFile = toml::from_str(&read_text(path)?)
                    .map_err(|e| Failure::usage(format!("{}: {}", path.display(), e.to_string().trim_end())))?;
                (file, path.parent().unwrap_or(Path::new(".")).to_owned())
            }
            None => (JobFile::default(), PathBuf::from(".")),
        };
        let mut buffers = Vec::new();
        for b in &file.buffer {
            buffers.push(Buffer {
                slot: BindingSlot { set: b.set, binding: b.binding },
                shape: b.shape.parse()?,
                init: Init::from(b.init.as_str()),
                folder: folder.clone(),
            });
        }
        let mut spec = BTreeMap::new();
        let flags = self
            .spec
            .iter()
            .map(|text| text.split_once('=').ok_or_else(|| Failure::usage(format!("--spec {text}: write ID=VALUE"))));
        let entries = file.spec.iter().map(|(k, v)| Ok((k.as_str(), v.as_str()))).chain(flags);
        for entry in entries {
            let (id, value) = entry?;
            let id = id.trim().parse().map_err(|_| Failure::usage(format!("`{id}` is no specialization id")))?;
            spec.insert(id, value.to_owned());
        }
        let wave = match &self.wave {
            Some(w) => Some(w.parse().map_err(|_| Failure::usage("--wave is 32 or 64"))?),
            None => file.wave,
        };
        if wave.is_some_and(|w| w != 32 && w != 64) {
            return Err(Failure::usage("wave is 32 or 64"));
        }
        let picture = file.output.as_ref().and_then(|o| o.shape.as_deref()).map(size).transpose()?;
        let main = file.output.as_ref().map(|o| BindingSlot { set: o.set, binding: o.binding });
        let job = Job {
            shader: self.shader.clone(),
            entry: self.entry.clone().or(file.entry),
            groups: file.groups.unwrap_or([1, 1, 1]),
            wave,
            push: pack_push(&file.push)?,
            spec: spec.into_iter().map(|(id, text)| Spec { id, text }).collect(),
            buffers,
            outputs: Vec::new(),
            picture,
        };
        Ok((job, main))
    }
}

fn buffer_flag(text: &str) -> Result<Buffer> {
    let (slot, rest) = text.split_once('=').ok_or_else(|| {
        Failure::usage(format!("--buffer {text}: write BINDING=TYPE[N], for example 0=f32[1024]:iota"))
    })?;
    let (shape, init) = rest.split_once(':').unwrap_or((rest, ""));
    Ok(Buffer { slot: slot.parse()?, shape: shape.parse()?, init: Init::from(init), folder: ".".into() })
}

/// `X`, `X,Y` or `X,Y,Z`.
pub fn triple(text: &str) -> Result<[u32; 3]> {
    let mut out = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err(Failure::usage(format!("`{text}`: at most three numbers, X,Y,Z")));
    }
    for (place, part) in out.iter_mut().zip(parts) {
        *place = part.trim().parse().map_err(|_| Failure::usage(format!("`{text}`: write X,Y,Z")))?;
    }
    Ok(out)
}

/// `WIDTHxHEIGHT`.
pub fn size(text: &str) -> Result<(u32, u32)> {
    let parse = || {
        let (w, h) = text.split_once('x')?;
        Some((w.trim().parse().ok().filter(|&w| w > 0)?, h.trim().parse().ok().filter(|&h| h > 0)?))
    };
    parse().ok_or_else(|| Failure::usage(format!("`{text}` is no picture size: write WIDTHxHEIGHT")))
}

fn pack_push(values: &[String]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for text in values {
        let (element, bytes) = data::typed_value(text)?;
        out.resize(out.len().next_multiple_of(element.scalar.bytes()), 0);
        out.extend(bytes);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_constants_are_aligned() {
        let bytes = pack_push(&["u8=1".into(), "u32=2".into(), "u64=3".into()]).unwrap();
        assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn flags_parse() {
        assert_eq!(triple("4,2").unwrap(), [4, 2, 1]);
        assert!(triple("4,2,1,1").is_err());
        let b = buffer_flag("1.3=u32[8]:iota").unwrap();
        assert_eq!((b.slot, b.shape.count, b.init), (BindingSlot { set: 1, binding: 3 }, 8, Init::Iota));
        assert!(buffer_flag("3").is_err());
        assert!(size("0x4").is_err());
    }
}

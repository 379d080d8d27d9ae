//! What to run: shaders and everything they need, as a user writes it, in a job file (see [`file`]), on a command line or by
//! [`crate::Test`]. It is held against what the shaders want by [`crate::bind`].

mod advice;
pub mod file;
mod given;

pub use self::advice::Spoken;
pub use self::given::{
    Address, BindingSlot, Given, ImageGiven, Key, Named, SamplerGiven, What, extent, format_size, sampling, typed_count,
};

use self::file::JobFile;
use crate::failure::{Failure, Result, read_text};
use std::path::{Path, PathBuf};

/// The whole job.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The machine, as [`Machine::open`](wavepipe_runtime::hw::machine::Machine::open) takes it.
    pub gpu: Option<String>,
    pub wave: Option<u32>,
    /// Buffers, images and samplers.
    pub given: Vec<Given>,
    pub outputs: Vec<Output>,
    /// Resource that `-o` writes; the only one that is written by default.
    pub main: Option<Key>,
    /// Width and height of pictures that are made of buffers.
    pub picture: Option<(u32, u32)>,
    /// At least one.
    pub dispatches: Vec<Dispatch>,
    /// In whose words advice is given.
    pub spoken: Spoken,
}

/// One of the dispatches, which run in order.
#[derive(Clone, Debug, Default)]
pub struct Dispatch {
    pub shader: PathBuf,
    pub entry: Option<String>,
    /// As large as the largest output by default.
    pub groups: Option<[u32; 3]>,
    /// `TYPE=VALUE` in order, or `NAME=VALUE`.
    pub push: Vec<String>,
    /// Ids or names, and values.
    pub spec: Vec<(String, String)>,
    /// The same from the command line, which wins.
    pub spec_flags: Vec<(String, String)>,
    /// What of the shader is which of the given.
    pub bind: Vec<(Key, Key)>,
    pub repeat: u32,
    /// Instead of `groups`: a buffer, and the byte from which on it has them.
    pub indirect: Option<(Key, u64)>,
}

/// Where a resource's contents go.
#[derive(Clone, Debug)]
pub struct Output {
    /// `None`: the main output.
    pub key: Option<Key>,
    /// `None`: standard output.
    pub file: Option<PathBuf>,
}

impl Job {
    /// The job of a shader alone.
    pub fn of_shader(shader: &Path) -> Job {
        let dispatch = Dispatch { shader: shader.to_owned(), repeat: 1, ..Dispatch::default() };
        Job { dispatches: vec![dispatch], ..Job::default() }
    }

    /// The job that a file gives, for dispatches of `shader` where it names no other.
    pub fn of_file(path: &Path, shader: &Path) -> Result<Job> {
        let file: JobFile = toml::from_str(&read_text(path)?)
            .map_err(|e| Failure::usage(format!("{}: {}", path.display(), e.to_string().trim_end())))?;
        file.job(shader, path.parent().unwrap_or(Path::new("."))).map_err(|e| e.context(path))
    }
}

/// `X`, `X,Y` or `X,Y,Z`, none of them 0.
pub fn triple(text: &str) -> Result<[u32; 3]> {
    let out = numbers(text, 1)?;
    if out.contains(&0) {
        return Err(Failure::usage(format!("`{text}` is nothing to run: each of X,Y,Z is 1 or more")));
    }
    Ok(out)
}

/// The same of what is counted from 0, as the id of a work-group.
pub fn triple_from_zero(text: &str) -> Result<[u32; 3]> {
    numbers(text, 0)
}

fn numbers(text: &str, rest: u32) -> Result<[u32; 3]> {
    let mut out = [rest; 3];
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

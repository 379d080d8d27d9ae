//! The job file.
//!
//! ```toml
//! entry = "main"              # the only entry point by default
//! groups = [64, 64, 1]        # work-groups; enough for the largest output by default
//! gpu = "rx5700xt"            # a machine, a generation, or a description: FILE.toml, relative to the job file
//! wave = 32                   # 32 or 64
//! push = ["u32=512", "f32=0.5"]  # push constants in the order of the block's members; or [push] and NAME = VALUE
//! [spec]
//! TILE = 16                   # specialization constants by id or name
//! [[buffer]]
//! binding = 0                 # set = 0 by default; or name = "x"; element = 1 in an array of buffers
//! type = "u32[512*512]"       # TYPE[N]; what is left out follows from the shader
//! init = "zero"               # zero, iota, rand, none, "1,2,3" or a file, relative to the job file; or values = [1, 2, 3]
//! [[image]]
//! name = "photo"
//! format = "rgba8"            # as the shader declares it by default
//! size = "256x256"            # the picture's by default
//! init = "photo.png"
//! [[sampler]]
//! name = "smooth"
//! filter = "linear"           # or nearest
//! address = "clamp"           # or repeat, mirror
//! [output]                    # what `-o FILE` means
//! binding = 0                 # or name
//! shape = "512x512"           # for a picture of a buffer
//! file = "mandelbrot.png"     # written where the program is started, unless -o names another
//! [[dispatch]]                # several: each has what it does not say from above
//! shader = "other.wgsl"       # relative to the job file; the shader of the command line by default
//! entry = "first"
//! groups = [4, 1, 1]
//! push = ["u32=1"]
//! spec = { TILE = 8 }
//! bind = { source = "ping", 1 = "pong" }  # what of this shader is which buffer or image
//! repeat = 10
//! indirect = "args"           # instead of groups: a buffer that has them, as three u32
//! offset = 0                  # the byte from which on it has them
//! ```

use super::given::{Given, ImageGiven, Key, Named, What, extent, sampling, typed_count};
use super::{BindingSlot, Dispatch, Job, Output, size};
use crate::data::Init;
use crate::failure::{Failure, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Deserialize, Clone, Default, Debug)]
#[serde(deny_unknown_fields, default)]
pub struct JobFile {
    pub entry: Option<String>,
    pub groups: Option<[u32; 3]>,
    pub gpu: Option<String>,
    pub wave: Option<u32>,
    pub push: Push,
    pub spec: BTreeMap<String, toml::Value>,
    pub buffer: Vec<BufferFile>,
    pub image: Vec<ImageFile>,
    pub sampler: Vec<SamplerFile>,
    pub output: Option<OutputFile>,
    pub dispatch: Vec<DispatchFile>,
}

/// Each is a command with descriptors of its own.
const MOST_REPEATS: u32 = 65536;

/// In order, or by name.
#[derive(Deserialize, Debug, Clone)]
#[serde(try_from = "toml::Value")]
pub enum Push {
    Order(Vec<String>),
    Names(BTreeMap<String, toml::Value>),
}

impl TryFrom<toml::Value> for Push {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> std::result::Result<Push, &'static str> {
        let bad = "push is a list as [\"f32=2.5\", \"u32=3\"], or names with values as { a = 2.5 }";
        match value {
            toml::Value::Table(names) => Ok(Push::Names(names.into_iter().collect())),
            toml::Value::Array(all) => {
                let text = |v: toml::Value| v.as_str().map(str::to_owned).ok_or(bad);
                all.into_iter().map(text).collect::<std::result::Result<_, _>>().map(Push::Order)
            }
            _ => Err(bad),
        }
    }
}

impl Default for Push {
    fn default() -> Push {
        Push::Order(Vec::new())
    }
}

/// Which resource; `flatten` would make unknown fields known.
pub struct Which<'a> {
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub name: &'a Option<String>,
    pub element: Option<u32>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct BufferFile {
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub name: Option<String>,
    pub element: Option<u32>,
    #[serde(rename = "type", default)]
    pub shape: String,
    pub init: Option<String>,
    pub values: Option<toml::Value>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ImageFile {
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub name: Option<String>,
    pub element: Option<u32>,
    pub format: Option<String>,
    pub size: Option<String>,
    pub init: Option<String>,
    pub values: Option<toml::Value>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct SamplerFile {
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub name: Option<String>,
    pub element: Option<u32>,
    pub filter: Option<String>,
    pub address: Option<String>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub name: Option<String>,
    pub element: Option<u32>,
    pub shape: Option<String>,
    pub file: Option<PathBuf>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct DispatchFile {
    pub shader: Option<PathBuf>,
    pub entry: Option<String>,
    pub groups: Option<[u32; 3]>,
    pub push: Option<Push>,
    #[serde(default)]
    pub spec: BTreeMap<String, toml::Value>,
    #[serde(default)]
    pub bind: BTreeMap<String, toml::Value>,
    pub repeat: Option<u32>,
    /// Three words of this buffer are the groups, from this byte on.
    pub indirect: Option<String>,
    pub offset: Option<u64>,
}

impl Which<'_> {
    /// The key, in messages about `of`.
    pub fn key(&self, of: &str) -> Result<Key> {
        let named = match (self.binding, self.name) {
            (Some(binding), None) => Named::Slot(BindingSlot { set: self.set.unwrap_or(0), binding }),
            (None, Some(name)) if self.set.is_none() => return name.parse::<Key>().map(|k| self.element_of(k)),
            _ => return Err(Failure::usage(format!("{of} has a binding (and a set), or a name"))),
        };
        Ok(self.element_of(Key { named, element: None }))
    }

    fn element_of(&self, key: Key) -> Key {
        Key { element: self.element.or(key.element), ..key }
    }
}

/// A value as the command line writes it.
pub fn text(value: &toml::Value) -> Result<String> {
    Ok(match value {
        toml::Value::String(s) => s.clone(),
        toml::Value::Integer(i) => i.to_string(),
        toml::Value::Float(f) => f.to_string(),
        toml::Value::Boolean(b) => b.to_string(),
        toml::Value::Array(_) => numbers(value)?.join(","),
        other => return Err(Failure::usage(format!("`{other}` is no value: write a number, a string or a list"))),
    })
}

/// All numbers of nested lists.
pub fn numbers(value: &toml::Value) -> Result<Vec<String>> {
    match value {
        toml::Value::Array(items) => Ok(items.iter().map(numbers).collect::<Result<Vec<_>>>()?.concat()),
        value => Ok(vec![text(value)?]),
    }
}

fn init(init: &Option<String>, values: &Option<toml::Value>, of: &str) -> Result<Init> {
    match (init, values) {
        (Some(_), Some(_)) => Err(Failure::usage(format!("{of} has init or values"))),
        (Some(text), None) => text.parse(),
        (None, Some(values)) => Ok(Init::Values(numbers(values)?)),
        (None, None) => Ok(Init::Zero),
    }
}

impl Push {
    fn texts(&self) -> Result<Vec<String>> {
        match self {
            Push::Order(texts) => Ok(texts.clone()),
            Push::Names(names) => names.iter().map(|(name, value)| Ok(format!("{name}={}", text(value)?))).collect(),
        }
    }
}

fn spec(values: &BTreeMap<String, toml::Value>) -> Result<Vec<(String, String)>> {
    values.iter().map(|(key, value)| Ok((key.clone(), text(value)?))).collect()
}

fn groups(groups: Option<[u32; 3]>) -> Result<Option<[u32; 3]>> {
    match groups {
        Some(g) if g.contains(&0) => {
            Err(Failure::usage(format!("groups = {g:?} is nothing to run: each is 1 or more")))
        }
        other => Ok(other),
    }
}

/// A machine's name as a file in `folder` has it; a description is a file beside that.
pub fn machine(name: &str, folder: &Path) -> String {
    let described = Path::new(name).extension().is_some_and(|e| e == "toml");
    if described { folder.join(name).display().to_string() } else { name.to_owned() }
}

impl JobFile {
    /// The job of a file in `folder` beside `shader`.
    pub fn job(&self, shader: &Path, folder: &Path) -> Result<Job> {
        if self.wave.is_some_and(|w| w != 32 && w != 64) {
            return Err(Failure::usage("wave is 32 or 64"));
        }
        let gpu = self.gpu.as_deref().map(|name| machine(name, folder));
        let mut job = Job { gpu, wave: self.wave, given: self.given(folder)?, ..Job::default() };
        if let Some(o) = &self.output {
            let which = Which { set: o.set, binding: o.binding, name: &o.name, element: o.element };
            job.main = Some(which.key("[output]")?);
            job.picture = o.shape.as_deref().map(size).transpose()?;
            job.outputs.extend(o.file.clone().map(|file| Output { key: None, file: Some(file) }));
        }
        let common = Dispatch {
            shader: shader.to_owned(),
            entry: self.entry.clone(),
            groups: groups(self.groups)?,
            push: self.push.texts()?,
            spec: spec(&self.spec)?,
            spec_flags: Vec::new(),
            bind: Vec::new(),
            repeat: 1,
            indirect: None,
        };
        for d in &self.dispatch {
            let mut one = common.clone();
            one.shader = d.shader.as_ref().map_or(one.shader, |file| folder.join(file));
            one.entry = d.entry.clone().or(one.entry);
            one.groups = groups(d.groups)?.or(one.groups);
            one.push = d.push.as_ref().map_or(Ok(one.push), Push::texts)?;
            one.repeat = d.repeat.unwrap_or(1);
            if !(1..=MOST_REPEATS).contains(&one.repeat) {
                return Err(Failure::usage(format!("repeat = {}: 1 to {MOST_REPEATS} times", one.repeat)));
            }
            one.indirect = match (&d.indirect, d.offset) {
                (Some(_), _) if d.groups.is_some() => {
                    return Err(Failure::usage("[[dispatch]] has groups or indirect"));
                }
                (Some(key), offset) => Some((key.parse()?, offset.unwrap_or(0))),
                (None, Some(_)) => return Err(Failure::usage("[[dispatch]] has an offset, and no indirect = BUFFER")),
                (None, None) => None,
            };
            for (key, value) in spec(&d.spec)? {
                one.spec.retain(|(known, _)| *known != key);
                one.spec.push((key, value));
            }
            for (key, value) in &d.bind {
                one.bind.push((key.parse()?, text(value)?.parse()?));
            }
            job.dispatches.push(one);
        }
        if job.dispatches.is_empty() {
            job.dispatches.push(common);
        }
        Ok(job)
    }

    fn given(&self, folder: &Path) -> Result<Vec<Given>> {
        let mut out: Vec<Given> = Vec::new();
        let mut push = |key: Key, what: What, of: &str| {
            let source = format!("{of} {key}");
            if out.iter().any(|g| g.key == key && g.what.is_sampler() == what.is_sampler()) {
                return Err(Failure::usage(format!("{source} is given twice")));
            }
            out.push(Given { key, what, folder: folder.to_owned(), source, flag: false });
            Ok(())
        };
        for b in &self.buffer {
            let key = Which { set: b.set, binding: b.binding, name: &b.name, element: b.element }.key("[[buffer]]")?;
            let (element, count) = typed_count(&b.shape)?;
            push(key, What::Buffer { element, count, init: init(&b.init, &b.values, "[[buffer]]")? }, "[[buffer]]")?;
        }
        for i in &self.image {
            let key = Which { set: i.set, binding: i.binding, name: &i.name, element: i.element }.key("[[image]]")?;
            let image = ImageGiven {
                format: i.format.as_deref().map(str::parse).transpose()?,
                size: i.size.as_deref().map(extent).transpose()?,
                init: init(&i.init, &i.values, "[[image]]")?,
            };
            push(key, What::Image(image), "[[image]]")?;
        }
        for s in &self.sampler {
            let key = Which { set: s.set, binding: s.binding, name: &s.name, element: s.element }.key("[[sampler]]")?;
            let how: Vec<&str> = s.filter.iter().chain(&s.address).map(String::as_str).collect();
            push(key, What::Sampler(sampling(&how)?), "[[sampler]]")?;
        }
        Ok(out)
    }
}

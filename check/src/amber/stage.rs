//! A script as a play: its buffers filled, its shaders compiled to SPIR-V, its commands in order.

use super::memory::{Buffer, Init};
use super::pipeline::{Bound, Pipeline};
use super::structure;
use super::types::DataType;
use super::{Holds, Sampler, Script, Shader, Source, Stop, Tolerance, What, opencl};
use crate::layout::{Kind, Lay};
use crate::play::{
    self, Act, Bind, Comparison, Dispatch, Do, Expectation, Groups, Kernel, Near, Play, Probe, Resource, Show,
};
use crate::source;
use std::path::Path;
use wavepipe::bind::{ImagePlan, Prepared};
use wavepipe::element::Number;
use wavepipe::failure::{Failure, read_file, read_text};
use wavepipe::job::Spoken;
use wavepipe::picture::{self, Picture};
use wavepipe::texel::Coding;
use wavepipe::view::{Types, View, Walk};
use wavepipe_runtime::compiler::ir::Dim;
use wavepipe_runtime::{AddressMode, Border, CompareOp, Filter, SamplerInfo, SpecValue, WaveSize};

/// What EQ allows of floats, in percent: as Amber does.
const EPSILON: Near = Near { value: 0.000_001, percent: true };
/// What is allowed of a channel, from 0 to 1.
const TEXEL: Near = Near { value: 0.002, percent: false };

struct Stage<'a> {
    script: &'a Script,
    path: &'a Path,
    play: Play,
}

type Result<T> = std::result::Result<T, Stop>;

fn wrong(line: u32) -> impl Fn(Failure) -> Stop {
    move |e| match e {
        Failure::Unsupported(text) => Stop::Refused(line, text),
        other => Stop::Wrong(line, other.to_string()),
    }
}

/// A script that lies at `path`.
pub fn stage(script: &Script, path: &Path) -> Result<Play> {
    let mut stage = Stage { script, path, play: Play::default() };
    for buffer in &script.buffers {
        let resource = stage.resource(buffer)?;
        stage.play.resources.push(resource);
    }
    let mut kernels = Vec::new();
    for pipeline in &script.pipelines {
        // One that never runs may be anything.
        let runs = runs(&script.commands, &pipeline.name);
        kernels.push(if runs { Some(stage.kernel(pipeline)?) } else { None });
    }
    let mut numbers = Vec::new();
    for kernel in kernels {
        numbers.push(stage.play.kernels.len());
        stage.play.kernels.extend(kernel);
    }
    stage.commands(&script.commands, &numbers)?;
    Ok(stage.play)
}

fn runs(commands: &[super::Command], name: &str) -> bool {
    commands.iter().any(|c| match &c.what {
        What::Run { pipeline, .. } => pipeline == name,
        What::Repeat { commands, .. } => runs(commands, name),
        _ => false,
    })
}

impl Stage<'_> {
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    fn find(&self, name: &str, line: u32) -> Result<usize> {
        let all = &self.script.buffers;
        all.iter().position(|b| b.name == name).ok_or_else(|| Stop::Wrong(line, format!("there is no buffer {name}")))
    }

    /// Where an element's numbers lie, its types if it is a structure, and its name.
    fn element(&self, b: &Buffer) -> Result<(Lay, Option<Types>, String)> {
        let DataType::Structure(n) = b.ty else {
            let kind = b.ty.kind().expect("no structure");
            return Ok((kind.lay(b.rules), None, element(kind)));
        };
        let structures = &self.script.structures[..=n];
        let laid = structure::layouts(structures, b.rules.std140)?.swap_remove(n);
        let large = || Stop::Wrong(b.line, format!("{}: too many numbers in {}", b.name, structures[n].name));
        let mut walk = Walk::default();
        walk.add(&laid.ty, 0).ok_or_else(large)?;
        let types = Types { head: Vec::new(), element: laid.ty, array: String::new(), whole: false };
        let lay = Lay { leaves: walk.leaves, stride: laid.stride as usize };
        Ok((lay, Some(types), structures[n].name.clone()))
    }

    fn resource(&self, b: &Buffer) -> Result<Resource> {
        let (lay, types, ty) = self.element(b)?;
        let each = lay.leaves.len();
        let texts = match &b.init {
            Init::Data(texts) => Some(texts.clone()),
            Init::File(kind, name) if kind == "TEXT" => {
                let text = read_text(&self.folder().join(name)).map_err(wrong(b.line))?;
                Some(words_of(&text))
            }
            _ => None,
        };
        let mut sides = b.image.clone();
        let binary = match &b.init {
            Init::File(kind, name) if kind == "BINARY" => {
                Some(read_file(&self.folder().join(name)).map_err(wrong(b.line))?)
            }
            Init::File(kind, name) if kind == "PNG" => {
                let picture = self.picture(b, name)?;
                sides = Some(vec![picture.width, picture.height]);
                Some(picture.rgba)
            }
            _ => None,
        };
        let has = texts.as_ref().map(|t| t.len().div_ceil(each));
        let has = has.or(binary.as_ref().map(|bytes| bytes.len().div_ceil(lay.stride)));
        let count = match (b.count, has) {
            // Of a file all is taken.
            (Some(count), Some(has)) if matches!(b.init, Init::File(..)) => count.max(has),
            (Some(count), _) => count,
            (None, Some(has)) => has,
            (None, None) => return Err(Stop::Wrong(b.line, format!("{}: its SIZE is missing", b.name))),
        };
        if has.is_some_and(|has| has > count) {
            let message = format!("{}: it has {count} elements, and there are values for {}", b.name, has.unwrap_or(0));
            return Err(Stop::Wrong(b.line, message));
        }
        let bytes = count.checked_mul(lay.stride).filter(|n| *n <= u32::MAX as usize);
        let bytes = bytes.ok_or_else(|| Stop::Wrong(b.line, format!("{} is over 4 GiB", b.name)))?;
        let (label, types) = (format!("{ty}[{count}]"), types.map(Into::into));
        let view =
            View { head: Vec::new(), at: 0, element: lay.leaves, stride: lay.stride, count, bytes, label, types };
        let memory = match binary {
            Some(mut data) => {
                data.resize(bytes, 0);
                data
            }
            None => filled(&view, &b.init, texts).map_err(wrong(b.line))?,
        };
        let prepared = match &sides {
            Some(sides) if self.is_image(b) => {
                let texel = b.ty.texel();
                let texel = texel.ok_or_else(|| Stop::Refused(b.line, format!("{}: images of this type", b.name)))?;
                let mut extent = [1; 3];
                extent[..sides.len()].copy_from_slice(sides);
                let dim = [Dim::D1, Dim::D2, Dim::D3][sides.len().clamp(1, 3) - 1];
                let plan = ImagePlan { texel, dim, arrayed: false, extent, layers: 1 };
                Prepared::Image { plan, bytes: memory, filled: true }
            }
            _ => Prepared::Buffer { view, bytes: memory, filled: true },
        };
        Ok(Resource { name: b.name.clone(), prepared })
    }

    /// A picture for an image of four channels of 8 bits.
    fn picture(&self, b: &Buffer, name: &str) -> Result<Picture> {
        if b.ty.texel().is_none_or(|t| (t.lanes, t.bits) != (4, 8)) {
            return Err(Stop::Refused(b.line, format!("{}: FILE PNG is for formats R8G8B8A8_…", b.name)));
        }
        let picture = picture::read(&self.folder().join(name)).map_err(wrong(b.line))?;
        match &b.image {
            Some(sides) if sides[..] != [picture.width, picture.height] => {
                let message = format!("{}: {name} has {}x{} pixels", b.name, picture.width, picture.height);
                Err(Stop::Wrong(b.line, message))
            }
            _ => Ok(picture),
        }
    }

    /// Whether something binds it as an image, or it is compared with one that is; the old way to say a buffer's size has sides, too.
    fn is_image(&self, b: &Buffer) -> bool {
        let binds = |name: &str| {
            self.script.pipelines.iter().flat_map(|p| &p.bound).find_map(|bind| match &bind.what {
                Bound::Buffers { kind, names, .. } if names.iter().any(|n| n == name) => Some(!is_block(kind)),
                _ => None,
            })
        };
        binds(&b.name).unwrap_or(true)
    }

    fn kernel(&self, p: &Pipeline) -> Result<Kernel> {
        let none = || Stop::Wrong(0, format!("pipeline {}: there is no shader {}", p.name, p.shader));
        let shader = self.script.shaders.iter().find(|s| s.name == p.shader).ok_or_else(none)?;
        let (text, line) = match &shader.source {
            Source::Text(text, line) => (text.clone(), *line),
            Source::VirtualFile(name) => {
                let none = || Stop::Wrong(shader.line, format!("there is no VIRTUAL_FILE {name}"));
                self.script.files.get(name).cloned().ok_or_else(none)?
            }
            Source::File(name) if shader.format == "SPIRV-BIN" => (name.clone(), 1),
            Source::File(name) => (read_text(&self.folder().join(name)).map_err(wrong(shader.line))?, 1),
        };
        let made = self.shader(shader, &text, line, &p.passes)?;
        let named = made.specialize(&[], &[], Spoken::File).map_err(wrong(shader.line))?;
        let mut spec = Vec::new();
        for (id, ty, value) in &p.spec {
            let (ty, _) = DataType::parse(ty).map_err(|e| e.stop(shader.line))?;
            let scalar = ty.kind().expect("no structure").scalar;
            let mut bytes = Vec::new();
            scalar.put(scalar.parse(value).map_err(wrong(shader.line))?, &mut bytes);
            bytes.resize(8, 0);
            let bits = bytes.iter().rev().fold(0, |bits, b| bits << 8 | u64::from(*b));
            spec.push(SpecValue { id: *id, bits, size: scalar.bytes() as u32 });
        }
        let special = if spec.is_empty() { named } else { wavepipe::shader::Special { spec, ..named } };
        // Amber's name is main; a front end that has made another has one entry point.
        let entry = special.entry(p.entry.as_deref(), self.path).or_else(|e| match &p.entry {
            Some(name) if name == "main" => special.entry(None, self.path),
            None => special.entry(Some("main"), self.path),
            _ => Err(e),
        });
        let wave = match p.required_size.as_deref() {
            None => None,
            Some("32" | "MIN") => Some(WaveSize::W32),
            Some("64" | "MAX") => Some(WaveSize::W64),
            Some(other) => {
                return Err(Stop::Refused(shader.line, format!("subgroups of {other}: the device has 32 and 64")));
            }
        };
        Ok(Kernel { path: self.path.to_owned(), special, entry: entry.map_err(wrong(shader.line))?, wave })
    }

    fn shader(&self, shader: &Shader, text: &str, line: u32, passes: &[String]) -> Result<wavepipe::Shader> {
        let target = shader.target.as_deref();
        let at = source::At { path: self.path, line };
        let made = match shader.format.as_str() {
            "GLSL" => source::glsl(text, &at, target),
            "HLSL" => source::hlsl(text, &at),
            "SPIRV-ASM" => source::assembly(text, &at, target, "spv1.0"),
            "SPIRV-HEX" => source::hex(text, &at),
            "SPIRV-BIN" => wavepipe::Shader::open(self.folder().join(text)).or_else(|_| {
                source::words(&read_file(&self.folder().join(text))?).and_then(|w| wavepipe::Shader::spirv(&w))
            }),
            "OPENCL-C" => return Err(opencl(shader.line, "OPENCL-C")),
            other => return Err(Stop::Wrong(shader.line, format!("`{other}` is no format of a shader"))),
        };
        let made = made.map_err(wrong(shader.line))?;
        match passes.is_empty() {
            true => Ok(made),
            false => source::optimized(&made, passes, &at).map_err(wrong(shader.line)),
        }
    }

    fn commands(&mut self, commands: &[super::Command], kernels: &[usize]) -> Result<()> {
        for c in commands {
            let what = match &c.what {
                What::Run { pipeline, groups } => {
                    let n = self.script.pipelines.iter().position(|p| p.name == *pipeline);
                    let n = n.ok_or_else(|| Stop::Wrong(c.line, format!("there is no pipeline {pipeline}")))?;
                    let groups = Groups::These(*groups);
                    Do::Dispatch(self.dispatch(&self.script.pipelines[n], kernels[n], groups)?)
                }
                What::Copy { from, to } => Do::Copy { from: self.find(from, c.line)?, to: self.find(to, c.line)? },
                What::Expect { buffer, holds } => {
                    let resource = self.find(buffer, c.line)?;
                    Do::Expect(Expectation { resource, holds: self.holds(resource, holds, c.line)? })
                }
                What::Repeat { times, commands } => {
                    for _ in 0..*times {
                        self.commands(commands, kernels)?;
                    }
                    continue;
                }
            };
            self.play.acts.push(Act { line: c.line, what });
        }
        Ok(())
    }

    fn dispatch(&self, p: &Pipeline, kernel: usize, groups: Groups) -> Result<Dispatch> {
        let mut bound = Vec::new();
        for bind in &p.bound {
            let (set, binding) = (bind.set, bind.binding);
            // What the shader has not is of no matter.
            let entry = &self.play.kernels[kernel].entry;
            let Some(info) = entry.resources.iter().find(|r| (r.set, r.binding) == (set, binding)) else { continue };
            let shows: Vec<Show> = match &bind.what {
                Bound::Samplers(names) => {
                    names.iter().map(|n| self.sampler(n, bind.line).map(Show::Sampler)).collect::<Result<_>>()?
                }
                Bound::Buffers { kind, names, sampler, offsets, ranges } => {
                    let one = |(n, name): (usize, &String)| {
                        let resource = self.find(name, bind.line)?;
                        let image = matches!(self.play.resources[resource].prepared, Prepared::Image { .. });
                        let texel = || self.script.buffers[resource].ty.texel();
                        Ok(match kind.as_str() {
                            "uniform_texel_buffer" | "storage_texel_buffer" => {
                                Show::Texels { resource, texel: texel() }
                            }
                            kind if is_block(kind) => Show::Buffer {
                                resource,
                                offset: offsets[n],
                                bytes: ranges.get(n).copied().filter(|r| *r != u64::MAX),
                            },
                            _ if !image => {
                                let message = format!("{name}: an image needs its sides: declare it with IMAGE");
                                return Err(Stop::Refused(bind.line, message));
                            }
                            "combined_image_sampler" => {
                                let sampler = sampler.as_deref().unwrap_or_default();
                                Show::Combined(resource, self.sampler(sampler, bind.line)?)
                            }
                            "storage_image" | "sampled_image" => Show::Image(resource),
                            other => {
                                return Err(Stop::Wrong(bind.line, format!("`{other}` is no way to bind a buffer")));
                            }
                        })
                    };
                    names.iter().enumerate().map(one).collect::<Result<_>>()?
                }
            };
            let each = shows.into_iter().take(info.count.max(1) as usize).zip(0..);
            bound.extend(each.map(|(what, element)| Bind { set, binding, element, what }));
        }
        let mut push = match &p.push {
            Some(name) => match &self.play.resources[self.find(name, 0)?].prepared {
                Prepared::Buffer { bytes, .. } => bytes.clone(),
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        let wants = self.play.kernels[kernel].entry.push_constant_bytes as usize;
        push.resize(wants.next_multiple_of(4), 0);
        Ok(Dispatch { kernel, bound, push, groups, repeat: 1 })
    }

    fn sampler(&self, name: &str, line: u32) -> Result<SamplerInfo> {
        let found = self.script.samplers.iter().find(|s| s.name == name);
        settings(found.ok_or_else(|| Stop::Wrong(line, format!("there is no sampler {name}")))?, line)
    }

    fn holds(&self, resource: usize, holds: &Holds, line: u32) -> Result<play::Holds> {
        let near = |all: &[Tolerance], n: usize| all.get(n.min(all.len().saturating_sub(1))).map(near);
        Ok(match holds {
            Holds::Values { at, comparison, tolerance, values } => {
                let b = &self.script.buffers[resource];
                let (lay, types, ty) = self.element(b)?;
                // Of a structure the numbers go on from the one at that byte; of numbers from any byte on.
                let (begin, first) = match &types {
                    None => (*at, 0),
                    Some(_) => {
                        let within = *at % lay.stride;
                        let none = || Stop::Wrong(line, format!("IDX {at}: no number of {ty} begins at byte {within}"));
                        let first = lay.leaves.iter().position(|l| l.offset == within).ok_or_else(none)?;
                        (*at - within, first)
                    }
                };
                let place = |n: usize| {
                    let leaf = lay.leaves[n % lay.leaves.len()];
                    (begin + n / lay.leaves.len() * lay.stride + leaf.offset, leaf.scalar)
                };
                let places = (first..).map(place);
                let rows = b.ty.kind().map_or(1, |k| k.rows);
                let probe = |(n, (text, (byte, scalar))): (usize, (&String, (usize, wavepipe::element::Scalar)))| {
                    let wanted = number(scalar, text).map_err(wrong(line))?;
                    let comparison = match comparison.as_str() {
                        "EQ" => match near(tolerance, n % rows.max(1)) {
                            Some(near) => Comparison::Near(near),
                            None if scalar.is_float() => Comparison::Near(EPSILON),
                            None => Comparison::Is,
                        },
                        "NE" => Comparison::IsNot,
                        "LT" => Comparison::Less,
                        "LE" => Comparison::LessOrIs,
                        "GT" => Comparison::More,
                        _ => Comparison::MoreOrIs,
                    };
                    Ok(Probe { byte, scalar, comparison, wanted })
                };
                let probes: Vec<Probe> = values.iter().zip(places).enumerate().map(probe).collect::<Result<_>>()?;
                let has = match &self.play.resources[resource].prepared {
                    Prepared::Buffer { bytes, .. } | Prepared::Image { bytes, .. } => bytes.len(),
                    Prepared::Sampler => 0,
                };
                if let Some(p) = probes.iter().find(|p| p.byte + p.scalar.bytes() > has) {
                    return Err(Stop::Wrong(line, format!("byte {} is past the {has} bytes of {}", p.byte, b.name)));
                }
                play::Holds::Probes(probes)
            }
            Holds::Colour { at, size, channels, tolerance } => {
                let inside = match &self.play.resources[resource].prepared {
                    Prepared::Image { plan, .. } => {
                        at[0].saturating_add(size[0]) <= plan.extent[0]
                            && at[1].saturating_add(size[1]) <= plan.extent[1]
                    }
                    _ => return Err(Stop::Refused(line, "a rectangle of what is no image".into())),
                };
                if !inside {
                    return Err(Stop::Wrong(line, "the rectangle is larger than the image".into()));
                }
                let each = (0..channels.len()).map(|n| near(tolerance, n).unwrap_or(TEXEL)).collect();
                let channels = channels.iter().map(|c| f64::from(*c) / 255.0).collect();
                play::Holds::Colour { rectangle: [at[0], at[1], size[0], size[1]], channels, near: each }
            }
            Holds::Equal { other } => {
                let other = self.same(resource, other, line)?;
                play::Holds::Other { other, tolerance: wavepipe::expect::Tolerance::Exact }
            }
            Holds::Rmse { other, most } => {
                let other = self.same(resource, other, line)?;
                play::Holds::Other { other, tolerance: wavepipe::expect::Tolerance::Rmse(*most) }
            }
            Holds::Histogram { other, most } => {
                play::Holds::Histogram { other: self.same(resource, other, line)?, most: *most }
            }
        })
    }

    /// A buffer of the same type and size.
    fn same(&self, resource: usize, other: &str, line: u32) -> Result<usize> {
        let n = self.find(other, line)?;
        let size = |n: usize| match &self.play.resources[n].prepared {
            Prepared::Buffer { bytes, .. } | Prepared::Image { bytes, .. } => bytes.len(),
            Prepared::Sampler => 0,
        };
        let (a, b) = (size(resource), size(n));
        if a != b {
            let of = &self.script.buffers[resource].name;
            return Err(Stop::Wrong(line, format!("{of} has {a} bytes, {other} has {b}")));
        }
        Ok(n)
    }
}

/// Words without comments.
fn words_of(text: &str) -> Vec<String> {
    let mut words = super::words::Words::new(text);
    std::iter::from_fn(|| words.next().map(|w| w.text.to_owned())).collect()
}

fn is_block(kind: &str) -> bool {
    matches!(kind, "uniform" | "storage" | "uniform_dynamic" | "storage_dynamic")
}

fn near(t: &Tolerance) -> Near {
    Near { value: t.value, percent: t.percent }
}

fn element(kind: Kind) -> String {
    match (kind.rows, kind.columns) {
        (1, 1) => kind.scalar.name().to_owned(),
        (rows, 1) => format!("{}x{rows}", kind.scalar.name()),
        (rows, columns) => format!("{columns} columns of {}x{rows}", kind.scalar.name()),
    }
}

/// A number as Amber writes it: hexadecimal ones are bits, also of floats; floats for integers are cut.
fn number(scalar: wavepipe::element::Scalar, text: &str) -> wavepipe::Result<Number> {
    if let Some(hex) = text.strip_prefix("0x") {
        let bits = u64::from_str_radix(hex, 16).map_err(|_| Failure::usage(format!("`{text}` is no number")))?;
        return Ok(scalar.get(&bits.to_le_bytes()));
    }
    let read = match scalar.parse(text) {
        Err(e) if !scalar.is_float() => match text.parse::<f64>() {
            Ok(f) if f.fract() == 0.0 => scalar.parse(&format!("{f:.0}")),
            _ => Err(e),
        },
        other => other,
    };
    // As memory can hold it.
    let mut bytes = Vec::new();
    scalar.put(read?, &mut bytes);
    Ok(scalar.get(&bytes))
}

fn filled(view: &View, init: &Init, texts: Option<Vec<String>>) -> wavepipe::Result<Vec<u8>> {
    let mut out = vec![0; view.bytes];
    let mut put = |leaf: wavepipe::view::Leaf, number: Number| {
        let mut bytes = Vec::with_capacity(8);
        leaf.scalar.put(number, &mut bytes);
        out[leaf.offset..leaf.offset + bytes.len()].copy_from_slice(&bytes);
    };
    match init {
        Init::Fill(text) => {
            for leaf in view.leaves() {
                put(leaf, number(leaf.scalar, text)?);
            }
        }
        Init::Series(start, step) => {
            let mut sum: Option<Number> = None;
            for leaf in view.leaves() {
                let next = match sum {
                    None => number(leaf.scalar, start)?,
                    Some(Number::Int(i)) => match number(leaf.scalar, step)? {
                        Number::Int(step) => Number::Int(i + step),
                        Number::Float(step) => Number::Int(i + step as i128),
                    },
                    Some(Number::Float(f)) => Number::Float(f + number(leaf.scalar, step)?.float()),
                };
                sum = Some(next);
                put(leaf, next);
            }
        }
        _ => {
            for (leaf, text) in view.leaves().zip(texts.unwrap_or_default()) {
                put(leaf, number(leaf.scalar, &text)?);
            }
        }
    }
    Ok(out)
}

fn settings(sampler: &Sampler, line: u32) -> Result<SamplerInfo> {
    let mut out = SamplerInfo::default();
    for (key, value) in &sampler.settings {
        let bad = || Stop::Wrong(line, format!("SAMPLER {}: {key} {value}", sampler.name));
        let filter = || match value.as_str() {
            "linear" => Ok(Filter::Linear),
            "nearest" => Ok(Filter::Nearest),
            _ => Err(bad()),
        };
        let address = || match value.as_str() {
            "repeat" => Ok(AddressMode::Repeat),
            "mirrored_repeat" => Ok(AddressMode::MirroredRepeat),
            "clamp_to_edge" => Ok(AddressMode::ClampToEdge),
            "clamp_to_border" => Ok(AddressMode::ClampToBorder),
            "mirrored_clamp_to_edge" | "mirror_clamp_to_edge" => Ok(AddressMode::MirrorClampToEdge),
            _ => Err(bad()),
        };
        match key.as_str() {
            "MAG_FILTER" => out.mag = filter()?,
            "MIN_FILTER" => out.min = filter()?,
            "ADDRESS_MODE_U" => out.address[0] = address()?,
            "ADDRESS_MODE_V" => out.address[1] = address()?,
            "ADDRESS_MODE_W" => out.address[2] = address()?,
            "BORDER_COLOR" => {
                out.border = match value.as_str() {
                    "float_transparent_black" | "int_transparent_black" => Border::TransparentBlack,
                    "float_opaque_black" | "int_opaque_black" => Border::OpaqueBlack,
                    "float_opaque_white" | "int_opaque_white" => Border::OpaqueWhite,
                    _ => return Err(bad()),
                }
            }
            // Images here have one level.
            "MIN_LOD" | "MAX_LOD" | "NORMALIZED_COORDS" => {}
            "UNNORMALIZED_COORDS" => out.unnormalized = true,
            "COMPARE" => {
                if value == "on" && out.compare.is_none() {
                    out.compare = Some(CompareOp::Never);
                }
            }
            _ => {
                let names =
                    ["never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"];
                use CompareOp as C;
                let all = [
                    C::Never,
                    C::Less,
                    C::Equal,
                    C::LessOrEqual,
                    C::Greater,
                    C::NotEqual,
                    C::GreaterOrEqual,
                    C::Always,
                ];
                let n = names.iter().position(|n| n == value).ok_or_else(bad)?;
                if sampler.settings.get("COMPARE").is_some_and(|on| on == "on") {
                    out.compare = Some(all[n]);
                }
            }
        }
    }
    Ok(out)
}

/// Of what EQ_RGBA compares, the channels of integers count from 0 to 255 as well.
pub fn channel_scale(coding: Coding) -> f64 {
    match coding {
        Coding::Uint | Coding::Sint => 1.0 / 255.0,
        _ => 1.0,
    }
}

//! PIPELINE: the shader that is attached, and what is bound.

use super::words::{Number as _, Words};
use super::{Stop, draws, opencl};

#[derive(Clone, Default, Debug)]
pub struct Pipeline {
    pub name: String,
    pub shader: String,
    pub entry: Option<String>,
    /// Number, type and value.
    pub spec: Vec<(u32, String, String)>,
    /// Of the subgroup: a number, MIN or MAX.
    pub required_size: Option<String>,
    pub bound: Vec<Bind>,
    pub push: Option<String>,
    /// Of spirv-opt, by their flags.
    pub passes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Bind {
    pub line: u32,
    pub set: u32,
    pub binding: u32,
    pub what: Bound,
}

#[derive(Clone, Debug)]
pub enum Bound {
    /// Elements of an array, or one.
    Buffers {
        kind: String,
        names: Vec<String>,
        sampler: Option<String>,
        offsets: Vec<u64>,
        ranges: Vec<u64>,
    },
    Samplers(Vec<String>),
}

const DRAWS: [&str; 10] = [
    "FRAMEBUFFER_SIZE",
    "VIEWPORT",
    "VERTEX_DATA",
    "INDEX_DATA",
    "POLYGON_MODE",
    "DEPTH",
    "STENCIL",
    "PATCH_CONTROL_POINTS",
    "BLEND",
    "COLOR",
];

pub fn parse(words: &mut Words<'_>, mut out: Pipeline) -> Result<Pipeline, Stop> {
    loop {
        let word = words.need("END of PIPELINE")?;
        match word.text {
            "END" => return Ok(out),
            "ATTACH" => attach(words, &mut out)?,
            "BIND" => bind(words, &mut out)?,
            "SUBGROUP" => subgroup(words, &mut out)?,
            "SHADER_OPTIMIZATION" => {
                words.need("a shader")?;
                loop {
                    match words.need("END of SHADER_OPTIMIZATION")?.text {
                        "END" => break,
                        pass => out.passes.push(pass.to_owned()),
                    }
                }
            }
            "COMPILE_OPTIONS" => return Err(opencl(word.line, "COMPILE_OPTIONS")),
            "SET" => return Err(opencl(word.line, "SET KERNEL")),
            other if DRAWS.contains(&other) => return Err(draws(word.line, other)),
            other => return Err(Stop::Wrong(word.line, format!("`{other}` in a PIPELINE"))),
        }
    }
}

fn attach(words: &mut Words<'_>, out: &mut Pipeline) -> Result<(), Stop> {
    out.shader = words.need("a shader")?.text.to_owned();
    out.spec.clear();
    while let Some(word) = words.peek_here() {
        words.here();
        match word.text {
            "TYPE" => {
                let stage = words.need("a stage")?;
                if stage.text != "compute" {
                    return Err(draws(stage.line, stage.text));
                }
            }
            "ENTRY_POINT" => out.entry = Some(words.need("an entry point")?.text.to_owned()),
            "SPECIALIZE" => {
                let id = words.number("the number of a specialization constant")?;
                words.literal("AS")?;
                let ty = words.need("a type")?.text.to_owned();
                out.spec.push((id, ty, words.need("a value")?.text.to_owned()));
            }
            other => return Err(Stop::Wrong(word.line, format!("`{other}` behind ATTACH"))),
        }
    }
    // It may go on in the next lines.
    while words.peek().is_some_and(|w| w.text == "SPECIALIZE") {
        words.next();
        let id = words.number("the number of a specialization constant")?;
        words.literal("AS")?;
        let ty = words.need("a type")?.text.to_owned();
        out.spec.push((id, ty, words.need("a value")?.text.to_owned()));
    }
    Ok(())
}

fn subgroup(words: &mut Words<'_>, out: &mut Pipeline) -> Result<(), Stop> {
    words.need("a shader")?;
    loop {
        let word = words.need("END of SUBGROUP")?;
        match word.text {
            "END" => return Ok(()),
            "FULLY_POPULATED" | "VARYING_SIZE" => drop(words.need("on or off")?),
            "REQUIRED_SIZE" => out.required_size = Some(words.need("a size")?.text.to_owned()),
            other => return Err(Stop::Wrong(word.line, format!("`{other}` in SUBGROUP"))),
        }
    }
}

/// Numbers as far as they go on this line.
fn list(words: &mut Words<'_>) -> Vec<u64> {
    let mut out = Vec::new();
    while let Some(n) = words.peek_here().and_then(|w| match w.text {
        "-1" => Some(u64::MAX),
        text => u64::read(text),
    }) {
        words.here();
        out.push(n);
    }
    out
}

fn bind(words: &mut Words<'_>, out: &mut Pipeline) -> Result<(), Stop> {
    let what = words.need("BUFFER or SAMPLER")?;
    let line = what.line;
    let (mut names, mut kind, mut sampler) = (Vec::new(), String::new(), None);
    let (mut set, mut binding) = (0, 0);
    let mut offsets: [Vec<u64>; 2] = Default::default();
    let mut ranges = Vec::new();
    while let Some(word) = words.here() {
        match word.text {
            "AS" => kind = words.need("how it is bound")?.text.to_owned(),
            "SAMPLER" => sampler = Some(words.need("a sampler")?.text.to_owned()),
            "DESCRIPTOR_SET" => set = words.number("DESCRIPTOR_SET")?,
            "BINDING" => binding = words.number("BINDING")?,
            "OFFSET" => offsets[0] = list(words),
            "DESCRIPTOR_OFFSET" => offsets[1] = list(words),
            "DESCRIPTOR_RANGE" => ranges = list(words),
            "BASE_MIP_LEVEL" => {
                if words.number::<u32>("BASE_MIP_LEVEL")? > 0 {
                    return Err(Stop::Refused(line, "BASE_MIP_LEVEL: images here have one level".into()));
                }
            }
            "KERNEL" => return Err(opencl(line, "BIND … KERNEL")),
            "LOCATION" => return Err(draws(line, "LOCATION")),
            name => names.push(name.to_owned()),
        }
    }
    if names.is_empty() {
        return Err(Stop::Wrong(line, "BIND names nothing".into()));
    }
    let what = match what.text {
        "BUFFER" | "BUFFER_ARRAY" if kind == "push_constant" => {
            out.push = names.pop();
            return Ok(());
        }
        "BUFFER" | "BUFFER_ARRAY" if matches!(kind.as_str(), "color" | "depth_stencil" | "resolve") => {
            return Err(draws(line, &kind));
        }
        "BUFFER" | "BUFFER_ARRAY" => {
            let both =
                names.iter().enumerate().map(|(n, _)| offsets.iter().map(|o| o.get(n).copied().unwrap_or(0)).sum());
            Bound::Buffers { offsets: both.collect(), kind, names, sampler, ranges }
        }
        "SAMPLER" | "SAMPLER_ARRAY" => Bound::Samplers(names),
        "ACCELERATION_STRUCTURE" => {
            return Err(Stop::Refused(line, "ACCELERATION_STRUCTURE: there are no ray queries".into()));
        }
        other => return Err(Stop::Wrong(line, format!("BIND `{other}`: BUFFER or SAMPLER is expected"))),
    };
    // A derived pipeline binds anew what its parent has bound.
    out.bound.retain(|b| (b.set, b.binding) != (set, binding));
    out.bound.push(Bind { line, set, binding, what });
    Ok(())
}

//! AmberScript, as far as it computes: <https://github.com/google/amber/blob/main/docs/amber_script.md>. What draws, traces rays or
//! needs a compiler that is not here is refused by name.

mod memory;
mod pipeline;
mod stage;
pub(crate) mod structure;
pub(crate) mod types;
pub(crate) mod words;

pub use self::stage::{channel_scale, stage};

use self::memory::Buffer;
use self::pipeline::Pipeline;
use self::structure::Structure;
use self::words::{Number as _, Words};
use std::collections::BTreeMap;

/// Why a script does not run, with its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    Wrong(u32, String),
    /// Nothing is wrong with it, and it cannot run here.
    Refused(u32, String),
}

#[derive(Default, Debug)]
pub struct Script {
    pub shaders: Vec<Shader>,
    pub files: BTreeMap<String, (String, u32)>,
    pub structures: Vec<Structure>,
    pub buffers: Vec<Buffer>,
    pub samplers: Vec<Sampler>,
    pub pipelines: Vec<Pipeline>,
    pub commands: Vec<Command>,
    pub timeout_ms: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct Shader {
    pub name: String,
    pub format: String,
    /// `spv1.0`, `vulkan1.1` and the like.
    pub target: Option<String>,
    pub source: Source,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// And the line on which it begins.
    Text(String, u32),
    VirtualFile(String),
    File(String),
}

#[derive(Clone, Debug)]
pub struct Sampler {
    pub name: String,
    pub settings: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub line: u32,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    Run { pipeline: String, groups: [u32; 3] },
    Copy { from: String, to: String },
    Expect { buffer: String, holds: Holds },
    Repeat { times: u32, commands: Vec<Command> },
}

/// A tolerance: a number, or a percentage of what is expected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    pub value: f64,
    pub percent: bool,
}

#[derive(Clone, Debug)]
pub enum Holds {
    /// EQ, NE, LT, LE, GT or GE, from a byte on.
    Values {
        at: usize,
        comparison: String,
        tolerance: Vec<Tolerance>,
        values: Vec<String>,
    },
    /// Texels of a rectangle: three or four channels from 0 to 255.
    Colour {
        at: [u32; 2],
        size: [u32; 2],
        channels: Vec<u32>,
        tolerance: Vec<Tolerance>,
    },
    Equal {
        other: String,
    },
    Rmse {
        other: String,
        most: f64,
    },
    Histogram {
        other: String,
        most: f64,
    },
}

/// What can only be for drawing or tracing.
const DRAWS: [&str; 9] = [
    "CLEAR",
    "CLEAR_COLOR",
    "CLEAR_DEPTH",
    "CLEAR_STENCIL",
    "DRAW_RECT",
    "DRAW_GRID",
    "DRAW_ARRAY",
    "graphics",
    "VERTEX_DATA",
];

fn draws(line: u32, what: &str) -> Stop {
    Stop::Refused(line, format!("{what} is for drawing, and wavepipe only computes"))
}

/// What to do with a kernel of OpenCL C.
const OPENCL: &str = "OpenCL C is compiled by clspv, which is not here: run `clspv` yourself, give what it makes as SPIRV-BIN FILE, \
                      and BIND by DESCRIPTOR_SET and BINDING; or run what clang makes of it with `wavepipe launch`";

fn opencl(line: u32, what: &str) -> Stop {
    Stop::Refused(line, format!("{what}: {OPENCL}"))
}

/// A pipeline that draws, or a shader that nothing here compiles, is what keeps a script from running, whatever else is in it.
fn beyond(text: &str) -> Result<(), Stop> {
    for (line, number) in text.lines().zip(1..) {
        match line.split_whitespace().take(4).collect::<Vec<_>>()[..] {
            ["PIPELINE", "graphics", ..] => return Err(draws(number, "PIPELINE graphics")),
            ["PIPELINE", kind @ ("raytracing" | "ray_tracing"), ..] => {
                return Err(Stop::Refused(number, format!("PIPELINE {kind}: there are no ray queries")));
            }
            ["SHADER", _, _, "OPENCL-C"] => return Err(opencl(number, "SHADER … OPENCL-C")),
            _ => {}
        }
    }
    Ok(())
}

/// That no other of its kind has this name.
fn alone<'n>(line: u32, what: &str, name: &str, others: impl IntoIterator<Item = &'n String>) -> Result<(), Stop> {
    match others.into_iter().any(|other| other == name) {
        true => Err(Stop::Wrong(line, format!("there is a {what} {name} already"))),
        false => Ok(()),
    }
}

/// Whether a text is in AmberScript.
pub fn is(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with("#!amber")
}

pub fn parse(text: &str) -> Result<Script, Stop> {
    if !is(text) {
        return Err(Stop::Wrong(1, "an Amber script begins with #!amber".into()));
    }
    beyond(text)?;
    let mut words = Words::new(text);
    let mut script = Script::default();
    while let Some(word) = words.next() {
        match word.text {
            "SHADER" => {
                if let Some(shader) = shader(&mut words)? {
                    alone(shader.line, "SHADER", &shader.name, script.shaders.iter().map(|s| &s.name))?;
                    script.shaders.push(shader);
                }
            }
            "VIRTUAL_FILE" => {
                let name = words.need("the path of a VIRTUAL_FILE")?.text.to_owned();
                alone(word.line, "VIRTUAL_FILE", &name, script.files.keys())?;
                let (text, line) = words.lines_to_end("VIRTUAL_FILE")?;
                script.files.insert(name, (text.to_owned(), line));
            }
            "STRUCT" => {
                let structure = structure::parse(&mut words, &script.structures)?;
                script.structures.push(structure);
            }
            "BUFFER" | "IMAGE" => {
                let buffer = memory::parse(&mut words, word.text, &script.structures)?;
                alone(buffer.line, "BUFFER or IMAGE", &buffer.name, script.buffers.iter().map(|b| &b.name))?;
                script.buffers.push(buffer);
            }
            "SAMPLER" => {
                let sampler = sampler(&mut words)?;
                alone(word.line, "SAMPLER", &sampler.name, script.samplers.iter().map(|s| &s.name))?;
                script.samplers.push(sampler);
            }
            "PIPELINE" => {
                let kind = words.need("the kind of a PIPELINE")?;
                if kind.text != "compute" {
                    return Err(Stop::Wrong(kind.line, format!("`{}` is no kind of pipeline", kind.text)));
                }
                let name = words.need("the name of a PIPELINE")?.text.to_owned();
                alone(word.line, "PIPELINE", &name, script.pipelines.iter().map(|p| &p.name))?;
                let pipeline = pipeline::parse(&mut words, Pipeline { name, ..Pipeline::default() })?;
                script.pipelines.push(pipeline);
            }
            "DERIVE_PIPELINE" => {
                let name = words.need("the name of a pipeline")?.text.to_owned();
                alone(word.line, "PIPELINE", &name, script.pipelines.iter().map(|p| &p.name))?;
                words.literal("FROM")?;
                let parent = words.need("the name of a pipeline")?;
                let of = script.pipelines.iter().find(|p| p.name == parent.text);
                let of = of.ok_or_else(|| Stop::Wrong(parent.line, format!("there is no pipeline {}", parent.text)))?;
                let pipeline = pipeline::parse(&mut words, Pipeline { name, ..of.clone() })?;
                script.pipelines.push(pipeline);
            }
            "SET" => {
                words.literal("ENGINE_DATA")?;
                let key = words.need("the name of engine data")?;
                if key.text != "fence_timeout_ms" {
                    return Err(Stop::Wrong(key.line, format!("`{}`: fence_timeout_ms is the only one", key.text)));
                }
                script.timeout_ms = Some(words.number("fence_timeout_ms")?);
            }
            // What a shader uses and the device has not is said when it is compiled.
            "DEVICE_FEATURE" | "DEVICE_EXTENSION" | "INSTANCE_EXTENSION" | "DEVICE_PROPERTY" => {
                words.rest_of_line();
            }
            "ACCELERATION_STRUCTURE" => {
                return Err(Stop::Refused(word.line, "ACCELERATION_STRUCTURE: there are no ray queries".into()));
            }
            _ => {
                let command = command(&mut words, word)?;
                script.commands.push(command);
            }
        }
    }
    Ok(script)
}

fn command(words: &mut Words<'_>, word: words::Word<'_>) -> Result<Command, Stop> {
    let what = match word.text {
        "RUN" => run(words)?,
        "COPY" => {
            let from = words.need("a buffer")?.text.to_owned();
            words.literal("TO")?;
            What::Copy { from, to: words.need("a buffer")?.text.to_owned() }
        }
        "EXPECT" => expect(words)?,
        "REPEAT" => {
            let times = words.number("how often it is repeated")?;
            let mut commands = Vec::new();
            loop {
                let inner = words.need("END of REPEAT")?;
                if inner.text == "END" {
                    break What::Repeat { times, commands };
                }
                commands.push(command(words, inner)?);
            }
        }
        other if DRAWS.contains(&other) => return Err(draws(word.line, other)),
        other => return Err(Stop::Wrong(word.line, format!("`{other}` is no command of AmberScript"))),
    };
    Ok(Command { line: word.line, what })
}

fn shader(words: &mut Words<'_>) -> Result<Option<Shader>, Stop> {
    let stage = words.need("a shader's stage")?;
    let name = words.need("a shader's name")?.text.to_owned();
    let format = words.need("a shader's format")?;
    let mut shader = Shader {
        name,
        format: format.text.to_owned(),
        target: None,
        source: Source::Text(String::new(), 0),
        line: stage.line,
    };
    if format.text == "PASSTHROUGH" {
        return Ok(None);
    }
    while let Some(word) = words.here() {
        match word.text {
            "TARGET_ENV" => shader.target = Some(words.need("a target environment")?.text.trim_matches('"').to_owned()),
            "VIRTUAL_FILE" => shader.source = Source::VirtualFile(words.need("a path")?.text.to_owned()),
            "FILE" => shader.source = Source::File(words.need("a path")?.text.to_owned()),
            other => return Err(Stop::Wrong(word.line, format!("`{other}` behind the format of a SHADER"))),
        }
    }
    if let Source::Text(..) = shader.source {
        let (text, line) = words.lines_to_end("SHADER")?;
        shader.source = Source::Text(text.to_owned(), line);
    }
    // Others belong to pipelines that draw, which are refused where they are.
    Ok(matches!(stage.text, "compute" | "multi").then_some(shader))
}

fn sampler(words: &mut Words<'_>) -> Result<Sampler, Stop> {
    let name = words.need("a sampler's name")?.text.to_owned();
    let mut settings = BTreeMap::new();
    while let Some(word) = words.here() {
        let value = match word.text {
            "NORMALIZED_COORDS" | "UNNORMALIZED_COORDS" => "on".to_owned(),
            "MAG_FILTER" | "MIN_FILTER" | "ADDRESS_MODE_U" | "ADDRESS_MODE_V" | "ADDRESS_MODE_W" | "BORDER_COLOR"
            | "MIN_LOD" | "MAX_LOD" | "COMPARE" | "COMPARE_OP" => words.need(word.text)?.text.to_owned(),
            other => return Err(Stop::Wrong(word.line, format!("`{other}` of a SAMPLER"))),
        };
        settings.insert(word.text.to_owned(), value);
    }
    Ok(Sampler { name, settings })
}

fn run(words: &mut Words<'_>) -> Result<What, Stop> {
    let mut pipeline = words.need("a pipeline")?;
    if pipeline.text == "TIMED_EXECUTION" {
        pipeline = words.need("a pipeline")?;
    }
    match words.peek_here() {
        Some(word) if DRAWS.contains(&word.text) => return Err(draws(word.line, word.text)),
        Some(word) if word.text == "RAYGEN" => {
            return Err(Stop::Refused(word.line, "RAYGEN: there are no ray queries".into()));
        }
        _ => {}
    }
    let mut groups = [0; 3];
    for n in &mut groups {
        *n = words.number("the number of work-groups")?;
    }
    Ok(What::Run { pipeline: pipeline.text.to_owned(), groups })
}

fn tolerances(words: &mut Words<'_>) -> Vec<Tolerance> {
    let mut out = Vec::new();
    while let Some(word) = words.peek_here() {
        let (number, percent) = word.text.strip_suffix('%').map_or((word.text, false), |n| (n, true));
        let Some(value) = f64::read(number) else { break };
        words.here();
        // The sign may stand apart.
        let apart = words.peek_here().is_some_and(|w| w.text == "%");
        if apart {
            words.here();
        }
        out.push(Tolerance { value, percent: percent || apart });
    }
    out
}

fn expect(words: &mut Words<'_>) -> Result<What, Stop> {
    let buffer = words.need("a buffer")?.text.to_owned();
    let how = words.need("IDX, EQ_BUFFER or RMSE_BUFFER")?;
    let holds = match how.text {
        "EQ_BUFFER" => Holds::Equal { other: words.need("a buffer")?.text.to_owned() },
        "RMSE_BUFFER" | "EQ_HISTOGRAM_EMD_BUFFER" => {
            let other = words.need("a buffer")?.text.to_owned();
            words.literal("TOLERANCE")?;
            let most = words.number("TOLERANCE")?;
            if how.text == "RMSE_BUFFER" { Holds::Rmse { other, most } } else { Holds::Histogram { other, most } }
        }
        "IDX" => {
            let x = words.number::<u32>("IDX")?;
            let second = words.peek_here().and_then(|w| u32::read(w.text));
            match second {
                Some(y) => {
                    words.here();
                    words.literal("SIZE")?;
                    let size = [words.number("SIZE")?, words.number("SIZE")?];
                    colour(words, [x, y], size)?
                }
                None => values(words, x as usize)?,
            }
        }
        other => return Err(Stop::Wrong(how.line, format!("`{other}`: IDX, EQ_BUFFER or RMSE_BUFFER is expected"))),
    };
    Ok(What::Expect { buffer, holds })
}

fn values(words: &mut Words<'_>, at: usize) -> Result<Holds, Stop> {
    let mut how = words.need("a comparison")?;
    let mut tolerance = Vec::new();
    if how.text == "TOLERANCE" {
        tolerance = tolerances(words);
        how = words.need("EQ")?;
    }
    if !["EQ", "NE", "LT", "LE", "GT", "GE"].contains(&how.text) {
        return Err(Stop::Wrong(how.line, format!("`{}` is no comparison: EQ, NE, LT, LE, GT or GE", how.text)));
    }
    let comparison = how.text.to_owned();
    let mut values = Vec::new();
    while let Some(word) = words.here() {
        values.push(word.text.to_owned());
    }
    if values.is_empty() {
        return Err(words.wrong(format!("no values behind {comparison}")));
    }
    Ok(Holds::Values { at, comparison, tolerance, values })
}

fn colour(words: &mut Words<'_>, at: [u32; 2], size: [u32; 2]) -> Result<Holds, Stop> {
    let how = words.need("EQ_RGB or EQ_RGBA")?;
    let count = match how.text {
        "EQ_RGB" => 3,
        "EQ_RGBA" => 4,
        other => return Err(Stop::Wrong(how.line, format!("`{other}`: EQ_RGB or EQ_RGBA is expected"))),
    };
    let channels = (0..count).map(|_| words.number("a channel")).collect::<Result<_, _>>()?;
    let tolerance = match words.peek_here() {
        Some(word) if word.text == "TOLERANCE" => {
            words.here();
            tolerances(words)
        }
        _ => Vec::new(),
    };
    Ok(Holds::Colour { at, size, channels, tolerance })
}

//! AmberScript, as far as it computes: <https://github.com/google/amber/blob/main/docs/amber_script.md>. What draws, traces rays or
//! needs a compiler that is not here is refused by name.

mod pipeline;
mod stage;
mod types;
mod words;

pub use self::stage::{channel_scale, stage};

use self::pipeline::Pipeline;
use self::types::DataType;
use self::words::{Number as _, Words};
use crate::test::layout::Rules;
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
pub struct Buffer {
    pub name: String,
    pub ty: DataType,
    pub rules: Rules,
    /// Elements, where that is said.
    pub count: Option<usize>,
    /// Sides, of an image.
    pub image: Option<Vec<u32>>,
    pub init: Init,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum Init {
    /// `FORMAT` without contents: as large as what it is compared with.
    Nothing,
    Data(Vec<String>),
    Fill(String),
    Series(String, String),
    /// `TEXT`, `BINARY` or `PNG`, and the name.
    File(String, String),
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

/// A pipeline that draws anywhere in a script is what keeps it from running, whatever else is in it.
fn drawn(text: &str) -> Result<(), Stop> {
    for (line, number) in text.lines().zip(1..) {
        match line.split_whitespace().take(2).collect::<Vec<_>>()[..] {
            ["PIPELINE", "graphics"] => return Err(draws(number, "PIPELINE graphics")),
            ["PIPELINE", "raytracing"] => {
                return Err(Stop::Refused(number, "PIPELINE raytracing: there are no ray queries".into()));
            }
            _ => {}
        }
    }
    Ok(())
}

pub fn parse(text: &str) -> Result<Script, Stop> {
    if !text.trim_start_matches('\u{feff}').starts_with("#!amber") {
        return Err(Stop::Wrong(1, "an Amber script begins with #!amber".into()));
    }
    drawn(text)?;
    let mut words = Words::new(text);
    let mut script = Script::default();
    while let Some(word) = words.next() {
        match word.text {
            "SHADER" => {
                let shader = shader(&mut words)?;
                script.shaders.extend(shader);
            }
            "VIRTUAL_FILE" => {
                let name = words.need("the path of a VIRTUAL_FILE")?.text.to_owned();
                let (text, line) = words.lines_to_end("VIRTUAL_FILE")?;
                script.files.insert(name, (text.to_owned(), line));
            }
            "BUFFER" => {
                let buffer = buffer(&mut words)?;
                script.buffers.push(buffer);
            }
            "IMAGE" => {
                let image = image(&mut words)?;
                script.buffers.push(image);
            }
            "SAMPLER" => {
                let sampler = sampler(&mut words)?;
                script.samplers.push(sampler);
            }
            "PIPELINE" => {
                let kind = words.need("the kind of a PIPELINE")?;
                if kind.text != "compute" {
                    return Err(Stop::Wrong(kind.line, format!("`{}` is no kind of pipeline", kind.text)));
                }
                let name = words.need("the name of a PIPELINE")?.text.to_owned();
                let pipeline = pipeline::parse(&mut words, Pipeline { name, ..Pipeline::default() })?;
                script.pipelines.push(pipeline);
            }
            "DERIVE_PIPELINE" => {
                let name = words.need("the name of a pipeline")?.text.to_owned();
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
            "STRUCT" => return Err(Stop::Refused(word.line, "STRUCT is not read here".into())),
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

/// Words up to END.
fn data(words: &mut Words<'_>) -> Result<Vec<String>, Stop> {
    let mut out = Vec::new();
    loop {
        match words.need("END of DATA")?.text {
            "END" => return Ok(out),
            value => out.push(value.to_owned()),
        }
    }
}

fn init(words: &mut Words<'_>, word: words::Word<'_>) -> Result<Option<Init>, Stop> {
    Ok(Some(match word.text {
        "DATA" => Init::Data(data(words)?),
        "FILL" => Init::Fill(words.need("a value")?.text.to_owned()),
        "SERIES_FROM" => {
            let start = words.need("a value")?.text.to_owned();
            words.literal("INC_BY")?;
            Init::Series(start, words.need("a value")?.text.to_owned())
        }
        "FILE" => {
            let kind = words.need("the kind of a FILE")?.text;
            match kind {
                "TEXT" | "BINARY" | "PNG" => Init::File(kind.to_owned(), words.need("a file")?.text.to_owned()),
                // Without a kind it is a picture.
                name => Init::File("PNG".to_owned(), name.to_owned()),
            }
        }
        _ => return Ok(None),
    }))
}

fn buffer(words: &mut Words<'_>) -> Result<Buffer, Stop> {
    let name = words.need("a buffer's name")?;
    let how = words.need("DATA_TYPE or FORMAT")?;
    if how.text != "DATA_TYPE" && how.text != "FORMAT" {
        return Err(Stop::Wrong(how.line, format!("`{}`: DATA_TYPE or FORMAT is expected", how.text)));
    }
    let ty = words.need("a type")?;
    let (ty, array) = DataType::parse(ty.text).map_err(|e| e.stop(ty.line))?;
    let rules = Rules { array, ..Rules::default() };
    let mut out = Buffer {
        name: name.text.to_owned(),
        ty,
        rules,
        count: None,
        image: None,
        init: Init::Nothing,
        line: name.line,
    };
    let mut sides = Vec::new();
    while let Some(word) = words.peek_here() {
        words.here();
        match word.text {
            "STD140" => out.rules.std140 = true,
            "STD430" => {}
            "SIZE" => out.count = Some(words.number::<u32>("SIZE")? as usize),
            "WIDTH" | "HEIGHT" => sides.push(words.number::<u32>(word.text)?),
            "MIP_LEVELS" => one(words, "MIP_LEVELS")?,
            "SAMPLES" => one(words, "SAMPLES")?,
            _ => match init(words, word)? {
                Some(init) => out.init = init,
                None => return Err(Stop::Wrong(word.line, format!("`{}` of a BUFFER", word.text))),
            },
        }
    }
    if !sides.is_empty() {
        out.count = Some(sides.iter().map(|n| *n as usize).product());
        out.image = Some(sides);
    }
    // Its contents may begin on a line of their own.
    if matches!(out.init, Init::Nothing)
        && let Some(word) = words.peek().filter(|w| w.text == "DATA" || w.text == "FILL" || w.text == "SERIES_FROM")
    {
        words.next();
        out.init = init(words, word)?.unwrap_or(Init::Nothing);
    }
    Ok(out)
}

/// A count of levels or samples that is one.
fn one(words: &mut Words<'_>, what: &str) -> Result<(), Stop> {
    match words.number::<u32>(what)? {
        1 => Ok(()),
        n => Err(Stop::Refused(words.line(), format!("{what} {n}: images here have one"))),
    }
}

fn image(words: &mut Words<'_>) -> Result<Buffer, Stop> {
    let name = words.need("an image's name")?;
    let mut out = Buffer {
        name: name.text.to_owned(),
        ty: DataType::BYTE,
        rules: Rules::default(),
        count: None,
        image: None,
        init: Init::Nothing,
        line: name.line,
    };
    let mut sides = Vec::new();
    while let Some(word) = words.peek_here() {
        words.here();
        match word.text {
            "DATA_TYPE" | "FORMAT" => {
                let ty = words.need("a type")?;
                out.ty = DataType::parse(ty.text).map_err(|e| e.stop(ty.line))?.0;
            }
            "DIM_1D" | "DIM_2D" | "DIM_3D" => {}
            "WIDTH" | "HEIGHT" | "DEPTH" => sides.push(words.number::<u32>(word.text)?),
            "MIP_LEVELS" => one(words, "MIP_LEVELS")?,
            "SAMPLES" => one(words, "SAMPLES")?,
            _ => match init(words, word)? {
                Some(init) => out.init = init,
                None => return Err(Stop::Wrong(word.line, format!("`{}` of an IMAGE", word.text))),
            },
        }
    }
    out.count = Some(sides.iter().map(|n| *n as usize).product());
    out.image = Some(sides);
    Ok(out)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_draws_is_refused_by_name_and_what_is_wrong_by_line() {
        let stop = |text: &str| parse(text).unwrap_err();
        assert_eq!(stop("#!amber\nPIPELINE graphics p\n"), draws(2, "PIPELINE graphics"));
        assert_eq!(stop("#!amber\n\nRUN p DRAW_RECT POS 0 0 SIZE 1 1"), draws(3, "DRAW_RECT"));
        assert_eq!(stop("RUN p 1 1 1"), Stop::Wrong(1, "an Amber script begins with #!amber".into()));
        let wrong = |line, text: &str| Stop::Wrong(line, text.to_owned());
        assert_eq!(stop("#!amber\nEXPCT a"), wrong(2, "`EXPCT` is no command of AmberScript"));
        assert_eq!(stop("#!amber\nRUN p 1 1"), wrong(2, "the number of work-groups is missing"));
        assert_eq!(stop("#!amber\nBUFFER a DATA_TYPE flaot SIZE 1"), wrong(2, "`flaot` is no type of AmberScript"));
        assert_eq!(stop("#!amber\nSHADER compute c GLSL\nvoid"), wrong(2, "SHADER has no END"));
    }

    #[test]
    fn commands_are_read() {
        let script = parse(
            "#!amber\nBUFFER b DATA_TYPE vec2<int32>[] STD140 SIZE 0x4 SERIES_FROM 1 INC_BY 2\nREPEAT 3\n  RUN p 1 2 3\nEND\n\
             EXPECT b IDX 8 TOLERANCE 1% 0.5 EQ 1 \\\n 2 # no\nEXPECT b EQ_BUFFER b\nEXPECT i IDX 0 1 SIZE 2 3 EQ_RGB 1 2 3",
        )
        .unwrap();
        assert!(script.buffers[0].rules.std140 && script.buffers[0].count == Some(4));
        assert!(matches!(&script.commands[0].what, What::Repeat { times: 3, commands } if commands.len() == 1));
        let What::Expect { holds: Holds::Values { at: 8, tolerance, values, .. }, .. } = &script.commands[1].what
        else {
            panic!("{script:?}")
        };
        let percent = Tolerance { value: 1.0, percent: true };
        assert_eq!(tolerance[..], [percent, Tolerance { value: 0.5, percent: false }]);
        assert_eq!(values[..], ["1", "2"]);
        assert!(matches!(&script.commands[3].what, What::Expect { holds: Holds::Colour { size: [2, 3], .. }, .. }));
    }
}

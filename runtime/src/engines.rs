//! The table of engines: what programs of a name are shown beyond the truth. `runtime/engines.toml` is the table, and says what
//! may stand in it.

use serde::Deserialize;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use toml::Spanned;
use wavepipe_hw::file;

/// The table that ships with wavepipe, as text.
pub const STANDARD: &str = include_str!("../engines.toml");

/// Of a file that is laid over it.
const FILE_BYTES: u64 = 1 << 20;

macro_rules! drawing {
    ($($flag:ident $name:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Bit { $($flag,)* }
        bitflags::bitflags! {
            /// Features that only a graphics pipeline can use. There are none of those, so it harms nobody to be shown these.
            #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
            pub struct Drawing: u32 { $(const $flag = 1 << Bit::$flag as u32;)* }
        }
        impl Drawing {
            /// The specification's names.
            pub const NAMES: &[(&str, Drawing)] = &[$(($name, Drawing::$flag)),*];
        }
    };
}

drawing! {
    FULL_DRAW_INDEX_UINT32 "fullDrawIndexUint32"
    INDEPENDENT_BLEND "independentBlend"
    GEOMETRY_SHADER "geometryShader"
    TESSELLATION_SHADER "tessellationShader"
    SAMPLE_RATE_SHADING "sampleRateShading"
    DUAL_SRC_BLEND "dualSrcBlend"
    LOGIC_OP "logicOp"
    MULTI_DRAW_INDIRECT "multiDrawIndirect"
    DRAW_INDIRECT_FIRST_INSTANCE "drawIndirectFirstInstance"
    DEPTH_CLAMP "depthClamp"
    DEPTH_BIAS_CLAMP "depthBiasClamp"
    FILL_MODE_NON_SOLID "fillModeNonSolid"
    DEPTH_BOUNDS "depthBounds"
    WIDE_LINES "wideLines"
    LARGE_POINTS "largePoints"
    ALPHA_TO_ONE "alphaToOne"
    MULTI_VIEWPORT "multiViewport"
    VERTEX_PIPELINE_STORES_AND_ATOMICS "vertexPipelineStoresAndAtomics"
    FRAGMENT_STORES_AND_ATOMICS "fragmentStoresAndAtomics"
    SHADER_TESSELLATION_AND_GEOMETRY_POINT_SIZE "shaderTessellationAndGeometryPointSize"
    SHADER_CLIP_DISTANCE "shaderClipDistance"
    SHADER_CULL_DISTANCE "shaderCullDistance"
    SHADER_DRAW_PARAMETERS "shaderDrawParameters"
    DRAW_INDIRECT_COUNT "drawIndirectCount"
    SHADER_OUTPUT_VIEWPORT_INDEX "shaderOutputViewportIndex"
    SHADER_OUTPUT_LAYER "shaderOutputLayer"
}

impl Drawing {
    /// The names of those that are in it.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().filter(move |(_, flag)| self.contains(*flag)).map(|(name, _)| *name)
    }
}

/// What a program is shown beyond the truth; by default nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    /// The version of Vulkan's conformance tests.
    pub conformance: Option<[u8; 4]>,
    pub drawing: Drawing,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.conformance.map(|[a, b, c, d]| format!("conformance {a}.{b}.{c}.{d}"));
        let all: Vec<String> = version.into_iter().chain(self.drawing.names().map(String::from)).collect();
        f.write_str(if all.is_empty() { "nothing" } else { "" })?;
        f.write_str(&all.join(", "))
    }
}

/// How a program calls itself in VkApplicationInfo: name and version.
#[derive(Clone, Copy, Default, Debug)]
pub struct Names<'a> {
    pub engine: Option<(&'a [u8], u32)>,
    pub application: Option<(&'a [u8], u32)>,
}

/// An entry of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub engine: Option<String>,
    pub application: Option<String>,
    /// First and last.
    versions: Option<[u32; 2]>,
    pub shown: Shown,
    pub why: String,
    pub source: String,
}

impl Program {
    fn is(&self, names: &Names<'_>) -> bool {
        let same = |own: &Option<String>, its: Option<(&[u8], u32)>| {
            own.as_ref().is_none_or(|own| its.is_some_and(|(name, _)| name == own.as_bytes()))
        };
        let version = if self.engine.is_some() { names.engine } else { names.application };
        same(&self.engine, names.engine)
            && same(&self.application, names.application)
            && self.versions.is_none_or(|[first, last]| version.is_some_and(|(_, v)| (first..=last).contains(&v)))
    }

    fn has_names_of(&self, other: &Program) -> bool {
        (&self.engine, &self.application) == (&other.engine, &other.application)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.engine, &self.application) {
            (Some(engine), Some(application)) => write!(f, "{application} on {engine}"),
            (Some(name), None) | (None, Some(name)) => f.write_str(name),
            (None, None) => Ok(()),
        }
    }
}

/// Who is shown what.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Engines {
    /// The table that ships with wavepipe.
    #[default]
    Standard,
    /// That, with a file laid over it; and none at all.
    Own(Arc<[Program]>),
}

impl Engines {
    /// Nobody is shown anything.
    pub fn off() -> Engines {
        Engines::Own(Arc::new([]))
    }

    /// The standard table with the file's programs in the place of those with the same names. Errors name file and line.
    pub fn open(path: &str) -> Result<Engines, String> {
        let whole = |why: &dyn fmt::Display| format!("{path}: {why}");
        let bytes = file::read(Path::new(path), FILE_BYTES).map_err(|e| whole(&e))?;
        let text = String::from_utf8(bytes).map_err(|e| whole(&e))?;
        let own = parse(&text).map_err(|Wrong { at, what }| format!("{path}:{}: {what}", line(&text, at)))?;
        let kept = standard().iter().filter(|p| !own.iter().any(|o| o.has_names_of(p))).cloned();
        Ok(Engines::Own(kept.chain(own.iter().cloned()).collect()))
    }

    /// The entries in force.
    pub fn programs(&self) -> &[Program] {
        match self {
            Engines::Standard => standard(),
            Engines::Own(programs) => programs,
        }
    }

    /// Whether an entry may mean these names: the standard table is not read for a program that it does not mention.
    pub(crate) fn mentions(&self, names: &Names<'_>) -> bool {
        let within = |name: &[u8]| {
            let quoted = |w: &[u8]| w[0] == b'"' && w[w.len() - 1] == b'"' && &w[1..w.len() - 1] == name;
            !name.is_empty() && STANDARD.as_bytes().windows(name.len() + 2).any(quoted)
        };
        let mut all = names.engine.iter().chain(&names.application);
        all.any(|(name, _)| !matches!(self, Engines::Standard) || within(name))
    }

    /// The entries that mean a program of these names and show it something.
    pub fn of<'a>(&'a self, names: &Names<'a>) -> impl Iterator<Item = &'a Program> {
        let programs = if self.mentions(names) { self.programs() } else { &[] };
        programs.iter().filter(move |p| p.shown != Shown::default() && p.is(names))
    }

    /// All that such a program is shown.
    pub fn shown(&self, names: &Names<'_>) -> Shown {
        self.of(names).fold(Shown::default(), |all, program| Shown {
            conformance: all.conformance.max(program.shown.conformance),
            drawing: all.drawing | program.shown.drawing,
        })
    }
}

/// Read for the first program that it mentions.
fn standard() -> &'static [Program] {
    static PROGRAMS: LazyLock<Vec<Program>> =
        LazyLock::new(|| parse(STANDARD).expect("the table that ships with wavepipe; its test reads it"));
    &PROGRAMS
}

/// What is wrong at which byte.
#[derive(Debug)]
struct Wrong {
    at: usize,
    what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    program: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    engine: Option<String>,
    application: Option<String>,
    versions: Option<Spanned<[u32; 2]>>,
    conformance: Option<Spanned<String>>,
    #[serde(default)]
    features: Vec<Spanned<String>>,
    why: String,
    #[serde(default)]
    source: String,
}

fn parse(text: &str) -> Result<Vec<Program>, Wrong> {
    let table: Table = toml::from_str(text).map_err(|e| Wrong {
        at: e.span().map_or(0, |span| span.start),
        what: e.message().trim_end().replace('\n', ", "),
    })?;
    table.program.into_iter().map(program).collect()
}

fn program(entry: Spanned<Entry>) -> Result<Program, Wrong> {
    let at = entry.span().start;
    let Entry { engine, application, versions, conformance, features, why, source } = entry.into_inner();
    let named = engine.iter().chain(&application).any(|name| !name.is_empty());
    if !named {
        return Err(Wrong { at, what: "a program without a name: give engine or application".into() });
    }
    if let Some(versions) = &versions
        && versions.get_ref()[0] > versions.get_ref()[1]
    {
        return Err(Wrong {
            at: versions.span().start,
            what: "the first version is behind the last: swap them".into(),
        });
    }
    let conformance = conformance.map(|text| {
        let what = || format!("`{}` is no version: give four numbers such as 1.3.0.0", text.get_ref());
        version(text.get_ref()).ok_or_else(|| Wrong { at: text.span().start, what: what() })
    });
    let mut drawing = Drawing::empty();
    for name in &features {
        let flag = Drawing::NAMES.iter().find(|(known, _)| known == name.get_ref());
        let what = || {
            let known: Vec<&str> = Drawing::all().names().collect();
            format!(
                "`{}` is no feature of drawing, and no other is shown; there are {}",
                name.get_ref(),
                known.join(", ")
            )
        };
        drawing |= flag.ok_or_else(|| Wrong { at: name.span().start, what: what() })?.1;
    }
    let shown = Shown { conformance: conformance.transpose()?, drawing };
    Ok(Program { engine, application, versions: versions.map(Spanned::into_inner), shown, why, source })
}

/// Four numbers with points between.
pub(crate) fn version(text: &str) -> Option<[u8; 4]> {
    let parts: Option<Vec<u8>> = text.split('.').map(|part| part.parse().ok()).collect();
    parts?.try_into().ok()
}

/// Line of a place in a text, from 1.
fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&b| b == b'\n').count() + 1
}

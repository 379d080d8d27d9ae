//! vkrunner's `.shader_test`, as far as it computes: <https://gitlab.freedesktop.org/mesa/vkrunner>.

use crate::layout::{Kind, Rules};
use crate::play::{
    Act, Bind, Comparison, Dispatch, Do, Expectation, Groups, Holds, Kernel, Near, Play, Probe, Resource, Show,
};
use crate::source;
use std::collections::BTreeMap;
use std::path::Path;
use wavepipe::bind::Prepared;
use wavepipe::element::{Number, Scalar};
use wavepipe::failure::Failure;
use wavepipe::job::{BindingSlot, Spoken};
use wavepipe::view::{Shape, View};

/// Why a script does not run, with its line.
pub use crate::amber::Stop;

type Result<T> = std::result::Result<T, Stop>;

struct Section<'a> {
    name: &'a str,
    /// Of its first line.
    line: u32,
    text: String,
}

/// Sections: `[NAME]` in a line of its own. Long lines go on behind a backslash.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut out: Vec<Section<'_>> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let name = line.trim_end().strip_prefix('[').and_then(|l| l.strip_suffix(']'));
        match (name, out.last_mut()) {
            (Some(name), _) => out.push(Section { name, line: number + 1, text: String::new() }),
            (None, Some(section)) => {
                section.text += line;
                section.text += "\n";
            }
            (None, None) => {}
        }
    }
    out
}

/// Whether a text is in sections.
pub fn is(text: &str) -> bool {
    !sections(text).is_empty()
}

/// Lines with their numbers, comments and continuations resolved.
fn lines(section: &Section<'_>) -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    let mut open = false;
    for (line, number) in section.text.lines().zip(section.line..) {
        let (part, goes_on) = line.trim_end().strip_suffix('\\').map_or((line, false), |l| (l, true));
        match out.last_mut().filter(|_| open) {
            Some((_, text)) => {
                text.push(' ');
                text.push_str(part);
            }
            None => out.push((number, part.to_owned())),
        }
        open = goes_on;
    }
    for (_, text) in &mut out {
        *text = text.split('#').next().unwrap_or("").trim().to_owned();
    }
    out.retain(|(_, text)| !text.is_empty());
    out
}

const SCALARS: [(&str, &str, Scalar); 11] = [
    ("int8_t", "i8vec", Scalar::I8),
    ("uint8_t", "u8vec", Scalar::U8),
    ("int16_t", "i16vec", Scalar::I16),
    ("uint16_t", "u16vec", Scalar::U16),
    ("float16_t", "f16vec", Scalar::F16),
    ("int64_t", "i64vec", Scalar::I64),
    ("uint64_t", "u64vec", Scalar::U64),
    ("int", "ivec", Scalar::I32),
    ("uint", "uvec", Scalar::U32),
    ("float", "vec", Scalar::F32),
    ("double", "dvec", Scalar::F64),
];

/// `int`, `vec3`, `dmat2x3`, `mat4`.
pub(crate) fn kind(name: &str) -> Option<Kind> {
    let side = |s: &str| s.parse::<usize>().ok().filter(|n| (2..=4).contains(n));
    for (scalar, vector, ty) in SCALARS {
        if name == scalar {
            return Some(Kind::scalar(ty));
        }
        if let Some(rows) = name.strip_prefix(vector).and_then(side) {
            return Some(Kind { scalar: ty, rows, columns: 1 });
        }
    }
    let (sides, scalar) = match name.strip_prefix("dmat") {
        Some(sides) => (sides, Scalar::F64),
        None => (name.strip_prefix("mat")?, Scalar::F32),
    };
    let (columns, rows) = sides.split_once('x').unwrap_or((sides, sides));
    Some(Kind { scalar, rows: side(rows)?, columns: side(columns)? })
}

struct Reader<'a> {
    path: &'a Path,
    shader: Option<wavepipe::Shader>,
    entry: String,
    slots: BTreeMap<BindingSlot, usize>,
    sizes: Vec<usize>,
    push: Vec<u8>,
    tolerance: [Near; 4],
    layouts: BTreeMap<&'static str, Rules>,
    acts: Vec<Act>,
    /// The first dispatch that no probe has brought to its end: what is written until then, it reads.
    open: Option<usize>,
    kernels: Vec<(String, Kernel)>,
}

fn at(line: u32) -> impl Fn(Failure) -> Stop {
    move |e| match e {
        Failure::Unsupported(text) => Stop::Refused(line, text),
        other => Stop::Wrong(line, other.to_string()),
    }
}

const DRAWS: [&str; 7] = ["draw", "clear", "patch", "relative", "probe rect", "probe all", "probe rgb"];

/// A script that lies at `path`. Several numbers of a line are elements of an array, as far apart as these are; in Amber's dialect,
/// `dense`, they follow each other.
pub fn stage(text: &str, path: &Path, dense: bool) -> Result<Play> {
    let near = Near { value: 0.01, percent: false };
    let std430 = Rules { array: !dense, ..Rules::default() };
    let std140 = Rules { std140: true, ..std430 };
    let mut reader = Reader {
        path,
        shader: None,
        entry: "main".to_owned(),
        slots: BTreeMap::new(),
        sizes: Vec::new(),
        push: Vec::new(),
        tolerance: [near; 4],
        layouts: BTreeMap::from([("push", std430), ("ssbo", std430), ("ubo", std140)]),
        acts: Vec::new(),
        open: None,
        kernels: Vec::new(),
    };
    for section in sections(text) {
        let place = source::At { path, line: section.line };
        let shader = match section.name {
            "compute shader" => source::glsl(&section.text, &place, None),
            "compute shader spirv" => source::assembly(&section.text, &place, None, "spv1.3"),
            "compute shader binary" => source::hex(&section.text, &place),
            "test" => {
                reader.test(&section)?;
                continue;
            }
            "require" | "comment" => continue,
            name if name.contains(" shader") || name == "vertex data" || name == "indices" => {
                let message = format!("[{name}] is for drawing, and wavepipe only computes");
                return Err(Stop::Refused(section.line - 1, message));
            }
            name => return Err(Stop::Wrong(section.line - 1, format!("[{name}] is no section of a shader test"))),
        };
        if reader.shader.is_some() {
            let message = "several [compute shader] sections that are to be linked";
            return Err(Stop::Refused(section.line - 1, message.into()));
        }
        reader.shader = Some(shader.map_err(at(section.line))?);
    }
    Ok(reader.play())
}

/// A command's words.
struct Args<'a> {
    words: std::str::SplitWhitespace<'a>,
    line: u32,
}

impl<'a> Args<'a> {
    fn word(&mut self, what: &str) -> Result<&'a str> {
        self.words.next().ok_or_else(|| Stop::Wrong(self.line, format!("{what} is missing")))
    }

    fn number(&mut self, what: &str) -> Result<usize> {
        let word = self.word(what)?;
        let number = word.strip_prefix("0x").map_or(word.parse().ok(), |hex| usize::from_str_radix(hex, 16).ok());
        number.ok_or_else(|| Stop::Wrong(self.line, format!("`{word}` is no number, {what} is one")))
    }

    fn slot(&mut self) -> Result<BindingSlot> {
        let word = self.word("a binding")?;
        let (set, binding) = word.split_once(':').unwrap_or(("0", word));
        let number =
            |n: &str| n.parse().map_err(|_| Stop::Wrong(self.line, format!("`{word}` is no binding: [SET:]BINDING")));
        Ok(BindingSlot { set: number(set)?, binding: number(binding)? })
    }

    fn kind(&mut self) -> Result<Kind> {
        let word = self.word("a type")?;
        kind(word).ok_or_else(|| Stop::Wrong(self.line, format!("`{word}` is no type")))
    }

    /// Numbers of a type from a byte on, each with its place.
    fn values(&mut self, kind: Kind, rules: Rules, at: usize) -> Result<Vec<(usize, Number)>> {
        let words: Vec<&str> = self.words.by_ref().collect();
        let rules = Rules { array: rules.array && words.len() > kind.numbers(), ..rules };
        let lay = kind.lay(rules);
        if words.is_empty() || !words.len().is_multiple_of(kind.numbers()) {
            let message = format!("{} values, and each takes {}", words.len(), kind.numbers());
            return Err(Stop::Wrong(self.line, message));
        }
        let places = (0..).flat_map(|n| lay.leaves.iter().map(move |l| at + n * lay.stride + l.offset));
        let one = |(word, place): (&&str, usize)| {
            let number = crate::vkrunner::number(kind.scalar, word);
            Ok((place, number.map_err(|e| Stop::Wrong(self.line, e.to_string()))?))
        };
        words.iter().zip(places).map(one).collect()
    }
}

/// Hexadecimal numbers are the bits of floats.
fn number(scalar: Scalar, text: &str) -> wavepipe::Result<Number> {
    match text.strip_prefix("0x").map(|hex| u64::from_str_radix(hex, 16)) {
        Some(Ok(bits)) => Ok(scalar.get(&bits.to_le_bytes())),
        _ => {
            // As memory can hold it.
            let mut bytes = Vec::new();
            scalar.put(scalar.parse(text)?, &mut bytes);
            Ok(scalar.get(&bytes))
        }
    }
}

impl Reader<'_> {
    fn test(&mut self, section: &Section<'_>) -> Result<()> {
        for (line, text) in lines(section) {
            if let Some(what) = DRAWS.iter().find(|d| text.starts_with(*d)) {
                return Err(Stop::Refused(line, format!("`{what}` is for drawing, and wavepipe only computes")));
            }
            let mut args = Args { words: text.split_whitespace(), line };
            self.command(&mut args, &text)?;
            if let Some(more) = args.words.next() {
                return Err(Stop::Wrong(line, format!("`{more}` is one word too many")));
            }
        }
        Ok(())
    }

    fn command(&mut self, args: &mut Args<'_>, text: &str) -> Result<()> {
        let line = args.line;
        match args.word("a command")? {
            "compute" if text.contains("entrypoint") => {
                args.word("entrypoint")?;
                self.entry = args.word("an entry point")?.to_owned();
            }
            "compute" => {
                let mut groups = [0; 3];
                for n in &mut groups {
                    *n = args.number("the number of work-groups")? as u32;
                }
                self.dispatch(groups, line)?;
            }
            "ssbo" => self.buffer("ssbo", args)?,
            "ubo" => self.buffer("ubo", args)?,
            "push" => match text.split_whitespace().nth(1) {
                Some("layout") => self.layout("push", args)?,
                _ => self.push(args)?,
            },
            "uniform" => match text.split_whitespace().nth(1) {
                Some("ubo") => {
                    args.word("ubo")?;
                    let slot = args.slot()?;
                    self.write(slot, "ubo", args)?;
                }
                _ => self.push(args)?,
            },
            "tolerance" => self.tolerances(args)?,
            "probe" => {
                args.word("ssbo")?;
                self.probe(args)?;
            }
            "fragment" | "vertex" | "geometry" => {
                return Err(Stop::Refused(line, format!("`{text}` is for drawing, and wavepipe only computes")));
            }
            other => return Err(Stop::Wrong(line, format!("`{other}` is no command of a shader test"))),
        }
        Ok(())
    }

    fn resource(&mut self, slot: BindingSlot, size: usize) -> usize {
        let next = self.sizes.len();
        let n = *self.slots.entry(slot).or_insert(next);
        if n == next {
            self.sizes.push(0);
        }
        self.sizes[n] = self.sizes[n].max(size);
        n
    }

    fn buffer(&mut self, kind: &'static str, args: &mut Args<'_>) -> Result<()> {
        if args.words.clone().next() == Some("layout") {
            return self.layout(kind, args);
        }
        let slot = args.slot()?;
        match args.words.clone().next() {
            Some("subdata") => {
                args.word("subdata")?;
                self.write(slot, kind, args)
            }
            _ => {
                let size = args.number("a size")?;
                self.resource(slot, size);
                Ok(())
            }
        }
    }

    fn layout(&mut self, of: &'static str, args: &mut Args<'_>) -> Result<()> {
        args.word("layout")?;
        let mut rules = Rules { row_major: false, ..self.layouts[of] };
        for word in args.words.by_ref() {
            match word {
                "std140" => rules.std140 = true,
                "std430" => rules.std140 = false,
                "row_major" => rules.row_major = true,
                "column_major" => rules.row_major = false,
                other => return Err(Stop::Wrong(args.line, format!("`{other}` is no layout"))),
            }
        }
        self.layouts.insert(of, rules);
        Ok(())
    }

    fn write(&mut self, slot: BindingSlot, kind: &str, args: &mut Args<'_>) -> Result<()> {
        let (ty, line) = (args.kind()?, args.line);
        let offset = args.number("an offset")?;
        for (at, number) in args.values(ty, self.layouts[kind], offset)? {
            let mut bytes = Vec::new();
            ty.scalar.put(number, &mut bytes);
            let resource = self.resource(slot, at + bytes.len());
            let act = Act { line, what: Do::Write { resource, at, bytes } };
            match &mut self.open {
                // Behind what was written before, and in front of what has not run yet.
                Some(first) => {
                    self.acts.insert(*first, act);
                    *first += 1;
                }
                None => self.acts.push(act),
            }
        }
        Ok(())
    }

    fn push(&mut self, args: &mut Args<'_>) -> Result<()> {
        let ty = args.kind()?;
        let offset = args.number("an offset")?;
        for (at, number) in args.values(ty, self.layouts["push"], offset)? {
            let mut bytes = Vec::new();
            ty.scalar.put(number, &mut bytes);
            let end = at + bytes.len();
            if end > 256 {
                return Err(Stop::Wrong(args.line, format!("byte {end} of push constants, of which there are 256")));
            }
            self.push.resize(self.push.len().max(end), 0);
            self.push[at..end].copy_from_slice(&bytes);
        }
        Ok(())
    }

    fn tolerances(&mut self, args: &mut Args<'_>) -> Result<()> {
        let bad = |word: &str| Stop::Wrong(args.line, format!("`{word}` is no tolerance"));
        let mut all = Vec::new();
        for word in args.words.by_ref() {
            let (number, percent) = word.strip_suffix('%').map_or((word, false), |n| (n, true));
            let value = number.parse::<f64>().ok().filter(|v| *v >= 0.0).ok_or_else(|| bad(word))?;
            all.push(Near { value, percent });
        }
        self.tolerance = match all[..] {
            [one] => [one; 4],
            [a, b, c, d] => [a, b, c, d],
            _ => return Err(Stop::Wrong(args.line, "one tolerance, or four".into())),
        };
        Ok(())
    }

    fn dispatch(&mut self, groups: [u32; 3], line: u32) -> Result<()> {
        let known = self.kernels.iter().position(|(name, _)| *name == self.entry);
        let kernel = match known {
            Some(n) => n,
            None => {
                let shader =
                    self.shader.as_ref().ok_or_else(|| Stop::Wrong(line, "there is no [compute shader]".into()))?;
                let special = shader.specialize(&[], &[], Spoken::File).map_err(at(line))?;
                let entry = special.entry(Some(&self.entry), self.path).map_err(at(line))?;
                self.kernels
                    .push((self.entry.clone(), Kernel { path: self.path.to_owned(), special, entry, wave: None }));
                self.kernels.len() - 1
            }
        };
        let mut push = self.push.clone();
        push.resize((self.kernels[kernel].1.entry.push_constant_bytes as usize).next_multiple_of(4), 0);
        let what = Dispatch { kernel, bound: Vec::new(), push, groups: Groups::These(groups), repeat: 1 };
        self.open.get_or_insert(self.acts.len());
        self.acts.push(Act { line, what: Do::Dispatch(what) });
        Ok(())
    }

    fn probe(&mut self, args: &mut Args<'_>) -> Result<()> {
        let ty = args.kind()?;
        let slot = args.slot()?;
        let offset = args.number("an offset")?;
        let comparison = args.word("a comparison")?;
        let line = args.line;
        let mut probes = Vec::new();
        for (n, (byte, wanted)) in args.values(ty, self.layouts["ssbo"], offset)?.into_iter().enumerate() {
            let comparison = match comparison {
                "==" => Comparison::Is,
                "~=" => Comparison::Near(self.tolerance[n % ty.rows]),
                "!=" => Comparison::IsNot,
                "<" => Comparison::Less,
                "<=" => Comparison::LessOrIs,
                ">" => Comparison::More,
                ">=" => Comparison::MoreOrIs,
                other => return Err(Stop::Wrong(line, format!("`{other}` is no comparison"))),
            };
            probes.push(Probe { byte, scalar: ty.scalar, comparison, wanted });
        }
        let Some(&resource) = self.slots.get(&slot) else {
            return Err(Stop::Wrong(line, format!("there is no buffer at {}:{}", slot.set, slot.binding)));
        };
        let has = self.sizes[resource];
        if let Some(p) = probes.iter().find(|p| p.byte + p.scalar.bytes() > has) {
            return Err(Stop::Wrong(line, format!("byte {} is past the {has} bytes of the buffer", p.byte)));
        }
        self.open = None;
        self.acts.push(Act { line, what: Do::Expect(Expectation { resource, holds: Holds::Probes(probes) }) });
        Ok(())
    }

    fn play(mut self) -> Play {
        let name = |slot: &BindingSlot| match slot.set {
            0 => slot.binding.to_string(),
            set => format!("{set}:{}", slot.binding),
        };
        let mut resources: Vec<(usize, Resource)> = Vec::new();
        for (slot, n) in &self.slots {
            let bytes = self.sizes[*n].next_multiple_of(4);
            let element = wavepipe::element::Element { scalar: Scalar::U32, lanes: 1 };
            let view = View { label: format!("{bytes} bytes"), ..View::from(Shape { element, count: bytes / 4 }) };
            let prepared = Prepared::Buffer { view, bytes: vec![0; bytes], filled: true };
            resources.push((*n, Resource { name: format!("buffer {}", name(slot)), prepared }));
        }
        resources.sort_by_key(|(n, _)| *n);
        for act in &mut self.acts {
            let Do::Dispatch(d) = &mut act.what else { continue };
            let uses = &self.kernels[d.kernel].1.entry.resources;
            let bind = |(slot, n): (&BindingSlot, &usize)| {
                let used = uses.iter().any(|r| (r.set, r.binding) == (slot.set, slot.binding));
                let what = Show::Buffer { resource: *n, offset: 0, bytes: None };
                used.then_some(Bind { set: slot.set, binding: slot.binding, element: 0, what })
            };
            d.bound = self.slots.iter().filter_map(bind).collect();
        }
        Play {
            resources: resources.into_iter().map(|(_, r)| r).collect(),
            kernels: self.kernels.into_iter().map(|(_, k)| k).collect(),
            acts: self.acts,
        }
    }
}

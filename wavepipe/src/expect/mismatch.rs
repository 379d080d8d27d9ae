//! A comparison that does not hold, and its report.

use super::Tolerance;
use crate::contents::Contents;
use crate::failure::Failure;
use crate::picture::Picture;
use crate::view::Leaf;
use std::path::PathBuf;

/// What was not as wanted. Its text is the report.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Mismatch {
    /// Which buffer or image.
    pub of: String,
    /// Its type: `f32[64]`.
    pub label: String,
    /// What was allowed.
    pub tolerance: Tolerance,
    /// Numbers that are not as wanted, or pixels.
    pub differing: usize,
    /// How many there are.
    pub numbers: usize,
    /// Whether pixels are counted.
    pub pixels: bool,
    /// The first that differ.
    pub shown: Vec<Difference>,
    /// The one that is furthest from what is wanted.
    pub worst: Option<Difference>,
    /// The root of the mean square, where that was to be small.
    pub rmse: Option<f64>,
    /// Who wrote the first that differs, where that is known.
    pub writer: Option<Writer>,
    /// Where no invocation has written it: who has.
    #[serde(skip)]
    pub otherwise: Option<Otherwise>,
    /// The command that runs this case again.
    pub again: Option<String>,
    /// Of pictures: what differs, in red.
    #[serde(skip)]
    pub picture: Option<Picture>,
    /// Where that picture was written.
    pub written: Option<PathBuf>,
}

/// A number that is not as wanted, or a pixel.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// Which one.
    pub spot: Spot,
    /// What the shader calls it, of structures: `velocity.y`.
    pub member: Option<String>,
    /// Where it lies in the buffer, or in the image's texels.
    pub byte: usize,
    /// What there is.
    pub got: String,
    /// What was wanted.
    pub wanted: String,
    /// How far they are from each other; nothing between a NaN and a number, and of pixels.
    pub ulp: Option<u64>,
}

/// Which number of a resource.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Spot {
    /// One of those before the array, or where there is no array.
    Head(usize),
    /// An element, and which of its numbers if it has several.
    Element(usize, Option<usize>),
    /// Column, row, slice or layer, as many as the image has sides; and which channel.
    Texel(Vec<usize>, Option<usize>),
}

/// Who wrote a byte last.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Writer {
    /// Its work-group.
    pub workgroup: [u32; 3],
    /// Which wave of it.
    pub wave: u32,
    /// Which lane of that.
    pub lane: u32,
    /// The invocation's place in the whole dispatch.
    pub invocation: [u32; 3],
    /// `FILE:LINE`, where the module tells.
    pub source: Option<String>,
    /// The machine instruction, with its place in the code.
    pub instruction: String,
}

/// What a number is of that no invocation has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Otherwise {
    /// It is as it was.
    Nobody,
    /// A command of the device wrote it, which copies or fills.
    Copy,
}

impl Otherwise {
    /// What a device tells of a byte; nothing of what an invocation wrote.
    pub fn of(told: Option<&wavepipe_runtime::Writer>) -> Option<Otherwise> {
        match told {
            None => Some(Otherwise::Nobody),
            Some(wavepipe_runtime::Writer::Command) => Some(Otherwise::Copy),
            Some(_) => None,
        }
    }
}

impl Writer {
    /// What a device tells of a byte; nothing of what no invocation wrote.
    pub fn of(told: &wavepipe_runtime::Writer) -> Option<Writer> {
        let wavepipe_runtime::Writer::Invocation(by) = told else { return None };
        let site = &by.site;
        Some(Writer {
            workgroup: site.workgroup,
            wave: site.wave,
            lane: site.lane,
            invocation: by.invocation?,
            source: site.source.as_ref().map(|s| format!("{}:{}", s.file, s.line)),
            instruction: site.disassembly.clone(),
        })
    }
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letter = |f: &mut std::fmt::Formatter<'_>, lane: Option<usize>, letters: &str| match lane {
            None => Ok(()),
            Some(n) => match letters.get(n..n + 1) {
                Some(letter) => write!(f, ".{letter}"),
                None => write!(f, "[{n}]"),
            },
        };
        match self {
            Spot::Head(n) => write!(f, "number {n} of the head"),
            Spot::Element(n, lane) => write!(f, "element {n}").and_then(|()| letter(f, *lane, "xyzw")),
            Spot::Texel(at, lane) => {
                let sides: Vec<String> = at.iter().map(usize::to_string).collect();
                write!(f, "texel ({})", sides.join(", ")).and_then(|()| letter(f, *lane, "rgba"))
            }
        }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.spot, &self.member) {
            (Spot::Head(_), Some(member)) => write!(f, "{member}")?,
            (Spot::Element(n, _), Some(member)) => {
                let dot = if member.starts_with('[') { "" } else { "." };
                write!(f, "element {n}{dot}{member}")?;
            }
            (spot, _) => write!(f, "{spot}")?,
        }
        write!(f, ", byte {}: got {}, wanted {}", self.byte, self.got, self.wanted)?;
        self.ulp.map_or(Ok(()), |n| write!(f, ", {n} ULP apart"))
    }
}

impl std::fmt::Display for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.workgroup;
        let [ix, iy, iz] = self.invocation;
        write!(f, "work-group ({x}, {y}, {z}), wave {}, lane {}, invocation ({ix}, {iy}, {iz})", self.wave, self.lane)?;
        self.source.iter().try_for_each(|source| write!(f, ", {source}"))?;
        write!(f, ", `{}`", self.instruction)
    }
}

impl Difference {
    /// The `n`th number of a resource.
    pub(super) fn at(n: usize, leaf: Leaf, got: &Contents, wanted: &Contents, ulp: Option<u64>) -> Difference {
        let (view, head) = (&got.view, got.view.head.len());
        let lanes = view.element.len().max(1);
        let text = |of: &Contents| leaf.scalar.text(&of.bytes[leaf.offset..]);
        let member = view.member(n);
        let whole = member.is_some() && view.types.as_ref().is_some_and(|t| t.whole);
        let (spot, byte) = match (n.checked_sub(head), &got.texels) {
            (None, _) => (Spot::Head(n), leaf.offset),
            _ if whole => (Spot::Head(n), leaf.offset),
            (Some(n), None) => (Spot::Element(n / lanes, (lanes > 1).then_some(n % lanes)), leaf.offset),
            (Some(n), Some(t)) => {
                let at = coordinates(n / lanes, &t.plan.sides());
                (Spot::Texel(at, (lanes > 1).then_some(n % lanes)), n * t.plan.texel.component().bytes())
            }
        };
        Difference { spot, member, byte, got: text(got), wanted: text(wanted), ulp }
    }

    pub(super) fn of_pixel(n: usize, width: usize, got: &Picture, wanted: &Picture) -> Difference {
        let text = |of: &Picture| format!("{:?}", &of.rgba[4 * n..4 * n + 4]);
        let spot = Spot::Texel(vec![n % width, n / width], None);
        Difference { spot, member: None, byte: 4 * n, got: text(got), wanted: text(wanted), ulp: None }
    }
}

/// Column first.
fn coordinates(mut n: usize, sides: &[usize]) -> Vec<usize> {
    let mut out = Vec::new();
    for side in sides.iter().rev() {
        out.push(n % side);
        n /= side;
    }
    out
}

impl Mismatch {
    /// Of all numbers of `got`, which is called `of`; none of them differs yet.
    pub fn new(of: &str, got: &Contents, tolerance: Tolerance) -> Mismatch {
        Mismatch {
            of: of.to_owned(),
            label: got.view.label.clone(),
            tolerance,
            differing: 0,
            numbers: got.view.scalars(),
            pixels: false,
            shown: Vec::new(),
            worst: None,
            rmse: None,
            writer: None,
            otherwise: None,
            again: None,
            picture: None,
            written: None,
        }
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mismatch { of, label, differing, numbers, tolerance, .. } = self;
        let what = if self.pixels { "pixels" } else { "numbers" };
        let verb = if *differing == 1 { "is" } else { "are" };
        write!(f, "{of}: {differing} of {numbers} {what} {verb} not as wanted ({label}, {tolerance})")?;
        self.rmse.map_or(Ok(()), |rmse| write!(f, "\n  RMSE {rmse}"))?;
        self.shown.iter().try_for_each(|d| write!(f, "\n  {d}"))?;
        if *differing > self.shown.len() {
            write!(f, "\n  …")?;
            let worst = self.worst.iter().filter(|w| !self.shown.contains(w));
            worst.into_iter().try_for_each(|w| write!(f, "\n  furthest: {w}"))?;
        }
        self.writer.iter().try_for_each(|writer| write!(f, "\n  last written by {writer}"))?;
        match self.otherwise {
            Some(Otherwise::Nobody) => write!(f, "\n  nobody has written it")?,
            Some(Otherwise::Copy) => write!(f, "\n  last written by a copy")?,
            None => {}
        }
        self.written.iter().try_for_each(|file| write!(f, "\n  what differs, in red: {}", file.display()))?;
        self.again.iter().try_for_each(|command| write!(f, "\n  again: {command}"))
    }
}

impl std::error::Error for Mismatch {}

impl From<Box<Mismatch>> for Failure {
    fn from(mismatch: Box<Mismatch>) -> Failure {
        Failure::Check(mismatch.to_string())
    }
}

//! What a case does, whichever file says it: resources, kernels, and acts in order. Everything in it is checked and has its place
//! in memory; nothing of a device is in it.

use std::path::PathBuf;
use wavepipe::bind::Prepared;
use wavepipe::contents::Contents;
use wavepipe::element::{Number, Scalar};
use wavepipe::expect::Tolerance;
use wavepipe::shader::Special;
use wavepipe::texel::Texel;
use wavepipe_runtime::compiler::spirv::EntryInfo;
use wavepipe_runtime::{SamplerInfo, WaveSize};

#[derive(Default)]
pub struct Play {
    pub resources: Vec<Resource>,
    pub kernels: Vec<Kernel>,
    pub acts: Vec<Act>,
}

pub struct Resource {
    pub name: String,
    pub prepared: Prepared,
}

pub struct Kernel {
    /// For messages.
    pub path: PathBuf,
    pub special: Special,
    pub entry: EntryInfo,
    /// `None`: the device's.
    pub wave: Option<WaveSize>,
}

pub struct Act {
    /// Of the test file; 0 where it has none.
    pub line: u32,
    pub what: Do,
}

pub enum Do {
    Dispatch(Dispatch),
    Copy { from: usize, to: usize },
    Write { resource: usize, at: usize, bytes: Vec<u8> },
    Expect(Expectation),
}

pub struct Dispatch {
    pub kernel: usize,
    pub bound: Vec<Bind>,
    pub push: Vec<u8>,
    pub groups: Groups,
    pub repeat: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Groups {
    These([u32; 3]),
    /// Three words of a buffer.
    Indirect {
        resource: usize,
        offset: u64,
    },
}

pub struct Bind {
    pub set: u32,
    pub binding: u32,
    pub element: u32,
    pub what: Show,
}

/// What a descriptor shows. The numbers are those of resources.
pub enum Show {
    Buffer {
        resource: usize,
        offset: u64,
        bytes: Option<u64>,
    },
    /// A texel buffer, or a buffer as one.
    Texels {
        resource: usize,
        texel: Option<Texel>,
    },
    Image(usize),
    Combined(usize, SamplerInfo),
    Sampler(SamplerInfo),
}

pub struct Expectation {
    pub resource: usize,
    pub holds: Holds,
}

pub enum Holds {
    /// All of it is like this.
    Like { wanted: Box<Contents>, tolerance: Tolerance, picture: Option<(u32, u32)> },
    /// As another case leaves that resource.
    Reference { play: Box<Play>, resource: usize, tolerance: Tolerance, picture: Option<(u32, u32)> },
    /// A snapshot that is not there yet.
    Missing(PathBuf),
    /// As another resource of the case is now.
    Other { other: usize, tolerance: Tolerance },
    /// The earth mover's distance of the histograms of four channels of 8 bits is at most that.
    Histogram { other: usize, most: f64 },
    /// Numbers one by one.
    Probes(Vec<Probe>),
    /// Texels of a rectangle, as a shader sees them: column, row, columns, rows.
    Colour { rectangle: [u32; 4], channels: Vec<f64>, near: Vec<Near> },
}

/// A number of memory that compares so.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Probe {
    pub byte: usize,
    pub scalar: Scalar,
    pub comparison: Comparison,
    pub wanted: Number,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Comparison {
    Is,
    Near(Near),
    IsNot,
    Less,
    LessOrIs,
    More,
    MoreOrIs,
}

/// A distance, absolute or in percent of what is wanted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Near {
    pub value: f64,
    pub percent: bool,
}

impl Near {
    pub fn holds(self, got: f64, wanted: f64) -> bool {
        if got.is_nan() || wanted.is_nan() {
            return got.is_nan() == wanted.is_nan();
        }
        let most = if self.percent { self.value / 100.0 * wanted.abs() } else { self.value };
        got == wanted || (got - wanted).abs() <= most
    }
}

impl Comparison {
    pub fn holds(self, got: Number, wanted: Number) -> bool {
        let order = match (got, wanted) {
            (Number::Int(g), Number::Int(w)) => Some(g.cmp(&w)),
            _ => got.float().partial_cmp(&wanted.float()),
        };
        match self {
            Comparison::Near(near) => near.holds(got.float(), wanted.float()),
            Comparison::Is => order.map_or(got.float().is_nan() && wanted.float().is_nan(), |o| o.is_eq()),
            Comparison::IsNot => !order.is_some_and(|o| o.is_eq()),
            Comparison::Less => order.is_some_and(|o| o.is_lt()),
            Comparison::LessOrIs => order.is_some_and(|o| o.is_le()),
            Comparison::More => order.is_some_and(|o| o.is_gt()),
            Comparison::MoreOrIs => order.is_some_and(|o| o.is_ge()),
        }
    }

    /// What was wanted, in words.
    pub fn wanted(self, number: &str) -> String {
        match self {
            Comparison::Is => number.to_owned(),
            Comparison::Near(Near { value, percent: false }) => format!("{number} ± {value}"),
            Comparison::Near(Near { value, percent: true }) => format!("{number} ± {value}%"),
            Comparison::IsNot => format!("anything but {number}"),
            Comparison::Less => format!("less than {number}"),
            Comparison::LessOrIs => format!("{number} or less"),
            Comparison::More => format!("more than {number}"),
            Comparison::MoreOrIs => format!("{number} or more"),
        }
    }
}

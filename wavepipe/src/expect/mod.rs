//! What a shader wrote, held against what was wanted.
//!
//! ```
//! use wavepipe::contents::Contents;
//! use wavepipe::data::{Init, Input};
//! use wavepipe::expect::{Tolerance, compare};
//! use wavepipe::view::{Shape, View};
//!
//! # fn main() -> wavepipe::Result<()> {
//! let got = Contents::buffer(View::from("f32[2]".parse::<Shape>()?), [1.0f32, 2.5].map(f32::to_le_bytes).concat());
//! let wanted = got.of(&Input::read(&"1,2".parse::<Init>()?, "".as_ref())?)?;
//! assert!(compare("y", &got, &wanted, Tolerance::Absolute(0.5), None)?.is_none());
//! let mismatch = compare("y", &got, &wanted, Tolerance::Exact, None)?.unwrap();
//! assert_eq!((mismatch.differing, mismatch.shown[0].byte), (1, 4));
//! # Ok(())
//! # }
//! ```

mod distance;
mod mismatch;

pub use self::distance::ulps;
pub use self::mismatch::{Difference, Mismatch, Otherwise, Spot, Writer};

use crate::contents::Contents;
use crate::element::{Number, Scalar};
use crate::failure::Result;
use crate::picture::Picture;
use crate::view::Leaf;

/// How far a number may be from the wanted one.
///
/// NaN is as wanted where NaN is wanted; -0 is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tolerance {
    /// The same value.
    #[default]
    Exact,
    /// So many units in the last place; of integers, so much.
    Ulp(u64),
    /// So much of the wanted number's size.
    Relative(f64),
    /// So much.
    Absolute(f64),
    /// The root of the mean of all squares of differences is at most so much.
    Rmse(f64),
    /// As a picture of 8 bits a channel: channels may be that far apart, and so many pixels may be further.
    Picture {
        /// Of 255.
        channel: u8,
        /// How many may be further apart.
        pixels: usize,
    },
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tolerance::Exact => write!(f, "exactly"),
            Tolerance::Ulp(n) => write!(f, "within {n} ULP"),
            Tolerance::Relative(r) => write!(f, "within {r} of their size"),
            Tolerance::Absolute(a) => write!(f, "within {a}"),
            Tolerance::Rmse(r) => write!(f, "within {r} (RMSE)"),
            Tolerance::Picture { channel, pixels } => {
                write!(f, "but for {pixels} pixels within {channel} of 255 a channel")
            }
        }
    }
}

/// Differences that a mismatch shows from the first on.
const SHOWN: usize = 5;

fn number(contents: &Contents, leaf: Leaf) -> Number {
    leaf.scalar.get(&contents.bytes[leaf.offset..])
}

/// Whether one number is as wanted.
fn holds(scalar: Scalar, got: Number, wanted: Number, tolerance: Tolerance) -> bool {
    let most = match tolerance {
        Tolerance::Exact | Tolerance::Rmse(_) | Tolerance::Picture { .. } => 0,
        Tolerance::Ulp(n) => n,
        Tolerance::Relative(_) | Tolerance::Absolute(_) => 0,
    };
    if ulps(scalar, got, wanted).is_some_and(|n| n <= most) {
        return true;
    }
    let apart = match (got, wanted) {
        (Number::Int(g), Number::Int(w)) => g.abs_diff(w) as f64,
        _ => (got.float() - wanted.float()).abs(),
    };
    // An infinity is only as near as itself.
    apart.is_finite()
        && match tolerance {
            Tolerance::Relative(r) => apart <= r * wanted.float().abs(),
            Tolerance::Absolute(a) => apart <= a,
            _ => false,
        }
}

/// Compares what there is with what was wanted, of the same resource (see [`Contents::of`]). `of` is what messages call it;
/// `size` makes a picture of a buffer. `None`: it is as wanted.
pub fn compare(
    of: &str,
    got: &Contents,
    wanted: &Contents,
    tolerance: Tolerance,
    size: Option<(u32, u32)>,
) -> Result<Option<Box<Mismatch>>> {
    if let Tolerance::Picture { channel, pixels } = tolerance {
        return compare_pictures(of, got, wanted, (channel, pixels), size);
    }
    if got.bytes == wanted.bytes {
        return Ok(None);
    }
    let mut found = Mismatch::new(of, got, tolerance);
    let (mut squares, mut worst) = (0f64, None::<(f64, Difference)>);
    let mut elements = vec![false; got.view.count];
    for (n, leaf) in got.view.leaves().enumerate() {
        let (g, w) = (number(got, leaf), number(wanted, leaf));
        if matches!(tolerance, Tolerance::Rmse(_)) {
            let apart = if ulps(leaf.scalar, g, w) == Some(0) { 0.0 } else { g.float() - w.float() };
            squares += if apart.is_nan() { f64::INFINITY } else { apart * apart };
        }
        if holds(leaf.scalar, g, w, tolerance) {
            continue;
        }
        found.differing += 1;
        let head = got.view.head.len();
        if let Some(flag) = n.checked_sub(head).and_then(|n| elements.get_mut(n / got.view.element.len().max(1))) {
            *flag = true;
        }
        let ulp = ulps(leaf.scalar, g, w);
        let far = ulp.map_or(f64::INFINITY, |n| n as f64);
        if found.shown.len() < SHOWN || worst.as_ref().is_none_or(|(most, _)| far > *most) {
            let difference = Difference::at(n, leaf, got, wanted, ulp);
            if found.shown.len() < SHOWN {
                found.shown.push(difference.clone());
            }
            if worst.as_ref().is_none_or(|(most, _)| far > *most) {
                worst = Some((far, difference));
            }
        }
    }
    if let Tolerance::Rmse(most) = tolerance {
        let rmse = (squares / found.numbers.max(1) as f64).sqrt();
        if rmse <= most {
            return Ok(None);
        }
        found.rmse = Some(rmse);
    }
    if found.differing == 0 {
        return Ok(None);
    }
    found.worst = worst.map(|(_, difference)| difference);
    if got.texels.is_some() || size.is_some() {
        found.picture = got.picture(size).ok().map(|picture| drawn(picture, |n| elements.get(n) == Some(&true)));
    }
    Ok(Some(Box::new(found)))
}

fn compare_pictures(
    of: &str,
    got: &Contents,
    wanted: &Contents,
    (channel, pixels): (u8, usize),
    size: Option<(u32, u32)>,
) -> Result<Option<Box<Mismatch>>> {
    let (ours, theirs) = (got.picture(size)?, wanted.picture(size)?);
    let pairs = || ours.rgba.chunks_exact(4).zip(theirs.rgba.chunks_exact(4));
    let far: Vec<bool> = pairs().map(|(g, w)| g.iter().zip(w).any(|(g, w)| g.abs_diff(*w) > channel)).collect();
    let differing = far.iter().filter(|far| **far).count();
    if differing <= pixels {
        return Ok(None);
    }
    let mut found = Mismatch::new(of, got, Tolerance::Picture { channel, pixels });
    (found.differing, found.numbers, found.pixels) = (differing, far.len(), true);
    let width = ours.width as usize;
    let shown = far.iter().enumerate().filter(|(_, far)| **far).take(SHOWN);
    found.shown = shown.map(|(n, _)| Difference::of_pixel(n, width, &ours, &theirs)).collect();
    let apart = |(g, w): (&[u8], &[u8])| g.iter().zip(w).map(|(g, w)| g.abs_diff(*w)).max().unwrap_or(0);
    let worst = pairs().map(apart).enumerate().max_by_key(|(n, apart)| (*apart, std::cmp::Reverse(*n)));
    found.worst = worst.map(|(n, _)| Difference::of_pixel(n, width, &ours, &theirs));
    found.picture = Some(drawn(ours, |n| far[n]));
    Ok(Some(Box::new(found)))
}

/// The picture, dark and grey, with what differs in red.
fn drawn(mut picture: Picture, differs: impl Fn(usize) -> bool) -> Picture {
    for (n, pixel) in picture.rgba.chunks_exact_mut(4).enumerate() {
        let grey = (pixel[..3].iter().map(|c| u32::from(*c)).sum::<u32>() / 9) as u8;
        pixel.copy_from_slice(&if differs(n) { [255, grey, grey, 255] } else { [grey, grey, grey, 255] });
    }
    picture
}

//! Comparisons that scripts of others make, besides those of [`wavepipe::expect`].

use crate::play::{Comparison, Near, Probe};
use wavepipe::contents::Contents;
use wavepipe::element::{Element, Scalar};
use wavepipe::expect::{Difference, Mismatch, Spot, Tolerance, ulps};
use wavepipe::view::{Leaf, View};

/// The same memory as unsigned integers.
pub fn bits(contents: &Contents) -> Contents {
    let turn = |l: &Leaf| {
        let scalar = match l.scalar.bytes() {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        };
        Leaf { scalar, ..*l }
    };
    let view = &contents.view;
    let view = View {
        head: view.head.iter().map(turn).collect(),
        element: view.element.iter().map(turn).collect(),
        ..view.clone()
    };
    Contents { view, bytes: contents.bytes.clone(), texels: contents.texels.clone() }
}

/// A mismatch of nothing yet.
fn mismatch(of: &str, got: &Contents, numbers: usize) -> Box<Mismatch> {
    Box::new(Mismatch { numbers, ..Mismatch::new(of, got, Tolerance::Exact) })
}

/// Differences that are shown.
const SHOWN: usize = 5;

pub fn probed(of: &str, got: &Contents, probes: &[Probe]) -> Option<Box<Mismatch>> {
    let bytes = got.texels.as_ref().map_or(&got.bytes, |t| &t.bytes);
    let mut found = mismatch(of, got, probes.len());
    let first = probes.first()?;
    let structures = got.view.types.is_some();
    if !structures {
        found.label = Element { scalar: first.scalar, lanes: 1 }.to_string();
    }
    found.tolerance = match first.comparison {
        Comparison::Near(near) if near.percent => Tolerance::Relative(near.value / 100.0),
        Comparison::Near(near) => Tolerance::Absolute(near.value),
        _ => Tolerance::Exact,
    };
    for p in probes {
        let is = p.scalar.get(&bytes[p.byte..]);
        if p.comparison.holds(is, p.wanted) {
            continue;
        }
        found.differing += 1;
        if found.shown.len() < SHOWN {
            let mut wanted = Vec::new();
            p.scalar.put(p.wanted, &mut wanted);
            let exact = matches!(p.comparison, Comparison::Is | Comparison::Near(_));
            let view = &got.view;
            let number = || view.leaves().position(|l| l.offset == p.byte);
            let member = if structures { number().and_then(|n| view.member(n)) } else { None };
            // Of structures, which one of the buffer; else which one of those that are compared.
            let n = match &member {
                Some(_) => (p.byte - view.at) / view.stride,
                None => (p.byte - first.byte) / p.scalar.bytes(),
            };
            found.shown.push(Difference {
                spot: Spot::Element(n, None),
                member,
                byte: p.byte,
                got: p.scalar.text(&bytes[p.byte..]),
                wanted: p.comparison.wanted(&p.scalar.text(&wanted)),
                ulp: if exact { ulps(p.scalar, is, p.wanted) } else { None },
            });
        }
    }
    (found.differing > 0).then_some(found)
}

pub fn coloured(
    of: &str,
    got: &Contents,
    [x, y, width, height]: [u32; 4],
    channels: &[f64],
    near: &[Near],
) -> Option<Box<Mismatch>> {
    let texels = got.texels.as_ref()?;
    let scale = crate::amber::channel_scale(texels.plan.texel.coding);
    let row = texels.plan.extent[0];
    let lanes = got.view.element.len();
    let mut found = mismatch(of, got, width as usize * height as usize);
    for at in (y..y + height).flat_map(|y| (x..x + width).map(move |x| (x, y))) {
        let n = (at.1 * row + at.0) as usize;
        let leaves: Vec<Leaf> = got.view.rows().nth(n)?.collect();
        let is = |c: usize| {
            leaves
                .get(c)
                .map_or(if c == 3 { 1.0 } else { 0.0 }, |l| l.scalar.get(&got.bytes[l.offset..]).float() * scale)
        };
        let same = channels.iter().enumerate().all(|(c, wanted)| near[c].holds(is(c), *wanted));
        if same {
            continue;
        }
        found.differing += 1;
        if found.shown.len() < SHOWN {
            let text = |all: Vec<f64>| format!("{all:?}");
            found.shown.push(Difference {
                spot: Spot::Texel(vec![at.0 as usize, at.1 as usize], None),
                member: None,
                byte: n * lanes * texels.plan.texel.component().bytes(),
                got: text((0..channels.len()).map(is).collect()),
                wanted: text(channels.to_vec()),
                ulp: None,
            });
        }
    }
    found.pixels = true;
    (found.differing > 0).then_some(found)
}

/// The earth mover's distance between histograms, the largest of four channels, of 256 bins as 1.
pub fn movers(a: &Contents, b: &Contents) -> Option<f64> {
    let bytes = |c: &Contents| {
        let all = c.texels.as_ref().map_or(&c.bytes, |t| &t.bytes).clone();
        let four = c.view.element.len() == 4 && all.len() == 4 * c.view.count;
        four.then_some(all)
    };
    let (a, b) = (bytes(a)?, bytes(b)?);
    let channel = |c: usize| {
        let mut bins = [0f64; 256];
        let each = |bytes: &[u8], bins: &mut [f64; 256], weight: f64| {
            bytes.iter().skip(c).step_by(4).for_each(|v| bins[usize::from(*v)] += weight / (bytes.len() / 4) as f64);
        };
        each(&a, &mut bins, 1.0);
        each(&b, &mut bins, -1.0);
        let moved = bins.iter().scan(0.0, |moved, n| {
            *moved += n;
            Some(*moved)
        });
        moved.map(f64::abs).sum::<f64>() / 256.0
    };
    Some((0..4).map(channel).fold(0.0, f64::max))
}

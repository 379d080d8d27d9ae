//! Who was on the machine when, as a picture: an area of waves for each party, a band for each policy.

use super::scene::{Change, LONG, Scene, URGENT};
use super::{Trial, name, says, waited};
use std::fmt::Write as _;

const WIDTH: f64 = 960.0;
/// Where time begins, and pixels of it.
const LEFT: f64 = 150.0;
const ACROSS: f64 = 780.0;
const TOP: f64 = 74.0;
/// A band's area, and what is between two.
const BAND: f64 = 96.0;
const GAP: f64 = 34.0;
/// Averages that a band is made of.
pub const BINS: usize = 390;

/// Parts of a band from below.
const PARTS: [&str; 3] = ["urgent", "long", "kept"];

const STYLE: &str = "\
  svg { font: 13px system-ui, sans-serif; }
  .back { fill: #ffffff } text { fill: #1d2733 } .faint { fill: #5c6b7a } .head { font-size: 17px; font-weight: 600 }
  .name { font-weight: 600; font-size: 15px } .axis { stroke: #9aa7b4; stroke-width: 1 } .field { fill: #f1f4f7 }
  .urgent { fill: #d9480f } .long { fill: #7d95b5 } .kept { fill: url(#kept) } .came { stroke: #1d2733; stroke-dasharray: 4 3 }
  .took { stroke: #d9480f; stroke-width: 3 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #14191f } text { fill: #e6ebf0 } .faint { fill: #a3b0bd } .field { fill: #1f262e }
    .came { stroke: #e6ebf0 } .urgent { fill: #ff8a4c } .took { stroke: #ff8a4c } .long { fill: #6f8bb0 }
  }
";

/// Waves by bin: urgent, long, and long that is kept.
pub fn averages(changes: &[Change], until: u64) -> Vec<[f64; 3]> {
    let mut bins = vec![[0.0; 3]; BINS];
    let width = until as f64 / BINS as f64;
    let (mut now, mut since) = ([0i64; 3], 0u64);
    // The time from `since` on, with what there was then.
    let mut add = |from: u64, to: u64, now: &[i64; 3]| {
        let (mut at, to) = (from as f64, to as f64);
        while at < to {
            let bin = ((at / width) as usize).min(BINS - 1);
            let end = if bin + 1 == BINS { to } else { (width * (bin + 1) as f64).min(to) };
            for (sum, n) in bins[bin].iter_mut().zip(now) {
                *sum += (end - at) / width * *n as f64;
            }
            // The last step can be nothing by rounding.
            at = end.max(at + 1e-6);
        }
    };
    for change in changes {
        add(since, change.cycle, &now);
        since = change.cycle;
        if change.party == URGENT {
            now[0] += change.resident;
        } else {
            now[1] += change.resident;
            now[2] += change.suspended;
        }
    }
    add(since, until, &now);
    bins
}

/// The outline of what lies between two heights, bin by bin.
fn outline(lower: &[f64], upper: &[f64]) -> String {
    let step = ACROSS / BINS as f64;
    let x = |bin: usize| LEFT + step * bin as f64;
    let side = |heights: &[f64], order: &mut dyn Iterator<Item = usize>, behind: usize| {
        let mut out = String::new();
        let mut last = f64::NAN;
        for bin in order {
            if heights[bin] != last {
                let _ = write!(out, "H{:.0}V{:.1}", x(bin + behind), heights[bin]);
                last = heights[bin];
            }
        }
        out
    };
    let there = side(upper, &mut (0..BINS), 0);
    let back = side(lower, &mut (0..BINS).rev(), 1);
    format!("M{:.0} {:.1}{there}H{:.0}{back}H{:.0}Z", x(0), lower[0], x(BINS), x(0))
}

/// Microseconds between two marks: 1, 2 or 5 times a power of ten, eight at most.
pub fn spacing(us: f64) -> f64 {
    let mut power = 1e-3;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if us / (power * factor) <= 8.0 {
                return power * factor;
            }
        }
        power *= 10.0;
    }
}

fn text(x: f64, y: f64, class: &str, text: &str) -> String {
    format!("<text x=\"{x:.0}\" y=\"{y:.0}\" class=\"{class}\">{text}</text>\n")
}

pub fn svg(trial: &Trial) -> String {
    let until = trial.scenes.iter().map(|(_, s)| s.spans[LONG].ended.max(s.spans[URGENT].ended)).max().unwrap_or(1);
    let bands: Vec<Vec<[f64; 3]>> = trial.scenes.iter().map(|(_, s)| averages(&s.changes, until)).collect();
    let most = bands.iter().flatten().map(|b| b.iter().sum::<f64>()).fold(1.0, f64::max);
    let height = TOP + (BAND + GAP) * bands.len() as f64 + 26.0;
    let x = |cycle: u64| LEFT + ACROSS * cycle as f64 / until as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" \
         role=\"img\" aria-labelledby=\"t\">\n<title id=\"t\">{}</title>\n<style>\n{STYLE}</style>\n",
        alt(trial)
    );
    out += "<pattern id=\"kept\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
            <rect width=\"2\" height=\"6\" class=\"long\"/></pattern>\n";
    let _ = writeln!(out, "<rect class=\"back\" width=\"{WIDTH:.0}\" height=\"{height:.0}\"/>");
    let head = format!("Urgent work beside a long dispatch: waves on the {} over time", trial.machine().product);
    out += &text(20.0, 28.0, "head", &head);
    let mut at = LEFT;
    for (part, label) in PARTS.iter().zip(["urgent, REALTIME", "long, MEDIUM", "long, suspended with its state"]) {
        let _ = writeln!(out, "<rect class=\"{part}\" x=\"{at:.0}\" y=\"44\" width=\"14\" height=\"14\"/>");
        out += &text(at + 20.0, 56.0, "faint", label);
        at += 40.0 + 7.2 * label.len() as f64;
    }
    for (n, ((policy, scene), bins)) in trial.scenes.iter().zip(&bands).enumerate() {
        let top = TOP + (BAND + GAP) * n as f64;
        let floor = top + BAND;
        out += &text(20.0, top + 24.0, "name", name(*policy));
        for (line, words) in (0..).zip(wrapped(says(*policy))) {
            out += &text(20.0, top + 44.0 + 17.0 * f64::from(line), "faint", &words);
        }
        let _ = writeln!(
            out,
            "<rect class=\"field\" x=\"{LEFT:.0}\" y=\"{top:.0}\" width=\"{ACROSS:.0}\" height=\"{BAND:.0}\"/>"
        );
        let mut lower = vec![floor; BINS];
        for (part, class) in PARTS.iter().enumerate() {
            let upper: Vec<f64> =
                lower.iter().zip(bins).map(|(y, b)| ((y - BAND * b[part] / most) * 10.0).round() / 10.0).collect();
            if upper != lower {
                let _ = writeln!(out, "<path class=\"{class}\" d=\"{}\"/>", outline(&lower, &upper));
            }
            lower = upper;
        }
        out += &marks(trial, scene, top, floor, &x);
    }
    out += &axis(trial, until, TOP + (BAND + GAP) * bands.len() as f64 - GAP);
    out + "</svg>\n"
}

/// When the urgent work came, and how long it took.
fn marks(trial: &Trial, scene: &Scene, top: f64, floor: f64, x: &dyn Fn(u64) -> f64) -> String {
    let (came, done) = (x(scene.arrived), x(scene.spans[URGENT].ended));
    let mut out = format!(
        "<path class=\"came\" d=\"M{came:.1} {:.0}V{:.0}\"/>\n<path class=\"took\" d=\"M{came:.1} {y:.0}H{done:.1}\"/>\n",
        top - 4.0,
        floor + 9.0,
        y = floor + 7.0,
    );
    let words = format!("done {:.2} µs after it came", waited(trial, scene).1);
    out += &text(done + 6.0, floor + 13.0, "", &words);
    out
}

fn axis(trial: &Trial, until: u64, floor: f64) -> String {
    let us = trial.us(until);
    let every = spacing(us);
    let y = floor + GAP - 8.0;
    let mut out = format!("<path class=\"axis\" d=\"M{LEFT:.0} {y:.0}H{:.0}\"/>\n", LEFT + ACROSS);
    let mut n = 0.0;
    while n * every <= us {
        let x = LEFT + ACROSS * n * every / us;
        let _ = writeln!(out, "<path class=\"axis\" d=\"M{x:.1} {y:.0}v5\"/>");
        out += &text(x - 8.0, y + 19.0, "faint", &format!("{}", n * every));
        n += 1.0;
    }
    out + &text(20.0, y + 19.0, "faint", "microseconds")
}

/// What the picture says, for who cannot see it.
fn alt(trial: &Trial) -> String {
    let each = trial.scenes.iter().map(|(policy, scene)| {
        let (_, done) = waited(trial, scene);
        format!("under {} the urgent work is done {done:.2} microseconds after it came", name(*policy))
    });
    each.collect::<Vec<_>>().join("; ")
}

/// Lines of about so many letters as fit in front of the bands.
fn wrapped(words: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + word.len() >= 16 {
            lines.push(word.to_owned());
        } else {
            let space = if lines[last].is_empty() { "" } else { " " };
            lines[last] += space;
            lines[last] += word;
        }
    }
    lines
}

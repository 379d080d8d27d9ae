//! Occupancy, where time went, the roofline, and the timeline.

use super::{escape, grouped};
use crate::sheet::{Run, Sheet};
use std::fmt::Write as _;

/// Spans that a page draws one by one; of more it has how many waves there were.
const SPANS: usize = 6000;
/// Columns of what is summed up.
const BINS: u64 = 240;

/// Slots of a SIMD, taken and free; what limits them, and the next step.
pub fn occupancy(sheet: &Sheet) -> String {
    let o = &sheet.occupancy;
    let mut out = String::from(
        "<section class=\"card\" aria-label=\"Occupancy\">\n<h2>Occupancy</h2>\n<div class=\"beside\"><div>\n",
    );
    let next = o.next.as_ref().map_or(o.waves, |n| n.waves);
    let _ = write!(
        out,
        "<div class=\"slots\" role=\"img\" aria-label=\"{} of {} wave slots of a SIMD taken\">",
        o.waves, o.slots
    );
    for n in 0..o.slots {
        let class = match n {
            n if n < o.waves => "on",
            n if n < next => "next",
            _ => "off",
        };
        let _ = write!(out, "<i class=\"{class}\"></i>");
    }
    let _ = writeln!(
        out,
        "</div>\n<p><b>{} of {} waves</b> a SIMD, limited by {}.</p>\n<p class=\"step\">Next step: {}.</p>\n<p class=\"note\">{}.</p>\n</div>",
        o.waves,
        o.slots,
        escape(&o.limiter()),
        escape(&o.next_text()),
        escape(&o.spare_text())
    );
    out += "<table class=\"small\">\n<thead><tr><th class=\"t\" scope=\"col\">allows</th><th scope=\"col\">waves</th></tr></thead>\n<tbody>\n";
    for limit in &o.limits {
        let class = if limit.binds { " class=\"binds\"" } else { "" };
        let _ = writeln!(
            out,
            "<tr{class}><td class=\"t\">{}</td><td>{}</td></tr>",
            limit.resource.name(),
            if limit.waves > 999 { "∞".into() } else { limit.waves.to_string() }
        );
    }
    let _ = writeln!(out, "<tr><td class=\"t\">registers live at the peak</td><td>{}</td></tr>", o.at_peak);
    out + "</tbody>\n</table>\n</div>\n</section>\n"
}

/// Waves' cycles, by what they went by for.
pub fn spent(run: &Run) -> String {
    let all: u64 = run.spent.iter().map(|s| s.cycles).sum();
    let mut out = String::from(
        "<section class=\"card\" aria-label=\"Where the waves’ time went\">\n<h2>Where the waves’ time went</h2>\n<table class=\"small bars\">\n<tbody>\n",
    );
    for s in run.spent.iter().filter(|s| s.cycles * 1000 >= all) {
        let share = s.cycles as f64 / all.max(1) as f64;
        let class = if s.what == "issued" { "good" } else { "" };
        let _ = writeln!(
            out,
            "<tr><td class=\"t\">{}</td><td class=\"b\"><i class=\"{class}\" style=\"--w:{share:.4}\"></i></td><td>{:.1} %</td><td class=\"note\">{}</td></tr>",
            escape(s.what),
            100.0 * share,
            grouped(s.cycles)
        );
    }
    out += "</tbody>\n</table>\n";
    let caches: Vec<_> = run.caches.iter().filter(|c| c.hits + c.misses > 0).collect();
    if !caches.is_empty() {
        out += "<h3>Lookups that hit</h3>\n<table class=\"small bars\">\n<tbody>\n";
        for c in caches {
            let rate = c.hits as f64 / (c.hits + c.misses) as f64;
            let _ = writeln!(
                out,
                "<tr><td class=\"t\">{}</td><td class=\"b\"><i class=\"good\" style=\"--w:{rate:.4}\"></i></td><td>{:.1} %</td><td class=\"note\">of {}</td></tr>",
                escape(c.name),
                100.0 * rate,
                grouped(c.hits + c.misses)
            );
        }
        out += "</tbody>\n</table>\n";
    }
    out + "</section>\n"
}

/// Where things are in the roofline's picture: logarithms to pixels.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
}

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 232.0;
const TOP: f64 = 18.0;
const LEFT: f64 = 42.0;
const BOTTOM: f64 = 26.0;

impl Axes {
    fn x(&self, v: f64) -> f64 {
        LEFT + (v.log10() - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - 8.0)
    }

    fn y(&self, v: f64) -> f64 {
        HEIGHT - BOTTOM - (v.log10() - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - BOTTOM - TOP)
    }
}

/// What the machine can at most for each operation that a byte is used for, and the kernel there, by each level of memory.
pub fn roofline(run: &Run) -> String {
    let mut out = String::from("<section class=\"card\" aria-label=\"Roofline\">\n<h2>Roofline</h2>\n");
    let flops = run.rates.iter().find(|r| r.unit == "GFLOP/s");
    let levels: Vec<_> = run.rates.iter().filter(|r| r.unit == "GB/s" && r.reached > 0.0).collect();
    if let Some(flops) = flops.filter(|f| f.reached > 0.0 && !levels.is_empty()) {
        out += &picture(flops.reached, flops.peak, &levels);
    } else {
        out += "<p class=\"note\">It computes no floats: what counts is how much it moves.</p>\n";
    }
    out += "<table class=\"small bars\">\n<thead><tr><th class=\"t\" scope=\"col\">reached</th><th></th><th scope=\"col\">of peak</th><th></th></tr></thead>\n<tbody>\n";
    for r in run.rates.iter().filter(|r| r.reached > 0.0) {
        let share = (r.reached / r.peak).min(1.0);
        let _ = writeln!(
            out,
            "<tr><td class=\"t\">{}</td><td class=\"b\"><i class=\"good\" style=\"--w:{share:.4}\"></i></td><td>{:.1} %</td><td class=\"note\">{:.1} of {} {}</td></tr>",
            escape(r.name),
            100.0 * r.reached / r.peak,
            r.reached,
            grouped(r.peak.round() as u64),
            r.unit
        );
    }
    out + "</tbody>\n</table>\n</section>\n"
}

fn picture(reached: f64, peak: f64, levels: &[&crate::sheet::Reached]) -> String {
    let intensities = levels.iter().map(|l| reached / l.reached);
    let ridges = levels.iter().map(|l| peak / l.peak);
    let all: Vec<f64> = intensities.chain(ridges).filter(|x| x.is_finite() && *x > 0.0).collect();
    let least = all.iter().copied().fold(f64::MAX, f64::min).log10().floor();
    let most = all.iter().copied().fold(f64::MIN, f64::max).log10().ceil().max(least + 1.0);
    let low = levels.iter().map(|l| l.peak * 10f64.powf(least)).chain([reached]).fold(f64::MAX, f64::min);
    let axes = Axes { x: (least, most), y: (low.log10().floor(), peak.log10().ceil()) };
    let mut out = format!(
        "<svg class=\"roof\" role=\"img\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-label=\"{reached:.1} of {peak:.0} GFLOP/s\">\n"
    );
    for decade in axes.x.0 as i32..=axes.x.1 as i32 {
        let x = axes.x(10f64.powi(decade));
        let _ = write!(out, "<path class=\"grid\" d=\"M{x:.1} {TOP}V{:.1}\"/>", HEIGHT - BOTTOM);
        let _ = write!(
            out,
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 12.0,
            power(decade)
        );
    }
    for decade in axes.y.0 as i32..=axes.y.1 as i32 {
        let y = axes.y(10f64.powi(decade));
        let _ = write!(out, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/>", WIDTH - 8.0);
        let _ = write!(
            out,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 5.0,
            y + 3.5,
            power(decade)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">FLOP / byte</text><text class=\"tick\" x=\"4\" y=\"8\">GFLOP/s</text>",
        WIDTH - 8.0,
        HEIGHT - 1.0
    );
    let mut named: Vec<f64> = Vec::new();
    for level in levels {
        let ridge = (peak / level.peak).clamp(10f64.powf(axes.x.0), 10f64.powf(axes.x.1));
        let begin = 10f64.powf(axes.x.0);
        let _ = write!(
            out,
            "<path class=\"ceiling\" d=\"M{:.1} {:.1}L{:.1} {:.1}H{:.1}\"><title>{}: {:.0} GB/s</title></path>",
            axes.x(begin),
            axes.y(begin * level.peak),
            axes.x(ridge),
            axes.y((ridge * level.peak).min(peak)),
            WIDTH - 8.0,
            escape(level.name),
            level.peak
        );
        let (x, y) = (axes.x(reached / level.reached), axes.y(reached));
        // Names of dots that are near stand above each other.
        let side = -7.0 - 10.0 * named.iter().filter(|near| (x - **near).abs() < 48.0).count() as f64;
        named.push(x);
        let _ = writeln!(
            out,
            "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{}: {:.3} FLOP a byte, {reached:.1} GFLOP/s</title></circle>\
             <text class=\"name\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            escape(level.name),
            reached / level.reached,
            y + side,
            escape(level.name)
        );
    }
    out + "</svg>\n"
}

/// Ten to a power, as people write it where it is short.
fn power(decade: i32) -> String {
    match decade {
        0..=4 => 10u64.pow(decade as u32).to_string(),
        -3..=-1 => format!("{:.*}", -decade as usize, 10f64.powi(decade)),
        _ => format!("1e{decade}"),
    }
}

/// Waves on each SIMD, over time. The script draws what stands here as data.
pub fn timeline(run: &Run) -> String {
    let t = &run.timeline;
    if t.spans.is_empty() {
        return String::new();
    }
    let mut busy: Vec<u32> = t.spans.iter().map(|s| s.simd).collect();
    busy.sort_unstable();
    busy.dedup();
    let begin = t.begin;
    let data = if t.spans.len() <= SPANS {
        let spans: Vec<[u64; 6]> = t
            .spans
            .iter()
            .map(|s| [s.simd.into(), s.slot.into(), s.group, s.wave.into(), s.begin - begin, s.end - begin])
            .collect();
        serde_json::json!({ "cycles": t.end - begin, "simds": busy, "slots": t.slots, "spans": spans })
    } else {
        serde_json::json!({ "cycles": t.end - begin, "simds": busy, "slots": t.slots, "bins": bins(run, &busy) })
    };
    let more = if t.more > 0 { format!("; {} more waves are not drawn", grouped(t.more)) } else { String::new() };
    format!(
        "<section class=\"card wide\" aria-label=\"Timeline\">\n<h2>Waves on each SIMD</h2>\n<p class=\"note\">{} waves on {} of {} SIMDs, \
         {} cycles from the first launch to the last end{more}.</p>\n\
         <div id=\"timeline\" tabindex=\"0\" role=\"img\" aria-label=\"Waves of each SIMD over time\"><canvas></canvas><output></output></div>\n\
         <script type=\"application/json\" id=\"waves\">{}</script>\n</section>\n",
        grouped(t.spans.len() as u64),
        busy.len(),
        t.simds,
        grouped(t.end - begin),
        data.to_string().replace('<', "\\u003c")
    )
}

/// By SIMD, waves on average in equal parts of the time, in hundredths.
fn bins(run: &Run, busy: &[u32]) -> Vec<Vec<u64>> {
    let t = &run.timeline;
    let width = (t.end - t.begin).div_ceil(BINS).max(1);
    let mut out = vec![vec![0u64; BINS as usize]; busy.len()];
    for s in &t.spans {
        let Ok(row) = busy.binary_search(&s.simd) else { continue };
        let (mut at, end) = (s.begin - t.begin, s.end - t.begin);
        while at < end {
            let (bin, stop) = ((at / width) as usize, (at / width + 1) * width);
            out[row][bin.min(BINS as usize - 1)] += end.min(stop) - at;
            at = stop;
        }
    }
    out.iter_mut().flatten().for_each(|n| *n = *n * 100 / width);
    out
}

//! A sheet, or two, as one HTML file that needs nothing else.
//!
//! Everything that is said stands in the markup, with links both ways between source lines and instructions; the script only
//! lights up what belongs together, moves by keys, and draws the timeline.

mod charts;
mod code;
mod compare;

pub use compare::comparison;

use crate::sheet::Sheet;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Height of a row of code, in CSS pixels: arrows are drawn by it. The style has the same number.
const ROW: u32 = 20;

/// Text, as markup has it.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What XML does not have.
            c if c.is_control() && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Thousands apart.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title)
    )
}

/// The page of a kernel.
pub fn sheet(sheet: &Sheet) -> String {
    let mut body = String::new();
    let [x, y, z] = sheet.workgroup;
    let _ = write!(
        body,
        "<header>\n<h1>{}</h1>\n<p class=\"what\">{} <span>on</span> {} <span>({}, {})</span> wave{} <span>work-groups of</span> \
         {x}×{y}×{z}</p>\n</header>\n<main>\n",
        escape(&sheet.entry),
        escape(&sheet.shader),
        escape(&sheet.product),
        escape(&sheet.machine),
        escape(&sheet.isa),
        sheet.wave
    );
    body += &figures(sheet);
    body += "<div class=\"cards\">\n";
    body += &charts::occupancy(sheet);
    if let Some(run) = &sheet.run {
        body += &charts::spent(run);
        body += &charts::roofline(run);
    }
    body += "</div>\n";
    if let Some(run) = &sheet.run {
        body += &charts::timeline(run);
    }
    body += &code::panels(sheet);
    body += "</main>\n";
    body += HELP;
    document(&format!("{} of {}, wave{} on {}", sheet.entry, sheet.shader, sheet.wave, sheet.machine), &body)
}

const HELP: &str = "<dialog id=\"help\" aria-label=\"Keys\">\n<h2>Keys</h2>\n<dl>\n\
<dt>↑ ↓</dt><dd>row by row</dd>\n<dt>← →</dt><dd>to what belongs to the row in the next panel</dd>\n\
<dt>Enter</dt><dd>to where a branch goes; else keep the row's links lit</dd>\n<dt>P</dt><dd>to the most live VGPRs</dd>\n\
<dt>H</dt><dd>to the most expensive instruction</dd>\n<dt>1 2 3</dt><dd>show or hide source, ir, machine code</dd>\n\
<dt>Esc</dt><dd>let go</dd>\n</dl>\n<form method=\"dialog\"><button>Close</button></form>\n</dialog>\n";

/// The strip of figures.
fn figures(sheet: &Sheet) -> String {
    let mut all: Vec<(String, &str, String)> = vec![
        (
            format!("{} <small>of {}</small>", sheet.occupancy.waves, sheet.occupancy.slots),
            "waves a SIMD",
            format!("limited by {}", sheet.occupancy.limiter()),
        ),
        (
            sheet.vgprs.to_string(),
            "VGPRs",
            sheet.peak_vgprs.map_or(String::new(), |p| format!("{} live at most", p.registers)),
        ),
        (
            sheet.sgprs.to_string(),
            "SGPRs",
            sheet.peak_sgprs.map_or(String::new(), |p| format!("{} live at most", p.registers)),
        ),
        (grouped(sheet.lds_bytes.into()), "bytes of LDS", "of a work-group".into()),
    ];
    if sheet.scratch_bytes > 0 {
        let spilled = sheet.spilled_vgprs + sheet.spilled_sgprs;
        all.push((
            grouped(sheet.scratch_bytes.into()),
            "bytes of scratch",
            format!("of a lane; {spilled} values spilled"),
        ));
    }
    all.push((sheet.code.len().to_string(), "instructions", format!("{} bytes", grouped(sheet.code_bytes.into()))));
    if let Some(run) = &sheet.run {
        all.push((grouped(run.cycles), "cycles", format!("{:.2} µs", run.nanoseconds / 1000.0)));
        all.push((grouped(run.waves), "waves", format!("{} work-groups", grouped(run.groups))));
        if let Some(lanes) = run.lanes {
            all.push((
                format!("{lanes:.1} <small>of {}</small>", sheet.wave),
                "lanes on",
                "in a vector instruction".into(),
            ));
        }
    }
    let mut out = String::from("<dl class=\"figures\">\n");
    for (value, name, note) in all {
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd><dd class=\"note\">{}</dd></div>", escape(&note));
    }
    out + "</dl>\n"
}

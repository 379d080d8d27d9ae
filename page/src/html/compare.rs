//! Two sheets on one page: figures with what changed, and code side by side.

use super::{document, escape};
use crate::compare::{Comparison, Figure, Likeness};
use crate::sheet::Sheet;
use std::fmt::Write as _;

fn number(n: Option<f64>) -> String {
    match n {
        Some(n) if n.fract() == 0.0 && n >= 0.0 => super::grouped(n as u64),
        Some(n) => format!("{n:.2}"),
        None => "–".into(),
    }
}

/// What changed, and whether that is better.
fn change(f: &Figure) -> (String, &'static str) {
    match (f.left, f.right) {
        (Some(l), Some(r)) if l == r => ("=".into(), "same"),
        (Some(l), Some(r)) => {
            let class = match f.less {
                Some(less) if (r < l) == less => "better",
                Some(_) => "worse",
                None => "",
            };
            let text = if l == 0.0 { format!("{:+}", r - l) } else { format!("{:+.1} %", 100.0 * (r - l) / l) };
            (text, class)
        }
        _ => (String::new(), ""),
    }
}

fn side(sheet: &Sheet, name: &str) -> String {
    format!(
        "<div><h2>{name}</h2><p>{} of {}<br/>wave{} on {} <span>({})</span></p><p class=\"note\">{} of {} waves a SIMD, limited by {}.<br/>Next step: {}.</p></div>\n",
        escape(&sheet.entry),
        escape(&sheet.shader),
        sheet.wave,
        escape(&sheet.product),
        escape(&sheet.isa),
        sheet.occupancy.waves,
        sheet.occupancy.slots,
        escape(&sheet.occupancy.limiter()),
        escape(&sheet.occupancy.next_text())
    )
}

/// The page of a comparison.
pub fn comparison(c: &Comparison<'_>) -> String {
    let mut body = String::from(
        "<header>\n<h1>Comparison</h1>\n</header>\n<main class=\"compare\">\n<div class=\"sides card\">\n",
    );
    body += &side(c.left, "Left");
    body += &side(c.right, "Right");
    body += "</div>\n<section class=\"card\" aria-label=\"Figures\">\n<table class=\"small wide\">\n<thead><tr><th class=\"t\" scope=\"col\"></th>\
             <th scope=\"col\">left</th><th scope=\"col\">right</th><th scope=\"col\">change</th></tr></thead>\n<tbody>\n";
    for f in c.figures() {
        let (text, class) = change(&f);
        let _ = writeln!(
            body,
            "<tr><td class=\"t\">{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{text}</td></tr>",
            f.name,
            number(f.left),
            number(f.right)
        );
    }
    let (left, right, operands) = c.counts();
    let _ = write!(
        body,
        "</tbody>\n</table>\n</section>\n<div class=\"panels\"><section class=\"panel\" aria-label=\"Machine code of both\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Rows\">\
         <table class=\"both\">\n<caption>{left} instructions of the left alone, {right} of the right, {operands} with other operands</caption>\n\
         <thead><tr><th class=\"n\" scope=\"col\">offset</th><th class=\"t\" scope=\"col\">left</th><th scope=\"col\">VGPR</th>\
         <th class=\"n\" scope=\"col\">offset</th><th class=\"t\" scope=\"col\">right</th><th scope=\"col\">VGPR</th></tr></thead>\n<tbody>\n"
    );
    for pair in &c.rows {
        let class = match c.likeness(*pair) {
            Likeness::Same => "same",
            Likeness::Operands => "operands",
            Likeness::Left => "left",
            Likeness::Right => "right",
        };
        let rows = [(c.left, pair.left), (c.right, pair.right)];
        let labels = rows.map(|(sheet, row)| sheet.code.get(row? as usize)?.label.as_deref());
        if labels != [None, None] {
            body += "<tr class=\"label\">";
            for label in labels {
                let label = label.map_or(String::new(), |label| format!("{}:", escape(label)));
                let _ = write!(body, "<td class=\"n\"></td><td class=\"t\">{label}</td><td class=\"v\"></td>");
            }
            body += "</tr>\n";
        }
        let _ = write!(body, "<tr class=\"{class}\">");
        for (sheet, row) in rows {
            match row.and_then(|n| sheet.code.get(n as usize)) {
                Some(r) => {
                    let tip = r.source.map_or(String::new(), |s| format!(" title=\"{}\"", escape(&sheet.place(s))));
                    let _ = write!(
                        body,
                        "<td class=\"n\">{:05x}</td><td class=\"t\"{tip}>{}</td><td class=\"v\">{}</td>",
                        r.offset,
                        escape(&r.text),
                        r.vgprs
                    );
                }
                None => body += "<td class=\"n\"></td><td class=\"t\"></td><td class=\"v\"></td>",
            }
        }
        body += "</tr>\n";
    }
    body += "</tbody>\n</table>\n</div>\n</section></div>\n</main>\n";
    document(&format!("{} beside {}", c.left.entry, c.right.entry), &body)
}

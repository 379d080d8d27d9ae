//! Source, ir and machine code beside each other.

use super::{ROW, escape, grouped};
use crate::margin::{Reach, columns, width};
use crate::sheet::{CodeRow, Cost, Sheet, SourceLine};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Width of a column of arrows, and of what stands beside them.
const COLUMN: u32 = 9;
const OFFSET: u32 = 52;

fn key(source: SourceLine) -> String {
    format!("{}:{}", source.file, source.line)
}

/// The three panels; those of which nothing is known are left out.
pub fn panels(sheet: &Sheet) -> String {
    let mut first: BTreeMap<SourceLine, u32> = BTreeMap::new();
    for (n, row) in sheet.code.iter().enumerate() {
        if let Some(source) = row.source {
            first.entry(source).or_insert(n as u32);
        }
    }
    let mut panels = vec![("source", "Source", source(sheet, &first)), ("ir", "ir", ir(sheet))];
    panels.push(("code", "Machine code", code(sheet)));
    panels.retain(|p| !p.2.is_empty());
    let mut out = String::from("<div class=\"bar\" role=\"toolbar\" aria-label=\"Panels\">\n");
    for (id, name, _) in &panels {
        let pressed = if *id == "ir" { "false" } else { "true" };
        let _ = writeln!(out, "<button type=\"button\" aria-pressed=\"{pressed}\" data-panel=\"{id}\">{name}</button>");
    }
    out += &legend(sheet);
    let ran = if sheet.run.is_some() { " ran" } else { "" };
    let _ = write!(
        out,
        "<button type=\"button\" id=\"keys\" aria-haspopup=\"dialog\">Keys</button>\n</div>\n<div class=\"panels{ran}\">\n"
    );
    for (id, name, table) in &panels {
        let hidden = if *id == "ir" { " hidden=\"hidden\"" } else { "" };
        let _ = write!(
            out,
            "<section class=\"panel\" id=\"{id}\" aria-label=\"{name}\"{hidden}>\n<div class=\"scroll\" tabindex=\"0\" \
             role=\"region\" aria-label=\"{name}, rows\"><div class=\"rows\">\n{table}</div></div>\n</section>\n"
        );
    }
    out + "</div>\n"
}

fn legend(sheet: &Sheet) -> String {
    let mut out = String::from("<ul class=\"legend\">");
    if sheet.branches.iter().any(|b| b.back) {
        out += "<li class=\"loop\">loop</li>";
    }
    if sheet.branches.iter().any(|b| !b.back) {
        out += "<li class=\"branch\">branch</li>";
    }
    if !sheet.waits.is_empty() {
        out += "<li class=\"wait\">wait for an access</li>";
    }
    if sheet.run.is_some() {
        out += "<li class=\"hot\">waves’ cycles</li>";
    }
    out + "</ul>\n"
}

/// A share as heat: a root, so that small shares are seen.
fn heat(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        _ if part == 0 => String::new(),
        _ => format!(" style=\"--h:{:.3}\"", (part as f64 / whole as f64).sqrt()),
    }
}

fn percent(part: u64, whole: u64) -> String {
    match 100.0 * part as f64 / whole.max(1) as f64 {
        p if part == 0 || p < 0.05 => String::new(),
        p if p < 9.95 => format!("{p:.1}"),
        p => format!("{p:.0}"),
    }
}

fn source(sheet: &Sheet, first: &BTreeMap<SourceLine, u32>) -> String {
    let (costs, all, ran) = (sheet.line_costs(), sheet.all_cycles(), sheet.run.is_some());
    let most = costs.values().map(Cost::cycles).max().unwrap_or(0);
    let mut out = String::new();
    for (n, file) in sheet.files.iter().enumerate() {
        let there = first.keys().any(|s| s.file as usize == n);
        if file.lines.is_empty() || !there {
            continue;
        }
        let _ = write!(
            out,
            "<table>\n<caption>{}</caption>\n<thead><tr><th class=\"n\" scope=\"col\">line</th>",
            escape(&file.name)
        );
        if ran {
            out += "<th scope=\"col\" title=\"share of all waves’ cycles\">%</th><th scope=\"col\" title=\"lanes on in a vector instruction\">lanes</th>";
        }
        out += "<th class=\"t\" scope=\"col\">source</th></tr></thead>\n<tbody>\n";
        for (line, text) in (1..).zip(&file.lines) {
            let source = SourceLine { file: n as u32, line };
            let known = first.get(&source);
            let data = known.map_or(String::new(), |_| format!(" data-l=\"{}\"", key(source)));
            let number = known.map_or(line.to_string(), |c| format!("<a href=\"#c{c}\" tabindex=\"-1\">{line}</a>"));
            let _ = write!(out, "<tr id=\"s{n}-{line}\"{data}><td class=\"n\">{number}</td>");
            if ran {
                let cost = costs.get(&source);
                let cycles = cost.map_or(0, Cost::cycles);
                let lanes = cost.and_then(Cost::lanes_on).map_or(String::new(), |l| format!("{l:.1}"));
                let dim = cost.and_then(Cost::lanes_on).is_some_and(|l| l < 0.75 * f64::from(sheet.wave));
                let tip = cost.map_or(String::new(), |c| format!(" title=\"{}\"", escape(&told(c))));
                let _ = write!(
                    out,
                    "<td class=\"h\"{}{tip}>{}</td><td class=\"l{}\">{lanes}</td>",
                    heat(cycles, most),
                    percent(cycles, all),
                    if dim { " low" } else { "" }
                );
            }
            let _ = writeln!(out, "<td class=\"t\">{}</td></tr>", escape(text));
        }
        out += "</tbody>\n</table>\n";
    }
    out
}

fn ir(sheet: &Sheet) -> String {
    if sheet.ir.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<table>\n<caption>ir, optimised</caption>\n<thead><tr><th class=\"n\" scope=\"col\">line</th><th class=\"t\" scope=\"col\">value</th></tr></thead>\n<tbody>\n",
    );
    for row in &sheet.ir {
        let data = row.source.map_or(String::new(), |s| format!(" data-l=\"{}\"", key(s)));
        let number = row.source.map_or(String::new(), |s| match linked(sheet, s) {
            true => format!("<a href=\"#s{}-{}\" tabindex=\"-1\">{}</a>", s.file, s.line, s.line),
            false => s.line.to_string(),
        });
        let _ = writeln!(out, "<tr{data}><td class=\"n\">{number}</td><td class=\"t\">{}</td></tr>", escape(&row.text));
    }
    out + "</tbody>\n</table>\n"
}

/// Whether the source panel has a line.
fn linked(sheet: &Sheet, source: SourceLine) -> bool {
    let shown = sheet.code.iter().any(|r| r.source.is_some_and(|s| s.file == source.file));
    let file = sheet.files.get(source.file as usize);
    shown && source.line > 0 && file.is_some_and(|f| (source.line as usize) <= f.lines.len())
}

/// A cost in words.
fn told(c: &Cost) -> String {
    let mut out = vec![format!("issued {} times in {} cycles", grouped(c.issued), grouped(c.issue_cycles))];
    out.extend(c.stalls.iter().map(|s| format!("{}: {} cycles", s.what, grouped(s.cycles))));
    if let Some(lines) = c.lines_each() {
        out.push(format!("{lines:.1} cache lines an access"));
    }
    if c.conflicts > 0 {
        out.push(format!("{} cycles of bank conflicts", grouped(c.conflicts)));
    }
    if let Some(rate) = c.hit_rate() {
        out.push(format!("{:.0} % of lookups hit", 100.0 * rate));
    }
    out.join("\n")
}

/// Coalescing, conflicts and hits, in a word or two.
fn memory(c: &Cost) -> (String, bool) {
    let mut out = Vec::new();
    if let Some(lines) = c.lines_each() {
        out.push(format!("{lines:.1} lines"));
    }
    if let Some(rate) = c.hit_rate() {
        out.push(format!("{:.0} % hit", 100.0 * rate));
    }
    if c.conflicts > 0 {
        out.push(format!("{} conflicts", grouped(c.conflicts)));
    }
    (out.join(", "), c.conflicts > 0)
}

fn code(sheet: &Sheet) -> String {
    let ran = sheet.run.as_ref();
    let branches: Vec<Reach> = sheet.branches.iter().map(|b| Reach { from: b.from, to: b.to }).collect();
    let branch_columns = columns(&branches);
    // A wait and all that it waits for is one reach.
    let waits: Vec<Reach> =
        sheet.waits.iter().filter_map(|w| Some(Reach { from: *w.accesses.first()?, to: w.row })).collect();
    let wait_columns = columns(&waits);
    let margin = if branches.is_empty() { 6 } else { COLUMN * width(&branch_columns) as u32 + 14 };
    let gutter = if waits.is_empty() { 6 } else { COLUMN * width(&wait_columns) as u32 + 14 };
    let live = |r: &CodeRow, peak: Option<crate::sheet::Peak>, n: usize, of: u32, all: u32| {
        let mark = if peak.is_some_and(|p| p.row as usize == n) { " peak" } else { "" };
        match r.reached {
            true => {
                format!("<td class=\"v{mark}\" style=\"--w:{:.3}\">{of}</td>", f64::from(of) / f64::from(all.max(1)))
            }
            false => "<td class=\"v\"></td>".into(),
        }
    };
    let mut out = String::from("<table class=\"asm\">\n<caption>machine code</caption>\n<colgroup>");
    let _ = write!(
        out,
        "<col style=\"width:{margin}px\"/><col style=\"width:{OFFSET}px\"/><col style=\"width:{gutter}px\"/><col class=\"i\"/>\
         <col class=\"g\"/><col class=\"g\"/>"
    );
    if ran.is_some() {
        out += "<col class=\"h\"/><col class=\"s\"/><col class=\"l\"/><col class=\"m\"/>";
    }
    out += "</colgroup>\n<thead><tr><th></th><th class=\"n\" scope=\"col\">offset</th><th></th><th class=\"t\" scope=\"col\">instruction</th>\
            <th scope=\"col\" title=\"VGPRs that the instruction takes: live, or written\">VGPR</th><th scope=\"col\" title=\"SGPRs that the instruction takes: live, or written\">SGPR</th>";
    if ran.is_some() {
        out += "<th scope=\"col\" title=\"share of all waves’ cycles: issues and waiting\">%</th><th class=\"t\" scope=\"col\">waited for</th>\
                <th scope=\"col\" title=\"lanes on\">lanes</th><th class=\"t\" scope=\"col\">memory</th>";
    }
    out += "</tr></thead>\n<tbody>\n";
    let all = sheet.all_cycles();
    let most = ran.map_or(0, |r| r.rows.iter().map(Cost::cycles).max().unwrap_or(0));
    let wide = if ran.is_some() { 10 } else { 6 };
    let peaks = [sheet.peak_vgprs, sheet.peak_sgprs].map(|p| p.map_or(1, |p| p.registers));
    let (mut places, mut y) = (Vec::with_capacity(sheet.code.len()), 0);
    for (n, row) in sheet.code.iter().enumerate() {
        for name in [&row.function, &row.label].into_iter().flatten() {
            let rest = wide - 3;
            let _ = writeln!(
                out,
                "<tr class=\"label\"><td></td><td></td><td></td><td colspan=\"{rest}\">{}:</td></tr>",
                escape(name)
            );
            y += 1;
        }
        places.push(y);
        y += 1;
        let data = row.source.map_or(String::new(), |s| format!(" data-l=\"{}\"", key(s)));
        let jump = sheet.branches.iter().find(|b| b.from as usize == n).map(|b| b.to);
        let goes = jump.map_or(String::new(), |to| format!(" data-to=\"c{to}\""));
        let offset = match row.source {
            Some(s) if linked(sheet, s) => {
                format!("<a href=\"#s{}-{}\" tabindex=\"-1\">{:05x}</a>", s.file, s.line, row.offset)
            }
            _ => format!("{:05x}", row.offset),
        };
        let _ = write!(
            out,
            "<tr id=\"c{n}\"{data}{goes}><td></td><td class=\"n\">{offset}</td><td></td><td class=\"t\" title=\"{}\">{}</td>{}{}",
            escape(&if row.live.is_empty() { "nothing is live".into() } else { format!("live: {}", row.live) }),
            instruction(&row.text, jump),
            live(row, sheet.peak_vgprs, n, row.vgprs, peaks[0]),
            live(row, sheet.peak_sgprs, n, row.sgprs, peaks[1])
        );
        if let Some(cost) = ran.and_then(|r| r.rows.get(n)) {
            let stall = cost.stalls.first().map_or("", |s| s.what);
            let lanes = cost.lanes_on().map_or(String::new(), |l| format!("{l:.1}"));
            let low = cost.lanes_on().is_some_and(|l| l < 0.75 * f64::from(sheet.wave));
            let (met, conflicts) = memory(cost);
            let _ = write!(
                out,
                "<td class=\"h\"{} title=\"{}\">{}</td><td class=\"s\">{stall}</td><td class=\"l{}\">{lanes}</td><td class=\"m{}\">{met}</td>",
                heat(cost.cycles(), most),
                escape(&told(cost)),
                percent(cost.cycles(), all),
                if low { " low" } else { "" },
                if conflicts { " low" } else { "" }
            );
        }
        out += "</tr>\n";
    }
    out += "</tbody>\n</table>\n";
    let middle = |row: u32| places.get(row as usize).map_or(0, |y| y * ROW + ROW / 2);
    let width = margin + OFFSET + gutter;
    let _ = writeln!(out, "<svg class=\"arrows\" aria-hidden=\"true\" width=\"{width}\" height=\"{}\">", y * ROW);
    for ((reach, column), branch) in branches.iter().zip(&branch_columns).zip(&sheet.branches) {
        let (x, end) = (margin - 8 - COLUMN * (*column as u32 + 1), margin - 4);
        let (from, to) = (middle(reach.from), middle(reach.to));
        let class = if branch.back { "loop" } else { "branch" };
        let _ = writeln!(
            out,
            "<g class=\"{class}\" data-rows=\"c{} c{}\"><path d=\"M{end} {from}H{x}V{to}H{end}\"/><path class=\"head\" d=\"M{} {}L{end} {to}L{} {}\"/></g>",
            reach.from,
            reach.to,
            end - 4,
            to - 3,
            end - 4,
            to + 3
        );
    }
    let some = sheet.waits.iter().filter(|w| !w.accesses.is_empty());
    for (wait, column) in some.zip(&wait_columns) {
        let left = margin + OFFSET;
        let (x, end) = (left + 4 + COLUMN * *column as u32, left + gutter - 3);
        let (first, last) =
            (middle(wait.accesses[0].min(wait.row)), middle(wait.row.max(*wait.accesses.last().unwrap_or(&0))));
        let at = middle(wait.row);
        let rows: Vec<String> = wait.accesses.iter().chain([&wait.row]).map(|r| format!("c{r}")).collect();
        let _ = write!(
            out,
            "<g class=\"wait\" data-rows=\"{}\"><title>{}</title><path d=\"M{x} {first}V{last}M{end} {at}H{x}\"/>",
            rows.join(" "),
            wait.counter
        );
        for access in &wait.accesses {
            let y = middle(*access);
            let _ = write!(
                out,
                "<path class=\"head\" d=\"M{x} {y}H{end}M{} {}L{end} {y}L{} {}\"/>",
                end - 4,
                y - 3,
                end - 4,
                y + 3
            );
        }
        out += &format!("<circle cx=\"{end}\" cy=\"{at}\" r=\"2.5\"/></g>\n");
    }
    out + "</svg>\n"
}

/// The mnemonic apart from its operands, a branch's label as a link.
fn instruction(text: &str, jump: Option<u32>) -> String {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let operands = match (jump, operands.rsplit_once(' ').map_or(("", operands), |(a, b)| (a, b))) {
        (Some(to), (rest, label)) if label.starts_with("BB") => {
            let space = if rest.is_empty() { "" } else { " " };
            format!("{}{space}<a href=\"#c{to}\" tabindex=\"-1\">{}</a>", escape(rest), escape(label))
        }
        _ => escape(operands),
    };
    format!("<b>{}</b> {operands}", escape(name)).trim_end().to_owned()
}

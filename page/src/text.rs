//! A sheet, and two of them, as text.

use crate::compare::{Comparison, Likeness};
use crate::margin::{Reach, columns, width};
use crate::sheet::{Peak, Sheet};
use std::fmt::Write as _;

/// What it is, what it needs, and what that makes of the machine.
pub fn head(sheet: &Sheet) -> String {
    let [x, y, z] = sheet.workgroup;
    let mut out = format!(
        "{} of {} on {} ({}), wave{}, work-groups of {x}x{y}x{z}\n",
        sheet.entry, sheet.shader, sheet.machine, sheet.isa, sheet.wave
    );
    let peak = |p: Option<Peak>| {
        p.map_or(String::new(), |p| {
            let at = sheet.code.get(p.row as usize).map_or(0, |r| r.offset);
            format!(" (at most {} live, at {at:#x})", p.registers)
        })
    };
    let _ = writeln!(
        out,
        "  {} VGPRs{}, {} SGPRs{}",
        sheet.vgprs,
        peak(sheet.peak_vgprs),
        sheet.sgprs,
        peak(sheet.peak_sgprs)
    );
    let mut needs = vec![format!("{} instructions, {} bytes", sheet.code.len(), sheet.code_bytes)];
    let some = [
        (sheet.lds_bytes, "bytes of LDS"),
        (sheet.scratch_bytes, "bytes of scratch a lane"),
        (sheet.spilled_vgprs, "spilled VGPRs"),
        (sheet.spilled_sgprs, "spilled SGPRs"),
    ];
    needs.extend(some.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    let _ = writeln!(out, "  {}", needs.join(", "));
    let o = &sheet.occupancy;
    let _ = writeln!(out, "  {} of {} waves a SIMD, limited by {}", o.waves, o.slots, o.limiter());
    let _ = writeln!(out, "  next step: {}", o.next_text());
    let _ = writeln!(out, "  {}", o.spare_text());
    out
}

/// The head, and the code: arrows of branches, live VGPRs and SGPRs, instructions, and what waits wait for.
pub fn sheet(sheet: &Sheet) -> String {
    let mut out = head(sheet);
    let margin = margin(sheet);
    let wide = margin.iter().map(|m| m.chars().count()).max().unwrap_or(0);
    let space = " ".repeat(wide);
    let _ = writeln!(out, "\n{space} vgpr sgpr");
    let mut source = None;
    for (n, row) in sheet.code.iter().enumerate() {
        if let Some(name) = &row.function {
            let _ = writeln!(out, "{space}            {name}:");
        }
        if let Some(here) = row.source.filter(|s| Some(*s) != source) {
            let line = format!("{space}            ; {}  {}", sheet.place(here), sheet.source_text(here));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        source = row.source;
        if let Some(label) = &row.label {
            let _ = writeln!(out, "{space}            {label}:");
        }
        let marks = |peak: Option<Peak>| if peak.is_some_and(|p| p.row as usize == n) { '*' } else { ' ' };
        let live = match row.reached {
            true => format!("{:>4}{}{:>3}{}", row.vgprs, marks(sheet.peak_vgprs), row.sgprs, marks(sheet.peak_sgprs)),
            false => "         ".into(),
        };
        let mut waits = Vec::new();
        for wait in sheet.waits.iter().filter(|w| w.row as usize == n) {
            let places: Vec<String> =
                wait.accesses.iter().map(|a| format!("{:#x}", sheet.code[*a as usize].offset)).collect();
            match &places[..] {
                [] => waits.push(format!("{}: nothing is on its way", wait.counter)),
                places => waits.push(format!("{}: {}", wait.counter, places.join(" "))),
            }
        }
        let note = if waits.is_empty() { String::new() } else { format!("  ; waits for {}", waits.join(", ")) };
        let line = format!("{:<wide$} {live}  {:05x}  {}{note}", margin[n], row.offset, row.text);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Arrows of branches, a text for each row, as wide as there are columns.
fn margin(sheet: &Sheet) -> Vec<String> {
    let reaches: Vec<Reach> = sheet.branches.iter().map(|b| Reach { from: b.from, to: b.to }).collect();
    let columns = columns(&reaches);
    let wide = width(&columns);
    let mut rows = vec![vec![' '; wide + usize::from(wide > 0)]; sheet.code.len()];
    // The innermost column is the last character but one; the last is the arrow's head.
    for (reach, column) in reaches.iter().zip(&columns) {
        let x = wide - 1 - column;
        let (first, last) = (reach.from.min(reach.to) as usize, reach.from.max(reach.to) as usize);
        for (y, row) in rows.iter_mut().enumerate().take(last + 1).skip(first) {
            row[x] = match (row[x], y == first, y == last) {
                (_, true, true) => '─',
                ('┌' | '└' | '├' | '│', true, _) | ('┌' | '└' | '├' | '│', _, true) => '├',
                ('┌' | '└' | '├', ..) => '├',
                (_, true, _) => '┌',
                (_, _, true) => '└',
                _ => '│',
            };
        }
        for (y, head) in [(reach.from as usize, '─'), (reach.to as usize, '>')] {
            for cell in rows[y].iter_mut().skip(x + 1).take(*column) {
                *cell = if *cell == ' ' { '─' } else { *cell };
            }
            if let Some(end) = rows[y].last_mut().filter(|end| **end != '>') {
                *end = head;
            }
        }
    }
    rows.into_iter().map(String::from_iter).collect()
}

/// Figures of both, and the code where it is not the same: `-` the left one alone, `+` the right one, `~` other operands.
pub fn comparison(c: &Comparison<'_>) -> String {
    let name = |s: &Sheet| format!("{} of {} on {}, wave{}", s.entry, s.shader, s.machine, s.wave);
    let mut out = format!("left   {}\nright  {}\n\n", name(c.left), name(c.right));
    let number = |n: Option<f64>| match n {
        Some(n) if n.fract() == 0.0 => format!("{n}"),
        Some(n) => format!("{n:.2}"),
        None => "-".into(),
    };
    for f in c.figures() {
        let change = match (f.left, f.right) {
            (Some(l), Some(r)) if l != r && l != 0.0 => format!("{:+.1} %", 100.0 * (r - l) / l),
            _ => String::new(),
        };
        let line = format!("{:<26}{:>12}{:>12}  {change:>10}", f.name, number(f.left), number(f.right));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let (left, right, operands) = c.counts();
    let _ =
        writeln!(out, "\n{left} instructions of the left alone, {right} of the right, {operands} with other operands");
    for pair in &c.rows {
        let left = pair.left.map(|n| &c.left.code[n as usize]);
        let right = pair.right.map(|n| &c.right.code[n as usize]);
        match [left, right].map(|row| row.and_then(|row| row.label.as_deref())) {
            [Some(l), Some(r)] if l == r => drop(writeln!(out, "         {l}:")),
            labels => {
                let own = ["-", "+"].iter().zip(labels).filter_map(|(mark, label)| Some((mark, label?)));
                for (mark, label) in own {
                    let _ = writeln!(out, "{mark}        {label}:");
                }
            }
        }
        match (c.likeness(*pair), left, right) {
            (Likeness::Same, Some(l), _) => drop(writeln!(out, "  {:05x}  {}", l.offset, l.text)),
            (Likeness::Operands, Some(l), Some(r)) => {
                let _ = writeln!(out, "~ {:05x}  {:<52} | {:05x}  {}", l.offset, l.text, r.offset, r.text);
            }
            (_, Some(l), _) => drop(writeln!(out, "- {:05x}  {}", l.offset, l.text)),
            (_, _, Some(r)) => drop(writeln!(out, "+ {:05x}  {}", r.offset, r.text)),
            _ => {}
        }
    }
    out
}

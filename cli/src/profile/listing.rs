//! What each source line, and each instruction, cost.

use std::collections::BTreeMap;
use wavepipe::profile::figures::stalls;
use wavepipe::profile::{Profile, cycles, rate, ratio};
use wavepipe::sheet;
use wavepipe_runtime::timing::engine::InstrCounters;

/// Reasons that are named beside an instruction.
const REASONS_SHOWN: usize = 2;

const HEAD: [&str; 6] = ["time", "cycles", "issued", "lanes", "L0 hits", "waited for"];

/// Share of all cycles, cycles, issues, lanes on, hits, reasons.
fn cells(c: &InstrCounters, all: u64) -> [String; 6] {
    let reasons = stalls(&c.stalls).into_iter().take(REASONS_SHOWN);
    let mut waited: Vec<String> = reasons.map(|(reason, n)| format!("{reason} {n}")).collect();
    if c.met.conflicts > 0 {
        waited.push(format!("({} of bank conflicts)", c.met.conflicts));
    }
    let some = |there: bool, text: String| if there { text } else { String::new() };
    [
        some(cycles(c) > 0, format!("{:.1} %", 100.0 * ratio(cycles(c), all))),
        cycles(c).to_string(),
        c.issued.to_string(),
        some(c.lane_instructions > 0, format!("{:.1}", ratio(c.lanes, c.lane_instructions))),
        rate(c.met.hits[0], c.met.misses[0]).map_or(String::new(), |r| format!("{:.0} %", 100.0 * r)),
        waited.join(", "),
    ]
}

/// Rows of columns, and what stands behind them; `Err` is a line of its own.
fn table(what: &str, rows: &[Result<([String; 6], String), String>]) -> String {
    let mut widths = HEAD.map(|h| h.chars().count());
    for (cells, _) in rows.iter().flatten() {
        widths.iter_mut().zip(cells).for_each(|(w, c)| *w = (*w).max(c.chars().count()));
    }
    let line = |cells: &[String], last: &str| {
        let mut text: String = cells[..5].iter().zip(widths).map(|(c, w)| format!("{c:>w$}  ")).collect();
        text += &format!("{:<w$}  {last}", cells[5], w = widths[5]);
        text.trim_end().to_owned() + "\n"
    };
    let mut out = "\n".to_owned() + &line(&HEAD.map(str::to_owned), what);
    for row in rows {
        out += &match row {
            Ok((cells, last)) => line(cells, last),
            Err(heading) => format!("{heading}\n"),
        };
    }
    out
}

/// Text of source lines, of files that are there.
#[derive(Default)]
struct Sources(BTreeMap<String, Vec<String>>);

impl Sources {
    fn line(&mut self, source: &str) -> String {
        let Some((name, line)) = source.rsplit_once(':') else { return String::new() };
        let read = || sheet::source(name).unwrap_or_default().lines().map(|l| l.trim().to_owned()).collect();
        let lines = self.0.entry(name.to_owned()).or_insert_with(read);
        line.parse::<usize>().ok().and_then(|n| lines.get(n.checked_sub(1)?)).cloned().unwrap_or_default()
    }
}

fn total(profile: &Profile) -> u64 {
    profile.rows().iter().map(|r| cycles(&r.counters)).sum()
}

pub(super) fn lines(profile: &Profile) -> String {
    let (all, mut sources) = (total(profile), Sources::default());
    let rows: Vec<_> = profile
        .lines()
        .into_iter()
        .map(|(source, c)| {
            let last = source.map_or("(no source line)".into(), |s| format!("{s}  {}", sources.line(s)));
            Ok((cells(&c, all), last))
        })
        .collect();
    table("source line", &rows)
}

pub(super) fn instructions(profile: &Profile) -> String {
    let (all, mut sources) = (total(profile), Sources::default());
    let (mut rows, mut source) = (Vec::new(), &None);
    for row in profile.rows() {
        if let Some(here) = row.line.source.as_ref().filter(|_| row.line.source != *source) {
            rows.push(Err(format!("; {here}  {}", sources.line(here)).trim_end().to_owned()));
        }
        source = &row.line.source;
        rows.extend(row.line.label.as_ref().map(|label| Err(format!("{label}:"))));
        rows.push(Ok((cells(&row.counters, all), row.line.labelled())));
    }
    table("instruction", &rows)
}

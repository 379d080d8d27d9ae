//! `--watch`: values wherever waves come to a place, printed as they come there, without anybody to ask.

mod spec;

pub use self::spec::{At, Item, Spec};

use crate::failure::{Failure, Result};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use wavepipe::inspect::value::WhatError;
use wavepipe::inspect::{Breakpoint, Form, Reason, Session, Stop, Turn, Value, WaveState, What, Where};

/// The flag of `run` and `launch`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct WatchArgs {
    /// Print values wherever waves come to a line: LINE:WHAT,WHAT (also FILE:LINE or +OFFSET in place of LINE), and which of them: @lane N, @wave N, @group X,Y,Z, @if CONDITION
    #[arg(long, value_name = "LINE:WHAT,...", value_parser = spec)]
    pub watch: Vec<Spec>,
    /// Places that --watch prints, at most
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub watch_limit: u64,
    /// Open the debugger where there is a fault, or where a check finds something; where standard output is no terminal, tell what is there
    #[arg(long)]
    pub break_on_fault: bool,
}

/// A place, as a flag has it.
pub fn place(text: &str) -> std::result::Result<At, String> {
    text.parse()
}

fn spec(text: &str) -> std::result::Result<Spec, String> {
    text.parse()
}

/// What the watches saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Of what is printed as JSON.
    pub hits: Vec<Json>,
    count: u64,
    left_out: u64,
    /// By watch.
    hit: Vec<bool>,
}

impl WatchArgs {
    pub fn is_on(&self) -> bool {
        !self.watch.is_empty()
    }

    /// Runs all that was submitted to its end; `print` gets the text of each hit, unless they are kept for JSON.
    ///
    /// # Errors
    /// A place that has no code, or something that nothing is called.
    pub fn follow(&self, mut session: Session, keep: bool, print: &mut dyn FnMut(&str)) -> Result<Seen> {
        let mut ids = Vec::new();
        for spec in &self.watch {
            for at in places(&session, &spec.at).map_err(|e| e.prefix(&format!("--watch {}", spec.text)))? {
                let breakpoint =
                    Breakpoint { when: spec.when.clone(), group: spec.group, wave: spec.wave, ..Breakpoint::at(at) };
                let added = session.add_breakpoint(breakpoint);
                let id = added.map_err(|e| Failure::usage(format!("--watch {}: {e}", spec.text)))?;
                ids.push((id, spec));
            }
        }
        let mut seen = Seen { hit: vec![false; self.watch.len()], ..Seen::default() };
        while session.next_dispatch().is_some() {
            self.look(&session, &ids, keep, &mut seen, print)?;
            while let Stop { reason: Reason::Breakpoint(_), .. } = session.run() {
                self.look(&session, &ids, keep, &mut seen, print)?;
            }
        }
        for (spec, _) in self.watch.iter().zip(&seen.hit).filter(|(_, hit)| !**hit) {
            eprintln!("wavepipe: --watch {}: no wave came there", spec.text);
        }
        if seen.left_out > 0 {
            let (limit, more) = (self.watch_limit, seen.left_out);
            eprintln!(
                "wavepipe: --watch: {limit} are shown, {more} left out; choose some with @lane, @wave, @group or @if, or raise --watch-limit"
            );
        }
        Ok(seen)
    }

    fn look(
        &self,
        session: &Session,
        ids: &[(u32, &Spec)],
        keep: bool,
        seen: &mut Seen,
        print: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let Some(turn) = session.turn() else { return Ok(()) };
        for id in session.hits() {
            let Some((_, spec)) = ids.iter().find(|(known, _)| *known == id) else { continue };
            if let Some(n) = self.watch.iter().position(|s| std::ptr::eq(s, *spec)) {
                seen.hit[n] = true;
            }
            if seen.count >= self.watch_limit {
                seen.left_out += 1;
                continue;
            }
            seen.count += 1;
            let hit = Hit::of(session, turn, spec)?;
            match keep {
                true => seen.hits.push(hit.json(session)),
                false => print(&hit.text(session)),
            }
        }
        Ok(())
    }
}

/// Where the code of a place is.
///
/// # Errors
/// It has none; what has is said.
pub fn places(session: &Session, at: &At) -> Result<Vec<Where>> {
    match at {
        At::Offset(offset) => {
            let kernels = session.programs().iter().filter(|p| *offset < p.bytes);
            let places: Vec<Where> = kernels.map(|p| Where::Pc(p.address + offset)).collect();
            match places.is_empty() {
                true => Err(Failure::usage(format!("no code is {offset:#x} bytes long: `wavepipe compile` lists it"))),
                false => Ok(places),
            }
        }
        At::Line { file, line } => {
            let of_file = |name: &str| file.is_empty() || name == file || name.ends_with(&format!("/{file}"));
            let rows = session.programs().iter().flat_map(|p| {
                p.lines.iter().filter(move |row| row.line != 0 && of_file(p.file(row.file))).map(|row| row.line)
            });
            let lines: std::collections::BTreeSet<u32> = rows.collect();
            if lines.contains(line) {
                return Ok(vec![Where::Line { file: file.clone(), line: *line }]);
            }
            Err(Failure::usage(match lines.is_empty() {
                true if file.is_empty() => format!("no source lines are known; write +OFFSET instead of {line}"),
                true => format!("no code is known to come from a file {file}"),
                false => format!("line {line} has no code; lines that have some: {}", ranges(&lines)),
            }))
        }
    }
}

/// `3-5, 9`.
fn ranges(lines: &std::collections::BTreeSet<u32>) -> String {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => out.push((*line, *line)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    out.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// `FILE:LINE +OFFSET`, or what of it is known; `KERNEL +OFFSET` without lines.
pub fn place_text(session: &Session, pc: u64) -> String {
    let program = session.programs().iter().find(|p| pc.wrapping_sub(p.address) < p.bytes);
    let offset = program.map(|p| format!("+{:#x}", pc - p.address));
    let line = session.line_at(pc).map(|line| session.line_text(line));
    let name = line.or_else(|| program.map(|p| p.name.clone()));
    match (name, offset) {
        (Some(name), Some(offset)) => format!("{name} {offset}"),
        _ => format!("{pc:#x}"),
    }
}

/// A wave at a place.
struct Hit<'s> {
    spec: &'s Spec,
    wave: WaveState,
    values: Vec<(String, Option<Value>, Form)>,
}

/// What is printed of a variable that the code keeps nowhere at the moment.
const NOT_HERE: &str = "not here";

impl<'s> Hit<'s> {
    fn of(session: &Session, turn: Turn, spec: &'s Spec) -> Result<Hit<'s>> {
        let gone = || Failure::Driver("the wave that stopped is gone".into());
        let wave = session.waves().into_iter().find(|w| w.turn == turn).ok_or_else(gone)?;
        let mut values = Vec::new();
        for item in &spec.items {
            let mut put = |name: String, what: &What, value| {
                let form = item.form.unwrap_or_else(|| session.form(what));
                values.push((name, value, form));
            };
            let wrong = match session.read_of(turn, &item.what) {
                Ok(value) => {
                    put(item.what.to_string(), &item.what, Some(value));
                    continue;
                }
                Err(e) => Failure::usage(format!("--watch {}: {e}", spec.text)),
            };
            // A variable with parts, or one that is nowhere now.
            let name = item.what.to_string();
            let Ok(seen) = session.variable(turn, &name) else { return Err(wrong) };
            for part in &seen.parts {
                let name = format!("{}{}", seen.name, part.path);
                let what: What = name.parse().map_err(|e: WhatError| Failure::usage(e.0))?;
                let value = session.read_of(turn, &what).ok();
                put(name, &what, value);
            }
        }
        Ok(Hit { spec, wave, values })
    }

    /// A value for each lane, where only one lane is asked for.
    fn of_lane(&self, value: &Option<Value>) -> Option<(u32, u32)> {
        match (value.as_ref()?, self.spec.lane) {
            (Value::Lanes { words, .. }, Some(lane)) => Some((lane, *words.get(lane as usize)?)),
            _ => None,
        }
    }

    fn text(&self, session: &Session) -> String {
        let [x, y, z] = self.wave.group;
        let place = place_text(session, self.wave.pc);
        let mut out = format!("{place}  work-group {x},{y},{z} wave {}\n", self.wave.turn.wave);
        let named = self.values.iter().map(|(name, value, form)| match self.of_lane(value) {
            Some((lane, word)) => (format!("{name}[{lane}]"), form.text(word)),
            None => (name.clone(), value.as_ref().map_or(NOT_HERE.into(), |value| value.text(*form))),
        });
        let named: Vec<(String, String)> = named.collect();
        let width = named.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, text) in named {
            let _ = writeln!(out, "  {name:width$}  {text}");
        }
        out
    }

    fn json(&self, session: &Session) -> Json {
        let position = session.position();
        let program = session.programs().iter().find(|p| self.wave.pc.wrapping_sub(p.address) < p.bytes);
        let line =
            self.wave.line.and_then(|l| Some((session.programs().get(l.program as usize)?.file(l.file), l.line)));
        let values: serde_json::Map<String, Json> = self
            .values
            .iter()
            .map(|(name, value, form)| match self.of_lane(value) {
                Some((lane, word)) => (format!("{name}[{lane}]"), number(*form, word)),
                None => (name.clone(), value.as_ref().map_or(Json::Null, |value| value_json(value, *form))),
            })
            .collect();
        json!({
            "watch": self.spec.text, "kernel": program.map(|p| &p.name), "file": line.map(|l| l.0), "line": line.map(|l| l.1),
            "offset": program.map(|p| self.wave.pc - p.address), "dispatch": position.dispatch, "executed": position.executed,
            "group": self.wave.group, "wave": self.wave.turn.wave, "lanes": self.wave.lanes, "values": values,
        })
    }
}

/// A dword in its form: what JSON has no number for is text.
pub fn number(form: wavepipe::inspect::Form, word: u32) -> Json {
    use wavepipe::inspect::Form;
    match form {
        Form::Hex => json!(form.text(word)),
        Form::U32 => json!(word),
        Form::I32 => json!(word as i32),
        Form::F32 if f32::from_bits(word).is_finite() => json!(f32::from_bits(word)),
        Form::F32 => json!(form.text(word)),
    }
}

/// A list by lane has `null` for those that are not live; a mask is its strip.
pub fn value_json(value: &Value, form: wavepipe::inspect::Form) -> Json {
    match value {
        Value::Flag(b) => json!(b),
        Value::Word(word) => number(form, *word),
        Value::Long(n) => json!(format!("{n:#x}")),
        Value::Mask { bits, lanes } => json!(wavepipe::inspect::value::strip(*bits, *lanes)),
        Value::Lanes { words, live } => {
            let lane =
                |(lane, word): (usize, &u32)| if live >> lane & 1 != 0 { number(form, *word) } else { Json::Null };
            words.iter().enumerate().map(lane).collect()
        }
        Value::Words(words) => words.iter().map(|word| number(form, *word)).collect(),
    }
}

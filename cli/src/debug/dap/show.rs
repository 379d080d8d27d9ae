//! What a client is shown of a machine that stands: threads, frames, scopes, variables, code and memory.

use super::{Answer, Debugging, thread_id, turn_of};
use crate::debug::picture;
use base64::Engine as _;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::path::Path;
use wavepipe::inspect::program::Space;
use wavepipe::inspect::{Form, Reason, Turn, Value, What};
use wavepipe::standing;

/// What a client may open.
#[derive(Clone, PartialEq, Debug)]
pub enum Handle {
    Lane,
    Wave,
    Machine,
    Scalars,
    Vectors,
    /// Names of memory, and the dwords of one.
    Memory,
    Named(String),
    Lds,
    /// What a text says, by lane.
    Lanes(String),
}

/// Elements that are sent where a client asks for all.
const MOST: u64 = 4096;

/// An address as clients are given it.
pub fn address(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

impl<W: Write> Debugging<'_, W> {
    pub fn source(&self, file: &str) -> Json {
        let path = Path::new(file);
        let name = path.file_name().map_or_else(|| file.to_owned(), |n| n.to_string_lossy().into_owned());
        match std::fs::canonicalize(path) {
            Ok(whole) => json!({ "name": name, "path": whole.display().to_string() }),
            Err(_) => json!({ "name": name, "presentationHint": "deemphasize" }),
        }
    }

    pub fn loaded_sources(&self) -> Json {
        let mut files: Vec<&String> = self.desk.held.programs().iter().flat_map(|p| &p.files).collect();
        files.sort();
        files.dedup();
        json!({ "sources": files.into_iter().map(|f| self.source(f)).collect::<Vec<_>>() })
    }

    pub fn threads(&self) -> Json {
        let thread = |w: wavepipe::inspect::WaveState| {
            let [x, y, z] = w.group;
            let name = format!("work-group {x},{y},{z} wave {} ({})", w.turn.wave, standing::wave(&self.desk.held, &w));
            json!({ "id": thread_id(w.turn), "name": name })
        };
        json!({ "threads": self.desk.held.waves().into_iter().map(thread).collect::<Vec<_>>() })
    }

    pub fn stack_trace(&mut self, arguments: &Json) -> Answer {
        let turn = turn_of(arguments["threadId"].as_u64().unwrap_or(0));
        let frames = self.desk.held.frames(turn);
        if frames.is_empty() {
            return Err("this wave has ended, or not begun".into());
        }
        let (skipped, wanted) =
            (arguments["startFrame"].as_u64().unwrap_or(0), arguments["levels"].as_u64().filter(|n| *n > 0));
        let total = frames.len();
        let mut out = Vec::new();
        for frame in frames.into_iter().skip(skipped as usize).take(wanted.map_or(usize::MAX, |n| n as usize)) {
            self.frames.push((turn, frame));
            let mut shown = json!({
                "id": self.frames.len(), "name": self.desk.function(frame.entry), "line": 0, "column": 0,
                "instructionPointerReference": format!("{:#x}", frame.pc),
            });
            if let Some(line) = frame.line {
                let file = self.desk.held.programs()[line.program as usize].file(line.file).to_owned();
                shown["source"] = self.source(&file);
                shown["line"] = (i64::from(line.line) - 1 + self.server.lines_from).into();
                shown["column"] = self.server.columns_from.into();
            }
            out.push(shown);
        }
        Ok(json!({ "stackFrames": out, "totalFrames": total }))
    }

    fn handle(&mut self, turn: Turn, handle: Handle) -> usize {
        self.handles.push((turn, handle));
        self.handles.len()
    }

    pub fn scopes(&mut self, arguments: &Json) -> Answer {
        let id = arguments["frameId"].as_u64().unwrap_or(0) as usize;
        let (turn, _) = *id.checked_sub(1).and_then(|n| self.frames.get(n)).ok_or("the machine has gone on since")?;
        let (_, _, lds) = self.desk.sizes();
        let named = self.desk.held.names().all().next().is_some();
        let lane = format!("Lane {}", self.desk.lane);
        let mut scopes = vec![(lane.as_str(), Handle::Lane, "locals"), ("Wave", Handle::Wave, "registers")];
        if named {
            scopes.push(("Memory", Handle::Memory, ""));
        }
        if lds > 0 {
            scopes.push(("LDS", Handle::Lds, ""));
        }
        scopes.push(("Vector registers", Handle::Vectors, "registers"));
        scopes.push(("Scalar registers", Handle::Scalars, "registers"));
        scopes.push(("Machine", Handle::Machine, ""));
        let mut out = Vec::new();
        for (name, handle, hint) in scopes {
            let count = (handle == Handle::Lds).then_some(lds / 4);
            let reference = self.handle(turn, handle);
            let mut scope = json!({ "name": name, "variablesReference": reference, "expensive": false });
            if !hint.is_empty() {
                scope["presentationHint"] = hint.into();
            }
            if let Some(count) = count {
                scope["indexedVariables"] = count.into();
            }
            out.push(scope);
        }
        Ok(json!({ "scopes": out }))
    }

    pub fn variables(&mut self, arguments: &Json) -> Answer {
        let id = arguments["variablesReference"].as_u64().unwrap_or(0) as usize;
        let (turn, handle) =
            id.checked_sub(1).and_then(|n| self.handles.get(n)).cloned().ok_or("the machine has gone on since")?;
        let start = arguments["start"].as_u64().unwrap_or(0);
        let count = arguments["count"].as_u64().filter(|n| *n > 0).unwrap_or(MOST).min(MOST);
        let (vgprs, sgprs, lds) = self.desk.sizes();
        let lane = self.desk.lane;
        let plain = |name: String, value: String| json!({ "name": name, "value": value, "variablesReference": 0 });
        let mut out = Vec::new();
        match handle {
            Handle::Lane => {
                out.push(plain("lane".into(), lane.to_string()));
                if let Some(wave) = self.desk.wave(turn) {
                    let id = |[x, y, z]: [u32; 3]| format!("{x}, {y}, {z}");
                    out.push(plain("live".into(), (wave.exec >> lane & 1 != 0).to_string()));
                    out.push(plain("local invocation".into(), id(self.desk.local(&wave, lane))));
                    out.push(plain("global invocation".into(), id(self.desk.global(&wave, lane))));
                }
                for (name, text, scalar) in self.desk.variables(turn) {
                    // A scalar has one in each lane.
                    let reference = if scalar { self.handle(turn, Handle::Lanes(name.clone())) } else { 0 };
                    out.push(json!({ "name": name, "value": text, "variablesReference": reference }));
                }
                for n in 0..vgprs {
                    let Ok((Value::Lanes { words, .. }, _)) = self.desk.value(turn, &format!("v{n}")) else { continue };
                    out.push(plain(
                        format!("v{n}"),
                        words.get(lane as usize).map_or_else(String::new, |w| word_text(*w)),
                    ));
                }
            }
            Handle::Wave => {
                for name in ["exec", "vcc", "scc", "m0", "mode", "pc"] {
                    if let Ok((value, form)) = self.desk.value(turn, name) {
                        out.push(plain(name.into(), value.text(form)));
                    }
                }
            }
            Handle::Machine => out.extend(self.desk.machine().into_iter().map(|(name, what)| plain(name, what))),
            Handle::Scalars => {
                for n in 0..sgprs {
                    if let Ok((Value::Word(w), _)) = self.desk.value(turn, &format!("s{n}")) {
                        out.push(plain(format!("s{n}"), word_text(w)));
                    }
                }
            }
            Handle::Vectors => {
                for n in 0..vgprs {
                    let name = format!("v{n}");
                    let Ok((value, form)) = self.desk.value(turn, &name) else { continue };
                    let (text, lanes) = (value.text(form), value.words().len());
                    let reference = self.handle(turn, Handle::Lanes(name.clone()));
                    out.push(json!({ "name": name, "value": text, "variablesReference": reference, "indexedVariables": lanes }));
                }
            }
            Handle::Memory => {
                for name in self.desk.held.names().all().map(str::to_owned).collect::<Vec<_>>() {
                    let Some(thing) = self.desk.held.names().get(&name).copied() else { continue };
                    let place = match thing.space {
                        Space::Memory => format!("{:#x}", thing.at),
                        Space::Lds => lds_reference(turn, thing.at),
                        #[allow(unreachable_patterns)]
                        _ => continue,
                    };
                    let reference = self.handle(turn, Handle::Named(name.clone()));
                    out.push(json!({
                        "name": name, "value": format!("{} bytes at {place}", thing.bytes), "variablesReference": reference,
                        "indexedVariables": thing.bytes / 4, "memoryReference": place,
                    }));
                }
            }
            Handle::Named(name) => {
                let dwords = self.desk.held.names().get(&name).map_or(0, |t| t.bytes / 4);
                for n in (start..dwords).take(count as usize) {
                    if let Ok((value, form)) = self.desk.value(turn, &format!("{name}[{n}]")) {
                        out.push(plain(format!("[{n}]"), value.text(form)));
                    }
                }
            }
            Handle::Lds => {
                for n in (start..u64::from(lds / 4)).take(count as usize) {
                    if let Ok((value, form)) = self.desk.value(turn, &format!("lds[{:#x}]", 4 * n)) {
                        out.push(plain(format!("[{:#x}]", 4 * n), value.text(form)));
                    }
                }
            }
            Handle::Lanes(text) => {
                let (value, form) = self.desk.value(turn, &text)?;
                let live = match &value {
                    Value::Lanes { live, .. } => *live,
                    _ => u64::MAX,
                };
                let words = value.words();
                for (n, word) in words.iter().enumerate().skip(start as usize).take(count as usize) {
                    let dead = if live >> n & 1 == 0 { " (not live)" } else { "" };
                    out.push(plain(format!("[{n}]"), format!("{}{dead}", form.text(*word))));
                }
            }
        }
        Ok(json!({ "variables": out }))
    }

    fn choose_lane(&mut self, turn: Option<Turn>, text: &str) -> Result<u32, String> {
        let lanes = turn.and_then(|t| self.desk.wave(t)).map_or(64, |w| w.lanes);
        match text.trim().parse::<u32>() {
            Ok(lane) if lane < lanes => {
                self.desk.lane = lane;
                Ok(lane)
            }
            _ => Err(format!("`{}` is no lane: they are 0 to {}", text.trim(), lanes - 1)),
        }
    }

    pub fn set_variable(&mut self, arguments: &Json) -> Answer {
        match arguments["name"].as_str() {
            Some("lane") => {
                let lane = self.choose_lane(self.desk.focus(), arguments["value"].as_str().unwrap_or(""))?;
                Ok(json!({ "value": lane.to_string(), "variablesReference": 0 }))
            }
            _ => Err("only `lane` can be set: what a wave computes is its own".into()),
        }
    }

    /// `lane = 5` chooses a lane, `picture WHAT` draws a work-group; all else is read.
    pub fn evaluate(&mut self, arguments: &Json) -> Answer {
        let text = arguments["expression"].as_str().unwrap_or("").trim().to_owned();
        let frame = arguments["frameId"].as_u64().and_then(|n| self.frames.get((n as usize).checked_sub(1)?));
        let turn = frame.map(|(turn, _)| *turn).or(self.desk.focus()).ok_or("no wave runs")?;
        let plain = |result: String| json!({ "result": result, "variablesReference": 0 });
        if let Some(rest) = text.strip_prefix("lane")
            && (rest.is_empty() || rest.starts_with([' ', '=']))
            && !rest.trim().starts_with("==")
        {
            return match rest.trim().trim_start_matches('=').trim() {
                "" => Ok(plain(self.desk.lane.to_string())),
                lane => self.choose_lane(Some(turn), lane).map(|lane| plain(format!("lane {lane}"))),
            };
        }
        if let Some(what) = text.strip_prefix("picture ") {
            return Ok(plain(picture::text(self.desk, turn.group, what)?));
        }
        let (value, form) = self.desk.value(turn, &text)?;
        Ok(match &value {
            Value::Lanes { words, .. } => {
                let lane = self.desk.lane as usize;
                let own = words.get(lane).map_or_else(String::new, |w| form.text(*w));
                // Where somebody asks for all lanes, all are shown.
                let repl = arguments["context"].as_str() == Some("repl");
                let result = if repl { value.text(form) } else { own };
                let lanes = words.len();
                let reference = self.handle(turn, Handle::Lanes(text));
                json!({ "result": result, "variablesReference": reference, "indexedVariables": lanes })
            }
            Value::Long(at) if self.desk.held.memory(*at, &mut [0; 4]).is_some() => {
                json!({ "result": value.text(form), "variablesReference": 0, "memoryReference": format!("{at:#x}") })
            }
            _ => plain(value.text(form)),
        })
    }

    pub fn disassemble(&self, arguments: &Json) -> Answer {
        let reference =
            arguments["memoryReference"].as_str().and_then(address).ok_or("memoryReference is an address")?;
        let at = reference.wrapping_add_signed(arguments["offset"].as_i64().unwrap_or(0));
        let count = arguments["instructionCount"].as_u64().unwrap_or(0).min(MOST) as i64;
        let found = self.desk.listings.iter().find(|l| {
            let end = l.lines.last().map_or(0, |line| u64::from(line.offset) + 4 * line.words.len() as u64);
            at.wrapping_sub(l.address) < end
        });
        let far = MOST as i64;
        let first = arguments["instructionOffset"].as_i64().unwrap_or(0).clamp(-far, far);
        let Some(listing) = found else {
            let nothing = |n: i64| invalid(at.wrapping_add_signed(4 * (first + n)));
            return Ok(json!({ "instructions": (0..count).map(nothing).collect::<Vec<_>>() }));
        };
        // An address in the midst of an instruction is that one's.
        let n = listing.lines.partition_point(|l| listing.address + u64::from(l.offset) <= at) as i64 - 1;
        let mut out = Vec::new();
        for n in (n + first)..(n + first + count) {
            let Some(line) = usize::try_from(n).ok().and_then(|n| listing.lines.get(n)) else {
                let (begin, size) = (listing.address, listing.lines.len() as i64);
                out.push(invalid(if n < 0 {
                    begin.wrapping_add_signed(4 * n)
                } else {
                    let last = &listing.lines[listing.lines.len() - 1];
                    begin + u64::from(last.offset) + 4 * (last.words.len() as i64 + n - size) as u64
                }));
                continue;
            };
            let pc = listing.address + u64::from(line.offset);
            let bytes: Vec<String> =
                line.words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:02x}")).collect();
            let mut shown = json!({
                "address": format!("{pc:#x}"), "instructionBytes": bytes.join(" "), "instruction": line.labelled(),
            });
            let label = line.label.clone().or_else(|| (n == 0).then(|| listing.name.clone()));
            if let Some(label) = label {
                shown["symbol"] = label.into();
            }
            if let Some(source) = self.desk.held.line_at(pc) {
                let file = self.desk.held.programs()[source.program as usize].file(source.file);
                shown["location"] = self.source(file);
                shown["line"] = (i64::from(source.line) - 1 + self.server.lines_from).into();
            }
            out.push(shown);
        }
        Ok(json!({ "instructions": out }))
    }

    pub fn read_memory(&self, arguments: &Json) -> Answer {
        let reference = arguments["memoryReference"].as_str().unwrap_or("");
        let offset = arguments["offset"].as_i64().unwrap_or(0);
        let count = arguments["count"].as_u64().unwrap_or(0).min(1 << 20) as usize;
        let mut bytes = Vec::new();
        let at;
        if let Some((turn, byte)) = lds_of(reference) {
            at = byte.wrapping_add_signed(offset);
            let dwords = |n: usize| What::Lds(at & !3, n as u32);
            let skip = (at & 3) as usize;
            let lds = u64::from(self.desk.sizes().2);
            let most = (lds.saturating_sub(at & !3) as usize).min(count + skip).div_ceil(4);
            if most > 0 {
                let words = self.desk.held.read_of(turn, &dwords(most)).map_err(|e| e.0)?.words();
                let all: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                bytes = all.into_iter().skip(skip).take(count).collect();
            }
        } else {
            let base = address(reference).ok_or_else(|| format!("`{reference}` is no address"))?;
            at = base.wrapping_add_signed(offset);
            // As much as there is.
            let (mut good, mut bad) = (0, count + 1);
            let mut room = vec![0; count];
            while good + 1 < bad {
                let n = good + (bad - good) / 2;
                match self.desk.held.memory(at, &mut room[..n]) {
                    Some(()) => good = n,
                    None => bad = n,
                }
            }
            room.truncate(good);
            if good > 0 {
                let _ = self.desk.held.memory(at, &mut room);
            }
            bytes = if good > 0 { room } else { bytes };
        }
        let mut body = json!({ "address": format!("{at:#x}"), "unreadableBytes": count - bytes.len() });
        if !bytes.is_empty() {
            body["data"] = base64::engine::general_purpose::STANDARD.encode(&bytes).into();
        }
        Ok(body)
    }

    pub fn exception_info(&self) -> Answer {
        let fault = match self.desk.stop().map(|stop| &stop.reason) {
            Some(Reason::Fault(_) | Reason::Overdue) => self.desk.why(),
            _ => self.desk.fault_here().ok_or("there is no fault")?.to_owned(),
        };
        Ok(json!({ "exceptionId": "fault", "description": fault, "breakMode": "always" }))
    }
}

fn invalid(at: u64) -> Json {
    json!({ "address": format!("{at:#x}"), "instruction": "", "presentationHint": "invalid" })
}

/// A dword as what it may be.
fn word_text(word: u32) -> String {
    let float = f32::from_bits(word);
    match float.is_normal() && (1e-6..1e9).contains(&float.abs()) {
        true => format!("{word:#x} ({float})"),
        false => format!("{} ({})", Form::Hex.text(word), word as i32),
    }
}

/// `lds:GROUP:WAVE:BYTE`.
fn lds_reference(turn: Turn, at: u64) -> String {
    format!("lds:{}:{}:{at}", turn.group, turn.wave)
}

fn lds_of(reference: &str) -> Option<(Turn, u64)> {
    let mut parts = reference.strip_prefix("lds:")?.split(':');
    let (group, wave) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((Turn { group, wave }, parts.next()?.parse().ok()?))
}

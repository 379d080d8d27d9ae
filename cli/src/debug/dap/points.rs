//! Breakpoints: of lines, of instructions, of data.

use super::show::{Handle, address};
use super::{Answer, Debugging};
use crate::debug::marks::Times;
use serde_json::{Value, json};
use std::io::Write;
use wavepipe::inspect::{Breakpoint, Condition, Watched, Where};

/// Stands for every work-group.
const ANY: &str = "any";

/// What the client has set, by kind; each request of a kind is instead of the last.
#[derive(Default)]
pub struct Points {
    /// By file.
    lines: Vec<(String, Vec<u32>)>,
    instructions: Vec<u32>,
    data: Vec<u32>,
}

impl Points {
    pub fn is_instruction(&self, id: u32) -> bool {
        self.instructions.contains(&id)
    }
}

impl<W: Write> Debugging<'_, W> {
    fn add(&mut self, asked: &Value, at: Where) -> Result<u32, String> {
        let (when, times) = conditions(asked)?;
        let message = text_of(asked, "logMessage").map(str::to_owned);
        self.desk.add(Breakpoint { when, ..Breakpoint::at(at) }, times, message)
    }

    pub fn set_breakpoints(&mut self, arguments: &Value) -> Answer {
        let path = arguments["source"]["path"].as_str().ok_or("breakpoints want a source with a path")?.to_owned();
        for (_, ids) in self.points.lines.extract_if(.., |(file, _)| *file == path) {
            ids.into_iter().for_each(|id| self.desk.remove(id));
        }
        let asked = arguments["breakpoints"].as_array().cloned().unwrap_or_default();
        let file = self.desk.file_of(&path);
        let lines = file.as_deref().map(|file| self.desk.lines_of(file)).unwrap_or_default();
        let (mut out, mut ids) = (Vec::new(), Vec::new());
        for asked in &asked {
            let line = asked["line"].as_i64().unwrap_or(0).saturating_add(1 - self.server.lines_from);
            // What has no code stops at the next line that has some.
            let found = u32::try_from(line).ok().and_then(|line| lines.range(line..).next());
            let added = match (&file, found) {
                (Some(file), Some(line)) => {
                    self.add(asked, Where::Line { file: file.clone(), line: *line }).map(|id| (id, *line))
                }
                (None, _) => Err(format!("no code is known to come from {path}")),
                (_, None) => Err("there is no code on this line, nor behind it".into()),
            };
            out.push(match added {
                Ok((id, line)) => {
                    ids.push(id);
                    let line = i64::from(line) - 1 + self.server.lines_from;
                    json!({ "id": id, "verified": true, "line": line, "source": self.source(file.as_deref().unwrap_or("")) })
                }
                Err(why) => json!({ "verified": false, "message": why, "line": asked["line"] }),
            });
        }
        self.points.lines.push((path, ids));
        Ok(json!({ "breakpoints": out }))
    }

    pub fn breakpoint_locations(&self, arguments: &Value) -> Value {
        let file = arguments["source"]["path"].as_str().and_then(|path| self.desk.file_of(path));
        let lines = file.map(|file| self.desk.lines_of(&file)).unwrap_or_default();
        let from = arguments["line"].as_i64().unwrap_or(1);
        let range = from..=arguments["endLine"].as_i64().unwrap_or(from);
        let named = lines.into_iter().map(|line| i64::from(line) - 1 + self.server.lines_from);
        let all: Vec<Value> = named.filter(|line| range.contains(line)).map(|line| json!({ "line": line })).collect();
        json!({ "breakpoints": all })
    }

    pub fn set_instruction_breakpoints(&mut self, arguments: &Value) -> Answer {
        std::mem::take(&mut self.points.instructions).into_iter().for_each(|id| self.desk.remove(id));
        let mut out = Vec::new();
        for asked in arguments["breakpoints"].as_array().into_iter().flatten() {
            let at = asked["instructionReference"].as_str().and_then(address);
            let at = at.map(|at| at.wrapping_add_signed(asked["offset"].as_i64().unwrap_or(0)));
            let added = match at.filter(|at| self.desk.instruction(*at).is_some()) {
                Some(at) => self.add(asked, Where::Pc(at)).map(|id| (id, at)),
                None => Err("no instruction begins there".into()),
            };
            out.push(match added {
                Ok((id, at)) => {
                    self.points.instructions.push(id);
                    json!({ "id": id, "verified": true, "instructionReference": format!("{at:#x}") })
                }
                Err(why) => json!({ "verified": false, "message": why }),
            });
        }
        Ok(json!({ "breakpoints": out }))
    }

    /// The id of data is `mem:ADDRESS:BYTES` or `lds:GROUP:BYTE:BYTES`, GROUP being [`ANY`] where no work-group is looked at.
    pub fn data_breakpoint_info(&mut self, arguments: &Value) -> Answer {
        let name = arguments["name"].as_str().unwrap_or("").trim();
        let inside = arguments["variablesReference"].as_u64().filter(|n| *n > 0);
        let parent = inside.and_then(|n| self.handles.get(n as usize - 1).cloned());
        let what = match &parent {
            Some((_, Handle::Named(of))) => format!("{of}{name}"),
            Some((_, Handle::Lds)) => format!("lds{name}"),
            _ => name.to_owned(),
        };
        let turn = parent.map(|(turn, _)| turn).or(self.desk.focus());
        Ok(match self.desk.watched(&what, turn.map(|turn| turn.group)) {
            Ok(watched) => {
                json!({ "dataId": data_id(&watched), "description": what, "accessTypes": ["write"], "canPersist": false })
            }
            Err(why) => json!({ "dataId": null, "description": why }),
        })
    }

    pub fn set_data_breakpoints(&mut self, arguments: &Value) -> Answer {
        std::mem::take(&mut self.points.data).into_iter().for_each(|id| self.desk.remove(id));
        let mut out = Vec::new();
        for asked in arguments["breakpoints"].as_array().into_iter().flatten() {
            let watched =
                asked["dataId"].as_str().and_then(watched).ok_or("this is no data that can be watched".into());
            let added = watched.and_then(|watched| {
                let (when, times) = conditions(asked)?;
                self.desk.add_watch(watched, when, times)
            });
            out.push(match added {
                Ok(id) => {
                    self.points.data.push(id);
                    json!({ "id": id, "verified": true })
                }
                Err(why) => json!({ "verified": false, "message": why }),
            });
        }
        Ok(json!({ "breakpoints": out }))
    }
}

fn text_of<'a>(asked: &'a Value, key: &str) -> Option<&'a str> {
    asked[key].as_str().map(str::trim).filter(|t| !t.is_empty())
}

/// What has to hold where a breakpoint of any kind is hit, and how often.
fn conditions(asked: &Value) -> Result<(Option<Condition>, Times), String> {
    let when = text_of(asked, "condition").map(|t| t.parse::<Condition>().map_err(|e| e.to_string())).transpose()?;
    Ok((when, text_of(asked, "hitCondition").map_or(Ok(Times::Each), Times::parse)?))
}

fn data_id(watched: &Watched) -> String {
    match watched {
        Watched::Memory { address, bytes } => format!("mem:{address:#x}:{bytes}"),
        Watched::Lds { group, at, bytes } => {
            format!("lds:{}:{at}:{bytes}", group.map_or(ANY.to_owned(), |group| group.to_string()))
        }
    }
}

fn watched(id: &str) -> Option<Watched> {
    let mut parts = id.split(':');
    match parts.next()? {
        "mem" => Some(Watched::Memory { address: address(parts.next()?)?, bytes: parts.next()?.parse().ok()? }),
        "lds" => {
            let (group, at, bytes) = (parts.next()?, parts.next()?, parts.next()?);
            let group = if group == ANY { None } else { Some(group.parse().ok()?) };
            Some(Watched::Lds { group, at: at.parse().ok()?, bytes: bytes.parse().ok()? })
        }
        _ => None,
    }
}

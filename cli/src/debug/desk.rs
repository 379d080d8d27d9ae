//! What a debugger knows and does, whichever face it has: the held machine, its listings and sources, the wave and the lane that are
//! looked at, breakpoints with counts and messages.

use super::before::Before;
use super::marks::{Mark, Times};
use crate::watch::{At, Item, places};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use wavepipe::held::Uploaded;
use wavepipe::inspect::condition::ConditionError;
use wavepipe::inspect::{
    Breakpoint, Condition, Form, Reason, Seen, Session, Stop, Turn, Unit, Value, Watched, WaveState, What, Where,
};
use wavepipe::standing;
use wavepipe_runtime::hw::fault::GpuFault;
use wavepipe_runtime::{CodeLine, Device, code_lines};

/// Parts of a variable that are shown in a line.
const SHOWN: usize = 8;
/// Instructions between two looks whether somebody interrupts.
const FAR: u64 = 1 << 18;
/// SGPRs that have numbers in listings.
const NAMED_SGPRS: u32 = 106;

/// The instructions of a program of the session, by its number.
pub struct Listing {
    pub address: u64,
    pub name: String,
    pub lines: Vec<CodeLine>,
    /// Functions that the kernel calls: where they begin, and their names.
    functions: Vec<(u32, String)>,
    /// VGPRs and SGPRs that it uses; 0 where the code does not say.
    registers: (u32, u32),
}

impl Listing {
    /// Number of the instruction at an address.
    pub fn at(&self, pc: u64) -> Option<usize> {
        let offset = u32::try_from(pc.checked_sub(self.address)?).ok()?;
        self.lines.binary_search_by_key(&offset, |line| line.offset).ok()
    }
}

/// What the machine is at.
#[derive(Clone, Debug)]
pub enum Happened {
    Stopped(Stop),
    /// All dispatches have ended.
    Finished,
}

pub struct Desk {
    pub held: Session,
    device: Arc<Device>,
    pub listings: Vec<Listing>,
    sources: RefCell<HashMap<String, Option<Rc<[String]>>>>,
    pub now: Happened,
    pub(super) focus: Option<Turn>,
    pub lane: u32,
    marks: Vec<Mark>,
    pub(super) before: Option<Before>,
    /// Lines to show: messages of breakpoints.
    said: Vec<String>,
    /// The end of a dispatch is a place to stand at, and to go back from.
    pub stops_at_ends: bool,
    /// Dispatch and position where something is wrong, and what.
    pub finding: Option<(u64, u64, String)>,
}

impl Drop for Desk {
    /// Nobody waits for the end of what was debugged.
    fn drop(&mut self) {
        self.held.give_up();
    }
}

impl Desk {
    /// In front of the first instruction. The code's numbers are those of the session's programs.
    pub fn new(held: Session, device: Arc<Device>, codes: &[Uploaded]) -> Desk {
        device.collect_printed();
        let listing = |(address, code): &Uploaded| Listing {
            address: *address,
            name: code.name.clone(),
            lines: code_lines(code),
            functions: code.functions.clone(),
            registers: (code.vgprs, code.sgprs),
        };
        let listings = codes.iter().map(listing).collect();
        let mut desk = Desk {
            held,
            device,
            listings,
            sources: RefCell::default(),
            now: Happened::Finished,
            focus: None,
            lane: 0,
            marks: Vec::new(),
            before: None,
            said: Vec::new(),
            finding: None,
            stops_at_ends: false,
        };
        desk.now = desk.dispatch();
        desk.look();
        desk
    }

    /// In front of the next dispatch.
    fn dispatch(&mut self) -> Happened {
        if self.held.next_dispatch().is_none() {
            return Happened::Finished;
        }
        Happened::Stopped(self.held.standing(Reason::Begin))
    }

    /// The wave whose turn it is, and a lane of it that is live.
    fn look(&mut self) {
        self.focus = match &self.now {
            Happened::Stopped(stop) => stop.turn.or(self.fault_turn()),
            Happened::Finished => None,
        };
        if let Some(wave) = self.focused()
            && wave.exec >> self.lane & 1 == 0
            && wave.exec != 0
        {
            self.lane = wave.exec.trailing_zeros();
        }
    }

    fn fault_turn(&self) -> Option<Turn> {
        self.held.waves().first().map(|w| w.turn)
    }

    pub fn stop(&self) -> Option<&Stop> {
        match &self.now {
            Happened::Stopped(stop) => Some(stop),
            Happened::Finished => None,
        }
    }

    pub fn focus(&self) -> Option<Turn> {
        self.focus
    }

    /// Looks at another wave.
    pub fn set_focus(&mut self, turn: Turn) {
        self.focus = Some(turn);
    }

    pub fn wave(&self, turn: Turn) -> Option<WaveState> {
        self.held.waves().into_iter().find(|w| w.turn == turn)
    }

    pub fn focused(&self) -> Option<WaveState> {
        self.wave(self.focus?)
    }

    /// Sides of a work-group.
    pub fn workgroup(&self) -> [u32; 3] {
        self.held.dispatch().map_or([1; 3], |d| d.launch.workgroup)
    }

    /// VGPRs and SGPRs that a wave uses, and bytes of LDS of a work-group.
    pub fn sizes(&self) -> (u32, u32, u32) {
        let Some(dispatch) = self.held.dispatch() else { return (0, 0, 0) };
        let launch = &dispatch.launch;
        let kernel = self.listings.iter().find(|l| l.address == launch.code_va);
        let (vgprs, sgprs) = kernel.map_or((0, 0), |l| l.registers);
        let or = |used: u32, all: u32| if used > 0 { used.min(all) } else { all };
        (or(vgprs, launch.vgprs), or(sgprs, launch.sgprs.min(NAMED_SGPRS)), launch.lds_bytes)
    }

    /// Id in its work-group of a lane's invocation.
    pub fn local(&self, wave: &WaveState, lane: u32) -> [u32; 3] {
        let [x, y, _] = self.workgroup().map(|n| n.max(1));
        let n = wave.turn.wave * wave.lanes + lane;
        [n % x, n / x % y, n / x / y]
    }

    /// The same in the dispatch.
    pub fn global(&self, wave: &WaveState, lane: u32) -> [u32; 3] {
        let (local, side) = (self.local(wave, lane), self.workgroup());
        std::array::from_fn(|i| wave.group[i].wrapping_mul(side[i]).wrapping_add(local[i]))
    }

    /// The listing of an address, and the number of its instruction.
    pub fn instruction(&self, pc: u64) -> Option<(&Listing, usize)> {
        self.listings.iter().find_map(|l| Some((l, l.at(pc)?)))
    }

    /// The function that begins at an address.
    pub fn function(&self, entry: u64) -> &str {
        let named = self.listings.iter().find_map(|l| match entry.checked_sub(l.address)? {
            0 => Some(&l.name),
            offset => l.functions.iter().find(|f| u64::from(f.0) == offset).map(|f| &f.1),
        });
        named.map_or("?", |name| name)
    }

    /// A source's lines; `None` if there is no such file.
    pub fn source(&self, file: &str) -> Option<Rc<[String]>> {
        let mut sources = self.sources.borrow_mut();
        let read = || {
            let text = crate::failure::read_text(Path::new(file)).ok()?;
            Some(text.lines().map(|l| l.replace('\t', "    ")).collect())
        };
        sources.entry(file.to_owned()).or_insert_with(read).clone()
    }

    /// The name that programs have for a file of the user's.
    pub fn file_of(&self, path: &str) -> Option<String> {
        let whole = |p: &str| std::fs::canonicalize(p).unwrap_or_else(|_| PathBuf::from(p));
        let wanted = whole(path);
        let mut files = self.held.programs().iter().flat_map(|p| &p.files);
        let same = |file: &&String| whole(file) == wanted || wanted.ends_with(Path::new(file));
        files.find(same).cloned()
    }

    /// Lines of a file that have code.
    pub fn lines_of(&self, file: &str) -> BTreeSet<u32> {
        let programs = self.held.programs().iter();
        let rows = programs.flat_map(|p| p.lines.iter().filter(move |row| row.line != 0 && p.file(row.file) == file));
        rows.map(|row| row.line).collect()
    }

    /// Adds a breakpoint.
    pub fn add(&mut self, breakpoint: Breakpoint, times: Times, message: Option<String>) -> Result<u32, String> {
        let id = self.held.add_breakpoint(breakpoint).map_err(|e| e.to_string())?;
        self.marks.push(Mark::new(id, times, message));
        Ok(id)
    }

    /// Stops where memory, LDS or what has a name changes: `WHAT`, or `WHAT @if CONDITION`.
    pub fn watch(&mut self, text: &str) -> Result<(), String> {
        let (what, when) = match text.split_once("@if") {
            Some((what, when)) => (what.trim(), Some(when.trim().parse().map_err(|e: ConditionError| e.to_string())?)),
            None => (text, None),
        };
        let watched = self.watched(what, self.focus.map(|t| t.group))?;
        self.add_watch(watched, when, Times::Each).map(|_| ())
    }

    /// The bytes that a text says; LDS is that of a work-group.
    pub fn watched(&self, text: &str, group: Option<u64>) -> Result<Watched, String> {
        text.parse().and_then(|what| self.held.watched(&what, group)).map_err(|e| e.0)
    }

    /// Adds a watchpoint.
    pub fn add_watch(&mut self, watched: Watched, when: Option<Condition>, times: Times) -> Result<u32, String> {
        let id = self.held.add_watchpoint(watched, when).map_err(|e| e.0)?;
        self.marks.push(Mark::new(id, times, None));
        Ok(id)
    }

    pub fn remove(&mut self, id: u32) {
        self.held.remove(id);
        self.marks.retain(|m| m.id != id);
    }

    /// What was printed and said since last asked.
    pub fn take_said(&mut self) -> Vec<String> {
        let mut said = std::mem::take(&mut self.said);
        said.extend(self.device.take_printed());
        said
    }

    /// What is wrong where it stands, if that is known.
    pub fn fault_here(&self) -> Option<&str> {
        let position = self.held.position();
        let here = |f: &&(u64, u64, String)| (f.0, f.1) == (position.dispatch, position.executed);
        self.finding.as_ref().filter(here).map(|(_, _, why)| why.as_str())
    }

    /// Looks at the lane that a finding names.
    pub fn look_at_fault(&mut self) {
        let lane = self.fault_here().and_then(|why| why.strip_prefix("lane ")?.split(':').next()?.parse().ok());
        self.lane = lane.unwrap_or(self.lane);
    }

    /// Goes on from the first instruction to whatever stops, and be it there.
    pub fn start(&mut self) {
        match self.held.hit() {
            Some(id) if self.is_wanted() => {
                if let Happened::Stopped(stop) = &mut self.now {
                    stop.reason = Reason::Breakpoint(id);
                }
            }
            _ => self.go(Unit::Run),
        }
    }

    /// Goes on: what is stepped is the wave that is looked at.
    pub fn go(&mut self, unit: Unit) {
        self.remember();
        self.now = self.forwards(unit);
        self.look();
    }

    /// Goes back.
    pub fn back(&mut self, unit: Unit) {
        self.remember();
        let mut stop = self.held.back(unit);
        while !self.wants(&mut stop) {
            stop = self.held.back(unit);
        }
        self.now = Happened::Stopped(stop);
        self.look();
    }

    /// Goes on up to a place, or to whatever stops before.
    pub fn run_to(&mut self, at: &At) -> Result<(), String> {
        let mut ids = Vec::new();
        for at in places(&self.held, at).map_err(|e| e.to_string())? {
            ids.push(self.held.add_breakpoint(Breakpoint::at(at)).map_err(|e| e.to_string())?);
        }
        self.go(Unit::Run);
        if let Happened::Stopped(stop) = &mut self.now
            && matches!(stop.reason, Reason::Breakpoint(id) if ids.contains(&id))
        {
            stop.reason = Reason::Stepped;
        }
        ids.into_iter().for_each(|id| self.held.remove(id));
        Ok(())
    }

    /// Goes to a position of the dispatch that it is at.
    pub fn goto(&mut self, executed: u64) {
        self.remember();
        let interrupt = self.held.interrupt();
        loop {
            let to = executed.min(self.held.position().executed.saturating_add(FAR));
            let mut stop = self.held.goto(to);
            let there = to == executed || matches!(stop.reason, Reason::Ended | Reason::Fault(_));
            if !there && interrupt.swap(false, SeqCst) {
                stop.reason = Reason::Interrupted;
            }
            if there || matches!(stop.reason, Reason::Interrupted) {
                self.now = Happened::Stopped(stop);
                break;
            }
        }
        self.look();
    }

    /// In front of a dispatch behind the one that it is at.
    pub fn skip_to(&mut self, dispatch: u64) {
        while self.held.position().dispatch < dispatch && !matches!(self.now, Happened::Finished) {
            self.now = self.dispatch();
        }
        self.look();
    }

    fn forwards(&mut self, unit: Unit) -> Happened {
        if unit != Unit::Run
            && let Some(stop) = self.await_focus()
        {
            return Happened::Stopped(stop);
        }
        let mut at_end = matches!(&self.now, Happened::Stopped(Stop { reason: Reason::Ended, .. }));
        loop {
            let mut stop = match at_end && self.held.turn().is_none() {
                true => self.held.standing(Reason::Ended),
                false => self.held.step(unit),
            };
            if !self.wants(&mut stop) {
                continue;
            }
            match stop.reason {
                Reason::Ended if self.stops_at_ends && !at_end => return Happened::Stopped(stop),
                Reason::Ended => {
                    at_end = false;
                    let next = self.dispatch();
                    let Happened::Stopped(mut stop) = next else { return next };
                    let Some(id) = self.held.hit() else {
                        if unit == Unit::Run {
                            continue;
                        }
                        return Happened::Stopped(stop);
                    };
                    if unit != Unit::Run || self.is_wanted() {
                        stop.reason = Reason::Breakpoint(id);
                        return Happened::Stopped(stop);
                    }
                }
                _ => return Happened::Stopped(stop),
            }
        }
    }

    /// Until it is the turn of the wave that is looked at. `Some`: something else stops before.
    fn await_focus(&mut self) -> Option<Stop> {
        let turn = self.focus?;
        let group = self.wave(turn)?.group;
        if self.held.turn() == Some(turn) {
            return None;
        }
        let only = Breakpoint { group: Some(group), wave: Some(turn.wave), ..Breakpoint::at(Where::Anywhere) };
        let id = self.held.add_breakpoint(only).ok()?;
        let stop = loop {
            let mut stop = self.held.run();
            if self.wants(&mut stop) {
                break stop;
            }
        };
        self.held.remove(id);
        let there = stop.turn == Some(turn) && matches!(stop.reason, Reason::Breakpoint(_));
        (!there).then_some(stop)
    }

    /// Counts what is hit, and leaves of a stop what stops it then.
    fn wants(&mut self, stop: &mut Stop) -> bool {
        let mut all = vec![stop.reason.clone()];
        all.append(&mut stop.also);
        all.retain(|reason| reason.point().is_none_or(|id| self.counts(id)));
        let mut left = all.into_iter();
        let Some(first) = left.next() else { return false };
        (stop.reason, stop.also) = (first, left.collect());
        true
    }

    /// Counts the breakpoints that are hit, says what they say, and whether any stops.
    fn is_wanted(&mut self) -> bool {
        // Each is counted, whatever the others say.
        self.held.hits().into_iter().filter(|id| self.counts(*id)).count() > 0
    }

    /// Counts a hit, says what is to be said, and whether it stops.
    fn counts(&mut self, id: u32) -> bool {
        let position = self.held.position();
        let here = (position.dispatch, position.executed);
        let Some(n) = self.marks.iter().position(|m| m.id == id) else { return true };
        let mark = &mut self.marks[n];
        let new = mark.seen.insert(here);
        let nth = mark.seen.range(..=here).count() as u64;
        match mark.message.clone() {
            _ if !mark.times.hold(nth) => false,
            None => true,
            Some(text) => {
                if new {
                    let text = self.filled(&text);
                    self.said.push(text);
                }
                false
            }
        }
    }

    /// A message, its `{WHAT}` filled in for the wave whose turn it is.
    fn filled(&self, message: &str) -> String {
        let mut out = String::new();
        let mut rest = message;
        while let Some((text, inside)) = rest.split_once('{') {
            out.push_str(text);
            let Some((what, behind)) = inside.split_once('}') else {
                out.push('{');
                rest = inside;
                continue;
            };
            let turn = self.held.turn();
            let shown = turn.and_then(|turn| self.value(turn, what).ok());
            out.push_str(&shown.map_or_else(|| format!("{{{what}}}"), |(value, form)| value.text(form)));
            rest = behind;
        }
        out + rest
    }

    /// The source variables that have a value where a wave is: name, value in the lane that is looked at, and whether each lane can be
    /// read by that name.
    pub fn variables(&self, turn: Turn) -> Vec<(String, String, bool)> {
        let of = |seen: Seen| {
            let texts = seen.parts.iter().take(SHOWN).map(|part| part.text(self.lane as usize));
            let texts: Vec<String> = texts.collect();
            match (&texts[..], seen.parts.len() > SHOWN) {
                ([text], _) => (seen.name, text.clone(), seen.parts.iter().all(|part| part.lanes.is_some())),
                (_, true) => (seen.name, format!("({}, …)", texts.join(", ")), false),
                (_, false) => (seen.name, format!("({})", texts.join(", ")), false),
            }
        };
        self.held.variables(turn).into_iter().map(of).collect()
    }

    /// Reads what a text says.
    pub fn value(&self, turn: Turn, text: &str) -> Result<(Value, Form), String> {
        let text = text.trim();
        // A vector register of one lane.
        if let Some((register, lane)) = text.strip_suffix(']').and_then(|t| t.split_once('['))
            && let (Ok(what @ What::Vgpr(_)), Ok(lane)) = (register.parse::<What>(), lane.trim().parse::<usize>())
        {
            let value = self.held.read_of(turn, &what).map_err(|e| e.0)?;
            let words = value.words();
            let word = words.get(lane).ok_or_else(|| format!("lanes are 0 to {}", words.len() - 1))?;
            return Ok((Value::Word(*word), Form::Hex));
        }
        match text.parse::<Item>() {
            Ok(item) => {
                let value = self.held.read_of(turn, &item.what).map_err(|e| e.0)?;
                Ok((value, item.form.unwrap_or_else(|| self.held.form(&item.what))))
            }
            Err(why) => {
                // What is nothing to read may be a condition.
                let Ok(condition) = text.parse::<Condition>() else { return Err(why) };
                condition.check(self.held.names()).map_err(|e| e.to_string())?;
                let holds = self.held.holds(turn, &condition).ok_or("the wave does not run")?;
                Ok((Value::Flag(holds), Form::Hex))
            }
        }
    }

    /// The cycle, what the wave that is looked at waits for, queues, and what else the card's clock knows.
    pub fn machine(&self) -> Vec<(String, String)> {
        let text = |pc| self.instruction(pc).map_or_else(String::new, |(listing, n)| listing.lines[n].text.clone());
        let mut all = standing::machine(&self.held, text);
        if let Some(wave) = self.focused().filter(|_| self.held.schedule().is_some()) {
            all.insert(1, ("wave".to_owned(), standing::wave(&self.held, &wave)));
        }
        all
    }

    /// Why it stands, in words.
    pub fn why(&self) -> String {
        let Some(stop) = self.stop() else { return "all dispatches have ended".into() };
        match &stop.reason {
            Reason::Stepped => "stands here".into(),
            Reason::Breakpoint(_) => "breakpoint".into(),
            Reason::Watchpoint { old, new, by, pc, .. } => {
                let word = |b: &[u8]| {
                    let mut word = [0; 4];
                    let n = b.len().min(4);
                    word[..n].copy_from_slice(&b[..n]);
                    u32::from_le_bytes(word)
                };
                let (old, new) = (word(old), word(new));
                let place = crate::watch::place_text(&self.held, *pc);
                format!("changed from {old:#x} to {new:#x} by wave {} at {place}", by.wave)
            }
            Reason::Fault(fault) => {
                let site = fault.site.clone();
                let kind = fault.kind.clone();
                let whole = GpuFault { kind, kernel: String::new(), site: None, queue: (0, 0) }.to_string();
                let what = whole.split_once(": ").map_or(whole.as_str(), |(_, what)| what).to_owned();
                match site {
                    Some(site) => format!("fault in lane {}: {what}", site.lane),
                    None => format!("fault: {what}"),
                }
            }
            Reason::Ended => "the dispatch has ended".into(),
            Reason::Begin => "in front of the first instruction".into(),
            Reason::Interrupted => "interrupted".into(),
            Reason::Overdue => "the dispatch has taken longer than WAVEPIPE_TIMEOUT".into(),
        }
    }
}

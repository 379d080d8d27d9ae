//! A dispatch step by step: positions, waves, registers.

use crate::asked::{Beginning, How, Seen, Shading, Step, Stopping, Watching};
use crate::code::own_line;
use crate::{given, refusal};
use serde_json::{Value, json};
use wavepipe::work::Work;
use wavepipe::{Failure, Result, held, standing};
use wavepipe_inspect::condition::ConditionError;
use wavepipe_inspect::{
    Breakpoint, Condition, Line, Part, Reason, Seen as Variable, Session, Stop, Turn, Unit, Value as Read, WaveState,
    What,
};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::simple::{self, Submitted};
use wavepipe_runtime::{CodeLine, Config, GpuFault, code_lines};

/// Waves that are shown at most, and LDS.
const WAVES: usize = 256;
const LDS_WORDS: u32 = 4096;
/// Scalars of a variable that are shown at most.
const PARTS: usize = 16;
/// SGPRs that programs have, VCC not among them.
const SGPRS: u32 = 106;

/// A dispatch that is held.
pub struct Stepping {
    shading: Shading,
    code: CodeObject,
    lines: Vec<CodeLine>,
    address: u64,
    breakpoints: Vec<(u32, Stopping)>,
    watches: Vec<(u32, Watching)>,
    // In the order in which they go: the session lets the machine go first.
    session: Session,
    _submitted: Submitted,
    _driver: simple::Session,
}

impl Drop for Stepping {
    fn drop(&mut self) {
        // Nobody waits for the rest.
        self.session.give_up();
    }
}

impl Stepping {
    /// The job's first dispatch, in front of its first instruction.
    pub fn begin(asked: &Beginning) -> Result<Stepping> {
        let shading = &asked.shading;
        let work = given::opened(shading)?;
        // Whoever steps has time.
        let config = Config { timeout: None, ..given::config(shading)? };
        let schedules = if asked.clock { held::schedules(&work, &given::run_config(shading)?)? } else { Vec::new() };
        let (driver, mut session) = held::machine(&config, false)?;
        session.follow(schedules);
        let (submitted, code, address) = submit(&work, &driver, &mut session)?;
        // The driver's own kernels, such as fills, come before.
        loop {
            let dispatch = session.next_dispatch().ok_or_else(|| Failure::usage("the job launches nothing"))?;
            if dispatch.launch.code_va == address {
                break;
            }
        }
        Ok(Stepping {
            shading: shading.clone(),
            lines: code_lines(&code),
            code,
            address,
            breakpoints: Vec::new(),
            watches: Vec::new(),
            session,
            _submitted: submitted,
            _driver: driver,
        })
    }

    /// Goes on or back, and shows where it is then.
    pub fn step(&mut self, step: &Step) -> Result<Value> {
        self.stop_for(&step.seen)?;
        let unit = match step.how {
            How::Instruction => Unit::Instruction,
            How::Line => Unit::Line,
            How::Wave => Unit::Wave,
            How::Barrier => Unit::Barrier,
            How::Group => Unit::Group,
            How::Cycle => Unit::Cycle,
            How::Run => Unit::Run,
            How::Look => return Ok(self.shown(&step.seen)),
            How::To => {
                let stop = self.session.goto(step.to);
                return Ok(self.described(&step.seen, Some(&stop)));
            }
        };
        let stop = if step.back { self.session.back(unit) } else { self.session.step(unit) };
        Ok(self.described(&step.seen, Some(&stop)))
    }

    /// Breakpoints and watchpoints as the page has them.
    fn stop_for(&mut self, seen: &Seen) -> Result<()> {
        let session = &mut self.session;
        keep(session, &mut self.watches, &seen.watches, |session, new| {
            let wrong = |e: &dyn std::fmt::Display| Failure::usage(format!("watch {}: {e}", new.what));
            let what: What = new.what.parse().map_err(|e| wrong(&e))?;
            let when = condition(&new.when).map_err(|e| wrong(&e))?;
            session.watch(&what, None, when).map_err(|e| wrong(&e))
        })?;
        keep(session, &mut self.breakpoints, &seen.breakpoints, |session, new| {
            let wrong = |e: ConditionError| Failure::usage(format!("line {}: {e}", new.line));
            let when = condition(&new.when).map_err(wrong)?;
            session.add_breakpoint(Breakpoint { when, ..Breakpoint::line(new.line) }).map_err(wrong)
        })
    }

    /// Where it is.
    pub fn shown(&mut self, seen: &Seen) -> Value {
        match self.stop_for(seen) {
            Ok(()) => self.described(seen, None),
            Err(e) => refusal(e),
        }
    }

    fn described(&self, seen: &Seen, stop: Option<&Stop>) -> Value {
        let session = &self.session;
        let waves = session.waves();
        let turn = session.turn();
        let wanted = seen.wave.map(|(group, wave)| Turn { group, wave });
        let there = |t: &Turn| waves.iter().any(|w| w.turn == *t);
        let looked_at = wanted.filter(there).or(turn);
        // The work-group that is looked at, and others as far as there is room.
        let group = looked_at.map(|t| t.group);
        let own = waves.iter().filter(|w| Some(w.turn.group) == group);
        let others = waves.iter().filter(|w| Some(w.turn.group) != group);
        let shown: Vec<Value> = own.chain(others).take(WAVES).map(|w| self.wave(w)).collect();
        json!({
            "position": session.position().executed,
            "cycle": session.schedule().map(|_| session.cycle()),
            "machine": standing::machine(session, |pc| self.text(pc)),
            "reason": stop.map(|s| reason(&s.reason)),
            "breakpoint": stop.and_then(|s| self.breakpoint(&s.reason)),
            "watch": stop.and_then(|s| self.watched(&s.reason)),
            "turn": turn.map(|t| [t.group, u64::from(t.wave)]),
            "waves": shown,
            "more_waves": waves.len().saturating_sub(WAVES),
            "seen": looked_at.map(|t| self.registers(t)),
        })
    }

    fn breakpoint(&self, reason: &Reason) -> Option<u32> {
        let Reason::Breakpoint(id) = reason else { return None };
        self.breakpoints.iter().find(|(known, _)| known == id).map(|(_, b)| b.line)
    }

    /// What was watched that changed: its first dword that is another now, and the instruction and the wave that it was.
    fn watched(&self, reason: &Reason) -> Option<Value> {
        let Reason::Watchpoint { id, old, new, by, pc } = reason else { return None };
        let watching = self.watches.iter().find(|(known, _)| known == id).map(|(_, w)| &w.what)?;
        let what: What = watching.parse().ok()?;
        let form = self.session.form(&what);
        let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect::<Vec<_>>();
        let (n, (old, new)) = words(old).into_iter().zip(words(new)).enumerate().find(|(_, (old, new))| old != new)?;
        let dword = match what {
            What::Named(name, None) => What::Named(name, Some(n as u64)),
            What::Lds(at, _) => What::Lds(at + 4 * n as u64, 1),
            What::Memory(at, _) => What::Memory(at + 4 * n as u64, 1),
            other => other,
        };
        Some(json!({
            "what": watching, "dword": dword.to_string(), "old": form.text(old), "new": form.text(new),
            "group": by.group, "wave": by.wave, "offset": pc.wrapping_sub(self.address),
            "line": self.own_line(self.session.line_at(*pc)),
        }))
    }

    /// The instruction at an address.
    fn text(&self, pc: u64) -> String {
        let line = self.lines.iter().find(|line| u64::from(line.offset) == pc.wrapping_sub(self.address));
        line.map_or_else(String::new, |line| line.text.clone())
    }

    /// The line of the page's text that a line is.
    fn own_line(&self, line: Option<Line>) -> Option<u32> {
        own_line(&self.session.line_text(line?), &self.shading)
    }

    fn wave(&self, w: &WaveState) -> Value {
        json!({
            "group": w.turn.group, "wave": w.turn.wave, "id": w.group, "status": standing::wave(&self.session, w),
            "offset": w.pc.wrapping_sub(self.address),
            "line": self.own_line(w.line),
            "exec": halves(w.exec), "lanes": w.lanes,
        })
    }

    fn registers(&self, turn: Turn) -> Value {
        let read = |what: What| self.session.read_of(turn, &what).ok();
        let mask = |what: What| match read(what) {
            Some(Read::Mask { bits, .. }) => halves(bits),
            _ => [0, 0],
        };
        let words = |what: What| read(what).map_or_else(Vec::new, |v| v.words());
        let lds = (self.code.lds_bytes / 4).min(LDS_WORDS);
        json!({
            "group": turn.group, "wave": turn.wave,
            "exec": mask(What::Exec), "vcc": mask(What::Vcc),
            "scc": words(What::Scc).first(), "m0": words(What::M0).first(),
            "sgprs": (0..self.code.sgprs.min(SGPRS)).map(|n| words(What::Sgpr(n)).first().copied()).collect::<Vec<_>>(),
            "vgprs": (0..self.code.vgprs).map(|n| words(What::Vgpr(n))).collect::<Vec<_>>(),
            "lds": if lds > 0 { words(What::Lds(0, lds)) } else { Vec::new() },
            "variables": self.session.variables(turn).iter().map(variable).collect::<Vec<_>>(),
        })
    }
}

/// Makes the stops of a session those that are wanted; what stays keeps its number.
fn keep<T: Clone + PartialEq>(
    session: &mut Session,
    known: &mut Vec<(u32, T)>,
    wanted: &[T],
    add: impl Fn(&mut Session, &T) -> Result<u32>,
) -> Result<()> {
    known.retain(|(id, stop)| {
        let stays = wanted.contains(stop);
        if !stays {
            session.remove(*id);
        }
        stays
    });
    for new in wanted {
        if !known.iter().any(|(_, stop)| stop == new) {
            known.push((add(session, new)?, new.clone()));
        }
    }
    Ok(())
}

/// A condition; none of an empty text.
fn condition(text: &str) -> std::result::Result<Option<Condition>, ConditionError> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some),
    }
}

/// A source variable: its scalars as texts by lane, none where the code keeps one nowhere.
fn variable(seen: &Variable) -> Value {
    let lanes = |part: &Part| part.lanes.as_ref().map(|l| (0..l.len()).map(|lane| part.text(lane)).collect::<Vec<_>>());
    let parts = seen.parts.iter().take(PARTS);
    json!({
        "name": seen.name, "type": seen.ty, "function": seen.function,
        "parts": parts.map(|p| json!({ "path": p.path, "lanes": lanes(p) })).collect::<Vec<_>>(),
        "more_parts": seen.parts.len().saturating_sub(PARTS),
    })
}

/// JSON's numbers have 53 bits.
fn halves(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}

fn submit(work: &Work, driver: &simple::Session, held: &mut Session) -> Result<(Submitted, CodeObject, u64)> {
    let loaded = work.load(driver)?;
    loaded.introduce(held);
    let submitted = loaded.begin(driver)?;
    let pipeline = &loaded.pipelines[0];
    Ok((submitted, pipeline.code_object().clone(), pipeline.address()))
}

fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Stepped => String::new(),
        Reason::Breakpoint(_) => "breakpoint".into(),
        Reason::Watchpoint { .. } => "watchpoint".into(),
        Reason::Fault(fault) => {
            let fault = GpuFault { kind: fault.kind.clone(), kernel: String::new(), site: None, queue: (0, 0) };
            let text = fault.to_string();
            let what = text.lines().next().unwrap_or_default();
            format!("fault: {}", what.split_once(": ").map_or(what, |(_, what)| what))
        }
        Reason::Ended => "ended".into(),
        Reason::Begin => "begin".into(),
        Reason::Interrupted => "interrupted".into(),
        Reason::Overdue => "it takes too long".into(),
    }
}

//! A held machine: dispatch by dispatch, and in each forwards and backwards.

mod clock;
mod frames;
mod watch;

pub use self::frames::Frame;

use self::watch::{Watchpoint, before, changed};
use crate::condition::ConditionError;
use crate::form::Form;
use crate::history::History;
use crate::hold::{Hold, LOOK, finish, packet};
use crate::order::{Executed, Execution};
use crate::program::{Line, Names, Program, Surroundings, Thing};
use crate::schedule::{Schedule, Turn};
use crate::stop::{Breakpoint, Position, Reason, Stop, Unit, Where};
use crate::value::{Eye, Value, What, WhatError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use wavepipe_core::Gpu;
use wavepipe_core::dispatch::Dispatch;
use wavepipe_core::timed::{Memory, Timed};
use wavepipe_core::wave::{WaveFault, WaveStatus};

/// A wave of a resident work-group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaveState {
    pub turn: Turn,
    /// Id of its work-group.
    pub group: [u32; 3],
    pub status: WaveStatus,
    pub pc: u64,
    pub line: Option<Line>,
    pub exec: u64,
    /// 32 or 64.
    pub lanes: u32,
}

/// What a session is at.
struct Run {
    execution: Execution,
    history: History,
    fault: Option<Box<WaveFault>>,
}

/// A machine that does what it is told, until this is dropped: then it finishes by itself while somebody waits for it.
pub struct Session {
    gpu: Arc<Gpu>,
    hold: Arc<Hold>,
    memory: Option<Memory>,
    run: Option<Run>,
    launched: std::collections::VecDeque<Arc<Dispatch>>,
    dispatches: u64,
    programs: Vec<Program>,
    names: Names,
    breakpoints: Vec<(u32, Breakpoint)>,
    watchpoints: Vec<Watchpoint>,
    last_id: u32,
    interrupt: Arc<AtomicBool>,
    schedules: Vec<Schedule>,
}

/// What it is at, its memory, and what it stops for: breakpoints and watchpoints.
type Parts<'s> = (&'s mut Run, &'s Memory, Watch<'s>, &'s [Watchpoint]);

impl Drop for Session {
    fn drop(&mut self) {
        self.finish();
        // What was launched and never looked at runs as it would have.
        while let Some(dispatch) = self.launched.pop_front() {
            self.begin(dispatch);
            self.finish();
        }
        self.hold.held.store(false, SeqCst);
    }
}

impl Session {
    pub(crate) fn new(gpu: Arc<Gpu>, hold: Arc<Hold>) -> Session {
        Session {
            gpu,
            hold,
            memory: None,
            run: None,
            launched: Default::default(),
            dispatches: 0,
            programs: Vec::new(),
            names: Names::default(),
            breakpoints: Vec::new(),
            watchpoints: Vec::new(),
            last_id: 0,
            interrupt: Arc::default(),
            schedules: Vec::new(),
        }
    }

    /// Makes code known: from then on its addresses have lines.
    pub fn add_program(&mut self, program: Program) {
        program.variables.iter().for_each(|v| self.names.add_variables(v));
        let number = self.programs.len() as u32;
        self.programs.push(Program { number, ..program });
    }

    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// Gives a name to memory or LDS, for conditions and reads.
    pub fn add_name(&mut self, name: impl Into<String>, thing: Thing) {
        self.names.add(name, thing);
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The number that its stops have. An error if a condition has a name that nothing has.
    pub fn add_breakpoint(&mut self, breakpoint: Breakpoint) -> Result<u32, ConditionError> {
        if let Some(condition) = &breakpoint.when {
            condition.check(&self.names)?;
        }
        self.last_id += 1;
        self.breakpoints.push((self.last_id, breakpoint));
        Ok(self.last_id)
    }

    /// Removes a breakpoint or a watchpoint.
    pub fn remove(&mut self, id: u32) {
        self.breakpoints.retain(|(other, _)| *other != id);
        self.watchpoints.retain(|w| w.id != id);
    }

    /// Runs the dispatch that it is at to its end, then packets up to the next dispatch: that, in front of its first
    /// instruction. `None`: the machine has nothing to do. A fault is the driver's from then on.
    pub fn next_dispatch(&mut self) -> Option<Arc<Dispatch>> {
        self.finish();
        let gpu = self.gpu.clone();
        let timed = gpu.timed()?;
        let mut memory = timed.memory();
        loop {
            self.launched.extend(timed.dispatches());
            if let Some(dispatch) = self.launched.pop_front() {
                self.begin(dispatch.clone());
                return Some(dispatch);
            }
            if !packet(&timed, &mut memory, &self.hold) {
                return None;
            }
        }
    }

    fn begin(&mut self, dispatch: Arc<Dispatch>) {
        let gpu = self.gpu.clone();
        let Some(timed) = gpu.timed() else { return };
        let memory = timed.memory();
        let schedule = self.schedules.get(self.dispatches as usize).cloned();
        let mut execution = Execution::new(dispatch, self.hold.cycle.load(SeqCst), schedule, &timed, &memory);
        let history = History::new(execution.keep(&timed), memory.map());
        self.memory = Some(memory);
        self.run = Some(Run { execution, history, fault: None });
    }

    /// Goes on to the end of the dispatch, which the driver then hears of.
    fn finish(&mut self) {
        let Some(mut run) = self.run.take() else { return };
        let gpu = self.gpu.clone();
        let (Some(timed), Some(memory)) = (gpu.timed(), self.memory.take()) else { return };
        let dispatch = run.execution.dispatch.clone();
        if let Some(fault) = run.fault.take() {
            timed.fault(&dispatch, *fault, &memory);
            timed.dispatch_ended(&dispatch);
        } else {
            finish(&mut run.execution, &timed, &memory, &self.hold);
        }
        self.dispatches += 1;
    }

    /// Ends all that was launched as it is, as if it had taken too long: its queue stops, and its driver hears of it.
    pub fn give_up(&mut self) {
        let gpu = self.gpu.clone();
        let Some(timed) = gpu.timed() else { return };
        self.launched.extend(timed.dispatches());
        let begun = self.run.take().map(|run| run.execution.dispatch.clone());
        for dispatch in begun.into_iter().chain(self.launched.drain(..)) {
            timed.time_out(&dispatch, None);
            timed.dispatch_ended(&dispatch);
        }
    }

    /// What another thread sets to interrupt a step that takes long; the step clears it.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// The dispatch that it is at.
    pub fn dispatch(&self) -> Option<&Arc<Dispatch>> {
        self.run.as_ref().map(|run| &run.execution.dispatch)
    }

    pub fn position(&self) -> Position {
        let executed = self.run.as_ref().map_or(0, |run| run.execution.executed);
        Position { dispatch: self.dispatches, executed }
    }

    /// Whose turn it is. `None`: the dispatch has ended, or there is none.
    pub fn turn(&self) -> Option<Turn> {
        self.run.as_ref()?.execution.turn()
    }

    /// The waves of resident work-groups: those that have started and not ended.
    pub fn waves(&self) -> Vec<WaveState> {
        let Some(run) = &self.run else { return Vec::new() };
        let mut out = Vec::new();
        for (number, group) in run.execution.groups() {
            for wave in 0..group.waves() {
                let (Some(view), Some(status)) = (group.wave(wave), group.status(wave)) else { continue };
                out.push(WaveState {
                    turn: Turn { group: number, wave: wave as u32 },
                    group: run.execution.dispatch.id(number),
                    status,
                    pc: view.pc(),
                    line: self.line_at(view.pc()),
                    exec: view.exec(),
                    lanes: view.lanes(),
                });
            }
        }
        out
    }

    /// The source line of an address.
    pub fn line_at(&self, pc: u64) -> Option<Line> {
        self.programs.iter().find_map(|p| p.line(pc))
    }

    /// `FILE:LINE`.
    pub fn line_text(&self, line: Line) -> String {
        let file = self.programs.get(line.program as usize).map_or("", |p| p.file(line.file));
        format!("{file}:{}", line.line)
    }

    /// Reads something of the wave whose turn it is.
    pub fn read(&self, what: &What) -> Result<Value, WhatError> {
        match self.turn() {
            Some(turn) => self.read_of(turn, what),
            None => Err(WhatError("no wave runs: all have ended".into())),
        }
    }

    /// Reads something of a wave of a resident work-group.
    pub fn read_of(&self, turn: Turn, what: &What) -> Result<Value, WhatError> {
        self.eye(turn)?.read(what)
    }

    fn eye(&self, turn: Turn) -> Result<Eye<'_>, WhatError> {
        let run = self.run.as_ref().zip(self.memory.as_ref());
        let eye = run.and_then(|(run, memory)| eye(&run.execution, turn, memory, &self.names, &self.programs));
        eye.ok_or_else(|| WhatError(format!("work-group {} has ended, or not begun", turn.group)))
    }

    /// How something is printed unless somebody says otherwise.
    pub fn form(&self, what: &What) -> Form {
        match what {
            What::Named(..) => self.turn().and_then(|turn| self.eye(turn).ok()).map_or(Form::Hex, |eye| eye.form(what)),
            _ => Form::Hex,
        }
    }

    /// Bytes of memory; `None` if they are not all in one allocation.
    pub fn memory(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
        self.memory.as_ref()?.map().read(address, bytes)
    }

    /// The breakpoint that the wave whose turn it is stands at.
    pub fn hit(&self) -> Option<u32> {
        self.hits().first().copied()
    }

    /// All of those, in the order in which they were added.
    pub fn hits(&self) -> Vec<u32> {
        let Some((run, memory)) = self.run.as_ref().zip(self.memory.as_ref()) else { return Vec::new() };
        let watch = Watch { breakpoints: &self.breakpoints, programs: &self.programs, names: &self.names };
        watch.hits(&run.execution, memory).collect()
    }

    /// Goes on, at least one instruction.
    pub fn step(&mut self, unit: Unit) -> Stop {
        let reasons = self.forwards(unit);
        self.stop(reasons.unwrap_or_default(), Reason::Ended)
    }

    /// [`Session::step`] to whatever stops it.
    pub fn run(&mut self) -> Stop {
        self.step(Unit::Run)
    }

    /// Goes back, at least one instruction: to where a step forwards of this unit would have stopped last, or to the begin.
    pub fn back(&mut self, unit: Unit) -> Stop {
        let reasons = self.backwards(unit);
        self.stop(reasons.unwrap_or_default(), Reason::Begin)
    }

    /// Goes to the position behind so many instructions of this dispatch, or to its end; past breakpoints.
    pub fn goto(&mut self, executed: u64) -> Stop {
        let reason = self.travel(executed);
        self.stop(reason.into_iter().collect(), Reason::Stepped)
    }

    /// Where it stands, for a reason that somebody has.
    pub fn standing(&self, reason: Reason) -> Stop {
        let pc = self.run.as_ref().map_or(0, |run| run.execution.pc());
        Stop { reason, also: Vec::new(), position: self.position(), turn: self.turn(), pc, line: self.line_at(pc) }
    }

    fn stop(&self, reasons: Vec<Reason>, otherwise: Reason) -> Stop {
        let mut reasons = reasons.into_iter();
        let stop = self.standing(reasons.next().unwrap_or(otherwise));
        Stop { also: reasons.collect(), ..stop }
    }

    fn parts(&mut self) -> Option<Parts<'_>> {
        let watch = Watch { breakpoints: &self.breakpoints, programs: &self.programs, names: &self.names };
        Some((self.run.as_mut()?, self.memory.as_ref()?, watch, &self.watchpoints))
    }

    /// `None`: there is no dispatch.
    fn forwards(&mut self, unit: Unit) -> Option<Vec<Reason>> {
        let (gpu, interrupt) = (self.gpu.clone(), self.interrupt.clone());
        let timed = gpu.timed()?;
        let (run, memory, watch, watched) = self.parts()?;
        let from = Start::of(run, watch.programs);
        loop {
            if interrupt.swap(false, SeqCst) {
                return Some(vec![Reason::Interrupted]);
            }
            if let Some(fault) = &run.fault {
                return Some(vec![Reason::Fault(fault.clone())]);
            }
            let before = before(watched, &mut run.execution, &timed, memory);
            let Some(done) = run.step(&timed, memory, watch.programs) else { return Some(vec![Reason::Ended]) };
            if run.execution.executed.is_multiple_of(LOOK) && timed.overdue(&run.execution.dispatch) {
                return Some(vec![Reason::Overdue]);
            }
            let reasons = run.arrived(unit, &from, &done, &watch, memory, (watched, before));
            if !reasons.is_empty() {
                return Some(reasons);
            }
        }
    }

    fn backwards(&mut self, unit: Unit) -> Option<Vec<Reason>> {
        let gpu = self.gpu.clone();
        let timed = gpu.timed()?;
        let (run, memory, watch, watched) = self.parts()?;
        let now = run.execution.executed;
        if now == 0 {
            return Some(vec![Reason::Begin]);
        }
        let from = Start::of(run, watch.programs);
        if unit == Unit::Instruction || matches!(unit, Unit::Line | Unit::Over) && from.line.is_none() {
            run.go(now - 1, &timed, memory, watch.programs);
            return Some(vec![if now == 1 { Reason::Begin } else { Reason::Stepped }]);
        }
        let mut end = now;
        loop {
            let begin = run.history.position(end - 1);
            run.go(begin, &timed, memory, watch.programs);
            let mut found = None;
            while run.execution.executed < end {
                let before = before(watched, &mut run.execution, &timed, memory);
                let Some(done) = run.step(&timed, memory, watch.programs) else { break };
                let at = run.execution.executed;
                if at >= now {
                    continue;
                }
                let reasons = run.arrived(unit, &from, &done, &watch, memory, (watched, before));
                if !reasons.is_empty() {
                    found = Some((at, reasons));
                }
            }
            if let Some((at, reasons)) = found {
                run.go(at, &timed, memory, watch.programs);
                return Some(reasons);
            }
            if begin == 0 {
                run.go(0, &timed, memory, watch.programs);
                return Some(vec![Reason::Begin]);
            }
            end = begin;
        }
    }

    fn travel(&mut self, executed: u64) -> Option<Reason> {
        let gpu = self.gpu.clone();
        let timed = gpu.timed()?;
        let (run, memory, watch, _) = self.parts()?;
        run.go(executed, &timed, memory, watch.programs);
        Some(match (&run.fault, run.execution.turn()) {
            (Some(fault), _) => Reason::Fault(fault.clone()),
            (None, None) => Reason::Ended,
            _ if executed == 0 => Reason::Begin,
            _ => Reason::Stepped,
        })
    }
}

fn eye<'a>(
    execution: &'a Execution,
    turn: Turn,
    memory: &'a Memory,
    names: &'a Names,
    programs: &'a [Program],
) -> Option<Eye<'a>> {
    let (launch, scratch) = (&execution.dispatch.launch, execution.scratch_of(turn.group));
    let around = Surroundings { programs, launch, scratch };
    Some(Eye { group: execution.group(turn.group)?, wave: turn.wave as usize, map: memory.map(), names, around })
}

/// Where a step begins.
struct Start {
    turn: Option<Turn>,
    line: Option<Line>,
    /// Calls that the wave is in.
    depth: usize,
}

fn depth(execution: &Execution, turn: Option<Turn>) -> usize {
    turn.and_then(|turn| execution.calls(turn)).map_or(0, |calls| calls.depth())
}

impl Start {
    fn of(run: &Run, programs: &[Program]) -> Start {
        let pc = run.execution.pc();
        let line = programs.iter().find_map(|p| p.line(pc));
        let turn = run.execution.turn();
        Start { turn, line: line.or(run.execution.last().line), depth: depth(&run.execution, turn) }
    }
}

/// What is watched at each arrival.
struct Watch<'a> {
    breakpoints: &'a [(u32, Breakpoint)],
    programs: &'a [Program],
    names: &'a Names,
}

impl Watch<'_> {
    /// The breakpoints that stop the wave whose turn it is.
    fn hits<'a>(&'a self, execution: &'a Execution, memory: &'a Memory) -> impl Iterator<Item = u32> + 'a {
        let (turn, pc) = (execution.turn(), execution.pc());
        let mut place = None;
        let mut hits = move |b: &Breakpoint| {
            let Some(turn) = turn else { return false };
            let there = match &b.at {
                Where::Anywhere => true,
                Where::Pc(at) => *at == pc,
                Where::Line { file, line } => {
                    let (here, last) =
                        *place.get_or_insert_with(|| (self.programs.iter().find_map(|p| p.line(pc)), execution.last()));
                    let named = |here: &Line| {
                        let program = self.programs.get(here.program as usize);
                        file.is_empty() || program.is_some_and(|p| is_file(p.file(here.file), file))
                    };
                    here.is_some_and(|here| here.line == *line && named(&here)) && (last.line != here || pc <= last.pc)
                }
            };
            let wave = b.wave.is_none_or(|w| w == turn.wave);
            let group = b.group.is_none_or(|id| id == execution.dispatch.id(turn.group));
            there
                && wave
                && group
                && b.when.as_ref().is_none_or(|condition| {
                    let eye = eye(execution, turn, memory, self.names, self.programs);
                    eye.is_some_and(|eye| condition.holds(&eye))
                })
        };
        self.breakpoints.iter().filter(move |(_, b)| hits(b)).map(|(id, _)| *id)
    }
}

/// Whether a path ends in the components of another.
fn is_file(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('/'))
}

impl Run {
    /// Executes an instruction; keeps states on the way.
    fn step(&mut self, timed: &Timed<'_>, memory: &Memory, programs: &[Program]) -> Option<Executed> {
        let new = self.execution.executed >= self.execution.furthest;
        let done = self.execution.step(timed, memory, programs)?;
        if let Some(fault) = &done.fault {
            self.fault = Some(fault.clone());
        } else if new && self.history.wants(self.execution.executed) {
            self.history.add(self.execution.keep(timed), memory.map());
        }
        Some(done)
    }

    /// Goes to a position, or to the end if that is before it.
    fn go(&mut self, executed: u64, timed: &Timed<'_>, memory: &Memory, programs: &[Program]) {
        let from = self.execution.executed;
        // Forwards a state that was kept may be nearer, too.
        if executed < from || self.history.position(executed) > from {
            if let Some(kept) = self.history.at(executed, memory.map()) {
                self.execution.put_back(kept, timed);
            }
            self.fault = None;
        }
        while self.execution.executed < executed && self.fault.is_none() && self.step(timed, memory, programs).is_some()
        {
        }
    }

    /// All that stops behind an instruction: what is watched, breakpoints, then the end of the step.
    fn arrived(
        &self,
        unit: Unit,
        from: &Start,
        done: &Executed,
        watch: &Watch<'_>,
        memory: &Memory,
        (watched, before): (&[Watchpoint], Option<Vec<Vec<u8>>>),
    ) -> Vec<Reason> {
        if let Some(fault) = &done.fault {
            return vec![Reason::Fault(fault.clone())];
        }
        let mut all = changed(watched, before, done, watch, &self.execution, memory);
        if !watch.breakpoints.is_empty() {
            all.extend(watch.hits(&self.execution, memory).map(Reason::Breakpoint));
        }
        let turn = self.execution.turn();
        if turn.is_none() {
            all.push(Reason::Ended);
            return all;
        }
        let stepped = match unit {
            Unit::Instruction => true,
            Unit::Line if from.line.is_none() => true,
            Unit::Over if from.line.is_none() => turn != from.turn || depth(&self.execution, turn) <= from.depth,
            Unit::Out => {
                turn == from.turn && depth(&self.execution, turn) < from.depth
                    || done.ended && Some(done.turn) == from.turn
            }
            Unit::Line | Unit::Over => {
                let last = self.execution.last();
                let here = watch.programs.iter().find_map(|p| p.line(self.execution.pc()));
                let entered = turn == from.turn && here.is_some() && here != last.line;
                let entered = entered && (unit == Unit::Line || depth(&self.execution, turn) <= from.depth);
                entered || done.ended && Some(done.turn) == from.turn
            }
            Unit::Wave => turn != Some(done.turn),
            Unit::Barrier => done.opened,
            Unit::Cycle => {
                let now = self.execution.executed;
                self.execution.cycle_at(now) != self.execution.cycle_at(now - 1)
            }
            Unit::Group => turn.map(|t| t.group) != Some(done.turn.group),
            Unit::Run => false,
        };
        all.extend(stepped.then_some(Reason::Stepped));
        all
    }
}

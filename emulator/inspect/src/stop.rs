//! What ends a step, and what a stop says.

use crate::condition::Condition;
use crate::program::Line;
use crate::schedule::Turn;
use wavepipe_core::wave::WaveFault;

/// A moment of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Dispatches that the session came to before.
    pub dispatch: u64,
    /// Instructions executed since the dispatch's begin, by all waves together.
    pub executed: u64,
}

/// How far to step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// One instruction of the wave whose turn it is.
    Instruction,
    /// Until this wave comes to another source line, or ends; where no lines are known, one instruction.
    Line,
    /// As that, past what functions do that it calls.
    Over,
    /// Until this wave has come out of the function that it is in, or ends.
    Out,
    /// Until it is another wave's turn.
    Wave,
    /// Until a barrier opens.
    Barrier,
    /// Until it is another work-group's turn.
    Group,
    /// Until the next cycle in which an instruction issues; in a session without a schedule that is the next instruction.
    Cycle,
    /// To the next breakpoint or watchpoint, or to the end.
    Run,
}

/// Where a breakpoint is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Where {
    /// A source line, of a file whose path ends so; of any file if it is empty. It is hit by waves that come to it from another
    /// line or jump back in it.
    Line { file: String, line: u32 },
    /// Address of an instruction.
    Pc(u64),
    /// Every instruction.
    Anywhere,
}

/// Stops a wave in front of an instruction.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    pub at: Where,
    pub when: Option<Condition>,
    /// Only in the work-group with this id.
    pub group: Option<[u32; 3]>,
    /// Only this wave of it.
    pub wave: Option<u32>,
}

impl Breakpoint {
    pub fn at(at: Where) -> Breakpoint {
        Breakpoint { at, when: None, group: None, wave: None }
    }

    /// At a line of any file.
    pub fn line(line: u32) -> Breakpoint {
        Self::at(Where::Line { file: String::new(), line })
    }

    pub fn when(self, condition: Condition) -> Breakpoint {
        Breakpoint { when: Some(condition), ..self }
    }
}

/// Bytes whose change stops, behind the instruction that changed them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watched {
    Memory {
        address: u64,
        bytes: u32,
    },
    /// Of the work-group with this number, or of any.
    Lds {
        group: Option<u64>,
        at: u64,
        bytes: u32,
    },
}

/// Why the machine stands.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The step is done.
    Stepped,
    /// By its number.
    Breakpoint(u32),
    /// By its number: bytes before and behind, and the instruction, of which wave, that made the difference.
    Watchpoint { id: u32, old: Vec<u8>, new: Vec<u8>, by: Turn, pc: u64 },
    /// A wave did what no wave may. There is no going on, but back.
    Fault(Box<WaveFault>),
    /// All work-groups have ended.
    Ended,
    /// In front of the first instruction.
    Begin,
    /// Another thread wanted it to ([`crate::Session::interrupt`]).
    Interrupted,
    /// The dispatch has taken more of the host's time than the machine's configuration allows.
    Overdue,
}

impl Reason {
    /// The number of the breakpoint or the watchpoint that it is.
    pub fn point(&self) -> Option<u32> {
        match self {
            Reason::Breakpoint(id) | Reason::Watchpoint { id, .. } => Some(*id),
            _ => None,
        }
    }
}

/// A machine that stands.
#[derive(Clone, Debug)]
pub struct Stop {
    pub reason: Reason,
    /// What else would have stopped it there.
    pub also: Vec<Reason>,
    pub position: Position,
    /// Whose turn it is; `None` at the end.
    pub turn: Option<Turn>,
    /// Where that wave stands.
    pub pc: u64,
    pub line: Option<Line>,
}

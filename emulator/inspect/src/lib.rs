//! One engine of inspection: a machine whose dispatches run an instruction at a time, forwards and backwards.
//!
//! ```text
//! Inspector ── gpu() ──► the driver, or packets of one's own
//!     │ session()
//!  Session ── next_dispatch(), step(Unit), back(Unit), goto(n) ──► Stop {reason, wave, pc, line}
//!     │                                                               ▲
//!     ├─ breakpoints, watchpoints ── conditions ──────────────────────┘
//!     └─ read(What) ──► Value: registers, EXEC, LDS, memory, what has a name
//! ```
//!
//! - [`inspector`]: the machine. [`hold`]: what it does by itself. [`session`]: positions, steps and what ends them. [`order`]: whose instruction is next, and execution. [`calls`]: the functions that waves are in.
//! - [`history`]: states kept on the way, and memory's pages.
//! - [`stop`]: breakpoints, watchpoints, reasons. [`condition`]: the language of their conditions. [`value`]: what can be read, [`form`] how it is printed.
//! - [`schedule`]: the order of a card's clock, and what is known with it: cycles, waits, caches; queues.
//! - [`program`]: source lines and names. [`variable`]: source variables.
//!
//! Execution is the machine's own ([`wavepipe_core::wave::WorkGroup::step`]), so whatever decodes can be stepped: code of the
//! driver's compiler, of other compilers, or written by hand. The order of waves is a function of the dispatch and its schedule ([`order`]):
//! stepping back is going to a state that was kept, and executing again up to the position before.

mod calls;
pub mod condition;
pub mod form;
mod history;
mod hold;
pub mod inspector;
mod order;
pub mod program;
pub mod schedule;
pub mod session;
pub mod stop;
pub mod value;
pub mod variable;

pub use condition::Condition;
pub use form::Form;
pub use inspector::Inspector;
pub use program::{Line, Names, Program, Thing};
pub use schedule::{Access, Cached, Issue, QueueState, Schedule, Turn};
pub use session::{Frame, Session, WaveState};
pub use stop::{Breakpoint, Position, Reason, Stop, Unit, Watched, Where};
pub use value::{Value, What};
pub use variable::{Part, Seen};
pub use wavepipe_core::wave::WaveStatus;

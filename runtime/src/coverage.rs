//! What the instruction set's rows are held against, and which of them waves execute: the figures of `wavepipe isa coverage`.

use wavepipe_core::wave::{Execution, execution};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::Gen;
use wavepipe_isa::coverage::{Evidence, evidence};
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::Format;
use wavepipe_isa::sample::{FORMS, sample};

/// What became of a row's plain instructions, in every form and both wave sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowExecution {
    /// All execute.
    Executed,
    /// All are illegal in a compute wave.
    Illegal,
    /// One at least is known to the decoder only, or illegal where another is not.
    Todo,
}

#[derive(Clone, Copy, Debug)]
pub struct CoverageRow {
    pub name: &'static str,
    pub format: Format,
    pub state: RowExecution,
    /// The strongest first.
    pub evidence: &'static [Evidence],
}

/// Every row of a generation, in the table's order.
pub fn coverage(isa: Gen) -> impl Iterator<Item = CoverageRow> {
    Op::of(isa).map(move |op| {
        let row = op.row();
        CoverageRow { name: row.name, format: row.format, state: state(op, isa), evidence: evidence(op) }
    })
}

fn state(op: Op, isa: Gen) -> RowExecution {
    let instances = FORMS.into_iter().filter_map(|form| sample(op, form, isa));
    let waves: &[WaveSize] = if isa.caps().wave32 { &[WaveSize::W32, WaveSize::W64] } else { &[WaveSize::W64] };
    let all: Vec<Execution> = instances.flat_map(|i| waves.iter().map(move |&wave| execution(&i, isa, wave))).collect();
    match all.first() {
        Some(Execution::Executes) if all.iter().all(|&e| e == Execution::Executes) => RowExecution::Executed,
        Some(Execution::Illegal) if all.iter().all(|&e| e == Execution::Illegal) => RowExecution::Illegal,
        _ => RowExecution::Todo,
    }
}

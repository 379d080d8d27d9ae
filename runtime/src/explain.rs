//! What the table of instructions, the machine's figures and a wave that runs it say of one instruction: `wavepipe explain`.

use std::sync::Arc;
use wavepipe_core::example;
pub use wavepipe_core::example::{Example, Shown};
use wavepipe_hw::machine::Machine;
use wavepipe_isa::bits::{self, BitField};
use wavepipe_isa::hazard::{self, Reading, Sequence, Trigger, hazards};
use wavepipe_isa::instr::Form;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::{Control, Format, MemKind, Row, Scc, Sem, Ty};
use wavepipe_isa::sample::{FORMS, sample};
use wavepipe_isa::{Gen, disasm, pseudo};
use wavepipe_timing::engine::cost;

/// A form of the instruction, and its bits.
#[derive(Clone, Debug)]
pub struct FormBits {
    pub form: Form,
    /// An instruction in this form, as LLVM prints it.
    pub text: String,
    /// Without a literal.
    pub dwords: usize,
    pub fields: Vec<BitField>,
}

/// What the clock of a machine takes for it.
#[derive(Clone, Debug)]
pub struct Cost {
    pub machine: String,
    pub unit: &'static str,
    /// Cycles for which one pass keeps the unit.
    pub busy: u64,
    /// Passes of a wave.
    pub passes: u64,
    /// Cycles until its results may be read; `None` of memory, whose hierarchy says when.
    pub latency: Option<u64>,
}

/// Everything that is told of one instruction.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub op: Op,
    /// The generation that is spoken of.
    pub generation: Gen,
    pub mnemonic: &'static str,
    pub class: &'static str,
    /// `D = U32`, `S0 = F32`: operands by place and type.
    pub operands: Vec<(String, Ty)>,
    /// A line of words for what is no expression, and what the row notes.
    pub words: Vec<String>,
    /// Of each lane or of the wave.
    pub statements: Vec<String>,
    pub forms: Vec<FormBits>,
    /// Generation, mnemonic, family and opcode.
    pub generations: Vec<(Gen, &'static str, Format, u16)>,
    pub cost: Option<Cost>,
    /// Counters that count it, and how.
    pub counters: Vec<String>,
    pub hazards: Vec<&'static hazard::Hazard>,
    /// Or why there is none.
    pub example: Result<Example, String>,
}

/// The row with this name, on a generation or on any; a form's suffix is passed over.
pub fn find(name: &str, generation: Gen) -> Option<Op> {
    let name = name.to_ascii_lowercase();
    let plain =
        ["_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"].iter().find_map(|s| name.strip_suffix(s)).unwrap_or(&name);
    let on = |g| Op::find(&name, g).or_else(|| Op::find(plain, g));
    on(generation).or_else(|| Op::named(&name)).or_else(|| Gen::ALL.into_iter().rev().find_map(on))
}

/// The names that differ least from one that is none, the nearest first.
pub fn nearest(name: &str, generation: Gen) -> Vec<&'static str> {
    let name = name.to_ascii_lowercase();
    let mut all: Vec<_> = Op::of(generation)
        .map(|op| op.row().spelling(generation))
        .map(|known| (usize::from(!known.contains(&name)) * distance(&name, known), known.len(), known))
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().take(5).map(|(.., known)| known).collect()
}

/// Letters to add, drop or change.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let new = (corner + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = std::mem::replace(&mut row[j + 1], new);
        }
    }
    row[b.len()]
}

/// Rows by family, in the table's order: family and mnemonics.
pub fn groups(generation: Gen) -> Vec<(Format, Vec<&'static str>)> {
    let mut out: Vec<(Format, Vec<&'static str>)> = Vec::new();
    for op in Op::of(generation) {
        let row = op.row();
        let family = row.family(generation);
        match out.iter_mut().find(|(f, _)| *f == family) {
            Some((_, names)) => names.push(row.spelling(generation)),
            None => out.push((family, vec![row.spelling(generation)])),
        }
    }
    out
}

/// Tells of a row on a generation, or on the newest that has it; costs are a machine's of that generation.
pub fn explain(op: Op, wanted: Gen, machine: Option<Arc<Machine>>) -> Explanation {
    let row = op.row();
    let newest = || Gen::ALL.into_iter().rev().find(|g| row.encoding(*g).is_some());
    let generation = row.encoding(wanted).map(|_| wanted).or_else(newest).unwrap_or(wanted);
    let lanes = if generation.caps().wave32 { 32 } else { 64 };
    let forms = FORMS.into_iter().filter_map(|form| {
        let (dwords, fields) = bits::of(op, form, generation)?;
        let text = disasm::text(&sample(op, form, generation)?, generation, lanes);
        Some(FormBits { form, text, dwords, fields })
    });
    let plain = FORMS.into_iter().find_map(|form| sample(op, form, generation));
    let cost = plain.zip(machine.filter(|m| m.generation() == generation)).map(|(instr, machine)| {
        let timed = cost(&instr, lanes, &machine);
        Cost {
            machine: machine.name.clone(),
            unit: timed.unit.name(),
            busy: timed.busy,
            passes: if timed.by_halves {
                u64::from(lanes).div_ceil(machine.simd.row_lanes.value.max(1)).max(1)
            } else {
                1
            },
            latency: (!matches!(row.sem, Sem::Mem(..))).then_some(timed.latency),
        }
    });
    let counters = plain.iter().flat_map(|i| i.events(generation)).map(|c| {
        let order = if c.queue.is_some() { "in the order of issue" } else { "in any order" };
        format!("{:?} counts on {}, done {order}", c.event, c.counter.name())
    });
    let of_hazards = plain.iter().flat_map(|i| {
        let kinds = hazard::facts(i, generation, lanes).kinds;
        let jumps = matches!(row.sem, Sem::Control(c) if c.has_target());
        hazards().filter(move |h| {
            h.rules(generation, Reading::Strict).any(|t| match t {
                Trigger::Alone(k) | Trigger::InClause(k) => kinds.intersects(*k),
                Trigger::Behind(Sequence { first, between, then, .. }) => {
                    kinds.intersects(*first) || kinds.intersects(*then) || between.is_some_and(|b| kinds.intersects(b))
                }
                Trigger::Distance(_) => jumps,
                Trigger::Unseen => false,
            })
        })
    });
    let has = |g: Gen| row.encoding(g).map(|e| (g, row.spelling(g), e.format, e.opcode));
    Explanation {
        op,
        generation,
        mnemonic: row.spelling(generation),
        class: row.class.name(),
        operands: operands(row),
        words: words(row),
        statements: statements(op),
        forms: forms.collect(),
        generations: Gen::ALL.into_iter().filter_map(has).collect(),
        cost,
        counters: counters.collect(),
        hazards: of_hazards.collect(),
        example: example::example(op, generation),
    }
}

fn operands(row: &Row) -> Vec<(String, Ty)> {
    let dst = row.dst.iter().enumerate().map(|(n, ty)| (if n == 0 { "D".into() } else { format!("D{n}") }, *ty));
    dst.chain(row.src.iter().enumerate().map(|(n, ty)| (format!("S{n}"), *ty))).collect()
}

/// A body's statements, with what its kind makes of result and condition.
fn statements(op: Op) -> Vec<String> {
    let row = op.row();
    let Some(mut lines) = pseudo::statements(op) else { return Vec::new() };
    let tells = match row.sem {
        Sem::Compare | Sem::CompareExec => true,
        _ => row.scc == Scc::Body || row.dst.iter().any(|ty| matches!(ty, Ty::Vcc | Ty::Mask)),
    };
    if !tells {
        lines.retain(|l| !l.starts_with("CC = "));
    }
    match row.scc {
        Scc::NonZero => lines.push("SCC = D != 0".into()),
        Scc::Body => lines.push("SCC = CC".into()),
        Scc::Keep => {}
    }
    match row.sem {
        Sem::CompareExec => lines.push("EXEC[lane] = CC".into()),
        Sem::SaveExec => lines.push("(S1 is EXEC) D = EXEC before, EXEC = the result, SCC = EXEC != 0".into()),
        Sem::WriteExec => lines.push("(S1 is EXEC) EXEC = D, SCC = EXEC != 0".into()),
        _ => {}
    }
    lines
}

/// Meanings that are data, in words, and what the row itself notes.
fn words(row: &Row) -> Vec<String> {
    let mut out = Vec::new();
    let note = row.doc.trim();
    if !note.is_empty() {
        out.push(note.to_string());
    }
    match row.sem {
        Sem::Mem(space, kind) => out.extend(access(kind).map(|said| format!("{space:?} memory: {said}"))),
        Sem::Wave(op) => out.push(format!("across lanes: {op:?}")),
        Sem::Control(Control::Illegal) => out.push("never an instruction".into()),
        Sem::Control(control) if control.has_target() => {
            out.push(format!("{control:?}: PC = PC of the next instruction + 4 * signed imm, if it is taken"));
        }
        Sem::Control(control) => out.push(format!("control of the wave: {control:?}")),
        Sem::Todo => out.push("known to the assembler, not executed".into()),
        _ => {}
    }
    out
}

/// What DS does at two places.
fn two(what: &str, dwords: u8, st64: bool) -> String {
    let unit = 4 * u32::from(dwords) * if st64 { 64 } else { 1 };
    format!("two {what} of {dwords} dword(s), offsets in units of {unit}")
}

/// What a kind of access does; `None`: the row's note says all.
fn access(kind: MemKind) -> Option<String> {
    let sign = |signed| if signed { ", sign-extended" } else { "" };
    let said = match kind {
        MemKind::Load { bits, signed, dwords } => {
            format!("D = {bits} bits at the address{}, {dwords} register(s)", sign(signed))
        }
        MemKind::Store { bits, dwords } => format!("{bits} bits at the address = data, {dwords} register(s)"),
        MemKind::LoadD16 { bits, signed, hi } => {
            format!(
                "one half of D ({}) = {bits} bits{}, the other is kept",
                if hi { "upper" } else { "lower" },
                sign(signed)
            )
        }
        MemKind::StoreHi { bits } => format!("{bits} bits at the address = data from bit 16 up"),
        MemKind::Atomic { op, dwords } => {
            format!("atomic {op:?} of {dwords} dword(s); D = the value before, if it is asked for")
        }
        MemKind::Load2 { dwords, st64 } => two("loads", dwords, st64),
        MemKind::Store2 { dwords, st64 } => two("stores", dwords, st64),
        MemKind::Exchange2 { dwords, st64 } => two("exchanges", dwords, st64),
        _ => return None,
    };
    Some(said)
}

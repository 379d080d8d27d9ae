//! What an instruction is to the clock: its port and unit, how long its results take, what it reads, writes and waits for.
//! Derived once for each decoded run of code ([`BlockCode`]), from the rows and the machine's figures.

use crate::memory::Invalidate;
use crate::reason::Reason;
use wavepipe_core::wave::BlockCode;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::cache::Cache;
use wavepipe_isa::instr::Extra;
use wavepipe_isa::insts;
use wavepipe_isa::legal::Access;
use wavepipe_isa::row::{Class, Control, Format, ImageOp, MemKind, Sem, Space, WaveOp};
use wavepipe_isa::wait::{Counted, Counts};
use wavepipe_isa::watch::{double_products, float_ops};
use wavepipe_isa::{Instr, Src};

/// By which way an instruction leaves the front end of its SIMD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Port {
    Vector,
    Scalar,
    Memory,
    Branch,
    /// Done in the wave's own instruction buffer.
    Internal,
}

/// What executes it, and is busy meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Unit {
    Main,
    Trans,
    Double,
    Scalar,
    Control,
    /// The paths to memory, which SIMDs share.
    Vector,
    Lds,
    ScalarMemory,
}

pub const UNITS: usize = 8;

impl Unit {
    pub const ALL: [Unit; UNITS] = [
        Unit::Main,
        Unit::Trans,
        Unit::Double,
        Unit::Scalar,
        Unit::Control,
        Unit::Vector,
        Unit::Lds,
        Unit::ScalarMemory,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Unit::Main => "vector ALU",
            Unit::Trans => "transcendental",
            Unit::Double => "double precision",
            Unit::Scalar => "scalar ALU",
            Unit::Control => "branch and control",
            Unit::Vector => "vector memory",
            Unit::Lds => "LDS",
            Unit::ScalarMemory => "scalar memory",
        }
    }

    /// Why a wave that is ready waits for it: what takes a pass every cycle is only ever taken by waves that went first.
    pub fn contention(self) -> Reason {
        match self {
            Unit::Main | Unit::Scalar | Unit::Control => Reason::Arbitration,
            _ => Reason::Unit,
        }
    }

    /// How many of them a machine has.
    pub fn count(self, machine: &Machine) -> u64 {
        match self {
            Unit::Vector => machine.shape.cus.value,
            Unit::Lds => machine.wgps() * machine.lds.arrays.value,
            Unit::ScalarMemory => machine.wgps() * machine.scalar_cache.banks.value,
            _ => machine.shape.cus.value * machine.shape.simds_per_cu.value,
        }
    }
}

/// A register that results are waited for in: 0..=127 a scalar, [`SCC`], then VGPRs.
pub type Cell = u16;

pub const SCC: Cell = 128;
pub const FIRST_VGPR: Cell = 129;
/// EXEC, low word; vector instructions read it without naming it.
const EXEC: Cell = Src::EXEC_LO.0;

/// Which data path a memory instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    Vector,
    Image,
    Lds,
    /// As [`Path::Vector`], but for lanes in LDS's aperture.
    Flat,
    Scalar,
}

/// A memory instruction's shape.
#[derive(Clone, Copy, Debug)]
pub struct MemorySpec {
    pub path: Path,
    /// Where it counts; what is in no queue returns in any order.
    pub counted: Counted,
    pub kind: crate::memory::Kind,
    /// Of a lane, at each of its addresses.
    pub bytes: u32,
    /// Dwords of a lane that LDS takes from registers: addresses and data.
    pub operands: u32,
    /// Bytes from the first address of a two-address LDS instruction to the second.
    pub second: Option<u32>,
    pub filtered: bool,
    pub cache: Cache,
}

/// What issuing it does besides results.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    None,
    Memory(MemorySpec),
    /// Drops or writes back what a cache holds.
    Invalidate(Invalidate),
    Branch,
    Barrier,
    /// S_WAITCNT*: may go on once each counter is at most this. A register other than NULL in it counts as zero.
    Wait(Counts),
    /// Cycles without an instruction of this wave.
    Idle(u64),
    /// S_SLEEP: as [`Effect::Idle`], but S_WAKEUP ends it.
    Sleep(u64),
    Wakeup,
    Priority,
    /// The next instructions of this wave go in one piece: how many, and after how many another wave may go between.
    Clause {
        length: u8,
        span: u8,
    },
    End,
}

/// One instruction, for the clock.
#[derive(Clone, Debug)]
pub struct Timed {
    pub port: Port,
    pub unit: Unit,
    pub class: Class,
    /// It executes on lanes.
    pub by_lanes: bool,
    /// A wave64 issues it once for each half, where a row of registers has as many lanes. (Memory instructions issue once, and their path takes each half in turn.)
    pub by_halves: bool,
    /// The half whose lanes are all off may be skipped.
    pub skips: bool,
    /// Cycles until its vector results, and its scalar ones, may be read.
    pub latency: u64,
    pub scalar_latency: u64,
    /// As `scalar_latency`, until vector and memory instructions read it.
    pub operand_latency: u64,
    /// For which a pass keeps its unit; of LDS and scalar memory, its SIMD's way there.
    pub busy: u64,
    /// Its wave's next instruction is so many cycles behind it at least.
    pub next: u64,
    pub effect: Effect,
    /// What a lane computes: f16, f32, f64.
    pub float_ops: [u8; 3],
    /// Bytes of code.
    pub bytes: u8,
    uses: (u32, u8),
    defs: (u32, u8),
}

/// A run of code, for the clock.
pub struct TimedCode {
    /// Its number in the engine.
    pub id: usize,
    pub code: BlockCode,
    pub ops: Box<[Timed]>,
    cells: Box<[Cell]>,
}

impl TimedCode {
    pub fn new(id: usize, code: &BlockCode, machine: &Machine) -> TimedCode {
        let mut cells = Vec::new();
        let lanes = code.lanes();
        let ops = (0..code.len()).map(|i| {
            let bytes = code.pc(i + 1).wrapping_sub(code.pc(i)) as u8;
            timed(code.instr(i), bytes, lanes, machine, &mut cells)
        });
        let ops: Box<[Timed]> = ops.collect();
        TimedCode { id, code: code.clone(), ops, cells: cells.into() }
    }

    /// What instruction `op` of this run reads.
    #[inline]
    pub fn uses(&self, op: &Timed) -> &[Cell] {
        let (start, n) = op.uses;
        &self.cells[start as usize..][..usize::from(n)]
    }

    /// What it writes, and the clock keeps account of: not what memory returns, for which the program waits by counters.
    #[inline]
    pub fn defs(&self, op: &Timed) -> &[Cell] {
        let (start, n) = op.defs;
        &self.cells[start as usize..][..usize::from(n)]
    }
}

fn push(cells: &mut Vec<Cell>, access: Access) {
    if access.reg == Src::SCC {
        cells.push(SCC);
        return;
    }
    for i in 0..access.dwords as u16 {
        let n = access.reg.0 + i;
        match access.reg.is_vgpr() {
            true => cells.push(FIRST_VGPR + ((n - Src::v(0).0) & 255)),
            false if n < 128 => cells.push(n),
            false => {}
        }
    }
}

/// What an instruction alone costs: its unit, its latency, and for how long it keeps the unit.
pub fn cost(instr: &Instr, lanes: u32, machine: &Machine) -> Timed {
    timed(Some(instr), 0, lanes, machine, &mut Vec::new())
}

fn timed(instr: Option<&Instr>, bytes: u8, lanes: u32, machine: &Machine, cells: &mut Vec<Cell>) -> Timed {
    let mut out = Timed {
        port: Port::Internal,
        unit: Unit::Control,
        class: Class::Wait,
        by_lanes: false,
        by_halves: false,
        skips: false,
        latency: 0,
        scalar_latency: 0,
        operand_latency: 0,
        busy: 1,
        next: 1,
        effect: Effect::None,
        float_ops: [0; 3],
        bytes,
        uses: (0, 0),
        defs: (0, 0),
    };
    // What does not decode is a fault once it is executed.
    let Some(instr) = instr else { return out };
    let row = instr.op.row();
    let figures = &machine.latency;
    out.class = row.class;
    out.float_ops = float_ops(instr.op);
    let vector = matches!(row.class, Class::Valu | Class::Trans | Class::MulWide | Class::Double);
    let lanes_read = vector || matches!(row.class, Class::Vmem | Class::Flat | Class::Image | Class::Lds);
    out.by_lanes = vector;
    // A row is half of a wave64 or all of it.
    out.by_halves = vector && machine.simd.row_lanes.value < 64;

    let start = cells.len();
    instr.uses(lanes).for_each(|a| push(cells, a));
    if lanes_read {
        cells.extend((0..lanes as u16 / 32).map(|half| EXEC + half));
    }
    cells[start..].sort_unstable();
    let n = dedup_from(cells, start);
    out.uses = (start as u32, n);

    let results = !matches!(row.class, Class::Vmem | Class::Flat | Class::Image | Class::Lds | Class::Smem);
    let start = cells.len();
    if results {
        instr.defs(lanes).for_each(|a| push(cells, a));
    }
    out.skips = out.by_halves && cells[start..].iter().all(|c| *c >= FIRST_VGPR);
    out.defs = (start as u32, (cells.len() - start).min(255) as u8);

    let wide = instr.defs(lanes).any(|a| a.reg.is_vgpr() && a.dwords > 1);
    let beside = |unit| if machine.simd.side_units.value != 0 { unit } else { Unit::Main };
    let pass = machine.pass_cycles();
    let (port, unit, latency, busy) = match row.class {
        Class::Valu if row.sem == Sem::Wave(WaveOp::SwapB32) => {
            (Port::Vector, Unit::Main, figures.valu.value.max(figures.swap_busy.value), figures.swap_busy.value)
        }
        Class::Valu if wide => (Port::Vector, Unit::Main, figures.valu_wide.value, pass),
        Class::Valu => (Port::Vector, Unit::Main, figures.valu.value, pass),
        Class::Trans => (Port::Vector, beside(Unit::Trans), figures.trans.value, figures.trans_busy.value),
        Class::MulWide => (Port::Vector, Unit::Main, figures.mul_wide.value, figures.mul_wide_busy.value),
        Class::Double if double_products(instr.op) => {
            (Port::Vector, beside(Unit::Double), figures.double.value, figures.double_busy.value)
        }
        Class::Double => (Port::Vector, beside(Unit::Double), figures.double_add.value, figures.double_add_busy.value),
        Class::Salu => (Port::Scalar, Unit::Scalar, figures.salu.value, 1),
        Class::Smem => (Port::Memory, Unit::ScalarMemory, 1, 1),
        Class::Lds => (Port::Memory, Unit::Lds, 1, 1),
        Class::Vmem | Class::Flat | Class::Image => (Port::Memory, Unit::Vector, 1, 1),
        Class::Branch | Class::Message | Class::Export => (Port::Branch, Unit::Control, 1, 1),
        Class::Wait => (Port::Internal, Unit::Control, 1, 1),
    };
    let dpp = matches!(instr.extra, Extra::Dpp16(_) | Extra::Dpp8 { .. });
    let latency = latency + if dpp { figures.dpp.value } else { 0 };
    (out.port, out.unit, out.latency, out.busy) = (port, unit, latency, busy);
    (out.scalar_latency, out.operand_latency) = (latency, latency);
    if vector {
        let carry = matches!(row.sem, Sem::Carry | Sem::Wave(WaveOp::ReadLane | WaveOp::ReadFirstLane));
        let way = if carry { figures.carry_to_sgpr.value } else { figures.valu_to_sgpr.value };
        out.scalar_latency = latency.max(way);
    }
    if matches!(row.sem, Sem::SaveExec | Sem::WriteExec) {
        out.next = figures.save_exec.value;
    }
    out.effect = match row.sem {
        _ if row.invalidates.is_some() => row.invalidates.map_or(Effect::None, Effect::Invalidate),
        Sem::Mem(space, kind) => match memory(instr, space, kind, machine) {
            Some(spec) => {
                out.busy = way(&spec, machine);
                Effect::Memory(spec)
            }
            None => Effect::None,
        },
        Sem::Control(control) => effect(instr, control, &mut out, machine),
        _ => Effect::None,
    };
    out
}

/// Removes repeated cells from `start` on; how many are left.
fn dedup_from(cells: &mut Vec<Cell>, start: usize) -> u8 {
    let mut keep = start;
    for i in start..cells.len() {
        if keep == start || cells[keep - 1] != cells[i] {
            cells[keep] = cells[i];
            keep += 1;
        }
    }
    cells.truncate(keep);
    (keep - start).min(255) as u8
}

fn effect(instr: &Instr, control: Control, out: &mut Timed, machine: &Machine) -> Effect {
    let imm = instr.imm as u32 & 0xffff;
    let figures = &machine.latency;
    let internal = |out: &mut Timed| (out.port, out.unit) = (Port::Internal, Unit::Control);
    if let Some(wait) = instr.waits(machine.generation()) {
        if control == Control::Waitcnt {
            internal(out);
        }
        return Effect::Wait(wait.counts(|_| 0));
    }
    match control {
        Control::Nop => {
            internal(out);
            // Others of the kind have operands of their own. S_WAITCNT_DEPCTR takes its issue alone: operands are read as
            // soon as an instruction issues here, so there is nothing that it could wait for.
            let states = if instr.op == insts::S_NOP { imm & 15 } else { 0 };
            // A wait state is a turn.
            Effect::Idle(u64::from(states) * machine.issue.turns.value)
        }
        Control::EndPgm | Control::EndPgmOrdered => Effect::End,
        Control::Barrier => Effect::Barrier,
        Control::Sleep => Effect::Sleep(figures.sleep_unit.value * u64::from(imm & 0x7f)),
        Control::Wakeup => Effect::Wakeup,
        Control::SetPrio => {
            internal(out);
            Effect::Priority
        }
        Control::Clause => {
            internal(out);
            Effect::Clause { length: (imm & 63) as u8 + 1, span: (imm >> 8 & 15) as u8 }
        }
        Control::InstPrefetch => {
            internal(out);
            Effect::None
        }
        Control::SendMsg | Control::SendMsgHalt => Effect::Idle(figures.message.value),
        Control::GetReg | Control::SetReg | Control::SetRegImm32 | Control::RoundMode | Control::DenormMode => {
            out.scalar_latency = figures.getreg.value;
            Effect::Idle(figures.getreg.value)
        }
        c if c.has_target() => Effect::Branch,
        Control::SetPc | Control::SwapPc => Effect::Branch,
        _ => Effect::None,
    }
}

/// Cycles for which an instruction keeps its SIMD's way to LDS or to the scalar cache.
fn way(spec: &MemorySpec, machine: &Machine) -> u64 {
    let dwords = u64::from(spec.bytes.div_ceil(4).max(1));
    match spec.path {
        Path::Scalar => dwords.div_ceil(machine.issue.scalar_dwords.value),
        Path::Lds => {
            let returned = if spec.kind == crate::memory::Kind::Load {
                dwords.next_power_of_two() * if spec.second.is_some() { 2 } else { 1 }
            } else {
                0
            };
            let dwords = returned.max(spec.operands.into()) * machine.simd.row_lanes.value;
            dwords.div_ceil(machine.lds.simd_operands.value)
        }
        _ => 1,
    }
}

fn memory(instr: &Instr, space: Space, kind: MemKind, machine: &Machine) -> Option<MemorySpec> {
    use crate::memory::Kind;
    let row = instr.op.row();
    let returns = match row.format {
        Format::Ds => !row.dst.is_empty(),
        _ => instr.cache.returns,
    };
    let (what, bytes) = match kind {
        MemKind::Load { bits, dwords, .. } => (Kind::Load, element(bits, dwords)),
        MemKind::Store { bits, dwords } => (Kind::Store, element(bits, dwords)),
        MemKind::LoadD16 { bits, .. } => (Kind::Load, element(bits, 1)),
        MemKind::StoreHi { bits } => (Kind::Store, element(bits, 1)),
        MemKind::Atomic { dwords, .. } => (Kind::Atomic { returns }, 4 * u32::from(dwords)),
        MemKind::Load2 { dwords, .. } => (Kind::Load, 4 * u32::from(dwords)),
        MemKind::Store2 { dwords, .. } => (Kind::Store, 4 * u32::from(dwords)),
        MemKind::Exchange2 { dwords, .. } => (Kind::Atomic { returns: true }, 4 * u32::from(dwords)),
        MemKind::Src2 { dwords, .. } => (Kind::Atomic { returns: false }, 4 * u32::from(dwords)),
        MemKind::LoadFormat { .. } => (Kind::Load, 4 * instr.defs(32).map(|a| a.dwords).sum::<u32>()),
        MemKind::StoreFormat { .. } => (Kind::Store, 4),
        MemKind::LoadLane => (Kind::Load, 4),
        MemKind::StoreLane => (Kind::Store, 4),
        MemKind::Count { .. } | MemKind::OrderedCount => (Kind::Atomic { returns: true }, 4),
        MemKind::Image(op) => match op {
            ImageOp::Store { .. } => (Kind::Store, 4),
            ImageOp::Atomic(_) => (Kind::Atomic { returns }, 4),
            ImageOp::Resinfo => return None,
            _ => (Kind::Load, 4),
        },
        // Clocks and wave ids come back as scalar loads do.
        MemKind::Clock { .. } | MemKind::WaveId => (Kind::Load, 8),
        _ => return None,
    };
    let path = match space {
        _ if row.format == Format::Smem => Path::Scalar,
        Space::Scalar => Path::Scalar,
        Space::Image => Path::Image,
        Space::Lds => Path::Lds,
        Space::Flat => Path::Flat,
        Space::Buffer | Space::Global | Space::Scratch => Path::Vector,
    };
    let counted = instr.events(machine.generation()).next()?;
    let operands = instr.uses(32).filter(|a| a.reg.is_vgpr()).map(|a| a.dwords).sum();
    let second = kind.pair_offsets(instr.imm as u32).map(|[first, second]| second.wrapping_sub(first));
    let filtered = matches!(kind, MemKind::Image(ImageOp::Sample(_) | ImageOp::Gather4(_) | ImageOp::Gather4h));
    Some(MemorySpec { path, counted, operands, kind: what, bytes, second, filtered, cache: instr.cache })
}

/// Bytes of `dwords` registers' worth of elements of `bits`: one element if it is smaller than a register.
fn element(bits: u8, dwords: u8) -> u32 {
    if bits < 32 { u32::from(bits) / 8 } else { u32::from(bits) / 32 * 4 * u32::from(dwords) }
}

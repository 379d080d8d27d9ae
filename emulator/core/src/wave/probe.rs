//! Events of execution for observers: trace, race detector, coverage, timing.

use super::block::{Block, BlockEntry};
use super::check::registers::{Footprint, LazyFootprint};
use super::env::TexelTouch;
use super::mem::{CutOff, Reach, Stored};
use super::op::MicroOp;
use super::regs::set_bits;
use super::state::{EXEC, M0, SCC, VCC, Wave};
use super::stretch::Stretch;
use crate::memory::MemoryMap;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::launch::Apertures;
use wavepipe_isa::row::{ImageOp, MemKind, Sem, Space};
use wavepipe_isa::{Gen, Instr};

/// Sees every instruction before it executes. With [`Silent`] the run loop contains no trace of it.
pub trait Probe {
    /// Whether to call at all; a constant, so that the calls vanish.
    const ACTIVE: bool;

    /// An instruction is about to run. Its memory accesses, if any, follow in [`Probe::access`].
    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>);

    /// Whether the instructions of a stretch need not be shown one by one. Asked in front of its first.
    fn passes(&mut self, _wave: &WaveView<'_>, _stretch: &Stretch) -> bool {
        false
    }

    /// Whether [`Probe::access`] is to be called, of LDS or of all else.
    fn wants_accesses(&self, _lds: bool) -> bool {
        true
    }

    /// Lanes are about to access memory.
    fn access(&mut self, _wave: &WaveView<'_>, _issue: &Issue<'_>, _to: &Accesses<'_>) {}

    /// Whether [`Probe::cut_off`] is to be called.
    fn wants_cuts(&self) -> bool {
        false
    }

    /// A descriptor cuts off a part of what the instruction is about to access.
    fn cut_off(&mut self, _wave: &WaveView<'_>, _issue: &Issue<'_>, _cut: &CutOff) {}

    /// Whether [`Probe::stored`] is to be called; of plain stores of which no descriptor cuts anything off, too.
    fn wants_stores(&self, _plain: bool) -> bool {
        false
    }

    /// What the instruction is about to write in memory, or has written in images.
    fn stored(&mut self, _wave: &WaveView<'_>, _issue: &Issue<'_>, _stored: &[Stored]) {}

    /// Whether [`Probe::texels`] is to be called.
    fn wants_texels(&self) -> bool {
        false
    }

    /// An image instruction has accessed texels.
    fn texels(&mut self, _wave: &WaveView<'_>, _issue: &Issue<'_>, _texels: &[TexelTouch]) {}

    /// Whether [`Probe::stops`] has something to say.
    fn is_stopping(&self) -> bool {
        false
    }

    /// Why the wave is to stop in front of the instruction that was shown last.
    fn stops(&mut self) -> Option<FaultKind> {
        None
    }
}

/// Accesses of memory that an instruction is about to make.
pub struct Accesses<'a> {
    pub reach: Reach,
    /// By lane; LDS addresses are offsets.
    pub at: &'a [u64; 64],
}

impl Accesses<'_> {
    /// Lanes that access memory.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        set_bits(self.reach.mask)
    }
}

/// An instruction that a wave is about to execute.
pub struct Issue<'a> {
    pub pc: u64,
    pub instr: &'a Instr,
    pub isa: Gen,
    pub(super) op: &'a MicroOp,
    footprint: &'a LazyFootprint,
}

impl<'a> Issue<'a> {
    /// The instruction of a place in a block; `None` if its bytes are none.
    pub(super) fn of(block: &'a Block, place: &'a BlockEntry, op: &'a MicroOp) -> Option<Issue<'a>> {
        let pc = block.start + u64::from(place.offset);
        place.instr.as_ref().map(|instr| Issue { pc, instr, isa: block.isa, op, footprint: &place.footprint })
    }

    /// What it touches, derived once for each decoded instruction.
    pub(super) fn footprint(&self, lanes: u32) -> &'a Footprint {
        self.footprint.of(self.instr, lanes, self.isa)
    }
}

/// Shows the instruction of `op` to a probe, and what it is about to access; `at` is room for addresses. `true`: the wave stops, with
/// the probe's reason as its fault.
#[inline(always)]
pub(super) fn show<P: Probe>(
    probe: &mut P,
    w: &mut Wave,
    block: &Block,
    place: &BlockEntry,
    op: &MicroOp,
    map: &MemoryMap,
    at: &mut [u64; 64],
) -> bool {
    let Some(issue) = Issue::of(block, place, op) else { return false };
    probe.issue(&WaveView(w), &issue);
    if let Sem::Mem(space, _) = op.row.sem {
        show_memory(probe, w, &issue, space, map, at);
    }
    probe.is_stopping() && stop(probe, w)
}

#[cold]
fn stop<P: Probe>(probe: &mut P, w: &mut Wave) -> bool {
    probe.stops().is_some_and(|kind| {
        let lanes = w.exec64();
        w.fail(kind, lanes)
    })
}

fn show_memory<P: Probe>(
    probe: &mut P,
    w: &mut Wave,
    issue: &Issue<'_>,
    space: Space,
    map: &MemoryMap,
    at: &mut [u64; 64],
) {
    let (op, lds) = (issue.op, space == Space::Lds);
    let reach = if probe.wants_accesses(lds) { super::mem::reach(w, op, at) } else { None };
    if let Some(reach) = reach {
        probe.access(&WaveView(w), issue, &Accesses { reach, at });
    }
    if lds {
        return;
    }
    let whole = reach.is_some_and(|r| r.whole);
    if !whole
        && probe.wants_cuts()
        && let Some(cut) = super::mem::cut_off(w, op)
    {
        probe.cut_off(&WaveView(w), issue, &cut);
    }
    if probe.wants_stores(whole && is_plain_store(op)) {
        let mut stored = Vec::new();
        super::mem::stores(w, op, map, &mut stored);
        if !stored.is_empty() {
            probe.stored(&WaveView(w), issue, &stored);
        }
    }
}

/// Whether it stores whatever is in memory, and nowhere but in memory.
pub(super) fn is_plain_store(op: &MicroOp) -> bool {
    matches!(op.row.sem, Sem::Mem(Space::Buffer | Space::Global, MemKind::Store { .. } | MemKind::StoreHi { .. }))
}

/// Shows the texels that an instruction has accessed to a probe.
pub(super) fn show_texels<P: Probe>(
    probe: &mut P,
    w: &Wave,
    (block, place): (&Block, &BlockEntry),
    op: &MicroOp,
    texels: &[TexelTouch],
) {
    if probe.wants_texels()
        && let Some(issue) = Issue::of(block, place, op)
    {
        probe.texels(&WaveView(w), &issue, texels);
    }
    let writes = matches!(op.row.sem, Sem::Mem(_, MemKind::Image(ImageOp::Store { .. } | ImageOp::Atomic(_))));
    if !writes || !probe.wants_stores(false) {
        return;
    }
    if let Some(issue) = Issue::of(block, place, op) {
        let of = |t: &TexelTouch| Stored { lane: Some(t.lane), at: t.at, bytes: t.bytes.into() };
        let stored: Vec<Stored> = texels.iter().map(of).collect();
        probe.stored(&WaveView(w), &issue, &stored);
    }
}

/// Observes nothing.
pub struct Silent;
impl Probe for Silent {
    const ACTIVE: bool = false;
    fn issue(&mut self, _: &WaveView<'_>, _: &Issue<'_>) {}
}

/// Read access to a wave's registers.
pub struct WaveView<'a>(pub(crate) &'a Wave);

impl WaveView<'_> {
    /// Index in the work-group.
    pub fn index(&self) -> u32 {
        self.0.index
    }

    /// 32 or 64.
    pub fn lanes(&self) -> u32 {
        32 * self.0.halves as u32
    }

    /// Where its FLAT addresses are those of LDS, or of private memory.
    pub fn apertures(&self) -> Apertures {
        self.0.apertures
    }

    pub fn pc(&self) -> u64 {
        self.0.pc
    }

    /// Lanes that it was launched with.
    pub fn launched(&self) -> u64 {
        self.0.launched
    }

    /// Live lanes.
    pub fn exec(&self) -> u64 {
        self.0.mask(EXEC)
    }

    pub fn vcc(&self) -> u64 {
        self.0.mask(VCC)
    }

    pub fn scc(&self) -> bool {
        self.0.s.0[SCC] != 0
    }

    pub fn m0(&self) -> u32 {
        self.0.s.0[M0]
    }

    pub fn mode(&self) -> u32 {
        self.0.mode
    }

    /// Messages to the host that the wave has sent.
    pub fn interrupts(&self) -> u32 {
        self.0.interrupts
    }

    /// SGPR `n` (0..=127: with VCC, TTMP, M0 and EXEC by their operand numbers).
    pub fn sgpr(&self, n: u32) -> u32 {
        self.0.s.0[n as usize & 127]
    }

    /// Number of VGPRs.
    pub fn vgprs(&self) -> u32 {
        self.0.vgprs
    }

    /// VGPR `n` of all lanes; nothing is changed outside of the wave's registers.
    pub fn vgpr_lanes(&self, n: u32, out: &mut [u32; 64]) {
        if n < self.0.vgprs {
            let row = (super::regs::TEMPS + n) as usize * self.0.halves;
            for (half, out) in out.chunks_exact_mut(32).enumerate().take(self.0.halves) {
                out.copy_from_slice(&self.0.v.get(row + half).0);
            }
        }
    }

    /// VGPR `n` of `lane`; zero outside of the wave's registers.
    pub fn vgpr(&self, n: u32, lane: u32) -> u32 {
        if n >= self.0.vgprs || lane >= self.lanes() {
            return 0;
        }
        let row = (super::regs::TEMPS + n) as usize * self.0.halves + (lane / 32) as usize;
        self.0.v.get(row).0[lane as usize % 32]
    }
}

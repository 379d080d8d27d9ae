//! What a fault report says of a wave: where it stands, and the registers that matter there.

use super::block::Block;
use super::regs::TEMPS;
use super::state::{EXEC, M0, SCC, Status, VCC, Wave};
use super::{Launch, Outcome, WaveFault};
use crate::memory::MemoryMap;
use wavepipe_hw::fault::{FaultKind, Registers, Standing, WaveSite, WaveStand};
use wavepipe_hw::finding::Location;
use wavepipe_isa::{Instr, decode, disasm};

/// Faulting lanes whose registers are listed.
const LANES: usize = 4;

/// An instruction at which a wave stopped.
pub(super) struct Stop {
    pub pc: u64,
    pub text: String,
    /// Unless it does not decode.
    pub instr: Option<Instr>,
}

impl Stop {
    /// A block's operation.
    pub fn of(block: &Block, i: usize) -> Stop {
        let (pc, text) = block.site(i);
        Stop { pc, text, instr: block.places.get(i).and_then(|p| p.instr) }
    }

    /// The instruction of a wave in memory at `pc`; no text where none is mapped.
    pub fn at(map: &MemoryMap, pc: u64, w: &Wave) -> Stop {
        let lanes = 32 * w.halves as u32;
        let mut words = Vec::new();
        while words.len() < 6
            && let Some(w) = map.load32(pc.wrapping_add(4 * words.len() as u64))
        {
            words.push(w);
        }
        let instr = decode::decode(&words, w.isa).ok().map(|(instr, _)| instr);
        let text = match (&instr, words.first()) {
            (Some(instr), _) => disasm::text(instr, w.isa, lanes),
            (None, Some(word)) => format!(".long {word:#010x}"),
            (None, None) => String::new(),
        };
        Stop { pc, text, instr }
    }
}

/// The fault that an operation left in its wave.
#[cold]
pub(super) fn fault(w: &mut Wave, launch: Option<&Launch>, id: [u32; 3], stop: Stop) -> Outcome {
    w.status = Status::Ended;
    let (kind, lanes) = match w.trouble.take() {
        Some(t) => (t.kind, t.lanes),
        None => (FaultKind::Internal { why: "a fault without a cause".into() }, 0),
    };
    Outcome::Fault(Box::new(WaveFault { kind, site: Some(site(w, launch, id, stop, lanes)) }))
}

/// Where the first wave stands that has not ended, and all others of its work-group.
pub(super) fn standing(waves: &[Wave], launch: Option<&Launch>, id: [u32; 3], map: &MemoryMap) -> Option<WaveSite> {
    let at = |w: &Wave| Stop::at(map, w.pc, w);
    let first = waves.iter().find(|w| w.status != Status::Ended)?;
    let mut site = site(first, launch, id, at(first), first.exec64());
    site.waves = waves
        .iter()
        .filter(|w| w.index != first.index)
        .map(|w| WaveStand {
            wave: w.index,
            standing: match w.status {
                Status::Ended => Standing::Ended,
                Status::AtBarrier => Standing::AtBarrier,
                _ => Standing::Running,
            },
            pc: w.pc,
            pc_offset: offset(launch, w.pc),
            exec: w.exec64(),
            disassembly: at(w).text,
        })
        .collect();
    Some(site)
}

/// The barrier that a wave waits at.
pub(super) fn barrier(w: &Wave, map: &MemoryMap) -> Stop {
    // The pc is behind it, and S_BARRIER is one dword.
    Stop::at(map, w.pc.wrapping_sub(4), w)
}

/// A wave that waits at a barrier, as a finding has it.
pub(super) fn at_barrier(w: &Wave, launch: Option<&Launch>, workgroup: [u32; 3], map: &MemoryMap) -> Location {
    let (lanes, stop) = (w.exec64(), barrier(w, map));
    Location {
        workgroup,
        wave: w.index,
        lane: lanes.trailing_zeros() & 63,
        lanes,
        pc: stop.pc,
        pc_offset: offset(launch, stop.pc),
        disassembly: stop.text,
        ..Location::default()
    }
}

fn offset(launch: Option<&Launch>, pc: u64) -> u64 {
    launch.map_or(0, |l| pc.wrapping_sub(l.code_va))
}

fn site(w: &Wave, launch: Option<&Launch>, workgroup: [u32; 3], stop: Stop, lanes: u64) -> WaveSite {
    WaveSite {
        workgroup,
        wave: w.index,
        lane: lanes.trailing_zeros() & 63,
        lanes,
        pc: stop.pc,
        pc_offset: offset(launch, stop.pc),
        disassembly: stop.text,
        source: None,
        registers: registers(w, stop.instr.as_ref(), lanes),
        waves: Vec::new(),
    }
}

/// The registers that `instr` names, of the first faulting lanes.
fn registers(w: &Wave, instr: Option<&Instr>, mask: u64) -> Registers {
    let mut out = Registers {
        exec: w.mask(EXEC),
        vcc: w.mask(VCC),
        scc: w.s.0[SCC] != 0,
        m0: w.s.0[M0],
        scalars: Vec::new(),
        vectors: Vec::new(),
    };
    let Some(instr) = instr else { return out };
    let lanes: Vec<u32> = (0..32 * w.halves as u32).filter(|&l| mask >> l & 1 != 0).take(LANES).collect();
    let width = 32 * w.halves as u32;
    for access in instr.uses(width).chain(instr.defs(width)) {
        for n in 0..access.dwords {
            if access.reg.is_vgpr() {
                let v = access.reg.vgpr() + n;
                // An illegal instruction may name registers that the wave has not.
                if v < w.vgprs && !out.vectors.iter().any(|(r, _)| *r == v) {
                    let row = (TEMPS + v) as usize * w.halves;
                    let value = |&l: &u32| (l, w.v.get(row + l as usize / 32).0[l as usize % 32]);
                    out.vectors.push((v, lanes.iter().map(value).collect()));
                }
            } else {
                let s = u32::from(access.reg.0) + n;
                // VCC, M0 and EXEC stand by themselves.
                let listed = s < VCC as u32 || (VCC as u32 + 2..M0 as u32).contains(&s);
                if listed && !out.scalars.iter().any(|(r, _)| *r == s) {
                    out.scalars.push((s, w.s.0[s as usize]));
                }
            }
        }
    }
    out.scalars.sort_unstable();
    out.vectors.sort_unstable();
    out
}

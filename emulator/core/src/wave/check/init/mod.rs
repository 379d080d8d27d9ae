//! Uses of what was never written, bit by bit, in the manner of Valgrind's memcheck: nothing is told of what is read, moved or
//! computed, only of what is decided by it.
//!
//! Algorithm:
//!
//! 1. Beside each register of a wave, each byte of LDS and of private memory, stand the bits of it that are undefined ([`state`], [`shadow`]).
//!    At a wave's start all are that the launch does not fill; LDS and private memory are undefined until they are written.
//! 2. An instruction none of whose sources has an undefined bit defines what it writes. That is nearly every one, and is seen by two sets of
//!    registers that do not meet.
//! 3. Otherwise the row's own body says which bits of its result are undefined ([`vector`], [`scalar`]), over
//!    values that are defined in part (`isa::alu::Partial`); between lanes and memory they move as values do ([`cross`], [`memory`]).
//! 4. A finding is what is decided by undefined bits: a branch, that is also EXEC; an address; what is stored to a buffer or an
//!    image, or told of. From there on they count as defined, so that one mistake is one finding.
//! 5. With each undefined bit goes where it comes from: what was read first without having been written, and where ([`origin`]).
//!
//! What is stored to a buffer is output, unless it can be padding: whole bytes that were copied from private memory or LDS as they were,
//! beside others that are defined. Where no lane lives nothing is decided.
//!
//! Of a program's memory ([`contents`], [`global`]) bytes are undefined that neither the host, nor a packet, nor an instruction has
//! written since it was allocated; texels are so as a whole. What the driver's own kernels copy stays what it was, as what packets copy does.
//!
//! Variables that have no value yet are in no memory, and their registers may have other values: instrumented code takes such a value from a trap temporary,
//! which no program can write, and what a subgroup operation reads of a lane that takes no part from another one.

pub(crate) mod contents;
mod cross;
mod global;
mod memory;
mod origin;
mod scalar;
mod shadow;
mod state;
mod vector;

use super::super::device::Device;
use super::super::env::TexelTouch;
use super::super::probe::{Accesses, Issue, WaveView};
use super::{Found, Group, Observer, Side, Wants};
use crate::wave::state::SCC;
use crate::wave::stretch::Stretch;
pub(crate) use contents::Contents;
use contents::Extents;
use origin::{Origin, OriginId, Origins};
use shadow::{LdsBits, PrivateBits};
use state::{Filled, WaveBits};
use std::sync::Arc;
use wavepipe_hw::finding::{Access, AccessKind, AddressSpace, FindingKind, Never, NeverWritten, UsedFor};
use wavepipe_hw::order;
use wavepipe_isa::row::{Control, Scc, Sem, Ty, WaveOp};

#[derive(Default)]
struct WaveShadow {
    started: bool,
    /// Its kernel copies for a program, and decides nothing.
    copies: bool,
    bits: WaveBits,
    private: PrivateBits,
}

/// The check of one work-group.
#[derive(Default)]
pub(super) struct Init {
    group: Group,
    waves: Vec<WaveShadow>,
    lds: LdsBits,
    origins: Origins,
    device: Option<Arc<Device>>,
    /// Memory of the device, as of this generation.
    extents: Extents,
    generation: u64,
}

impl Init {
    fn start_wave(&mut self, view: &WaveView<'_>, issue: &Issue<'_>) {
        let index = view.index();
        let wave = &mut self.waves[index as usize];
        wave.started = true;
        wave.copies = order::bits(issue.instr) == Some(order::COPIES);
        wave.private.start();
        let filled = Filled { sgprs: self.group.sgprs, vgprs: self.group.vgprs };
        wave.bits.start(view.0.launched, view.vgprs(), filled);
    }

    /// Notes a use, if a lane lives that it could matter to.
    #[cold]
    fn tell(
        &mut self,
        view: &WaveView<'_>,
        issue: &Issue<'_>,
        (used, lanes, origin): (UsedFor, u64, OriginId),
        access: Option<Access>,
        found: &mut Vec<Found>,
    ) {
        let lanes = if lanes == 0 { view.exec() } else { lanes };
        if view.exec() == 0 {
            return;
        }
        let origin = self.origins.get(origin);
        let what = origin.map_or(NeverWritten::Unknown, |o| o.what);
        let read = |space, address| Some(Access { kind: AccessKind::Read, space, address, bytes: 1, name: None });
        // A variable without a value is made where the code begins, which is no place that anybody wrote.
        let is_read = |o: &Origin| o.pc != 0 && o.pc != issue.pc && o.what != NeverWritten::Variable;
        let other = origin.filter(is_read).and_then(|o| {
            Some(Side {
                workgroup: self.group.id,
                wave: o.wave,
                lanes: 1 << o.lane,
                pc: o.pc,
                instr: self.origins.instr(o.pc)?,
                access: match o.what {
                    NeverWritten::Lds(at) => read(AddressSpace::Lds, at.into()),
                    NeverWritten::Memory(at) => read(AddressSpace::Global, at),
                    _ => None,
                },
            })
        });
        found.push(Found { kind: FindingKind::NeverWritten(Never { used, what }), lanes, access, other });
    }
}

impl Observer for Init {
    fn wants(&self) -> Wants {
        Wants::ISSUES | Wants::STRETCHES | Wants::ACCESSES | Wants::LDS | Wants::TEXELS
    }

    fn on_device(&mut self, device: &Arc<Device>) {
        self.device = Some(device.clone());
    }

    fn start(&mut self, group: &Group) {
        self.group = *group;
        self.waves.resize_with(group.waves, WaveShadow::default);
        self.waves.iter_mut().for_each(|w| w.started = false);
        self.lds.start(group.lds_bytes);
        self.origins.clear();
        if let Some(device) = &self.device {
            let generation = device.contents.generation();
            if generation != self.generation {
                (self.generation, self.extents) = (generation, device.contents.extents());
            }
        }
    }

    fn is_quiet(&self, view: &WaveView<'_>, stretch: &Stretch) -> bool {
        let wave = self.waves.get(view.index() as usize).filter(|w| w.started);
        wave.is_some_and(|w| !w.bits.is_tainted(&stretch.touched) && (w.bits.s[SCC] == 0 || !stretch.scc))
    }

    fn issue(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, found: &mut Vec<Found>) {
        let index = view.index() as usize;
        match self.waves.get(index) {
            Some(w) if w.started => {}
            Some(_) => self.start_wave(view, issue),
            None => return,
        }
        let (op, exec) = (issue.op, view.exec());
        let footprint = issue.footprint(view.lanes());
        let row = op.row;
        if let Sem::Mem(_, kind) = row.sem {
            return self.memory(view, issue, kind, found);
        }
        let bits = &mut self.waves[index].bits;
        let reads_scc = bits.s[SCC] != 0
            && (row.src.contains(&Ty::Scc)
                || matches!(row.sem, Sem::Control(Control::BranchScc0 | Control::BranchScc1)));
        // Trap temporaries are among the scalar registers that are undefined.
        let mut tainted = reads_scc || bits.is_tainted(&footprint.reads);
        if let Sem::Wave(what) = row.sem {
            let relative = matches!(
                what,
                WaveOp::MovrelD | WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2 | WaveOp::SwapRel
            );
            // These leave lanes as they are that live, or write one that does not.
            let keeps = matches!(what, WaveOp::WriteLane | WaveOp::Permlane16 | WaveOp::Permlanex16 | WaveOp::SwapB32);
            tainted |= relative || keeps && bits.is_tainted(&footprint.writes);
        }
        // Lanes that do not live decide nothing, where each has operands of its own.
        if tainted && !reads_scc && op.ext.is_none() && !matches!(row.sem, Sem::Wave(_) | Sem::Control(_)) {
            tainted = bits.is_undefined(&footprint.reads, exec);
        }
        if !tainted {
            if bits.s[SCC] != 0 && (row.scc != Scc::Keep || row.dst.contains(&Ty::Scc)) {
                bits.s[SCC] = 0;
            }
            if !bits.is_tainted(&footprint.writes) {
                return;
            }
            if row.format.is_salu() || op.ext.is_none() {
                return bits.define_all(&footprint.writes, exec);
            }
        }
        let decided = match row.sem {
            Sem::Control(what) => {
                let used = scalar::control(bits, view, issue, what);
                bits.define_all(&footprint.writes, exec);
                used.map(|(used, origin)| (used, 0, origin))
            }
            Sem::Wave(what) => {
                let chosen = cross::run(bits, &mut self.origins, view, issue, what);
                chosen.map(|origin| (UsedFor::Address, 0, origin))
            }
            _ if row.format.is_salu() => scalar::run(bits, &mut self.origins, view, issue)
                .map(|(lanes, origin)| (UsedFor::Branch, lanes, origin)),
            _ => vector::run(bits, &mut self.origins, view, issue)
                .map(|(lanes, origin)| (UsedFor::Branch, lanes, origin)),
        };
        if let Some(used) = decided {
            self.tell(view, issue, used, None, found);
        }
    }

    fn texels(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, texels: &[TexelTouch], _: &mut Vec<Found>) {
        if self.waves.len() > view.index() as usize {
            self.image(view, issue, texels);
        }
    }

    fn access(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>, found: &mut Vec<Found>) {
        if self.waves.len() > view.index() as usize {
            self.transfer(view, issue, to, found);
        }
    }
}

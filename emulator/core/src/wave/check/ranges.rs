//! Accesses that a descriptor cuts off: outside of a buffer's range, or of an image by whole coordinates (not by those of a
//! sampler, which has an address mode). Reads give zero there, and writes are dropped. That is defined where the program asks for
//! robust access, and no more what its author meant. A null descriptor, which says so, is no finding; one that nobody ever
//! wrote is.
//!
//! A scalar load is a finding only where nothing of it is in range: it loads a power of two of dwords, of which the last may be of no
//! use.

use super::super::mem::{Cut, CutOff};
use super::super::probe::{Issue, WaveView};
use super::{Found, Group, Observer, Wants};
use wavepipe_hw::finding::{Access, AddressSpace, FindingKind, Stray};
use wavepipe_isa::row::Sem;

/// The check has no state.
#[derive(Default)]
pub(super) struct Ranges;

impl Observer for Ranges {
    fn wants(&self) -> Wants {
        Wants::CUTS
    }

    fn start(&mut self, _: &Group) {}

    fn cut_off(&mut self, _: &WaveView<'_>, issue: &Issue<'_>, cut: &CutOff, found: &mut Vec<Found>) {
        let Sem::Mem(_, kind) = issue.op.row.sem else { return };
        let CutOff { lanes, address, bytes, why } = *cut;
        let what = match why {
            Cut::Unwritten => FindingKind::UnwrittenDescriptor,
            Cut::Buffer { base, size } => FindingKind::OutOfBounds { base, size, offset: address.wrapping_sub(base) },
            Cut::Private { size } => {
                FindingKind::Stray(Stray::OutsideLocal(super::parts::beside_private(size, address)))
            }
            Cut::Texel(outside) => FindingKind::Stray(Stray::Texel(outside)),
        };
        let space = if matches!(why, Cut::Private { .. }) { AddressSpace::Private } else { AddressSpace::Global };
        let access = Access { kind: super::access_kind(kind), space, address, bytes, name: None };
        found.push(Found { kind: what, lanes, access: Some(access), other: None });
    }
}

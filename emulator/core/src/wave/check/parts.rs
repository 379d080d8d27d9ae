//! Accesses of LDS that are in none of its parts, and of private memory that a work-item has not. Code of other compilers has its
//! variables' places in its instructions, which do not say where one ends; but the driver knows where those end whose places it chose, and
//! where all others do. What goes to private memory through its descriptor, that descriptor cuts off ([`super::ranges`]).

use super::super::device::Passage;
use super::super::mem;
use super::super::probe::{Accesses, Issue, WaveView};
use super::{Found, Group, Observer, Wants};
use wavepipe_hw::finding::{Access, AddressSpace, FindingKind, Near, NearPlace, Stray};
use wavepipe_hw::given::GivenPart;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{Sem, Space};

#[derive(Default)]
pub(super) struct Parts(Passage);

impl Observer for Parts {
    fn wants(&self) -> Wants {
        if self.0.what_is_given().is_some() { Wants::LDS | Wants::ACCESSES } else { Wants::empty() }
    }

    fn start(&mut self, _: &Group) {}

    fn in_dispatch(&mut self, passage: &Passage) {
        if !self.0.is(passage) {
            self.0 = passage.clone();
        }
    }

    fn access(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>, to: &Accesses<'_>, found: &mut Vec<Found>) {
        let (Sem::Mem(_, kind), Space::Lds | Space::Flat) = (issue.op.row.sem, to.reach.space) else { return };
        let Some(given) = self.0.what_is_given().filter(|_| !issue.instr.flags.contains(Flags::GDS)) else { return };
        let (bytes, apertures) = (mem::bytes(kind), wave.apertures());
        let aperture = |lane: usize| match to.reach.space {
            Space::Lds => apertures.shared,
            _ => (to.at[lane] >> 32) as u32,
        };
        // Two offsets count in elements; the addresses that come have both of them added as one of bytes.
        let field = issue.instr.imm as u32 & 0xffff;
        let offsets = kind.pair_offsets(field).map_or([0; 2], |offsets| offsets.map(|o| o.wrapping_sub(field)));
        for (of, space) in [(apertures.shared, AddressSpace::Lds), (apertures.private, AddressSpace::Private)] {
            let parts = if space == AddressSpace::Lds { &given.lds } else { &given.private };
            let (mut stray, mut first) = (0u64, None);
            for lane in to.lanes().filter(|lane| aperture(*lane) == of) {
                let places = offsets.map(|o| (to.at[lane] as u32).wrapping_add(o));
                if let Some(at) = places.into_iter().find(|at| !is_in_one(parts, *at, bytes)) {
                    stray |= 1 << lane;
                    first.get_or_insert(at);
                }
            }
            let Some(at) = first else { continue };
            let near = near(parts, at).unwrap_or_else(|| nowhere(at));
            let name = Some(near.name.clone());
            let access = Access { kind: super::access_kind(kind), space, address: at.into(), bytes, name };
            let kind = FindingKind::Stray(Stray::OutsideLocal(near));
            found.push(Found { kind, lanes: stray, access: Some(access), other: None });
        }
    }
}

/// What is to be said of an offset behind (or, counted in 32 bits, before) the private memory of a work-item.
pub(super) fn beside_private(size: u32, at: u64) -> Near {
    let part = GivenPart { begin: 0, bytes: size, name: GivenPart::PRIVATE.into() };
    near(&[part], at as u32).unwrap_or_else(|| nowhere(at as u32))
}

/// There is no part.
fn nowhere(at: u32) -> Near {
    Near { name: "nothing".into(), size: 0, place: NearPlace::Behind(at.into()) }
}

pub fn is_in_one(parts: &[GivenPart], at: u32, bytes: u32) -> bool {
    let before = parts.partition_point(|p| p.begin <= at);
    // One without bytes may begin where the next one does.
    let ends = parts[..before].last().map_or(0, |p| p.begin.saturating_add(p.bytes));
    at.checked_add(bytes).is_some_and(|end| end <= ends)
}

/// The part that a place in none of them may have been meant for.
pub fn near(parts: &[GivenPart], at: u32) -> Option<Near> {
    let of = |p: &GivenPart, place| Near { name: p.name.clone(), size: p.bytes.into(), place };
    let distance = |p: &GivenPart| {
        let end = p.begin.saturating_add(p.bytes);
        match at {
            _ if at >= end && (at as i32) >= 0 => (at - end, of(p, NearPlace::Behind((at - end).into()))),
            _ if at >= p.begin && at < end => (0, of(p, NearPlace::Across((at - p.begin).into()))),
            // An index below zero of the first part comes out at the other end of 32 bits.
            _ => (p.begin.wrapping_sub(at), of(p, NearPlace::Before(p.begin.wrapping_sub(at).into()))),
        }
    };
    parts.iter().map(distance).min_by_key(|d| d.0).map(|d| d.1)
}

//! When the barrier of a work-group opens, and who of it did not come.
//!
//! S_BARRIER counts waves: it opens when all that have not ended wait. So a wave passes with a part of its lanes, past waves
//! that have ended, and beside waves at other barriers. Programs must not do that, and some do: it is a finding, for which no
//! check has to be on. This is looked at where a barrier opens, and nowhere else.

use super::Launch;
use super::device::{Device, Passage};
use super::report;
use super::state::{Status, Wave};
use crate::config::GuestChecks;
use crate::memory::MemoryMap;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::{Absent, Finding, FindingKind, Party};

/// The work-group whose barrier it is.
pub(super) struct Group<'g> {
    pub launch: Option<&'g Launch>,
    pub id: [u32; 3],
    pub passage: &'g Passage,
    pub device: &'g Device,
}

/// Lets the waves go on that wait at a barrier. Gives the wave that is to stop there instead; its fault is in it.
pub(super) fn open(waves: &mut [Wave], group: &Group<'_>, map: &MemoryMap) -> Option<usize> {
    if let [first, ..] = waves
        && let pc = first.pc
        && waves.iter().all(|w| w.status == Status::AtBarrier && w.exec64() == w.launched && w.pc == pc)
    {
        waves.iter_mut().for_each(|w| w.status = Status::Ready);
        return None;
    }
    let stray = absent(waves).and_then(|(wave, absent, other)| {
        let finding = stray(waves, group, map, wave, absent, other);
        // Told without being asked for, it stops only who asked.
        group.device.checks.contains(GuestChecks::STOP | GuestChecks::SYNC).then_some((wave, finding))
    });
    waves.iter_mut().filter(|w| w.status == Status::AtBarrier).for_each(|w| w.status = Status::Ready);
    stray.map(|(wave, finding)| {
        let lanes = waves[wave].exec64();
        waves[wave].fail(FaultKind::Finding(Box::new(finding)), lanes);
        wave
    })
}

/// Notes a barrier that opens for a part of its work-group.
#[cold]
fn stray(
    waves: &[Wave],
    group: &Group<'_>,
    map: &MemoryMap,
    wave: usize,
    absent: Absent,
    other: Option<usize>,
) -> Finding {
    let at = |wave: usize| report::at_barrier(&waves[wave], group.launch, group.id, map);
    let finding = Finding {
        kind: FindingKind::DivergentBarrier(absent),
        kernel: String::new(),
        queue: (0, 0),
        site: at(wave),
        access: None,
        other: other.map(|other| Box::new(Party { site: at(other), access: None })),
        count: 1,
    };
    let key = (finding.kind.slug(), finding.site.pc, finding.other.as_ref().map_or(0, |o| o.site.pc));
    group.passage.findings().note(key, finding.site.order(), || finding.clone());
    finding
}

/// A wave that waits, who does not wait with it, and the wave that waits elsewhere.
fn absent(waves: &[Wave]) -> Option<(usize, Absent, Option<usize>)> {
    let first = waves.iter().position(|w| w.status == Status::AtBarrier)?;
    let mut ended = 0;
    for (i, w) in waves.iter().enumerate() {
        match w.status {
            Status::AtBarrier if w.exec64() != w.launched => {
                return Some((i, Absent::Lanes { exec: w.exec64(), launched: w.launched }, None));
            }
            Status::AtBarrier if w.pc != waves[first].pc => return Some((first, Absent::Elsewhere, Some(i))),
            Status::Ended => ended += 1,
            _ => {}
        }
    }
    (ended > 0).then_some((first, Absent::Ended { waves: ended, of: waves.len() as u32 }, None))
}

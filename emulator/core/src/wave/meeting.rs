//! When the barrier of a work-group opens, and who of it did not come.
//!
//! S_BARRIER counts waves: it opens when all that have not ended wait. So a wave passes with a part of its lanes, past waves
//! that have ended, and beside waves at other barriers. Programs must not do that, and some do; the first work-group of a
//! dispatch that does is remembered for the driver. This is looked at where a barrier opens, and nowhere else.

use super::Launch;
use super::device::Passage;
use super::report;
use super::state::{Status, Wave};
use crate::memory::MemoryMap;
use wavepipe_hw::fault::WaveSite;
use wavepipe_hw::notice::Absent;

/// A barrier that opened for a part of its work-group.
#[derive(Clone, Debug)]
pub struct Stray {
    pub absent: Absent,
    pub site: WaveSite,
}

/// Lets the waves go on that wait at a barrier.
pub(super) fn open(waves: &mut [Wave], launch: Option<&Launch>, id: [u32; 3], map: &MemoryMap, passage: &Passage) {
    if passage.strayed().is_none()
        && let Some((wave, absent)) = absent(waves, launch)
    {
        let site = report::at_barrier(&waves[wave], launch, id, map);
        passage.stray(Stray { absent, site });
    }
    waves.iter_mut().filter(|w| w.status == Status::AtBarrier).for_each(|w| w.status = Status::Ready);
}

/// A wave that waits, and who does not wait with it.
fn absent(waves: &[Wave], launch: Option<&Launch>) -> Option<(usize, Absent)> {
    let first = waves.iter().position(|w| w.status == Status::AtBarrier)?;
    let mut ended = 0;
    for (i, w) in waves.iter().enumerate() {
        match w.status {
            Status::AtBarrier if w.exec64() != w.launched => {
                return Some((i, Absent::Lanes { exec: w.exec64(), launched: w.launched }));
            }
            Status::AtBarrier if w.pc != waves[first].pc => {
                let pc_offset = launch.map_or(0, |l| w.pc.wrapping_sub(l.code_va));
                return Some((first, Absent::Elsewhere { wave: w.index, pc_offset }));
            }
            Status::Ended => ended += 1,
            _ => {}
        }
    }
    (ended > 0).then_some((first, Absent::Ended { waves: ended, of: waves.len() as u32 }))
}

//! A work-group's state kept and put back: for who goes back in time.

use super::group::WorkGroup;
use super::state::{Status, Wave};
use super::step::Cursor;

/// What a wave is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveStatus {
    /// It can execute its next instruction.
    Ready,
    /// It waits for its work-group.
    AtBarrier,
    /// S_SLEEP: it gave up its turn.
    Sleeping,
    /// It waits for another wave's GWS or ordered count, and looks again with each step.
    Waiting,
    Ended,
}

/// Registers, LDS and places of the waves of a started work-group.
#[derive(Clone)]
pub struct GroupState {
    waves: Vec<Wave>,
    cursors: Vec<Cursor>,
    lds: Vec<u8>,
}

impl WorkGroup {
    /// Its state, between two steps.
    pub fn keep(&mut self) -> GroupState {
        let parts = self.parts();
        let mut lds = vec![0; parts.lds.backing().map_or(0, |b| b.size() as usize)];
        if let Some(backing) = parts.lds.backing() {
            backing.read(0, &mut lds);
        }
        GroupState { waves: parts.waves.to_vec(), cursors: parts.cursors.to_vec(), lds }
    }

    /// Goes back to a state of its own: of the work-group that was started with the same launch and number.
    pub fn put_back(&mut self, state: &GroupState) {
        let parts = self.parts();
        parts.waves.clone_from_slice(&state.waves);
        parts.cursors.clone_from_slice(&state.cursors);
        if let Some(backing) = parts.lds.backing() {
            backing.write(0, &state.lds);
        }
    }

    /// What a wave is at; `None` if there is no such wave.
    pub fn status(&self, wave: usize) -> Option<WaveStatus> {
        Some(match self.wave(wave)?.0.status {
            Status::Ended => WaveStatus::Ended,
            Status::Ready => WaveStatus::Ready,
            Status::AtBarrier => WaveStatus::AtBarrier,
            Status::Yielded => WaveStatus::Sleeping,
            Status::Waiting => WaveStatus::Waiting,
        })
    }

    /// LDS from a byte on; `None` outside of it.
    pub fn read_lds(&self, at: u64, to: &mut [u8]) -> Option<()> {
        self.lds().backing()?.read(at, to)
    }

    /// Bytes of its LDS.
    pub fn lds_bytes(&self) -> u64 {
        self.lds().backing().map_or(0, |b| b.size())
    }
}

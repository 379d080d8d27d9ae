//! Work-groups that have started and not ended: on the machine, or suspended.

use super::place::GroupPlace;
use super::wave::TimedWave;
use std::ops::Range;
use wavepipe_core::wave::WorkGroup;

/// One work-group.
pub struct Group {
    pub work: Box<WorkGroup>,
    /// Place of its dispatch among the front's.
    pub dispatch: usize,
    /// Its number in the dispatch.
    pub number: u64,
    pub wgp_mode: bool,
    /// `None` while it is suspended.
    pub place: Option<GroupPlace>,
    /// Of each wave: SIMD of the machine and slot there, while it is on the machine.
    pub slots: Vec<Option<(u32, u32)>>,
    /// Waves that wait off the machine, boxed as they are in their slots.
    #[allow(clippy::vec_box)]
    pub away: Vec<Box<TimedWave>>,
    /// Waves that have not ended.
    pub live: usize,
    /// Of registers and LDS, if it is suspended.
    pub saved_bytes: u64,
    pub scratch: Option<Range<u64>>,
}

/// All of them, each at a place that stays.
#[derive(Default)]
pub struct Groups {
    all: Vec<Option<Group>>,
    free: Vec<u32>,
    /// Ended ones, for their memory.
    #[allow(clippy::vec_box)]
    pub spare: Vec<Box<WorkGroup>>,
}

impl Groups {
    pub fn add(&mut self, group: Group) -> u32 {
        match self.free.pop() {
            Some(i) => {
                self.all[i as usize] = Some(group);
                i
            }
            None => {
                self.all.push(Some(group));
                self.all.len() as u32 - 1
            }
        }
    }

    pub fn get(&mut self, i: u32) -> Option<&mut Group> {
        self.all.get_mut(i as usize)?.as_mut()
    }

    /// As it stands, for who only looks.
    pub fn peek(&self, i: u32) -> Option<&Group> {
        self.all.get(i as usize)?.as_ref()
    }

    /// Places that there are, taken or free.
    pub fn places(&self) -> u32 {
        self.all.len() as u32
    }

    pub fn remove(&mut self, i: u32) -> Option<Group> {
        let group = self.all.get_mut(i as usize)?.take()?;
        self.free.push(i);
        Some(group)
    }

    /// Those of a dispatch, by place.
    pub fn of(&self, dispatch: usize) -> Vec<u32> {
        let is = |g: &Option<Group>| g.as_ref().is_some_and(|g| g.dispatch == dispatch);
        (0..self.all.len()).filter(|i| is(&self.all[*i])).map(|i| i as u32).collect()
    }
}

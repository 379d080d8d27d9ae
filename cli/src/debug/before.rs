//! What has changed since a wave stood somewhere else.

use super::desk::Desk;
use wavepipe::inspect::{Turn, Value, What};

/// Registers of a wave, to be compared.
pub struct Before {
    turn: Turn,
    vgprs: Vec<Vec<u32>>,
    sgprs: Vec<u32>,
    masks: [u64; 2],
    scc: bool,
    lds: Vec<u32>,
}

impl Desk {
    /// Keeps what there is now, to be compared.
    pub(super) fn remember(&mut self) {
        let (vgprs, sgprs, lds) = self.sizes();
        let now = self.focus.filter(|turn| self.wave(*turn).is_some()).map(|turn| {
            let read = |what: &What| self.held.read_of(turn, what).map(|v| v.words()).unwrap_or_default();
            let mask = |what: &What| match self.held.read_of(turn, what) {
                Ok(Value::Mask { bits, .. }) => bits,
                _ => 0,
            };
            Before {
                turn,
                vgprs: (0..vgprs).map(|n| read(&What::Vgpr(n))).collect(),
                sgprs: (0..sgprs).flat_map(|n| read(&What::Sgpr(n))).collect(),
                masks: [mask(&What::Exec), mask(&What::Vcc)],
                scc: read(&What::Scc) == [1],
                lds: if lds == 0 { Vec::new() } else { read(&What::Lds(0, lds / 4)) },
            }
        });
        self.before = now;
    }

    /// Whether something of the wave that is looked at is other than where it stood before; of a vector register, in any lane, or
    /// in the one.
    pub fn changed(&self, what: &What, lane: Option<u32>) -> bool {
        let (Some(before), Some(turn)) = (self.before.as_ref().filter(|b| Some(b.turn) == self.focus), self.focus)
        else {
            return false;
        };
        let Ok(now) = self.held.read_of(turn, what) else { return false };
        match (what, &now) {
            (What::Vgpr(n), Value::Lanes { words, .. }) => {
                let Some(old) = before.vgprs.get(*n as usize) else { return false };
                match lane {
                    Some(lane) => old.get(lane as usize) != words.get(lane as usize),
                    None => old != words,
                }
            }
            (What::Sgpr(n), Value::Word(w)) => before.sgprs.get(*n as usize).is_some_and(|old| old != w),
            (What::Exec, Value::Mask { bits, .. }) => before.masks[0] != *bits,
            (What::Vcc, Value::Mask { bits, .. }) => before.masks[1] != *bits,
            (What::Scc, Value::Flag(b)) => before.scc != *b,
            (What::Lds(at, 1), Value::Word(w)) => before.lds.get(*at as usize / 4).is_some_and(|old| old != w),
            _ => false,
        }
    }
}

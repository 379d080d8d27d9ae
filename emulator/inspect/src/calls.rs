//! The calls that a wave is in, by what its jumps do: S_SWAPPC_B64 and S_CALL_B64 go into a function, and whoever jumps behind one
//! of those comes back from it.

use wavepipe_core::memory::MemoryMap;
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::{Gen, decode};

/// A call that has not come back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Call {
    /// The instruction that calls, and where it went.
    from: u64,
    into: u64,
    back: u64,
}

/// Of a wave, the outermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Calls(Vec<Call>);

/// Calls that are followed, at most: what recurs without end is a fault of its own, later.
const DEEPEST: usize = 1024;

impl Calls {
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Where each function is entered, and where the wave stands in the one that called it; the innermost first.
    pub fn places(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().rev().map(|call| (call.into, call.from))
    }

    /// The wave has jumped.
    pub fn jumped(&mut self, from: u64, to: u64, isa: Gen, map: &MemoryMap) {
        if let Some(n) = self.0.iter().rposition(|call| call.back == to) {
            self.0.truncate(n);
        } else if let Some(dwords) = calls(from, isa, map)
            && self.0.len() < DEEPEST
        {
            self.0.push(Call { from, into: to, back: from + 4 * dwords });
        }
    }
}

/// Dwords of the instruction at an address, if it calls.
fn calls(at: u64, isa: Gen, map: &MemoryMap) -> Option<u64> {
    let mut bytes = [0; 4];
    map.read(at, &mut bytes)?;
    let (instr, dwords) = decode::decode(&[u32::from_le_bytes(bytes)], isa).ok()?;
    matches!(instr.op.row().sem, Sem::Control(Control::SwapPc | Control::Call)).then_some(dwords as u64)
}

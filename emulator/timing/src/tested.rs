//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

pub use crate::engine::agenda::{ACTORS, Agenda};
pub use crate::engine::tally::{KERNELS, Ledger, REPORTS};
pub use crate::memory::cache::{LAST_EPOCH, Tags};
pub use crate::memory::coalesce::Lines;
pub use crate::memory::slots::{Slots, Window};
pub use crate::memory::tlb::Pages;
pub use crate::trace::issues::ISSUES;
pub use crate::trace::perfetto::Traffic;
pub use crate::trace::proto::Message;
pub use crate::trace::rocprof::json::{List, quoted};
pub use crate::trace::rocprof::listing::Folder;
pub use crate::trace::rocprof::wave::{INTERVALS, States, WaveActivity};
pub use crate::trace::timeline::SPANS as WAVE_SPANS;

use crate::engine::order::{Order, Random};
use crate::trace::Issues;

/// Draws the numbers by which seeds choose an order.
pub fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut random = Random(seed);
    move || random.next()
}

/// Tells how likely a wave, a work-group and a queue stay under a seed, in 65536ths.
pub fn stays(seed: u64) -> [u16; 3] {
    Order::new(seed).stay
}

/// Notes the launch of a dispatch, of which there is none without a machine.
pub fn launched(issues: &Issues, dispatch: u64, code_va: u64, cycle: u64) {
    issues.launched(dispatch, code_va, cycle);
}

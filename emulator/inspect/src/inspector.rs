//! A machine that can be inspected: it runs by itself while its driver waits, unless a session holds it.

use crate::hold::{Hold, Plain};
use crate::session::Session;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use wavepipe_core::{Config, Gpu};

/// The machine. It has a clock: of one cycle an instruction.
#[derive(Clone)]
pub struct Inspector {
    gpu: Arc<Gpu>,
    hold: Arc<Hold>,
}

impl Inspector {
    /// Observers of `config`, as checks of guest code, would see an instruction once more whenever it is executed again: leave them off.
    pub fn new(config: Config) -> Inspector {
        let hold = Arc::<Hold>::default();
        let gpu = Arc::new(Gpu::with_timekeeper(config, Box::new(Plain(hold.clone()))));
        Inspector { gpu, hold }
    }

    /// Where a driver, or packets, reach it.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Holds the machine: from now on it does what the session says, until that is dropped. `None`: another session holds it.
    pub fn session(&self) -> Option<Session> {
        let free = !self.hold.held.swap(true, SeqCst);
        free.then(|| Session::new(self.gpu.clone(), self.hold.clone()))
    }
}

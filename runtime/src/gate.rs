//! Waits for timelines where the command processor compares 32 bits at most: generations without WAIT_REG_MEM64.
//!
//! No wait for one word of a counter and then for the other is right: a counter may jump past what is waited for while its low
//! word falls, as from 0x1_ffff_ffff to 0x3_0000_0000. So such a wait is for a gate, a dword of its own, which the driver opens
//! when the counter has got there. It looks when a gate is shut, when the host signals, and at each end-of-pipe interrupt, which
//! every submission raises behind its signals; a thread looks at counters that others write.
//!
//! A binary semaphore needs none: its counter goes no further while somebody waits, so its words do, the high one first.

use crate::error::{Error, Result};
use crate::heap::{Heap, Suballocation};
use crate::lock::{Mutex, rank};
use crate::sync::{POLL, Semaphore};
use std::sync::{Arc, Condvar};
use std::thread::JoinHandle;
use std::time::Instant;
use wavepipe_hw::port::GpuPort;

struct Gate {
    cell: Suballocation,
    semaphore: Arc<Semaphore>,
    value: u64,
}

impl Gate {
    /// Opens it if it is time; whether it is open.
    fn look(&self) -> bool {
        let due = self.semaphore.reached(self.value);
        if due {
            self.cell.store_u32(0, 1);
        }
        due
    }
}

/// The hold on a gate of whoever waits.
pub(crate) struct Waiting {
    gate: Arc<Gate>,
    gates: Arc<Gates>,
}

impl Waiting {
    /// GPU address of the dword, which is 1 when the gate is open.
    pub fn address(&self) -> u64 {
        self.gate.cell.va()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.gates.port.is_here() {
            // What the list held is not the last hold: that is this one's, and goes under no lock.
            self.gates.state.lock().shut.retain(|gate| !Arc::ptr_eq(gate, &self.gate));
        }
    }
}

/// The gates of a device that are shut.
pub(crate) struct Gates {
    state: Mutex<GateState, { rank::LEAF }>,
    news: Condvar,
    port: Arc<dyn GpuPort>,
}

#[derive(Default)]
struct GateState {
    /// Each is held by its [`Waiting`] too.
    shut: Vec<Arc<Gate>>,
    watch: Option<JoinHandle<()>>,
    closing: bool,
}

impl Gates {
    pub fn new(port: &Arc<dyn GpuPort>) -> Arc<Gates> {
        Arc::new(Gates { state: Mutex::default(), news: Condvar::new(), port: port.clone() })
    }

    /// A gate that opens when a timeline has reached `value`.
    pub fn shut(self: &Arc<Self>, heap: &Arc<Heap>, semaphore: &Arc<Semaphore>, value: u64) -> Result<Waiting> {
        let cell = heap.allocate(4, 4, "gate")?;
        let gate = Arc::new(Gate { cell, semaphore: semaphore.clone(), value });
        let waiting = Waiting { gate: gate.clone(), gates: self.clone() };
        let mut state = self.state.lock();
        state.shut.push(gate);
        if semaphore.is_shared() && state.watch.is_none() {
            state.watch = Some(self.watch()?);
        }
        drop(state);
        self.news.notify_all();
        // Who has signaled before it was in the list has not seen it.
        self.look();
        Ok(waiting)
    }

    /// Opens those whose time has come.
    pub fn look(&self) {
        let mut state = self.state.lock();
        let before = state.shut.len();
        state.shut.retain(|gate| !gate.look());
        let opened = state.shut.len() < before;
        drop(state);
        if opened {
            self.port.host_wrote();
        }
    }

    /// A thread that looks at what others write, of which nobody tells this device.
    fn watch(self: &Arc<Self>) -> Result<JoinHandle<()>> {
        let gates = self.clone();
        let look = move || {
            loop {
                gates.look();
                let state = gates.state.lock();
                if state.closing {
                    return;
                }
                match state.shut.iter().any(|gate| gate.semaphore.is_shared()) {
                    true => drop(state.wait_until(&gates.news, Instant::now() + POLL)),
                    false => state.wait(&gates.news),
                }
            }
        };
        let thread = std::thread::Builder::new().name("wavepipe-gates".into()).spawn(look);
        thread.map_err(|e| Error::OutOfHostMemory { what: format!("a thread that looks at semaphores: {e}") })
    }

    /// The device ends: so does the thread.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closing = true;
        let watch = state.watch.take();
        drop(state);
        self.news.notify_all();
        if let Some(watch) = watch {
            let _ = watch.join();
        }
    }
}

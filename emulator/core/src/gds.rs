//! The global data share: memory that all waves of the device see, and the resources of global wave synchronisation.

use crate::memory::Backing;
use parking_lot::Mutex;
use wavepipe_isa::row::GwsOp;

/// Bytes of GDS memory.
pub const GDS_BYTES: u64 = 64 << 10;
/// Resources of GWS; a resource number has six bits.
pub const GWS_RESOURCES: u32 = 64;

pub struct Gds {
    /// `None` if the host had no memory for it: then every access is out of range.
    memory: Option<Backing>,
    resources: Mutex<[Resource; GWS_RESOURCES as usize]>,
}

impl Default for Gds {
    fn default() -> Self {
        Gds { memory: Backing::new(GDS_BYTES), resources: Mutex::new([Resource::default(); GWS_RESOURCES as usize]) }
    }
}

/// A GWS resource: a barrier or a semaphore, whichever the last instruction used it as.
#[derive(Clone, Copy, Default)]
struct Resource {
    counter: u32,
    /// How often its barrier has opened.
    opened: u64,
    /// Numbers of the semaphore's queue: whose turn it is, and who comes next.
    head: u64,
    tail: u64,
}

/// What a wave holds while a resource keeps it waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ticket {
    /// The count of openings that it saw when it arrived.
    Barrier(u64),
    /// Its number in the queue.
    Semaphore(u64),
}

/// Memory and resources, kept.
#[derive(Clone)]
pub struct GdsState {
    memory: Vec<u8>,
    resources: [Resource; GWS_RESOURCES as usize],
}

impl Gds {
    /// As it is, while nobody uses it.
    pub(crate) fn keep(&self) -> GdsState {
        let mut memory = vec![0; self.memory.as_ref().map_or(0, |m| m.size() as usize)];
        if let Some(backing) = &self.memory {
            backing.read(0, &mut memory);
        }
        GdsState { memory, resources: *self.resources.lock() }
    }

    /// Goes back to a state of its own.
    pub(crate) fn put_back(&self, state: &GdsState) {
        if let Some(backing) = &self.memory {
            backing.write(0, &state.memory);
        }
        *self.resources.lock() = state.resources;
    }

    pub(crate) fn memory(&self) -> Option<&Backing> {
        self.memory.as_ref()
    }

    /// Executes an instruction of GWS, or looks again for a wave that was told to wait. A ticket: wait, and come back with it.
    ///
    /// A queue of waves becomes numbers that are served in order, so that waves may look for their turn at any time.
    pub(crate) fn step(&self, op: GwsOp, resource: u32, value: u32, ticket: Option<Ticket>) -> Option<Ticket> {
        let r = &mut self.resources.lock()[(resource % GWS_RESOURCES) as usize];
        match op {
            GwsOp::Init => {
                // Also forgets waves that were killed while they waited.
                *r = Resource { counter: value, head: r.tail, ..*r };
                None
            }
            GwsOp::SemaphoreV => {
                r.counter = r.counter.saturating_add(1);
                None
            }
            GwsOp::SemaphoreBroadcast => {
                r.counter = r.counter.saturating_add(value);
                None
            }
            GwsOp::SemaphoreReleaseAll => {
                r.counter = u32::try_from(r.tail - r.head).unwrap_or(u32::MAX);
                None
            }
            GwsOp::SemaphoreP => {
                let number = match ticket {
                    Some(Ticket::Semaphore(number)) if number >= r.head => number,
                    _ => {
                        r.tail += 1;
                        r.tail - 1
                    }
                };
                if number != r.head || r.counter == 0 {
                    return Some(Ticket::Semaphore(number));
                }
                r.head += 1;
                r.counter -= 1;
                None
            }
            GwsOp::Barrier => match ticket {
                Some(Ticket::Barrier(seen)) => (seen == r.opened).then_some(Ticket::Barrier(seen)),
                _ if r.counter == 0 => {
                    // The last to arrive opens it, and says how many the next opening takes.
                    r.opened += 1;
                    r.counter = value;
                    None
                }
                _ => {
                    r.counter -= 1;
                    Some(Ticket::Barrier(r.opened))
                }
            },
        }
    }
}

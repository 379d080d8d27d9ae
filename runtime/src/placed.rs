//! Places of memory, buffers and images, of which the GPU is told (`hw::placed`): names for reports, ranges for checks.

use crate::bus::Bus;
use crate::lock::{Mutex, rank};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wavepipe_hw::placed::{Placed, PlacedKind};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// The place of one thing, once it has one, and its name.
#[derive(Default)]
pub(crate) struct Placing(Mutex<Stand, { rank::LEAF }>);

#[derive(Default)]
struct Stand {
    name: Option<String>,
    placed: Option<(Arc<Bus>, Placed)>,
}

impl Placing {
    /// It is at `va` from now on.
    pub fn set(&self, bus: &Arc<Bus>, kind: PlacedKind, va: u64, size: u64) {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut stand = self.0.lock();
        let name = stand.name.clone().unwrap_or_else(|| kind.noun().into());
        let placed = Placed { id, kind, va, size, name };
        stand.placed = Some((bus.clone(), placed.clone()));
        drop(stand);
        tell(bus, |bus| bus.port.place(&placed));
    }

    /// What reports call it.
    pub fn rename(&self, name: &str) {
        let mut stand = self.0.lock();
        stand.name = (!name.is_empty()).then(|| name.to_string());
        let Some((bus, placed)) = &mut stand.placed else { return };
        placed.name = if name.is_empty() { placed.kind.noun().into() } else { name.into() };
        let (bus, placed) = (bus.clone(), placed.clone());
        drop(stand);
        tell(&bus, |bus| bus.port.place(&placed));
    }

    /// The program has given it up.
    pub fn clear(&self) {
        let placed = self.0.lock().placed.take();
        if let Some((bus, placed)) = placed {
            tell(&bus, |bus| bus.port.displace(placed.id));
        }
    }
}

impl Drop for Placing {
    fn drop(&mut self) {
        self.clear();
    }
}

/// In a forked child there is nobody to tell.
fn tell(bus: &Bus, what: impl FnOnce(&Bus)) {
    if bus.port.is_here() {
        what(bus);
    }
}

//! Timestamp queries: per query 16 bytes, the value and an availability word that is written after it.

use crate::bus::Bus;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::heap::Suballocation;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const SLOT: u64 = 16;
pub(crate) const AVAILABLE: u64 = 8;

/// How results are written, to the host or to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct QueryResultFlags {
    /// 64-bit results, else 32.
    pub wide: bool,
    pub wait: bool,
    /// An availability word follows each value.
    pub with_availability: bool,
    /// Unavailable results are written too (as zero).
    pub partial: bool,
}

pub struct QueryPool {
    bus: Arc<Bus>,
    memory: Suballocation,
    count: u32,
}

impl QueryPool {
    pub fn timestamps(device: &Arc<Device>, count: u32) -> Result<Arc<QueryPool>> {
        let memory = device.heap().allocate((u64::from(count) * SLOT).max(SLOT), 8, "query pool")?;
        Ok(Arc::new(QueryPool { bus: device.bus().clone(), memory, count }))
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn slot_address(&self, query: u32) -> u64 {
        self.memory.va() + u64::from(query) * SLOT
    }

    pub(crate) fn check(&self, first: u32, count: u32) -> Result<()> {
        match first.checked_add(count) {
            Some(end) if end <= self.count => Ok(()),
            _ => Err(Error::Invalid(format!("queries {first}..+{count} of a pool of {}", self.count))),
        }
    }

    /// Resets from the host.
    pub fn reset(&self, first: u32, count: u32) -> Result<()> {
        self.check(first, count)?;
        for q in first..first + count {
            self.memory.store_u64(u64::from(q) * SLOT + AVAILABLE, 0);
            self.memory.store_u64(u64::from(q) * SLOT, 0);
        }
        self.bus.port.host_wrote();
        Ok(())
    }

    /// Writes results into `out`, query `i` at `i * stride`. `Ok(false)` = some were not available.
    pub fn results(
        &self,
        first: u32,
        count: u32,
        out: &mut [u8],
        stride: u64,
        flags: QueryResultFlags,
    ) -> Result<bool> {
        self.check(first, count)?;
        let available = |q: u32| self.memory.load_u64(u64::from(q) * SLOT + AVAILABLE) != 0;
        if flags.wait {
            let ready = || (first..first + count).all(available);
            // An availability word has no interrupt of its own, unlike the end of its submission.
            while !self.bus.interrupts.wait(crate::sync::deadline(Some(Duration::from_millis(1))), ready)? {}
        } else {
            self.bus.interrupts.check()?;
        }
        let size = if flags.wide { 8 } else { 4 };
        let mut put = |at: u64, value: u64| -> Result<()> {
            let end = at + size;
            let space = out
                .get_mut(at as usize..end as usize)
                .ok_or_else(|| Error::Invalid("query results do not fit into the space given".into()))?;
            space.copy_from_slice(&value.to_le_bytes()[..size as usize]);
            Ok(())
        };
        let mut complete = true;
        for i in 0..count {
            let q = first + i;
            let ready = available(q);
            complete &= ready;
            let at = u64::from(i) * stride;
            if ready || flags.partial {
                put(at, if ready { self.memory.load_u64(u64::from(q) * SLOT) } else { 0 })?;
            }
            if flags.with_availability {
                put(at + size, u64::from(ready))?;
            }
        }
        Ok(complete)
    }
}

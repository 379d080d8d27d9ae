//! Queries: per query its values, 64 bits each, and an availability word that is written after them. Where the GPU counts
//! invocations, two samples of its counters follow, from the beginning and the end of the query.

use crate::bus::Bus;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::host::GpuMemory;
use crate::performance::Sampled;
use std::sync::Arc;
use std::time::Duration;
use wavepipe_hw::pm4::PIPELINE_STATS;

/// Bytes of a sample of the GPU's counters.
const SAMPLE: u64 = 8 * PIPELINE_STATS as u64;

/// How results are written, to the host or to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct QueryResultFlags {
    /// 64-bit results, else 32.
    pub wide: bool,
    pub wait: bool,
    /// An availability word follows the values of each query.
    pub with_availability: bool,
    /// Unavailable results are written too (as zero).
    pub partial: bool,
}

pub struct QueryPool {
    bus: Arc<Bus>,
    /// Not of the driver's heap: a kernel of ours subtracts in it, and heap memory is closed to stores.
    memory: GpuMemory,
    count: u32,
    values: u32,
    /// Which value is the number of invocations; the others are of graphics, and stay zero.
    invocations: Option<u32>,
    /// Of performance queries, whose values are computed from the words.
    sampled: Option<Sampled>,
}

impl QueryPool {
    /// One value each, which a command writes.
    pub fn timestamps(device: &Arc<Device>, count: u32) -> Result<Arc<QueryPool>> {
        Self::counters(device, count, 1, None)
    }

    /// `values` each, of what happens between two commands: all zero, because nothing draws, but for compute shader
    /// invocations, where one is that.
    pub fn counters(device: &Arc<Device>, count: u32, values: u32, invocations: Option<u32>) -> Result<Arc<QueryPool>> {
        let samples = if invocations.is_some() { 2 * SAMPLE } else { 0 };
        let bytes = u64::from(count) * (8 * (u64::from(values) + 1) + samples);
        let memory = GpuMemory::allocate(device.bus(), bytes.max(16), "query pool")?;
        Ok(Arc::new(QueryPool { bus: device.bus().clone(), memory, count, values, invocations, sampled: None }))
    }

    /// Performance counters, by their place in [`crate::PERFORMANCE_COUNTERS`], of what happens between two commands. Results
    /// have 64 bits for each counter, whatever the flags say.
    ///
    /// # Errors
    /// The machine has no clock, or there is no such counter.
    pub fn performance(device: &Arc<Device>, count: u32, counters: &[u32]) -> Result<Arc<QueryPool>> {
        let sampled = Sampled::new(device, counters)?;
        let values = 2 * sampled.samples.len() as u32;
        let bytes = u64::from(count) * 8 * (u64::from(values) + 1);
        let memory = GpuMemory::allocate(device.bus(), bytes.max(16), "query pool")?;
        let (bus, sampled) = (device.bus().clone(), Some(sampled));
        Ok(Arc::new(QueryPool { bus, memory, count, values, invocations: None, sampled }))
    }

    pub(crate) fn sampled(&self) -> Option<&Sampled> {
        self.sampled.as_ref()
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn values(&self) -> u64 {
        self.values.into()
    }

    /// Where a slot's availability word is.
    pub(crate) fn available(&self) -> u64 {
        8 * self.values()
    }

    pub(crate) fn slot_bytes(&self) -> u64 {
        self.available() + 8 + if self.invocations.is_some() { 2 * SAMPLE } else { 0 }
    }

    pub(crate) fn slot_address(&self, query: u32) -> u64 {
        self.memory.va() + u64::from(query) * self.slot_bytes()
    }

    /// Where the GPU's counters of the beginning and the end go, and their difference; of pools that count invocations.
    pub(crate) fn samples(&self, query: u32) -> Option<([u64; 2], u64)> {
        let slot = self.slot_address(query);
        let begin = slot + self.available() + 8;
        self.invocations.map(|value| ([begin, begin + SAMPLE], slot + 8 * u64::from(value)))
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
            for word in (0..=self.values()).rev() {
                self.memory.store_u64(u64::from(q) * self.slot_bytes() + 8 * word, 0);
            }
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
        let word = |q: u32, n: u64| self.memory.load_u64(u64::from(q) * self.slot_bytes() + 8 * n);
        let available = |q: u32| word(q, self.values()) != 0;
        if flags.wait {
            let ready = || (first..first + count).all(available);
            // An availability word has no interrupt of its own, unlike the end of its submission.
            while !self.bus.interrupts.wait(crate::sync::deadline(Some(Duration::from_millis(1))), ready)? {}
        } else {
            self.bus.interrupts.poll(|| (first..first + count).all(available));
            self.bus.interrupts.check()?;
        }
        let size = if flags.wide || self.sampled.is_some() { 8 } else { 4 };
        let values = self.sampled.as_ref().map_or(self.values(), |s| s.values() as u64);
        let value = |q: u32, n: u64| match &self.sampled {
            Some(sampled) => sampled.value(&self.bus.config.machine, n as usize, |n| word(q, n)),
            None => word(q, n),
        };
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
            for n in (0..values).filter(|_| ready || flags.partial) {
                put(at + size * n, if ready { value(q, n) } else { 0 })?;
            }
            if flags.with_availability {
                put(at + size * values, u64::from(ready))?;
            }
        }
        Ok(complete)
    }
}

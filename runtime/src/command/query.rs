//! Queries.

use super::CommandBuffer;
use crate::descriptor::DescriptorSet;
use crate::error::Result;
use crate::memory::Buffer;
use crate::meta::MetaKernel;
use crate::query::{QueryPool, QueryResultFlags};
use std::sync::Arc;
use wavepipe_hw::pm4::{CS_INVOCATIONS, CopyDest, CopySource, DmaSource, Packet, ReleaseData, WaitFunc};

impl CommandBuffer {
    /// The clock when the command is reached (`after_work` false), or when all earlier work is done.
    pub fn write_timestamp(&mut self, pool: &Arc<QueryPool>, query: u32, after_work: bool) {
        self.keep(pool);
        let checked = pool.check(query, 1);
        if self.latch(checked).is_none() {
            return;
        }
        let slot = pool.slot_address(query);
        if after_work {
            self.emit(&Packet::ReleaseMem { address: slot, data: ReleaseData::Clock, interrupt: false });
            self.make_available(slot + pool.available());
        } else {
            self.emit(&Packet::CopyData { source: CopySource::Clock, dest: CopyDest::Memory(slot), wide: true });
            let source = CopySource::Immediate(1);
            self.emit(&Packet::CopyData { source, dest: CopyDest::Memory(slot + pool.available()), wide: true });
        }
        self.state.busy = true;
    }

    /// After all earlier commands, whose timestamps may still be on their way.
    pub fn reset_query_pool(&mut self, pool: &Arc<QueryPool>, first: u32, count: u32) {
        self.keep(pool);
        let checked = pool.check(first, count);
        if self.latch(checked).is_some() {
            self.flush_work();
            self.command = None;
            self.dma(DmaSource::Fill(0), pool.slot_address(first), u64::from(count) * pool.slot_bytes());
        }
    }

    /// Copies results into a buffer, query `i` at `offset + i * stride`. Without `wait`, a query that is not available by
    /// then gives the value 0.
    // As many arguments as the Vulkan command has.
    #[allow(clippy::too_many_arguments)]
    pub fn copy_query_results(
        &mut self,
        pool: &Arc<QueryPool>,
        first: u32,
        count: u32,
        buffer: &Arc<Buffer>,
        offset: u64,
        stride: u64,
        flags: QueryResultFlags,
    ) {
        self.keep(pool);
        self.keep(buffer);
        let checked = pool.check(first, count);
        if self.latch(checked).is_none() {
            return;
        }
        self.flush_work();
        self.moves("vkCmdCopyQueryPoolResults");
        let size = if flags.wide { 8 } else { 4 };
        for i in 0..count {
            let slot = pool.slot_address(first + i);
            let words = pool.values() + u64::from(flags.with_availability);
            let place = self.place(buffer, offset + u64::from(i) * stride, size * words);
            let Some(dest) = self.latch(place) else { return };
            self.note(None, Some(dest), size * words);
            if flags.wait {
                let (address, func) = (slot + pool.available(), WaitFunc::NotEqual);
                // Not WAIT_REG_MEM64, which not all generations have: the word is 0 or 1.
                self.emit(&Packet::WaitRegMem { address, reference: 0, mask: 0xffff_ffff, func, wide: false });
            }
            // The availability word stands behind the values, here as there.
            for word in 0..words {
                let (from, to) = (slot + 8 * word, dest + size * word);
                let (source, dest) = (CopySource::Memory(from), CopyDest::Memory(to));
                self.emit(&Packet::CopyData { source, dest, wide: flags.wide });
            }
        }
        self.state.busy = true;
    }

    /// Counting begins after all earlier commands.
    pub fn begin_query(&mut self, pool: &Arc<QueryPool>, query: u32) {
        self.keep(pool);
        let checked = pool.check(query, 1);
        if self.latch(checked).is_some()
            && let Some(([begin, _], _)) = pool.samples(query)
        {
            self.emit(&Packet::SamplePipelineStat { address: begin });
        } else if let Some(sampled) = pool.sampled() {
            for (event, counter) in &sampled.samples {
                self.emit(&Packet::SetUconfigReg { reg: counter.select(), values: vec![event.select()] });
            }
            self.sample(pool, query, 0);
        }
    }

    /// Reads the performance counters when all earlier dispatches are done, each into one of its two words.
    fn sample(&mut self, pool: &QueryPool, query: u32, after: u64) {
        self.emit(&Packet::CsPartialFlush);
        for ((_, counter), i) in pool.sampled().iter().flat_map(|s| &s.samples).zip(0..) {
            let (source, at) = (CopySource::Counter(*counter), pool.slot_address(query) + 8 * (2 * i + after));
            self.emit(&Packet::CopyData { source, dest: CopyDest::Memory(at), wide: true });
        }
    }

    /// What was counted since its beginning, when all earlier commands are done.
    pub fn end_query(&mut self, pool: &Arc<QueryPool>, query: u32) {
        self.keep(pool);
        let checked = pool.check(query, 1);
        if self.latch(checked).is_none() {
            return;
        }
        if let Some(([begin, end], value)) = pool.samples(query) {
            self.emit(&Packet::SamplePipelineStat { address: end });
            self.state.busy = true;
            self.flush_work();
            let counter = 8 * CS_INVOCATIONS as u64;
            let subtracted = self.subtract(value, begin + counter, end + counter);
            self.latch(subtracted);
        } else if pool.sampled().is_some() {
            self.sample(pool, query, 1);
        }
        self.make_available(pool.slot_address(query) + pool.available());
        self.state.busy = true;
    }

    fn subtract(&mut self, value: u64, begin: u64, end: u64) -> Result<()> {
        self.command = None;
        let write = |set: &DescriptorSet| {
            [(0, value), (1, begin), (2, end)].into_iter().try_for_each(|(n, at)| set.write_address(n, 0, at, 8))
        };
        self.launch_meta(MetaKernel::Subtract, write, &[], [1; 3])
    }

    fn make_available(&mut self, address: u64) {
        self.emit(&Packet::ReleaseMem { address, data: ReleaseData::Value64(1), interrupt: false });
    }
}

//! Descriptor set layouts, pools and sets. A set is GPU memory that holds V#s as [`SetLayout`] places them.
//!
//! Dynamic buffers are not in the set: their V#s, offset added, are written behind the push constants of each dispatch
//! (`hw::launch::DYNAMIC_DESCRIPTORS_OFFSET`), so a set with dynamic buffers remembers base and range on the host.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::heap::{Heap, Suballocation};
use crate::memory::Buffer;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::launch::{BindingKind, BindingLayout, DYNAMIC_DESCRIPTORS_OFFSET, Place, SetLayout};

/// One binding of a layout as the user asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    pub binding: u32,
    pub kind: BindingKind,
    /// Array length; 0 = reserved, no resource.
    pub count: u32,
}

/// The layout of a set.
#[derive(Debug, PartialEq, Eq)]
pub struct DescriptorSetLayout {
    layout: SetLayout,
    dynamic: u32,
    descriptors: u32,
}

impl DescriptorSetLayout {
    /// Binding numbers must differ; order is free.
    pub fn new(mut bindings: Vec<Binding>) -> Result<Arc<DescriptorSetLayout>> {
        bindings.sort_by_key(|b| b.binding);
        if let Some(w) = bindings.windows(2).find(|w| w[0].binding == w[1].binding) {
            return Err(Error::Invalid(format!("binding {} is declared twice in a set layout", w[0].binding)));
        }
        let mut layout = SetLayout::default();
        let (mut dynamic, mut descriptors) = (0u32, 0u32);
        for Binding { binding, kind, count } in bindings {
            let stride = kind.bytes();
            let place = if kind.is_dynamic() { Place::Push(dynamic * 16) } else { Place::Set(layout.size) };
            let bytes = stride.checked_mul(count).and_then(|b| layout.size.checked_add(b));
            let Some(end) = bytes.filter(|&b| b <= 1 << 28) else {
                return Err(Error::Invalid(format!("binding {binding} has too many descriptors: {count}")));
            };
            if kind.is_dynamic() {
                dynamic += count;
            } else {
                layout.size = end;
            }
            descriptors += count;
            layout.bindings.push(BindingLayout { binding, kind, count, place, stride });
        }
        Ok(Arc::new(DescriptorSetLayout { layout, dynamic, descriptors }))
    }

    /// As the hardware sees it; dynamic buffers' places count from the first dynamic descriptor of this set.
    pub fn layout(&self) -> &SetLayout {
        &self.layout
    }

    /// How many dynamic buffers the set has.
    pub fn dynamic_count(&self) -> u32 {
        self.dynamic
    }

    fn find(&self, binding: u32) -> Option<(usize, &BindingLayout)> {
        let bindings = &self.layout.bindings;
        let i = bindings.binary_search_by_key(&binding, |b| b.binding).ok()?;
        Some((i, &bindings[i]))
    }

    /// The place of an element, where an element past a binding's end runs on into the next binding, as Vulkan's
    /// consecutive binding updates do.
    fn locate(&self, binding: u32, element: u32) -> Result<(&BindingLayout, u32)> {
        let (mut i, _) =
            self.find(binding).ok_or_else(|| Error::Invalid(format!("the set layout has no binding {binding}")))?;
        let mut element = element;
        loop {
            match self.layout.bindings.get(i) {
                Some(b) if element < b.count => return Ok((b, element)),
                Some(b) => element -= b.count,
                None => {
                    return Err(Error::Invalid(format!("descriptor write runs past the set, from binding {binding}")));
                }
            }
            i += 1;
        }
    }
}

/// The layout of all sets and push constants that a pipeline sees.
#[derive(Debug)]
pub struct PipelineLayout {
    sets: Vec<Arc<DescriptorSetLayout>>,
    layout: wavepipe_hw::launch::PipelineLayout,
    dynamic: u32,
}

impl PipelineLayout {
    /// Sets by number; dynamic buffers of all sets lie in one table, set after set.
    pub fn new(sets: Vec<Arc<DescriptorSetLayout>>, push_constant_bytes: u32) -> Result<Arc<PipelineLayout>> {
        let limits = crate::machine::info().limits;
        if push_constant_bytes > limits.max_push_constants || sets.len() > limits.max_bound_sets as usize {
            return Err(Error::Invalid(format!(
                "a pipeline layout of {} sets and {push_constant_bytes} push-constant bytes; at most {} and {}",
                sets.len(),
                limits.max_bound_sets,
                limits.max_push_constants
            )));
        }
        let mut dynamic = 0;
        let mut layout = wavepipe_hw::launch::PipelineLayout { sets: Vec::new(), push_constant_bytes };
        for set in &sets {
            let mut placed = set.layout.clone();
            for b in &mut placed.bindings {
                if let Place::Push(offset) = &mut b.place {
                    *offset += DYNAMIC_DESCRIPTORS_OFFSET + dynamic * 16;
                }
            }
            dynamic += set.dynamic;
            layout.sets.push(placed);
        }
        Ok(Arc::new(PipelineLayout { sets, layout, dynamic }))
    }

    pub fn sets(&self) -> &[Arc<DescriptorSetLayout>] {
        &self.sets
    }

    /// What the compiler sees.
    pub fn layout(&self) -> &wavepipe_hw::launch::PipelineLayout {
        &self.layout
    }

    /// Dynamic buffers of all sets.
    pub fn dynamic_count(&self) -> u32 {
        self.dynamic
    }
}

/// Counts sets and descriptors out; the memory comes from the device's heap. Dropping the pool keeps live sets usable.
pub struct DescriptorPool {
    heap: Arc<Heap>,
    left: Mutex<Budget>,
}

#[derive(Clone, Copy)]
struct Budget {
    sets: u32,
    descriptors: u32,
}

impl DescriptorPool {
    /// Room for `max_sets` sets with `max_descriptors` descriptors (of any kind) together.
    pub fn new(device: &Arc<Device>, max_sets: u32, max_descriptors: u32) -> Arc<DescriptorPool> {
        let left = Mutex::new(Budget { sets: max_sets, descriptors: max_descriptors });
        Arc::new(DescriptorPool { heap: device.heap().clone(), left })
    }

    /// A set of zero descriptors: reads give zero, writes are dropped. Its room returns to the pool on drop.
    pub fn allocate(self: &Arc<Self>, layout: &Arc<DescriptorSetLayout>) -> Result<Arc<DescriptorSet>> {
        {
            let mut left = self.left.lock();
            if left.sets == 0 || left.descriptors < layout.descriptors {
                let what = format!(
                    "{} sets and {} descriptors left, 1 and {} needed",
                    left.sets, left.descriptors, layout.descriptors
                );
                return Err(Error::OutOfPoolMemory { what });
            }
            left.sets -= 1;
            left.descriptors -= layout.descriptors;
        }
        let memory = self.heap.allocate(u64::from(layout.layout.size.max(16)), 16, "descriptor set");
        match memory {
            Ok(memory) => Ok(Arc::new(DescriptorSet {
                layout: layout.clone(),
                pool: Arc::downgrade(self),
                memory,
                dynamic: Mutex::new(vec![BufferDescriptor::default(); layout.dynamic as usize]),
            })),
            Err(e) => {
                self.give_back(layout);
                Err(e)
            }
        }
    }

    fn give_back(&self, layout: &DescriptorSetLayout) {
        let mut left = self.left.lock();
        left.sets += 1;
        left.descriptors += layout.descriptors;
    }
}

/// One set. Writing to it while the GPU uses it is a race, as in Vulkan without update-after-bind.
pub struct DescriptorSet {
    layout: Arc<DescriptorSetLayout>,
    pool: Weak<DescriptorPool>,
    memory: Suballocation,
    dynamic: Mutex<Vec<BufferDescriptor>>,
}

impl DescriptorSet {
    pub fn layout(&self) -> &Arc<DescriptorSetLayout> {
        &self.layout
    }

    /// GPU address of the V#s.
    pub fn address(&self) -> u64 {
        self.memory.va()
    }

    /// Points an element at `range` bytes of `buffer` from `offset` on; `None` = to the buffer's end. A range that leaves
    /// the buffer is cut to it.
    pub fn write_buffer(
        &self,
        binding: u32,
        element: u32,
        buffer: &Buffer,
        offset: u64,
        range: Option<u64>,
    ) -> Result<()> {
        let rest = buffer.size().saturating_sub(offset);
        self.write_address(binding, element, buffer.address() + offset, range.unwrap_or(rest).min(rest))
    }

    /// Points an element at `bytes` bytes at a GPU address. Elements run on over bindings, as in `vkUpdateDescriptorSets`.
    pub fn write_address(&self, binding: u32, element: u32, address: u64, bytes: u64) -> Result<()> {
        let descriptor = BufferDescriptor::raw(address, bytes.min(u64::from(u32::MAX)) as u32);
        self.store(binding, element, descriptor)
    }

    /// Points an element at nothing: reads give zero, writes are dropped.
    pub fn write_null(&self, binding: u32, element: u32) -> Result<()> {
        self.store(binding, element, BufferDescriptor::raw(0, 0))
    }

    fn store(&self, binding: u32, element: u32, descriptor: BufferDescriptor) -> Result<()> {
        let (b, element) = self.layout.locate(binding, element)?;
        match (b.kind, b.place) {
            (
                BindingKind::SampledImage
                | BindingKind::StorageImage
                | BindingKind::Sampler
                | BindingKind::CombinedImageSampler
                | BindingKind::InlineUniformBlock,
                _,
            ) => Err(Error::Invalid(format!("binding {} holds no buffer", b.binding))),
            (_, Place::Set(at)) => self.memory.write_words(u64::from(at + element * b.stride), &descriptor.to_words()),
            (_, Place::Push(at)) => {
                self.dynamic.lock()[(at / 16 + element) as usize] = descriptor;
                Ok(())
            }
        }
    }

    /// Copies `count` descriptors, elements running on over bindings on both sides.
    pub fn copy_from(
        &self,
        binding: u32,
        element: u32,
        source: &DescriptorSet,
        source_binding: u32,
        source_element: u32,
        count: u32,
    ) -> Result<()> {
        for i in 0..count {
            let (b, e) = source.layout.locate(source_binding, source_element + i)?;
            let descriptor = match b.place {
                Place::Set(at) => {
                    let mut bytes = [0; 16];
                    source.memory.read(u64::from(at + e * b.stride), &mut bytes)?;
                    let word = |i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[4 * i + k]));
                    BufferDescriptor::from_words([word(0), word(1), word(2), word(3)])
                }
                Place::Push(at) => source.dynamic.lock()[(at / 16 + e) as usize],
            };
            self.store(binding, element + i, descriptor)?;
        }
        Ok(())
    }

    /// The dynamic buffers' V#s with `offsets` (in binding order) added to their addresses.
    pub(crate) fn dynamic_descriptors(&self, offsets: &[u32]) -> Vec<[u32; 4]> {
        let dynamic = self.dynamic.lock();
        let moved = dynamic.iter().zip(offsets).map(|(d, &offset)| {
            let mut d = *d;
            d.base += u64::from(offset);
            d.to_words()
        });
        moved.collect()
    }
}

impl Drop for DescriptorSet {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.give_back(&self.layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_buffers_of_all_sets_share_one_table() {
        let binding = |binding, kind, count| Binding { binding, kind, count };
        let a = DescriptorSetLayout::new(vec![
            binding(3, BindingKind::StorageBufferDynamic, 1),
            binding(0, BindingKind::StorageBuffer, 2),
            binding(1, BindingKind::UniformBufferDynamic, 2),
        ])
        .unwrap();
        let layout = PipelineLayout::new(vec![a.clone(), a], 16).unwrap();
        let place = |set, binding| layout.layout().find(set, binding).unwrap().place;
        assert_eq!(place(0, 0), Place::Set(0));
        assert_eq!(place(0, 1), Place::Push(256));
        assert_eq!(place(0, 3), Place::Push(256 + 32));
        assert_eq!(place(1, 1), Place::Push(256 + 48));
        assert_eq!(layout.layout().sets[0].size, 32);
        assert_eq!(layout.dynamic_count(), 6);
    }

    #[test]
    fn bad_layouts_are_refused() {
        let b = Binding { binding: 1, kind: BindingKind::StorageBuffer, count: 1 };
        assert!(matches!(DescriptorSetLayout::new(vec![b, b]), Err(Error::Invalid(_))));
        let huge = Binding { count: u32::MAX, ..b };
        assert!(matches!(DescriptorSetLayout::new(vec![huge]), Err(Error::Invalid(_))));
        assert!(matches!(PipelineLayout::new(vec![], 257), Err(Error::Invalid(_))));
    }
}

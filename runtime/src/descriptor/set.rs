//! Descriptor pools and sets.

use super::{DescriptorSetLayout, SamplerWords};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::heap::{Heap, Suballocation};
use crate::lock::{Mutex, rank};
use crate::memory::Buffer;
use std::sync::{Arc, Weak};
use wavepipe_hw::descriptor::{BufferDescriptor, ImageDescriptor, ImageType};
use wavepipe_hw::launch::{BindingKind, BindingLayout, COMBINED_SAMPLER_OFFSET, Place};
use wavepipe_isa::Gen;

/// Bytes of the largest descriptor.
const LARGEST: usize = BindingKind::Mutable.bytes() as usize;

/// Counts sets and descriptors out; the memory comes from the device's heap. Dropping the pool keeps live sets usable.
pub struct DescriptorPool {
    heap: Arc<Heap>,
    left: Mutex<Budget, { rank::LEAF }>,
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
        self.allocate_with(layout, 0)
    }

    /// As [`Self::allocate`]; `variable` is the count of a binding whose count each set chooses.
    pub fn allocate_with(
        self: &Arc<Self>,
        layout: &Arc<DescriptorSetLayout>,
        variable: u32,
    ) -> Result<Arc<DescriptorSet>> {
        let (size, descriptors) = match layout.variable_binding() {
            Some(b) if variable > b.count => {
                let message = format!("{variable} descriptors of binding {}, which has {}", b.binding, b.count);
                return Err(Error::Invalid(message));
            }
            Some(b) => {
                let absent = b.count - variable;
                (layout.layout.size - absent * b.stride, layout.descriptors.saturating_sub(absent))
            }
            None => (layout.layout.size, layout.descriptors),
        };
        {
            let mut left = self.left.lock();
            if left.sets == 0 || left.descriptors < descriptors {
                let what =
                    format!("{} sets and {} descriptors left, 1 and {descriptors} needed", left.sets, left.descriptors);
                return Err(Error::OutOfPoolMemory { what });
            }
            left.sets -= 1;
            left.descriptors -= descriptors;
        }
        let pool = PoolShare { pool: Arc::downgrade(self), descriptors };
        let memory = self.heap.allocate(u64::from(size.max(16)), 16, "descriptor set")?;
        DescriptorSet::new(layout, self.heap.isa(), Bytes::Gpu(memory), variable, Some(pool))
    }
}

/// What a set took from its pool; back to it on drop.
struct PoolShare {
    pool: Weak<DescriptorPool>,
    descriptors: u32,
}

impl Drop for PoolShare {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            let mut left = pool.left.lock();
            left.sets += 1;
            left.descriptors += self.descriptors;
        }
    }
}

/// Where a set's bytes lie.
enum Bytes {
    Gpu(Suballocation),
    /// Push descriptors: a command buffer uploads them at each dispatch that follows a change.
    Host(Mutex<Vec<u8>, { rank::LEAF }>),
}

impl Bytes {
    fn write(&self, offset: u32, data: &[u8]) -> Result<()> {
        match self {
            Bytes::Gpu(memory) => memory.write(offset.into(), data),
            Bytes::Host(bytes) => match bytes.lock().get_mut(offset as usize..offset as usize + data.len()) {
                Some(place) => {
                    place.copy_from_slice(data);
                    Ok(())
                }
                None => Err(Error::Internal("a push descriptor outside of its set".into())),
            },
        }
    }

    fn read(&self, offset: u32, out: &mut [u8]) -> Result<()> {
        match self {
            Bytes::Gpu(memory) => memory.read(offset.into(), out),
            Bytes::Host(bytes) => match bytes.lock().get(offset as usize..offset as usize + out.len()) {
                Some(place) => {
                    out.copy_from_slice(place);
                    Ok(())
                }
                None => Err(Error::Internal("a push descriptor outside of its set".into())),
            },
        }
    }
}

/// A dynamic buffer: its V# at offset 0, and where its memory ends, beyond which no offset may move it.
#[derive(Clone, Copy, Default)]
struct DynamicBuffer {
    descriptor: BufferDescriptor,
    end: u64,
}

/// One set. The GPU reads it when a dispatch runs, so updates between recording and execution count; writing an element
/// that a running dispatch reads is a race.
pub struct DescriptorSet {
    layout: Arc<DescriptorSetLayout>,
    isa: Gen,
    bytes: Bytes,
    /// Elements of the binding whose count each set chooses.
    variable: u32,
    dynamic: Mutex<Vec<DynamicBuffer>, { rank::LEAF }>,
    _pool: Option<PoolShare>,
}

impl DescriptorSet {
    fn new(
        layout: &Arc<DescriptorSetLayout>,
        isa: Gen,
        bytes: Bytes,
        variable: u32,
        pool: Option<PoolShare>,
    ) -> Result<Arc<DescriptorSet>> {
        let dynamic = Mutex::new(vec![DynamicBuffer::default(); layout.dynamic as usize]);
        let set = DescriptorSet { layout: layout.clone(), isa, bytes, variable, dynamic, _pool: pool };
        for (binding, samplers) in &layout.immutable {
            for (element, words) in samplers.iter().enumerate().take(set.count(*binding) as usize) {
                let (b, element) = layout.locate(*binding, element as u32)?;
                let Place::Set(at) = b.place else { continue };
                set.bytes.write(at + element * b.stride + sampler_offset(b.kind), &to_bytes(words)[..16])?;
            }
        }
        Ok(Arc::new(set))
    }

    /// A set that lives in a command buffer: see `CommandBuffer::push_descriptor_set`.
    pub(crate) fn pushed(layout: &Arc<DescriptorSetLayout>, isa: Gen) -> Result<Arc<DescriptorSet>> {
        Self::new(layout, isa, Bytes::Host(Mutex::new(vec![0; layout.layout.size as usize])), 0, None)
    }

    pub fn layout(&self) -> &Arc<DescriptorSetLayout> {
        &self.layout
    }

    /// GPU address of the descriptors; 0 for push descriptors, which have none of their own.
    pub fn address(&self) -> u64 {
        match &self.bytes {
            Bytes::Gpu(memory) => memory.va(),
            Bytes::Host(_) => 0,
        }
    }

    pub(crate) fn is_pushed(&self) -> bool {
        matches!(self.bytes, Bytes::Host(_))
    }

    /// The bytes of push descriptors.
    pub(crate) fn pushed_bytes(&self) -> Option<Vec<u8>> {
        match &self.bytes {
            Bytes::Gpu(_) => None,
            Bytes::Host(bytes) => Some(bytes.lock().clone()),
        }
    }

    /// Elements of a binding in this set.
    fn count(&self, binding: u32) -> u32 {
        match self.layout.variable_binding() {
            Some(b) if b.binding == binding => self.variable,
            _ => self.layout.layout.bindings.iter().find(|b| b.binding == binding).map_or(0, |b| b.count),
        }
    }

    fn locate(&self, binding: u32, element: u32) -> Result<(&BindingLayout, u32)> {
        let (b, element) = self.layout.locate(binding, element)?;
        match self.layout.variable_binding() {
            Some(v) if v.binding == b.binding && element >= self.variable => {
                let message = format!("element {element} of binding {}: the set has {}", b.binding, self.variable);
                Err(Error::Invalid(message))
            }
            _ => Ok((b, element)),
        }
    }

    /// Whether the layout gives the element its sampler.
    pub fn has_immutable_samplers(&self, binding: u32, element: u32) -> bool {
        self.locate(binding, element).is_ok_and(|(b, _)| self.layout.immutable(b.binding).is_some())
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
        let address = buffer.address().saturating_add(offset);
        self.store(binding, element, address, range.unwrap_or(rest).min(rest), address.saturating_add(rest))
    }

    /// Points an element at `bytes` bytes at a GPU address. Elements run on over bindings, as in `vkUpdateDescriptorSets`.
    pub fn write_address(&self, binding: u32, element: u32, address: u64, bytes: u64) -> Result<()> {
        self.store(binding, element, address, bytes, address.saturating_add(bytes))
    }

    /// Points an element at nothing: reads give zero, writes are dropped. A combined image sampler keeps its sampler.
    pub fn write_null(&self, binding: u32, element: u32) -> Result<()> {
        match self.locate(binding, element)?.0.kind {
            BindingKind::Sampler => Ok(()),
            BindingKind::InlineUniformBlock => Err(no_descriptors(binding)),
            BindingKind::SampledImage | BindingKind::StorageImage | BindingKind::CombinedImageSampler => {
                self.write_words(binding, element, &self.null_image())
            }
            BindingKind::Mutable => self.write_words(binding, element, &[0; LARGEST / 4]),
            BindingKind::UniformTexelBuffer | BindingKind::StorageTexelBuffer => {
                let null = BufferDescriptor { dst_sel: [0; 4], ..BufferDescriptor::raw(0, 0) };
                self.write_words(binding, element, &null.to_words(self.isa))
            }
            _ => self.store(binding, element, 0, 0, 0),
        }
    }

    /// The T# of no image: as all zeroes it reads zero and cannot be written, but that somebody meant it.
    pub fn null_image(&self) -> [u32; 8] {
        ImageDescriptor { kind: ImageType::D1 as u8, ..Default::default() }.to_words(self.isa)
    }

    fn store(&self, binding: u32, element: u32, address: u64, bytes: u64, end: u64) -> Result<()> {
        let (b, element) = self.locate(binding, element)?;
        let descriptor = BufferDescriptor::raw(address, bytes.min(u64::from(u32::MAX)) as u32);
        match (b.kind, b.place) {
            (_, Place::Push(at)) => {
                self.dynamic.lock()[(at / 16 + element) as usize] = DynamicBuffer { descriptor, end };
                Ok(())
            }
            (BindingKind::UniformBuffer | BindingKind::StorageBuffer | BindingKind::Mutable, Place::Set(at)) => {
                self.bytes.write(at + element * b.stride, &to_bytes(&descriptor.to_words(self.isa))[..16])
            }
            _ => Err(Error::Invalid(format!("binding {} holds no buffer", b.binding))),
        }
    }

    /// Stores an element's dwords: a V# with a format, a T#, an S#, or a T# with the S# behind it. Immutable samplers stay
    /// what they are.
    pub fn write_words(&self, binding: u32, element: u32, words: &[u32]) -> Result<()> {
        let (b, element) = self.locate(binding, element)?;
        let Place::Set(at) = b.place else { return Err(no_descriptors(binding)) };
        if b.kind == BindingKind::InlineUniformBlock || words.len() * 4 > b.kind.bytes() as usize {
            let message = format!("{} dwords do not fit binding {}, a {:?}", words.len(), b.binding, b.kind);
            return Err(Error::Invalid(message));
        }
        let immutable = self.layout.immutable(b.binding).is_some();
        let keep = if immutable { sampler_offset(b.kind) as usize } else { LARGEST };
        let bytes = (words.len() * 4).min(keep);
        self.bytes.write(at + element * b.stride, &to_bytes(words)[..bytes])
    }

    /// Stores bytes of an inline uniform block.
    pub fn write_inline(&self, binding: u32, offset: u32, data: &[u8]) -> Result<()> {
        let (b, offset) = self.locate(binding, offset)?;
        let end = u32::try_from(data.len()).ok().and_then(|n| offset.checked_add(n));
        match (b.kind, b.place) {
            (BindingKind::InlineUniformBlock, Place::Set(at)) if end.is_some_and(|e| e <= self.count(b.binding)) => {
                self.bytes.write(at + offset, data)
            }
            _ => Err(Error::Invalid(format!(
                "bytes {offset}..+{} are not of an inline uniform block at binding {binding}",
                data.len()
            ))),
        }
    }

    /// Copies `count` descriptors, elements running on over bindings on both sides; of inline uniform blocks, bytes.
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
            let (from, e) = source.locate(source_binding, source_element + i)?;
            let (to, d) = self.locate(binding, element + i)?;
            match (from.place, to.place) {
                (Place::Set(from_at), Place::Set(to_at)) => {
                    let inline = BindingKind::InlineUniformBlock;
                    if (from.kind == inline) != (to.kind == inline) {
                        return Err(no_descriptors(binding));
                    }
                    let mut bytes = [0; LARGEST];
                    let mut size = from.stride.min(to.stride);
                    source.bytes.read(from_at + e * from.stride, &mut bytes[..size as usize])?;
                    if self.layout.immutable(to.binding).is_some() {
                        size = size.min(sampler_offset(to.kind));
                    }
                    self.bytes.write(to_at + d * to.stride, &bytes[..size as usize])?;
                }
                (Place::Push(from_at), Place::Push(to_at)) => {
                    let buffer = source.dynamic.lock()[(from_at / 16 + e) as usize];
                    self.dynamic.lock()[(to_at / 16 + d) as usize] = buffer;
                }
                _ => {
                    let message = format!("a copy between a dynamic buffer and binding {binding}, which holds none");
                    return Err(Error::Invalid(message));
                }
            }
        }
        Ok(())
    }

    /// The dynamic buffers' V#s with `offsets` (in binding order) added to their addresses; what an offset moves past the
    /// buffer's end is out of range.
    pub(crate) fn dynamic_descriptors(&self, offsets: &[u32]) -> Vec<[u32; 4]> {
        let dynamic = self.dynamic.lock();
        let moved = dynamic.iter().zip(offsets).map(|(d, &offset)| {
            let base = d.descriptor.base.saturating_add(offset.into());
            let room = d.end.saturating_sub(base).min(d.descriptor.num_records.into()) as u32;
            BufferDescriptor { base, num_records: room, ..d.descriptor }.to_words(self.isa)
        });
        moved.collect()
    }
}

/// Where an S# lies in a descriptor of the kind.
fn sampler_offset(kind: BindingKind) -> u32 {
    if kind == BindingKind::CombinedImageSampler { COMBINED_SAMPLER_OFFSET } else { 0 }
}

fn no_descriptors(binding: u32) -> Error {
    Error::Invalid(format!("binding {binding} does not hold descriptors of this kind"))
}

/// Little-endian bytes of up to [`LARGEST`] / 4 dwords.
fn to_bytes(words: &[u32]) -> [u8; LARGEST] {
    let mut bytes = [0; LARGEST];
    for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    bytes
}

const _: () = assert!(size_of::<SamplerWords>() == 16);

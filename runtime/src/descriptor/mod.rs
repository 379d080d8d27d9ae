//! Descriptor set layouts and pipeline layouts; pools and sets are in [`set`]. A set is GPU memory that holds V#s, T#s, S#s
//! and inline uniform data as [`SetLayout`] places them.
//!
//! Dynamic buffers are not in the set: their V#s, offset added, are written behind the push constants of each dispatch
//! (`hw::launch::DYNAMIC_DESCRIPTORS_OFFSET`), so a set with dynamic buffers remembers base and range on the host.

mod set;

use crate::error::{Error, Result};
pub use set::{DescriptorPool, DescriptorSet};
use std::sync::Arc;
use wavepipe_hw::launch::{BindingKind, BindingLayout, DYNAMIC_DESCRIPTORS_OFFSET, Place, SetLayout};

/// Bytes of a set, at most.
const MAX_SET_BYTES: u32 = 1 << 28;
/// Alignment of a binding's first descriptor, in bytes: that of a V#.
const BINDING_ALIGN: u32 = 16;

/// An S#, in dwords.
pub type SamplerWords = [u32; 4];

/// One binding of a layout as the user asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    pub binding: u32,
    pub kind: BindingKind,
    /// Array length, bytes of an inline uniform block; 0 = reserved, no resource.
    pub count: u32,
}

/// All that a set layout is made of.
#[derive(Clone, Debug, Default)]
pub struct SetLayoutInfo {
    /// Binding numbers must differ; order is free.
    pub bindings: Vec<Binding>,
    /// Samplers that never change, by binding: one for each element of a sampler or combined image sampler.
    pub immutable_samplers: Vec<(u32, Vec<SamplerWords>)>,
    /// Whether the last binding's count is an upper bound, and each set chooses its own.
    pub variable_count: bool,
}

/// The layout of a set.
#[derive(Debug, PartialEq, Eq)]
pub struct DescriptorSetLayout {
    layout: SetLayout,
    dynamic: u32,
    descriptors: u32,
    /// Sorted by binding.
    immutable: Vec<(u32, Vec<SamplerWords>)>,
    variable: bool,
}

impl DescriptorSetLayout {
    /// Binding numbers must differ; order is free.
    pub fn new(bindings: Vec<Binding>) -> Result<Arc<DescriptorSetLayout>> {
        Self::with(SetLayoutInfo { bindings, ..Default::default() })
    }

    pub fn with(info: SetLayoutInfo) -> Result<Arc<DescriptorSetLayout>> {
        let SetLayoutInfo { mut bindings, immutable_samplers: mut immutable, variable_count: variable } = info;
        bindings.sort_by_key(|b| b.binding);
        immutable.sort_by_key(|(binding, _)| *binding);
        if let Some(w) = bindings.windows(2).find(|w| w[0].binding == w[1].binding) {
            return Err(Error::Invalid(format!("binding {} is declared twice in a set layout", w[0].binding)));
        }
        let mut layout = SetLayout::default();
        let (mut dynamic, mut descriptors) = (0u32, 0u32);
        for Binding { binding, kind, count } in bindings {
            let stride = kind.bytes();
            let start = layout.size.next_multiple_of(BINDING_ALIGN);
            let place = if kind.is_dynamic() { Place::Push(dynamic * 16) } else { Place::Set(start) };
            let end = stride.checked_mul(count).and_then(|b| start.checked_add(b)).filter(|&b| b <= MAX_SET_BYTES);
            let Some(end) = end else {
                return Err(Error::Invalid(format!("binding {binding} has too many descriptors: {count}")));
            };
            if kind.is_dynamic() {
                dynamic += count;
            } else {
                layout.size = end;
            }
            descriptors = descriptors.saturating_add(count);
            layout.bindings.push(BindingLayout { binding, kind, count, place, stride });
        }
        for (binding, samplers) in &immutable {
            let fits = |b: &BindingLayout| {
                let sampled = matches!(b.kind, BindingKind::Sampler | BindingKind::CombinedImageSampler);
                b.binding == *binding && sampled && b.count as usize == samplers.len()
            };
            if !layout.bindings.iter().any(fits) {
                return Err(Error::Invalid(format!("immutable samplers do not fit binding {binding}")));
            }
        }
        Ok(Arc::new(DescriptorSetLayout { layout, dynamic, descriptors, immutable, variable }))
    }

    /// As the hardware sees it; dynamic buffers' places count from the first dynamic descriptor of this set.
    pub fn layout(&self) -> &SetLayout {
        &self.layout
    }

    /// How many dynamic buffers the set has.
    pub fn dynamic_count(&self) -> u32 {
        self.dynamic
    }

    /// The binding whose count each set chooses, if the layout has one.
    fn variable_binding(&self) -> Option<&BindingLayout> {
        self.layout.bindings.last().filter(|_| self.variable)
    }

    /// Immutable samplers of a binding.
    fn immutable(&self, binding: u32) -> Option<&[SamplerWords]> {
        let i = self.immutable.binary_search_by_key(&binding, |(b, _)| *b).ok()?;
        Some(&self.immutable[i].1)
    }

    /// The place of an element, where an element past a binding's end runs on into the next binding, as Vulkan's
    /// consecutive binding updates do.
    fn locate(&self, binding: u32, element: u32) -> Result<(&BindingLayout, u32)> {
        let bindings = &self.layout.bindings;
        let first = bindings.binary_search_by_key(&binding, |b| b.binding);
        let first = first.map_err(|_| Error::Invalid(format!("the set layout has no binding {binding}")))?;
        let mut element = element;
        for b in &bindings[first..] {
            if element < b.count {
                return Ok((b, element));
            }
            element -= b.count;
        }
        Err(Error::Invalid(format!("descriptor write runs past the set, from binding {binding}")))
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
        let limits = crate::machine::LIMITS;
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

//! Descriptor set layouts, pools and sets (chapter "Resource Descriptors"). What is written into sets is in
//! `descriptor_writes`.

use crate::descriptor_writes::sampler_words;
use crate::device_and_queue::Device;
use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{Binding, BindingKind};

pub struct DescriptorSetLayout {
    pub runtime: Arc<runtime::DescriptorSetLayout>,
    /// What a set takes from a pool, the binding whose count each set chooses left out.
    costs: Costs,
    /// Type of that binding.
    variable: Option<vk::DescriptorType>,
}

impl Object for DescriptorSetLayout {
    type Handle = vk::DescriptorSetLayout;
}

/// Descriptors by type; bytes of inline uniform blocks.
type Costs = HashMap<vk::DescriptorType, u64>;

/// Counts here, not in the runtime's pool: a freed set gives its room back at once, although a command buffer that was
/// recorded with it may keep its memory.
struct DescriptorPool {
    device: Arc<Device>,
    runtime: Arc<runtime::DescriptorPool>,
    room: Mutex<Room>,
}

struct Room {
    max_sets: usize,
    all: Costs,
    left: Costs,
    /// Raw handles of the live sets, with what they took.
    sets: HashMap<u64, Costs>,
}

impl Object for DescriptorPool {
    type Handle = vk::DescriptorPool;
}

impl DescriptorPool {
    /// Sets are memory of their own, so a pool is never fragmented: it has room or it has not.
    fn allocate(&self, layout: &DescriptorSetLayout, variable: u32) -> Result<vk::DescriptorSet, Fail> {
        let mut room = self.room.lock();
        let mut costs = layout.costs.clone();
        if let Some(ty) = layout.variable {
            *costs.entry(ty).or_default() += u64::from(variable);
        }
        let exhausted = |message| Err(Fail::new(vk::Result::ERROR_OUT_OF_POOL_MEMORY, message));
        if room.sets.len() >= room.max_sets {
            return exhausted(format!("descriptor pool exhausted: it has room for {} sets", room.max_sets));
        }
        let left = |ty| room.left.get(&ty).copied().unwrap_or(0);
        if let Some((ty, n)) = costs.iter().find(|(ty, n)| **n > left(**ty)) {
            let message = format!("descriptor pool exhausted: {n} descriptors of {ty:?} needed, {} left", left(*ty));
            return exhausted(message);
        }
        let handle = handle::create(DescriptorSet { runtime: self.runtime.allocate_with(&layout.runtime, variable)? });
        for (ty, n) in &costs {
            *room.left.entry(*ty).or_default() -= n;
        }
        room.sets.insert(handle.as_raw(), costs);
        Ok(handle)
    }

    fn free(&self, call: &Call, set: vk::DescriptorSet) {
        let mut room = self.room.lock();
        if let Some(costs) = room.sets.remove(&set.as_raw()) {
            for (ty, n) in costs {
                *room.left.entry(ty).or_default() += n;
            }
            call.destroy::<DescriptorSet>(set);
        }
    }

    fn reset(&self, call: &Call) {
        let mut room = self.room.lock();
        room.left = room.all.clone();
        for set in std::mem::take(&mut room.sets).into_keys() {
            call.destroy::<DescriptorSet>(vk::DescriptorSet::from_raw(set));
        }
    }
}

pub struct DescriptorSet {
    pub runtime: Arc<runtime::DescriptorSet>,
}

impl Object for DescriptorSet {
    type Handle = vk::DescriptorSet;
}

/// `None`: a type that we do not have.
pub fn kind(descriptor: vk::DescriptorType) -> Option<BindingKind> {
    Some(match descriptor {
        vk::DescriptorType::UNIFORM_BUFFER => BindingKind::UniformBuffer,
        vk::DescriptorType::STORAGE_BUFFER => BindingKind::StorageBuffer,
        vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC => BindingKind::UniformBufferDynamic,
        vk::DescriptorType::STORAGE_BUFFER_DYNAMIC => BindingKind::StorageBufferDynamic,
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER => BindingKind::UniformTexelBuffer,
        vk::DescriptorType::STORAGE_TEXEL_BUFFER => BindingKind::StorageTexelBuffer,
        vk::DescriptorType::SAMPLER => BindingKind::Sampler,
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER => BindingKind::CombinedImageSampler,
        vk::DescriptorType::STORAGE_IMAGE => BindingKind::StorageImage,
        // Only fragment shaders read input attachments; layouts may have them all the same.
        vk::DescriptorType::SAMPLED_IMAGE | vk::DescriptorType::INPUT_ATTACHMENT => BindingKind::SampledImage,
        vk::DescriptorType::INLINE_UNIFORM_BLOCK => BindingKind::InlineUniformBlock,
        vk::DescriptorType::MUTABLE_EXT => BindingKind::Mutable,
        _ => return None,
    })
}

/// Largest count of a binding that each set chooses for itself.
const MAX_VARIABLE_COUNT: u32 = crate::limits::MANY;

/// The layout that `info` describes.
fn layout(call: &Call, info: &vk::DescriptorSetLayoutCreateInfo<'_>) -> Result<DescriptorSetLayout, Fail> {
    let declared = call.slice(info.p_bindings, info.binding_count);
    let flags = call.find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(info.p_next);
    let flags = flags.map_or(&[][..], |f| call.slice(f.p_binding_flags, f.binding_count));
    let variable = flags.iter().position(|f| f.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT));
    let mut out = runtime::SetLayoutInfo { variable_count: variable.is_some(), ..Default::default() };
    let (mut costs, mut variable_type) = (Costs::new(), None);
    for (i, b) in declared.iter().enumerate() {
        let Some(kind) = kind(b.descriptor_type) else {
            let message =
                format!("binding {} has the descriptor type {:?}, which is unknown", b.binding, b.descriptor_type);
            return Err(Fail::new(vk::Result::ERROR_UNKNOWN, message));
        };
        out.bindings.push(Binding { binding: b.binding, kind, count: b.descriptor_count });
        if matches!(kind, BindingKind::Sampler | BindingKind::CombinedImageSampler) && !b.p_immutable_samplers.is_null()
        {
            let samplers = call.slice(b.p_immutable_samplers, b.descriptor_count).iter();
            let samplers = samplers.map(|s| sampler_words(call, *s)).collect();
            out.immutable_samplers.push((b.binding, samplers));
        }
        if Some(i) == variable {
            variable_type = Some(b.descriptor_type);
        } else if b.descriptor_count > 0 {
            *costs.entry(b.descriptor_type).or_default() += u64::from(b.descriptor_count);
        }
    }
    let runtime = runtime::DescriptorSetLayout::with(out)?;
    Ok(DescriptorSetLayout { runtime, costs, variable: variable_type })
}

entry! { call;
    fn vkCreateDescriptorSetLayout(
        device: vk::Device,
        info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::DescriptorSetLayout,
    ) -> vk::Result {
        call.device(device);
        call.write(out, handle::create(layout(call, call.read(info))?));
        SUCCESS
    }

    fn vkDestroyDescriptorSetLayout(
        device: vk::Device,
        layout: vk::DescriptorSetLayout,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<DescriptorSetLayout>(layout);
    }

    fn vkGetDescriptorSetLayoutSupport(
        device: vk::Device,
        info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
        support: *mut vk::DescriptorSetLayoutSupport<'_>,
    ) {
        let made = layout(call, call.read(info));
        let support = call.out(support);
        support.supported = made.is_ok().into();
        let variable = made.ok().and_then(|l| l.variable);
        call.fill_chain(support.p_next, |link| {
            link.fill::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>(|s| {
                s.max_variable_descriptor_count = match variable {
                    Some(vk::DescriptorType::INLINE_UNIFORM_BLOCK) => crate::limits::MAX_INLINE_BLOCK_BYTES,
                    Some(_) => MAX_VARIABLE_COUNT,
                    None => 0,
                };
            });
        });
    }

    fn vkCreateDescriptorPool(
        device: vk::Device,
        info: *const vk::DescriptorPoolCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::DescriptorPool,
    ) -> vk::Result {
        let device = call.device(device).clone();
        let info = call.read(info);
        let sizes = call.slice(info.p_pool_sizes, info.pool_size_count);
        let mut all = Costs::new();
        for size in sizes {
            *all.entry(size.ty).or_default() += u64::from(size.descriptor_count);
        }
        let room = Room { max_sets: info.max_sets as usize, left: all.clone(), all, sets: HashMap::new() };
        let room = Mutex::new(room);
        let runtime = runtime::DescriptorPool::new(&device.runtime, u32::MAX, u32::MAX);
        call.write(out, handle::create(DescriptorPool { device, runtime, room }));
        SUCCESS
    }

    fn vkDestroyDescriptorPool(
        device: vk::Device,
        pool: vk::DescriptorPool,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        if let Some(pool) = call.destroy::<DescriptorPool>(pool) {
            pool.reset(call);
        }
    }

    fn vkResetDescriptorPool(
        device: vk::Device,
        pool: vk::DescriptorPool,
        flags: vk::DescriptorPoolResetFlags,
    ) -> vk::Result {
        call.get::<DescriptorPool>(pool).reset(call);
        SUCCESS
    }

    fn vkAllocateDescriptorSets(
        device: vk::Device,
        info: *const vk::DescriptorSetAllocateInfo<'_>,
        out: *mut vk::DescriptorSet,
    ) -> vk::Result {
        let info = call.read(info);
        let pool = call.get::<DescriptorPool>(info.descriptor_pool);
        call.belongs_to(&pool.device.instance);
        let layouts = call.slice(info.p_set_layouts, info.descriptor_set_count);
        let counts = call.find::<vk::DescriptorSetVariableDescriptorCountAllocateInfo<'_>>(info.p_next);
        let counts = counts.map_or(&[][..], |c| call.slice(c.p_descriptor_counts, c.descriptor_set_count));
        let mut sets = Vec::with_capacity(layouts.len());
        for (i, layout) in layouts.iter().enumerate() {
            let variable = counts.get(i).copied().unwrap_or(0);
            match pool.allocate(call.get::<DescriptorSetLayout>(*layout), variable) {
                Ok(set) => sets.push(set),
                Err(fail) => {
                    sets.drain(..).for_each(|set| pool.free(call, set));
                    (0..layouts.len()).for_each(|i| call.write_at(out, i, vk::DescriptorSet::null()));
                    return Err(fail);
                }
            }
        }
        sets.iter().enumerate().for_each(|(i, set)| call.write_at(out, i, *set));
        SUCCESS
    }

    fn vkFreeDescriptorSets(
        device: vk::Device,
        pool: vk::DescriptorPool,
        count: u32,
        sets: *const vk::DescriptorSet,
    ) -> vk::Result {
        let pool = call.get::<DescriptorPool>(pool);
        call.slice(sets, count).iter().for_each(|set| pool.free(call, *set));
        SUCCESS
    }
}

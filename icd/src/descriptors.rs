//! Descriptor set layouts, pools, sets, updates and update templates (chapter "Resource Descriptors").

use crate::device_and_queue::Device;
use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use wavepipe_runtime as runtime;
use wavepipe_runtime::{Binding, BindingKind};

pub struct DescriptorSetLayout {
    pub runtime: Arc<runtime::DescriptorSetLayout>,
    descriptors: u64,
}

impl Object for DescriptorSetLayout {
    type Handle = vk::DescriptorSetLayout;
}

/// Counts here, not in the runtime's pool: a freed set gives its room back at once, although a command buffer that was
/// recorded with it may keep its memory.
struct DescriptorPool {
    device: Arc<Device>,
    runtime: Arc<runtime::DescriptorPool>,
    room: Mutex<Room>,
}

struct Room {
    max_sets: usize,
    max_descriptors: u64,
    descriptors: u64,
    /// Raw handles of the live sets, with their descriptor counts.
    sets: HashMap<u64, u64>,
}

impl Object for DescriptorPool {
    type Handle = vk::DescriptorPool;
}

impl DescriptorPool {
    fn allocate(&self, layout: &DescriptorSetLayout) -> Result<vk::DescriptorSet, Fail> {
        let mut room = self.room.lock();
        if room.sets.len() >= room.max_sets || room.descriptors + layout.descriptors > room.max_descriptors {
            let message = format!(
                "descriptor pool exhausted: it has room for {} sets and {} descriptors",
                room.max_sets, room.max_descriptors
            );
            return Err(Fail::new(vk::Result::ERROR_OUT_OF_POOL_MEMORY, message));
        }
        let handle = handle::create(DescriptorSet { runtime: self.runtime.allocate(&layout.runtime)? });
        room.descriptors += layout.descriptors;
        room.sets.insert(handle.as_raw(), layout.descriptors);
        Ok(handle)
    }

    fn free(&self, call: &Call, set: vk::DescriptorSet) {
        let mut room = self.room.lock();
        if let Some(descriptors) = room.sets.remove(&set.as_raw()) {
            room.descriptors -= descriptors;
            call.destroy::<DescriptorSet>(set);
        }
    }

    fn reset(&self, call: &Call) {
        let mut room = self.room.lock();
        room.descriptors = 0;
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

struct UpdateTemplate {
    entries: Vec<vk::DescriptorUpdateTemplateEntry>,
}

impl Object for UpdateTemplate {
    type Handle = vk::DescriptorUpdateTemplate;
}

fn kind(descriptor: vk::DescriptorType) -> BindingKind {
    match descriptor {
        vk::DescriptorType::UNIFORM_BUFFER => BindingKind::UniformBuffer,
        vk::DescriptorType::STORAGE_BUFFER => BindingKind::StorageBuffer,
        vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC => BindingKind::UniformBufferDynamic,
        vk::DescriptorType::STORAGE_BUFFER_DYNAMIC => BindingKind::StorageBufferDynamic,
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER => BindingKind::UniformTexelBuffer,
        vk::DescriptorType::STORAGE_TEXEL_BUFFER => BindingKind::StorageTexelBuffer,
        vk::DescriptorType::SAMPLER => BindingKind::Sampler,
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER => BindingKind::CombinedImageSampler,
        vk::DescriptorType::STORAGE_IMAGE => BindingKind::StorageImage,
        _ => BindingKind::SampledImage,
    }
}

/// Whether the descriptor is a VkDescriptorBufferInfo. All others are of kinds that no kernel can use yet.
fn is_buffer(descriptor: vk::DescriptorType) -> bool {
    use BindingKind::*;
    matches!(kind(descriptor), UniformBuffer | StorageBuffer | UniformBufferDynamic | StorageBufferDynamic)
}

fn bindings(call: &Call, info: &vk::DescriptorSetLayoutCreateInfo<'_>) -> Vec<Binding> {
    let bindings = call.slice(info.p_bindings, info.binding_count).iter();
    bindings.map(|b| Binding { binding: b.binding, kind: kind(b.descriptor_type), count: b.descriptor_count }).collect()
}

/// Writes one buffer descriptor.
fn write(call: &Call, set: &runtime::DescriptorSet, binding: u32, element: u32, info: &vk::DescriptorBufferInfo) {
    let written = match call.get_opt::<crate::resources::Buffer>(info.buffer) {
        Some(buffer) => {
            let range = (info.range != vk::WHOLE_SIZE).then_some(info.range);
            set.write_buffer(binding, element, &buffer.runtime, info.offset, range)
        }
        None => set.write_null(binding, element),
    };
    if let Err(error) = written {
        call.report(&error.to_string());
    }
}

entry! { call;
    fn vkCreateDescriptorSetLayout(
        device: vk::Device,
        info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::DescriptorSetLayout,
    ) -> vk::Result {
        call.device(device);
        let bindings = bindings(call, call.read(info));
        let descriptors = bindings.iter().map(|b| u64::from(b.count)).sum();
        let runtime = runtime::DescriptorSetLayout::new(bindings)?;
        call.write(out, handle::create(DescriptorSetLayout { runtime, descriptors }));
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
        let supported = runtime::DescriptorSetLayout::new(bindings(call, call.read(info))).is_ok();
        call.out(support).supported = supported.into();
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
        let room = Mutex::new(Room {
            max_sets: info.max_sets as usize,
            max_descriptors: sizes.iter().map(|s| u64::from(s.descriptor_count)).sum(),
            descriptors: 0,
            sets: HashMap::new(),
        });
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
        let mut sets = Vec::with_capacity(layouts.len());
        for layout in layouts {
            match pool.allocate(call.get::<DescriptorSetLayout>(*layout)) {
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

    fn vkUpdateDescriptorSets(
        device: vk::Device,
        write_count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
        copy_count: u32,
        copies: *const vk::CopyDescriptorSet<'_>,
    ) {
        call.device(device);
        for w in call.slice(writes, write_count).iter().filter(|w| is_buffer(w.descriptor_type)) {
            let set = &call.get::<DescriptorSet>(w.dst_set).runtime;
            for (i, info) in call.slice(w.p_buffer_info, w.descriptor_count).iter().enumerate() {
                write(call, set, w.dst_binding, w.dst_array_element + i as u32, info);
            }
        }
        for c in call.slice(copies, copy_count) {
            let to = &call.get::<DescriptorSet>(c.dst_set).runtime;
            let from = &call.get::<DescriptorSet>(c.src_set).runtime;
            let (source, dest) = ((c.src_binding, c.src_array_element), (c.dst_binding, c.dst_array_element));
            let copied = to.copy_from(dest.0, dest.1, from, source.0, source.1, c.descriptor_count);
            if let Err(error) = copied {
                call.report(&error.to_string());
            }
        }
    }

    fn vkCreateDescriptorUpdateTemplate(
        device: vk::Device,
        info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::DescriptorUpdateTemplate,
    ) -> vk::Result {
        let info = call.read(info);
        let entries = call.slice(info.p_descriptor_update_entries, info.descriptor_update_entry_count).to_vec();
        call.write(out, handle::create(UpdateTemplate { entries }));
        SUCCESS
    }

    fn vkDestroyDescriptorUpdateTemplate(
        device: vk::Device,
        template: vk::DescriptorUpdateTemplate,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<UpdateTemplate>(template);
    }

    fn vkUpdateDescriptorSetWithTemplate(
        device: vk::Device,
        set: vk::DescriptorSet,
        template: vk::DescriptorUpdateTemplate,
        data: *const c_void,
    ) {
        call.device(device);
        let set = &call.get::<DescriptorSet>(set).runtime;
        let entries = call.get::<UpdateTemplate>(template).entries.iter();
        for entry in entries.filter(|e| is_buffer(e.descriptor_type)) {
            for i in 0..entry.descriptor_count {
                let info = call.read_at::<vk::DescriptorBufferInfo>(data, entry.offset + i as usize * entry.stride);
                write(call, set, entry.dst_binding, entry.dst_array_element + i, &info);
            }
        }
    }
}

//! What is written into descriptor sets: updates, copies, update templates and push descriptors (chapter "Resource
//! Descriptors").

use crate::descriptors::DescriptorSet;
use crate::entry::{Call, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::images::ImageView;
use crate::pipelines::PipelineLayout;
use crate::resources::{Buffer, BufferView};
use crate::samplers::Sampler;
use ash::vk::{self, Handle};
use std::ffi::c_void;
use wavepipe_runtime as runtime;
use wavepipe_runtime::SamplerWords;

struct UpdateTemplate {
    entries: Vec<vk::DescriptorUpdateTemplateEntry>,
}

impl Object for UpdateTemplate {
    type Handle = vk::DescriptorUpdateTemplate;
}

/// One descriptor as Vulkan describes it.
enum Info {
    Buffer(vk::DescriptorBufferInfo),
    Image(vk::DescriptorImageInfo),
    Texels(vk::BufferView),
}

/// Which of the three structures a descriptor type takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Buffer,
    Image,
    Texels,
    /// Bytes.
    Inline,
    Unknown,
}

fn form(descriptor: vk::DescriptorType) -> Form {
    use vk::DescriptorType as T;
    match descriptor {
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER | T::UNIFORM_BUFFER_DYNAMIC | T::STORAGE_BUFFER_DYNAMIC => Form::Buffer,
        T::SAMPLER | T::COMBINED_IMAGE_SAMPLER | T::SAMPLED_IMAGE | T::STORAGE_IMAGE | T::INPUT_ATTACHMENT => {
            Form::Image
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => Form::Texels,
        T::INLINE_UNIFORM_BLOCK => Form::Inline,
        _ => Form::Unknown,
    }
}

/// The S# of a sampler.
pub fn sampler_words(call: &Call, sampler: vk::Sampler) -> SamplerWords {
    call.get::<Sampler>(sampler).runtime.descriptor()
}

/// The T# of a view; of no view, one that reads zero.
fn image_words(call: &Call, set: &runtime::DescriptorSet, view: vk::ImageView) -> [u32; 8] {
    call.get_opt::<ImageView>(view).map_or_else(|| set.null_image(), |v| v.runtime.descriptor())
}

/// Writes one descriptor of type `ty`.
fn write(
    call: &Call,
    set: &runtime::DescriptorSet,
    (binding, element): (u32, u32),
    ty: vk::DescriptorType,
    info: Info,
) -> runtime::Result<()> {
    match info {
        Info::Buffer(info) => match call.get_opt::<Buffer>(info.buffer) {
            Some(buffer) => {
                let range = (info.range != vk::WHOLE_SIZE).then_some(info.range);
                set.write_buffer(binding, element, &buffer.runtime, info.offset, range)
            }
            None => set.write_null(binding, element),
        },
        Info::Image(info) => match ty {
            vk::DescriptorType::SAMPLER => match info.sampler.is_null() {
                // The layout's sampler is immutable.
                true => Ok(()),
                false => set.write_words(binding, element, &sampler_words(call, info.sampler)),
            },
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER => {
                let mut words = [0; 12];
                words[..8].copy_from_slice(&image_words(call, set, info.image_view));
                // An immutable sampler is none of the program's business, and may be any value here.
                if set.has_immutable_samplers(binding, element) {
                    return set.write_words(binding, element, &words[..8]);
                }
                words[8..].copy_from_slice(&sampler_words(call, info.sampler));
                set.write_words(binding, element, &words)
            }
            _ => set.write_words(binding, element, &image_words(call, set, info.image_view)),
        },
        Info::Texels(view) => match call.get_opt::<BufferView>(view) {
            Some(view) => set.write_words(binding, element, &view.runtime.descriptor()),
            None => set.write_null(binding, element),
        },
    }
}

/// One VkWriteDescriptorSet into `set`.
fn write_all(call: &Call, set: &runtime::DescriptorSet, w: &vk::WriteDescriptorSet<'_>) -> runtime::Result<()> {
    let form = form(w.descriptor_type);
    if form == Form::Inline {
        let Some(block) = call.find::<vk::WriteDescriptorSetInlineUniformBlock<'_>>(w.p_next) else { return Ok(()) };
        let data = call.bytes(block.p_data, block.data_size as usize);
        return set.write_inline(w.dst_binding, w.dst_array_element, data);
    }
    for i in 0..w.descriptor_count {
        let at = i as usize;
        let info = match form {
            Form::Buffer => call.slice(w.p_buffer_info, w.descriptor_count).get(at).map(|b| Info::Buffer(*b)),
            Form::Image => call.slice(w.p_image_info, w.descriptor_count).get(at).map(|b| Info::Image(*b)),
            Form::Texels => call.slice(w.p_texel_buffer_view, w.descriptor_count).get(at).map(|b| Info::Texels(*b)),
            Form::Inline | Form::Unknown => None,
        };
        if let Some(info) = info {
            write(call, set, (w.dst_binding, w.dst_array_element + i), w.descriptor_type, info)?;
        }
    }
    Ok(())
}

/// All entries of a template, from the program's data, which need not be aligned.
fn write_template(
    call: &Call,
    set: &runtime::DescriptorSet,
    entries: &[vk::DescriptorUpdateTemplateEntry],
    data: *const c_void,
) -> runtime::Result<()> {
    for e in entries {
        let form = form(e.descriptor_type);
        if form == Form::Inline {
            // The count is in bytes, and the stride counts for nothing.
            let bytes = call.bytes_at(data, e.offset, e.descriptor_count as usize);
            set.write_inline(e.dst_binding, e.dst_array_element, bytes)?;
            continue;
        }
        for i in 0..e.descriptor_count {
            let at = e.offset + i as usize * e.stride;
            let info = match form {
                Form::Buffer => Info::Buffer(call.read_at(data, at)),
                Form::Image => Info::Image(call.read_at(data, at)),
                Form::Texels => Info::Texels(call.read_at(data, at)),
                Form::Inline | Form::Unknown => continue,
            };
            write(call, set, (e.dst_binding, e.dst_array_element + i), e.descriptor_type, info)?;
        }
    }
    Ok(())
}

fn report(call: &Call, written: runtime::Result<()>) {
    if let Err(error) = written {
        call.report(&error.to_string());
    }
}

impl Call {
    /// vkCmdPushDescriptorSet and its forms.
    pub fn push_descriptors(
        &self,
        commands: vk::CommandBuffer,
        layout: vk::PipelineLayout,
        set: u32,
        writes: &[vk::WriteDescriptorSet<'_>],
    ) {
        let layout = &self.get::<PipelineLayout>(layout).runtime;
        let write = |set: &runtime::DescriptorSet| writes.iter().try_for_each(|w| write_all(self, set, w));
        self.recorder(commands).commands.push_descriptor_set(layout, set, write);
    }

    /// vkCmdPushDescriptorSetWithTemplate and its forms.
    pub fn push_template(
        &self,
        commands: vk::CommandBuffer,
        template: vk::DescriptorUpdateTemplate,
        layout: vk::PipelineLayout,
        set: u32,
        data: *const c_void,
    ) {
        let layout = &self.get::<PipelineLayout>(layout).runtime;
        let template = self.get::<UpdateTemplate>(template);
        let write = |set: &runtime::DescriptorSet| write_template(self, set, &template.entries, data);
        self.recorder(commands).commands.push_descriptor_set(layout, set, write);
    }
}

entry! { call;
    fn vkUpdateDescriptorSets(
        device: vk::Device,
        write_count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
        copy_count: u32,
        copies: *const vk::CopyDescriptorSet<'_>,
    ) {
        call.device(device);
        for w in call.slice(writes, write_count) {
            report(call, write_all(call, &call.get::<DescriptorSet>(w.dst_set).runtime, w));
        }
        for c in call.slice(copies, copy_count) {
            let to = &call.get::<DescriptorSet>(c.dst_set).runtime;
            let from = &call.get::<DescriptorSet>(c.src_set).runtime;
            let (source, dest) = ((c.src_binding, c.src_array_element), (c.dst_binding, c.dst_array_element));
            report(call, to.copy_from(dest.0, dest.1, from, source.0, source.1, c.descriptor_count));
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
        report(call, write_template(call, set, &call.get::<UpdateTemplate>(template).entries, data));
    }

    fn vkCmdPushDescriptorSetKHR(
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
    ) {
        if point == vk::PipelineBindPoint::COMPUTE {
            call.push_descriptors(commands, layout, set, call.slice(writes, count));
        }
    }

    fn vkCmdPushDescriptorSetWithTemplateKHR(
        commands: vk::CommandBuffer,
        template: vk::DescriptorUpdateTemplate,
        layout: vk::PipelineLayout,
        set: u32,
        data: *const c_void,
    ) {
        call.push_template(commands, template, layout, set, data);
    }

    fn vkCmdPushDescriptorSet2KHR(
        commands: vk::CommandBuffer,
        info: *const vk::PushDescriptorSetInfoKHR<'_>,
    ) {
        let info = call.read(info);
        if info.stage_flags.contains(vk::ShaderStageFlags::COMPUTE) {
            let writes = call.slice(info.p_descriptor_writes, info.descriptor_write_count);
            call.push_descriptors(commands, info.layout, info.set, writes);
        }
    }

    fn vkCmdPushDescriptorSetWithTemplate2KHR(
        commands: vk::CommandBuffer,
        info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
    ) {
        let info = call.read(info);
        call.push_template(commands, info.descriptor_update_template, info.layout, info.set, info.p_data);
    }
}

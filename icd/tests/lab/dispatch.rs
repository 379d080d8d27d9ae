//! One dispatch over images and texel buffers.

use super::{Image, Lab};
use ash::vk;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

pub enum Binding {
    /// Read in GENERAL, with a sampler or without.
    Texture(vk::ImageView, vk::Sampler),
    Image(vk::ImageView),
    UniformTexels(vk::BufferView),
    StorageTexels(vk::BufferView),
}

impl Binding {
    fn kind(&self) -> vk::DescriptorType {
        match self {
            Binding::Texture(..) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            Binding::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
            Binding::UniformTexels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Binding::StorageTexels(_) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        }
    }
}

/// One work-group with these bindings, then they are gone.
pub fn dispatch(lab: &Lab, words: &[u32], images: &[&Image], bindings: &[Binding]) {
    attempt(lab, words, images, bindings).unwrap();
}

/// The same, if there is a pipeline of it.
pub fn attempt(lab: &Lab, words: &[u32], images: &[&Image], bindings: &[Binding]) -> Result<(), vk::Result> {
    let d = &lab.device;
    let binding = |(i, b): (usize, &Binding)| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(i as u32)
            .descriptor_type(b.kind())
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
    };
    let layout: Vec<_> = bindings.iter().enumerate().map(binding).collect();
    let sizes: Vec<_> = bindings.iter().map(|b| vk::DescriptorPoolSize { ty: b.kind(), descriptor_count: 1 }).collect();
    // SAFETY: valid usage throughout.
    unsafe {
        let set_layout = d
            .create_descriptor_set_layout(&vk::DescriptorSetLayoutCreateInfo::default().bindings(&layout), None)
            .unwrap();
        let layouts = [set_layout];
        let layout =
            d.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts), None).unwrap();
        let module = d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        let made = d.create_compute_pipelines(vk::PipelineCache::null(), &infos, None).map_err(|(_, e)| e);
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let set = d.allocate_descriptor_sets(&info).unwrap()[0];
        for (i, b) in bindings.iter().enumerate() {
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(i as u32).descriptor_type(b.kind());
            match b {
                Binding::Texture(view, sampler) => {
                    let info = vk::DescriptorImageInfo { sampler: *sampler, image_view: *view, image_layout: GENERAL };
                    d.update_descriptor_sets(&[write.image_info(&[info])], &[]);
                }
                Binding::Image(view) => {
                    let info = [vk::DescriptorImageInfo::default().image_view(*view).image_layout(GENERAL)];
                    d.update_descriptor_sets(&[write.image_info(&info)], &[]);
                }
                Binding::UniformTexels(view) | Binding::StorageTexels(view) => {
                    d.update_descriptor_sets(&[write.texel_buffer_view(&[*view])], &[]);
                }
            }
        }
        for &pipeline in made.iter().flatten() {
            lab.run(images, |d, c| {
                d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
                d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::COMPUTE, layout, 0, &[set], &[]);
                d.cmd_dispatch(c, 1, 1, 1);
            });
            d.destroy_pipeline(pipeline, None);
        }
        d.destroy_descriptor_pool(pool, None);
        d.destroy_shader_module(module, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layout, None);
        for b in bindings {
            match b {
                Binding::Texture(view, sampler) => {
                    d.destroy_image_view(*view, None);
                    d.destroy_sampler(*sampler, None);
                }
                Binding::Image(view) => d.destroy_image_view(*view, None),
                Binding::UniformTexels(view) | Binding::StorageTexels(view) => d.destroy_buffer_view(*view, None),
            }
        }
        made.map(drop)
    }
}

//! VkPhysicalDeviceLimits (chapter "Limits"): the machine's for what the driver does. What only drawing would use has the
//! minimum that the specification asks for, or that the Roadmap 2022 profile does.

use crate::entry::{config, machine_info};
use ash::vk;
use wavepipe_runtime::machine;

/// Of any one kind of resource, in one stage or one set. Sets are plain memory, so the bound is a matter of taste; this is
/// what current drivers for the card report at least.
pub const MANY: u32 = 1 << 20;

/// maxInlineUniformBlockSize: an inline block is read like any other uniform buffer, from the set's memory.
pub const MAX_INLINE_BLOCK_BYTES: u32 = 64 << 10;

/// maxPushDescriptors, of any kinds together: a command buffer holds them as bytes.
pub const MAX_PUSH_DESCRIPTORS: u32 = 256;

pub fn limits() -> vk::PhysicalDeviceLimits {
    let (info, own) = (machine_info(), machine::Limits::of(config().isa()));
    let samples = crate::formats::SAMPLE_COUNTS;
    vk::PhysicalDeviceLimits {
        max_compute_shared_memory_size: info.max_shared_memory,
        max_compute_work_group_count: own.max_workgroup_count,
        max_compute_work_group_invocations: info.max_workgroup_invocations,
        max_compute_work_group_size: [info.max_workgroup_invocations; 3],
        max_uniform_buffer_range: own.max_uniform_range,
        max_storage_buffer_range: own.max_storage_range,
        max_push_constants_size: own.max_push_constants,
        max_memory_allocation_count: own.max_allocations,
        max_bound_descriptor_sets: own.max_bound_sets,
        max_per_stage_descriptor_uniform_buffers: MANY,
        max_per_stage_descriptor_storage_buffers: MANY,
        max_per_stage_resources: MANY,
        max_descriptor_set_uniform_buffers: MANY,
        max_descriptor_set_uniform_buffers_dynamic: own.max_dynamic_uniform_buffers,
        max_descriptor_set_storage_buffers: MANY,
        max_descriptor_set_storage_buffers_dynamic: own.max_dynamic_storage_buffers,
        min_memory_map_alignment: own.min_map_alignment as usize,
        min_uniform_buffer_offset_alignment: own.min_buffer_offset_alignment,
        min_storage_buffer_offset_alignment: own.min_buffer_offset_alignment,
        min_texel_buffer_offset_alignment: own.min_buffer_offset_alignment,
        optimal_buffer_copy_offset_alignment: 4,
        optimal_buffer_copy_row_pitch_alignment: 4,
        non_coherent_atom_size: 64,
        buffer_image_granularity: 1,
        timestamp_compute_and_graphics: vk::TRUE,
        timestamp_period: info.timestamp_period_ns,
        discrete_queue_priorities: 2,

        max_image_dimension1_d: own.max_image_dimension_1d,
        max_image_dimension2_d: own.max_image_dimension_2d,
        max_image_dimension3_d: own.max_image_dimension_3d,
        max_image_dimension_cube: own.max_image_dimension_2d,
        max_image_array_layers: own.max_image_array_layers,
        max_texel_buffer_elements: own.max_texel_buffer_elements,
        max_sampler_allocation_count: MANY,
        sparse_address_space_size: 0,
        max_per_stage_descriptor_samplers: MANY,
        max_per_stage_descriptor_sampled_images: MANY,
        max_per_stage_descriptor_storage_images: MANY,
        max_per_stage_descriptor_input_attachments: 8,
        max_descriptor_set_samplers: MANY,
        max_descriptor_set_sampled_images: MANY,
        max_descriptor_set_storage_images: MANY,
        max_descriptor_set_input_attachments: 8,
        max_vertex_input_attributes: 16,
        max_vertex_input_bindings: 16,
        max_vertex_input_attribute_offset: 2047,
        max_vertex_input_binding_stride: 2048,
        max_vertex_output_components: 128,
        max_fragment_input_components: 128,
        max_fragment_output_attachments: 8,
        max_fragment_combined_output_resources: MANY,
        sub_pixel_precision_bits: 4,
        sub_texel_precision_bits: 8,
        mipmap_precision_bits: 8,
        max_draw_indexed_index_value: (1 << 24) - 1,
        max_draw_indirect_count: 1,
        max_sampler_lod_bias: own.max_sampler_lod_bias,
        max_sampler_anisotropy: own.max_sampler_anisotropy,
        max_viewports: 1,
        max_viewport_dimensions: [own.max_image_dimension_2d; 2],
        viewport_bounds_range: [-32768.0, 32767.0],
        min_texel_offset: -32,
        max_texel_offset: 31,
        min_texel_gather_offset: -32,
        max_texel_gather_offset: 31,
        max_framebuffer_width: own.max_image_dimension_2d,
        max_framebuffer_height: own.max_image_dimension_2d,
        max_framebuffer_layers: own.max_image_array_layers,
        framebuffer_color_sample_counts: samples,
        framebuffer_depth_sample_counts: samples,
        framebuffer_stencil_sample_counts: samples,
        framebuffer_no_attachments_sample_counts: samples,
        max_color_attachments: 8,
        sampled_image_color_sample_counts: samples,
        sampled_image_integer_sample_counts: samples,
        sampled_image_depth_sample_counts: samples,
        sampled_image_stencil_sample_counts: samples,
        storage_image_sample_counts: samples,
        max_sample_mask_words: 1,
        point_size_range: [1.0, 1.0],
        line_width_range: [1.0, 1.0],
        standard_sample_locations: vk::TRUE,
        ..Default::default()
    }
}

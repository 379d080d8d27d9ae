//! What Vulkan 1.3 demands of a device (chapters "Features", "Limits" and "Devices and Queues"), and what the extensions do
//! that the device reports.

use crate::common::{entry, instance, names};
use ash::vk;
use std::collections::HashMap;
use std::ffi::CStr;
use vulkan_wavepipe::tested::feature_rows;

/// An instance and its physical device.
struct Physical {
    instance: ash::Instance,
    device: vk::PhysicalDevice,
}

impl Physical {
    fn new() -> Physical {
        let instance = instance(&entry(), vk::API_VERSION_1_3, &[]);
        // SAFETY: valid usage.
        let device = unsafe { instance.enumerate_physical_devices() }.unwrap()[0];
        Physical { instance, device }
    }

    fn features(&self, mut chain: vk::PhysicalDeviceFeatures2<'_>) -> vk::PhysicalDeviceFeatures {
        // SAFETY: valid usage.
        unsafe { self.instance.get_physical_device_features2(self.device, &mut chain) };
        chain.features
    }

    fn extensions(&self) -> Vec<vk::ExtensionProperties> {
        // SAFETY: valid usage.
        unsafe { self.instance.enumerate_device_extension_properties(self.device) }.unwrap()
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        // SAFETY: nothing was made of it.
        unsafe { self.instance.destroy_instance(None) };
    }
}

macro_rules! all {
    ($of:ident: $($feature:ident)*) => { $(assert_eq!($of.$feature, vk::TRUE, stringify!($feature));)* };
}

#[test]
fn features_that_every_device_has() {
    let physical = Physical::new();
    let mut one = vk::PhysicalDeviceVulkan11Features::default();
    let mut two = vk::PhysicalDeviceVulkan12Features::default();
    let mut three = vk::PhysicalDeviceVulkan13Features::default();
    let chain = vk::PhysicalDeviceFeatures2::default().push_next(&mut one).push_next(&mut two).push_next(&mut three);
    let core = physical.features(chain);
    all! { core: robust_buffer_access }
    assert!(core.texture_compression_bc != 0 || core.texture_compression_etc2 != 0);
    all! { one: multiview }
    all! { two:
        subgroup_broadcast_dynamic_id imageless_framebuffer uniform_buffer_standard_layout
        shader_subgroup_extended_types separate_depth_stencil_layouts host_query_reset timeline_semaphore
        buffer_device_address vulkan_memory_model vulkan_memory_model_device_scope
    }
    all! { three:
        robust_image_access inline_uniform_block pipeline_creation_cache_control private_data
        shader_demote_to_helper_invocation shader_terminate_invocation subgroup_size_control compute_full_subgroups
        synchronization2 shader_zero_initialize_workgroup_memory dynamic_rendering shader_integer_dot_product
        maintenance4
    }
    // What the extensions of these names bring with them.
    all! { one: storage_buffer16_bit_access variable_pointers_storage_buffer variable_pointers }
    all! { two:
        storage_buffer8_bit_access shader_buffer_int64_atomics shader_float16 shader_int8 scalar_block_layout
        sampler_mirror_clamp_to_edge sampler_filter_minmax descriptor_indexing
        shader_uniform_texel_buffer_array_dynamic_indexing shader_storage_texel_buffer_array_dynamic_indexing
        shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing
        shader_uniform_texel_buffer_array_non_uniform_indexing descriptor_binding_sampled_image_update_after_bind
        descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind
        descriptor_binding_uniform_texel_buffer_update_after_bind
        descriptor_binding_storage_texel_buffer_update_after_bind descriptor_binding_update_unused_while_pending
        descriptor_binding_partially_bound runtime_descriptor_array
    }
    all! { three: descriptor_binding_inline_uniform_block_update_after_bind }
    all! { core:
        shader_sampled_image_array_dynamic_indexing shader_storage_buffer_array_dynamic_indexing
        shader_uniform_buffer_array_dynamic_indexing shader_storage_image_array_dynamic_indexing
    }
}

/// sType and pNext, and then one VkBool32 a row: no structure has a feature without a row.
#[test]
fn every_feature_of_each_structure_has_its_row() {
    let mut counts = HashMap::new();
    for (s_type, struct_bytes) in feature_rows() {
        let (count, bytes) = counts.entry(s_type).or_insert((0, struct_bytes));
        *count += 1;
        assert_eq!(*bytes, struct_bytes);
    }
    for (s_type, (count, bytes)) in counts {
        let head = size_of::<vk::BaseOutStructure<'_>>();
        assert_eq!((head + 4 * count).next_multiple_of(8), bytes, "{s_type:?}");
    }
}

#[test]
fn limits_are_no_tighter_than_the_specifications() {
    let physical = Physical::new();
    let mut one = vk::PhysicalDeviceVulkan11Properties::default();
    let mut two = vk::PhysicalDeviceVulkan12Properties::default();
    let mut three = vk::PhysicalDeviceVulkan13Properties::default();
    let mut chain =
        vk::PhysicalDeviceProperties2::default().push_next(&mut one).push_next(&mut two).push_next(&mut three);
    // SAFETY: valid usage.
    unsafe { physical.instance.get_physical_device_properties2(physical.device, &mut chain) };
    let l = chain.properties.limits;
    macro_rules! at_least {
        ($of:ident: $($limit:ident $least:expr),* $(,)?) => {
            $(assert!(u64::from($of.$limit) >= $least, "{} is {}", stringify!($limit), $of.$limit);)*
        };
    }
    macro_rules! at_most {
        ($of:ident: $($limit:ident $most:expr),* $(,)?) => {
            $(assert!($of.$limit as u64 <= $most, "{} is {}", stringify!($limit), $of.$limit);)*
        };
    }
    at_least! { l:
        max_image_dimension1_d 4096, max_image_dimension2_d 4096, max_image_dimension3_d 256,
        max_image_dimension_cube 4096, max_image_array_layers 256, max_texel_buffer_elements 65536,
        max_uniform_buffer_range 16384, max_storage_buffer_range 1 << 27, max_push_constants_size 128,
        max_memory_allocation_count 4096, max_sampler_allocation_count 4000, max_bound_descriptor_sets 4,
        max_per_stage_descriptor_samplers 16, max_per_stage_descriptor_uniform_buffers 12,
        max_per_stage_descriptor_storage_buffers 4, max_per_stage_descriptor_sampled_images 16,
        max_per_stage_descriptor_storage_images 4, max_per_stage_descriptor_input_attachments 4,
        max_per_stage_resources 128, max_descriptor_set_samplers 96, max_descriptor_set_uniform_buffers 72,
        max_descriptor_set_uniform_buffers_dynamic 8, max_descriptor_set_storage_buffers 24,
        max_descriptor_set_storage_buffers_dynamic 4, max_descriptor_set_sampled_images 96,
        max_descriptor_set_storage_images 24, max_descriptor_set_input_attachments 4,
        max_vertex_input_attributes 16, max_vertex_input_bindings 16, max_vertex_input_attribute_offset 2047,
        max_vertex_input_binding_stride 2048, max_vertex_output_components 64, max_fragment_input_components 64,
        max_fragment_output_attachments 4, max_fragment_combined_output_resources 4,
        max_compute_shared_memory_size 16384, max_compute_work_group_invocations 128, sub_pixel_precision_bits 4,
        sub_texel_precision_bits 4, mipmap_precision_bits 4, max_draw_indexed_index_value (1 << 24) - 1,
        max_draw_indirect_count 1, max_viewports 1, max_texel_offset 7, max_texel_gather_offset 7,
        max_framebuffer_width 4096, max_framebuffer_height 4096, max_framebuffer_layers 256, max_color_attachments 4,
        max_sample_mask_words 1, discrete_queue_priorities 2,
    }
    at_most! { l:
        buffer_image_granularity 131_072, min_texel_buffer_offset_alignment 256, min_uniform_buffer_offset_alignment 256,
        min_storage_buffer_offset_alignment 256, non_coherent_atom_size 256,
    }
    assert!(l.min_memory_map_alignment >= 64 && l.min_texel_offset <= -8 && l.min_texel_gather_offset <= -8);
    assert!(l.max_sampler_lod_bias >= 2.0 && l.max_sampler_anisotropy >= 16.0);
    assert!(l.max_compute_work_group_count.iter().all(|n| *n >= 65535));
    assert!(l.max_compute_work_group_size.iter().zip([128, 128, 64]).all(|(n, least)| *n >= least));
    let (one_sample, four) = (vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_4);
    for counts in [
        l.framebuffer_color_sample_counts,
        l.framebuffer_depth_sample_counts,
        l.framebuffer_stencil_sample_counts,
        l.framebuffer_no_attachments_sample_counts,
        l.sampled_image_color_sample_counts,
        l.sampled_image_depth_sample_counts,
    ] {
        assert!(counts.contains(one_sample | four), "{counts:?}");
    }
    at_least! { one: max_multiview_view_count 6, max_multiview_instance_index (1 << 27) - 1, max_per_set_descriptors 1024,
    max_memory_allocation_size 1 << 30 }
    use vk::SubgroupFeatureFlags as Can;
    let wanted = Can::BASIC | Can::VOTE | Can::ARITHMETIC | Can::BALLOT | Can::SHUFFLE | Can::SHUFFLE_RELATIVE;
    let wanted = wanted | Can::CLUSTERED | Can::QUAD | Can::ROTATE_KHR | Can::ROTATE_CLUSTERED_KHR;
    assert!(one.subgroup_supported_operations.contains(wanted), "{:?}", one.subgroup_supported_operations);
    assert!(one.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE));
    at_least! { two: max_timeline_semaphore_value_difference (1u64 << 31) - 1,
    max_update_after_bind_descriptors_in_all_pools 500_000 }
    at_least! { three: max_inline_uniform_block_size 256, max_per_stage_descriptor_inline_uniform_blocks 4,
    max_descriptor_set_inline_uniform_blocks 4, max_inline_uniform_total_size 256, max_buffer_size 1 << 30 }
    assert_eq!((three.min_subgroup_size, three.max_subgroup_size), (32, 64));
    let most = u64::from(three.max_compute_workgroup_subgroups) * u64::from(three.min_subgroup_size);
    assert!(most >= u64::from(l.max_compute_work_group_invocations));
}

/// Everything that is reported can be asked for at once, and each feature that a structure shows can be enabled.
#[test]
fn all_extensions_together() {
    let physical = Physical::new();
    let extensions = physical.extensions();
    let list: Vec<&CStr> = extensions.iter().map(|e| e.extension_name_as_c_str().unwrap()).collect();
    let mut sorted = list.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), list.len(), "each once");
    let (priorities, list) = ([1.0], names(&list));
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&list);
    // SAFETY: valid usage.
    unsafe {
        let device = physical.instance.create_device(physical.device, &info, None).unwrap();
        let get = |name: &CStr| physical.instance.get_device_proc_addr(device.handle(), name.as_ptr()).is_some();
        for name in [
            c"vkGetCalibratedTimestampsKHR",
            c"vkGetCalibratedTimestampsEXT",
            c"vkGetDeviceFaultInfoEXT",
            c"vkGetFenceFdKHR",
            c"vkImportSemaphoreFdKHR",
            c"vkGetMemoryFdKHR",
            c"vkCmdPushDescriptorSetKHR",
            c"vkGetPipelineExecutablePropertiesKHR",
            c"vkCmdSetRasterizerDiscardEnableEXT",
            c"vkCopyMemoryToImageEXT",
            c"vkCmdDispatchBaseKHR",
        ] {
            assert!(get(name), "{name:?}");
        }
        device.destroy_device(None);
    }
}

const COMPUTE_ONLY: &str = "WAVEPIPE_COMPUTE_ONLY";

/// In a process of its own where the variable is set, which is read once.
#[test]
fn the_general_family_may_be_without_graphics() {
    use vk::QueueFlags as Can;
    let physical = Physical::new();
    // SAFETY: valid usage.
    let families = unsafe { physical.instance.get_physical_device_queue_family_properties(physical.device) };
    let graphics = families.iter().any(|f| f.queue_flags.contains(Can::GRAPHICS));
    if std::env::var_os(COMPUTE_ONLY).is_some() {
        assert!(!graphics && families[0].queue_flags.contains(Can::COMPUTE | Can::TRANSFER), "{families:?}");
        return println!("no graphics");
    }
    assert!(graphics);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "requirements::the_general_family_may_be_without_graphics", "--nocapture"])
        .env(COMPUTE_ONLY, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("no graphics"), "{said}");
}

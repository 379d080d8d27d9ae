//! vkGetPhysicalDeviceProperties and its chain (chapters "Devices and Queues" and "Limits").
//!
//! What a version of the core and an extension both report stands once, in the version's structure; `copies!` says which
//! structure of an extension has which of its fields.

use crate::entry::{Call, config, entry, machine_info};
use crate::identity::{self, API_VERSION, identity, put_string};
use crate::limits::{MANY, MAX_INLINE_BLOCK_BYTES, MAX_PUSH_DESCRIPTORS, limits};
use crate::physical_device::compute_only;
use crate::pnext::Link;
use crate::report::Instance;
use ash::vk;
use std::ffi::CString;
use wavepipe_runtime::hw::descriptor::SamplerDescriptor;
use wavepipe_runtime::{WaveSize, machine};

fn properties() -> vk::PhysicalDeviceProperties {
    let who = identity();
    let mut properties = vk::PhysicalDeviceProperties {
        api_version: API_VERSION,
        driver_version: identity::driver_version(),
        vendor_id: who.vendor,
        device_id: who.device,
        device_type: who.kind,
        pipeline_cache_uuid: crate::pipeline_caches::cache_uuid(),
        limits: limits(),
        ..Default::default()
    };
    put_string(&mut properties.device_name, &CString::new(who.name.as_str()).unwrap_or_default());
    properties
}

/// Programs that only compute ask for fragment shaders too, as they do for the GRAPHICS bit (wgpu does); there are none.
fn subgroup_stages() -> vk::ShaderStageFlags {
    match compute_only() {
        true => vk::ShaderStageFlags::COMPUTE,
        false => vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::FRAGMENT,
    }
}

/// What Vulkan 1.1 brought.
fn v1_1() -> vk::PhysicalDeviceVulkan11Properties<'static> {
    use vk::SubgroupFeatureFlags as Subgroup;
    vk::PhysicalDeviceVulkan11Properties {
        device_uuid: identity().uuid,
        driver_uuid: crate::pipeline_caches::cache_uuid(),
        device_luid: [0; 8],
        device_node_mask: 0,
        device_luid_valid: vk::FALSE,
        subgroup_size: config().wave_size(None).map_or(64, WaveSize::lanes),
        subgroup_supported_stages: subgroup_stages(),
        subgroup_supported_operations: Subgroup::BASIC
            | Subgroup::VOTE
            | Subgroup::BALLOT
            | Subgroup::ARITHMETIC
            | Subgroup::SHUFFLE
            | Subgroup::SHUFFLE_RELATIVE
            | Subgroup::CLUSTERED
            | Subgroup::QUAD
            | Subgroup::ROTATE_KHR
            | Subgroup::ROTATE_CLUSTERED_KHR,
        subgroup_quad_operations_in_all_stages: vk::FALSE,
        point_clipping_behavior: vk::PointClippingBehavior::ALL_CLIP_PLANES,
        max_multiview_view_count: 6,
        max_multiview_instance_index: (1 << 27) - 1,
        protected_no_fault: vk::FALSE,
        max_per_set_descriptors: MANY,
        max_memory_allocation_size: machine_info().memory_bytes,
        ..Default::default()
    }
}

/// What Vulkan 1.2 brought.
fn v1_2() -> vk::PhysicalDeviceVulkan12Properties<'static> {
    let dynamic = machine::LIMITS;
    let mut p = vk::PhysicalDeviceVulkan12Properties {
        // VkDriverId has no number for us.
        driver_id: vk::DriverId::from_raw(0),
        // MODE has a field for f32, and one that f16 and f64 share; every mode that a module can ask for is in them.
        denorm_behavior_independence: vk::ShaderFloatControlsIndependence::TYPE_32_ONLY,
        rounding_mode_independence: vk::ShaderFloatControlsIndependence::TYPE_32_ONLY,
        shader_signed_zero_inf_nan_preserve_float16: vk::TRUE,
        shader_signed_zero_inf_nan_preserve_float32: vk::TRUE,
        shader_signed_zero_inf_nan_preserve_float64: vk::TRUE,
        shader_denorm_preserve_float16: vk::TRUE,
        shader_denorm_preserve_float32: vk::TRUE,
        shader_denorm_preserve_float64: vk::TRUE,
        shader_denorm_flush_to_zero_float16: vk::TRUE,
        shader_denorm_flush_to_zero_float32: vk::TRUE,
        shader_denorm_flush_to_zero_float64: vk::TRUE,
        shader_rounding_mode_rte_float16: vk::TRUE,
        shader_rounding_mode_rte_float32: vk::TRUE,
        shader_rounding_mode_rte_float64: vk::TRUE,
        shader_rounding_mode_rtz_float16: vk::TRUE,
        shader_rounding_mode_rtz_float32: vk::TRUE,
        shader_rounding_mode_rtz_float64: vk::TRUE,
        // Sets are plain memory that the shader reads when it runs.
        max_update_after_bind_descriptors_in_all_pools: u32::MAX,
        shader_uniform_buffer_array_non_uniform_indexing_native: vk::FALSE,
        shader_sampled_image_array_non_uniform_indexing_native: vk::FALSE,
        shader_storage_buffer_array_non_uniform_indexing_native: vk::FALSE,
        shader_storage_image_array_non_uniform_indexing_native: vk::FALSE,
        shader_input_attachment_array_non_uniform_indexing_native: vk::FALSE,
        robust_buffer_access_update_after_bind: vk::TRUE,
        quad_divergent_implicit_lod: vk::FALSE,
        max_per_stage_descriptor_update_after_bind_samplers: MANY,
        max_per_stage_descriptor_update_after_bind_uniform_buffers: MANY,
        max_per_stage_descriptor_update_after_bind_storage_buffers: MANY,
        max_per_stage_descriptor_update_after_bind_sampled_images: MANY,
        max_per_stage_descriptor_update_after_bind_storage_images: MANY,
        max_per_stage_descriptor_update_after_bind_input_attachments: MANY,
        max_per_stage_update_after_bind_resources: MANY,
        max_descriptor_set_update_after_bind_samplers: MANY,
        max_descriptor_set_update_after_bind_uniform_buffers: MANY,
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic: dynamic.max_dynamic_uniform_buffers,
        max_descriptor_set_update_after_bind_storage_buffers: MANY,
        max_descriptor_set_update_after_bind_storage_buffers_dynamic: dynamic.max_dynamic_storage_buffers,
        max_descriptor_set_update_after_bind_sampled_images: MANY,
        max_descriptor_set_update_after_bind_storage_images: MANY,
        max_descriptor_set_update_after_bind_input_attachments: MANY,
        supported_depth_resolve_modes: RESOLVE_MODES | vk::ResolveModeFlags::AVERAGE,
        supported_stencil_resolve_modes: RESOLVE_MODES,
        independent_resolve_none: vk::TRUE,
        independent_resolve: vk::TRUE,
        filter_minmax_single_component_formats: vk::TRUE,
        filter_minmax_image_component_mapping: SamplerDescriptor::reduces_components(config().isa()).into(),
        max_timeline_semaphore_value_difference: machine::LIMITS.max_timeline_difference,
        framebuffer_integer_color_sample_counts: crate::formats::SAMPLE_COUNTS,
        ..Default::default()
    };
    put_string(&mut p.driver_name, c"wavepipe");
    let (version, isa) = (env!("CARGO_PKG_VERSION"), config().isa().name());
    let words = format!("wavepipe {version}: {isa} machine code on an emulated GPU");
    put_string(&mut p.driver_info, &CString::new(words).unwrap_or_default());
    p
}

/// Of depth and stencil alike.
const RESOLVE_MODES: vk::ResolveModeFlags = vk::ResolveModeFlags::from_raw(
    vk::ResolveModeFlags::SAMPLE_ZERO.as_raw()
        | vk::ResolveModeFlags::MIN.as_raw()
        | vk::ResolveModeFlags::MAX.as_raw(),
);

/// What Vulkan 1.3 brought. No integer dot product counts as accelerated: the compiler selects no instruction for it.
fn v1_3() -> vk::PhysicalDeviceVulkan13Properties<'static> {
    let info = machine_info();
    let [smallest, largest] = info.subgroup_sizes;
    vk::PhysicalDeviceVulkan13Properties {
        min_subgroup_size: smallest,
        max_subgroup_size: largest,
        max_compute_workgroup_subgroups: info.max_workgroup_subgroups,
        required_subgroup_size_stages: vk::ShaderStageFlags::COMPUTE,
        max_inline_uniform_block_size: MAX_INLINE_BLOCK_BYTES,
        max_per_stage_descriptor_inline_uniform_blocks: MANY,
        max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: MANY,
        max_descriptor_set_inline_uniform_blocks: MANY,
        max_descriptor_set_update_after_bind_inline_uniform_blocks: MANY,
        max_inline_uniform_total_size: u32::MAX,
        storage_texel_buffer_offset_alignment_bytes: 4,
        storage_texel_buffer_offset_single_texel_alignment: vk::TRUE,
        uniform_texel_buffer_offset_alignment_bytes: 4,
        uniform_texel_buffer_offset_single_texel_alignment: vk::TRUE,
        max_buffer_size: info.memory_bytes,
        ..Default::default()
    }
}

/// `extension's structure from version { field, its name there = the version's name for it, … }`.
macro_rules! copies {
    ($($struct:ident from $version:ident { $($field:ident $(= $other:ident)?),* $(,)? })*) => {
        fn fill_copies(link: &mut Link) {
            $(link.fill::<vk::$struct<'_>>(|p| {
                let version = $version();
                $(p.$field = copies!(@ version $field $($other)?);)*
            });)*
        }
    };
    (@ $version:ident $field:ident) => { $version.$field };
    (@ $version:ident $field:ident $other:ident) => { $version.$other };
}

copies! {
    PhysicalDeviceIDProperties from v1_1 {
        device_uuid, driver_uuid, device_luid, device_node_mask, device_luid_valid,
    }
    PhysicalDeviceSubgroupProperties from v1_1 {
        subgroup_size,
        supported_stages = subgroup_supported_stages,
        supported_operations = subgroup_supported_operations,
        quad_operations_in_all_stages = subgroup_quad_operations_in_all_stages,
    }
    PhysicalDevicePointClippingProperties from v1_1 { point_clipping_behavior }
    PhysicalDeviceMultiviewProperties from v1_1 { max_multiview_view_count, max_multiview_instance_index }
    PhysicalDeviceProtectedMemoryProperties from v1_1 { protected_no_fault }
    PhysicalDeviceMaintenance3Properties from v1_1 { max_per_set_descriptors, max_memory_allocation_size }
    PhysicalDeviceDriverProperties from v1_2 { driver_id, driver_name, driver_info }
    PhysicalDeviceFloatControlsProperties from v1_2 {
        denorm_behavior_independence, rounding_mode_independence,
        shader_signed_zero_inf_nan_preserve_float16,
        shader_signed_zero_inf_nan_preserve_float32,
        shader_signed_zero_inf_nan_preserve_float64,
        shader_denorm_preserve_float16,
        shader_denorm_preserve_float32,
        shader_denorm_preserve_float64,
        shader_denorm_flush_to_zero_float16,
        shader_denorm_flush_to_zero_float32,
        shader_denorm_flush_to_zero_float64,
        shader_rounding_mode_rte_float16,
        shader_rounding_mode_rte_float32,
        shader_rounding_mode_rte_float64,
        shader_rounding_mode_rtz_float16,
        shader_rounding_mode_rtz_float32,
        shader_rounding_mode_rtz_float64,
    }
    PhysicalDeviceDescriptorIndexingProperties from v1_2 {
        max_update_after_bind_descriptors_in_all_pools,
        shader_uniform_buffer_array_non_uniform_indexing_native,
        shader_sampled_image_array_non_uniform_indexing_native,
        shader_storage_buffer_array_non_uniform_indexing_native,
        shader_storage_image_array_non_uniform_indexing_native,
        shader_input_attachment_array_non_uniform_indexing_native,
        robust_buffer_access_update_after_bind,
        quad_divergent_implicit_lod,
        max_per_stage_descriptor_update_after_bind_samplers,
        max_per_stage_descriptor_update_after_bind_uniform_buffers,
        max_per_stage_descriptor_update_after_bind_storage_buffers,
        max_per_stage_descriptor_update_after_bind_sampled_images,
        max_per_stage_descriptor_update_after_bind_storage_images,
        max_per_stage_descriptor_update_after_bind_input_attachments,
        max_per_stage_update_after_bind_resources,
        max_descriptor_set_update_after_bind_samplers,
        max_descriptor_set_update_after_bind_uniform_buffers,
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic,
        max_descriptor_set_update_after_bind_storage_buffers,
        max_descriptor_set_update_after_bind_storage_buffers_dynamic,
        max_descriptor_set_update_after_bind_sampled_images,
        max_descriptor_set_update_after_bind_storage_images,
        max_descriptor_set_update_after_bind_input_attachments,
    }
    PhysicalDeviceDepthStencilResolveProperties from v1_2 {
        supported_depth_resolve_modes, supported_stencil_resolve_modes, independent_resolve_none, independent_resolve,
    }
    PhysicalDeviceSamplerFilterMinmaxProperties from v1_2 {
        filter_minmax_single_component_formats, filter_minmax_image_component_mapping,
    }
    PhysicalDeviceTimelineSemaphoreProperties from v1_2 { max_timeline_semaphore_value_difference }
    PhysicalDeviceSubgroupSizeControlProperties from v1_3 {
        min_subgroup_size, max_subgroup_size, max_compute_workgroup_subgroups, required_subgroup_size_stages,
    }
    PhysicalDeviceInlineUniformBlockProperties from v1_3 {
        max_inline_uniform_block_size,
        max_per_stage_descriptor_inline_uniform_blocks,
        max_per_stage_descriptor_update_after_bind_inline_uniform_blocks,
        max_descriptor_set_inline_uniform_blocks,
        max_descriptor_set_update_after_bind_inline_uniform_blocks,
    }
    PhysicalDeviceShaderIntegerDotProductProperties from v1_3 {
        integer_dot_product8_bit_unsigned_accelerated,
        integer_dot_product8_bit_signed_accelerated,
        integer_dot_product8_bit_mixed_signedness_accelerated,
        integer_dot_product4x8_bit_packed_unsigned_accelerated,
        integer_dot_product4x8_bit_packed_signed_accelerated,
        integer_dot_product4x8_bit_packed_mixed_signedness_accelerated,
        integer_dot_product16_bit_unsigned_accelerated,
        integer_dot_product16_bit_signed_accelerated,
        integer_dot_product16_bit_mixed_signedness_accelerated,
        integer_dot_product32_bit_unsigned_accelerated,
        integer_dot_product32_bit_signed_accelerated,
        integer_dot_product32_bit_mixed_signedness_accelerated,
        integer_dot_product64_bit_unsigned_accelerated,
        integer_dot_product64_bit_signed_accelerated,
        integer_dot_product64_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating8_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating8_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating8_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated,
        integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated,
        integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating16_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating16_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating16_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating32_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating32_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating32_bit_mixed_signedness_accelerated,
        integer_dot_product_accumulating_saturating64_bit_unsigned_accelerated,
        integer_dot_product_accumulating_saturating64_bit_signed_accelerated,
        integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated,
    }
    PhysicalDeviceTexelBufferAlignmentProperties from v1_3 {
        storage_texel_buffer_offset_alignment_bytes,
        storage_texel_buffer_offset_single_texel_alignment,
        uniform_texel_buffer_offset_alignment_bytes,
        uniform_texel_buffer_offset_single_texel_alignment,
    }
    PhysicalDeviceMaintenance4Properties from v1_3 { max_buffer_size }
}

/// Structures of extensions that are in no version.
fn fill_extensions(link: &mut Link) {
    link.fill::<vk::PhysicalDevicePushDescriptorPropertiesKHR<'_>>(|p| p.max_push_descriptors = MAX_PUSH_DESCRIPTORS)
        .fill::<vk::PhysicalDeviceExternalMemoryHostPropertiesEXT<'_>>(|p| {
            p.min_imported_host_pointer_alignment = crate::memory::HOST_POINTER_ALIGNMENT;
        })
        .fill::<vk::PhysicalDeviceRobustness2PropertiesEXT<'_>>(|p| {
            // V#s hold ranges in bytes.
            p.robust_storage_buffer_access_size_alignment = 1;
            p.robust_uniform_buffer_access_size_alignment = 1;
        })
        .fill::<vk::PhysicalDevicePipelineRobustnessPropertiesEXT<'_>>(|p| {
            let buffers = vk::PipelineRobustnessBufferBehaviorEXT::ROBUST_BUFFER_ACCESS_2;
            p.default_robustness_storage_buffers = buffers;
            p.default_robustness_uniform_buffers = buffers;
            p.default_robustness_vertex_inputs = buffers;
            p.default_robustness_images = vk::PipelineRobustnessImageBehaviorEXT::ROBUST_IMAGE_ACCESS_2;
        })
        .fill::<vk::PhysicalDevicePCIBusInfoPropertiesEXT<'_>>(|p| {
            (p.pci_domain, p.pci_bus, p.pci_device, p.pci_function) = (identity::PCI_DOMAIN, 0, 0, 0);
        })
        .fill::<vk::PhysicalDeviceShaderModuleIdentifierPropertiesEXT<'_>>(|p| {
            p.shader_module_identifier_algorithm_uuid = crate::shaders::IDENTIFIER_ALGORITHM;
        })
        // There are no mesh and no task shaders.
        .fill::<crate::newer::PhysicalDeviceComputeShaderDerivativesPropertiesKHR<'_>>(|p| {
            p.mesh_and_task_shader_derivatives = vk::FALSE;
        })
        // All but one are about drawing.
        .fill::<vk::PhysicalDeviceMaintenance5PropertiesKHR<'_>>(|p| {
            p.early_fragment_multisample_coverage_after_sample_counting = vk::FALSE;
            p.early_fragment_sample_mask_test_before_sample_counting = vk::FALSE;
            p.depth_stencil_swizzle_one_support = vk::TRUE;
            p.polygon_mode_point_size = vk::FALSE;
            p.non_strict_single_pixel_wide_lines_use_parallelogram = vk::FALSE;
            p.non_strict_wide_lines_use_parallelogram = vk::FALSE;
        })
        .fill::<vk::PhysicalDeviceMaintenance6PropertiesKHR<'_>>(|p| {
            p.block_texel_view_compatible_multiple_layers = vk::FALSE;
            p.max_combined_image_sampler_descriptor_count = 1;
            p.fragment_shading_rate_clamp_combiner_inputs = vk::FALSE;
        });
}

/// The machine's figures (VK_AMD_shader_core_properties), counted as RADV does: registers are those of wave64, and the
/// compute units of an array are those that every array has.
fn fill_shader_core(link: &mut Link) {
    let machine = &config().machine;
    let (shape, simd) = (&machine.shape, &machine.simd);
    link.fill::<vk::PhysicalDeviceShaderCorePropertiesAMD<'_>>(|p| {
        p.shader_engine_count = shape.shader_engines.value as u32;
        p.shader_arrays_per_engine_count = shape.arrays_per_engine.value as u32;
        p.compute_units_per_shader_array = (machine.wgps() / machine.arrays() * shape.cus_per_wgp.value) as u32;
        p.simd_per_compute_unit = shape.simds_per_cu.value as u32;
        p.wavefronts_per_simd = simd.wave_slots.value as u32;
        let [_, wavefront] = machine_info().subgroup_sizes;
        p.wavefront_size = wavefront;
        let [most, granule] = [&simd.sgprs_per_wave, &simd.sgpr_granule].map(|f| f.value as u32);
        p.sgprs_per_simd = simd.sgpr_file.value as u32;
        (p.min_sgpr_allocation, p.max_sgpr_allocation, p.sgpr_allocation_granularity) = (granule, most, granule);
        let granule = simd.vgpr_granule_w64.value as u32;
        p.vgprs_per_simd = (simd.vgpr_rows.value * simd.row_lanes.value) as u32 / wavefront;
        (p.min_vgpr_allocation, p.vgpr_allocation_granularity) = (granule, granule);
        p.max_vgpr_allocation = simd.vgprs_per_wave.value as u32;
    })
    .fill::<vk::PhysicalDevicePerformanceQueryPropertiesKHR<'_>>(|p| {
        // Values follow from samples on the host.
        p.allow_command_buffer_query_copies = vk::FALSE;
    })
    .fill::<vk::PhysicalDeviceShaderCoreProperties2AMD<'_>>(|p| {
        p.shader_core_features = vk::ShaderCorePropertiesFlagsAMD::empty();
        p.active_compute_unit_count = shape.cus.value as u32;
    });
}

/// Structures of extensions about images and samplers.
fn fill_images(call: &Call, link: &mut Link) {
    link.fill::<vk::PhysicalDeviceCustomBorderColorPropertiesEXT<'_>>(|p| {
        p.max_custom_border_color_samplers = wavepipe_runtime::CUSTOM_BORDER_COLORS;
    })
    .fill::<vk::PhysicalDeviceHostImageCopyPropertiesEXT<'_>>(|p| {
        let layouts = crate::host_image_copy::LAYOUTS;
        let _ = call.enumerate(&mut p.copy_src_layout_count, p.p_copy_src_layouts, layouts);
        let _ = call.enumerate(&mut p.copy_dst_layout_count, p.p_copy_dst_layouts, layouts);
        p.optimal_tiling_layout_uuid = crate::pipeline_caches::cache_uuid();
        p.identical_memory_type_requirements = vk::TRUE;
    });
}

/// Structures of the versions: all but the program's pNext.
fn fill_versions(link: &mut Link) {
    link.fill::<vk::PhysicalDeviceVulkan11Properties<'_>>(|p| {
        *p = vk::PhysicalDeviceVulkan11Properties { p_next: p.p_next, ..v1_1() };
    })
    .fill::<vk::PhysicalDeviceVulkan12Properties<'_>>(|p| {
        *p = vk::PhysicalDeviceVulkan12Properties { p_next: p.p_next, ..v1_2() };
    })
    .fill::<vk::PhysicalDeviceVulkan13Properties<'_>>(|p| {
        *p = vk::PhysicalDeviceVulkan13Properties { p_next: p.p_next, ..v1_3() };
    });
}

/// What is not the same for every program.
fn fill_shown(instance: &Instance, link: &mut Link) {
    let version = identity::conformance(instance.shown.conformance);
    link.fill::<vk::PhysicalDeviceVulkan12Properties<'_>>(|p| p.conformance_version = version)
        .fill::<vk::PhysicalDeviceDriverProperties<'_>>(|p| p.conformance_version = version);
}

entry! { call;
    fn vkGetPhysicalDeviceProperties(
        device: vk::PhysicalDevice,
        out: *mut vk::PhysicalDeviceProperties,
    ) {
        call.write(out, properties());
    }

    fn vkGetPhysicalDeviceProperties2(
        device: vk::PhysicalDevice,
        out: *mut vk::PhysicalDeviceProperties2<'_>,
    ) {
        let instance = &call.physical_device(device).instance;
        let out = call.out(out);
        out.properties = properties();
        call.fill_chain(out.p_next, |link| {
            fill_versions(link);
            fill_copies(link);
            fill_extensions(link);
            fill_images(call, link);
            fill_shader_core(link);
            fill_shown(instance, link);
        });
    }
}

//! vkGetPhysicalDeviceFeatures and its chain, and the check that vkCreateDevice makes against them (chapter "Features").

use crate::entry::{Call, Fail, config, entry};
use crate::pnext::Flag;
use crate::report::Instance;
use std::ffi::c_void;
use wavepipe_runtime::engines::Drawing;
use wavepipe_runtime::isa::{Op, insts};

/// The bindings, and what they lack.
mod vk {
    pub use crate::newer::*;
    pub use ash::vk::*;
}

/// A feature in one structure. A feature of the core has a row for the version's structure and one for the structure of
/// the extension that it comes from.
pub struct Feature {
    pub flag: Flag,
    there: There,
    pub name: &'static str,
}

/// Whether a feature is there.
enum There {
    Always,
    Never,
    /// On a machine with a clock.
    Timed,
    /// Where the machine's generation has these instructions.
    Rows(&'static [Op]),
    /// It is of drawing, and there for programs that are shown it.
    Shown(Drawing),
}

impl Feature {
    fn there(&self, shown: Drawing) -> bool {
        match self.there {
            There::Always => true,
            There::Never => false,
            There::Timed => crate::performance::offered(),
            There::Rows(rows) => rows.iter().all(|row| row.exists(config().isa())),
            There::Shown(which) => shown.contains(which),
        }
    }
}

macro_rules! feature {
    ($path:tt = $value:tt, [$($struct:ident)+]) => { &[$(feature!(@ $struct $path $value)),+] };
    (@ $struct:ident ($($field:ident).+) $value:tt) => {{
        const _: fn(&vk::$struct<'static>) -> vk::Bool32 = |s| s.$($field).+;
        Feature {
            flag: Flag::new::<vk::$struct<'static>>(std::mem::offset_of!(vk::$struct<'static>, $($field).+)),
            there: feature!(@ $value),
            name: concat!(stringify!($struct), $("::", stringify!($field)),+),
        }
    }};
    (@ yes) => { There::Always };
    (@ no) => { There::Never };
    (@ timed) => { There::Timed };
    (@ [$($row:ident)+]) => { There::Rows(&[$(insts::$row),+]) };
    (@ $drawing:ident) => { There::Shown(Drawing::$drawing) };
}

/// `[structures that have them] { feature: yes, no, timed, [the rows that it needs] or its flag among those of drawing, … }`.
macro_rules! features {
    ($($structs:tt { $($($field:ident).+: $value:tt),* $(,)? })*) => {
        /// Every feature of the reported version and extensions: one slice for each, with a row for each structure.
        pub static FEATURES: &[&[Feature]] = &[$($(feature!(($($field).+) = $value, $structs)),*),*];
    };
}

features! {
    [PhysicalDeviceFeatures2] {
        // Buffer descriptors carry their range, which the memory instructions check.
        features.robust_buffer_access: yes,
        features.full_draw_index_uint32: FULL_DRAW_INDEX_UINT32,
        features.image_cube_array: yes,
        features.independent_blend: INDEPENDENT_BLEND,
        features.geometry_shader: GEOMETRY_SHADER,
        features.tessellation_shader: TESSELLATION_SHADER,
        features.sample_rate_shading: SAMPLE_RATE_SHADING,
        features.dual_src_blend: DUAL_SRC_BLEND,
        features.logic_op: LOGIC_OP,
        features.multi_draw_indirect: MULTI_DRAW_INDIRECT,
        features.draw_indirect_first_instance: DRAW_INDIRECT_FIRST_INSTANCE,
        features.depth_clamp: DEPTH_CLAMP,
        features.depth_bias_clamp: DEPTH_BIAS_CLAMP,
        features.fill_mode_non_solid: FILL_MODE_NON_SOLID,
        features.depth_bounds: DEPTH_BOUNDS,
        features.wide_lines: WIDE_LINES,
        features.large_points: LARGE_POINTS,
        features.alpha_to_one: ALPHA_TO_ONE,
        features.multi_viewport: MULTI_VIEWPORT,
        features.sampler_anisotropy: yes,
        features.texture_compression_etc2: no,
        features.texture_compression_astc_ldr: no,
        features.texture_compression_bc: yes,
        features.occlusion_query_precise: no,
        features.pipeline_statistics_query: yes,
        features.vertex_pipeline_stores_and_atomics: VERTEX_PIPELINE_STORES_AND_ATOMICS,
        features.fragment_stores_and_atomics: FRAGMENT_STORES_AND_ATOMICS,
        features.shader_tessellation_and_geometry_point_size: SHADER_TESSELLATION_AND_GEOMETRY_POINT_SIZE,
        features.shader_image_gather_extended: yes,
        features.shader_storage_image_extended_formats: yes,
        features.shader_storage_image_multisample: yes,
        features.shader_storage_image_read_without_format: yes,
        features.shader_storage_image_write_without_format: yes,
        features.shader_uniform_buffer_array_dynamic_indexing: yes,
        features.shader_sampled_image_array_dynamic_indexing: yes,
        features.shader_storage_buffer_array_dynamic_indexing: yes,
        features.shader_storage_image_array_dynamic_indexing: yes,
        features.shader_clip_distance: SHADER_CLIP_DISTANCE,
        features.shader_cull_distance: SHADER_CULL_DISTANCE,
        features.shader_float64: yes,
        features.shader_int64: yes,
        features.shader_int16: yes,
        features.shader_resource_residency: no,
        features.shader_resource_min_lod: yes,
        features.sparse_binding: no,
        features.sparse_residency_buffer: no,
        features.sparse_residency_image2_d: no,
        features.sparse_residency_image3_d: no,
        features.sparse_residency2_samples: no,
        features.sparse_residency4_samples: no,
        features.sparse_residency8_samples: no,
        features.sparse_residency16_samples: no,
        features.sparse_residency_aliased: no,
        features.variable_multisample_rate: no,
        features.inherited_queries: yes,
    }
    [PhysicalDeviceVulkan11Features PhysicalDevice16BitStorageFeatures] {
        storage_buffer16_bit_access: yes,
        uniform_and_storage_buffer16_bit_access: yes,
        storage_push_constant16: yes,
        storage_input_output16: no,
    }
    // It says that render passes with view masks work, which holds of all that can be recorded without drawing.
    [PhysicalDeviceVulkan11Features PhysicalDeviceMultiviewFeatures] {
        multiview: yes,
        multiview_geometry_shader: no,
        multiview_tessellation_shader: no,
    }
    [PhysicalDeviceVulkan11Features PhysicalDeviceVariablePointersFeatures] {
        variable_pointers_storage_buffer: yes,
        variable_pointers: yes,
    }
    [PhysicalDeviceVulkan11Features PhysicalDeviceProtectedMemoryFeatures] { protected_memory: no }
    [PhysicalDeviceVulkan11Features PhysicalDeviceSamplerYcbcrConversionFeatures] { sampler_ycbcr_conversion: no }
    [PhysicalDeviceVulkan11Features PhysicalDeviceShaderDrawParametersFeatures] { shader_draw_parameters: SHADER_DRAW_PARAMETERS }
    [PhysicalDeviceVulkan12Features] {
        sampler_mirror_clamp_to_edge: yes,
        draw_indirect_count: DRAW_INDIRECT_COUNT,
    }
    [PhysicalDeviceVulkan12Features PhysicalDevice8BitStorageFeatures] {
        storage_buffer8_bit_access: yes,
        uniform_and_storage_buffer8_bit_access: yes,
        storage_push_constant8: yes,
    }
    [PhysicalDeviceVulkan12Features PhysicalDeviceShaderAtomicInt64Features] {
        shader_buffer_int64_atomics: yes,
        shader_shared_int64_atomics: yes,
    }
    [PhysicalDeviceVulkan12Features PhysicalDeviceShaderFloat16Int8Features] {
        shader_float16: yes,
        shader_int8: yes,
    }
    [PhysicalDeviceVulkan12Features] {
        descriptor_indexing: yes,
        sampler_filter_minmax: yes,
        shader_output_viewport_index: SHADER_OUTPUT_VIEWPORT_INDEX,
        shader_output_layer: SHADER_OUTPUT_LAYER,
        subgroup_broadcast_dynamic_id: yes,
    }
    [PhysicalDeviceVulkan12Features PhysicalDeviceDescriptorIndexingFeatures] {
        shader_input_attachment_array_dynamic_indexing: no,
        shader_uniform_texel_buffer_array_dynamic_indexing: yes,
        shader_storage_texel_buffer_array_dynamic_indexing: yes,
        shader_uniform_buffer_array_non_uniform_indexing: yes,
        shader_sampled_image_array_non_uniform_indexing: yes,
        shader_storage_buffer_array_non_uniform_indexing: yes,
        shader_storage_image_array_non_uniform_indexing: yes,
        shader_input_attachment_array_non_uniform_indexing: no,
        shader_uniform_texel_buffer_array_non_uniform_indexing: yes,
        shader_storage_texel_buffer_array_non_uniform_indexing: yes,
        descriptor_binding_uniform_buffer_update_after_bind: yes,
        descriptor_binding_sampled_image_update_after_bind: yes,
        descriptor_binding_storage_image_update_after_bind: yes,
        descriptor_binding_storage_buffer_update_after_bind: yes,
        descriptor_binding_uniform_texel_buffer_update_after_bind: yes,
        descriptor_binding_storage_texel_buffer_update_after_bind: yes,
        descriptor_binding_update_unused_while_pending: yes,
        descriptor_binding_partially_bound: yes,
        descriptor_binding_variable_descriptor_count: yes,
        runtime_descriptor_array: yes,
    }
    [PhysicalDeviceVulkan12Features PhysicalDeviceScalarBlockLayoutFeatures] { scalar_block_layout: yes }
    [PhysicalDeviceVulkan12Features PhysicalDeviceImagelessFramebufferFeatures] { imageless_framebuffer: yes }
    [PhysicalDeviceVulkan12Features PhysicalDeviceUniformBufferStandardLayoutFeatures] {
        uniform_buffer_standard_layout: yes,
    }
    [PhysicalDeviceVulkan12Features PhysicalDeviceShaderSubgroupExtendedTypesFeatures] {
        shader_subgroup_extended_types: yes,
    }
    // Layouts mean nothing to memory that has only one.
    [PhysicalDeviceVulkan12Features PhysicalDeviceSeparateDepthStencilLayoutsFeatures] {
        separate_depth_stencil_layouts: yes,
    }
    [PhysicalDeviceVulkan12Features PhysicalDeviceHostQueryResetFeatures] { host_query_reset: yes }
    [PhysicalDeviceVulkan12Features PhysicalDeviceTimelineSemaphoreFeatures] { timeline_semaphore: yes }
    [PhysicalDeviceVulkan12Features PhysicalDeviceBufferDeviceAddressFeatures] {
        buffer_device_address: yes,
        buffer_device_address_capture_replay: no,
        buffer_device_address_multi_device: no,
    }
    [PhysicalDeviceVulkan12Features PhysicalDeviceVulkanMemoryModelFeatures] {
        vulkan_memory_model: yes,
        vulkan_memory_model_device_scope: yes,
        vulkan_memory_model_availability_visibility_chains: yes,
    }
    [PhysicalDeviceVulkan13Features PhysicalDeviceImageRobustnessFeatures] { robust_image_access: yes }
    [PhysicalDeviceVulkan13Features PhysicalDeviceInlineUniformBlockFeatures] {
        inline_uniform_block: yes,
        descriptor_binding_inline_uniform_block_update_after_bind: yes,
    }
    [PhysicalDeviceVulkan13Features PhysicalDevicePipelineCreationCacheControlFeatures] {
        pipeline_creation_cache_control: yes,
    }
    [PhysicalDeviceVulkan13Features PhysicalDevicePrivateDataFeatures] { private_data: yes }
    [PhysicalDeviceVulkan13Features PhysicalDeviceShaderDemoteToHelperInvocationFeatures] {
        shader_demote_to_helper_invocation: yes,
    }
    [PhysicalDeviceVulkan13Features PhysicalDeviceShaderTerminateInvocationFeatures] {
        shader_terminate_invocation: yes,
    }
    [PhysicalDeviceVulkan13Features PhysicalDeviceSubgroupSizeControlFeatures] {
        subgroup_size_control: yes,
        compute_full_subgroups: yes,
    }
    [PhysicalDeviceVulkan13Features PhysicalDeviceSynchronization2Features] { synchronization2: yes }
    [PhysicalDeviceVulkan13Features PhysicalDeviceTextureCompressionASTCHDRFeatures] {
        texture_compression_astc_hdr: no,
    }
    [PhysicalDeviceVulkan13Features PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures] {
        shader_zero_initialize_workgroup_memory: yes,
    }
    [PhysicalDeviceVulkan13Features PhysicalDeviceDynamicRenderingFeatures] { dynamic_rendering: yes }
    [PhysicalDeviceVulkan13Features PhysicalDeviceShaderIntegerDotProductFeatures] { shader_integer_dot_product: yes }
    [PhysicalDeviceVulkan13Features PhysicalDeviceMaintenance4Features] { maintenance4: yes }
    [PhysicalDevice4444FormatsFeaturesEXT] { format_a4r4g4b4: yes, format_a4b4g4r4: yes }
    [PhysicalDeviceTexelBufferAlignmentFeaturesEXT] { texel_buffer_alignment: yes }
    [PhysicalDeviceCustomBorderColorFeaturesEXT] {
        custom_border_colors: yes,
        custom_border_color_without_format: yes,
    }
    [PhysicalDeviceBorderColorSwizzleFeaturesEXT] {
        border_color_swizzle: yes,
        border_color_swizzle_from_image: yes,
    }
    [PhysicalDeviceHostImageCopyFeaturesEXT] { host_image_copy: yes }
    [PhysicalDeviceImage2DViewOf3DFeaturesEXT] { image2_d_view_of3_d: yes, sampler2_d_view_of3_d: yes }
    [PhysicalDeviceImageViewMinLodFeaturesEXT] { min_lod: yes }
    [PhysicalDeviceNonSeamlessCubeMapFeaturesEXT] { non_seamless_cube_map: yes }
    // The report is in words: there is no binary of it.
    [PhysicalDeviceFaultFeaturesEXT] { device_fault: yes, device_fault_vendor_binary: no }
    // State of graphics pipelines, which no one has: setting it does nothing.
    [PhysicalDeviceGlobalPriorityQueryFeaturesKHR] { global_priority_query: yes }
    // The structure of VK_KHR_compute_shader_derivatives is the same.
    [PhysicalDeviceComputeShaderDerivativesFeaturesNV] {
        compute_derivative_group_quads: yes,
        compute_derivative_group_linear: yes,
    }
    [PhysicalDeviceExtendedDynamicStateFeaturesEXT] { extended_dynamic_state: yes }
    [PhysicalDeviceMaintenance5FeaturesKHR] { maintenance5: yes }
    [PhysicalDeviceMaintenance6FeaturesKHR] { maintenance6: yes }
    // No allocation is ever moved out of the way: the hint is taken and changes nothing.
    [PhysicalDeviceMemoryPriorityFeaturesEXT] { memory_priority: yes }
    [PhysicalDeviceMutableDescriptorTypeFeaturesEXT] { mutable_descriptor_type: yes }
    [PhysicalDevicePerformanceQueryFeaturesKHR] {
        performance_counter_query_pools: timed,
        performance_counter_multiple_query_pools: timed,
    }
    [PhysicalDeviceSwapchainMaintenance1FeaturesEXT] { swapchain_maintenance1: yes }
    [PhysicalDevicePresentIdFeaturesKHR] { present_id: yes }
    [PhysicalDevicePresentWaitFeaturesKHR] { present_wait: yes }
    [PhysicalDevicePipelineExecutablePropertiesFeaturesKHR] { pipeline_executable_info: yes }
    // All pipelines are robust, in the way of VK_EXT_robustness2.
    [PhysicalDevicePipelineRobustnessFeaturesEXT] { pipeline_robustness: yes }
    [PhysicalDeviceRobustness2FeaturesEXT] {
        robust_buffer_access2: yes,
        robust_image_access2: yes,
        null_descriptor: yes,
    }
    // Adding floats to memory and texels is a loop around compare-and-swap; the rest takes instructions.
    [PhysicalDeviceShaderAtomicFloatFeaturesEXT] {
        shader_buffer_float32_atomics: yes,
        shader_buffer_float32_atomic_add: yes,
        shader_buffer_float64_atomics: yes,
        shader_buffer_float64_atomic_add: yes,
        shader_shared_float32_atomics: yes,
        shader_shared_float32_atomic_add: [DS_ADD_F32],
        shader_shared_float64_atomics: yes,
        shader_shared_float64_atomic_add: yes,
        shader_image_float32_atomics: yes,
        shader_image_float32_atomic_add: yes,
        sparse_image_float32_atomics: no,
        sparse_image_float32_atomic_add: no,
    }
    [PhysicalDeviceShaderAtomicFloat2FeaturesEXT] {
        shader_buffer_float16_atomics: no,
        shader_buffer_float16_atomic_add: no,
        shader_buffer_float16_atomic_min_max: no,
        shader_buffer_float32_atomic_min_max: [BUFFER_ATOMIC_FMIN BUFFER_ATOMIC_FMAX],
        shader_buffer_float64_atomic_min_max: [BUFFER_ATOMIC_FMIN_X2 BUFFER_ATOMIC_FMAX_X2],
        shader_shared_float16_atomics: no,
        shader_shared_float16_atomic_add: no,
        shader_shared_float16_atomic_min_max: no,
        shader_shared_float32_atomic_min_max: yes,
        shader_shared_float64_atomic_min_max: yes,
        shader_image_float32_atomic_min_max: [IMAGE_ATOMIC_FMIN IMAGE_ATOMIC_FMAX],
        sparse_image_float32_atomic_min_max: no,
    }
    [PhysicalDeviceShaderClockFeaturesKHR] { shader_subgroup_clock: yes, shader_device_clock: [S_MEMREALTIME] }
    [PhysicalDeviceShaderExpectAssumeFeaturesKHR] { shader_expect_assume: yes }
    [PhysicalDeviceShaderFloatControls2FeaturesKHR] { shader_float_controls2: yes }
    // A region of the ir ends where all that entered it meet again.
    [PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR] { shader_maximal_reconvergence: yes }
    [PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR] { shader_subgroup_uniform_control_flow: yes }
    [PhysicalDeviceShaderImageAtomicInt64FeaturesEXT] {
        shader_image_int64_atomics: yes,
        sparse_image_int64_atomics: no,
    }
    [PhysicalDeviceShaderModuleIdentifierFeaturesEXT] { shader_module_identifier: yes }
    [PhysicalDeviceShaderQuadControlFeaturesKHR] { shader_quad_control: yes }
    [PhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR] { shader_relaxed_extended_instruction: yes }
    [PhysicalDeviceShaderReplicatedCompositesFeaturesEXT] { shader_replicated_composites: yes }
    [PhysicalDeviceShaderSubgroupRotateFeaturesKHR] { shader_subgroup_rotate: yes, shader_subgroup_rotate_clustered: yes }
    [PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR] {
        workgroup_memory_explicit_layout: yes,
        workgroup_memory_explicit_layout_scalar_block_layout: yes,
        workgroup_memory_explicit_layout8_bit_access: yes,
        workgroup_memory_explicit_layout16_bit_access: yes,
    }
    [PhysicalDeviceExtendedDynamicState2FeaturesEXT] {
        extended_dynamic_state2: yes,
        extended_dynamic_state2_logic_op: no,
        extended_dynamic_state2_patch_control_points: no,
    }
}

pub fn rows() -> impl Iterator<Item = &'static Feature> {
    FEATURES.iter().copied().flatten()
}

/// What we have of every structure in a chain that starts with a VkPhysicalDeviceFeatures2.
fn fill(call: &Call, shown: Drawing, features: *mut vk::PhysicalDeviceFeatures2<'_>) {
    call.fill_chain(features.cast(), |link| rows().for_each(|f| link.put_flag(&f.flag, f.there(shown))));
}

/// The name of a feature in the chain that is asked for and not there.
fn missing(call: &Call, shown: Drawing, next: *const c_void) -> Option<&'static str> {
    let mut missing = None;
    call.read_chain(next, |link| {
        let wanted = rows().find(|f| !f.there(shown) && link.flag(&f.flag));
        missing = missing.or(wanted.map(|f| f.name));
    });
    missing
}

/// vkCreateDevice's duty: every feature that is asked for must be there.
pub fn check(call: &Call, instance: &Instance, info: &vk::DeviceCreateInfo<'_>) -> Result<(), Fail> {
    let shown = instance.shown.drawing;
    let core = call.read_opt(info.p_enabled_features).map(|f| vk::PhysicalDeviceFeatures2::default().features(*f));
    let core = core.as_ref().and_then(|f| missing(call, shown, std::ptr::from_ref(f).cast()));
    match core.or_else(|| missing(call, shown, info.p_next)) {
        Some(name) => Err(Fail::new(vk::Result::ERROR_FEATURE_NOT_PRESENT, format!("feature {name} is not supported"))),
        None => Ok(()),
    }
}

entry! { call;
    fn vkGetPhysicalDeviceFeatures(device: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures) {
        let mut all = vk::PhysicalDeviceFeatures2::default();
        fill(call, call.physical_device(device).instance.shown.drawing, &mut all);
        call.write(features, all.features);
    }

    fn vkGetPhysicalDeviceFeatures2(device: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures2<'_>) {
        fill(call, call.physical_device(device).instance.shown.drawing, features);
    }
}

//! vkGetPhysicalDeviceFeatures and its chain, and the check that vkCreateDevice makes against them (chapter "Features").

use crate::entry::{Call, Fail, entry};
use ash::vk;
use std::ffi::c_void;

/// Buffer descriptors carry their range, which the memory instructions check: robustBufferAccess costs nothing. All other
/// features of Vulkan 1.0 wait for the compiler.
fn core() -> vk::PhysicalDeviceFeatures {
    vk::PhysicalDeviceFeatures { robust_buffer_access: vk::TRUE, ..Default::default() }
}

/// One row per structure that the reported version and extensions define: its fields, and which of them we have.
macro_rules! feature_structs {
    ($($struct:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        fn fill_chain(call: &Call, next: *mut c_void) {
            call.fill_chain(next, |link| {
                $(link.fill::<vk::$struct<'_>>(|f| { $(f.$field = $value;)* });)*
            });
        }

        /// The name of a feature in the chain that is asked for and not there.
        fn missing_in_chain(call: &Call, next: *const c_void) -> Option<&'static str> {
            $(if let Some(f) = call.find::<vk::$struct<'_>>(next) {
                $(if f.$field == vk::TRUE && $value != vk::TRUE {
                    return Some(concat!(stringify!($struct), "::", stringify!($field)));
                })*
            })*
            None
        }
    };
}

feature_structs! {
    PhysicalDevice16BitStorageFeatures {
        storage_buffer16_bit_access: vk::FALSE,
        uniform_and_storage_buffer16_bit_access: vk::FALSE,
        storage_push_constant16: vk::FALSE,
        storage_input_output16: vk::FALSE,
    }
    // Vulkan 1.1 demands `multiview`. It says that render passes with view masks work, which holds of all that can be
    // recorded on queues that cannot draw.
    PhysicalDeviceMultiviewFeatures {
        multiview: vk::TRUE,
        multiview_geometry_shader: vk::FALSE,
        multiview_tessellation_shader: vk::FALSE,
    }
    PhysicalDeviceVariablePointersFeatures {
        variable_pointers_storage_buffer: vk::FALSE,
        variable_pointers: vk::FALSE,
    }
    PhysicalDeviceProtectedMemoryFeatures { protected_memory: vk::FALSE }
    PhysicalDeviceSamplerYcbcrConversionFeatures { sampler_ycbcr_conversion: vk::FALSE }
    PhysicalDeviceShaderDrawParametersFeatures { shader_draw_parameters: vk::FALSE }
    PhysicalDeviceTimelineSemaphoreFeatures { timeline_semaphore: vk::TRUE }
    PhysicalDeviceSubgroupSizeControlFeatures {
        subgroup_size_control: vk::TRUE,
        compute_full_subgroups: vk::TRUE,
    }
    PhysicalDeviceBufferDeviceAddressFeatures {
        buffer_device_address: vk::TRUE,
        buffer_device_address_capture_replay: vk::FALSE,
        buffer_device_address_multi_device: vk::FALSE,
    }
    PhysicalDeviceHostQueryResetFeatures { host_query_reset: vk::TRUE }
    PhysicalDeviceScalarBlockLayoutFeatures { scalar_block_layout: vk::TRUE }
    PhysicalDeviceUniformBufferStandardLayoutFeatures { uniform_buffer_standard_layout: vk::TRUE }
    PhysicalDeviceSynchronization2Features { synchronization2: vk::TRUE }
}

/// vkCreateDevice's duty: every feature that is asked for must be there.
pub fn check(call: &Call, info: &vk::DeviceCreateInfo<'_>) -> Result<(), Fail> {
    let asked = call.read_opt(info.p_enabled_features);
    let asked = asked.or_else(|| call.find::<vk::PhysicalDeviceFeatures2<'_>>(info.p_next).map(|f| &f.features));
    let missing = asked.and_then(missing_core).or_else(|| missing_in_chain(call, info.p_next));
    match missing {
        Some(name) => Err(Fail::new(vk::Result::ERROR_FEATURE_NOT_PRESENT, format!("feature {name} is not supported"))),
        None => Ok(()),
    }
}

/// The name of a feature of Vulkan 1.0 that is asked for and not there.
fn missing_core(asked: &vk::PhysicalDeviceFeatures) -> Option<&'static str> {
    macro_rules! check {
        ($($field:ident)*) => { $(if asked.$field == vk::TRUE && core().$field != vk::TRUE {
            return Some(stringify!($field));
        })* };
    }
    check! {
        robust_buffer_access full_draw_index_uint32 image_cube_array independent_blend geometry_shader
        tessellation_shader sample_rate_shading dual_src_blend logic_op multi_draw_indirect
        draw_indirect_first_instance depth_clamp depth_bias_clamp fill_mode_non_solid depth_bounds wide_lines
        large_points alpha_to_one multi_viewport sampler_anisotropy texture_compression_etc2
        texture_compression_astc_ldr texture_compression_bc occlusion_query_precise pipeline_statistics_query
        vertex_pipeline_stores_and_atomics fragment_stores_and_atomics shader_tessellation_and_geometry_point_size
        shader_image_gather_extended shader_storage_image_extended_formats shader_storage_image_multisample
        shader_storage_image_read_without_format shader_storage_image_write_without_format
        shader_uniform_buffer_array_dynamic_indexing shader_sampled_image_array_dynamic_indexing
        shader_storage_buffer_array_dynamic_indexing shader_storage_image_array_dynamic_indexing shader_clip_distance
        shader_cull_distance shader_float64 shader_int64 shader_int16 shader_resource_residency
        shader_resource_min_lod sparse_binding sparse_residency_buffer sparse_residency_image2_d
        sparse_residency_image3_d sparse_residency2_samples sparse_residency4_samples sparse_residency8_samples
        sparse_residency16_samples sparse_residency_aliased variable_multisample_rate inherited_queries
    }
    None
}

entry! { call;
    fn vkGetPhysicalDeviceFeatures(device: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures) {
        call.write(features, core());
    }

    fn vkGetPhysicalDeviceFeatures2(device: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures2<'_>) {
        let features = call.out(features);
        features.features = core();
        fill_chain(call, features.p_next);
    }
}

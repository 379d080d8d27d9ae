//! Structures and extensions of headers newer than those of the bindings.

use ash::vk;
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;

/// `module = name of the extension; structure of its one feature or property = number of its type { feature }`.
macro_rules! newer {
    ($($module:ident = $name:literal; $struct:ident = $number:literal { $feature:ident })*) => { $(
        pub mod $module {
            pub const NAME: &super::CStr = $name;
            pub const SPEC_VERSION: u32 = 1;
        }

        #[repr(C)]
        pub struct $struct<'a> {
            pub s_type: vk::StructureType,
            pub p_next: *mut c_void,
            pub $feature: vk::Bool32,
            _marker: PhantomData<&'a ()>,
        }

        // SAFETY: laid out as the C structure, which begins with sType and pNext.
        unsafe impl vk::TaggedStructure for $struct<'_> {
            const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw($number);
        }
    )* };
}

newer! {
    // Its features' structure is that of VK_NV_compute_shader_derivatives.
    compute_shader_derivatives = c"VK_KHR_compute_shader_derivatives";
    PhysicalDeviceComputeShaderDerivativesPropertiesKHR = 1_000_511_000 { mesh_and_task_shader_derivatives }

    shader_relaxed_extended_instruction = c"VK_KHR_shader_relaxed_extended_instruction";
    PhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR = 1_000_558_000 { shader_relaxed_extended_instruction }

    shader_replicated_composites = c"VK_EXT_shader_replicated_composites";
    PhysicalDeviceShaderReplicatedCompositesFeaturesEXT = 1_000_564_000 { shader_replicated_composites }
}

//! Structures and extensions of headers newer than those of the bindings.

use ash::vk;
use std::ffi::c_void;
use std::marker::PhantomData;

pub mod shader_relaxed_extended_instruction {
    use std::ffi::CStr;
    pub const NAME: &CStr = c"VK_KHR_shader_relaxed_extended_instruction";
    pub const SPEC_VERSION: u32 = 1;
}

#[repr(C)]
pub struct PhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR<'a> {
    pub s_type: vk::StructureType,
    pub p_next: *mut c_void,
    pub shader_relaxed_extended_instruction: vk::Bool32,
    _marker: PhantomData<&'a ()>,
}

// SAFETY: laid out as the C structure, which begins with sType and pNext.
unsafe impl vk::TaggedStructure for PhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR<'_> {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1_000_558_000);
}

//! Shader modules and their identifiers (chapter "Shaders").

use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk;
use std::sync::Arc;
use wavepipe_runtime as runtime;

pub struct ShaderModule {
    pub runtime: Arc<runtime::ShaderModule>,
}

impl Object for ShaderModule {
    type Handle = vk::ShaderModule;
}

/// The words of a VkShaderModuleCreateInfo.
pub fn words<'a>(call: &'a Call, info: &'a vk::ShaderModuleCreateInfo<'_>) -> Result<&'a [u32], Fail> {
    let words = u32::try_from(info.code_size / 4).unwrap_or(u32::MAX);
    if !info.code_size.is_multiple_of(4) || !info.p_code.is_aligned() {
        return Err(Fail::new(vk::Result::ERROR_UNKNOWN, "SPIR-V must be whole words, 4-byte aligned"));
    }
    Ok(call.slice(info.p_code, words))
}

pub fn module(call: &Call, info: &vk::ShaderModuleCreateInfo<'_>) -> Result<Arc<runtime::ShaderModule>, Fail> {
    Ok(runtime::ShaderModule::new(words(call, info)?))
}

/// The identifier's algorithm, as shaderModuleIdentifierAlgorithmUUID names it: SHA-256 of the words.
pub const IDENTIFIER_ALGORITHM: [u8; 16] = *b"SHA-256 of SPIRV";

fn identify(out: &mut vk::ShaderModuleIdentifierEXT<'_>, id: runtime::ModuleId) {
    out.identifier_size = id.0.len() as u32;
    out.identifier[..id.0.len()].copy_from_slice(&id.0);
}

entry! { call;
    fn vkCreateShaderModule(
        device: vk::Device,
        info: *const vk::ShaderModuleCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::ShaderModule,
    ) -> vk::Result {
        call.device(device);
        let runtime = module(call, call.read(info))?;
        call.write(out, handle::create(ShaderModule { runtime }));
        SUCCESS
    }

    fn vkDestroyShaderModule(
        device: vk::Device,
        module: vk::ShaderModule,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<ShaderModule>(module);
    }

    fn vkGetShaderModuleIdentifierEXT(
        device: vk::Device,
        module: vk::ShaderModule,
        identifier: *mut vk::ShaderModuleIdentifierEXT<'_>,
    ) {
        identify(call.out(identifier), call.get::<ShaderModule>(module).runtime.id());
    }

    fn vkGetShaderModuleCreateInfoIdentifierEXT(
        device: vk::Device,
        info: *const vk::ShaderModuleCreateInfo<'_>,
        identifier: *mut vk::ShaderModuleIdentifierEXT<'_>,
    ) {
        let words = words(call, call.read(info)).unwrap_or(&[]);
        identify(call.out(identifier), runtime::ModuleId::of(words));
    }
}

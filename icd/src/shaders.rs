//! Shader modules (chapter "Shaders").

use crate::entry::{Fail, SUCCESS, entry};
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

entry! { call;
    fn vkCreateShaderModule(
        device: vk::Device,
        info: *const vk::ShaderModuleCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::ShaderModule,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let words = u32::try_from(info.code_size / 4).unwrap_or(u32::MAX);
        if info.code_size % 4 != 0 || !info.p_code.is_aligned() {
            return Err(Fail::new(vk::Result::ERROR_UNKNOWN, "SPIR-V must be whole words, 4-byte aligned"));
        }
        let runtime = runtime::ShaderModule::new(call.slice(info.p_code, words));
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
}

//! Render passes and framebuffers (chapter "Render Pass"): objects that can be made; no queue can record their use.

use crate::entry::{SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk;

struct RenderPass;

impl Object for RenderPass {
    type Handle = vk::RenderPass;
}

struct Framebuffer;

impl Object for Framebuffer {
    type Handle = vk::Framebuffer;
}

entry! { call;
    fn vkCreateRenderPass(
        device: vk::Device,
        info: *const vk::RenderPassCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::RenderPass,
    ) -> vk::Result {
        call.write(out, handle::create(RenderPass));
        SUCCESS
    }

    fn vkDestroyRenderPass(
        device: vk::Device,
        pass: vk::RenderPass,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<RenderPass>(pass);
    }

    fn vkGetRenderAreaGranularity(device: vk::Device, pass: vk::RenderPass, granularity: *mut vk::Extent2D) {
        call.write(granularity, vk::Extent2D { width: 1, height: 1 });
    }

    fn vkCreateFramebuffer(
        device: vk::Device,
        info: *const vk::FramebufferCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Framebuffer,
    ) -> vk::Result {
        call.write(out, handle::create(Framebuffer));
        SUCCESS
    }

    fn vkDestroyFramebuffer(
        device: vk::Device,
        framebuffer: vk::Framebuffer,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<Framebuffer>(framebuffer);
    }
}

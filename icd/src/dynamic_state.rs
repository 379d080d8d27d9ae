//! Commands of Vulkan 1.3, and of the extensions it came from, that set state of graphics pipelines (chapters "Fragment
//! Operations", "Rasterization" and others). There are no graphics pipelines, so they set nothing.

use crate::entry::entry;
use ash::vk;

entry! { call;
    fn vkCmdSetCullMode(commands: vk::CommandBuffer, mode: vk::CullModeFlags) {}
    fn vkCmdSetFrontFace(commands: vk::CommandBuffer, face: vk::FrontFace) {}
    fn vkCmdSetPrimitiveTopology(commands: vk::CommandBuffer, topology: vk::PrimitiveTopology) {}
    fn vkCmdSetViewportWithCount(commands: vk::CommandBuffer, count: u32, viewports: *const vk::Viewport) {}
    fn vkCmdSetScissorWithCount(commands: vk::CommandBuffer, count: u32, scissors: *const vk::Rect2D) {}
    fn vkCmdBindVertexBuffers2(
        commands: vk::CommandBuffer,
        first: u32,
        count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
        sizes: *const vk::DeviceSize,
        strides: *const vk::DeviceSize,
    ) {}
    fn vkCmdSetDepthTestEnable(commands: vk::CommandBuffer, enable: vk::Bool32) {}
    fn vkCmdSetDepthWriteEnable(commands: vk::CommandBuffer, enable: vk::Bool32) {}
    fn vkCmdSetDepthCompareOp(commands: vk::CommandBuffer, op: vk::CompareOp) {}
    fn vkCmdSetDepthBoundsTestEnable(commands: vk::CommandBuffer, enable: vk::Bool32) {}
    fn vkCmdSetStencilTestEnable(commands: vk::CommandBuffer, enable: vk::Bool32) {}
    fn vkCmdSetStencilOp(
        commands: vk::CommandBuffer,
        faces: vk::StencilFaceFlags,
        fail: vk::StencilOp,
        pass: vk::StencilOp,
        depth_fail: vk::StencilOp,
        compare: vk::CompareOp,
    ) {}
    fn vkCmdSetRasterizerDiscardEnable(commands: vk::CommandBuffer, enable: vk::Bool32) {}
    fn vkCmdSetDepthBiasEnable(commands: vk::CommandBuffer, enable: vk::Bool32) {}
    fn vkCmdSetPrimitiveRestartEnable(commands: vk::CommandBuffer, enable: vk::Bool32) {}
    fn vkCmdSetLogicOpEXT(commands: vk::CommandBuffer, op: vk::LogicOp) {}
    fn vkCmdSetPatchControlPointsEXT(commands: vk::CommandBuffer, points: u32) {}
}

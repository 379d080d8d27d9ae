//! Barriers as the program writes them, for the check of the order of commands. The machine's own barrier is always the strongest
//! one.

use crate::clears::image_range;
use crate::entry::Call;
use ash::vk;
use ash::vk::{AccessFlags2 as A, PipelineStageFlags2 as P};
use std::ops::Range;
use wavepipe_runtime::{CommandBuffer, Dependency, ImageLayout, Scope, Stages, Ways};

/// A stage mask of the first or the second scope of a dependency.
fn stages(mask: P, first: bool) -> Stages {
    let all = if first { P::ALL_COMMANDS | P::BOTTOM_OF_PIPE } else { P::ALL_COMMANDS | P::TOP_OF_PIPE };
    if mask.intersects(all) {
        return Stages::all();
    }
    let transfer = P::ALL_TRANSFER | P::COPY | P::RESOLVE | P::BLIT | P::CLEAR;
    let rows = [
        (P::DRAW_INDIRECT, Stages::INDIRECT),
        (P::COMPUTE_SHADER, Stages::COMPUTE),
        (transfer, Stages::TRANSFER),
        (P::HOST, Stages::HOST),
        (P::ALL_GRAPHICS, Stages::INDIRECT | Stages::OTHER),
    ];
    rows.iter().filter(|(bits, _)| mask.intersects(*bits)).map(|(_, stages)| *stages).collect()
}

/// An access mask.
fn ways(mask: A) -> Ways {
    let shader = A::SHADER_READ | A::UNIFORM_READ | A::SHADER_SAMPLED_READ | A::SHADER_STORAGE_READ;
    let rows = [
        (A::INDIRECT_COMMAND_READ, Ways::INDIRECT_READ),
        (shader, Ways::COMPUTE_READ),
        (A::SHADER_WRITE | A::SHADER_STORAGE_WRITE, Ways::COMPUTE_WRITE),
        (A::TRANSFER_READ, Ways::TRANSFER_READ),
        (A::TRANSFER_WRITE, Ways::TRANSFER_WRITE),
        (A::MEMORY_READ, Ways::all() - Ways::WRITES),
        (A::MEMORY_WRITE, Ways::WRITES),
    ];
    rows.iter().filter(|(bits, _)| mask.intersects(*bits)).map(|(_, ways)| *ways).collect()
}

/// A mask of the first version has the same bits in the second.
fn stages2(mask: vk::PipelineStageFlags) -> P {
    P::from_raw(mask.as_raw().into())
}

fn access2(mask: vk::AccessFlags) -> A {
    A::from_raw(mask.as_raw().into())
}

/// Tells what a barrier between these stages and accesses orders.
pub fn dependency(first: (P, A), second: (P, A), only: Option<Range<u64>>) -> Dependency {
    Dependency {
        first: Scope::new(stages(first.0, true), ways(first.1)),
        second: Scope::new(stages(second.0, false), ways(second.1)),
        only,
    }
}

/// Tells the same of masks of the first version.
pub fn dependency1(
    first: (vk::PipelineStageFlags, vk::AccessFlags),
    second: (vk::PipelineStageFlags, vk::AccessFlags),
    only: Option<Range<u64>>,
) -> Dependency {
    dependency((stages2(first.0), access2(first.1)), (stages2(second.0), access2(second.1)), only)
}

/// What is looked at of a layout.
pub fn layout(layout: vk::ImageLayout) -> ImageLayout {
    match layout {
        vk::ImageLayout::UNDEFINED => ImageLayout::Undefined,
        vk::ImageLayout::GENERAL => ImageLayout::General,
        vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL => ImageLayout::ShaderRead,
        vk::ImageLayout::TRANSFER_SRC_OPTIMAL => ImageLayout::TransferSource,
        vk::ImageLayout::TRANSFER_DST_OPTIMAL => ImageLayout::TransferDestination,
        _ => ImageLayout::Other,
    }
}

/// What an image barrier says of a layout, and makes of it.
pub struct Transition {
    image: vk::Image,
    range: vk::ImageSubresourceRange,
    old: vk::ImageLayout,
    new: vk::ImageLayout,
    /// It is also one between queue families: both sides say the same.
    hands_over: bool,
}

macro_rules! transition {
    ($barrier:expr) => {
        Transition {
            image: $barrier.image,
            range: $barrier.subresource_range,
            old: $barrier.old_layout,
            new: $barrier.new_layout,
            hands_over: $barrier.src_queue_family_index != $barrier.dst_queue_family_index,
        }
    };
}

/// Of barriers of the first version.
pub fn transitions1(images: &[vk::ImageMemoryBarrier<'_>]) -> impl Iterator<Item = Transition> {
    images.iter().map(|b| transition!(b))
}

impl Call {
    pub fn transitions<'a>(&'a self, info: &'a vk::DependencyInfo<'a>) -> impl Iterator<Item = Transition> + 'a {
        self.slice(info.p_image_memory_barriers, info.image_memory_barrier_count).iter().map(|b| transition!(b))
    }

    /// Records transitions behind the barrier that makes them, if anybody looks at them.
    pub fn lay_out(
        &self,
        commands: &mut CommandBuffer,
        command: &'static str,
        transitions: impl Iterator<Item = Transition>,
    ) {
        if !commands.checks_order() {
            return;
        }
        for t in transitions {
            let image = self.image(t.image);
            let range = image_range(image, &t.range);
            // UNDEFINED says nothing, and memory that the host has filled is in no layout before.
            let nothing = t.hands_over || matches!(t.old, vk::ImageLayout::UNDEFINED | vk::ImageLayout::PREINITIALIZED);
            let said = (!nothing).then(|| layout(t.old));
            let becomes = (t.old != t.new).then(|| layout(t.new));
            commands.layout(command, (image, &range), said, becomes);
        }
    }

    fn bytes_of_buffer(&self, buffer: vk::Buffer, offset: u64, size: u64) -> Range<u64> {
        let buffer = self.buffer(buffer);
        let rest = buffer.size().saturating_sub(offset);
        let start = buffer.address() + offset;
        start..start + if size == vk::WHOLE_SIZE { rest } else { size.min(rest) }
    }

    fn bytes_of_image(&self, image: vk::Image) -> Range<u64> {
        let image = self.image(image);
        image.address()..image.address() + image.requirements().0
    }

    /// What VkDependencyInfo orders.
    pub fn dependencies(&self, info: &vk::DependencyInfo<'_>) -> Vec<Dependency> {
        let memory = self
            .slice(info.p_memory_barriers, info.memory_barrier_count)
            .iter()
            .map(|b| dependency((b.src_stage_mask, b.src_access_mask), (b.dst_stage_mask, b.dst_access_mask), None));
        let buffers = self.slice(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count).iter().map(|b| {
            let bytes = self.bytes_of_buffer(b.buffer, b.offset, b.size);
            dependency((b.src_stage_mask, b.src_access_mask), (b.dst_stage_mask, b.dst_access_mask), Some(bytes))
        });
        let images = self.slice(info.p_image_memory_barriers, info.image_memory_barrier_count).iter().map(|b| {
            let bytes = self.bytes_of_image(b.image);
            dependency((b.src_stage_mask, b.src_access_mask), (b.dst_stage_mask, b.dst_access_mask), Some(bytes))
        });
        memory.chain(buffers).chain(images).collect()
    }

    /// What a barrier of the first version orders: with no memory at all, execution alone.
    pub fn dependencies1(
        &self,
        (source, dest): (vk::PipelineStageFlags, vk::PipelineStageFlags),
        memory: &[vk::MemoryBarrier<'_>],
        buffers: &[vk::BufferMemoryBarrier<'_>],
        images: &[vk::ImageMemoryBarrier<'_>],
    ) -> Vec<Dependency> {
        let made = |from: vk::AccessFlags, to: vk::AccessFlags, only| dependency1((source, from), (dest, to), only);
        let execution = std::iter::once(made(vk::AccessFlags::empty(), vk::AccessFlags::empty(), None));
        let memory = memory.iter().map(|b| made(b.src_access_mask, b.dst_access_mask, None));
        let buffers = buffers.iter().map(|b| {
            made(b.src_access_mask, b.dst_access_mask, Some(self.bytes_of_buffer(b.buffer, b.offset, b.size)))
        });
        let images =
            images.iter().map(|b| made(b.src_access_mask, b.dst_access_mask, Some(self.bytes_of_image(b.image))));
        execution.chain(memory).chain(buffers).chain(images).collect()
    }
}

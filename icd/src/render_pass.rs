//! Render passes, framebuffers and dynamic rendering (chapter "Render Pass"): load operations that clear, and resolves, on
//! what [`crate::rendering`] keeps of an instance. Attachments keep their contents otherwise: storing is what memory does.

use crate::entry::{Call, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::rendering::{Rendering, Resolve, Subpass, resolve_mode};
use ash::vk;
use std::sync::Arc;
use wavepipe_runtime::{Aspects, ImageLayout, ImageView, ResolveMode};

/// What a render pass says of an attachment.
struct Attachment {
    clears_color_or_depth: bool,
    clears_stencil: bool,
}

/// Attachments of a subpass by number.
#[derive(Default)]
struct SubpassInfo {
    color: Vec<Option<u32>>,
    depth_stencil: Option<u32>,
    inputs: Vec<u32>,
    color_resolves: Vec<(u32, u32)>,
    depth_resolve: Option<(u32, Option<ResolveMode>, Option<ResolveMode>)>,
    view_mask: u32,
}

impl SubpassInfo {
    fn uses(&self, attachment: u32) -> bool {
        self.color.contains(&Some(attachment))
            || self.depth_stencil == Some(attachment)
            || self.inputs.contains(&attachment)
            || self.color_resolves.iter().any(|(_, to)| *to == attachment)
            || self.depth_resolve.is_some_and(|(to, ..)| to == attachment)
    }
}

pub struct RenderPass {
    attachments: Vec<Attachment>,
    subpasses: Vec<SubpassInfo>,
}

impl Object for RenderPass {
    type Handle = vk::RenderPass;
}

struct Framebuffer {
    /// None if a render pass brings its own (imageless).
    views: Vec<Arc<ImageView>>,
    layers: u32,
}

impl Object for Framebuffer {
    type Handle = vk::Framebuffer;
}

fn clears(operation: vk::AttachmentLoadOp) -> bool {
    operation == vk::AttachmentLoadOp::CLEAR
}

fn used(attachment: u32) -> Option<u32> {
    (attachment != vk::ATTACHMENT_UNUSED).then_some(attachment)
}

/// The fields that both versions of the structures have.
macro_rules! attachment {
    ($a:expr) => {
        Attachment { clears_color_or_depth: clears($a.load_op), clears_stencil: clears($a.stencil_load_op) }
    };
}

macro_rules! numbers {
    ($call:expr, $refs:expr, $count:expr) => {
        $call.slice($refs, $count).iter().map(|r| used(r.attachment))
    };
}

macro_rules! subpass {
    ($call:expr, $s:expr) => {{
        let s = $s;
        let color: Vec<_> = numbers!($call, s.p_color_attachments, s.color_attachment_count).collect();
        let resolves = numbers!($call, s.p_resolve_attachments, s.color_attachment_count);
        SubpassInfo {
            color_resolves: color.iter().zip(resolves).filter_map(|(from, to)| Some(((*from)?, to?))).collect(),
            color,
            depth_stencil: $call.read_opt(s.p_depth_stencil_attachment).and_then(|r| used(r.attachment)),
            inputs: numbers!($call, s.p_input_attachments, s.input_attachment_count).flatten().collect(),
            ..Default::default()
        }
    }};
}

fn render_pass(call: &Call, info: &vk::RenderPassCreateInfo<'_>) -> RenderPass {
    let multiview = call.find::<vk::RenderPassMultiviewCreateInfo<'_>>(info.p_next);
    let masks = multiview.map_or(&[][..], |m| call.slice(m.p_view_masks, m.subpass_count));
    let subpasses = call.slice(info.p_subpasses, info.subpass_count).iter().enumerate();
    RenderPass {
        attachments: call.slice(info.p_attachments, info.attachment_count).iter().map(|a| attachment!(a)).collect(),
        subpasses: subpasses
            .map(|(i, s)| SubpassInfo { view_mask: masks.get(i).copied().unwrap_or(0), ..subpass!(call, s) })
            .collect(),
    }
}

fn render_pass2(call: &Call, info: &vk::RenderPassCreateInfo2<'_>) -> RenderPass {
    let subpass = |s: &vk::SubpassDescription2<'_>| {
        let resolve = call.find::<vk::SubpassDescriptionDepthStencilResolve<'_>>(s.p_next).and_then(|r| {
            let to = call.read_opt(r.p_depth_stencil_resolve_attachment).and_then(|a| used(a.attachment))?;
            Some((to, resolve_mode(r.depth_resolve_mode), resolve_mode(r.stencil_resolve_mode)))
        });
        SubpassInfo { depth_resolve: resolve, view_mask: s.view_mask, ..subpass!(call, s) }
    };
    RenderPass {
        attachments: call.slice(info.p_attachments, info.attachment_count).iter().map(|a| attachment!(a)).collect(),
        subpasses: call.slice(info.p_subpasses, info.subpass_count).iter().map(subpass).collect(),
    }
}

impl SubpassInfo {
    fn with(&self, views: &[Arc<ImageView>]) -> Subpass {
        let view = |n: u32| views.get(n as usize).cloned();
        let depth = self.depth_stencil.and_then(view);
        let has = |aspect| depth.clone().filter(|v| v.info().format.aspects().contains(aspect));
        let mut resolves = Vec::new();
        for (from, to) in &self.color_resolves {
            if let (Some(from), Some(to)) = (view(*from), view(*to)) {
                resolves.push(Resolve { from, to, aspect: Aspects::COLOR, mode: ResolveMode::Average });
            }
        }
        if let (Some(from), Some((to, depth_mode, stencil_mode))) = (&depth, self.depth_resolve)
            && let Some(to) = view(to)
        {
            for (aspect, mode) in [(Aspects::DEPTH, depth_mode), (Aspects::STENCIL, stencil_mode)] {
                let both = from.info().format.aspects() & to.info().format.aspects();
                if let Some(mode) = mode.filter(|_| both.contains(aspect)) {
                    resolves.push(Resolve { from: from.clone(), to: to.clone(), aspect, mode });
                }
            }
        }
        Subpass {
            color: self.color.iter().map(|c| c.and_then(view)).collect(),
            stencil: has(Aspects::STENCIL),
            depth: has(Aspects::DEPTH),
            resolves,
            view_mask: self.view_mask,
        }
    }
}

impl Call {
    fn begin_render_pass(&self, commands: vk::CommandBuffer, info: &vk::RenderPassBeginInfo<'_>) {
        let (pass, frame) = (self.get::<RenderPass>(info.render_pass), self.get::<Framebuffer>(info.framebuffer));
        let own = self.find::<vk::RenderPassAttachmentBeginInfo<'_>>(info.p_next);
        let own = own.map_or(&[][..], |own| self.slice(own.p_attachments, own.attachment_count));
        let views: Vec<_> = match own {
            [] => frame.views.clone(),
            own => own.iter().map(|view| self.image_view(*view).clone()).collect(),
        };
        let rendering = Rendering {
            area: info.render_area,
            layers: frame.layers,
            subpasses: pass.subpasses.iter().map(|s| s.with(&views)).collect(),
            suspending: false,
        };
        let values = self.slice(info.p_clear_values, info.clear_value_count);
        let mut recorder = self.recorder(commands);
        recorder.commands.pipeline_barrier();
        // What a render pass makes of its attachments is not looked at.
        for view in &views {
            let image = view.image();
            recorder.commands.layout("vkCmdBeginRenderPass", (image, &image.whole()), None, Some(ImageLayout::Other));
        }
        for (n, attachment) in pass.attachments.iter().enumerate() {
            let mut users = pass.subpasses.iter().filter(|s| s.uses(n as u32)).peekable();
            let (Some(view), Some(value), Some(_)) = (views.get(n), values.get(n), users.peek()) else { continue };
            let view_mask = users.fold(0, |all, s| all | s.view_mask);
            for aspect in view.info().format.aspects().iter() {
                let clears = match aspect {
                    Aspects::STENCIL => attachment.clears_stencil,
                    _ => attachment.clears_color_or_depth,
                };
                if clears {
                    let value = self.clear_value(value, aspect);
                    rendering.load_clear(&mut recorder.commands, view, aspect, value, view_mask);
                }
            }
        }
        recorder.begin_rendering(rendering);
    }

    fn begin_rendering(&self, commands: vk::CommandBuffer, info: &vk::RenderingInfo<'_>) {
        let colors = self.slice(info.p_color_attachments, info.color_attachment_count);
        let depth_stencil = [
            (Aspects::DEPTH, self.read_opt(info.p_depth_attachment)),
            (Aspects::STENCIL, self.read_opt(info.p_stencil_attachment)),
        ];
        let all = colors.iter().map(|c| (Aspects::COLOR, c));
        let all = all.chain(depth_stencil.iter().filter_map(|(aspect, a)| Some((*aspect, (*a)?))));
        let all: Vec<_> = all.filter_map(|(aspect, a)| Some((aspect, a, self.view_of(a.image_view)?))).collect();
        let resolve = |(aspect, a, from): &(Aspects, &vk::RenderingAttachmentInfo<'_>, Arc<ImageView>)| {
            let (mode, to) = (resolve_mode(a.resolve_mode)?, self.view_of(a.resolve_image_view)?);
            Some(Resolve { from: from.clone(), to, aspect: *aspect, mode })
        };
        let depth_or_stencil =
            |wanted| all.iter().find(|(aspect, ..)| *aspect == wanted).map(|(.., view)| view.clone());
        let subpass = Subpass {
            color: colors.iter().map(|c| self.view_of(c.image_view)).collect(),
            depth: depth_or_stencil(Aspects::DEPTH),
            stencil: depth_or_stencil(Aspects::STENCIL),
            resolves: all.iter().filter_map(resolve).collect(),
            view_mask: info.view_mask,
        };
        let rendering = Rendering {
            area: info.render_area,
            layers: info.layer_count,
            subpasses: [subpass].into(),
            suspending: info.flags.contains(vk::RenderingFlags::SUSPENDING),
        };
        let mut recorder = self.recorder(commands);
        recorder.commands.pipeline_barrier();
        if !info.flags.contains(vk::RenderingFlags::RESUMING) {
            for (aspect, a, view) in all.iter().filter(|(_, a, _)| clears(a.load_op)) {
                let value = self.clear_value(&a.clear_value, *aspect);
                rendering.load_clear(&mut recorder.commands, view, *aspect, value, info.view_mask);
            }
        }
        recorder.begin_rendering(rendering);
    }

    fn view_of(&self, handle: vk::ImageView) -> Option<Arc<ImageView>> {
        self.get_opt::<crate::images::ImageView>(handle).map(|view| view.runtime.clone())
    }
}

entry! { call;
    fn vkCreateRenderPass(
        device: vk::Device,
        info: *const vk::RenderPassCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::RenderPass,
    ) -> vk::Result {
        call.write(out, handle::create(render_pass(call, call.read(info))));
        SUCCESS
    }

    fn vkCreateRenderPass2(
        device: vk::Device,
        info: *const vk::RenderPassCreateInfo2<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::RenderPass,
    ) -> vk::Result {
        call.write(out, handle::create(render_pass2(call, call.read(info))));
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

    fn vkGetRenderingAreaGranularityKHR(
        device: vk::Device,
        info: *const vk::RenderingAreaInfoKHR<'_>,
        granularity: *mut vk::Extent2D,
    ) {
        call.write(granularity, vk::Extent2D { width: 1, height: 1 });
    }

    fn vkCreateFramebuffer(
        device: vk::Device,
        info: *const vk::FramebufferCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Framebuffer,
    ) -> vk::Result {
        let info = call.read(info);
        let views = match info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS) {
            true => Vec::new(),
            false => call.slice(info.p_attachments, info.attachment_count).iter().map(|v| call.image_view(*v).clone()).collect(),
        };
        call.write(out, handle::create(Framebuffer { views, layers: info.layers }));
        SUCCESS
    }

    fn vkDestroyFramebuffer(
        device: vk::Device,
        framebuffer: vk::Framebuffer,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<Framebuffer>(framebuffer);
    }

    fn vkCmdBeginRenderPass(
        commands: vk::CommandBuffer,
        begin: *const vk::RenderPassBeginInfo<'_>,
        contents: vk::SubpassContents,
    ) {
        call.begin_render_pass(commands, call.read(begin));
    }

    fn vkCmdBeginRenderPass2(
        commands: vk::CommandBuffer,
        begin: *const vk::RenderPassBeginInfo<'_>,
        subpass: *const vk::SubpassBeginInfo<'_>,
    ) {
        call.begin_render_pass(commands, call.read(begin));
    }

    fn vkCmdNextSubpass(commands: vk::CommandBuffer, contents: vk::SubpassContents) {
        call.recorder(commands).next_subpass();
    }

    fn vkCmdNextSubpass2(
        commands: vk::CommandBuffer,
        begin: *const vk::SubpassBeginInfo<'_>,
        end: *const vk::SubpassEndInfo<'_>,
    ) {
        call.recorder(commands).next_subpass();
    }

    fn vkCmdEndRenderPass(commands: vk::CommandBuffer) {
        call.recorder(commands).end_rendering();
    }

    fn vkCmdEndRenderPass2(commands: vk::CommandBuffer, end: *const vk::SubpassEndInfo<'_>) {
        call.recorder(commands).end_rendering();
    }

    fn vkCmdBeginRendering(commands: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>) {
        call.begin_rendering(commands, call.read(info));
    }

    fn vkCmdEndRendering(commands: vk::CommandBuffer) {
        call.recorder(commands).end_rendering();
    }
}

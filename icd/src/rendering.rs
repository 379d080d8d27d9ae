//! A render pass instance while it is recorded: attachments, area and layers; load operations that clear, and resolves.
//! Render passes and dynamic rendering both come here. Nothing is drawn in between.

use crate::clears::AttachmentClear;
use ash::vk;
use std::sync::Arc;
use wavepipe_runtime::{Area, Aspects, CommandBuffer, ImageView, ResolveMode};

/// A resolve at the end of a subpass.
#[derive(Clone)]
pub struct Resolve {
    pub from: Arc<ImageView>,
    pub to: Arc<ImageView>,
    pub aspect: Aspects,
    pub mode: ResolveMode,
}

/// What the commands of a subpass reach.
#[derive(Clone, Default)]
pub struct Subpass {
    pub color: Vec<Option<Arc<ImageView>>>,
    pub depth: Option<Arc<ImageView>>,
    pub stencil: Option<Arc<ImageView>>,
    pub resolves: Vec<Resolve>,
    /// Layers that are rendered; 0 = all of the framebuffer's.
    pub view_mask: u32,
}

/// A render pass instance.
#[derive(Clone)]
pub struct Rendering {
    pub area: vk::Rect2D,
    pub layers: u32,
    /// The current one, then those that follow.
    pub subpasses: std::collections::VecDeque<Subpass>,
    /// Another instance goes on with this one: nothing is resolved yet.
    pub suspending: bool,
}

/// How a resolve mode without a bit in it is none.
pub fn resolve_mode(mode: vk::ResolveModeFlags) -> Option<ResolveMode> {
    match mode {
        vk::ResolveModeFlags::SAMPLE_ZERO => Some(ResolveMode::SampleZero),
        vk::ResolveModeFlags::AVERAGE => Some(ResolveMode::Average),
        vk::ResolveModeFlags::MIN => Some(ResolveMode::Min),
        vk::ResolveModeFlags::MAX => Some(ResolveMode::Max),
        _ => None,
    }
}

impl Rendering {
    /// First layer and count of each run of layers that a view mask names.
    fn runs(&self, view_mask: u32) -> Vec<(u32, u32)> {
        if view_mask == 0 {
            return vec![(0, self.layers)];
        }
        (0..32).filter(|view| view_mask >> view & 1 != 0).map(|view| (view, 1)).collect()
    }

    fn area(&self, rect: vk::Rect2D, (first_layer, layers): (u32, u32)) -> Area {
        let origin = [rect.offset.x, rect.offset.y].map(|n| n.max(0) as u32);
        Area { origin, extent: [rect.extent.width, rect.extent.height], first_layer, layers }
    }

    /// A load operation that clears.
    pub fn load_clear(
        &self,
        commands: &mut CommandBuffer,
        view: &Arc<ImageView>,
        aspect: Aspects,
        value: [u32; 4],
        view_mask: u32,
    ) {
        for run in self.runs(view_mask) {
            commands.clear_attachment(view, aspect, value, &self.area(self.area, run));
        }
    }

    pub fn clear(&self, commands: &mut CommandBuffer, clear: &AttachmentClear) {
        let Some(subpass) = self.subpasses.front() else { return };
        let view = match clear.aspect {
            Aspects::DEPTH => subpass.depth.as_ref(),
            Aspects::STENCIL => subpass.stencil.as_ref(),
            _ => subpass.color.get(clear.color as usize).and_then(Option::as_ref),
        };
        // An unused attachment is cleared of nothing.
        let Some(view) = view else { return };
        let layers = match subpass.view_mask {
            0 => vec![(clear.first_layer, clear.layers)],
            mask => self.runs(mask),
        };
        for run in layers {
            commands.clear_attachment(view, clear.aspect, clear.value, &self.area(clear.rect, run));
        }
    }

    /// Ends the current subpass.
    pub fn next(&mut self, commands: &mut CommandBuffer) {
        let Some(subpass) = self.subpasses.pop_front() else { return };
        if subpass.resolves.is_empty() || self.suspending {
            return;
        }
        commands.pipeline_barrier();
        for r in &subpass.resolves {
            for run in self.runs(subpass.view_mask) {
                commands.resolve_attachment(&r.from, &r.to, r.aspect, r.mode, &self.area(self.area, run));
            }
        }
        commands.pipeline_barrier();
    }
}

//! Window System Integration (chapter of that name): surfaces, swapchains, and the window systems behind them.
//!
//! [`surfaces`] and [`swapchains`] are entry points; a window system is a [`Window`] with its `Screen`: [`headless`], [`x11`], [`wayland`].
//! [`foreign`] calls the program's own libraries. Nothing is connected to before a program makes a surface.

pub mod surfaces;
pub mod swapchains;

mod foreign;
mod headless;
mod wayland;
mod x11;

use ash::vk;
use wavepipe_runtime::swapchain::{Condition, PresentMode, Screen};

/// What a surface stands for.
pub trait Window: Send + Sync {
    /// Its size; `None` if that is its swapchain's.
    ///
    /// # Errors
    /// It is gone.
    fn extent(&self) -> Result<Option<[u32; 2]>, Condition>;

    /// How pictures may cover what is behind the window.
    fn alphas(&self) -> vk::CompositeAlphaFlagsKHR;

    fn modes(&self) -> &'static [vk::PresentModeKHR];

    /// Whether any picture can be shown in it.
    fn is_presentable(&self) -> bool {
        true
    }

    /// Has what the program asked of the window so far reach the window system.
    fn settle(&self) {}

    /// What shows pictures in it; `opaque`: alpha does not count.
    fn screen(&self, extent: [u32; 2], mode: PresentMode, opaque: bool) -> Result<Box<dyn Screen>, Condition>;
}

/// What a call answers when things stand so.
fn result(condition: Condition) -> vk::Result {
    match condition {
        Condition::Good => vk::Result::SUCCESS,
        Condition::OutOfDate => vk::Result::ERROR_OUT_OF_DATE_KHR,
        Condition::Lost => vk::Result::ERROR_SURFACE_LOST_KHR,
    }
}

//! VK_EXT_headless_surface: a window that nobody sees, of any size.

use super::Window;
use ash::vk;
use std::time::Duration;
use wavepipe_runtime::swapchain::{Arrangement, Channels, Condition, Picture, PresentMode, Screen};

/// From blank to blank, where no display says otherwise.
pub const REFRESH: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// What a window that takes pictures at any time can do.
pub const ALL_MODES: &[vk::PresentModeKHR] =
    &[vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

pub struct Headless;

impl Window for Headless {
    fn extent(&self) -> Result<Option<[u32; 2]>, Condition> {
        Ok(None)
    }

    fn alphas(&self) -> vk::CompositeAlphaFlagsKHR {
        vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::INHERIT
    }

    fn modes(&self) -> &'static [vk::PresentModeKHR] {
        ALL_MODES
    }

    fn screen(&self, _: [u32; 2], _: PresentMode, _: bool) -> Result<Box<dyn Screen>, Condition> {
        Ok(Box::new(Headless))
    }
}

impl Screen for Headless {
    fn arrangement(&self, texel: Channels) -> Arrangement {
        Arrangement::new(texel, texel, false)
    }

    fn period(&self) -> Option<Duration> {
        Some(REFRESH)
    }

    fn show(&mut self, _: &Picture<'_>) -> Result<(), Condition> {
        Ok(())
    }
}

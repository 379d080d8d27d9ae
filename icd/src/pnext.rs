//! pNext chains. An input chain is searched by type; an output chain is walked, and whoever knows a structure fills it.
//! Structures that nobody knows are skipped, as the specification asks.

use crate::entry::Call;
use ash::vk;
use std::ffi::c_void;

impl Call {
    /// The first structure of type `T` in the chain that starts at `next`.
    pub fn find<T: vk::TaggedStructure>(&self, next: *const c_void) -> Option<&T> {
        let mut link = next.cast::<vk::BaseInStructure<'_>>();
        // SAFETY: valid usage: a chain of valid structures, each beginning with sType and pNext, ended by null.
        while let Some(base) = unsafe { link.as_ref() } {
            if base.s_type == T::STRUCTURE_TYPE {
                // SAFETY: sType says that this is a T.
                return Some(unsafe { &*link.cast::<T>() });
            }
            link = base.p_next;
        }
        None
    }

    /// Visits every structure of an output chain.
    pub fn fill_chain(&self, next: *mut c_void, mut visit: impl FnMut(&mut Link)) {
        let mut link = next.cast::<vk::BaseOutStructure<'_>>();
        // SAFETY: valid usage: a chain of valid structures, each beginning with sType and pNext, ended by null.
        while let Some(base) = unsafe { link.as_ref() } {
            let (s_type, after) = (base.s_type, base.p_next);
            visit(&mut Link { s_type, at: link.cast() });
            link = after;
        }
    }
}

/// One structure of an output chain.
pub struct Link {
    s_type: vk::StructureType,
    at: *mut c_void,
}

impl Link {
    /// Runs `fill` on the structure if it is a `T`.
    pub fn fill<T: vk::TaggedStructure>(&mut self, fill: impl FnOnce(&mut T)) -> &mut Link {
        if self.s_type == T::STRUCTURE_TYPE {
            // SAFETY: sType says that this is a T, and valid usage that it is writable during the call; `Link` lives
            // only inside `fill_chain`.
            fill(unsafe { &mut *self.at.cast::<T>() });
        }
        self
    }
}

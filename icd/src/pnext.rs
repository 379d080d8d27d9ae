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

    /// Visits every structure of an input chain.
    pub fn read_chain(&self, next: *const c_void, mut visit: impl FnMut(&InLink)) {
        let mut link = next.cast::<vk::BaseInStructure<'_>>();
        // SAFETY: valid usage: a chain of valid structures, each beginning with sType and pNext, ended by null.
        while let Some(base) = unsafe { link.as_ref() } {
            visit(&InLink { s_type: base.s_type, at: link.cast() });
            link = base.p_next;
        }
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

/// One structure of an input chain.
pub struct InLink {
    s_type: vk::StructureType,
    at: *const c_void,
}

impl InLink {
    /// The flag, which is off in a structure that does not have it.
    pub fn flag(&self, flag: &Flag) -> bool {
        // SAFETY: sType says that the structure is the flag's, where `Flag::new` found room for it; valid usage says that
        // it is readable during the call, and `InLink` lives only inside `read_chain`.
        self.s_type == flag.s_type
            && unsafe { self.at.byte_add(flag.offset as usize).cast::<vk::Bool32>().read() } != vk::FALSE
    }
}

/// Where a VkBool32 is: in which structure, and how many bytes into it.
pub struct Flag {
    s_type: vk::StructureType,
    offset: u32,
    struct_bytes: u32,
}

impl Flag {
    /// `offset` is that of a VkBool32 behind sType and pNext.
    pub const fn new<T: vk::TaggedStructure>(offset: usize) -> Flag {
        let head = size_of::<vk::BaseOutStructure<'_>>();
        assert!(offset >= head && offset.is_multiple_of(4) && offset + size_of::<vk::Bool32>() <= size_of::<T>());
        Flag { s_type: T::STRUCTURE_TYPE, offset: offset as u32, struct_bytes: size_of::<T>() as u32 }
    }

    /// Tells the type and the bytes of the structure.
    pub fn structure(&self) -> (vk::StructureType, usize) {
        (self.s_type, self.struct_bytes as usize)
    }
}

impl Link {
    /// Stores the flag if the structure has it.
    pub fn put_flag(&mut self, flag: &Flag, value: bool) {
        if self.s_type == flag.s_type {
            // SAFETY: sType says that the structure is the flag's, where `Flag::new` found room for it; valid usage says
            // that it is writable during the call, and `Link` lives only inside `fill_chain`.
            unsafe { self.at.byte_add(flag.offset as usize).cast::<vk::Bool32>().write(value.into()) }
        }
    }

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

//! Private data (chapter "Private Data"): a number that a program ties to an object, in a slot of its own. An object keeps
//! its numbers behind its handle; a slot is only an identity, which no later slot shares.

use crate::entry::{SUCCESS, entry};
use crate::handle::{self, Object};
use ash::vk;
use std::sync::atomic::{AtomicU64, Ordering};

struct PrivateDataSlot {
    id: u64,
}

impl Object for PrivateDataSlot {
    type Handle = vk::PrivateDataSlot;
}

static NEXT: AtomicU64 = AtomicU64::new(0);

entry! { call;
    fn vkCreatePrivateDataSlot(
        device: vk::Device,
        info: *const vk::PrivateDataSlotCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::PrivateDataSlot,
    ) -> vk::Result {
        call.write(out, handle::create(PrivateDataSlot { id: NEXT.fetch_add(1, Ordering::Relaxed) }));
        SUCCESS
    }

    fn vkDestroyPrivateDataSlot(
        device: vk::Device,
        slot: vk::PrivateDataSlot,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<PrivateDataSlot>(slot);
    }

    fn vkSetPrivateData(
        device: vk::Device,
        kind: vk::ObjectType,
        object: u64,
        slot: vk::PrivateDataSlot,
        data: u64,
    ) -> vk::Result {
        call.set_private(kind, object, call.get::<PrivateDataSlot>(slot).id, data);
        SUCCESS
    }

    fn vkGetPrivateData(
        device: vk::Device,
        kind: vk::ObjectType,
        object: u64,
        slot: vk::PrivateDataSlot,
        data: *mut u64,
    ) {
        call.write(data, call.private(kind, object, call.get::<PrivateDataSlot>(slot).id));
    }
}

//! Fences and semaphores that others see (VK_KHR_external_fence_fd, VK_KHR_external_semaphore_fd).
//!
//! An opaque descriptor shares the payload itself. Sync files are the kernel's, which knows nothing of this GPU: exporting one
//! waits for the payload, and gives −1, the descriptor of what is done already; importing one waits for it.

use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::synchronization::{Fence, Semaphore};
use ash::vk;
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::os::fd::IntoRawFd as _;
use std::sync::Arc;
use wavepipe_runtime as runtime;

/// What a handle stands for: a payload of its own, and one imported for a while.
pub struct Payload<T>(Mutex<(Arc<T>, Option<Arc<T>>)>);

impl<T> Payload<T> {
    pub fn new(own: Arc<T>) -> Payload<T> {
        Payload(Mutex::new((own, None)))
    }

    pub fn get(&self) -> Arc<T> {
        let payload = self.0.lock();
        payload.1.as_ref().unwrap_or(&payload.0).clone()
    }

    /// For what ends a temporary import: a semaphore's wait.
    pub fn take(&self) -> Arc<T> {
        let mut payload = self.0.lock();
        payload.1.take().unwrap_or_else(|| payload.0.clone())
    }

    /// Ends a temporary import: the first thing in a fence's reset.
    pub fn restore(&self) -> Arc<T> {
        let mut payload = self.0.lock();
        payload.1 = None;
        payload.0.clone()
    }

    fn import(&self, payload: Arc<T>, temporary: bool) {
        let mut old = self.0.lock();
        *old = if temporary { (old.0.clone(), Some(payload)) } else { (payload, None) };
    }
}

const OPAQUE_FENCE: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
const OPAQUE_SEMAPHORE: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

/// Whether a VkFenceCreateInfo's chain asks for an opaque descriptor later.
pub fn exports_fence(call: &Call, next: *const c_void) -> bool {
    call.find::<vk::ExportFenceCreateInfo<'_>>(next).is_some_and(|e| e.handle_types.contains(OPAQUE_FENCE))
}

/// Whether a VkSemaphoreCreateInfo's chain asks for an opaque descriptor later.
pub fn exports_semaphore(call: &Call, next: *const c_void) -> bool {
    call.find::<vk::ExportSemaphoreCreateInfo<'_>>(next).is_some_and(|e| e.handle_types.contains(OPAQUE_SEMAPHORE))
}

fn unknown(what: impl std::fmt::Debug) -> Fail {
    Fail::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, format!("file descriptors of {what:?} are not supported"))
}

/// Waits for a sync file, which is the driver's from now on; −1 is one that is done.
fn wait_sync_file(call: &Call, fd: c_int) -> Result<(), Fail> {
    if fd != -1 {
        runtime::wait_sync_file(call.borrow_fd(fd)?)?;
        call.close_fd(fd);
    }
    Ok(())
}

entry! { call;
    fn vkGetPhysicalDeviceExternalFenceProperties(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceExternalFenceInfo<'_>,
        properties: *mut vk::ExternalFenceProperties<'_>,
    ) {
        let handle = call.read(info).handle_type;
        let known = handle == OPAQUE_FENCE || handle == vk::ExternalFenceHandleTypeFlags::SYNC_FD;
        let both = vk::ExternalFenceFeatureFlags::EXPORTABLE | vk::ExternalFenceFeatureFlags::IMPORTABLE;
        let same = if known { handle } else { vk::ExternalFenceHandleTypeFlags::empty() };
        let properties = call.out(properties);
        properties.export_from_imported_handle_types = same;
        properties.compatible_handle_types = same;
        properties.external_fence_features = if known { both } else { vk::ExternalFenceFeatureFlags::empty() };
    }

    /// A timeline is no sync file, which signals once.
    fn vkGetPhysicalDeviceExternalSemaphoreProperties(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
        properties: *mut vk::ExternalSemaphoreProperties<'_>,
    ) {
        let info = call.read(info);
        let handle = info.handle_type;
        let kind = call.find::<vk::SemaphoreTypeCreateInfo<'_>>(info.p_next);
        let timeline = kind.is_some_and(|k| k.semaphore_type == vk::SemaphoreType::TIMELINE);
        let known =
            handle == OPAQUE_SEMAPHORE || handle == vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD && !timeline;
        let both = vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
        let same = if known { handle } else { vk::ExternalSemaphoreHandleTypeFlags::empty() };
        let properties = call.out(properties);
        properties.export_from_imported_handle_types = same;
        properties.compatible_handle_types = same;
        properties.external_semaphore_features = if known { both } else { vk::ExternalSemaphoreFeatureFlags::empty() };
    }

    fn vkImportFenceFdKHR(device: vk::Device, info: *const vk::ImportFenceFdInfoKHR<'_>) -> vk::Result {
        let device = &call.device(device).runtime;
        let info = call.read(info);
        let fence = call.get::<Fence>(info.fence);
        match info.handle_type {
            OPAQUE_FENCE => {
                let payload = runtime::Fence::import(device, call.borrow_fd(info.fd)?)?;
                call.close_fd(info.fd);
                fence.payload.import(payload, info.flags.contains(vk::FenceImportFlags::TEMPORARY));
            }
            vk::ExternalFenceHandleTypeFlags::SYNC_FD => {
                wait_sync_file(call, info.fd)?;
                fence.payload.import(runtime::Fence::new(device, true), true);
            }
            other => return Err(unknown(other)),
        }
        SUCCESS
    }

    fn vkGetFenceFdKHR(
        device: vk::Device,
        info: *const vk::FenceGetFdInfoKHR<'_>,
        out: *mut c_int,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let fence = call.get::<Fence>(info.fence);
        let fd = match info.handle_type {
            OPAQUE_FENCE => fence.payload.get().export()?.into_raw_fd(),
            vk::ExternalFenceHandleTypeFlags::SYNC_FD => {
                fence.payload.get().wait(None)?;
                // The descriptor has the payload now.
                fence.payload.restore().reset();
                -1
            }
            other => return Err(unknown(other)),
        };
        call.write(out, fd);
        SUCCESS
    }

    fn vkImportSemaphoreFdKHR(device: vk::Device, info: *const vk::ImportSemaphoreFdInfoKHR<'_>) -> vk::Result {
        let device = &call.device(device).runtime;
        let info = call.read(info);
        let semaphore = call.get::<Semaphore>(info.semaphore);
        match info.handle_type {
            OPAQUE_SEMAPHORE => {
                let timeline = semaphore.payload.get().is_timeline();
                let payload = runtime::Semaphore::import(device, call.borrow_fd(info.fd)?, timeline)?;
                call.close_fd(info.fd);
                semaphore.payload.import(payload, info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY));
            }
            vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD => {
                wait_sync_file(call, info.fd)?;
                // A new binary semaphore has no signal to wait for.
                semaphore.payload.import(runtime::Semaphore::binary(device)?, true);
            }
            other => return Err(unknown(other)),
        }
        SUCCESS
    }

    fn vkGetSemaphoreFdKHR(
        device: vk::Device,
        info: *const vk::SemaphoreGetFdInfoKHR<'_>,
        out: *mut c_int,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let semaphore = call.get::<Semaphore>(info.semaphore);
        let fd = match info.handle_type {
            OPAQUE_SEMAPHORE => semaphore.payload.get().export()?.into_raw_fd(),
            vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD => {
                semaphore.payload.take().wait(0, None)?;
                -1
            }
            other => return Err(unknown(other)),
        };
        call.write(out, fd);
        SUCCESS
    }
}

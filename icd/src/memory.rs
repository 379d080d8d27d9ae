//! Device memory (chapter "Memory Allocation"). Memory is the host's own: always mapped, always coherent. It can be shared by
//! file descriptors (VK_KHR_external_memory_fd), and be the program's (VK_EXT_external_memory_host).

use crate::device_and_queue::Device;
use crate::entry::{Call, Fail, SUCCESS, entry};
use crate::handle::{self, Object};
use crate::physical_device::MEMORY_TYPE_BITS;
use ash::vk;
use std::ffi::{c_int, c_void};
use std::os::fd::IntoRawFd as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use wavepipe_runtime as runtime;
use wavepipe_runtime::machine;

pub struct Memory {
    pub runtime: Arc<runtime::Memory>,
    _counted: Counted,
}

/// One of the device's allocations, of which there are maxMemoryAllocationCount.
struct Counted(Arc<Device>);

impl Counted {
    fn new(device: &Arc<Device>) -> Result<Counted, Fail> {
        // Counted first, so that the drop takes it back.
        let counted = Counted(device.clone());
        let most = machine::LIMITS.max_allocations;
        if device.allocations.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(Fail::new(vk::Result::ERROR_TOO_MANY_OBJECTS, format!("there are {most} allocations already")));
        }
        Ok(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.allocations.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Object for Memory {
    type Handle = vk::DeviceMemory;
}

impl Call {
    pub fn memory(&self, handle: vk::DeviceMemory) -> &Arc<runtime::Memory> {
        &self.get::<Memory>(handle).runtime
    }
}

/// Handle types whose memory is the program's own.
pub const HOST_HANDLES: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::from_raw(
    vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT.as_raw()
        | vk::ExternalMemoryHandleTypeFlags::HOST_MAPPED_FOREIGN_MEMORY_EXT.as_raw(),
);

/// minImportedHostPointerAlignment: a page.
pub const HOST_POINTER_ALIGNMENT: u64 = 4096;

/// What can be done with a handle type's memory.
pub fn external_properties(handle: vk::ExternalMemoryHandleTypeFlags) -> vk::ExternalMemoryProperties {
    let (import, export) = (vk::ExternalMemoryFeatureFlags::IMPORTABLE, vk::ExternalMemoryFeatureFlags::EXPORTABLE);
    let fd = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    if handle == fd {
        vk::ExternalMemoryProperties {
            external_memory_features: import | export,
            export_from_imported_handle_types: fd,
            compatible_handle_types: fd,
        }
    } else {
        let host = HOST_HANDLES.contains(handle);
        vk::ExternalMemoryProperties {
            external_memory_features: if host { import } else { vk::ExternalMemoryFeatureFlags::empty() },
            export_from_imported_handle_types: vk::ExternalMemoryHandleTypeFlags::empty(),
            compatible_handle_types: handle,
        }
    }
}

/// The memory that a VkMemoryAllocateInfo and its chain ask for. What asks for nothing special (flags, priority, the dedicated
/// resource) changes nothing.
fn allocate(
    call: &Call,
    device: &Arc<runtime::Device>,
    info: &vk::MemoryAllocateInfo<'_>,
) -> Result<Arc<runtime::Memory>, Fail> {
    let size = info.allocation_size;
    if let Some(import) = call.find::<vk::ImportMemoryFdInfoKHR<'_>>(info.p_next)
        && !import.handle_type.is_empty()
    {
        if import.handle_type != vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD {
            let message = format!("file descriptors of {:?} cannot be imported", import.handle_type);
            return Err(Fail::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, message));
        }
        let memory = runtime::Memory::import(device, call.borrow_fd(import.fd)?, size)?;
        // A successful import takes the program's descriptor over.
        call.close_fd(import.fd);
        return Ok(memory);
    }
    if let Some(import) = call.find::<vk::ImportMemoryHostPointerInfoEXT<'_>>(info.p_next)
        && !import.handle_type.is_empty()
    {
        let start = import.p_host_pointer as u64;
        if start == 0 || !start.is_multiple_of(HOST_POINTER_ALIGNMENT) || !size.is_multiple_of(HOST_POINTER_ALIGNMENT) {
            let message =
                format!("{size} bytes at {start:#x}: whole pages of {HOST_POINTER_ALIGNMENT} bytes are importable");
            return Err(Fail::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, message));
        }
        return Ok(runtime::Memory::import_host(device, call.host_memory(import.p_host_pointer, size))?);
    }
    let export = call.find::<vk::ExportMemoryAllocateInfo<'_>>(info.p_next);
    match export.is_some_and(|e| e.handle_types.contains(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD)) {
        true => Ok(runtime::Memory::allocate_exportable(device, size)?),
        false => Ok(runtime::Memory::allocate(device, size)?),
    }
}

/// The host's address of a byte of `memory`.
fn map(memory: &runtime::Memory, offset: u64, size: u64) -> Result<*mut c_void, Fail> {
    if offset >= memory.size() || size != vk::WHOLE_SIZE && size > memory.size() - offset {
        let message = format!("bytes {offset}..+{size} are outside of an allocation of {}", memory.size());
        return Err(Fail::new(vk::Result::ERROR_MEMORY_MAP_FAILED, message));
    }
    Ok(memory.host_ptr().wrapping_add(offset as usize).cast())
}

entry! { call;
    fn vkAllocateMemory(
        device: vk::Device,
        info: *const vk::MemoryAllocateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::DeviceMemory,
    ) -> vk::Result {
        let device = call.device(device);
        let counted = Counted::new(device)?;
        let runtime = allocate(call, &device.runtime, call.read(info))?;
        call.write(out, handle::create(Memory { runtime, _counted: counted }));
        SUCCESS
    }

    fn vkFreeMemory(device: vk::Device, memory: vk::DeviceMemory, _allocator: *const vk::AllocationCallbacks<'_>) {
        call.destroy::<Memory>(memory);
    }

    fn vkMapMemory(
        device: vk::Device,
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        flags: vk::MemoryMapFlags,
        out: *mut *mut c_void,
    ) -> vk::Result {
        call.device(device);
        call.write(out, map(call.memory(memory), offset, size)?);
        SUCCESS
    }

    fn vkMapMemory2KHR(
        device: vk::Device,
        info: *const vk::MemoryMapInfoKHR<'_>,
        out: *mut *mut c_void,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        call.write(out, map(call.memory(info.memory), info.offset, info.size)?);
        SUCCESS
    }

    fn vkUnmapMemory(device: vk::Device, memory: vk::DeviceMemory) {}

    fn vkUnmapMemory2KHR(device: vk::Device, info: *const vk::MemoryUnmapInfoKHR<'_>) -> vk::Result {
        SUCCESS
    }

    fn vkGetMemoryFdKHR(
        device: vk::Device,
        info: *const vk::MemoryGetFdInfoKHR<'_>,
        out: *mut c_int,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        if info.handle_type != vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD {
            let message = format!("memory cannot be exported as {:?}", info.handle_type);
            return Err(Fail::new(vk::Result::ERROR_UNKNOWN, message));
        }
        call.write(out, call.memory(info.memory).export()?.into_raw_fd());
        SUCCESS
    }

    /// Opaque descriptors are not to be asked about, and there are no others.
    fn vkGetMemoryFdPropertiesKHR(
        device: vk::Device,
        handle: vk::ExternalMemoryHandleTypeFlags,
        fd: c_int,
        properties: *mut vk::MemoryFdPropertiesKHR<'_>,
    ) -> vk::Result {
        call.device(device);
        let message = format!("file descriptors of {handle:?} have no properties that can be asked for");
        Err(Fail::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, message))
    }

    fn vkGetMemoryHostPointerPropertiesEXT(
        device: vk::Device,
        handle: vk::ExternalMemoryHandleTypeFlags,
        pointer: *const c_void,
        properties: *mut vk::MemoryHostPointerPropertiesEXT<'_>,
    ) -> vk::Result {
        call.device(device);
        if !HOST_HANDLES.contains(handle) || !(pointer as u64).is_multiple_of(HOST_POINTER_ALIGNMENT) {
            let message = format!("{pointer:?} as {handle:?}: whole pages of the program's memory are importable");
            return Err(Fail::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, message));
        }
        runtime::Memory::check_host(&call.host_memory(pointer.cast_mut(), HOST_POINTER_ALIGNMENT))?;
        call.out(properties).memory_type_bits = MEMORY_TYPE_BITS;
        SUCCESS
    }

    fn vkFlushMappedMemoryRanges(
        device: vk::Device,
        count: u32,
        ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        SUCCESS
    }

    fn vkInvalidateMappedMemoryRanges(
        device: vk::Device,
        count: u32,
        ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        SUCCESS
    }

    fn vkGetDeviceMemoryCommitment(device: vk::Device, memory: vk::DeviceMemory, committed: *mut vk::DeviceSize) {
        call.write(committed, call.memory(memory).size());
    }

    /// Capture and replay of addresses is not supported; 0 says so.
    fn vkGetDeviceMemoryOpaqueCaptureAddress(
        device: vk::Device,
        info: *const vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
    ) -> u64 {
        0
    }
}

//! Memory of the program that the GPU cannot write is refused by name, instead of ending the process at the first store.

use crate::common::{Gpu, entry};
use ash::vk;

const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

#[repr(align(4096))]
struct Pages([u8; 16384]);

/// In the program's read-only segment.
static CONSTANT: Pages = Pages([1; 16384]);

/// What asking for its properties, and importing it, say of memory.
fn import(gpu: &Gpu, start: *const u8, size: u64) -> (vk::Result, vk::Result) {
    let of = ash::ext::external_memory_host::Device::new(&gpu.instance, &gpu.device);
    let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
    let mut import =
        vk::ImportMemoryHostPointerInfoEXT::default().handle_type(HANDLE).host_pointer(start.cast_mut().cast());
    let info = vk::MemoryAllocateInfo::default().allocation_size(size).push_next(&mut import);
    // SAFETY: valid usage, but for memory that is not the program's to write.
    unsafe {
        let get = of.fp().get_memory_host_pointer_properties_ext;
        let asked = get(gpu.device.handle(), HANDLE, start.cast(), &mut properties);
        let memory = gpu.device.allocate_memory(&info, None);
        let result = memory.map(|memory| gpu.device.free_memory(memory, None)).err();
        (asked, result.unwrap_or(vk::Result::SUCCESS))
    }
}

#[test]
fn memory_that_cannot_be_written_is_no_memory_for_the_gpu() {
    let mut none = vk::PhysicalDeviceFeatures2::default();
    let names = [ash::ext::external_memory_host::NAME];
    let gpu = Gpu::with_features(entry(), vk::API_VERSION_1_3, &names, |_, _| &mut none);
    let (good, bad) = (vk::Result::SUCCESS, vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    let own = Box::new(Pages([0; 16384]));
    assert_eq!(import(&gpu, own.0.as_ptr(), 16384), (good, good));
    assert_eq!(import(&gpu, CONSTANT.0.as_ptr(), 16384), (bad, bad), "read-only");
    assert_eq!(import(&gpu, std::ptr::without_provenance(4096), 4096), (bad, bad), "not mapped");
    // It begins well, and goes on past everything that is mapped there.
    assert_eq!(import(&gpu, own.0.as_ptr(), 1 << 32), (good, bad), "partly");
}

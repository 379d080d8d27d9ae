//! Guest code that never ends or goes astray loses the device, and nothing else. One test, because the time limit is the
//! process's.

mod common;
#[path = "../../tests/src/host_time.rs"]
mod host_time;

use ash::vk;
use common::{Gpu, Kernel, entry, spirv};
use host_time::process_time;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

fn dispatch(gpu: &Gpu, kernel: &Kernel) -> Result<(), vk::Result> {
    gpu.run(gpu.commands(|c| {
        gpu.bind(c, kernel, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, 1, 1, 1) };
    }))
}

/// VK_EXT_device_fault's words, addresses, and places.
fn report(gpu: &Gpu) -> (String, Vec<vk::DeviceFaultAddressInfoEXT>, Vec<String>) {
    let get = ash::ext::device_fault::Device::new(&gpu.instance, &gpu.device).fp().get_device_fault_info_ext;
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: valid usage throughout.
    unsafe {
        assert_eq!(get(gpu.device.handle(), &mut counts, std::ptr::null_mut()), vk::Result::SUCCESS);
        let mut addresses = vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
        let mut places = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
        let mut info = vk::DeviceFaultInfoEXT {
            p_address_infos: addresses.as_mut_ptr(),
            p_vendor_infos: places.as_mut_ptr(),
            ..Default::default()
        };
        assert_eq!(get(gpu.device.handle(), &mut counts, &mut info), vk::Result::SUCCESS);
        let text = |words: Result<&std::ffi::CStr, _>| words.unwrap().to_string_lossy().into_owned();
        let what = text(info.description_as_c_str());
        if !addresses.is_empty() {
            // Less room than there is to say.
            counts.address_info_count -= 1;
            assert_eq!(get(gpu.device.handle(), &mut counts, &mut info), vk::Result::INCOMPLETE);
        }
        (what, addresses, places.iter().map(|p| text(p.description_as_c_str())).collect())
    }
}

#[test]
fn a_lost_device_is_only_a_lost_device() {
    // SAFETY: before any other thread of this process reads the environment.
    unsafe { std::env::set_var("WAVEPIPE_TIMEOUT", "2s") };

    // A kernel without an end.
    let gpu = Gpu::new();
    let data = gpu.buffer(64);
    let kernel = gpu.kernel(&spirv::endless(), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    let before = process_time();
    assert_eq!(dispatch(&gpu, &kernel), Err(vk::Result::ERROR_DEVICE_LOST));
    let spun = process_time() - before;
    assert!(spun.as_secs() < 30, "{spun:?}");
    // Lost stays lost, and everything can still be given back.
    assert_eq!(dispatch(&gpu, &kernel), Err(vk::Result::ERROR_DEVICE_LOST));
    // SAFETY: valid usage.
    assert_eq!(unsafe { gpu.device.device_wait_idle() }, Err(vk::Result::ERROR_DEVICE_LOST));
    gpu.free_kernel(kernel);
    gpu.free(data);
    drop(gpu);

    // A descriptor of memory that is gone: an address in no allocation.
    let mut faults = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut faults).push_next(&mut addresses);
    let extensions = [ash::ext::device_fault::NAME];
    let gpu = Gpu::with_features(entry(), vk::API_VERSION_1_3, &extensions, |_, _| &mut features);
    let (what, addresses, places) = report(&gpu);
    assert_eq!((what.as_str(), addresses.len(), places.len()), ("no fault", 0, 0));
    let data = gpu.buffer(64);
    let kernel = gpu.kernel(&spirv::double_and_add(16), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    let info = vk::BufferDeviceAddressInfo::default().buffer(data.buffer);
    // SAFETY: valid usage.
    let address = unsafe { gpu.device.get_buffer_device_address(&info) };
    gpu.free(data);
    assert_eq!(dispatch(&gpu, &kernel), Err(vk::Result::ERROR_DEVICE_LOST));
    let (what, addresses, places) = report(&gpu);
    assert!(what.contains("64 bytes that were freed"), "{what}");
    use vk::DeviceFaultAddressTypeEXT as At;
    let kinds: Vec<_> = addresses.iter().map(|a| a.address_type).collect();
    assert!(kinds == [At::READ_INVALID, At::INSTRUCTION_POINTER_FAULT], "{kinds:?}");
    assert!(addresses[0].reported_address >= address && addresses[0].reported_address < address + 64);
    assert!(places.len() == 1 && places[0].contains("work-group 0,0,0, wave 0, lane 0: "), "{places:?}");
    gpu.free_kernel(kernel);
    drop(gpu);

    // Another device of the same process works.
    let gpu = Gpu::new();
    let data = gpu.buffer(64);
    let kernel = gpu.kernel(&spirv::double_and_add(16), STORAGE, None).unwrap();
    gpu.point(&kernel, &data);
    dispatch(&gpu, &kernel).unwrap();
    assert_eq!(data.get(), [1; 16]);
    gpu.free_kernel(kernel);
    gpu.free(data);
    drop(gpu);
    assert_eq!(vulkan_wavepipe::live_objects(), 0);
}

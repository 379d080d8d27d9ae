//! Memory: shared by file descriptors within a process and between two, imported from the program, more than 4 GiB of it.

use crate::bed::{Bed, can_compile, everywhere, skip};
use ash::vk;
use std::os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd};
use std::process::{Command, Stdio};

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;
const FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
const SIZE: u64 = 64 << 10;

fn map(bed: &Bed, memory: vk::DeviceMemory) -> *mut u32 {
    // SAFETY: valid usage.
    unsafe { bed.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) }.unwrap().cast()
}

fn export(bed: &Bed, files: &ash::khr::external_memory_fd::Device) -> (vk::DeviceMemory, OwnedFd) {
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(FD);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(SIZE)
        .memory_type_index(bed.memory_type(u32::MAX))
        .push_next(&mut export);
    // SAFETY: valid usage; the descriptor is ours.
    unsafe {
        let memory = bed.device.allocate_memory(&info, None).unwrap();
        let fd = files.get_memory_fd(&vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(FD)).unwrap();
        (memory, OwnedFd::from_raw_fd(fd))
    }
}

fn import(bed: &Bed, fd: OwnedFd, size: u64) -> Result<vk::DeviceMemory, vk::Result> {
    let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(FD).fd(fd.as_raw_fd());
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(size)
        .memory_type_index(bed.memory_type(u32::MAX))
        .push_next(&mut import);
    // SAFETY: valid usage.
    let memory = unsafe { bed.device.allocate_memory(&info, None) }?;
    let _ = fd.into_raw_fd();
    Ok(memory)
}

#[test]
fn memory_is_shared_by_file_descriptors() {
    everywhere("memory::memory_is_shared_by_file_descriptors", share);
}

fn share(bed: &Bed) {
    if !bed.has(ash::khr::external_memory_fd::NAME) {
        return;
    }
    let files = ash::khr::external_memory_fd::Device::new(&bed.instance, &bed.device);
    let (memory, fd) = export(bed, &files);
    // Another device of the process.
    let other = Bed::new(bed.entry.clone(), bed.way);
    let imported = import(&other, fd, SIZE).unwrap();
    let (a, b) = (map(bed, memory), map(&other, imported));
    // SAFETY: mapped, of 16384 words.
    unsafe {
        a.add(5).write_volatile(55);
        b.add(16383).write_volatile(66);
        assert_eq!((b.add(5).read_volatile(), a.add(16383).read_volatile()), (55, 66));
        bed.device.free_memory(memory, None);
        assert_eq!(b.add(5).read_volatile(), 55, "the importer keeps it");
        other.device.free_memory(imported, None);
    }
}

/// In a process of its own: its standard input is memory that the other process exported.
#[test]
fn the_other_process() {
    if std::env::var_os("WAVEPIPE_TEST_IMPORT").is_none() {
        return;
    }
    let bed = Bed::linked();
    let fd = std::os::fd::AsFd::as_fd(&std::io::stdin()).try_clone_to_owned().unwrap();
    let memory = import(&bed, fd, SIZE).unwrap();
    let layout = bed.set_layout(&[(0, STORAGE, 1)]);
    let set = bed.set(layout, &[(STORAGE, 1)], None);
    // SAFETY: valid usage throughout.
    unsafe {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(FD);
        let info = vk::BufferCreateInfo::default()
            .size(SIZE)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER)
            .push_next(&mut external);
        let buffer = bed.device.create_buffer(&info, None).unwrap();
        bed.device.bind_buffer_memory(buffer, memory, 0).unwrap();
        bed.point(set, (0, 0), STORAGE, (buffer, 0, vk::WHOLE_SIZE));
        let pipeline_layout = bed.pipeline_layout(&[layout], 0);
        let pipeline = bed.pipeline(
            "#version 450
            layout(local_size_x = 64) in;
            layout(set = 0, binding = 0) buffer Data { uint words[]; };
            void main() { words[gl_GlobalInvocationID.x] *= 3; }",
            pipeline_layout,
        );
        bed.dispatch(pipeline, pipeline_layout, &[set], 4);
        bed.device.destroy_buffer(buffer, None);
        bed.device.free_memory(memory, None);
    }
    println!("the other process is done");
}

#[test]
fn another_process_computes_in_our_memory() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    let files = ash::khr::external_memory_fd::Device::new(&bed.instance, &bed.device);
    let (memory, fd) = export(&bed, &files);
    let words = map(&bed, memory);
    // SAFETY: mapped, of 16384 words.
    (0..256).for_each(|i| unsafe { words.add(i).write_volatile(i as u32) });
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::the_other_process", "--nocapture"])
        .env("WAVEPIPE_TEST_IMPORT", "1")
        .stdin(Stdio::from(fd))
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("the other process is done"), "{said}");
    // SAFETY: as above.
    assert!((0..256).all(|i| unsafe { words.add(i).read_volatile() } == 3 * i as u32));
    // SAFETY: not used any more.
    unsafe { bed.device.free_memory(memory, None) };
}

#[test]
fn what_is_no_exported_memory_is_not_imported() {
    let bed = Bed::linked();
    let files = ash::khr::external_memory_fd::Device::new(&bed.instance, &bed.device);
    let plain = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
    assert_eq!(import(&bed, plain.into(), 4096), Err(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE));
    let (memory, fd) = export(&bed, &files);
    assert_eq!(import(&bed, fd, SIZE + 1), Err(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE));
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
    let features = |handle| {
        let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(usage).handle_type(handle);
        let mut properties = vk::ExternalBufferProperties::default();
        // SAFETY: valid usage.
        unsafe {
            bed.instance.get_physical_device_external_buffer_properties(bed.physical, &info, &mut properties);
        }
        properties.external_memory_properties.external_memory_features
    };
    let (import, export) = (vk::ExternalMemoryFeatureFlags::IMPORTABLE, vk::ExternalMemoryFeatureFlags::EXPORTABLE);
    assert_eq!(features(FD), import | export);
    assert_eq!(features(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT), import);
    assert_eq!(features(vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT), vk::ExternalMemoryFeatureFlags::empty());
    // SAFETY: not used any more.
    unsafe { bed.device.free_memory(memory, None) };
}

#[test]
fn kernels_work_in_the_programs_own_memory() {
    if can_compile() {
        everywhere("memory::kernels_work_in_the_programs_own_memory", host);
    }
}

/// Two pages in the middle of an allocation of this program.
fn host(bed: &Bed) {
    if !bed.has(ash::ext::external_memory_host::NAME) {
        return;
    }
    let of = ash::ext::external_memory_host::Device::new(&bed.instance, &bed.device);
    let handle = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let mut bytes = vec![0u32; 4 * 1024];
    let skip = bytes.as_ptr().align_offset(4096);
    let pages = bytes[skip..].as_mut_ptr();
    // SAFETY: valid usage throughout: the pages outlive the memory, and only raw pointers touch them meanwhile.
    unsafe {
        (0..2048).for_each(|i| pages.add(i).write_volatile(i as u32));
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        let result = (of.fp().get_memory_host_pointer_properties_ext)(
            bed.device.handle(),
            handle,
            pages.cast(),
            &mut properties,
        );
        assert_eq!(result, vk::Result::SUCCESS);
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(handle).host_pointer(pages.cast());
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(8192)
            .memory_type_index(bed.memory_type(properties.memory_type_bits))
            .push_next(&mut import);
        let memory = bed.device.allocate_memory(&info, None).unwrap();
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle);
        let info = vk::BufferCreateInfo::default()
            .size(8192)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER)
            .push_next(&mut external);
        let buffer = bed.device.create_buffer(&info, None).unwrap();
        let _ = bed.device.get_buffer_memory_requirements(buffer);
        bed.device.bind_buffer_memory(buffer, memory, 0).unwrap();
        let layout = bed.set_layout(&[(0, STORAGE, 1)]);
        let set = bed.set(layout, &[(STORAGE, 1)], None);
        bed.point(set, (0, 0), STORAGE, (buffer, 0, vk::WHOLE_SIZE));
        let pipeline_layout = bed.pipeline_layout(&[layout], 0);
        let pipeline = bed.pipeline(
            "#version 450
            layout(local_size_x = 64) in;
            layout(set = 0, binding = 0) buffer Data { uint words[]; };
            void main() { words[gl_GlobalInvocationID.x] += 100000; }",
            pipeline_layout,
        );
        bed.dispatch(pipeline, pipeline_layout, &[set], 32);
        bed.device.destroy_buffer(buffer, None);
        bed.device.free_memory(memory, None);
        assert!((0..2048).all(|i| pages.add(i).read_volatile() == 100_000 + i as u32));
    }
    assert!(bytes[..skip].iter().chain(&bytes[skip + 2048..]).all(|w| *w == 0));
}

/// Four GiB and a bit more, touched here and there: through the largest range a descriptor has, through one that starts
/// behind 4 GiB, and through its address.
#[test]
fn a_buffer_of_more_than_four_gib() {
    if !can_compile() {
        return;
    }
    let bed = Bed::linked();
    const GIB: u64 = 1 << 30;
    // SAFETY: valid usage.
    let heap = unsafe { bed.instance.get_physical_device_memory_properties(bed.physical) }.memory_heaps[0].size;
    if heap < 5 * GIB {
        return skip("a host with more than 7 GiB of memory");
    }
    let big = bed.buffer_with(4 * GIB + 4096, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    let out = bed.buffer(16);
    out.set([7; 16]);
    let layout = bed.set_layout(&[(0, STORAGE, 1), (1, STORAGE, 1), (2, STORAGE, 1)]);
    let set = bed.set(layout, &[(STORAGE, 3)], None);
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    bed.point(set, (1, 0), STORAGE, (big.handle, 0, u64::from(u32::MAX)));
    bed.point(set, (2, 0), STORAGE, (big.handle, 4 * GIB - 16, vk::WHOLE_SIZE));
    let pipeline_layout = bed.pipeline_layout(&[layout], 16);
    let pipeline = bed.pipeline(
        "#version 450
        #extension GL_EXT_buffer_reference : require
        #extension GL_EXT_buffer_reference_uvec2 : require
        layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };
        layout(set = 0, binding = 0) buffer Out { uint outs[]; };
        layout(set = 0, binding = 1) buffer Low { uint low[]; };
        layout(set = 0, binding = 2) buffer High { uint high[]; };
        layout(push_constant) uniform Push { uvec2 address; uint last; };
        void main() {
            outs[0] = low[last];
            outs[1] = low[last / 2 + 1];
            low[last] = 11;
            low[last + 1] = 12;
            outs[2] = high[4];
            high[4 + 1023] = 13;
            high[4 + 1024] = 14;
            outs[3] = high.length();
            uint carry;
            uint at = uaddCarry(address.x, 64u, carry);
            outs[4] = Word(uvec2(at, address.y + carry + 1)).word;
            Word(uvec2(address.x, address.y + carry + 1)).word = 15;
        }",
        pipeline_layout,
    );
    let at = |byte: u64| big.map.wrapping_byte_add(byte as usize);
    let last = 0x3fff_fffeu32;
    // SAFETY: mapped; the GPU is idle.
    unsafe {
        at(4 * u64::from(last)).write_volatile(1001);
        at(4 * u64::from(last / 2 + 1)).write_volatile(1002);
        at(4 * u64::from(last) + 4).write_volatile(1005);
        at(4 * GIB).write_volatile(1003);
        at(4 * GIB + 64).write_volatile(1004);
    }
    let info = vk::BufferDeviceAddressInfo::default().buffer(big.handle);
    // SAFETY: valid usage.
    let address = unsafe { bed.device.get_buffer_device_address(&info) };
    let (d, compute) = (&bed.device, vk::PipelineBindPoint::COMPUTE);
    let push = [address as u32, (address >> 32) as u32, last, 0].map(u32::to_le_bytes).concat();
    // SAFETY: valid usage.
    bed.run(|c| unsafe {
        d.cmd_bind_pipeline(c, compute, pipeline);
        d.cmd_bind_descriptor_sets(c, compute, pipeline_layout, 0, &[set], &[]);
        d.cmd_push_constants(c, pipeline_layout, vk::ShaderStageFlags::COMPUTE, 0, &push);
        d.cmd_dispatch(c, 1, 1, 1);
    });
    assert_eq!(out.get()[..5], [1001, 1002, 1003, 1024 + 4, 1004]);
    // SAFETY: as above.
    let read = |byte: u64| unsafe { at(byte).read_volatile() };
    assert_eq!(
        (read(4 * u64::from(last)), read(4 * u64::from(last) + 4)),
        (11, 1005),
        "4 GiB less a byte: no last word"
    );
    assert_eq!((read(4 * GIB + 4 * 1023), read(4 * GIB)), (13, 15));
}

#[test]
fn heaps_are_the_hosts_and_allocations_are_counted() {
    let bed = Bed::linked();
    let d = &bed.device;
    let budget = || {
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        // SAFETY: valid usage.
        unsafe { bed.instance.get_physical_device_memory_properties2(bed.physical, &mut properties) };
        let heap = properties.memory_properties.memory_heaps[0].size;
        (heap, budget.heap_budget[0], budget.heap_usage[0])
    };
    let (heap, available, _) = budget();
    assert!(available > 0 && available <= heap);
    let info = |size| vk::MemoryAllocateInfo::default().allocation_size(size);
    // SAFETY: valid usage, but for sizes that nobody has.
    unsafe {
        let memory = d.allocate_memory(&info(256 << 20), None).unwrap();
        assert!(budget().2 >= 256 << 20);
        d.free_memory(memory, None);
        assert_eq!(d.allocate_memory(&info(heap + 1), None), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        assert_eq!(d.allocate_memory(&info(u64::MAX), None), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    }
    if bed.has(ash::khr::map_memory2::NAME) {
        let forms = ash::khr::map_memory2::DeviceFn::load(|name| {
            // SAFETY: valid usage.
            unsafe { std::mem::transmute(bed.instance.get_device_proc_addr(d.handle(), name.as_ptr())) }
        });
        // SAFETY: valid usage.
        unsafe {
            let memory = d.allocate_memory(&info(4096), None).unwrap();
            let mut place = std::ptr::null_mut();
            let map = vk::MemoryMapInfoKHR::default().memory(memory).offset(16).size(vk::WHOLE_SIZE);
            assert_eq!((forms.map_memory2_khr)(d.handle(), &map, &mut place), vk::Result::SUCCESS);
            let unmap = vk::MemoryUnmapInfoKHR::default().memory(memory);
            assert_eq!((forms.unmap_memory2_khr)(d.handle(), &unmap), vk::Result::SUCCESS);
            assert_eq!(place as usize % 4096, 16);
            d.free_memory(memory, None);
        }
    }
}

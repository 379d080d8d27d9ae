//! A forked child has its parent's handles and none of its threads: every call on the parent's device is an error or does
//! nothing, none waits, the child can make a device of its own, and it can exit. The parent's device goes on.

mod common;

use ash::vk;
use common::{Buffer, Gpu, Kernel, spirv};
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
    fn exit(code: i32) -> !;
    fn _exit(code: i32) -> !;
}

const WNOHANG: i32 = 1;
const SIGKILL: i32 = 9;
const LOST: Option<vk::Result> = Some(vk::Result::ERROR_DEVICE_LOST);
/// Longer than anything but a hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs `child` in a fork, and gives its exit code.
fn forked(child: impl FnOnce() -> i32, end: unsafe extern "C" fn(i32) -> !) -> i32 {
    // SAFETY: the child calls the driver, which is what is tested, and ends without returning.
    let pid = unsafe { fork() };
    assert!(pid >= 0, "no fork");
    if pid == 0 {
        let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(99);
        // SAFETY: ends the child.
        unsafe { end(code) };
    }
    let begin = Instant::now();
    let mut status = 0;
    // SAFETY: our own child.
    while unsafe { waitpid(pid, &mut status, WNOHANG) } == 0 {
        if begin.elapsed() > PATIENCE {
            // SAFETY: our own child, which is still there.
            unsafe { kill(pid, SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(status & 0x7f, 0, "the child ended by signal {}", status & 0x7f);
    status >> 8
}

fn dispatch(gpu: &Gpu, kernel: &Kernel, groups: u32) -> vk::CommandBuffer {
    gpu.commands(|c| {
        gpu.bind(c, kernel, 1, &[]);
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_dispatch(c, groups, 1, 1) };
    })
}

/// A device that doubles and adds one.
fn works(gpu: &Gpu) -> bool {
    let data = gpu.buffer(256);
    data.set(0..64);
    let kernel = gpu.kernel(&spirv::double_and_add(64), vk::DescriptorType::STORAGE_BUFFER, Some(64)).unwrap();
    gpu.point(&kernel, &data);
    let done = gpu.run(dispatch(gpu, &kernel, 1));
    let right = done.is_ok() && data.get().iter().enumerate().all(|(i, v)| *v == 2 * i as u32 + 1);
    gpu.free_kernel(kernel);
    gpu.free(data);
    right
}

struct Parent {
    gpu: Gpu,
    data: Buffer,
    kernel: Kernel,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
}

/// What does not do as it should: its number, or 0. No formatting, no locks of the test's own.
fn inherited(parent: &Parent) -> i32 {
    let Parent { gpu, commands, fence, .. } = parent;
    let d = &gpu.device;
    let buffers = [*commands];
    let submit = vk::SubmitInfo::default().command_buffers(&buffers);
    // SAFETY: valid usage, but for the fork.
    unsafe {
        let answers = [
            d.queue_submit(gpu.queue, &[submit], vk::Fence::null()).err(),
            d.wait_for_fences(&[*fence], true, u64::MAX).err(),
            d.get_fence_status(*fence).err(),
            d.queue_wait_idle(gpu.queue).err(),
            d.device_wait_idle().err(),
            d.create_fence(&vk::FenceCreateInfo::default(), None).err(),
            d.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(4096), None).err(),
            d.create_buffer(&vk::BufferCreateInfo::default().size(64), None).err(),
            d.begin_command_buffer(*commands, &vk::CommandBufferBeginInfo::default()).err(),
            d.reset_command_pool(gpu.pool, vk::CommandPoolResetFlags::empty()).err(),
        ];
        if let Some(wrong) = answers.iter().position(|a| *a != LOST) {
            return 1 + wrong as i32;
        }
        // What only asks is answered.
        if d.get_device_queue(0, 0) != gpu.queue || d.get_buffer_memory_requirements(parent.data.buffer).size < 256 {
            return 20;
        }
        // What gives back does nothing, at once.
        d.destroy_fence(*fence, None);
        d.destroy_pipeline(parent.kernel.pipeline, None);
        d.destroy_buffer(parent.data.buffer, None);
        d.free_memory(parent.data.memory, None);
        d.destroy_command_pool(gpu.pool, None);
        d.destroy_device(None);
    }
    0
}

fn in_a_fork(parent: &Parent) {
    assert_eq!(forked(|| inherited(parent), _exit), 0, "on the inherited device");
    assert_eq!(forked(|| inherited(parent), exit), 0, "with handlers at exit");
    let own = || {
        let gpu = Gpu::new();
        let right = works(&gpu);
        // Its own child is a stranger to both devices.
        let grandchild = forked(|| i32::from(gpu.run(vk::CommandBuffer::null()).err() != LOST), _exit);
        drop(gpu);
        i32::from(!right) + 2 * grandchild
    };
    assert_eq!(forked(own, _exit), 0, "a device of the child's own");
}

#[test]
fn a_forked_child_gets_an_error_and_never_waits() {
    let gpu = Gpu::new();
    assert!(works(&gpu));
    let data = gpu.buffer(256);
    let kernel = gpu.kernel(&spirv::double_and_add(64), vk::DescriptorType::STORAGE_BUFFER, Some(64)).unwrap();
    gpu.point(&kernel, &data);
    let commands = dispatch(&gpu, &kernel, 1 << 16);
    // SAFETY: valid usage.
    let fence = unsafe { gpu.device.create_fence(&vk::FenceCreateInfo::default(), None) }.unwrap();
    let parent = Parent { gpu, data, kernel, commands, fence };
    in_a_fork(&parent);

    // While the parent's threads work, and hold whatever locks they do.
    let buffers = [parent.commands];
    let submit = vk::SubmitInfo::default().command_buffers(&buffers);
    let d = &parent.gpu.device;
    // SAFETY: valid usage.
    unsafe {
        for _ in 0..3 {
            d.queue_submit(parent.gpu.queue, &[submit], vk::Fence::null()).unwrap();
            in_a_fork(&parent);
            d.queue_wait_idle(parent.gpu.queue).unwrap();
        }
        assert!(works(&parent.gpu), "the parent's device goes on");
        d.destroy_fence(parent.fence, None);
    }
    parent.gpu.free_kernel(parent.kernel);
    parent.gpu.free(parent.data);
    drop(parent.gpu);
    assert_eq!(vulkan_wavepipe::live_objects(), 0);
}

#[test]
fn a_forked_child_presents_nothing_and_never_waits() {
    let entry = common::entry();
    let wanted = [ash::khr::surface::NAME, ash::ext::headless_surface::NAME];
    let instance = common::instance(&entry, vk::API_VERSION_1_1, &wanted);
    let mut none = vk::PhysicalDeviceFeatures2::default();
    let gpu = Gpu::of_instance(entry, instance, &[ash::khr::swapchain::NAME], |_, _| &mut none);
    let of_surface = ash::khr::surface::Instance::new(&gpu.entry, &gpu.instance);
    let of_chain = ash::khr::swapchain::Device::new(&gpu.instance, &gpu.device);
    let headless = ash::ext::headless_surface::Instance::new(&gpu.entry, &gpu.instance);
    // SAFETY: valid usage throughout, but for the fork.
    unsafe {
        let surface = headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None).unwrap();
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(2)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_extent(vk::Extent2D { width: 8, height: 8 })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .present_mode(vk::PresentModeKHR::FIFO);
        let chain = of_chain.create_swapchain(&info, None).unwrap();
        let fence = gpu.device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        let acquire = |ns| of_chain.acquire_next_image(chain, ns, vk::Semaphore::null(), fence);
        let image = acquire(u64::MAX).unwrap().0;
        let (chains, images) = ([chain], [image]);
        let present = vk::PresentInfoKHR::default().swapchains(&chains).image_indices(&images);
        let lost = Some(vk::Result::ERROR_SURFACE_LOST_KHR);
        let child = || {
            let answers = [
                acquire(u64::MAX).err() == LOST,
                of_chain.queue_present(gpu.queue, &present).err() == LOST,
                of_chain.create_swapchain(&info, None).err() == LOST,
                of_surface.get_physical_device_surface_capabilities(gpu.physical, surface).err() == lost,
                of_chain.get_swapchain_images(chain).err() == LOST,
            ];
            of_chain.destroy_swapchain(chain, None);
            of_surface.destroy_surface(surface, None);
            answers.iter().position(|right| !right).map_or(0, |wrong| 1 + wrong as i32)
        };
        assert_eq!(forked(child, _exit), 0, "in the child");
        assert_eq!(of_chain.queue_present(gpu.queue, &present), Ok(false), "the parent goes on");
        gpu.device.reset_fences(&[fence]).unwrap();
        // Of two images the one that was presented is there again only when it has been shown.
        acquire(u64::MAX).unwrap();
        gpu.device.reset_fences(&[fence]).unwrap();
        acquire(u64::MAX).unwrap();
        gpu.device.device_wait_idle().unwrap();
        gpu.device.destroy_fence(fence, None);
        of_chain.destroy_swapchain(chain, None);
        of_surface.destroy_surface(surface, None);
    }
    drop(gpu);
}

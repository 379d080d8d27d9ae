//! The shared library as a program without the Vulkan loader opens it.

use crate::common::Gpu;

#[test]
fn dlopen_and_run() {
    // Cargo leaves the library beside the test's own binary.
    let mut path = std::env::current_exe().unwrap();
    path.set_file_name("libvulkan_wavepipe.so");
    // SAFETY: our own library, whose initialisation does nothing.
    let entry = unsafe { ash::Entry::load_from(&path) }.expect("the cdylib is built with the tests");
    let gpu = Gpu::with_entry(entry);
    let buffer = gpu.buffer(64);
    let commands = gpu.commands(|c| {
        // SAFETY: valid usage.
        unsafe { gpu.device.cmd_fill_buffer(c, buffer.buffer, 0, 64, 42) }
    });
    gpu.run(commands).unwrap();
    assert_eq!(buffer.get(), [42; 16]);
    gpu.free(buffer);
}

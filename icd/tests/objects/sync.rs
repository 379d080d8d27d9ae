//! Fences and semaphores that devices and processes share by file descriptors.

use crate::bed::{Bed, everywhere};
use crate::host_time::PATIENCE_NS;
use ash::vk;
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};
use std::process::{Command, Stdio};
use std::time::Duration;

const FENCE_FD: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
const FENCE_SYNC: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::SYNC_FD;
const FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
const SYNC: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD;

/// A device, its queue, and the commands of the extensions.
struct Side<'a> {
    bed: &'a Bed,
    queue: vk::Queue,
    fences: ash::khr::external_fence_fd::Device,
    semaphores: ash::khr::external_semaphore_fd::Device,
}

impl Side<'_> {
    fn new(bed: &Bed) -> Side<'_> {
        Side {
            bed,
            // SAFETY: valid usage.
            queue: unsafe { bed.device.get_device_queue(0, 0) },
            fences: ash::khr::external_fence_fd::Device::new(&bed.instance, &bed.device),
            semaphores: ash::khr::external_semaphore_fd::Device::new(&bed.instance, &bed.device),
        }
    }

    fn fence(&self, handles: vk::ExternalFenceHandleTypeFlags) -> vk::Fence {
        let mut export = vk::ExportFenceCreateInfo::default().handle_types(handles);
        let info = vk::FenceCreateInfo::default().push_next(&mut export);
        // SAFETY: valid usage.
        let fence = unsafe { self.bed.device.create_fence(&info, None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        self.bed.later(move |d| unsafe { d.destroy_fence(fence, None) });
        fence
    }

    fn semaphore(&self, handles: vk::ExternalSemaphoreHandleTypeFlags, initial: Option<u64>) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handles);
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(initial.unwrap_or(0));
        let mut info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        if initial.is_some() {
            info = info.push_next(&mut kind);
        }
        // SAFETY: valid usage.
        let semaphore = unsafe { self.bed.device.create_semaphore(&info, None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        self.bed.later(move |d| unsafe { d.destroy_semaphore(semaphore, None) });
        semaphore
    }

    fn export(&self, semaphore: vk::Semaphore, kind: vk::ExternalSemaphoreHandleTypeFlags) -> RawFd {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(kind);
        // SAFETY: valid usage.
        unsafe { self.semaphores.get_semaphore_fd(&info) }.unwrap()
    }

    fn import(
        &self,
        semaphore: vk::Semaphore,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
        fd: RawFd,
    ) -> Result<(), vk::Result> {
        let temporary = if kind == SYNC { vk::SemaphoreImportFlags::TEMPORARY } else { Default::default() };
        let info =
            vk::ImportSemaphoreFdInfoKHR::default().semaphore(semaphore).handle_type(kind).flags(temporary).fd(fd);
        // SAFETY: valid usage.
        unsafe { self.semaphores.import_semaphore_fd(&info) }
    }

    fn share_fence(&self, from: vk::Fence, with: &Side<'_>, to: vk::Fence, kind: vk::ExternalFenceHandleTypeFlags) {
        let temporary = if kind == FENCE_SYNC { vk::FenceImportFlags::TEMPORARY } else { Default::default() };
        // SAFETY: valid usage.
        unsafe {
            let fd = self.fences.get_fence_fd(&vk::FenceGetFdInfoKHR::default().fence(from).handle_type(kind)).unwrap();
            let info = vk::ImportFenceFdInfoKHR::default().fence(to).handle_type(kind).flags(temporary).fd(fd);
            with.fences.import_fence_fd(&info).unwrap();
        }
    }

    /// Submits no work but a wait and a signal.
    fn submit(&self, wait: Option<(vk::Semaphore, u64)>, signal: Option<(vk::Semaphore, u64)>, fence: vk::Fence) {
        let info = |(semaphore, value): (vk::Semaphore, u64)| {
            vk::SemaphoreSubmitInfo::default()
                .semaphore(semaphore)
                .value(value)
                .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        };
        let (waits, signals): (Vec<_>, Vec<_>) =
            (wait.into_iter().map(info).collect(), signal.into_iter().map(info).collect());
        let submit = [vk::SubmitInfo2::default().wait_semaphore_infos(&waits).signal_semaphore_infos(&signals)];
        // SAFETY: valid usage.
        unsafe { self.bed.device.queue_submit2(self.queue, &submit, fence) }.unwrap();
    }

    fn reached(&self, semaphore: vk::Semaphore, value: u64) {
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: valid usage.
        unsafe { self.bed.device.wait_semaphores(&info, PATIENCE_NS) }.unwrap();
    }

    fn set(&self, semaphore: vk::Semaphore, value: u64) {
        // SAFETY: valid usage.
        unsafe {
            self.bed.device.signal_semaphore(&vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value))
        }
        .unwrap();
    }

    fn done(&self, fence: vk::Fence) {
        // SAFETY: valid usage.
        unsafe { self.bed.device.wait_for_fences(&[fence], true, PATIENCE_NS) }.unwrap();
    }

    fn status(&self, fence: vk::Fence) -> bool {
        // SAFETY: valid usage.
        unsafe { self.bed.device.get_fence_status(fence) }.unwrap()
    }
}

#[test]
fn two_devices_share_fences_and_semaphores() {
    everywhere("sync::two_devices_share_fences_and_semaphores", share);
}

fn share(bed: &Bed) {
    if !bed.has(ash::khr::external_fence_fd::NAME) || !bed.has(ash::khr::external_semaphore_fd::NAME) {
        return;
    }
    let other = Bed::new(bed.entry.clone(), bed.way);
    let (a, b) = (Side::new(bed), Side::new(&other));

    // A timeline: the wait comes before its signal, which the other device's host gives.
    let (ours, theirs) = (a.semaphore(FD, Some(0)), b.semaphore(FD, Some(0)));
    b.import(theirs, FD, a.export(ours, FD)).unwrap();
    let fence = b.fence(FENCE_FD);
    b.submit(Some((theirs, 3)), Some((theirs, 7)), fence);
    std::thread::sleep(Duration::from_millis(30));
    assert!(!b.status(fence));
    a.set(ours, 3);
    a.reached(ours, 7);
    b.done(fence);

    // A binary semaphore, and a fence that the other device waits for.
    let (ours, theirs) = (a.semaphore(FD, None), b.semaphore(FD, None));
    b.import(theirs, FD, a.export(ours, FD)).unwrap();
    let (copy, fence) = (a.fence(FENCE_FD), b.fence(FENCE_FD));
    b.share_fence(fence, &a, copy, FENCE_FD);
    for _ in 0..3 {
        assert!(!a.status(copy) && !b.status(fence));
        a.submit(None, Some((ours, 0)), vk::Fence::null());
        b.submit(Some((theirs, 0)), None, fence);
        a.done(copy);
        b.done(fence);
        // SAFETY: valid usage.
        unsafe { bed.device.reset_fences(&[copy]) }.unwrap();
    }

    // Sync files are for once; the imported ones go with the wait and the reset.
    let (ours, theirs) = (a.semaphore(SYNC, None), b.semaphore(SYNC, None));
    let (done, copy) = (a.fence(FENCE_SYNC), b.fence(FENCE_SYNC));
    for _ in 0..2 {
        a.submit(None, Some((ours, 0)), done);
        b.import(theirs, SYNC, a.export(ours, SYNC)).unwrap();
        a.share_fence(done, &b, copy, FENCE_SYNC);
        assert!(!a.status(done), "its payload went with the descriptor");
        b.done(copy);
        // SAFETY: valid usage.
        unsafe { other.device.reset_fences(&[copy]) }.unwrap();
        assert!(!b.status(copy));
        b.submit(Some((theirs, 0)), None, copy);
        b.done(copy);
        // SAFETY: valid usage.
        unsafe { other.device.reset_fences(&[copy]) }.unwrap();
    }
    // SAFETY: valid usage.
    unsafe {
        bed.device.device_wait_idle().unwrap();
        other.device.device_wait_idle().unwrap();
    }
}

#[test]
fn descriptors_of_something_else_are_refused() {
    let bed = Bed::linked();
    let side = Side::new(&bed);
    let (binary, timeline) = (side.semaphore(FD, None), side.semaphore(FD, Some(1)));
    let fd = side.export(timeline, FD);
    let refused = Err(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    assert_eq!(side.import(binary, FD, fd), refused, "a timeline is no binary semaphore");
    // SAFETY: it stayed ours.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
    let file = std::fs::File::open("/proc/self/status").unwrap();
    assert_eq!(side.import(binary, FD, file.as_raw_fd()), refused);
    assert_eq!(side.import(binary, SYNC, file.as_raw_fd()), refused);
    assert_eq!(side.import(binary, vk::ExternalSemaphoreHandleTypeFlags::D3D12_FENCE, file.as_raw_fd()), refused);
    let mut properties = vk::ExternalSemaphoreProperties::default();
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(SYNC).push_next(&mut kind);
    // SAFETY: valid usage.
    unsafe { bed.instance.get_physical_device_external_semaphore_properties(bed.physical, &info, &mut properties) };
    assert_eq!(properties.external_semaphore_features, vk::ExternalSemaphoreFeatureFlags::empty());
}

/// In a process of its own: its standard input is a timeline that the other process exported.
#[test]
fn the_other_process() {
    if std::env::var_os("WAVEPIPE_TEST_SEMAPHORE").is_none() {
        return;
    }
    let bed = Bed::linked();
    let side = Side::new(&bed);
    let semaphore = side.semaphore(FD, Some(0));
    side.import(semaphore, FD, std::io::stdin().as_fd().try_clone_to_owned().unwrap().into_raw_fd()).unwrap();
    side.submit(Some((semaphore, 1)), Some((semaphore, 2)), vk::Fence::null());
    side.reached(semaphore, 3);
    println!("the other process is done");
}

#[test]
fn two_processes_take_turns() {
    let bed = Bed::linked();
    let side = Side::new(&bed);
    let semaphore = side.semaphore(FD, Some(0));
    // SAFETY: the descriptor is ours.
    let fd = unsafe { OwnedFd::from_raw_fd(side.export(semaphore, FD)) };
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sync::the_other_process", "--nocapture"])
        .env("WAVEPIPE_TEST_SEMAPHORE", "1")
        .stdin(Stdio::from(fd))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    side.set(semaphore, 1);
    side.reached(semaphore, 2);
    side.submit(Some((semaphore, 2)), Some((semaphore, 3)), vk::Fence::null());
    let output = child.wait_with_output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("the other process is done"), "{said}");
}

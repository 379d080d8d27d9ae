//! Surfaces of a Wayland compositor (VK_KHR_wayland_surface).
//!
//! A wl_surface is the program's and of its connection, so that is spoken on, with events of our own in a queue of our own.
//! Pictures are written to files in memory that the compositor has mapped. In a FIFO the compositor's word that it is time for
//! the next picture is the blank; it says nothing while nobody sees the surface, which is waited for only so long. A mailbox
//! is what a compositor has by itself: it draws what was committed last.

use super::Window;
use super::foreign;
use ash::vk;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;
use std::ptr::NonNull;
use std::time::{Duration, Instant};
use wavepipe_runtime::swapchain::{Arrangement, Channels, Condition, Picture, PresentMode, Rectangle, Screen};
use wayland_backend::client::WaylandError;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::{wl_buffer, wl_callback, wl_registry, wl_shm, wl_shm_pool, wl_surface};
use wayland_client::{Connection, Dispatch, EventQueue, Proxy as _, QueueHandle, delegate_noop};

/// How long a FIFO waits for a compositor that does not ask for the next picture: the surface may be hidden.
const HIDDEN: Duration = Duration::from_millis(250);
/// How long a picture waits for one of its buffers.
const STUCK: Duration = Duration::from_secs(1);
/// Pictures that the compositor may hold at once: shown, to be shown, and the next.
const BUFFERS: usize = 3;

/// A surface of the program.
pub struct WaylandWindow {
    connection: Connection,
    surface: wl_surface::WlSurface,
    shm: wl_shm::WlShm,
}

/// Whether a connection to a compositor can be spoken on.
pub fn is_presentable() -> bool {
    foreign::has_wayland()
}

impl WaylandWindow {
    /// # Errors
    /// Why it cannot be spoken to, in words.
    pub fn new(display: NonNull<c_void>, surface: NonNull<c_void>) -> Result<WaylandWindow, String> {
        let (connection, surface) = foreign::wayland(display, surface)?;
        let (globals, queue) = registry_queue_init::<Events>(&connection).map_err(|e| e.to_string())?;
        let shm = globals.bind(&queue.handle(), 1..=1, ()).map_err(|e| format!("no shared memory: {e}"))?;
        Ok(WaylandWindow { connection, surface, shm })
    }
}

/// The connection is broken.
fn gone<E>(_: E) -> Condition {
    Condition::Lost
}

impl Window for WaylandWindow {
    /// The compositor shows it as large as its picture.
    fn extent(&self) -> Result<Option<[u32; 2]>, Condition> {
        if self.connection.protocol_error().is_some() { Err(Condition::Lost) } else { Ok(None) }
    }

    fn alphas(&self) -> vk::CompositeAlphaFlagsKHR {
        vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED
    }

    fn modes(&self) -> &'static [vk::PresentModeKHR] {
        // A compositor shows no halves of pictures.
        &[vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX]
    }

    fn screen(&self, extent: [u32; 2], mode: PresentMode, opaque: bool) -> Result<Box<dyn Screen>, Condition> {
        let events = self.connection.new_event_queue();
        let format = if opaque { wl_shm::Format::Xrgb8888 } else { wl_shm::Format::Argb8888 };
        let buffer = |n| Buffer::new(&self.shm, extent, format, &events.handle(), n).map_err(gone);
        let buffers = (0..BUFFERS).map(buffer).collect::<Result<_, _>>()?;
        let (connection, surface) = (self.connection.clone(), self.surface.clone());
        let (state, fifo) = (Events { free: [true; BUFFERS], asked: false }, mode == PresentMode::Fifo);
        Ok(Box::new(WaylandScreen { connection, surface, fifo, buffers, events, state }))
    }
}

/// What the compositor said.
#[derive(Default)]
struct Events {
    /// Buffers that it is done with.
    free: [bool; BUFFERS],
    /// It is time for another picture.
    asked: bool,
}

impl Dispatch<wl_buffer::WlBuffer, usize> for Events {
    fn event(
        state: &mut Self,
        _: &wl_buffer::WlBuffer,
        event: wl_buffer::Event,
        buffer: &usize,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_buffer::Event::Release = event {
            state.free[*buffer] = true;
        }
    }
}

impl Dispatch<wl_callback::WlCallback, ()> for Events {
    fn event(
        state: &mut Self,
        _: &wl_callback::WlCallback,
        _: wl_callback::Event,
        _: &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        state.asked = true;
    }
}

impl Dispatch<wl_registry::WlRegistry, GlobalListContents> for Events {
    fn event(
        _: &mut Self,
        _: &wl_registry::WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(Events: ignore wl_shm::WlShm);
delegate_noop!(Events: wl_shm_pool::WlShmPool);

/// A picture's memory, which the compositor has mapped.
struct Buffer {
    file: File,
    handle: wl_buffer::WlBuffer,
}

impl Buffer {
    /// The `number`-th of a swapchain. An image has 2²⁸ texels at most, so its bytes are an i32.
    fn new(
        shm: &wl_shm::WlShm,
        extent: [u32; 2],
        format: wl_shm::Format,
        events: &QueueHandle<Events>,
        number: usize,
    ) -> rustix::io::Result<Buffer> {
        let [width, height] = extent.map(|n| n as i32);
        let pitch = width * 4;
        let file = memfd_create("wavepipe window", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, pitch as u64 * height as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK)?;
        let pool = shm.create_pool(file.as_fd(), pitch * height, events, ());
        let handle = pool.create_buffer(0, width, height, pitch, format, events, number);
        pool.destroy();
        Ok(Buffer { file: file.into(), handle })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.handle.destroy();
    }
}

struct WaylandScreen {
    connection: Connection,
    surface: wl_surface::WlSurface,
    fifo: bool,
    buffers: Vec<Buffer>,
    events: EventQueue<Events>,
    state: Events,
}

impl WaylandScreen {
    /// Takes events until `ready`; `false`: it did not come in time.
    fn wait(&mut self, patience: Duration, ready: impl Fn(&Events) -> bool) -> Result<bool, Condition> {
        let end = Instant::now() + patience;
        loop {
            self.events.dispatch_pending(&mut self.state).map_err(gone)?;
            self.flush()?;
            if ready(&self.state) {
                return Ok(true);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            // None: there are events to dispatch.
            if let Some(guard) = self.events.prepare_read() {
                let fd = guard.connection_fd();
                let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
                match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&left)) {
                    Ok(0) | Err(rustix::io::Errno::INTR) => {}
                    Ok(_) => match guard.read() {
                        // Another thread of the program has read them.
                        Err(WaylandError::Io(e)) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                        read => drop(read.map_err(gone)?),
                    },
                    Err(_) => return Err(Condition::Lost),
                }
            }
        }
    }

    /// Sends what is to be sent, and waits for a compositor that reads slowly.
    fn flush(&self) -> Result<(), Condition> {
        loop {
            match self.connection.flush() {
                Err(WaylandError::Io(e)) if e.kind() == std::io::ErrorKind::WouldBlock => {
                    let backend = self.connection.backend();
                    let fd = backend.poll_fd();
                    let second = Timespec { tv_sec: 1, tv_nsec: 0 };
                    let room = poll(&mut [PollFd::new(&fd, PollFlags::OUT)], Some(&second));
                    if room.is_ok_and(|ready| ready == 0) {
                        return Err(Condition::Lost);
                    }
                }
                sent => return sent.map_err(gone),
            }
        }
    }

    fn damage(&self, rectangles: &[Rectangle]) {
        /// The first version whose damage counts pixels of buffers.
        const OF_BUFFERS: u32 = 4;
        if self.surface.version() < OF_BUFFERS || rectangles.is_empty() {
            return self.surface.damage(0, 0, i32::MAX, i32::MAX);
        }
        for r in rectangles {
            let [width, height] = r.extent.map(|n| n.min(i32::MAX as u32) as i32);
            self.surface.damage_buffer(r.origin[0], r.origin[1], width, height);
        }
    }
}

impl Screen for WaylandScreen {
    fn arrangement(&self, texel: Channels) -> Arrangement {
        // The protocol's formats are numbers whose lowest byte comes first: blue.
        Arrangement::new(texel, Channels::Bgra, false)
    }

    fn period(&self) -> Option<Duration> {
        None
    }

    fn show(&mut self, picture: &Picture<'_>) -> Result<(), Condition> {
        if !self.wait(STUCK, |events| events.free.contains(&true))? {
            // The compositor has them all, and shows none: this picture is lost on it.
            return Ok(());
        }
        let free = self.state.free.iter().position(|free| *free).ok_or(Condition::Lost)?;
        let buffer = &self.buffers[free];
        buffer.file.write_all_at(picture.pixels, 0).map_err(gone)?;
        self.state.free[free] = false;
        self.surface.attach(Some(&buffer.handle), 0, 0);
        self.damage(picture.damage);
        if self.fifo {
            self.state.asked = false;
            self.surface.frame(&self.events.handle(), ());
        }
        self.surface.commit();
        self.flush()?;
        if self.fifo {
            self.wait(HIDDEN, |events| events.asked)?;
        }
        Ok(())
    }
}

impl Drop for WaylandScreen {
    fn drop(&mut self) {
        self.buffers.clear();
        let _ = self.connection.flush();
    }
}

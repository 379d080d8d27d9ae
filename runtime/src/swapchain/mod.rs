//! Swapchains: a ring of images that a program fills and a thread of ours shows.
//!
//! ```text
//!            acquire                present                work is over, blank
//! free ring ────────▶ the program ──────────▶ queue ──────────────────────────▶ Screen::show ──▶ free ring
//! ```
//! A present is a submission of its own, which waits for the present's semaphores; its fence goes into the queue with the
//! image. A thread for each swapchain takes frames in order, waits for their fences and, unless pictures may tear, for the
//! next blank, and has the [`Screen`] copy the picture out: so an image is free again as soon as it has been shown, and no
//! window system ever sees memory that the GPU writes.
//!
//! The thread lets no time pass on a machine with a clock: that is left to those who wait for the machine.

mod pixels;
pub(crate) mod ring;

pub use pixels::{Arrangement, Channels};

use crate::bus::Bus;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::format::{Aspects, Format};
use crate::image::{HostRegion, Image, ImageInfo, ImageKind, ImageLayers};
use crate::lock::{Mutex, rank};
use crate::memory::Memory;
use crate::sync::{Fence, deadline};
use ring::{Frame, Ring};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How pictures follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresentMode {
    /// At once.
    Immediate,
    /// The newest at each blank; what it replaces is not shown.
    Mailbox,
    /// One at each blank, none left out.
    Fifo,
}

/// How well a swapchain and its window go together, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    Good,
    /// The window is of another size, or has another swapchain: nothing more is shown.
    OutOfDate,
    /// The window is gone.
    Lost,
}

/// Texels: x, y, width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    pub origin: [i32; 2],
    pub extent: [u32; 2],
}

/// A picture that is to be shown.
pub struct Picture<'a> {
    pub extent: [u32; 2],
    /// Rows from the top, tightly packed, as the screen arranges them.
    pub pixels: &'a [u8],
    /// What changed since the last picture; nothing = all of it.
    pub damage: &'a [Rectangle],
}

/// Where a swapchain's pictures go.
pub trait Screen: Send {
    /// How pixels are to be handed to [`Self::show`], of texels with these channels.
    fn arrangement(&self, texel: Channels) -> Arrangement;

    /// The time from blank to blank; `None` if [`Self::show`] waits for blanks by itself.
    fn period(&self) -> Option<Duration>;

    /// Shows a picture, and is done with its memory when it returns.
    fn show(&mut self, picture: &Picture<'_>) -> std::result::Result<(), Condition>;
}

/// What the swapchains of a window share. One that is not retired has it; the newest that has shown a picture shows them.
#[derive(Default)]
pub struct Surface {
    made: AtomicU64,
    /// Number of the swapchain that has the window; 0 = none.
    occupant: AtomicU64,
    newest: Mutex<u64, { rank::SURFACE }>,
}

impl Surface {
    /// For a new swapchain; `None` while another has the window.
    pub fn occupy(self: &Arc<Self>) -> Option<Seat> {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let free = self.occupant.compare_exchange(0, number, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        free.then(|| Seat { surface: self.clone(), number })
    }
}

/// A swapchain's hold on its window, until it is retired or dropped.
pub struct Seat {
    surface: Arc<Surface>,
    /// Counts the surface's swapchains from 1.
    number: u64,
}

impl Seat {
    fn leave(&self) {
        let _ = self.surface.occupant.compare_exchange(self.number, 0, Ordering::AcqRel, Ordering::Relaxed);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwapchainInfo {
    pub extent: [u32; 2],
    pub format: Format,
    pub images: u32,
    pub mode: PresentMode,
}

/// What came of asking for an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
    Image(u32),
    TimedOut,
    /// There will be none; [`Swapchain::condition`] says why.
    Never,
}

pub struct Swapchain {
    shared: Arc<Shared>,
    images: Vec<Arc<Image>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    bus: Arc<Bus>,
    seat: Seat,
    mode: PresentMode,
    extent: [u32; 2],
    state: Mutex<ChainState, { rank::SWAPCHAIN }>,
    /// The thread waits here while there is nothing to show.
    queued: Condvar,
}

struct ChainState {
    ring: Ring<Arc<Fence>>,
    condition: Condition,
    /// Frames are shown without waiting for blanks, and no images are given out.
    retired: bool,
    /// The thread is to end.
    closing: bool,
}

impl Swapchain {
    /// Images, and the thread that shows them on `screen`.
    pub fn new(
        device: &Arc<Device>,
        seat: Seat,
        info: &SwapchainInfo,
        mut screen: Box<dyn Screen>,
    ) -> Result<Swapchain> {
        let [width, height] = info.extent;
        let arrangement = screen.arrangement(channels(info.format)?);
        let image_info = ImageInfo {
            kind: ImageKind::D2,
            format: info.format,
            extent: [width, height, 1],
            levels: 1,
            layers: 1,
            samples: 1,
        };
        let make = |_| {
            let image = Image::new(device, image_info)?;
            image.bind(Memory::allocate(device, image.requirements().0)?, 0)?;
            Ok(image)
        };
        let images: Vec<Arc<Image>> = (0..info.images).map(make).collect::<Result<_>>()?;
        let shared = Arc::new(Shared {
            bus: device.bus().clone(),
            seat,
            mode: info.mode,
            extent: info.extent,
            state: Mutex::new(ChainState {
                ring: Ring::new(info.images, info.mode),
                condition: Condition::Good,
                retired: false,
                closing: false,
            }),
            queued: Condvar::new(),
        });
        let (serving, pictures) = (shared.clone(), images.clone());
        let serve = move || {
            wavepipe_isa::fenv::set_default();
            // A panic would leave the program waiting for images for ever.
            let ended = catch_unwind(AssertUnwindSafe(|| serving.serve(&pictures, &arrangement, screen.as_mut())));
            serving.degrade(ended.map_or(Condition::Lost, |ended| ended.unwrap_or_else(|gone| gone)));
        };
        let thread = std::thread::Builder::new().name("wavepipe-present".into()).spawn(serve);
        let thread = thread.map_err(|e| Error::OutOfHostMemory { what: format!("a thread that presents: {e}") })?;
        Ok(Swapchain { shared, images, thread: Some(thread) })
    }

    pub fn images(&self) -> &[Arc<Image>] {
        &self.images
    }

    pub fn extent(&self) -> [u32; 2] {
        self.shared.extent
    }

    pub fn condition(&self) -> Condition {
        self.shared.state.lock().condition
    }

    /// Notes what somebody saw of the window; a condition never gets better.
    pub fn degrade(&self, condition: Condition) {
        self.shared.degrade(condition);
    }

    /// Another swapchain has taken the window over. What is queued is still shown, and what is acquired may be presented.
    pub fn retire(&self) {
        self.shared.state.lock().retired = true;
        self.shared.seat.leave();
        self.shared.news();
    }

    /// An image that nobody uses; `None` = wait for ever.
    pub fn acquire(&self, timeout: Option<Duration>) -> Result<Acquired> {
        let shared = &self.shared;
        shared.bus.interrupts.check()?;
        let never = |state: &ChainState| state.retired || state.condition != Condition::Good;
        let ready = || {
            let state = shared.state.lock();
            state.ring.has_free() || never(&state)
        };
        if !ready() {
            let by = deadline(timeout);
            if timeout == Some(Duration::ZERO) && !shared.bus.interrupts.poll(ready)
                || timeout != Some(Duration::ZERO) && !shared.bus.interrupts.wait(by, ready)?
            {
                return Ok(Acquired::TimedOut);
            }
        }
        let mut state = shared.state.lock();
        if never(&state) {
            return Ok(Acquired::Never);
        }
        Ok(state.ring.acquire().map_or(Acquired::TimedOut, Acquired::Image))
    }

    /// Queues an acquired image to be shown once `work` is signaled, and says how things stand; if not well, the image is
    /// given back without being shown.
    pub fn present(&self, image: u32, work: &Arc<Fence>, id: u64, damage: Vec<Rectangle>) -> Result<Condition> {
        let mut state = self.shared.state.lock();
        if !state.ring.is_acquired(image) {
            return Err(Error::Invalid(format!("image {image} is presented, and was not acquired")));
        }
        let condition = state.condition;
        match condition {
            Condition::Good => state.ring.present(Frame { image, work: work.clone(), id, damage }),
            _ => state.ring.release(image),
        }
        drop(state);
        self.shared.queued.notify_one();
        if condition == Condition::Good && self.shared.mode == PresentMode::Mailbox {
            // The thread may wait for a blank, with a picture that this one replaces.
            self.shared.bus.interrupts.notify();
        }
        Ok(condition)
    }

    /// Gives acquired images back that are not to be shown.
    pub fn release(&self, images: &[u32]) -> Result<()> {
        let mut state = self.shared.state.lock();
        for &image in images {
            if !state.ring.is_acquired(image) {
                return Err(Error::Invalid(format!("image {image} is released, and was not acquired")));
            }
            state.ring.release(image);
        }
        drop(state);
        self.shared.bus.interrupts.notify();
        Ok(())
    }

    /// Waits until a present of this number or a higher one has been shown; `Ok(false)` = time-out, or it never will:
    /// [`Self::condition`] says so.
    pub fn wait_shown(&self, id: u64, timeout: Option<Duration>) -> Result<bool> {
        let shared = &self.shared;
        let shown = || shared.state.lock().ring.shown() >= id;
        let over = || shown() || shared.state.lock().condition != Condition::Good;
        shared.bus.interrupts.wait(deadline(timeout), over)?;
        Ok(shown())
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        let here = self.shared.bus.port.is_here();
        let Some(thread) = self.thread.take().filter(|_| here) else { return };
        self.shared.state.lock().closing = true;
        self.shared.news();
        let _ = thread.join();
    }
}

impl Shared {
    fn degrade(&self, condition: Condition) {
        let mut state = self.state.lock();
        if state.condition < condition {
            state.condition = condition;
            drop(state);
            self.news();
        }
    }

    /// Wakes whoever waits for the state to change.
    fn news(&self) {
        // Under the lock, so that nobody misses it between a look and the wait.
        drop(self.state.lock());
        self.queued.notify_all();
        self.bus.interrupts.notify();
    }

    /// Shows frame after frame until the swapchain is closed.
    ///
    /// # Errors
    /// Why no more can be shown.
    fn serve(
        &self,
        images: &[Arc<Image>],
        arrangement: &Arrangement,
        screen: &mut dyn Screen,
    ) -> std::result::Result<Condition, Condition> {
        let mut pixels = Vec::new();
        let mut blank = Instant::now();
        while self.await_frame() && self.await_work()? {
            let period = screen.period().filter(|_| self.mode != PresentMode::Immediate);
            if period.is_some() {
                self.await_blank(blank)?;
            }
            // One that a finished one has replaced since then is left out too.
            self.drop_replaced();
            let Some(frame) = self.state.lock().ring.take() else { continue };
            let image = &images[frame.image as usize];
            let shown = {
                let mut newest = self.seat.surface.newest.lock();
                let mine = *newest <= self.seat.number;
                *newest = (*newest).max(self.seat.number);
                if mine { self.show(image, &frame, arrangement, screen, &mut pixels) } else { Ok(()) }
            };
            {
                let mut state = self.state.lock();
                state.ring.finish(&frame, shown.is_ok());
                // With the image: nobody acquires it from a swapchain that is at its end.
                state.condition = state.condition.max(shown.err().unwrap_or(Condition::Good));
            }
            self.bus.interrupts.notify();
            shown?;
            // The last blank was due then; if it is long ago, the next is now.
            blank = (blank + period.unwrap_or_default()).max(Instant::now());
        }
        Ok(Condition::Good)
    }

    fn show(
        &self,
        image: &Image,
        frame: &Frame<Arc<Fence>>,
        arrangement: &Arrangement,
        screen: &mut dyn Screen,
        pixels: &mut Vec<u8>,
    ) -> std::result::Result<(), Condition> {
        let [width, height] = self.extent;
        pixels.resize(width as usize * height as usize * 4, 0);
        let layers = ImageLayers { aspect: Aspects::COLOR, level: 0, first: 0, count: 1 };
        let (origin, extent) = ([0; 3], [width, height, 1]);
        let whole = HostRegion { row_length: 0, image_height: 0, layers, origin, extent };
        image.read(&whole, pixels).map_err(|_| Condition::Lost)?;
        arrangement.apply(pixels);
        screen.show(&Picture { extent: self.extent, pixels, damage: &frame.damage })
    }

    /// Waits for a frame; `false`: the swapchain is closed, and there is none.
    fn await_frame(&self) -> bool {
        loop {
            let state = self.state.lock();
            if state.ring.first().is_some() {
                return true;
            }
            if state.closing {
                return false;
            }
            state.wait(&self.queued);
        }
    }

    /// Waits until the first frame's work is over; `false`: the swapchain is closed before that.
    fn await_work(&self) -> std::result::Result<bool, Condition> {
        let done = || self.state.lock().ring.first().is_none_or(|frame| frame.work.done());
        let over = || done() || self.state.lock().closing;
        self.bus.interrupts.watch(None, over).map_err(|_| Condition::Lost)?;
        Ok(done())
    }

    /// Waits for the next blank; in a mailbox, pictures that are replaced meanwhile go back at once. Nobody waits for blanks
    /// to see a swapchain's last pictures.
    fn await_blank(&self, blank: Instant) -> std::result::Result<(), Condition> {
        loop {
            self.drop_replaced();
            let hurry = || {
                let state = self.state.lock();
                state.closing || state.retired
            };
            let replaced = || self.state.lock().ring.is_replaced(|work| work.done());
            let news = self.bus.interrupts.watch(Some(blank), || hurry() || replaced());
            if !news.map_err(|_| Condition::Lost)? || hurry() {
                return Ok(());
            }
        }
    }

    /// Gives the images back of pictures that finished ones behind them replace.
    fn drop_replaced(&self) {
        loop {
            let mut state = self.state.lock();
            if !state.ring.is_replaced(|work| work.done()) {
                return;
            }
            let frame = state.ring.take();
            frame.iter().for_each(|frame| state.ring.finish(frame, false));
            // The frame's fence goes under no lock.
            drop(state);
            drop(frame);
            self.bus.interrupts.notify();
        }
    }
}

/// What a texel's bytes hold.
fn channels(format: Format) -> Result<Channels> {
    match format {
        Format::R8G8B8A8_UNORM | Format::R8G8B8A8_SRGB => Ok(Channels::Rgba),
        Format::B8G8R8A8_UNORM | Format::B8G8R8A8_SRGB => Ok(Channels::Bgra),
        other => Err(Error::Invalid(format!("a swapchain of format {}, which no window shows", other.0))),
    }
}

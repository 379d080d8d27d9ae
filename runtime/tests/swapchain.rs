//! Swapchains beside a screen that writes down what it is shown, and that can be made to wait.

use crate::host_time::PATIENCE;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use wavepipe_runtime::swapchain::{
    Acquired, Arrangement, Channels, Condition, Picture, PresentMode, Rectangle, Screen, Surface, Swapchain,
    SwapchainInfo,
};
use wavepipe_runtime::{Aspects, Config, Device, Fence, Format, HostRegion, ImageLayers};

const EXTENT: [u32; 2] = [5, 3];
/// Longer than any test.
const NEVER: Duration = Duration::from_secs(3600);

/// What the screen was shown: the first pixel, and when.
struct Shown {
    first: [u8; 4],
    damage: Vec<Rectangle>,
    at: Instant,
}

#[derive(Default)]
struct Gate {
    shut: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn set(&self, shut: bool) {
        *self.shut.lock().unwrap() = shut;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let shut = self.shut.lock().unwrap();
        drop(self.opened.wait_while(shut, |shut| *shut).unwrap());
    }
}

struct FakeScreen {
    shown: Sender<Shown>,
    gate: Arc<Gate>,
    period: Duration,
    /// What the first pixel's first byte must not be, and what happens then.
    trap: Option<(u8, Result<(), Condition>)>,
}

impl Screen for FakeScreen {
    fn arrangement(&self, texel: Channels) -> Arrangement {
        Arrangement::new(texel, Channels::Rgba, false)
    }

    fn period(&self) -> Option<Duration> {
        Some(self.period)
    }

    fn show(&mut self, picture: &Picture<'_>) -> Result<(), Condition> {
        assert_eq!((picture.extent, picture.pixels.len()), (EXTENT, 60));
        let (first, damage): ([u8; 4], _) = (picture.pixels[..4].try_into().unwrap(), picture.damage.to_vec());
        if let Some((_, result)) = self.trap.filter(|(trap, _)| *trap == first[0]) {
            return result.inspect(|()| panic!("the screen breaks, as the test wants"));
        }
        self.shown.send(Shown { first, damage, at: Instant::now() }).unwrap();
        self.gate.pass();
        Ok(())
    }
}

struct Bench {
    device: Arc<Device>,
    chain: Swapchain,
    shown: Receiver<Shown>,
    gate: Arc<Gate>,
    made: Instant,
}

struct Wanted {
    mode: PresentMode,
    images: u32,
    period: Duration,
    format: Format,
    trap: Option<(u8, Result<(), Condition>)>,
}

impl Wanted {
    fn of(mode: PresentMode, images: u32, period: Duration) -> Wanted {
        Wanted { mode, images, period, format: Format::R8G8B8A8_UNORM, trap: None }
    }
}

impl Bench {
    fn new(wanted: Wanted) -> Bench {
        Self::on(&Device::new(&Config::checked()).unwrap(), &Arc::new(Surface::default()), wanted)
    }

    fn on(device: &Arc<Device>, surface: &Arc<Surface>, wanted: Wanted) -> Bench {
        let ((sender, shown), gate) = (channel(), Arc::new(Gate::default()));
        let screen = FakeScreen { shown: sender, gate: gate.clone(), period: wanted.period, trap: wanted.trap };
        let info = SwapchainInfo { extent: EXTENT, format: wanted.format, images: wanted.images, mode: wanted.mode };
        let made = Instant::now();
        let seat = surface.occupy().expect("the surface is free");
        let chain = Swapchain::new(device, seat, &info, Box::new(screen)).unwrap();
        assert_eq!(chain.images().len(), wanted.images as usize);
        Bench { device: device.clone(), chain, shown, gate, made }
    }

    #[track_caller]
    fn acquire(&self) -> u32 {
        match self.chain.acquire(Some(PATIENCE)) {
            Ok(Acquired::Image(image)) => image,
            other => panic!("{other:?}"),
        }
    }

    fn fence(&self, signaled: bool) -> Arc<Fence> {
        Fence::new(&self.device, signaled)
    }

    /// A picture of one colour.
    fn draw(&self, image: u32, texel: [u8; 4]) {
        let layers = ImageLayers { aspect: Aspects::COLOR, level: 0, first: 0, count: 1 };
        let (origin, extent) = ([0; 3], [EXTENT[0], EXTENT[1], 1]);
        let whole = HostRegion { row_length: 0, image_height: 0, layers, origin, extent };
        self.chain.images()[image as usize].write(&whole, &texel.repeat(15)).unwrap();
    }

    /// Acquires, draws and presents picture `n`, whose number is `n` too; the image.
    #[track_caller]
    fn present(&self, n: u8, work: &Arc<Fence>) -> u32 {
        let image = self.acquire();
        self.draw(image, [n, 0, 0, 0]);
        assert_eq!(self.chain.present(image, work, n.into(), Vec::new()).unwrap(), Condition::Good);
        image
    }

    #[track_caller]
    fn next(&self) -> u8 {
        self.shown.recv_timeout(PATIENCE).expect("a picture").first[0]
    }

    fn nothing_comes(&self) -> bool {
        self.shown.recv_timeout(Duration::from_millis(60)).is_err()
    }
}

#[test]
fn a_fifo_shows_each_picture_at_a_blank_of_its_own() {
    let period = Duration::from_millis(20);
    let bench = Bench::new(Wanted::of(PresentMode::Fifo, 4, period));
    let done = bench.fence(true);
    (1..=8).for_each(|n| {
        bench.present(n, &done);
    });
    for n in 1..=8u8 {
        let shown = bench.shown.recv_timeout(PATIENCE).unwrap();
        assert_eq!(shown.first[0], n);
        let earliest = period * u32::from(n - 1);
        assert!(shown.at - bench.made >= earliest, "picture {n} came after {:?}", shown.at - bench.made);
    }
}

#[test]
fn immediate_pictures_wait_for_no_blank() {
    let bench = Bench::new(Wanted::of(PresentMode::Immediate, 2, NEVER));
    let done = bench.fence(true);
    for n in 1..=20 {
        bench.present(n, &done);
        assert_eq!(bench.next(), n);
    }
}

#[test]
fn a_mailbox_leaves_out_what_is_replaced_and_gives_its_images_back_at_once() {
    let mut period = Duration::from_secs(2);
    let bench = loop {
        let bench = Bench::new(Wanted::of(PresentMode::Mailbox, 3, period));
        let done = bench.fence(true);
        bench.present(1, &done);
        assert_eq!(bench.next(), 1);
        // All before the next blank, with three images.
        (2..=9).for_each(|n| {
            bench.present(n, &done);
        });
        if bench.made.elapsed() < period {
            break bench;
        }
        // On a busy machine only a longer one can tell.
        period *= 4;
        assert!(period < Duration::from_secs(100), "images come back with blanks alone");
    };
    assert_eq!(bench.next(), 9);
    assert!(bench.made.elapsed() >= period);
    // Numbers of what was left out count as shown too.
    assert!(bench.chain.wait_shown(5, Some(PATIENCE)).unwrap());
    assert!(bench.nothing_comes());
}

#[test]
fn pictures_wait_for_their_work_and_for_those_before_them() {
    for mode in [PresentMode::Fifo, PresentMode::Immediate, PresentMode::Mailbox] {
        let bench = Bench::new(Wanted::of(mode, 3, Duration::from_millis(1)));
        let (slow, done) = (bench.fence(false), bench.fence(true));
        bench.present(1, &slow);
        bench.present(2, &done);
        assert!(bench.nothing_comes(), "{mode:?}");
        slow.signal();
        if mode != PresentMode::Mailbox {
            assert_eq!(bench.next(), 1, "{mode:?}");
        }
        assert_eq!(bench.next(), 2, "{mode:?}");
    }
}

#[test]
fn an_image_is_free_when_its_picture_has_been_shown() {
    let bench = Bench::new(Wanted::of(PresentMode::Fifo, 2, Duration::from_millis(1)));
    bench.gate.set(true);
    let done = bench.fence(true);
    let first = bench.present(1, &done);
    assert_eq!(bench.next(), 1);
    // The screen has the picture in its hands.
    let second = bench.acquire();
    assert_ne!(first, second);
    assert_eq!(bench.chain.acquire(Some(Duration::ZERO)).unwrap(), Acquired::TimedOut);
    let start = Instant::now();
    assert_eq!(bench.chain.acquire(Some(Duration::from_millis(40))).unwrap(), Acquired::TimedOut);
    assert!(start.elapsed() >= Duration::from_millis(40));
    assert!(!bench.chain.wait_shown(1, Some(Duration::from_millis(10))).unwrap());
    bench.gate.set(false);
    assert_eq!(bench.acquire(), first);
    assert!(bench.chain.wait_shown(1, None).unwrap());
    assert!(!bench.chain.wait_shown(2, Some(Duration::from_millis(10))).unwrap());
    // One that is given back unseen is free too.
    bench.chain.release(&[first]).unwrap();
    assert_eq!(bench.acquire(), first);
    assert!(bench.chain.release(&[7]).is_err() && bench.chain.release(&[first]).is_ok());
    assert!(bench.chain.present(first, &done, 0, Vec::new()).is_err(), "it is not the program's any more");
}

#[test]
fn pictures_are_arranged_for_the_screen_and_say_what_changed() {
    let formats = [(Format::R8G8B8A8_SRGB, [1, 2, 3, 4]), (Format::B8G8R8A8_UNORM, [3, 2, 1, 4])];
    for (format, expected) in formats {
        let bench = Bench::new(Wanted { format, ..Wanted::of(PresentMode::Fifo, 2, Duration::ZERO) });
        let image = bench.acquire();
        bench.draw(image, [1, 2, 3, 4]);
        let damage = vec![Rectangle { origin: [1, 0], extent: [2, 3] }];
        bench.chain.present(image, &bench.fence(true), 0, damage.clone()).unwrap();
        let shown = bench.shown.recv_timeout(PATIENCE).unwrap();
        assert_eq!((shown.first, shown.damage), (expected, damage));
    }
    let (device, surface) = (Device::new(&Config::checked()).unwrap(), Arc::new(Surface::default()));
    let info = SwapchainInfo { extent: EXTENT, format: Format::R8_UNORM, images: 2, mode: PresentMode::Fifo };
    let (sender, _shown) = channel();
    let screen = FakeScreen { shown: sender, gate: Arc::default(), period: NEVER, trap: None };
    assert!(Swapchain::new(&device, surface.occupy().unwrap(), &info, Box::new(screen)).is_err());
    assert!(surface.occupy().is_some(), "nobody has the window after that");
}

#[test]
fn the_last_pictures_wait_for_no_blank() {
    let bench = Bench::new(Wanted::of(PresentMode::Fifo, 4, NEVER));
    let (done, never) = (bench.fence(true), bench.fence(false));
    (1..=3).for_each(|n| {
        bench.present(n, &done);
    });
    bench.present(4, &never);
    assert_eq!(bench.next(), 1);
    assert!(bench.nothing_comes(), "the next blank is an hour away");
    let start = Instant::now();
    drop(bench.chain);
    assert!(start.elapsed() < PATIENCE);
    let rest: Vec<u8> = bench.shown.iter().map(|shown| shown.first[0]).collect();
    assert_eq!(rest, [2, 3], "what was never finished is not shown");
}

#[test]
fn a_screen_that_fails_ends_the_swapchain() {
    for (trap, end) in [
        (Err(Condition::OutOfDate), Condition::OutOfDate),
        (Err(Condition::Lost), Condition::Lost),
        // Panics.
        (Ok(()), Condition::Lost),
    ] {
        let wanted = Wanted::of(PresentMode::Fifo, 2, Duration::ZERO);
        let bench = Bench::new(Wanted { trap: Some((2, trap)), ..wanted });
        let done = bench.fence(true);
        bench.present(1, &done);
        assert_eq!(bench.next(), 1);
        bench.present(2, &done);
        let held = bench.acquire();
        // Whoever waits wakes up.
        assert_eq!(bench.chain.acquire(None).unwrap(), Acquired::Never);
        assert!(!bench.chain.wait_shown(2, None).unwrap());
        assert_eq!(bench.chain.condition(), end);
        assert_eq!(bench.chain.present(held, &done, 0, Vec::new()).unwrap(), end);
        // Nothing makes it well again.
        bench.chain.degrade(Condition::Good);
        bench.chain.degrade(Condition::OutOfDate);
        assert_eq!(bench.chain.condition(), end);
    }
}

#[test]
fn a_window_has_one_swapchain_and_shows_the_newest() {
    let (device, surface) = (Device::new(&Config::checked()).unwrap(), Arc::new(Surface::default()));
    let wanted = || Wanted::of(PresentMode::Fifo, 3, Duration::ZERO);
    let old = Bench::on(&device, &surface, wanted());
    let done = old.fence(true);
    assert!(surface.occupy().is_none());
    let held = old.acquire();
    old.chain.retire();
    let new = Bench::on(&device, &surface, wanted());
    assert!(surface.occupy().is_none());
    assert_eq!(old.chain.acquire(None).unwrap(), Acquired::Never, "a retired swapchain has no more images");
    // What was acquired before may still be presented.
    assert_eq!(old.chain.present(held, &done, 1, Vec::new()).unwrap(), Condition::Good);
    assert!(old.shown.recv_timeout(PATIENCE).is_ok() && old.chain.wait_shown(1, None).unwrap());
    new.present(1, &done);
    assert_eq!(new.next(), 1);
    drop(old);
    assert!(surface.occupy().is_none(), "the window is the new one's");
    drop(new);
    assert!(surface.occupy().is_some());
}

#[test]
fn an_older_swapchain_does_not_draw_over_a_newer() {
    let (device, surface) = (Device::new(&Config::checked()).unwrap(), Arc::new(Surface::default()));
    let wanted = || Wanted::of(PresentMode::Fifo, 3, Duration::ZERO);
    let old = Bench::on(&device, &surface, wanted());
    let (slow, done) = (old.fence(false), old.fence(true));
    old.present(1, &slow);
    old.chain.retire();
    let new = Bench::on(&device, &surface, wanted());
    new.present(2, &done);
    assert_eq!(new.next(), 2);
    slow.signal();
    // It is over with, and counts as shown, but nobody saw it.
    assert!(old.chain.wait_shown(1, Some(PATIENCE)).unwrap());
    assert!(old.nothing_comes());
}

fn arranged(texel: Channels, pixel: Channels, opaque: bool) -> [u8; 8] {
    let mut bytes = match texel {
        Channels::Rgba => *b"rgbaRGBA",
        Channels::Bgra => *b"bgraBGRA",
        Channels::Argb => *b"argbARGB",
        Channels::Abgr => *b"abgrABGR",
    };
    Arrangement::new(texel, pixel, opaque).apply(&mut bytes);
    bytes
}

#[test]
fn every_order_becomes_every_other() {
    use Channels::*;
    for texel in [Rgba, Bgra, Argb, Abgr] {
        assert_eq!(&arranged(texel, Rgba, false), b"rgbaRGBA");
        assert_eq!(&arranged(texel, Bgra, false), b"bgraBGRA");
        assert_eq!(&arranged(texel, Argb, false), b"argbARGB");
        assert_eq!(&arranged(texel, Abgr, false), b"abgrABGR");
        assert_eq!(&arranged(texel, Bgra, true), b"bgr\xffBGR\xff");
        assert_eq!(&arranged(texel, Abgr, true), b"\xffbgr\xffBGR");
    }
}

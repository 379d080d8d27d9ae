//! What the processes of a program have loaded, as far as it is known: they are looked at more and more rarely while they run,
//! until one of them has made a device of wavepipe's. Who has the Vulkan loader and has not come to the driver is looked at often.

use super::mark::Mark;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// From one look to the next, at first.
const SOON: Duration = Duration::from_millis(10);
const SELDOM: Duration = Duration::from_secs(2);
/// Later it is this part of the time that has passed.
const PART: u32 = 16;
/// Looks that come soon because of the loader: as long as a program may take from there to its device.
const PATIENCE: u32 = 500;

/// What shows that a process computes on a library, and has not only loaded it, as the Vulkan loader loads every driver.
#[derive(Clone, Copy)]
enum Sign {
    Loaded,
    /// A card is open.
    Card,
    /// One of llvmpipe's threads.
    Thread,
}

/// Beginnings of the names of libraries that compute or draw in wavepipe's place, and what they are.
const OTHERS: &[(&str, &str, Sign)] = &[
    ("libvulkan_lvp.so", "lavapipe (llvmpipe)", Sign::Thread),
    ("libvulkan_radeon.so", "RADV", Sign::Card),
    ("libvulkan_intel", "ANV", Sign::Card),
    ("libvulkan_nouveau.so", "NVK", Sign::Card),
    ("libvulkan_virtio.so", "Venus", Sign::Card),
    ("libvk_swiftshader.so", "SwiftShader", Sign::Loaded),
    ("libnvidia-glcore.so", "NVIDIA's driver", Sign::Card),
    ("libcuda.so", "CUDA", Sign::Card),
    ("swrast_dri.so", "OpenGL (llvmpipe)", Sign::Thread),
    ("kms_swrast_dri.so", "OpenGL (llvmpipe)", Sign::Thread),
    ("libgallium-", "OpenGL (llvmpipe)", Sign::Thread),
    ("libpocl.so", "OpenCL on pocl", Sign::Loaded),
];

/// The Vulkan loader.
const LOADER: &str = "libvulkan.so.1";

/// A process that was seen with a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    pub pid: u32,
    pub program: String,
    pub library: String,
    /// Of the variables that choose the driver, none is in its environment any more.
    pub stripped: bool,
}

#[derive(Default, Debug)]
pub struct Seen {
    /// By what they are.
    pub others: BTreeMap<&'static str, Witness>,
    pub loader: bool,
    /// At least one look found a process.
    pub anything: bool,
}

pub struct Watch {
    end: Sender<()>,
    thread: JoinHandle<Seen>,
}

impl Watch {
    /// Looks at a process and all that it starts.
    pub fn start(pid: u32, mark: &std::sync::Arc<Mark>) -> Watch {
        let (end, ended) = channel();
        let mark = mark.clone();
        let thread = std::thread::spawn(move || {
            let (mut seen, mut patience, start) = (Seen::default(), PATIENCE, Instant::now());
            loop {
                let suspicious = seen.loader && seen.others.is_empty() && patience > 0 && !mark.read().opened;
                patience -= u32::from(suspicious);
                let pause = if suspicious { SOON } else { (start.elapsed() / PART).clamp(SOON, SELDOM) };
                if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) || mark.read().device {
                    return seen;
                }
                family(pid).into_iter().for_each(|p| seen.look(p));
            }
        });
        Watch { end, thread }
    }

    pub fn end(self) -> Seen {
        drop(self.end);
        self.thread.join().unwrap_or_default()
    }
}

impl Seen {
    fn look(&mut self, pid: u32) {
        let Ok(maps) = fs::read_to_string(format!("/proc/{pid}/maps")) else { return };
        self.anything = true;
        let libraries: BTreeSet<&str> = maps.lines().filter_map(|line| line.split_once('/')).map(|(_, p)| p).collect();
        for path in libraries {
            let name = path.rsplit('/').next().unwrap_or(path);
            self.loader |= name.starts_with(LOADER);
            let other = OTHERS.iter().find(|(begins, ..)| name.starts_with(begins));
            if let Some(&(_, what, sign)) = other
                && shows(pid, sign)
            {
                self.others.entry(what).or_insert_with(|| witness(pid, path));
            }
        }
    }
}

fn shows(pid: u32, sign: Sign) -> bool {
    let entries = |folder: &str| fs::read_dir(format!("/proc/{pid}/{folder}")).into_iter().flatten().flatten();
    match sign {
        Sign::Loaded => true,
        Sign::Card => entries("fd").any(|fd| {
            let file = fs::read_link(fd.path()).unwrap_or_default();
            file.starts_with("/dev/dri") || file.to_string_lossy().starts_with("/dev/nvidia")
        }),
        Sign::Thread => entries("task")
            .any(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.starts_with("llvmpipe"))),
    }
}

fn witness(pid: u32, library: &str) -> Witness {
    let program = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let has = |name: &[u8]| environment.split(|b| *b == 0).any(|line| line.starts_with(name));
    let stripped = !has(b"VK_DRIVER_FILES=") && !has(b"VK_ICD_FILENAMES=");
    Witness { pid, program: program.trim_end().to_owned(), library: format!("/{library}"), stripped }
}

/// A process and all that descend from it.
pub fn family(first: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    for pid in numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        if let Some(parent) = parent(&stat) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut all = vec![first];
    let mut at = 0;
    while let Some(pid) = all.get(at) {
        all.extend(children.remove(pid).unwrap_or_default());
        at += 1;
    }
    all
}

/// The parent's number in a line of /proc/PID/stat; the name before it may hold anything.
pub fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

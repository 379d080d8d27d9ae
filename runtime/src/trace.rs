//! Traces of a device on a clock: where one goes, and when its file is made.
//!
//! A file is made with the first packet, so that devices which only look around leave none. A program may make several
//! devices: the second one's trace is `NAME-2.pftrace` or `NAME-2/`, and so on.

use crate::bus::CodeMap;
use crate::config::report;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wavepipe_core::policy::Rank;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::machine::Machine;
use wavepipe_timing::observe::{Event, Recorder};
use wavepipe_timing::trace::{self, Detail, Issues, Symbols, Timeline};

/// Endings of Perfetto traces.
const PERFETTO: [&str; 3] = ["pftrace", "perfetto-trace", "perfetto"];

/// What reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Perfetto,
    /// A folder; all instructions are in it.
    Rocprof,
    /// No file: who made the trace has it.
    Waves(Timeline),
    Instructions(Issues),
}

/// Where a trace goes, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    path: PathBuf,
    kind: Kind,
    /// Of Perfetto traces.
    pub detail: Detail,
}

impl Trace {
    /// A trace at `path`, whose ending says its kind. The error says what cannot be.
    pub fn at(path: &str) -> Result<Trace, String> {
        let ending = Path::new(path).extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        let kind = match path.ends_with('/') {
            true => Kind::Rocprof,
            false if PERFETTO.contains(&ending.as_str()) => Kind::Perfetto,
            false => {
                return Err(format!(
                    "{path}: the name says what is written: FILE.pftrace for Perfetto, FOLDER/ for ROCprof Compute Viewer"
                ));
            }
        };
        let new = Trace { path: path.into(), kind, detail: Detail::Waves };
        new.writable().map_err(|why| format!("{path} cannot be written: {why}"))?;
        Ok(new)
    }

    /// A trace in memory: which waves were where, and when.
    pub fn kept() -> (Trace, Timeline) {
        let timeline = Timeline::default();
        (Trace { path: PathBuf::new(), kind: Kind::Waves(timeline.clone()), detail: Detail::Waves }, timeline)
    }

    /// A trace in memory: which wave executed its next instruction when.
    pub fn issues() -> (Trace, Issues) {
        let issues = Issues::default();
        (Trace { path: PathBuf::new(), kind: Kind::Instructions(issues.clone()), detail: Detail::Instructions }, issues)
    }

    fn writable(&self) -> Result<(), String> {
        use rustix::fs::{Access, access};
        let folder = match self.path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        if self.path.exists() && self.path.is_dir() != (self.kind == Kind::Rocprof) {
            return Err(if self.path.is_dir() { "it is a folder" } else { "it is no folder" }.into());
        }
        #[cfg(unix)]
        use std::os::unix::fs::FileTypeExt as _;
        #[cfg(unix)]
        let takes = |m: std::fs::Metadata| m.is_file() || m.file_type().is_char_device();
        #[cfg(not(unix))]
        let takes = |m: std::fs::Metadata| m.is_file();
        if self.kind == Kind::Perfetto && self.path.metadata().is_ok_and(|m| !takes(m)) {
            return Err("it is neither a file nor a device that takes bytes".into());
        }
        let inside = Access::WRITE_OK | Access::EXEC_OK;
        let (place, rights) = match (self.path.exists(), &self.kind) {
            (_, Kind::Waves(_) | Kind::Instructions(_)) => return Ok(()),
            (true, Kind::Perfetto) => (self.path.as_path(), Access::WRITE_OK),
            (true, Kind::Rocprof) => (self.path.as_path(), inside),
            (false, _) => (folder, inside),
        };
        access(place, rights).map_err(|e| format!("{}: {}", place.display(), std::io::Error::from(e)))
    }

    /// Takes the path of the next trace of this name in the process.
    pub(crate) fn next_path(&self) -> PathBuf {
        self.path_of(self.next())
    }

    /// The path of the `n`th device's trace.
    fn path_of(&self, n: u32) -> PathBuf {
        if n == 1 {
            return self.path.clone();
        }
        if self.kind == Kind::Rocprof {
            let name = self.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            return self.path.with_file_name(format!("{name}-{n}"));
        }
        let part = |p: Option<&std::ffi::OsStr>| p.map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
        self.path.with_file_name(format!("{}-{n}.{}", part(self.path.file_stem()), part(self.path.extension())))
    }

    /// The number of the next trace of this name in the process, from 1.
    fn next(&self) -> u32 {
        static TAKEN: Mutex<BTreeMap<PathBuf, u32>> = Mutex::new(BTreeMap::new());
        let mut taken = TAKEN.lock();
        let n = taken.entry(self.path.clone()).or_default();
        *n += 1;
        *n
    }
}

struct Codes(Arc<CodeMap>);

impl Symbols for Codes {
    fn code(&self, va: u64) -> Option<(u64, Arc<CodeObject>)> {
        self.0.find(va)
    }

    fn source(&self, code: &CodeObject, offset: u32) -> Option<String> {
        code.source_at(offset)
    }
}

/// Records a device's trace from its first packet on.
pub(crate) struct Late {
    trace: Trace,
    machine: Arc<Machine>,
    codes: Arc<CodeMap>,
    /// Queues that were mapped before.
    queues: Vec<(u64, usize, u32, u32, Rank)>,
    begun: Option<Box<dyn Recorder>>,
    failure: Option<String>,
}

impl Late {
    pub fn new(trace: Trace, machine: Arc<Machine>, codes: Arc<CodeMap>) -> Late {
        Late { trace, machine, codes, queues: Vec::new(), begun: None, failure: None }
    }

    fn begin(&mut self) {
        let path = self.trace.next_path();
        let (machine, symbols) = (self.machine.clone(), Box::new(Codes(self.codes.clone())));
        let begun = match &self.trace.kind {
            Kind::Waves(timeline) => Ok(timeline.recorder()),
            Kind::Instructions(issues) => Ok(issues.recorder()),
            Kind::Perfetto => trace::perfetto(&path, machine, self.trace.detail, symbols),
            Kind::Rocprof => trace::rocprof(&path, machine, symbols),
        };
        match begun {
            Ok(mut recorder) => {
                for (cycle, queue, pipe, place, rank) in self.queues.drain(..) {
                    recorder.event(cycle, &Event::Queue { queue, pipe, place, rank });
                }
                self.begun = Some(recorder);
            }
            Err(e) => self.fail(format!("trace {} cannot be written: {e}", path.display())),
        }
    }

    fn fail(&mut self, why: String) {
        report(&why);
        self.failure = Some(why);
    }
}

impl Recorder for Late {
    fn instructions(&self) -> bool {
        self.trace.kind == Kind::Rocprof || self.trace.detail == Detail::Instructions
    }

    fn sampling(&self) -> u64 {
        self.begun.as_ref().map_or(1, |r| r.sampling())
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        if self.failure.is_some() {
            return;
        }
        if self.begun.is_none() {
            match event {
                Event::Queue { queue, pipe, place, rank } => {
                    self.queues.push((cycle, *queue, *pipe, *place, *rank));
                    return;
                }
                Event::Sample { .. } => return,
                _ => self.begin(),
            }
        }
        if let Some(recorder) = &mut self.begun {
            recorder.event(cycle, event);
        }
    }

    fn flush(&mut self) {
        let Some(recorder) = self.begun.as_mut().filter(|_| self.failure.is_none()) else { return };
        recorder.flush();
        if let Some(why) = recorder.failure().map(str::to_owned) {
            self.fail(why);
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

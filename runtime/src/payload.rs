//! The words that a semaphore or a shared fence is, and how they get to other devices and processes.
//!
//! ```text
//! 0x00  counter, or 0 and 1 of a fence: the GPU writes it
//! 0x08  signals of a binary semaphore that were submitted
//! 0x10  kind, in files only
//! ```

use crate::bus::Bus;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::external;
use crate::heap::Suballocation;
use crate::host::GpuMemory;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

const SIGNALS: u64 = 8;
const KIND: u64 = 16;
/// Bytes of a file: a page.
const FILE: u64 = 4096;

/// What a payload is of, as files say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Fence = 1,
    Binary,
    Timeline,
}

pub(crate) enum Payload {
    Own(Suballocation),
    Shared { memory: GpuMemory, file: OwnedFd },
}

impl Payload {
    /// Zeros that only this device sees.
    pub fn own(device: &Device) -> Result<Payload> {
        Ok(Payload::Own(device.heap().allocate(KIND, 8, "semaphore")?))
    }

    /// Zeros that others may import.
    pub fn new(bus: &Arc<Bus>, kind: Kind) -> Result<Payload> {
        let file = external::new_file(FILE)?;
        let memory = GpuMemory::map_host(bus, external::map(file.as_fd(), FILE)?, "exportable payload")?;
        memory.store_u64(KIND, kind as u64);
        Ok(Payload::Shared { memory, file })
    }

    /// What somebody exported.
    pub fn import(bus: &Arc<Bus>, file: BorrowedFd<'_>, kind: Kind) -> Result<Payload> {
        let refuse = |why: String| Error::ExternalHandle { why };
        let file = file.try_clone_to_owned().map_err(|e| refuse(format!("no file descriptor: {e}")))?;
        let memory = GpuMemory::map_host(bus, external::map(file.as_fd(), FILE)?, "imported payload")?;
        let found = memory.load_u64(KIND);
        if found != kind as u64 {
            return Err(refuse(format!("the file descriptor is of kind {found}, not of {kind:?} ({})", kind as u64)));
        }
        Ok(Payload::Shared { memory, file })
    }

    pub fn export(&self) -> Result<OwnedFd> {
        match self {
            Payload::Own(_) => Err(Error::Invalid("the object was not made for export".into())),
            Payload::Shared { file, .. } => external::duplicate(file),
        }
    }

    pub fn is_shared(&self) -> bool {
        matches!(self, Payload::Shared { .. })
    }

    /// GPU address of the first word.
    pub fn address(&self) -> u64 {
        match self {
            Payload::Own(cell) => cell.va(),
            Payload::Shared { memory, .. } => memory.va(),
        }
    }

    pub fn load(&self) -> u64 {
        self.word(0)
    }

    pub fn store(&self, value: u64) {
        match self {
            Payload::Own(cell) => cell.store_u64(0, value),
            Payload::Shared { memory, .. } => memory.store_u64(0, value),
        }
    }

    /// Number of the last signal.
    pub fn signals(&self) -> u64 {
        self.word(SIGNALS)
    }

    /// Counts one more signal; its number.
    pub fn next_signal(&self) -> u64 {
        1 + match self {
            Payload::Own(cell) => cell.add_u64(SIGNALS, 1),
            Payload::Shared { memory, .. } => memory.add_u64(SIGNALS, 1),
        }
    }

    fn word(&self, offset: u64) -> u64 {
        match self {
            Payload::Own(cell) => cell.load_u64(offset),
            Payload::Shared { memory, .. } => memory.load_u64(offset),
        }
    }
}

//! In WebAssembly there is one process: nobody shares memory with it.

use crate::error::{Error, Result};
use std::os::fd::{BorrowedFd, OwnedFd};
use wavepipe_hw::port::HostMemory;

fn refuse<T>() -> Result<T> {
    Err(Error::ExternalHandle { why: "in WebAssembly no memory is shared with others".into() })
}

pub(crate) fn new_file(_size: u64) -> Result<OwnedFd> {
    refuse()
}

pub(crate) fn map(_file: BorrowedFd<'_>, _size: u64) -> Result<HostMemory> {
    refuse()
}

pub(crate) fn duplicate(_file: &OwnedFd) -> Result<OwnedFd> {
    refuse()
}

/// Waits for a sync file of a kernel's: there is none.
pub fn wait_sync_file(_file: BorrowedFd<'_>) -> Result<()> {
    refuse()
}

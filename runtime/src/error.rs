//! Errors as values: what, where, and what to do.

use std::sync::Arc;
use wavepipe_compiler::error::CompileError;
use wavepipe_hw::fault::GpuFault;
use wavepipe_hw::hsa::HsaError;
use wavepipe_hw::port::PortError;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("out of GPU memory: {requested} bytes asked, {available} available")]
    OutOfDeviceMemory { requested: u64, available: u64 },
    #[error("out of host resources: {what}")]
    OutOfHostMemory { what: String },
    /// A descriptor pool has no room for the set.
    #[error("descriptor pool exhausted: {what}")]
    OutOfPoolMemory { what: String },
    /// A pipeline that must not be compiled is in no cache.
    #[error("pipeline `{entry}` would have to be compiled")]
    CompileRequired { entry: String },
    /// A file descriptor or address that is no memory to import.
    #[error("cannot be imported: {why}")]
    ExternalHandle { why: String },
    /// The device was made by another process, of which this one is a fork.
    #[error(
        "the device belongs to the process that this one was forked from: nothing runs it here; make one in this process"
    )]
    OtherProcess,
    #[error("device lost: {0}")]
    DeviceLost(Arc<GpuFault>),
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A code object that cannot be loaded.
    #[error(transparent)]
    CodeObject(#[from] HsaError),
    /// The environment asks for what there is not.
    #[error("{0}")]
    Environment(String),
    /// The machine has less than a kernel needs; the text says of what.
    #[error("{0}")]
    Machine(String),
    /// The caller broke a rule that the runtime checks; the text says which.
    #[error("invalid use: {0}")]
    Invalid(String),
    /// The GPU refused something that the runtime should have got right.
    #[error("internal error (a bug in wavepipe): {0}")]
    Internal(String),
}

impl From<PortError> for Error {
    fn from(e: PortError) -> Self {
        match e {
            PortError::OutOfMemory { requested, available } => Error::OutOfDeviceMemory { requested, available },
            PortError::NoThreads => Error::OutOfHostMemory { what: e.to_string() },
            PortError::NoComputeUnits { .. } => {
                Error::Invalid(format!("{e}; reserve fewer (QueueOptions, WAVEPIPE_RESERVE_CUS)"))
            }
            other => Error::Internal(other.to_string()),
        }
    }
}

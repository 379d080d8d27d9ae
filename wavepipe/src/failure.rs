//! How things fail: one enum, and every message says what, where and what to do next.

use crate::files;
use std::path::{Path, PathBuf};
use wavepipe_runtime::compiler::error::ErrorKind;
use wavepipe_runtime::hw::file;
use wavepipe_runtime::hw::hsa::HsaError;
use wavepipe_runtime::hw::machine::MachineError;
use wavepipe_runtime::timing::lab::LabError;
use wavepipe_runtime::{Error, FaultKind};

/// Why something has no result.
#[derive(thiserror::Error)]
pub enum Failure {
    /// A comparison or a budget that did not hold, or findings.
    #[error("{0}")]
    Check(String),
    /// What was asked for makes no sense: a command line, a shader, an input, or what it is given.
    #[error("{0}")]
    Usage(String),
    /// The device was lost, memory ran out, the loader or driver did not work.
    #[error("{0}")]
    Driver(String),
    /// Something that wavepipe does not do, by name.
    #[error("{0}")]
    Unsupported(String),
    /// A file that cannot be read or written.
    #[error("cannot {verb} {path}: {source}", path = path.display())]
    File {
        /// `read` or `write`.
        verb: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

/// A `#[test]` that gives a failure has it printed by this.
impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match &error {
            Error::Compile(e) => match e.kind {
                ErrorKind::Unsupported => Failure::Unsupported(error.to_string()),
                ErrorKind::Malformed | ErrorKind::Request | ErrorKind::Resource => Failure::Usage(error.to_string()),
                ErrorKind::Internal => Failure::Driver(error.to_string()),
            },
            Error::CodeObject(HsaError::Unsupported(_)) | Error::Machine(_) => Failure::Unsupported(error.to_string()),
            Error::CodeObject(_) => Failure::Usage(error.to_string()),
            Error::Invalid(_) | Error::Environment(_) => Failure::Usage(error.to_string()),
            // A check that was asked to stop there.
            Error::DeviceLost(fault) if matches!(fault.kind, FaultKind::Finding(_)) => {
                Failure::Check(error.to_string())
            }
            _ => Failure::Driver(error.to_string()),
        }
    }
}

impl From<MachineError> for Failure {
    fn from(error: MachineError) -> Failure {
        match error {
            MachineError::NotExecuted { .. } => Failure::Unsupported(error.to_string()),
            _ => Failure::Usage(error.to_string()),
        }
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Failure {
        Failure::Driver(error.to_string())
    }
}

impl Failure {
    /// The same failure, its text beginning with the file that it is about.
    pub fn context(self, file: &Path) -> Failure {
        self.prefix(&file.display().to_string())
    }

    /// The same failure, its text beginning with what it is about.
    pub fn prefix(self, of: &str) -> Failure {
        let with = |text: String| if text.starts_with(of) { text } else { format!("{of}: {text}") };
        match self {
            Failure::Check(t) => Failure::Check(with(t)),
            Failure::Usage(t) => Failure::Usage(with(t)),
            Failure::Driver(t) => Failure::Driver(with(t)),
            Failure::Unsupported(t) => Failure::Unsupported(with(t)),
            file @ Failure::File { .. } => file,
        }
    }

    /// The same failure with something more to say, on lines of its own.
    pub fn followed_by(self, more: &str) -> Failure {
        match self {
            Failure::Check(t) => Failure::Check(format!("{t}\n{more}")),
            Failure::Usage(t) => Failure::Usage(format!("{t}\n{more}")),
            Failure::Driver(t) => Failure::Driver(format!("{t}\n{more}")),
            Failure::Unsupported(t) => Failure::Unsupported(format!("{t}\n{more}")),
            file @ Failure::File { .. } => file,
        }
    }

    /// What was asked for makes no sense, and why.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::Usage(message.into())
    }
}

/// A result, or why there is none.
pub type Result<T> = std::result::Result<T, Failure>;

/// Bytes of an input, at most: as many as a buffer of the device can have.
const INPUT_BYTES: u64 = 4 << 30;
/// The same of what has no size of its own: a pipe may bring an input, a device such as /dev/zero brings no end.
const STREAM_BYTES: u64 = 256 << 20;

/// Reads a file or a pipe; the error names it.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let read = || {
        if let Some(given) = files::given(path) {
            return given;
        }
        let file = std::fs::File::open(path)?;
        let most = if file.metadata()?.is_file() { INPUT_BYTES } else { STREAM_BYTES };
        file::read_all(&file, most)
    };
    read().map_err(|source| Failure::File { verb: "read", path: path.to_owned(), source })
}

/// Reads standard input to its end.
pub fn read_stdin() -> Result<Vec<u8>> {
    let bytes = file::read_all(std::io::stdin().lock(), STREAM_BYTES);
    bytes.map_err(|e| Failure::usage(format!("standard input: {e}")))
}

/// Reads a text file; the error names it.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read_file(path)?)
        .map_err(|e| Failure::usage(format!("{} is not UTF-8 text: {e}", path.display())))
}

/// Writes a file; the error names it.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|source| Failure::File { verb: "write", path: path.to_owned(), source })
}

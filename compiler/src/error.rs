//! Errors as values: what, where, and what is missing.

use std::fmt;

/// Position in a SPIR-V module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Word offset of the instruction from the start of the module.
    pub word: Option<usize>,
    /// Instruction name, e.g. `OpImageSampleImplicitLod`.
    pub instruction: String,
    /// `file:line` from OpLine or DebugLine.
    pub source: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Not SPIR-V, or SPIR-V that breaks its own rules.
    Malformed,
    /// Valid, but wavepipe has no translation for it yet.
    Unsupported,
    /// The request does not fit the module: no such entry point, binding missing in the layout, wrong constant size …
    Request,
    /// The kernel needs more than the machine has (registers, LDS, scratch).
    Resource,
    /// A bug of ours that a validator found.
    Internal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    pub kind: ErrorKind,
    pub site: Option<Site>,
    pub message: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ErrorKind::Malformed => "malformed SPIR-V",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Request => "invalid request",
            ErrorKind::Resource => "out of machine resources",
            ErrorKind::Internal => "internal compiler error",
        };
        write!(f, "{kind}: {}", self.message)?;
        if let Some(s) = &self.site {
            write!(f, "\n  in {}", s.instruction)?;
            if let Some(w) = s.word {
                write!(f, " at word {w}")?;
            }
            if let Some(src) = &s.source {
                write!(f, "\n  at {src}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for CompileError {}

pub type Result<T> = std::result::Result<T, CompileError>;

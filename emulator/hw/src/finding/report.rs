//! A finding as other programs read it: the fields of its JSON. Numbers that may be beyond 2^53 are text, in hexadecimal.

use super::{Access, Finding, Location};
use crate::pipe;
use serde::{Deserialize, Serialize};

/// What `--json` and `--findings FILE.json` have for each finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// `mem`, `race`, `init`, `sync`, `wait` or `num`.
    pub check: String,
    /// The same in every run, on every host, with any number of threads.
    pub id: String,
    /// What of the check, as in the id.
    pub kind: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The kernel: its entry point.
    pub kernel: String,
    /// The hardware queue.
    pub queue: String,
    /// How often it came in all; the rest is of the first time.
    pub count: u64,
    #[serde(flatten)]
    pub place: PartyReport,
    /// The other of two that are at odds: a race's other access, the load that was not waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<PartyReport>,
}

/// Who, where, and what it accesses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartyReport {
    /// Of the program's text, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is accessed, if it is about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessReport>,
    /// The work-group: x, y, z.
    pub group: [u32; 3],
    /// Of the work-group.
    pub wave: u32,
    /// The first lane of the wave, and the mask of all that it is about.
    pub lane: u32,
    pub lanes: String,
    /// The instruction: bytes from the begin of the kernel, or of `function`, and its text.
    pub pc_offset: u64,
    pub instruction: String,
    /// A piece of code that the kernel calls, if the instruction is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessReport {
    /// `read`, `write` or `atomic`.
    pub kind: String,
    /// `global`, `lds`, `private` or `gds`.
    pub space: String,
    /// An address, or an offset in another space.
    pub address: String,
    pub bytes: u32,
    /// The allocation or variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

fn access(access: &Access) -> AccessReport {
    AccessReport {
        kind: access.kind.name().into(),
        space: access.space.name().into(),
        address: format!("{:#x}", access.address),
        bytes: access.bytes,
        name: access.name.clone(),
    }
}

fn party(site: &Location, accessed: Option<&Access>) -> PartyReport {
    PartyReport {
        file: site.source.as_ref().map(|s| s.file.clone()),
        line: site.source.as_ref().map(|s| s.line),
        access: accessed.map(access),
        group: site.workgroup,
        wave: site.wave,
        lane: site.lane,
        lanes: format!("{:#x}", site.lanes),
        pc_offset: site.pc_offset,
        instruction: site.disassembly.clone(),
        function: site.function.clone(),
    }
}

impl From<&Finding> for Report {
    fn from(finding: &Finding) -> Report {
        Report {
            check: finding.check().name().into(),
            id: finding.id(),
            kind: finding.kind.slug().into(),
            message: finding.message(),
            kernel: finding.kernel.clone(),
            queue: format!("{} queue {}", pipe::name(finding.queue.0), finding.queue.1),
            count: finding.count,
            place: party(&finding.site, finding.access.as_ref()),
            other: finding.other.as_ref().map(|o| party(&o.site, o.access.as_ref())),
        }
    }
}

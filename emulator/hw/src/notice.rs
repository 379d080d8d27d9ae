//! What the GPU says of a program that it runs all the same.

use crate::fault::WaveSite;
use crate::pipe;
use std::fmt;

/// Which part of a work-group did not come to a barrier that let the rest go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absent {
    /// Lanes of the wave: EXEC at the barrier, and the lanes that were launched.
    Lanes { exec: u64, launched: u64 },
    /// Waves of the work-group that have ended, and all of them.
    Ended { waves: u32, of: u32 },
    /// Another wave came to the barrier before byte `pc_offset` of the kernel.
    Elsewhere { wave: u32, pc_offset: u64 },
}

/// A barrier in divergent control flow. The machine counts waves at S_BARRIER, and leaves out those that have ended, so
/// such a program goes on as on a card; what it computes is undefined in every language that has barriers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentBarrier {
    pub kernel: String,
    pub absent: Absent,
    /// The barrier, and a wave that waited there.
    pub site: WaveSite,
    /// Hardware queue: [`pipe`] and queue number.
    pub queue: (u32, u32),
}

impl fmt::Display for DivergentBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "barrier in divergent control flow, on {} queue {}", pipe::name(self.queue.0), self.queue.1)?;
        if !self.kernel.is_empty() {
            write!(f, ", kernel `{}`", self.kernel)?;
        }
        let wave = self.site.wave;
        match self.absent {
            Absent::Lanes { exec, launched } => write!(
                f,
                ": {} of the {} lanes of wave {wave} came to it (EXEC {exec:#x}, launched {launched:#x})",
                exec.count_ones(),
                launched.count_ones(),
            )?,
            Absent::Ended { waves, of } => {
                write!(f, ": {waves} of the {of} waves of the work-group had ended when wave {wave} waited at it")?
            }
            Absent::Elsewhere { wave: other, pc_offset } => {
                write!(f, ": wave {wave} waited at it, and wave {other} at another one (before +{pc_offset:#x})")?
            }
        }
        let [x, y, z] = self.site.workgroup;
        write!(f, "\n  work-group ({x}, {y}, {z}), pc {:#x} (+{:#x})", self.site.pc, self.site.pc_offset)?;
        if let Some(source) = &self.site.source {
            write!(f, ", at {source}")?;
        }
        write!(
            f,
            "\n  all work-items of a work-group have to come to the same barriers, those that return early too; the GPU leaves out \
             who does not, and goes on"
        )
    }
}

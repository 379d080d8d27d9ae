//! A code object: the machine code of one kernel with what the command processor must know to launch it.

use crate::launch::UserData;
use crate::site::Site;
use crate::variable::Variables;
use serde::{Deserialize, Serialize};
use wavepipe_isa::{Gen, insts};

/// Lanes in a wavefront.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default, Serialize, Deserialize)]
pub enum WaveSize {
    #[default]
    W32,
    W64,
}

impl WaveSize {
    /// 32 or 64.
    pub const fn lanes(self) -> u32 {
        match self {
            WaveSize::W32 => 32,
            WaveSize::W64 => 64,
        }
    }

    /// Whether a generation has such waves.
    pub const fn is_of(self, isa: Gen) -> bool {
        matches!(self, WaveSize::W64) || isa.caps().wave32
    }

    /// The smallest waves of a generation.
    pub const fn least(isa: Gen) -> WaveSize {
        if isa.caps().wave32 { WaveSize::W32 } else { WaveSize::W64 }
    }
}

/// One row of the source map: the instruction at byte offset `pc` and those after it, up to the next row, come from
/// `file:line`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    pub pc: u32,
    pub file: u32,
    pub line: u32,
}

/// One compiled compute kernel. `text` is position-independent and starts at its entry; the loader places it at a
/// 256-byte aligned GPU virtual address, because COMPUTE_PGM_LO holds address bits 39:8.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeObject {
    /// Name of the entry point, for reports.
    pub name: String,
    /// Little-endian machine code. Ends with `s_code_end` padding so that instruction prefetch stays inside.
    pub text: Vec<u8>,
    /// Bytes of `text` up to the constant data behind the code; 0 = it is code to its end.
    pub code_bytes: u32,
    /// Whose machine code it is.
    #[serde(with = "isa_name")]
    pub isa: Gen,
    pub wave: WaveSize,
    /// VGPRs and SGPRs used (counts, VCC not included).
    pub vgprs: u32,
    pub sgprs: u32,
    /// LDS bytes of a work-group.
    pub lds_bytes: u32,
    /// Scratch bytes of one lane.
    pub scratch_bytes: u32,
    /// Work-group size in work-items.
    pub workgroup: [u32; 3],
    /// What the driver puts into each user SGPR, in order from s0. At most 16 dwords in all.
    pub user_data: Vec<UserData>,
    /// Which system values the hardware adds after the user SGPRs (COMPUTE_PGM_RSRC2 enables), in hardware order.
    pub system: SystemSgprs,
    /// How many of the work-item id VGPRs v0..v2 are initialised: 0 = x only, 1 = x and y, 2 = all.
    pub tidig_comp_cnt: u32,
    /// MODE register at launch (COMPUTE_PGM_RSRC1.FLOAT_MODE, DX10_CLAMP, IEEE_MODE).
    pub mode: FloatMode,
    /// Source files named by `lines`.
    pub files: Vec<String>,
    /// Sorted by `pc`.
    pub lines: Vec<LineRow>,
    /// Functions that the kernel calls: where they begin in `text`, and their names. Sorted.
    pub functions: Vec<(u32, String)>,
    /// What its messages to the thread trace mean, by number.
    pub sites: Vec<Site>,
    pub stats: Stats,
    /// Where source variables are, if the compiler was asked for it.
    pub variables: Option<Box<Variables>>,
}

/// A generation is stored by its name.
mod isa_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use wavepipe_isa::Gen;

    pub fn serialize<S: Serializer>(isa: &Gen, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(isa.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Gen, D::Error> {
        let name = String::deserialize(from)?;
        Gen::named(&name).ok_or_else(|| D::Error::custom(format!("{name} is no generation")))
    }
}

impl CodeObject {
    /// The words of `text` that are code, `s_code_end` padding left out.
    pub fn code_words(&self) -> Vec<u32> {
        let bytes = if self.code_bytes == 0 { self.text.len() } else { self.code_bytes as usize };
        let words = self.text[..bytes.min(self.text.len())].as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b));
        let mut words: Vec<u32> = words.collect();
        while words.last() == Some(&padding(self.isa)) {
            words.pop();
        }
        words
    }

    /// The file's name and the line that the instruction at byte `pc` is of: the last row's at or before it, if that knows one.
    pub fn line_at(&self, pc: u32) -> Option<(&str, &LineRow)> {
        let row = self.lines[..self.lines.partition_point(|r| r.pc <= pc)].last()?;
        let file = self.files.get(row.file as usize).filter(|_| row.line > 0)?;
        Some((file, row))
    }

    /// The same as `FILE:LINE`.
    pub fn source_at(&self, pc: u32) -> Option<String> {
        self.line_at(pc).map(|(file, row)| format!("{file}:{}", row.line))
    }
}

/// The word that pads code, so that instruction prefetch stays inside, where there is an instruction for it.
pub const S_CODE_END: u32 = 0xbf9f_0000;
/// S_NOP 0, which does so where there is not.
const S_NOP: u32 = 0xbf80_0000;

/// The word that pads a generation's code.
pub fn padding(isa: Gen) -> u32 {
    if insts::S_CODE_END.row().encoding(isa).is_some() { S_CODE_END } else { S_NOP }
}

/// Of these, behind the last instruction at least: the prefetcher reads three cache lines of 64 bytes ahead.
pub const PADDING_DWORDS: usize = 48;

/// System SGPRs that follow the user SGPRs, each present only if enabled; in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SystemSgprs {
    pub tgid_x: bool,
    pub tgid_y: bool,
    pub tgid_z: bool,
    /// TG_SIZE: waves in the work-group and this wave's index in it ([`crate::launch::tg_size`]); the ordered-append term is
    /// zero here.
    pub tg_size: bool,
    /// SCRATCH_WAVE_OFFSET: this wave's byte offset into the scratch ring.
    pub scratch_wave_offset: bool,
}

/// COMPUTE_PGM_RSRC1's float fields, as the bits of the MODE register: [3:0] FP_ROUND, [7:4] FP_DENORM,
/// [8] DX10_CLAMP, [9] IEEE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FloatMode(pub u32);

impl FloatMode {
    /// Round to nearest even, denormals kept in every width, DX10_CLAMP on, IEEE off. What Vulkan kernels run with.
    pub const VULKAN: FloatMode = FloatMode(0x1f0);

    /// The FP_ROUND field of f32, or the one that f16 and f64 share: 0 = to nearest even, 3 = towards zero.
    pub const fn round(self, single: bool) -> u32 {
        self.0 >> if single { 0 } else { 2 } & 3
    }

    /// The FP_DENORM field of f32, or the one that f16 and f64 share: 0 = flushed, 3 = kept.
    pub const fn denormals(self, single: bool) -> u32 {
        self.0 >> if single { 4 } else { 6 } & 3
    }

    pub const fn with_round(self, single: bool, round: u32) -> FloatMode {
        let at = if single { 0 } else { 2 };
        FloatMode(self.0 & !(3 << at) | (round & 3) << at)
    }

    pub const fn with_denormals(self, single: bool, denormals: u32) -> FloatMode {
        let at = if single { 4 } else { 6 };
        FloatMode(self.0 & !(3 << at) | (denormals & 3) << at)
    }
}

impl Default for FloatMode {
    fn default() -> Self {
        FloatMode::VULKAN
    }
}

/// Counts that `wavepipe compile --stats` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stats {
    pub spilled_sgprs: u32,
    pub spilled_vgprs: u32,
    /// Registers that are live at once, at most, before they are allocated.
    pub live_sgprs: u32,
    pub live_vgprs: u32,
}

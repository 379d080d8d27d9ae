//! A function that is emitted: its labels become addresses, and its bytes are placed.

use super::super::emit::{CONSTANTS, LINE, LINE_WORDS};
use super::SAVED;
use crate::Processor;
use crate::arena::Arena;
use crate::code::ExecutableCode;
use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, Instruction, InstructionBlock};
use wavepipe_core::wave::{Entry, HostFrame, HostRun, NoCode};

/// All of whose targets are labels.
const JUMPS: [Code; 8] = [
    Code::Jmp_rel32_64,
    Code::Je_rel32_64,
    Code::Jne_rel32_64,
    Code::Jae_rel32_64,
    Code::Jb_rel32_64,
    Code::Ja_rel32_64,
    Code::Jl_rel32_64,
    Code::Jge_rel32_64,
];

/// Instructions and constants of the whole function.
pub struct Assembly {
    pub(super) code: Vec<Instruction>,
    pub(super) constants: Vec<u32>,
    pub(super) labels: Vec<Option<usize>>,
}

/// Constants as one line of the host's caches has them.
#[repr(C, align(64))]
struct Line([u32; LINE_WORDS]);

const _: () = assert!(align_of::<Line>() == LINE);

impl Line {
    fn of(words: &[u32]) -> Line {
        Line(std::array::from_fn(|n| words.get(n).copied().unwrap_or(0)))
    }
}

/// A compiled region.
pub struct Run {
    code: ExecutableCode,
    /// Who executes it, if not this host.
    by: Option<Box<dyn HostRun>>,
    /// What the code's constants register points at.
    _constants: Box<[Line]>,
}

impl Assembly {
    /// # Errors
    /// As of [`Arena::place`], or an instruction has no encoding.
    pub fn place(self, arena: &Arena, processor: Option<&dyn Processor>) -> Result<Run, NoCode> {
        let (bytes, constants) = self.encode().ok_or(NoCode::Never)?;
        let code = ExecutableCode::new(arena, &bytes)?;
        let by = processor.map(|p| p.load(&bytes));
        Ok(Run { code, by, _constants: constants })
    }

    fn encode(mut self) -> Option<(Vec<u8>, Box<[Line]>)> {
        let constants: Box<[Line]> = self.constants.chunks(LINE_WORDS).map(Line::of).collect();
        let at = constants.as_ptr().expose_provenance() as u64;
        // Instructions' addresses are their numbers, until the encoder gives them real ones; what loads the constants
        // stands behind the six instructions that save registers.
        let first = SAVED.len();
        self.code.insert(first, Instruction::with2(Code::Mov_r64_imm64, CONSTANTS, at).ok()?);
        for (i, instruction) in self.code.iter_mut().enumerate() {
            instruction.set_ip(i as u64);
            if JUMPS.contains(&instruction.code()) {
                let label = self.labels.get(instruction.near_branch64() as usize)?.as_ref()?;
                instruction.set_near_branch64((label + 1) as u64);
            }
        }
        let block = InstructionBlock::new(&self.code, 0);
        let bytes = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE).ok()?.code_buffer;
        Some((bytes, constants))
    }
}

impl HostRun for Run {
    unsafe fn run(&self, frame: &mut HostFrame) -> u64 {
        if let Some(by) = &self.by {
            // SAFETY: the caller's promise.
            return unsafe { by.run(frame) };
        }
        // SAFETY: the code was emitted for such a frame, by the caller's promise; it touches the rows of the registers that
        // the region names and the 256 scalars, and its constants live as long as it does.
        unsafe { self.code.call(frame) }
    }

    fn entry(&self) -> Option<Entry> {
        // SAFETY: it was emitted as such a function.
        self.by.is_none().then(|| unsafe { self.code.entry() })
    }
}

//! SPIR-V → structured SSA [`ir`] → [`mir`] → code object of a generation.
//!
//! Contract: [`compile`] never panics on any input; what it cannot translate is a [`error::CompileError`] that names the
//! instruction, its word offset, its source line when there is one, and what is missing.

pub mod analysis;
pub mod back;
pub mod error;
pub mod inspect;
pub mod ir;
pub mod mir;
pub mod opt;
pub mod pipeline;
pub mod spirv;
#[doc(hidden)]
pub mod tested;

pub use error::CompileError;
use inspect::Inspector;
pub use inspect::{Checks, Dump};
pub use spirv::{Instrument, SpecValue, reflect};
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::launch::PipelineLayout;
use wavepipe_isa::Gen;
use wavepipe_isa::fenv;

/// What to compile and for what. Its hash, with that of the module, names the code that comes out.
#[derive(Clone, Debug, Hash)]
pub struct Options<'a> {
    pub entry: &'a str,
    /// The generation that the code is for.
    pub isa: Gen,
    pub wave: WaveSize,
    /// Waves of 64 lanes instead of 32, where the program cannot tell ([`analysis::waves`]) and is short.
    pub widen: bool,
    pub spec: &'a [SpecValue],
    pub layout: &'a PipelineLayout,
    /// Whether the compiler checks what each of its passes made. No part of the hash: the code is the same.
    pub checks: Checks,
    /// Instructions of the module, with all calls inlined, beyond which functions are called.
    pub inline_budget: u32,
    /// What the code tells of itself besides what the shader says.
    pub instrument: Instrument,
    /// Whether the code object has a table of where source variables are. The code is the same.
    pub names: bool,
}

/// [`Options::inline_budget`] if nobody says otherwise: more than any shader in use has.
pub const INLINE_BUDGET: u32 = 1 << 16;

impl<'a> Options<'a> {
    /// The default machine's generation, wave32, no specialization, no checks.
    pub fn new(entry: &'a str, layout: &'a PipelineLayout) -> Options<'a> {
        Options {
            entry,
            isa: Gen::default(),
            wave: WaveSize::W32,
            widen: false,
            spec: &[],
            layout,
            checks: Checks::Off,
            inline_budget: INLINE_BUDGET,
            instrument: Instrument::empty(),
            names: false,
        }
    }
}

/// Compiles one entry point of a SPIR-V module.
pub fn compile(words: &[u32], options: &Options<'_>) -> Result<CodeObject, CompileError> {
    deep(|| pipeline::compile(words, options, &mut Inspector::new(options.checks, None)))
}

/// As [`compile`], with the intermediate forms after every pass.
pub fn compile_with_dumps(words: &[u32], options: &Options<'_>) -> (Result<CodeObject, CompileError>, Vec<Dump>) {
    let mut dumps = Vec::new();
    let out = deep(|| pipeline::compile(words, options, &mut Inspector::new(options.checks, Some(&mut dumps))));
    (out, dumps)
}

/// Compiles a kernel that is ir already, as it is: without the passes of [`opt::optimise`].
pub fn compile_kernel(kernel: ir::Kernel, options: &Options<'_>) -> Result<CodeObject, CompileError> {
    deep(|| pipeline::compile_kernel(kernel, options, &mut Inspector::new(options.checks, None)))
}

/// Address space of the stack that walks over nested control flow have: enough for the deepest that the front end lets
/// through ([`spirv::MAX_DEPTH`]), whatever thread the caller is on. What is not used costs nothing.
const STACK: usize = 256 << 20;

/// Runs the compiler on a stack of its own. Of the same thread: what a fresh one would first need, as a heap, takes as long as
/// compiling a small shader.
fn deep<T>(work: impl FnOnce() -> Result<T, CompileError>) -> Result<T, CompileError> {
    stacker::grow(STACK, || fenv::in_default(work))
}

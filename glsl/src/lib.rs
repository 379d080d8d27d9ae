//! GLSL of compute shaders (`#version 310 es` and `430` on) as SPIR-V: what the text does, and nothing around it. No guards, no zeros, no
//! optimisation; what GLSL leaves undefined is in the module as it is in the text, where the checks can see it.
//!
//! [`pre`] makes tokens of the text, [`parse`] a tree ([`syntax`]) of these, [`lower`] a module ([`emit`]) of that. Specialization
//! constants stay what they are. What it does not know, it refuses by name and line.

mod emit;
mod fold;
mod layout;
mod lex;
mod lower;
mod parse;
mod pre;
mod syntax;
mod types;

use std::path::Path;

/// Why a text was not taken, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub file: String,
    pub line: u32,
    pub what: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

type Result<T> = std::result::Result<T, Refusal>;

/// What is nested as deep as the parser allows is followed on a stack that holds it; what is not touched costs nothing.
const STACK: usize = 512 << 20;

/// The module of a compute shader. Messages and debug information call the text `path`, beside which its `#include`s are.
pub fn compile(source: &str, path: &Path) -> std::result::Result<Vec<u32>, Refusal> {
    let work = || {
        let text = pre::process(source, path)?;
        let tree = parse::parse(&text)?;
        lower::lower(&tree, source, &text)
    };
    // WebAssembly has one thread, on a stack that whoever links the module has sized.
    if cfg!(target_family = "wasm") {
        return work();
    }
    let failed = |what: String| Refusal { file: path.display().to_string(), line: 1, what };
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().name("glsl".to_owned()).stack_size(STACK).spawn_scoped(scope, work);
        let worker = worker.map_err(|e| failed(format!("no thread for it: {e}")))?;
        worker.join().unwrap_or_else(|_| Err(failed("the front end is at fault: please report this shader".to_owned())))
    })
}

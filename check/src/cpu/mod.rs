//! `cpu = "…"`: a reference as an expression (or the body of a function) in WGSL or GLSL, of the element's index `i` and the
//! buffers by name, as they were before the run. naga reads it, and [`eval`] computes it on the CPU.

mod declare;
mod eval;
mod math;
mod memory;
mod value;

pub use self::memory::Array;

use self::declare::{Declarations, names};
use self::eval::Machine;
use self::memory::{Buffers, Global, flatten};
use self::value::{Num, Value};
use naga::Module;
use wavepipe::contents::Contents;
use wavepipe::element::Number;
use wavepipe::quietly;
use wavepipe_runtime::compiler::spirv;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Wgsl,
    Glsl,
}

/// A name for a number: a specialization constant or a push constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    pub name: String,
    pub text: String,
}

/// What a reference is made of.
pub struct Reference<'a> {
    pub language: Language,
    pub text: &'a str,
    pub arrays: &'a [Array],
    pub constants: &'a [Constant],
}

/// A reference's text as a module's, with what it names.
struct Source<'a> {
    text: String,
    /// Lines in front of the user's.
    before: usize,
    globals: Vec<Global<'a>>,
    /// What it gives back.
    result: String,
}

impl Reference<'_> {
    fn source(&self, result: &spirv::Type) -> Result<Source<'_>, String> {
        let mut out = String::new();
        if self.language == Language::Glsl {
            out += "#version 450\nlayout(local_size_x = 1) in;\n";
        }
        let mut declarations = Declarations::new(self.language);
        let taken: Vec<&str> =
            self.arrays.iter().map(|a| &*a.name).chain(self.constants.iter().map(|c| &*c.name)).collect();
        for a in self.arrays {
            declarations.buffer(a, self.text, &taken)?;
        }
        let result = declarations.result(result)?;
        out += &declarations.text();
        for c in self.constants.iter().filter(|c| names(self.text, &c.name)) {
            let whole = c.text.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
            out += &match self.language {
                Language::Wgsl => format!("const {} = {};\n", c.name, c.text),
                Language::Glsl => format!("const {} {} = {};\n", if whole { "int" } else { "float" }, c.name, c.text),
            };
        }
        out += &match self.language {
            Language::Wgsl => format!("fn reference(i: u32) -> {result} {{\n"),
            Language::Glsl => format!("{result} reference(uint i) {{\n"),
        };
        let before = out.lines().count();
        let body =
            if names(self.text, "return") { self.text.to_owned() } else { format!("return {};", self.text.trim()) };
        out += &format!("{body}\n}}\n");
        out += match self.language {
            Language::Wgsl => "",
            Language::Glsl => "void main() { }\n",
        };
        Ok(Source { text: out, before, globals: declarations.globals, result })
    }

    fn module(&self, source: &str, before: usize) -> Result<Module, String> {
        let told = |message: String, line: Option<u32>| match line {
            Some(line) if line as usize > before => format!("line {} of it: {message}", line as usize - before),
            _ => message,
        };
        match self.language {
            Language::Wgsl => naga::front::wgsl::parse_str(source)
                .map_err(|e| told(e.message().to_owned(), e.location(source).map(|l| l.line_number))),
            Language::Glsl => {
                let options = naga::front::glsl::Options::from(naga::ShaderStage::Compute);
                let parsed = quietly(|| naga::front::glsl::Frontend::default().parse(&options, source));
                parsed.ok_or("it cannot be read as GLSL")?.map_err(|all| {
                    let first = all.errors.first();
                    let line = first.map(|e| e.meta.location(source)).map(|l| l.line_number);
                    told(first.map_or_else(|| "it cannot be read as GLSL".to_owned(), |e| e.kind.to_string()), line)
                })
            }
        }
    }

    /// The buffer or image with the reference's elements.
    pub fn evaluate(&self, before: &Contents) -> Result<Contents, String> {
        let ty = memory::element(before).ok_or("its numbers are of several types")?;
        let source = self.source(&ty)?;
        let module = self.module(&source.text, source.before)?;
        let function =
            module.functions.iter().find(|(_, f)| f.name.as_deref().is_some_and(|n| n.starts_with("reference")));
        let (_, function) = function.ok_or("it is no expression")?;
        let buffers = Buffers(source.globals);
        let mut machine = Machine::new(&module, &buffers);
        let mut wanted = before.clone();
        let mut numbers = Vec::new();
        for (i, row) in before.view.rows().enumerate() {
            let result = machine.call(function, vec![Value::Scalar(Num::U32(i as u32))]);
            let result = result.and_then(|v| v.ok_or_else(|| "it gives nothing back".to_owned()));
            let result = result.map_err(|e| format!("at element {i}: {e}"))?;
            numbers.clear();
            if !flatten(&result, &ty, &mut numbers) {
                return Err(format!("it is no {}, which an element is: convert it", source.result));
            }
            for (leaf, n) in row.zip(&numbers) {
                let number = if n.is_float() { Number::Float(n.float()) } else { Number::Int(n.int()) };
                let mut out = Vec::with_capacity(8);
                leaf.scalar.put(number, &mut out);
                wanted.bytes[leaf.offset..leaf.offset + out.len()].copy_from_slice(&out);
            }
        }
        Ok(wanted)
    }
}

//! A code object as lines of text: labels, source lines and, where somebody asks for them, the registers that each takes.

use crate::graph::Graph;
use crate::live::{Counts, Live};
use std::fmt::Write as _;
use wavepipe_hw::code::CodeObject;
use wavepipe_isa::disasm;

/// One instruction of a code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// Bytes from the kernel's entry.
    pub offset: u32,
    /// As LLVM prints it by itself, branches with their distances; what does not decode stands as `.long`.
    pub text: String,
    /// The function that begins here.
    pub function: Option<String>,
    /// The label in front of it, if a branch of the kernel goes there.
    pub label: Option<String>,
    /// The label that it goes to, if it is a branch.
    pub target: Option<String>,
    pub words: Vec<u32>,
    /// `FILE:LINE`, where that is known.
    pub source: Option<String>,
}

impl CodeLine {
    /// The text among the kernel's others: a branch names its label.
    pub fn labelled(&self) -> String {
        disasm::labelled(&self.text, self.target.as_deref())
    }
}

/// The instructions of a kernel, without the `s_code_end` padding.
pub fn code_lines(code: &CodeObject) -> Vec<CodeLine> {
    lines(code, &code.code_words())
}

fn lines(code: &CodeObject, words: &[u32]) -> Vec<CodeLine> {
    let line = |i: disasm::ListedInstr| {
        let offset = 4 * i.at as u32;
        CodeLine {
            offset,
            text: i.text,
            function: code.functions.iter().find(|f| f.0 == offset).map(|f| f.1.clone()),
            label: i.label,
            target: i.target,
            words: words[i.at..i.at + i.size].to_vec(),
            source: code.source_at(offset),
        }
    };
    disasm::listed(words, code.isa, code.wave.lanes()).into_iter().map(line).collect()
}

/// The lines, the ways through them, and what is live on these.
pub struct Listing {
    pub lines: Vec<CodeLine>,
    pub graph: Graph,
    pub live: Live,
}

impl Listing {
    pub fn of(code: &CodeObject) -> Listing {
        let words = code.code_words();
        let graph = Graph::new(&words, 0, code.wave.lanes(), code.isa);
        let live = Live::of(&graph);
        Listing { lines: lines(code, &words), graph, live }
    }

    /// The node of a line; `None`: it cannot be reached.
    pub fn node(&self, line: &CodeLine) -> Option<usize> {
        self.graph.at(line.offset as usize / 4)
    }

    /// The registers that an instruction takes: live in front of it, or live or written behind it, of each kind the more.
    pub fn takes(&self, line: &CodeLine) -> Option<Counts> {
        self.node(line).map(|n| self.live.pressure[n])
    }
}

/// One instruction a line, as LLVM prints it, with offset and code words behind; source lines where they change, the names of
/// functions where they begin, and labels where branches go. An assembler takes it.
pub fn disassembly(code: &CodeObject) -> String {
    text(&code_lines(code), |_| None)
}

/// The same with the registers that each instruction takes behind its words, if it can be reached.
pub fn disassembly_with_registers(code: &CodeObject) -> String {
    let listing = Listing::of(code);
    text(&listing.lines, |line| listing.takes(line))
}

fn text(lines: &[CodeLine], takes: impl Fn(&CodeLine) -> Option<Counts>) -> String {
    let mut out = String::new();
    let mut source = &None;
    for line in lines {
        if let Some(name) = &line.function {
            let _ = writeln!(out, "{name}:");
        }
        if let Some(here) = line.source.as_ref().filter(|_| line.source != *source) {
            let _ = writeln!(out, "; {here}");
        }
        if let Some(label) = &line.label {
            let _ = writeln!(out, "{label}:");
        }
        let hex: Vec<String> = line.words.iter().map(|w| format!("{w:08x}")).collect();
        let _ = write!(out, "  {:<58} // {:06x}: ", line.labelled(), line.offset);
        // Most instructions have two words at most: behind these the figures stand below each other.
        let _ = match takes(line) {
            Some(c) => writeln!(out, "{:<17}  {:>3} vgpr {:>3} sgpr", hex.join(" "), c.vgprs, c.sgprs),
            None => writeln!(out, "{}", hex.join(" ")),
        };
        source = &line.source;
    }
    out
}

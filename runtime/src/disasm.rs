//! Machine code as text.

use crate::bus::source_of;
use std::fmt::Write as _;
use wavepipe_hw::code::CodeObject;
use wavepipe_isa::{decode, disasm};

/// One instruction of a code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// Bytes from the kernel's entry.
    pub offset: u32,
    /// As LLVM prints it by itself, branches with their distances; what does not decode stands as `.long`.
    pub text: String,
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
        self.target.as_ref().map_or_else(|| self.text.clone(), |label| disasm::with_target(&self.text, label))
    }
}

/// The instructions of a kernel, without the `s_code_end` padding.
pub fn code_lines(code: &CodeObject) -> Vec<CodeLine> {
    let words = code.code_words();
    let labels = disasm::Labels::of(&words, code.isa);
    let mut lines = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (text, target, size) = match decode::decode(&words[at..], code.isa) {
            Ok((instr, size)) => {
                let target = labels.target(&instr, at, code.isa).map(str::to_owned);
                (disasm::text(&instr, code.isa, code.wave.lanes()), target, size)
            }
            Err(_) => (format!(".long {:#010x}", words[at]), None, 1),
        };
        let offset = 4 * at as u32;
        let (label, source) = (labels.at(at).map(str::to_owned), source_of(code, offset));
        lines.push(CodeLine { offset, text, label, target, words: words[at..at + size].to_vec(), source });
        at += size;
    }
    lines
}

/// One instruction a line, as LLVM prints it, with offset and code words behind; source lines where they change, the names of
/// functions where they begin, and labels where branches go. An assembler takes it.
pub fn disassembly(code: &CodeObject) -> String {
    let mut out = String::new();
    let mut source = None;
    for line in code_lines(code) {
        if let Some((_, name)) = code.functions.iter().find(|f| f.0 == line.offset) {
            let _ = writeln!(out, "{name}:");
        }
        if let Some(here) = line.source.as_ref().filter(|_| line.source != source) {
            let _ = writeln!(out, "; {here}");
        }
        if let Some(label) = &line.label {
            let _ = writeln!(out, "{label}:");
        }
        let hex: Vec<String> = line.words.iter().map(|w| format!("{w:08x}")).collect();
        let _ = writeln!(out, "  {:<58} // {:06x}: {}", line.labelled(), line.offset, hex.join(" "));
        source = line.source;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavepipe_hw::code::{LineRow, S_CODE_END};

    #[test]
    fn lines_and_padding() {
        let row = |pc, line| LineRow { pc, file: 0, line };
        let words = [0x7e00_02ffu32, 0x1000, 0xbf81_0000, S_CODE_END, S_CODE_END];
        let code = CodeObject {
            text: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            files: vec!["a.comp".into()],
            lines: vec![row(0, 3), row(8, 4)],
            ..Default::default()
        };
        let text = disassembly(&code);
        let lines: Vec<&str> = text.lines().map(|l| l.split("//").next().unwrap().trim()).collect();
        assert_eq!(lines, ["; a.comp:3", "v_mov_b32_e32 v0, 0x1000", "; a.comp:4", "s_endpgm"]);
    }
}

//! Machine code as text.

use crate::bus::source_of;
use std::fmt::Write as _;
use wavepipe_hw::code::CodeObject;
use wavepipe_isa::{Gen, decode, disasm};

/// One instruction a line, as LLVM prints it, with offset and code words behind; source lines where they change. The
/// `s_code_end` padding is left out; what does not decode stands as `.long`.
pub fn disassembly(code: &CodeObject) -> String {
    let words = code.code_words();
    let end = words.len();
    let mut out = String::new();
    let (mut at, mut source) = (0, None);
    while at < end {
        let here = source_of(code, 4 * at as u32);
        if let Some(line) = here.as_ref().filter(|_| here != source) {
            let _ = writeln!(out, "; {line}");
        }
        source = here;
        let (text, size) = match decode::decode(&words[at..], Gen::Gfx1010) {
            Ok((instr, size)) => (disasm::text(&instr, Gen::Gfx1010, code.wave.lanes()), size),
            Err(_) => (format!(".long {:#010x}", words[at]), 1),
        };
        let hex: Vec<String> = words[at..at + size].iter().map(|w| format!("{w:08x}")).collect();
        let _ = writeln!(out, "  {text:<58} // {:06x}: {}", 4 * at, hex.join(" "));
        at += size;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavepipe_hw::code::LineRow;

    const S_CODE_END: u32 = 0xbf9f_0000;

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

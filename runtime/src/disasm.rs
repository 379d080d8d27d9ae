//! Machine code as text.

use crate::bus::source_of;
use std::fmt::Write as _;
use wavepipe_hw::code::CodeObject;

/// Machine code as text: one line per dword, with the source line where it changes.
pub fn disassembly(code: &CodeObject) -> String {
    let mut out = String::new();
    let mut last = None;
    for (i, word) in code.text.as_chunks::<4>().0.iter().enumerate() {
        let pc = i as u32 * 4;
        let source = source_of(code, pc);
        if source != last {
            if let Some(s) = &source {
                let _ = writeln!(out, "; {s}");
            }
            last = source;
        }
        let _ = writeln!(out, "{pc:6x}:  {:08x}", u32::from_le_bytes(*word));
    }
    out
}

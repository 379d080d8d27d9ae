//! Code objects as text.

use crate::random::GEN;
use wavepipe_flow::Listing;
use wavepipe_flow::listing::{disassembly, disassembly_with_registers};
use wavepipe_hw::code::{CodeObject, LineRow, S_CODE_END};
use wavepipe_isa::asm;

fn code(words: &[u32], lines: &[(u32, u32)]) -> CodeObject {
    CodeObject {
        text: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
        isa: GEN,
        files: vec!["a.comp".into()],
        lines: lines.iter().map(|&(pc, line)| LineRow { pc, file: 0, line }).collect(),
        ..Default::default()
    }
}

#[test]
fn lines_and_padding() {
    let words = [0x7e00_02ffu32, 0x1000, 0xbf81_0000, S_CODE_END, S_CODE_END];
    let text = disassembly(&code(&words, &[(0, 3), (8, 4)]));
    let lines: Vec<&str> = text.lines().map(|l| l.split("//").next().unwrap().trim()).collect();
    assert_eq!(lines, ["; a.comp:3", "v_mov_b32_e32 v0, 0x1000", "; a.comp:4", "s_endpgm"]);
}

const SUM: &str = "\
s_load_dwordx2 s[4:5], s[0:1], null
s_mov_b32 s2, 8
v_mov_b32_e32 v1, 0
s_waitcnt lgkmcnt(0)
BB0:
global_load_dword v2, v0, s[4:5]
s_sub_u32 s2, s2, 1
s_cmp_lg_u32 s2, 0
s_waitcnt vmcnt(0)
v_add_f32_e32 v1, v1, v2
s_cbranch_scc1 BB0
global_store_dword v0, v1, s[4:5]
s_endpgm
v_mov_b32_e32 v9, v8";

/// Counted by hand: what an instruction reads and what the code behind it still reads, or that with what it writes. Nothing is said
/// of what no path leads to.
#[test]
fn each_instruction_has_the_registers_that_it_takes() {
    let mut code = code(&asm::assemble(SUM, GEN, 32).unwrap(), &[(0, 1), (20, 2), (48, 3)]);
    code.functions = vec![(60, "unreached".into())];
    let text = disassembly_with_registers(&code);
    let want = "\
; a.comp:1
s_load_dwordx2 s[4:5], s[0:1], null 1 2
s_mov_b32 s2, 8 1 3
v_mov_b32_e32 v1, 0 2 3
s_waitcnt lgkmcnt(0) 2 3
; a.comp:2
BB0:
global_load_dword v2, v0, s[4:5] 3 3
s_sub_u32 s2, s2, 1 3 3
s_cmp_lg_u32 s2, 0 3 3
s_waitcnt vmcnt(0) 3 3
v_add_f32_e32 v1, v1, v2 3 3
s_cbranch_scc1 BB0 2 3
; a.comp:3
global_store_dword v0, v1, s[4:5] 2 2
s_endpgm 0 0
unreached:
v_mov_b32_e32 v9, v8";
    let short = |line: &str| {
        let (instr, rest) = line.split_once("//").unwrap_or((line, ""));
        let numbers = rest.split_once("  ").map_or(String::new(), |(_, n)| n.replace("vgpr", "").replace("sgpr", ""));
        let words = format!("{} {numbers}", instr.trim());
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let got: Vec<String> = text.lines().map(short).collect();
    assert_eq!(got.join("\n"), want, "{text}");
    let listing = Listing::of(&code);
    assert_eq!(listing.lines.iter().filter(|l| listing.takes(l).is_none()).count(), 1);
    // The figures are comments: an assembler makes the same words of it.
    assert_eq!(asm::assemble(&text, GEN, 32).unwrap(), code.code_words());
}

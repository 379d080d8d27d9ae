//! Two sheets beside each other.

use crate::made::{code, sheet};
use wavepipe_hw::machine::Machine;
use wavepipe_isa::{Gen, asm};
use wavepipe_page::compare::Likeness;
use wavepipe_page::{Comparison, Input, Sheet, html, json, text};

fn other() -> Sheet {
    let text = "\
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 3, v0
s_waitcnt lgkmcnt(0)
buffer_load_dword v2, v1, s[4:7], 0 offen
s_waitcnt vmcnt(0)
buffer_store_dword v2, v1, s[4:7], 0 offen
s_endpgm";
    let words = asm::assemble(text, Gen::Gfx1010, 32).unwrap();
    let text = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let code = wavepipe_hw::code::CodeObject { text, vgprs: 3, lines: Vec::new(), ..code() };
    let machine = Machine::standard();
    Sheet::new(Input { shader: "copy.comp", code: &code, machine: &machine, sources: &[], ir: None, run: None })
}

#[test]
fn every_row_of_both_stands_once_and_in_order() {
    let (left, right) = (sheet(false), other());
    let c = Comparison::new(&left, &right);
    let side = |of: fn(&wavepipe_page::compare::Pair) -> Option<u32>| c.rows.iter().filter_map(of).collect::<Vec<_>>();
    assert_eq!(side(|p| p.left), (0..left.code.len() as u32).collect::<Vec<_>>());
    assert_eq!(side(|p| p.right), (0..right.code.len() as u32).collect::<Vec<_>>());
    // The loop is the left one's alone, the shift and the store have other operands.
    assert_eq!(c.counts(), (5, 0, 2));
    assert_eq!(c.likeness(c.rows[1]), Likeness::Operands);
    let same = Comparison::new(&left, &left);
    assert_eq!(same.counts(), (0, 0, 0));
}

#[test]
fn a_comparison_is_text_json_and_a_page() {
    let (left, right) = (sheet(true), other());
    let c = Comparison::new(&left, &right);
    let told = text::comparison(&c);
    for part in [
        "instructions                        12           7     -41.7 %",
        "~ 00008  v_lshlrev_b32_e32 v1, 2, v0",
        "-        BB0:\n",
        "- 0002c  s_cbranch_scc1 BB0",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    let value = json::comparison(&c);
    assert_eq!((value["schema"].as_str(), value["version"].as_u64()), (Some("wavepipe-comparison"), Some(1)));
    assert_eq!(value["rows"].as_array().map(Vec::len), Some(c.rows.len()));
    assert_eq!(value["right"]["vgprs"], 3);
    let page = html::comparison(&c);
    crate::page::well_formed(&page);
    assert!(page.contains("<td class=\"t\">BB0:</td>"), "{page}");
    // A label that both have in one place stands once.
    assert_eq!(text::comparison(&Comparison::new(&left, &left)).matches("BB0:").count(), 1);
}

//! Writers in words.

use wavepipe_hw::finding::{Location, SourceLine};
use wavepipe_hw::observe::*;

#[test]
fn a_writer_in_words() {
    let site = Location {
        wave: 1,
        lane: 3,
        pc_offset: 0x40,
        disassembly: "global_store_dword v[0:1], v2, off".into(),
        source: Some(SourceLine { file: "sum.comp".into(), line: 14 }),
        ..Location::default()
    };
    let by = WritingInvocation { kernel: "main".into(), site, invocation: Some([35, 0, 0]) };
    let text = |by: &WritingInvocation| Writer::Invocation(Box::new(by.clone())).to_string();
    assert_eq!(
        text(&by),
        "work-group 0,0,0 wave 1 lane 3 (invocation 35,0,0) at sum.comp:14: global_store_dword v[0:1], v2, off"
    );
    let site = Location { source: None, disassembly: "s_store_dword s0, s[2:3], 0x0".into(), ..by.site };
    let by = WritingInvocation { invocation: None, site, ..by };
    assert_eq!(text(&by), "work-group 0,0,0 wave 1 at `main`+0x40: s_store_dword s0, s[2:3], 0x0");
}

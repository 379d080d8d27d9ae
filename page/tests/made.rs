//! Sheets that tests are about, and what a sheet says of its code.

use wavepipe_hw::code::{CodeObject, LineRow, WaveSize};
use wavepipe_hw::machine::Machine;
use wavepipe_isa::{Gen, asm};
use wavepipe_page::sheet::{Branch, Cost, Found, Reached, Run, SourceLine, Span, Spent, Timeline, WaitRow};
use wavepipe_page::{Input, Sheet, SourceText, text};

const CODE: &str = "\
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
s_mov_b32 s2, 0
BB0:
buffer_load_dword v2, v1, s[4:7], 0 offen
s_waitcnt vmcnt(0)
v_add_f32_e32 v3, v2, v3
s_add_i32 s2, s2, 1
s_cmp_lt_i32 s2, 8
s_cbranch_scc1 BB0
buffer_store_dword v3, v1, s[4:7], 0 offen
s_endpgm";

const SOURCE: &str =
    "// sums <eight> & more\nvoid main() {\n\tfloat x = 0;\n\tfor (int i = 0; i < 8; i++) x += a[i];\n\tb = x;\n}\n";

pub fn code() -> CodeObject {
    let words = asm::assemble(CODE, Gen::Gfx1010, 32).unwrap();
    let row = |pc, line| LineRow { pc, file: 0, line };
    CodeObject {
        name: "main".into(),
        text: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
        isa: Gen::Gfx1010,
        wave: WaveSize::W32,
        vgprs: 60,
        sgprs: 8,
        workgroup: [256, 1, 1],
        files: vec!["sum.comp".into()],
        lines: vec![row(0, 3), row(20, 4), row(48, 5)],
        ..CodeObject::default()
    }
}

/// As the clock counts it, in numbers that are easy to see.
pub fn run(rows: usize) -> Run {
    let stall = |what, cycles| Spent { what, cycles };
    let cost = |n: usize| Cost {
        issued: 8,
        issue_cycles: 8,
        stalls: if n == 5 { vec![stall("vmcnt", 800), stall("fetch", 1)] } else { Vec::new() },
        lanes: if n == 6 { 8 * 20 } else { 0 },
        lane_instructions: if n == 6 { 8 } else { 0 },
        requests: u64::from(n == 4) * 8,
        lines: u64::from(n == 4) * 32,
        conflicts: 0,
        hits: u64::from(n == 4) * 30,
        misses: u64::from(n == 4) * 2,
    };
    let span = |n: u32| Span { simd: n % 4, slot: n / 4, group: n.into(), wave: 0, begin: 100, end: 1100 };
    Run {
        dispatches: 1,
        groups: 8,
        waves: 8,
        cycles: 1234,
        nanoseconds: 640.0,
        instructions: 400,
        lanes: Some(20.0),
        spent: vec![stall("issued", 96), stall("vmcnt", 800)],
        rates: vec![
            Reached { name: "float operations", unit: "GFLOP/s", reached: 12.5, peak: 9754.0 },
            Reached { name: "L2", unit: "GB/s", reached: 80.0, peak: 1900.0 },
            Reached { name: "memory", unit: "GB/s", reached: 40.0, peak: 448.0 },
        ],
        caches: vec![Found { name: "vector L0", hits: 30, misses: 2 }],
        rows: (0..rows).map(cost).collect(),
        timeline: Timeline { begin: 100, end: 1334, simds: 80, slots: 20, spans: (0..8).map(span).collect(), more: 0 },
    }
}

pub fn sheet(with_run: bool) -> Sheet {
    let code = code();
    let sources = [SourceText { name: "sum.comp".into(), text: SOURCE.into() }];
    let ir =
        "kernel \"main\" {\n  file \"sum.comp\"\n  %0:b32 = const 0x0 !0:3\n  loop @0 () !0:4 {\n    yield\n  }\n}\n";
    let run = with_run.then(|| run(12));
    let machine = Machine::standard();
    Sheet::new(Input { shader: "sum.comp", code: &code, machine: &machine, sources: &sources, ir: Some(ir), run })
}

#[test]
fn a_sheet_has_lines_labels_loops_waits_and_live_registers() {
    let sheet = sheet(false);
    assert_eq!(sheet.code.len(), 12);
    assert_eq!(sheet.branches, [Branch { from: 9, to: 4, back: true }]);
    let wait = |row, counter, access| WaitRow { row, counter, at_most: 0, accesses: vec![access] };
    assert_eq!(sheet.waits, [wait(2, "lgkmcnt", 0), wait(5, "vmcnt", 4)]);
    assert_eq!(sheet.code[4].label.as_deref(), Some("BB0"));
    assert_eq!(sheet.code[4].source, Some(SourceLine { file: 0, line: 4 }));
    assert_eq!(sheet.code[4].live, "s2 s[4:7] v1 v3");
    // v1, v2 and v3; the descriptor and the counter.
    assert_eq!((sheet.code[4].vgprs, sheet.code[4].sgprs), (3, 5));
    assert_eq!(sheet.peak_vgprs.map(|p| (p.row, p.registers)), Some((4, 3)));
    assert_eq!(sheet.ir.len(), 6);
    assert_eq!(
        (sheet.ir[2].text.as_str(), sheet.ir[2].source),
        ("  loop @0 () {", Some(SourceLine { file: 0, line: 4 }))
    );
    assert_eq!(sheet.source_text(SourceLine { file: 0, line: 5 }), "b = x;");
}

#[test]
fn costs_of_lines_are_the_sums_of_their_instructions() {
    let sheet = sheet(true);
    let costs = sheet.line_costs();
    assert_eq!(costs.values().map(Cost::cycles).sum::<u64>(), sheet.all_cycles());
    assert_eq!(sheet.all_cycles(), 12 * 8 + 801);
    let line = &costs[&SourceLine { file: 0, line: 4 }];
    assert_eq!((line.cycles(), line.lanes_on(), line.lines_each()), (6 * 8 + 801, Some(20.0), Some(4.0)));
}

#[test]
fn the_text_shows_what_a_sheet_has() {
    let text = text::sheet(&sheet(false));
    for part in [
        "main of sum.comp on rx5700xt (gfx1010), wave32, work-groups of 256x1x1",
        "60 VGPRs (at most 3 live, at 0x14)",
        "16 of 20 waves a SIMD, limited by VGPRs",
        "next step: free 4 VGPRs (60 → 56): 16 → 18 waves",
        "└─    2   5   0002c",
        "; sum.comp:4  for (int i = 0; i < 8; i++) x += a[i];",
        "BB0:",
        "s_cbranch_scc1 BB0",
        "s_waitcnt vmcnt(0)  ; waits for vmcnt: 0x14",
        "┌>    3*  5   00014  buffer_load_dword v2, v1, s[4:7], 0 offen",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

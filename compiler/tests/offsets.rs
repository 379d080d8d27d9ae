//! Constants of addresses that move into accesses.

use wavepipe_compiler::ir::Kernel;
use wavepipe_compiler::opt::OPTIMISE;

fn offsets(kernel: &mut Kernel) {
    let pass = OPTIMISE.iter().find(|pass| pass.name == "offsets").unwrap();
    (pass.run)(kernel);
}

#[test]
fn constants_move_only_where_nothing_wraps() {
    let mut k: Kernel = "kernel \"t\" workgroup 64 1 1 lds 64 scratch 0 {
        %0:b32 = const 2
        %1:b32 = const 16
        %2:b32 = const 0xfffffffc
        %3:b32 = builtin local_invocation_id.x
        %4:b32 = shl %3 %0
        %5:b32 = iadd %4 %1
        %6:b32 = iadd %4 %2
        %7:b32 = load.lds %5
        %8:b32 = load.lds %6
        %9:b32 = iadd %7 %1
        %10:b32 = load.lds offset=4 %9
        yield
    }"
    .parse()
    .unwrap();
    offsets(&mut k);
    let text = k.to_string();
    assert!(text.contains("%7:b32 = load.lds offset=16 %4"), "{text}");
    assert!(text.contains("%8:b32 = load.lds %6"), "{text}");
    assert!(text.contains("%10:b32 = load.lds offset=4 %9"), "{text}");
}

/// The text of a loop over an offset's fourth part, behind a condition without which it does `els`.
fn looped(condition: &str, from: u32, step: u32, els: &str) -> String {
    let mut k: Kernel = format!(
        "kernel \"t\" workgroup 64 1 1 lds 4096 scratch 0 {{
        %0:b32 = const {from}
        %1:b32 = const {step}
        %2:b32 = const 2
        %3:b32 = const 64
        %4:b32 = const 8
        loop @1 (%5:b32 = %0) {{
            %6:b1 = {condition}
            %10:b32 = iadd %5 %1
            if %6 {{
                yield
            }} else {{
                {els}
            }}
            %7:b32 = shl %5 %2
            %8:b32 = iadd %7 %4
            %9:b32 = load.lds %8
            store.lds %7 %9
            continue @1 %10
        }}
        yield
    }}"
    )
    .parse()
    .unwrap();
    offsets(&mut k);
    k.to_string()
}

#[test]
fn what_a_loop_asks_for_bounds_what_it_counts() {
    for (condition, from, step, els, bounded) in [
        ("ult %5 %3", 0, 1, "break @1", true),
        ("ule %5 %3", 5, 1, "break @1", true),
        ("ult %3 %5", 0, 1, "break @1", false),
        ("slt %5 %3", 0, 1, "break @1", true),
        ("sle %5 %3", 0, 3, "break @1", true),
        // It may begin below zero, or come there.
        ("slt %5 %3", 0xffff_fff0, 1, "break @1", false),
        ("slt %5 %3", 0, 0xffff_ffff, "break @1", false),
        ("slt %5 %3", 0, 0x7fff_ffff, "break @1", false),
        ("slt %3 %5", 0, 1, "break @1", false),
        // It goes on anyway.
        ("slt %5 %3", 0, 1, "yield", false),
        ("slt %5 %3", 0, 1, "continue @1 %10", false),
    ] {
        let text = looped(condition, from, step, els);
        let is = text.contains("load.lds offset=8 %7");
        assert_eq!(is, bounded, "{condition}, else {els}, from {from} by {step}: {text}");
    }
}

//! Encoding of laid code: branches by the distance that RDNA 1 gets wrong.

use wavepipe_compiler::back::checker::held::Views;
use wavepipe_compiler::back::emit::{Emitted, emit};
use wavepipe_compiler::back::machine::{Body, Link, Machine, Placed};
use wavepipe_compiler::ir::{Kernel, Loc};
use wavepipe_compiler::mir::{Cond, Term};
use wavepipe_isa::{Gen, Instr, insts as i};

fn body(moves: usize, term: Term, line: u32) -> Body {
    let mut instr = Instr::new(i::S_MOV_B32);
    instr.src[0] = wavepipe_isa::Src::ZERO;
    instr.dst[0] = wavepipe_isa::Src::s(line);
    let loc = Loc { line, ..Default::default() };
    Body { insts: vec![Placed { instr, loc, link: Link::None }; moves], term, loc }
}

/// Two branches forward over `inner` and `outer` more moves, one back; where each branch lands.
fn lay(inner: usize, outer: usize) -> Emitted {
    let branch = |target| Term::Branch { cond: Cond::Scc0, target };
    let blocks = vec![
        body(1, branch(3), 1),
        body(1, branch(2), 2),
        // Block 2 is the target of block 1 only after block 4.
        body(outer, Term::Jump(0), 3),
        body(1, Term::End, 5),
        body(inner, Term::Fall, 4),
    ];
    let m = Machine {
        isa: Gen::default(),
        lanes: 32,
        blocks,
        order: vec![0, 1, 4, 2, 3],
        called: false,
        functions: Vec::new(),
    };
    emit(&m, &Kernel::new("laid", [1; 3]), &Views::default()).unwrap()
}

#[test]
fn no_branch_by_0x3f() {
    for (inner, outer) in (0x3a..0x42).flat_map(|i| (0..4).map(move |o| (i, o))).chain([(0, 0x3c), (1, 0x3a)]) {
        let e = lay(inner, outer);
        let words: Vec<u32> = e.text.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        let mov = |line: u32| 0xbe80_0380 | line << 16;
        let start = |line| words.iter().position(|&w| w == mov(line));
        let targets: Vec<usize> = (0..e.instrs.len())
            .filter(|&n| [i::S_CBRANCH_SCC0, i::S_BRANCH].contains(&e.instrs[n].op))
            .map(|n| {
                // Every instruction here is one word.
                assert_ne!(words[n] & 0xffff, 0x3f, "inner {inner}, outer {outer}");
                (n as i64 + 1 + i64::from(words[n] as u16 as i16)) as usize
            })
            .collect();
        let back = e.instrs.iter().position(|x| x.op == i::S_BRANCH);
        let third = if outer == 0 { back } else { start(3) };
        assert_eq!(targets, [start(5), third, start(1)].map(Option::unwrap), "inner {inner}, outer {outer}");
        for l in &e.lines {
            assert_eq!(words[l.pc as usize / 4], mov(l.line), "inner {inner}, outer {outer}");
        }
    }
    let nops = |inner, outer| lay(inner, outer).instrs.iter().filter(|x| x.op == i::S_NOP).count();
    assert_eq!(nops(0x3f, 0), 1);
    assert_eq!(nops(0x3e, 0), 0);
}

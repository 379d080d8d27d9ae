//! The checks run, in this build: each pass is looked at once, and a pass that plants a mistake is named. No test here may
//! depend on `debug_assertions`, which the gate's builds do not have.

use wavepipe_compiler::back::machine::{self, Machine};
use wavepipe_compiler::back::{hazards, regalloc, spill, tidy, waits};
use wavepipe_compiler::error::Result;
use wavepipe_compiler::inspect::{Checks, Inspector, Pass};
use wavepipe_compiler::ir::{Alu, Exit, Kernel, Node, Op, Value};
use wavepipe_compiler::mir::{Bank, Func, Inst, Part, Pseudo, Term};
use wavepipe_compiler::pipeline::{PASSES, Passes, allocate, back};
use wavepipe_compiler::{Dump, Options};
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::launch::PipelineLayout;
use wavepipe_isa::{Gen, Src, insts as i};

/// Divergent, with a loop, 64-bit arithmetic that is lowered, and constants behind the code.
const KERNEL: &str = "kernel \"k\" workgroup 64 1 1 lds 256 scratch 0 {
  data 0102030405060708
  %0:b32 = const 0x0
  %1:b32 = const 0x1
  %2:b32 = builtin local_invocation_id.x
  %3:b1 = ult %2 %1
  %4:b32 = if %3 {
    %5:b32 = load.constant %0
    yield %5
  } else {
    yield %1
  }
  %9:b32 = loop @0 (%6:b32 = %0) {
    %7:b1 = ult %6 %4
    if %7 {
      yield
    } else {
      break @0 %6
    }
    %8:b32 = iadd %6 %1
    continue @0 %8
  }
  %10:b64 = pack64 %9 %2
  %13:b64 = pack64 %2 %9
  %11:b64 = udiv %10 %13
  %12:b32 = hi32 %11
  store.lds %2 %12
  yield
}
";

fn run(passes: &Passes, checks: Checks, dumps: Option<&mut Vec<Dump>>) -> Result<CodeObject> {
    let layout = PipelineLayout::default();
    let mut kernel: Kernel = KERNEL.parse().unwrap();
    let mut inspector = Inspector::new(checks, dumps);
    inspector.run(passes.optimise, &mut kernel)?;
    back(passes, kernel, &Options { checks, ..Options::new("k", &layout) }, &mut inspector)
}

/// What the checks say of a compilation with a planted mistake. Without checks it goes through, or fails otherwise.
fn found(passes: &Passes) -> String {
    let said = |checks| run(passes, checks, None).map_err(|e| e.to_string());
    let with = said(Checks::On).expect_err("the mistake is found");
    assert_ne!(said(Checks::Off), Err(with.clone()), "not by the checks");
    with
}

#[test]
fn every_pass_is_dumped_once_and_checked() {
    let mut dumps = Vec::new();
    let code = run(&PASSES, Checks::On, Some(&mut dumps)).unwrap();
    let names: Vec<(&str, &str)> = dumps.iter().map(|d| (d.form, d.pass)).collect();
    let optimise = PASSES.optimise.iter().map(|p| ("ir", p.name));
    let lower = [("ir", "divisors"), ("ir", "lower"), ("ir", "dead lowered")];
    let selected = PASSES.selected.iter().map(|p| ("mir", p.name));
    let machine = PASSES.machine.iter().map(|p| ("machine", p.name));
    let wanted: Vec<(&str, &str)> = optimise
        .chain(lower)
        .chain([("mir", "select")])
        .chain(selected)
        .chain([("mir", "allocate"), ("machine", "machine")])
        .chain(machine)
        .collect();
    assert_eq!(names, wanted);
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len(), "a pass has a name of its own");
    assert_eq!(run(&PASSES, Checks::Off, None).unwrap(), code, "checks change no code");
}

#[test]
fn options_that_check_name_the_same_code() {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let layout = PipelineLayout::default();
    let hash = |checks| {
        let mut hasher = DefaultHasher::new();
        Options { checks, ..Options::new("k", &layout) }.hash(&mut hasher);
        hasher.finish()
    };
    assert_eq!(hash(Checks::On), hash(Checks::Off));
}

#[test]
fn a_broken_pass_of_the_ir_is_named() {
    const TWICE: Pass<Kernel> = Pass {
        name: "define twice",
        run: |k| {
            let first = k.body.nodes[0].clone();
            k.body.nodes.push(first);
        },
    };
    const INVISIBLE: Pass<Kernel> = Pass {
        name: "read nothing",
        run: |k| {
            let (args, results) = (vec![Value(0), Value(1 << 20)], vec![k.value(wavepipe_compiler::ir::Width::B32)]);
            let inst = wavepipe_compiler::ir::Inst {
                op: Op::Alu(Alu::IAdd),
                args,
                results,
                exact: false,
                loc: Default::default(),
            };
            k.body.nodes.push(Node::Inst(inst));
        },
    };
    const NO_END: Pass<Kernel> = Pass {
        name: "leave nothing",
        run: |k| k.body.exit = Exit::Break(wavepipe_compiler::ir::Label(77), Vec::new()),
    };
    // A pass that mends it, so that nothing is left to see for what looks at the ir later.
    const MEND: Pass<Kernel> = Pass { name: "mend", run: |k| *k = KERNEL.parse().unwrap() };
    for (optimise, wanted) in [
        (&[TWICE, MEND] as &'static [Pass<Kernel>], "after define twice: "),
        (&[INVISIBLE, MEND], "after read nothing: "),
        (&[NO_END, MEND], "after leave nothing: "),
    ] {
        let e = found(&Passes { optimise, ..PASSES });
        assert!(e.contains(wanted), "{e}");
    }
}

#[test]
fn a_broken_pass_of_mir_is_named() {
    const OUTSIDE: Pass<Func> = Pass {
        name: "read beyond",
        run: |f| {
            let part = Part { reg: 0, sub: 60, len: 4 };
            f.blocks[0].insts.push(Inst::pseudo(Pseudo::Keep, vec![], vec![part.into()]));
        },
    };
    const MEND: Pass<Func> = Pass { name: "mend", run: |f| drop(f.blocks[0].insts.pop()) };
    let e = found(&Passes { selected: &[OUTSIDE, MEND], ..PASSES });
    assert!(e.contains("after read beyond: "), "{e}");
}

#[test]
fn a_wrong_allocation_is_found() {
    fn wrong(
        f: &mut Func,
        room: &regalloc::Room<'_>,
        slots: &mut spill::Slots,
        scratch: spill::Scratch,
        inspector: &mut Inspector<'_>,
    ) -> Result<regalloc::Assignment> {
        let mut a = allocate(f, room, slots, scratch, inspector)?;
        // All vector registers that the launch does not fill become one.
        for (base, info) in a.base.iter_mut().zip(&f.regs) {
            if info.bank == Bank::V && info.fixed.is_none() {
                *base = 4;
            }
        }
        Ok(a)
    }
    let e = found(&Passes { allocate: wrong, ..PASSES });
    assert!(e.contains("after allocate: ") && e.contains("expected %"), "{e}");
}

#[test]
fn a_broken_pass_of_the_machine_form_is_named() {
    const ILLEGAL: Pass<Machine> = Pass {
        name: "scalar into vector",
        run: |m| {
            let body = m.blocks.iter_mut().find(|b| !b.insts.is_empty()).unwrap();
            let mut placed = body.insts[0];
            placed.instr = wavepipe_isa::Instr::new(i::S_MOV_B32);
            (placed.instr.dst[0], placed.instr.src[0], placed.link) = (Src::s(9), Src::v(1), machine::Link::None);
            body.insts.insert(0, placed);
        },
    };
    const MEND: Pass<Machine> = Pass {
        name: "mend",
        run: |m| {
            let body = m.blocks.iter_mut().find(|b| !b.insts.is_empty()).unwrap();
            body.insts.remove(0);
        },
    };
    const NOWHERE: Pass<Machine> = Pass { name: "jump nowhere", run: |m| m.blocks[0].term = Term::Jump(1000) };
    const BACK: Pass<Machine> = Pass { name: "mend", run: |m| m.blocks[0].term = Term::Fall };
    for (machine, wanted) in [
        (&[ILLEGAL, MEND] as &'static [Pass<Machine>], "after scalar into vector: b"),
        (&[NOWHERE, BACK], "after jump nowhere: b0"),
    ] {
        let e = found(&Passes { machine, ..PASSES });
        assert!(e.contains(wanted), "{e}");
    }
}

/// What no pass put apart, or put in behind the one that keeps hazards apart, the checker over the bytes finds.
#[test]
fn a_hazard_is_found() {
    const READ_LATE: Pass<Machine> = Pass {
        name: "write what is being read",
        run: |m| {
            let text = "ds_read_b32 v0, v0\ns_mov_b32 exec_lo, exec_lo";
            let planted = text.lines().map(|line| machine::Placed {
                instr: wavepipe_isa::asm::parse_line(line, Gen::Gfx1010, 32).unwrap(),
                loc: Default::default(),
                link: machine::Link::None,
            });
            m.blocks[0].insts.splice(0..0, planted.collect::<Vec<_>>());
        },
    };
    const TIDY: Pass<Machine> = Pass { name: "tidy", run: tidy::tidy };
    const WAITS: Pass<Machine> = Pass { name: "waits", run: waits::insert };
    const HAZARDS: Pass<Machine> = Pass { name: "hazards", run: hazards::insert };
    let e = found(&Passes { machine: &[TIDY, WAITS, HAZARDS, READ_LATE], ..PASSES });
    assert!(e.contains("after emit: VMEMtoScalarWriteHazard at +0x8 behind +0x0"), "{e}");
    run(&Passes { machine: &[TIDY, WAITS, READ_LATE, HAZARDS], ..PASSES }, Checks::On, None).unwrap();
}

//! Calls in the forms of the compiler: the ir's laws and text, what allocation must keep across a call, and the code.

use wavepipe_compiler::analysis::divergence::{Divergence, Home};
use wavepipe_compiler::back::calls::Clobbers;
use wavepipe_compiler::back::checker::{self, Allocated};
use wavepipe_compiler::back::coalesce::coalesce;
use wavepipe_compiler::back::liveness::Liveness;
use wavepipe_compiler::back::regalloc::{self, Room};
use wavepipe_compiler::back::select::select_all;
use wavepipe_compiler::inspect::{Checks, Inspector};
use wavepipe_compiler::ir::{Kernel, Op, Value, validate::validate};
use wavepipe_compiler::{Options, compile_kernel, opt};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::{BindingKind, BindingLayout, PipelineLayout, Place, SetLayout};
use wavepipe_isa::{Gen, decode, disasm};

/// A function of a vector and a scalar parameter, and a kernel that needs one of each behind the call.
const KERNEL: &str = "kernel \"k\" workgroup 64 1 1 lds 0 scratch 0 {
  function \"f\" (%0:b32, %1:b32) b32 scratch 0 {
    %2:b32 = imul %0 %1
    %3:b32 = iadd %2 %0
    yield %3
  }
  %0:b32 = const 0x0
  %1:desc = descriptor set=0 binding=0 kind=storage %0
  %2:b32 = builtin local_invocation_id.x
  %3:b32 = const 0x2
  %4:b32 = shl %2 %3
  %5:b32 = load.buffer %1 %4
  %6:b32 = builtin workgroup_id.x
  %7:b32 = imul %6 %6
  %8:b32 = call 0 %5 %6
  %9:b32 = iadd %8 %7
  %10:b32 = iadd %9 %5
  store.buffer %1 %4 %10
  yield
}
";

fn parsed(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn layout() -> PipelineLayout {
    let kind = BindingKind::StorageBuffer;
    let binding = BindingLayout { binding: 0, kind, count: 1, place: Place::Set(0), stride: 16 };
    PipelineLayout { sets: vec![SetLayout { bindings: vec![binding], size: 16 }], push_constant_bytes: 0 }
}

#[test]
fn text_is_read_back() {
    let pure = KERNEL.replace("call 0 ", "call 0 pure ");
    for text in [KERNEL, &pure] {
        let k = parsed(text);
        assert_eq!(validate(&k), Ok(()));
        assert_eq!(k.to_string(), text);
    }
}

#[test]
fn laws_of_calls() {
    let fails = |from: &str, to: &str, says: &str| {
        assert!(KERNEL.contains(from), "{from}");
        let v = validate(&parsed(&KERNEL.replace(from, to))).unwrap_err().to_string();
        assert!(v.contains(says), "{to}: {v}");
    };
    fails("call 0 %5 %6", "call 0 %5", "the function is [B32, B32] -> [B32]");
    fails("call 0 %5 %6", "call 1 %5 %6", "no function behind this one");
    fails("%2:b32 = imul %0 %1\n", "%2:b32 = call 0 %0 %1\n", "no function behind this one");
    fails("yield %3", "yield", "gives [], the target takes [B32]");
    fails("(%0:b32, %1:b32) b32", "(%0:b32, %1:b32) b1", "no number of 8 to 64 bits");
    let wide = format!("(%0:b32, %1:b32){} scratch", " b64".repeat(17));
    fails("(%0:b32, %1:b32) b32 scratch", &wide, "more than 32 dwords");
}

/// A call whose result nobody wants goes if the function does nothing else, and stays if it does.
#[test]
fn calls_without_effect_can_go() {
    let calls = |text: &str| {
        let mut k = parsed(text);
        opt::optimise(&mut k, &mut Inspector::new(Checks::On, None)).unwrap();
        let mut n = 0;
        k.body.for_each_inst(&mut |i| n += usize::from(matches!(i.op, Op::Call { .. })));
        n
    };
    let unused = KERNEL.replace("%9:b32 = iadd %8 %7", "%9:b32 = iadd %7 %7");
    assert_eq!((calls(KERNEL), calls(&unused)), (1, 0));
    let barrier = "%3:b32 = iadd %2 %0\n    barrier execution=workgroup memory=workgroup lds";
    assert_eq!(calls(&unused.replace("%3:b32 = iadd %2 %0", barrier)), 1);
}

#[test]
fn a_parameter_is_scalar_if_all_calls_give_a_scalar() {
    let homes = |text: &str| {
        let k = parsed(text);
        let (_, functions) = Divergence::of_all(&k);
        [0, 1].map(|n| functions[0].home(Value(n)))
    };
    assert_eq!(homes(KERNEL), [Home::Divergent, Home::Scalar]);
    let both = KERNEL.replace("  %9:b32 = iadd %8 %7", "  %11:b32 = call 0 %6 %5\n  %9:b32 = iadd %8 %11");
    assert_eq!(homes(&both), [Home::Divergent, Home::Divergent]);
}

/// The checker takes what was allocated with the truth about the call, and refuses what believed that calls write nothing.
#[test]
fn what_lives_across_a_call_is_checked() {
    let k = parsed(KERNEL);
    let divergence = Divergence::of_all(&k);
    for wave in [WaveSize::W32, WaveSize::W64] {
        let layout = layout();
        let options = Options { wave, ..Options::new("k", &layout) };
        let mut s = select_all(&k, &divergence, &options, true).unwrap();
        let assign = |f: &_, functions: &[Clobbers]| {
            let live = Liveness::new(f);
            let room = Room { vgprs: 128, convention: &s.convention, functions };
            regalloc::allocate(f, &live, &coalesce(f, &live), &room).unwrap()
        };
        let callee = assign(&s.funcs[1], &[Clobbers::default()]);
        let truth = [Clobbers::of(&s.funcs[1], &callee, &[])];
        let kernel = &s.funcs[0];
        for (believed, right) in [(truth, true), ([Clobbers::default()], false)] {
            let assignment = assign(kernel, &believed);
            let room = Room { vgprs: 128, convention: &s.convention, functions: &truth };
            let after = Allocated {
                func: kernel,
                assignment: &assignment,
                scratch: s.scratch[0],
                scratch_bytes: (0, 0),
                room: &room,
            };
            let found = checker::check(kernel, &after);
            assert_eq!(found.is_ok(), right, "{wave:?}: {found:?}");
        }
        s.funcs.clear();
    }
}

fn assembly(text: &str, wave: WaveSize) -> String {
    let layout = layout();
    let options = Options { wave, checks: Checks::On, ..Options::new("k", &layout) };
    let code = compile_kernel(parsed(text), &options).unwrap();
    let words = code.code_words();
    let (mut at, mut out) = (0, String::new());
    while at < words.len() {
        if let Some((_, name)) = code.functions.iter().find(|f| f.0 as usize == 4 * at) {
            out += &format!("{name}:\n");
        }
        let (instr, size) = decode::decode(&words[at..], Gen::Gfx1010).unwrap();
        out += &format!("  {}\n", disasm::text(&instr, Gen::Gfx1010, wave.lanes()));
        at += size;
    }
    out
}

/// The convention as code: arguments, target and return address, waits before the call and the return, what lives across.
#[test]
fn the_code_of_a_call() {
    for (wave, golden) in
        [(WaveSize::W32, include_str!("golden/call32.txt")), (WaveSize::W64, include_str!("golden/call64.txt"))]
    {
        let got = assembly(KERNEL, wave);
        assert_eq!(got, golden, "{wave:?}:\n{got}");
    }
}

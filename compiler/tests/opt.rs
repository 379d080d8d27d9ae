//! What the machine-independent passes make of small kernels, in the IR's text form.

use wavepipe_compiler::inspect::{Checks, Inspector};
use wavepipe_compiler::ir::{self, Alu, Kernel, Node, Op};
use wavepipe_compiler::opt;

fn optimised(body: &str) -> Kernel {
    let text = format!("kernel \"k\" workgroup 64 1 1 lds 0 scratch 0 {{\n{body}}}\n");
    let mut kernel: Kernel = text.parse().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(ir::validate::validate(&kernel), Ok(()), "{text}");
    opt::optimise(&mut kernel, &mut Inspector::new(Checks::On, None)).unwrap();
    kernel
}

fn count(kernel: &Kernel, wanted: impl Fn(&Node) -> bool) -> usize {
    let mut n = 0;
    kernel.body.for_each_node(&mut |node| n += usize::from(wanted(node)));
    n
}

fn alus(kernel: &Kernel, alu: Alu) -> usize {
    count(kernel, |n| matches!(n, Node::Inst(i) if i.op == Op::Alu(alu)))
}

const BUFFER: &str = "  %0:b32 = const 0x0
  %1:desc = descriptor set=0 binding=0 kind=storage %0
  %2:b32 = builtin local_invocation_id.x
";

#[test]
fn early_return_becomes_an_if() {
    let k = optimised(&format!(
        "{BUFFER}  %3:b32 = const 0xa
  %4:b1 = ult %2 %3
  block @0 {{
    if %4 {{
      yield
    }} else {{
      break @0
    }}
    store.buffer %1 %2 %3
    break @0
  }}
  yield
"
    ));
    assert_eq!(count(&k, |n| matches!(n, Node::Block { .. })), 0, "{k}");
    assert_eq!(count(&k, |n| matches!(n, Node::If { .. })), 1, "{k}");
}

#[test]
fn a_counted_loop_is_unrolled_and_folded() {
    let k = optimised(&format!(
        "{BUFFER}  %3:b32 = const 0x1
  %4:b32 = const 0x8
  %9:b32 = loop @0 (%5:b32 = %0, %6:b32 = %0) {{
    %7:b1 = ult %5 %4
    if %7 {{
      yield
    }} else {{
      break @0 %6
    }}
    %8:b32 = iadd %6 %5
    %10:b32 = iadd %5 %3
    continue @0 %10 %8
  }}
  store.buffer %1 %2 %9
  yield
"
    ));
    assert_eq!(count(&k, |n| matches!(n, Node::Loop { .. })), 0, "{k}");
    // 0 + 1 + … + 7
    assert_eq!(count(&k, |n| matches!(n, Node::Inst(i) if i.op == Op::Const(28))), 1, "{k}");
    assert_eq!(alus(&k, Alu::IAdd), 0, "{k}");
}

#[test]
fn an_endless_loop_stays() {
    let k = optimised("  loop @0 () {\n    continue @0\n  }\n  yield\n");
    assert_eq!(count(&k, |n| matches!(n, Node::Loop { .. })), 1, "{k}");
}

#[test]
fn products_and_sums_fuse_unless_exact() {
    let body = |exact: &str| {
        format!(
            "{BUFFER}  %3:b32 %4:b32 %5:b32 = load.buffer %1 %2
  %6:b32 = {exact}fmul %3 %4
  %7:b32 = {exact}fsub %5 %6
  store.buffer %1 %2 %7
  yield
"
        )
    };
    let fused = optimised(&body(""));
    assert_eq!((alus(&fused, Alu::FFma), alus(&fused, Alu::FMul)), (1, 0), "{fused}");
    let exact = optimised(&body("exact "));
    assert_eq!((alus(&exact, Alu::FFma), alus(&exact, Alu::FMul)), (0, 1), "{exact}");
}

#[test]
fn neighbours_merge_but_not_over_a_store() {
    let k = optimised(&format!(
        "{BUFFER}  %3:b32 = load.buffer %1 %2
  %4:b32 = load.buffer offset=4 %1 %2
  store.buffer offset=64 %1 %2 %3
  store.buffer offset=68 %1 %2 %4
  %5:b32 = load.buffer offset=8 %1 %2
  store.buffer offset=80 %1 %2 %5
  yield
"
    ));
    let loads = |n: usize| {
        count(&k, |node| matches!(node, Node::Inst(i) if matches!(i.op, Op::Load { .. }) && i.results.len() == n))
    };
    let stores = |n: usize| {
        count(&k, |node| matches!(node, Node::Inst(i) if matches!(i.op, Op::Store { .. }) && i.args.len() == 2 + n))
    };
    assert_eq!((loads(2), loads(1), stores(2), stores(1)), (1, 1, 1, 1), "{k}");
}

#[test]
fn unread_results_and_parameters_go() {
    let k = optimised(&format!(
        "{BUFFER}  %3:b32 = const 0x1
  %9:b32 %11:b32 = loop @0 (%4:b32 = %0, %5:b32 = %0) {{
    %6:b32 = load.buffer %1 %4
    %7:b1 = ieq %6 %0
    %8:b32 = imul %5 %6
    if %7 {{
      break @0 %4 %8
    }} else {{
      yield
    }}
    %10:b32 = iadd %4 %3
    continue @0 %10 %8
  }}
  store.buffer %1 %2 %9
  yield
"
    ));
    assert_eq!(alus(&k, Alu::IMul), 0, "{k}");
    let shapes =
        |node: &Node| matches!(node, Node::Loop { params, results, .. } if params.len() == 1 && results.len() == 1);
    assert_eq!(count(&k, shapes), 1, "{k}");
}

#[test]
fn small_arms_become_selects_and_constants_leave_loops() {
    let k = optimised(&format!(
        "{BUFFER}  %3:b32 = const 0x3
  %4:b1 = ult %2 %3
  %6:b32 = if %4 {{
    %5:b32 = iadd %2 %3
    yield %5
  }} else {{
    yield %3
  }}
  %9:b32 = loop @0 (%7:b32 = %0) {{
    %12:b32 = imul %6 %2
    %8:b32 = load.buffer %1 %7
    %10:b1 = ieq %8 %12
    %11:b32 = iadd %7 %6
    if %10 {{
      break @0 %11
    }} else {{
      continue @0 %11
    }}
    unreachable
  }}
  store.buffer %1 %2 %9
  yield
"
    ));
    assert_eq!((count(&k, |n| matches!(n, Node::If { .. })), alus(&k, Alu::Select)), (1, 1), "{k}");
    let in_loop = k.body.nodes.iter().filter_map(|n| match n {
        Node::Loop { body, .. } => Some(body),
        _ => None,
    });
    for body in in_loop {
        body.for_each_inst(&mut |i| assert_ne!(i.op, Op::Alu(Alu::IMul), "{k}"));
    }
}

/// Every access is looked at as one dword: the buffer is not read-only.
#[test]
fn a_load_is_repeated_only_after_a_write_or_barrier() {
    let loads = |between: &str| {
        let k = optimised(&format!(
            "{BUFFER}  %3:b32 = load.buffer %1 %2
  {between}
  %4:b32 = load.buffer %1 %2
  %5:b32 = iadd %3 %4
  store.buffer %1 %0 %5
  yield
"
        ));
        count(&k, |n| matches!(n, Node::Inst(i) if matches!(i.op, Op::Load { .. })))
    };
    assert_eq!(loads(""), 1);
    assert_eq!(loads("store.lds %2 %2"), 1);
    assert_eq!(loads("store.buffer %1 %0 %2"), 2);
    assert_eq!(loads("barrier execution=workgroup memory=workgroup lds buffer"), 2);
    assert_eq!(
        loads("%9:b1 = ult %2 %0\n  if %9 {\n  store.buffer %1 %0 %2\n  yield\n  } else {\n  yield\n  }"),
        1,
        "never taken"
    );
    assert_eq!(loads("%9:b1 = ult %0 %2\n  if %9 {\n  store.buffer %1 %0 %2\n  yield\n  } else {\n  yield\n  }"), 2);
}
